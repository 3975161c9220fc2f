package sessionfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// real returns the real session files, by their path.
func real(t *testing.T) map[string][]byte {
	t.Helper()
	dir := sessions.Dir(t)
	files := map[string][]byte{}
	for _, pattern := range []string{"claude_code/*", "codex/*", "pi/*", "derived/*.pi-v3.jsonl", "gemini_cli/*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(dir, name)
			files[filepath.ToSlash(rel)] = src
		}
	}
	return files
}

func list(t *testing.T, src []byte) []json.RawMessage {
	t.Helper()
	var out []json.RawMessage
	if err := json.Unmarshal(src, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

type verdict struct {
	Valid      bool
	Violations []struct{ Rule, Path, Text, Repair string }
}

func validate(t *testing.T, format string, messages []byte) verdict {
	t.Helper()
	var v verdict
	out := core.Call("validate", []byte(`{"policy":{"format":"`+format+`"},"messages":`+string(messages)+`}`))
	if err := json.Unmarshal(out, &v); err != nil || bytes.HasPrefix(out, []byte(`{"error"`)) {
		t.Fatalf("%v in %.300s", err, out)
	}
	return v
}

// compacts runs plan and step to the end with a scripted summary. If force is set, it compacts even if compaction is not due.
func compacts(t *testing.T, force bool, policy string, messages []byte) (result json.RawMessage, report string) {
	t.Helper()
	var a struct {
		Error, Plan, Messages, Report json.RawMessage
		Requests                      []struct{ ID string }
	}
	request := fmt.Appendf(nil, `{"policy":%s,"options":{"force":%t},"messages":%s}`, policy, force, messages)
	for op, round := "plan", 0; ; op, round = "step", round+1 {
		a.Requests, a.Error = nil, nil
		if err := json.Unmarshal(core.Call(op, request), &a); err != nil || a.Error != nil || round > 10 {
			t.Fatalf("%s, round %d: %v %s", op, round, err, a.Error)
		}
		if len(a.Requests) == 0 {
			return a.Messages, string(a.Report)
		}
		var replies []string
		for _, r := range a.Requests {
			replies = append(replies, fmt.Sprintf(`{"id":%q,"text":"# Objective\nGo on.\n\n# Status\nAll before is done."}`, r.ID))
		}
		request = []byte(`{"plan":` + string(a.Plan) + `,"summaries":[` + strings.Join(replies, ",") + `],"messages":` + string(messages) + `}`)
	}
}

// TestRealFiles opens every real session file and compacts its conversation, with windows that force a compaction. In
// make test, it tries two presets with one window each.
func TestRealFiles(t *testing.T) {
	for name, src := range real(t) {
		t.Run(name, func(t *testing.T) {
			a := open(t, src)
			if a.Error != nil {
				t.Fatalf("%+v", a.Error)
			}
			if strings.ReplaceAll(a.Kind, "-", "_") != strings.Split(name, "/")[0] && !strings.HasPrefix(name, "derived/") {
				t.Errorf("opened as %s", a.Kind)
			}
			if a.Usage == nil || a.Usage.Total < 1000 || a.Model == "" {
				t.Errorf("usage %+v, model %q", a.Usage, a.Model)
			}
			if n := a.skipped("branch") + a.skipped("duplicate") + a.skipped("unfinished_line"); n > 0 {
				t.Errorf("skipped: %+v", a.Skipped) // these files have none
			}
			before := validate(t, a.Format, a.Messages)
			for _, v := range before.Violations {
				// The files break rules themselves: blank texts, a call that was never answered, a cut-off beginning. Misplaced results
				// would be our fault.
				if v.Rule == "AN4" || v.Rule == "AN1" || v.Repair == "move_result" || strings.Contains(v.Text, "answers no call") {
					t.Errorf("%s at %s: %s", v.Rule, v.Path, v.Text)
				}
			}
			var size struct{ Tokens int }
			if err := json.Unmarshal(core.Call("estimate", []byte(`{"policy":{"format":"`+a.Format+`"},"messages":`+string(a.Messages)+`}`)), &size); err != nil {
				t.Fatal(err)
			}
			for i, preset := range []string{"default", "window-budget"} {
				for k, percent := range []int{50, 20, 5} {
					if !trials.Covers(len(src)+i, k, 3) {
						continue
					}
					window := max(size.Tokens*percent/100, 64)
					policy := fmt.Sprintf(`{"preset":%q,"format":%q,"window":{"tokens":%d,"reserve":%d}}`, preset, a.Format, window, window/10)
					result, report := compacts(t, false, policy, a.Messages)
					if v := validate(t, a.Format, result); !v.Valid {
						t.Errorf("%s at %d%%: %d violations, such as %+v; %s", preset, percent, len(v.Violations), v.Violations[0], report)
					}
				}
			}
			t.Logf("%s: %d messages, %d tokens by the provider, %d violations before, %+v", a.Format, len(list(t, a.Messages)), a.Usage.Total,
				len(before.Violations), a.Skipped)
		})
	}
}

// TestClaudeCodeBlocks compares the content blocks with those that a simple reader finds after the last compaction.
func TestClaudeCodeBlocks(t *testing.T) {
	blocks := func(messages []json.RawMessage) (out []string) {
		for _, m := range messages {
			var v struct {
				Role    string
				Content json.RawMessage
			}
			if err := json.Unmarshal(m, &v); err != nil {
				t.Fatal(err)
			}
			var content any // decoded and encoded again, as on the other side
			if err := json.Unmarshal(v.Content, &content); err != nil {
				t.Fatal(err)
			}
			several, ok := content.([]any)
			if !ok {
				several = []any{content}
			}
			for _, b := range several {
				text, _ := json.Marshal(b)
				out = append(out, v.Role+" "+string(text))
			}
		}
		slices.Sort(out)
		return out
	}
	files := real(t)
	for _, s := range sessions.Load(t, "anthropic") {
		src, ok := files[s.Name]
		if !ok {
			continue
		}
		a := open(t, src)
		got, want := blocks(list(t, a.Messages)), blocks(s.Messages)
		if len(got) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %d blocks, want %d", s.Name, len(got), len(want))
		}
		delete(files, s.Name)
	}
	for name := range files {
		if strings.HasPrefix(name, "claude_code/") {
			t.Errorf("%s was not compared", name)
		}
	}
}

// TestCodexItems compares the items with those that a simple reader finds in the file.
func TestCodexItems(t *testing.T) {
	for name, src := range real(t) {
		if !strings.HasPrefix(name, "codex/") {
			continue
		}
		var want []map[string]any
		total := 0.0
		for _, line := range bytes.Split(bytes.TrimSpace(src), []byte("\n")) {
			var rec struct {
				Type    string
				Payload map[string]any
			}
			if err := json.Unmarshal(line, &rec); err != nil {
				t.Fatal(err)
			}
			switch rec.Type {
			case "response_item":
				want = append(want, rec.Payload)
			case "compacted":
				want = nil
				for _, item := range rec.Payload["replacement_history"].([]any) {
					want = append(want, item.(map[string]any))
				}
			case "event_msg":
				info, _ := rec.Payload["info"].(map[string]any)
				last, _ := info["last_token_usage"].(map[string]any)
				if n, _ := last["input_tokens"].(float64); n > 0 {
					total = n + last["output_tokens"].(float64)
				}
			}
		}
		for _, item := range want {
			delete(item, "metadata")
			delete(item, "internal_chat_message_metadata_passthrough")
		}
		a := open(t, src)
		var got []map[string]any
		if err := json.Unmarshal(a.Messages, &got); err != nil {
			t.Fatal(err)
		}
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if len(got) == 0 || !bytes.Equal(g, w) {
			t.Errorf("%s: %d items, want %d", name, len(got), len(want))
		}
		if float64(a.Usage.Total) != total {
			t.Errorf("%s: usage %d, want %v", name, a.Usage.Total, total)
		}
		if len(a.System) < 1000 {
			t.Errorf("%s: system prompt %q", name, a.System)
		}
	}
}

// TestPiVersions compares the same session in two versions of the file, and with the output of pi's own converter.
func TestPiVersions(t *testing.T) {
	files := real(t)
	v1 := open(t, files["pi/pi_before-compaction.jsonl"])
	v3 := open(t, files["derived/pi_before-compaction.pi-v3.jsonl"])
	if len(v1.Messages) < 1000 || !bytes.Equal(v1.Messages, v3.Messages) {
		t.Errorf("%d bytes from version 1, %d from version 3", len(v1.Messages), len(v3.Messages))
	}
	src, err := os.ReadFile(filepath.Join(sessions.Dir(t), "derived", "pi_before-compaction.anthropic-messages.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sent struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(src, &sent); err != nil {
		t.Fatal(err)
	}
	calls := func(messages []json.RawMessage, typ string) (ids []string) {
		for _, m := range messages {
			var v struct{ Content []struct{ Type, ID string } }
			_ = json.Unmarshal(m, &v) // content may be a string
			for _, p := range v.Content {
				if p.Type == typ {
					ids = append(ids, p.ID)
				}
			}
		}
		return ids
	}
	// The converter got the whole session, whereas open returns what is left of it after its compactions.
	got, all := calls(list(t, v1.Messages), "tool_call"), calls(sent.Messages, "tool_use")
	if len(got) < 100 || len(got) > len(all) || !slices.Equal(got, all[len(all)-len(got):]) {
		t.Errorf("%d tool calls, of %d that pi sends", len(got), len(all))
	}
}

package sessionfile_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sessionfile"
)

var update = flag.Bool("update", false, "write the golden files anew")

const samples = "../../../testdata/sessions"

// sample returns the made-up session files by name.
func sample(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	names, err := filepath.Glob(samples + "/*.json*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".golden.json") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = src
	}
	if len(files) == 0 {
		t.Fatal("no session files in " + samples)
	}
	return files
}

// opened is the result of the operation open.
type opened struct {
	Error *struct {
		Code, Message, Path string
		Offset              int
	}
	Kind, Format, Model, System string
	Usage                       *struct {
		Message int
		Total   int64 `json:"total_tokens"`
	}
	Skipped []struct {
		What  string
		Count int
	}
	Messages json.RawMessage
}

func open(t testing.TB, src []byte) opened {
	t.Helper()
	var a opened
	out := core.Call("open", src)
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v in %.300s", err, out)
	}
	return a
}

func (a *opened) skipped(what string) int {
	for _, s := range a.Skipped {
		if s.What == what {
			return s.Count
		}
	}
	return 0
}

func TestGolden(t *testing.T) {
	for name, src := range sample(t) {
		t.Run(name, func(t *testing.T) {
			if kind := sessionfile.Detect(src); kind == nil || !strings.HasPrefix(name, kind.Name) {
				t.Errorf("detected as %v", kind)
			}
			var got bytes.Buffer
			if err := json.Indent(&got, core.Call("open", src), "", "  "); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			golden := filepath.Join(samples, name+".golden.json")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("the answer is not that of %s:\n%s", golden, got.Bytes())
			}
		})
	}
}

// TestSamplesAreValid validates the conversations in the samples. Two of them contain content that an agent sends unchanged: an empty text,
// and a call that was never answered.
func TestSamplesAreValid(t *testing.T) {
	broken := map[string]string{"claude-code-kept.jsonl": "AN6", "gemini-cli.json": "G4"}
	for name, src := range sample(t) {
		a := open(t, src)
		v := validate(t, a.Format, a.Messages)
		if rule := broken[name]; rule == "" && !v.Valid || rule != "" && (len(v.Violations) != 1 || v.Violations[0].Rule != rule) {
			t.Errorf("%s: %+v", name, v.Violations)
		}
	}
}

// TestVerbatim looks up the contents of messages in the file: blocks, items, arguments and results must be there byte for byte.
func TestVerbatim(t *testing.T) {
	for name, src := range sample(t) {
		a := open(t, src)
		if a.Kind == "codex" && strings.Contains(name, "no-history") {
			continue // its summary is a message that the agent made up, and the file does not hold
		}
		if slices.Contains([]string{"copilot", "letta", "librechat", "llamaindex", "open-webui", "semantic-kernel"}, a.Kind) {
			continue // their messages are made of parts; TestChatTrees has what they say
		}
		var messages []map[string]json.RawMessage
		if err := json.Unmarshal(a.Messages, &messages); err != nil {
			t.Fatal(name, err)
		}
		found := 0
		check := func(v json.RawMessage) {
			found++
			if !bytes.Contains(src, v) {
				t.Errorf("%s: not in the file: %s", name, v)
			}
		}
		for _, m := range messages {
			for key, v := range m {
				switch {
				case key == "role" && a.Kind != "codex", key == "parts":
				case a.Kind == "openhands" && (key == "content" || key == "tool_calls"): // made of what is in the events
					var calls []struct {
						Function struct{ Arguments json.RawMessage }
					}
					_ = json.Unmarshal(v, &calls)
					for _, c := range calls {
						if c.Function.Arguments != nil {
							check(c.Function.Arguments)
						}
					}
				case key == "content" && (a.Kind == "claude-code" || a.Kind == "cline" || a.Kind == "goose" || a.Kind == "pi" || a.Kind == "roo-code"):
					var blocks []map[string]json.RawMessage
					if json.Unmarshal(v, &blocks) != nil {
						check(v)
						continue
					}
					for _, b := range blocks {
						for key, v := range b {
							// Cline has images and files in a shape of its own.
							own := a.Kind == "cline" && (key == "source" || bytes.HasPrefix(v, []byte(`"<file_content`)) || bytes.Contains(v, []byte(`"source"`)))
							// Goose's results are texts in a list, and calls that could not be read have neither a name nor arguments.
							own = own || a.Kind == "goose" && (key == "source" || key == "content" || string(v) == `"unparseable_tool_call"` || string(v) == "{}")
							if key != "type" && !own {
								check(v)
							}
						}
					}
				default:
					check(v)
				}
			}
			var parts []struct {
				FunctionCall     struct{ Args json.RawMessage }
				FunctionResponse json.RawMessage
			}
			_ = json.Unmarshal(m["parts"], &parts)
			for _, p := range parts {
				check(p.FunctionCall.Args)
				check(p.FunctionResponse)
			}
		}
		if found < 4 {
			t.Errorf("%s: only %d values to look for", name, found)
		}
	}
}

func TestErrors(t *testing.T) {
	good := `{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"hi"}}` + "\n"
	for _, c := range []struct {
		name, src string
		code      jsonspan.Code
		offset    int
		message   string
	}{
		{"a database", "SQLite format 3\x00\x10\x00\x01\x01", "unknown_session", 0, "let the agent export the session"},
		{"nothing", "", "unknown_session", 0, "claude-code, cline, codex, copilot, gemini-cli, goose, letta, librechat, llamaindex, open-webui, opencode, openhands, pi, roo-code, semantic-kernel"},
		{"a list of messages", `[{"role":"user","content":"hi"}]`, "unknown_session", 0, ""},
		{"a request body", `{"model":"gpt-5","messages":[{"role":"user","content":"hi"}]}`, "unknown_session", 0, ""},
		{"text", "hello\nworld\n", "unknown_session", 0, ""},
		{"a broken line", good + `{"type":"user",` + "\n" + good, jsonspan.TruncatedJSON, len(good) + 15, "line 2: "},
		{"a broken last line", good + "\n" + `{"type":!}`, jsonspan.InvalidJSON, len(good) + 9, "line 3: "},
		{"two objects in a line", good + `{"type":"x"}{}` + "\n", jsonspan.InvalidJSON, len(good) + 12, "line 2: "},
		{"no object", good + "7\n", jsonspan.WrongType, len(good), "line 2: "},
		{"bytes that are no text", good + "{\"x\":\"\xff\"}\n", jsonspan.InvalidUTF8, len(good) + 6, "line 2: "},
		{"a message that is no object", good + `{"type":"user","message":7}` + "\n", jsonspan.WrongType, len(good) + 25, "line 2: "},
		{"content that is a number", good + `{"type":"user","message":{"content":7}}` + "\n", jsonspan.WrongType, len(good) + 36, "content"},
		{"a block that is a string", good + `{"type":"user","message":{"content":["x"]}}` + "\n", jsonspan.WrongType, len(good) + 37, "object"},
		{"too deep", good + `{"x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "}\n", jsonspan.TooDeep, len(good) + 5 + 511, "line 2: "},
		{"an item that is a string", `{"type":"response_item","payload":"x"}`, jsonspan.WrongType, 34, "line 1: "},
		{"a part that is a string", `{"type":"session","id":"x","timestamp":"","cwd":""}` + "\n" +
			`{"type":"message","message":{"role":"assistant","content":["x"]}}`, jsonspan.WrongType, 111, "line 2: "},
		{"a message of Gemini CLI that is a string", `{"sessionId":"x","projectHash":"y","messages":["x"]}`, jsonspan.WrongType, 47, ""},
		{"lines of a task that the user sees", `[{"ts":1,"type":"say","say":"text","text":"hi"}]`, "unknown_session", 0, "api_conversation_history.json"},
		{"an item of a task that is a string", `[{"role":"user","content":"hi","ts":1},"x"]`, jsonspan.WrongType, 39, ""},
		{"a block of a task that is a string", `[{"role":"user","content":["x"],"ts":1}]`, jsonspan.WrongType, 27, ""},
		{"content of a task that is a number", `[{"role":"user","content":7,"ts":1}]`, jsonspan.WrongType, 26, ""},
		{"a list that is cut off", `[{"role":"user","content":"hi","ts":1}`, jsonspan.TruncatedJSON, 38, ""},
		{"a trajectory with info and messages", `{"info":{"exit_status":"Submitted"},"messages":[{"role":"user","content":"hi"}]}`, "unknown_session", 0, ""},
		{"a message of opencode that is a string", `{"info":{"id":"ses_1"},"messages":["x"]}`, jsonspan.WrongType, 35, ""},
		{"parts of opencode that are a text", `{"info":{"id":"ses_1"},"messages":[{"info":{},"parts":"x"}]}`, jsonspan.WrongType, 54, ""},
		{"a part of opencode that is a text", `{"info":{"id":"ses_1"},"messages":[{"info":{},"parts":["x"]}]}`, jsonspan.WrongType, 55, ""},
		{"one object, cut off", "{\"sessionId\":\"x\",\n\"projectHash\":\"y\",\"messages\":[{\"type\":", "unknown_session", 0, ""},
	} {
		_, err := sessionfile.Open([]byte(c.src))
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		if err.Code != c.code || err.Offset != c.offset || !strings.Contains(err.Message, c.message) {
			t.Errorf("%s: %s at %d: %s; want %s at %d: …%s…", c.name, err.Code, err.Offset, err.Message, c.code, c.offset, c.message)
		}
		if a := open(t, []byte(c.src)); a.Error == nil || a.Error.Offset != c.offset {
			t.Errorf("%s: the operation says %+v", c.name, a.Error)
		}
	}
}

// TestUnfinishedLine truncates the sample files at every position of their last line. Everything before that line is still read.
func TestUnfinishedLine(t *testing.T) {
	for name, src := range sample(t) {
		if strings.HasSuffix(name, ".json") {
			continue // one value that is rewritten every time
		}
		src = src[:bytes.LastIndexByte(src, '\n')+1]
		last := bytes.LastIndexByte(src[:len(src)-1], '\n') + 1
		want := open(t, src[:last])
		for end := last + 1; end < len(src)-1; end++ {
			a := open(t, src[:end])
			if a.Error != nil {
				t.Fatalf("%s: cut at %d: %+v", name, end, a.Error)
			}
			if !bytes.Equal(a.Messages, want.Messages) || a.skipped("unfinished_line") != 1 {
				t.Fatalf("%s: cut at %d: %+v %s", name, end, a.Skipped, a.Messages)
			}
		}
	}
}

// TestRightAfterCompaction truncates the samples directly after a compaction: the kept messages are read, and the provider's earlier counts
// are ignored.
func TestRightAfterCompaction(t *testing.T) {
	files := sample(t)
	count := `{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":9000,"output_tokens":5}}}}`
	for _, c := range []struct {
		name  string
		lines int
		more  string
		roles string
	}{
		{"claude-code.jsonl", 9, "", "user"},
		{"claude-code-stream.jsonl", 5, "", "user"},
		{"claude-code-kept.jsonl", 10, "", "user user assistant user"},
		{"codex.jsonl", 12, count, "user assistant user developer user none"},
		{"codex-no-history.jsonl", 8, count, "user user user"},
		{"pi-v1.jsonl", 9, "", "compaction_summary user assistant tool_result"},
		{"pi-v3.jsonl", 8, "", "compaction_summary user assistant tool_result"},
	} {
		lines := bytes.SplitAfter(files[c.name], []byte("\n"))[:c.lines]
		a := open(t, append(bytes.Join(lines, nil), c.more...))
		var messages []struct{ Role string }
		if err := json.Unmarshal(a.Messages, &messages); err != nil {
			t.Fatalf("%s: %v %+v", c.name, err, a.Error)
		}
		var roles []string
		for _, m := range messages {
			if m.Role == "" {
				m.Role = "none"
			}
			roles = append(roles, m.Role)
		}
		if got := strings.Join(roles, " "); got != c.roles || a.Usage != nil {
			t.Errorf("%s: roles %s, usage %+v", c.name, got, a.Usage)
		}
	}
}

// TestDocumented checks that the documentation for hosts lists the kinds of files, and the content of the samples that is omitted.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/abi.md")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"duplicate"}
	for _, k := range sessionfile.Kinds() {
		names = append(names, k.Name, k.Format)
	}
	for _, src := range sample(t) {
		a := open(t, src)
		for _, s := range a.Skipped {
			names = append(names, s.What)
		}
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/reference/abi.md does not name `%s`", name)
		}
	}
}

// TestForms opens files with the same content in different bytes.
func TestForms(t *testing.T) {
	for name, src := range sample(t) {
		want := open(t, src)
		crlf := bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))
		for form, src := range map[string][]byte{
			"byte order mark": append([]byte("\xef\xbb\xbf"), src...),
			"blank lines":     append([]byte("\n \n"), bytes.ReplaceAll(src, []byte("\n"), []byte("\n\n"))...),
			"CRLF":            crlf,
		} {
			a := open(t, src)
			if a.Kind != want.Kind || len(a.Skipped) != len(want.Skipped) || !bytes.Equal(compact(t, a.Messages), compact(t, want.Messages)) {
				t.Errorf("%s with %s: %+v", name, form, a)
			}
		}
	}
}

func compact(t *testing.T, src []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, src); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEscapedIDs writes every id in the samples with escapes, which must not make a difference.
func TestEscapedIDs(t *testing.T) {
	for name, src := range sample(t) {
		want := open(t, src)
		escaped := slices.Clone(src)
		for _, key := range []string{"uuid", "parentUuid", "id", "parentId", "firstKeptEntryId", "headUuid", "tailUuid"} {
			escaped = bytes.ReplaceAll(escaped, []byte(`"`+key+`":"u`), []byte(`"`+key+`":"\u0075`))
			escaped = bytes.ReplaceAll(escaped, []byte(`"`+key+`":"e0`), []byte(`"`+key+`":"\u00650`))
		}
		a := open(t, escaped)
		if !bytes.Equal(a.Messages, want.Messages) {
			t.Errorf("%s: %s", name, a.Messages)
		}
	}
}

// Newer pi files contain the system prompt, and edits of earlier entries.
func TestPiPromptAndEdits(t *testing.T) {
	lines := []string{
		`{"type":"session","version":3,"id":"c0de","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}`,
		`{"type":"message","id":"a","parentId":null,"message":{"role":"system","content":"Be kind.","sections":{"cwd":"/","skills":"none"}}}`,
		`{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"One."}}`,
		`{"type":"message","id":"c","parentId":"b","message":{"role":"assistant","content":[{"type":"text","text":"1"}]}}`,
		`{"type":"message","id":"d","parentId":"c","message":{"role":"user","content":"Two."}}`,
		`{"type":"context_edit","id":"e","parentId":"d","targetId":"b","replacement":{"content":"Uno."}}`,
		`{"type":"context_edit","id":"f","parentId":"e","targetId":"c","replacement":{"content":"I"}}`,
		`{"type":"context_edit","id":"g","parentId":"f","targetId":"d","replacement":null}`,
		`{"type":"message","id":"h","parentId":"g","message":{"role":"system","content":"And brief.","sections":{"skills":null,"cwd":"/home"}}}`,
		`{"type":"message","id":"i","parentId":"h","message":{"role":"user","content":"Three."}}`,
	}
	file := []byte(strings.Join(lines, "\n") + "\n")
	a := open(t, file)
	if a.System != "Be kind.\n\nAnd brief.\n\n/home" {
		t.Errorf("system prompt %q", a.System)
	}
	want := `[{"role":"user","content":"Uno."},{"role":"assistant","content":[{"type":"text","text":"I"}]},{"role":"user","content":"Three."}]`
	if string(a.Messages) != want || a.skipped("excluded") != 1 {
		t.Errorf("%s, %+v", a.Messages, a.Skipped)
	}
	digest := `{"role":"user","content":"It was about numbers."},`
	next := checkSaved(t, file, []byte(`[`+digest+`{"role":"assistant","content":[{"type":"text","text":"I"}]},{"role":"user","content":"Three."}]`))
	checkSaved(t, next, []byte(`[`+digest+`{"role":"assistant","content":[{"type":"text","text":"changed"}]},{"role":"user","content":"Three."}]`))
	checkSaved(t, file, []byte(`[{"role":"assistant","content":[{"type":"text","text":"I"}]},{"role":"user","content":"Three."}]`))
	one := []byte(strings.Join(lines[:8], "\n") + "\n") // a single system message goes along
	if b := open(t, checkSaved(t, one, []byte(`[`+digest+`{"role":"user","content":"Four."}]`))); b.System != "Be kind.\n\n/\n\nnone" {
		t.Errorf("system prompt %q", b.System)
	}
}

// Edits must have the same effect as in pi's own projection: an omitting edit removes any entry that it names; a replacing edit changes the
// content of messages only, and adds content to a message that had none.
func TestPiEditsOfOtherEntries(t *testing.T) {
	file := func(edits ...string) []byte {
		lines := []string{
			`{"type":"session","version":3,"id":"c0de","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}`,
			`{"type":"message","id":"a","parentId":null,"message":{"role":"system","content":"Be kind."}}`,
			`{"type":"branch_summary","id":"b","parentId":"a","timestamp":"2026-03-01T10:00:00.000Z","fromId":"root","summary":"Boats."}`,
			`{"type":"message","id":"c","parentId":"b","message":{"role":"user","content":[]}}`,
			`{"type":"message","id":"d","parentId":"c","message":{"role":"user","content":null}}`,
			`{"type":"message","id":"e","parentId":"d","message":{"role":"user","content":"One."}}`,
		}
		for i, e := range edits {
			lines = append(lines, fmt.Sprintf(`{"type":"context_edit","id":"x%d","parentId":"%s",%s}`, i, []string{"e", "x0", "x1", "x2"}[i], e))
		}
		return []byte(strings.Join(lines, "\n") + "\n")
	}
	const branch, one = `{"role":"branch_summary","from_id":"root","summary":"Boats."}`, `{"role":"user","content":"One."}`
	for _, c := range []struct {
		name, system, messages string
		edits                  []string
	}{
		{"no edit", "Be kind.", branch + "," + one, nil},
		{"a branch summary that is omitted", "Be kind.", one, []string{`"targetId":"b","replacement":null`}},
		{"a branch summary has no content", "Be kind.", branch + "," + one, []string{`"targetId":"b","replacement":{"content":"no"}`}},
		{"a system message that is omitted", "", branch + "," + one, []string{`"targetId":"a","replacement":null`}},
		{"an empty message gets content", "Be kind.", branch + `,{"role":"user","content":"Two."},` + one, []string{`"targetId":"c","replacement":{"content":"Two."}`}},
		{"content that is null gets content", "Be kind.", branch + `,{"role":"user","content":"Two."},` + one, []string{`"targetId":"d","replacement":{"content":"Two."}`}},
		{"a message loses its content", "Be kind.", branch, []string{`"targetId":"e","replacement":{"content":[]}`}},
		{"the newest edit counts", "Be kind.", branch + `,{"role":"user","content":"Three."}`,
			[]string{`"targetId":"e","replacement":null`, `"targetId":"e","replacement":{"content":"Three."}`}},
	} {
		a := open(t, file(c.edits...))
		if a.Error != nil || string(a.Messages) != "["+c.messages+"]" || a.System != c.system {
			t.Errorf("%s: system %q, %s %+v", c.name, a.System, a.Messages, a.Error)
		}
	}
	// The summary of a compaction, with the system message that it brings.
	cut := append(file(), `{"type":"compaction","id":"f","parentId":"e","timestamp":"2026-03-01T10:00:00.000Z","summary":"So far.","firstKeptEntryId":"e","systemMessage":{"role":"system","content":"Be brief."}}`+"\n"...)
	if a := open(t, cut); string(a.Messages) != `[{"role":"compaction_summary","summary":"So far."},`+one+`]` || a.System != "Be brief." {
		t.Errorf("system %q, %s", a.System, a.Messages)
	}
	cut = append(cut, `{"type":"context_edit","id":"g","parentId":"f","targetId":"f","replacement":null}`+"\n"...)
	if a := open(t, cut); string(a.Messages) != "["+one+"]" || a.System != "" {
		t.Errorf("system %q, %s", a.System, a.Messages)
	}
}

// Cline has the same list as Roo Code, but keeps track of truncated messages in another file, so such a list can be read but not written.
func TestClineTaskIsNotWritten(t *testing.T) {
	file := []byte(`[{"role":"user","content":[{"type":"text","text":"One."}],"ts":1},
		{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"","summary":[]},{"type":"text","text":"1","reasoning_details":[],"call_id":"r"}],
		 "id":"r","modelInfo":{"modelId":"claude-opus-4-5","providerId":"anthropic","mode":"act"},"metrics":{"tokens":{"prompt":9}},"ts":2},
		{"role":"user","content":"Two.","ts":3}]`)
	a := open(t, file)
	want := `[{"role":"user","content":[{"type":"text","text":"One."}]},{"role":"assistant","content":[{"type":"text","text":"1"}]},{"role":"user","content":"Two."}]`
	if a.Kind != "roo-code" || a.Model != "claude-opus-4-5" || string(a.Messages) != want {
		t.Errorf("%s, model %q: %s", a.Kind, a.Model, a.Messages)
	}
	if _, s := save(t, file, []byte(`[{"role":"user","content":"Two."}]`)); s.Error == nil || s.Error.Code != "cannot_save" || !strings.Contains(s.Error.Message, "Cline") {
		t.Errorf("%+v", s.Error)
	}
}

// In newer files of Gemini CLI, the content of an answer is complete.
func TestGeminiContentIsWhole(t *testing.T) {
	file := []byte(`{"sessionId":"s","projectHash":"p"}
{"id":"1","type":"user","content":[{"text":"Read a."}]}
{"id":"2","type":"gemini","content":[{"text":"Hm.","thought":true,"thoughtSignature":"x"},{"functionCall":{"id":"c","name":"read","args":{}},"thoughtSignature":"y"}],"thoughts":[{"subject":"","description":"Hm."}],"toolCalls":[{"id":"c","name":"read","args":{},"result":[{"functionResponse":{"id":"c","name":"read","response":{"output":"a"}}}]}]}
`)
	want := `[{"role":"user","parts":[{"text":"Read a."}]},{"role":"model","parts":[{"text":"Hm.","thought":true,"thoughtSignature":"x"},{"functionCall":{"id":"c","name":"read","args":{}},"thoughtSignature":"y"}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"c","name":"read","response":{"output":"a"}}}]}]`
	if a := open(t, file); string(a.Messages) != want {
		t.Errorf("%s", a.Messages)
	}
}

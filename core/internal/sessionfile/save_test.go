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
	"github.com/ctxfold/ctxfold/core/internal/sessionfile"
	"github.com/ctxfold/ctxfold/internal/testing/steps"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

type saved struct {
	Kind  string
	Kept  int
	Text  string
	Error *struct{ Code, Message, Path string }
}

// save writes messages into a session file and returns the new one.
func save(t *testing.T, file []byte, messages []byte) (next []byte, a saved) {
	t.Helper()
	src, _ := json.Marshal(string(file))
	request := fmt.Appendf(nil, `{"file":%s,"tokens":1234,"time":"2026-11-22T08:00:00.000Z","messages":%s}`, src, messages)
	out := core.Call("save", request)
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatal(err)
	}
	if a.Error != nil {
		return nil, a
	}
	if again := core.Call("save", request); !bytes.Equal(out, again) {
		t.Error("the same request is answered in two ways")
	}
	return append(slices.Clone(file[:a.Kept]), a.Text...), a
}

// summaryOf returns the text of a pi message if a compaction's summary could hold it.
func summaryOf(m record) (string, bool) {
	if m["role"] == "compaction_summary" {
		return text(m["summary"]), true
	}
	if s, ok := m["content"].(string); ok && m["role"] == "user" {
		return s, true
	}
	return "", false
}

// sameMessages compares the saved messages with those that are opened again. In a pi file the digest is a summary, the contents of tool
// results are lists, and every message has a time. In a Gemini CLI file consecutive messages of one role are merged, in a Roo Code file
// those of the user, and in a Goose file those of either role. In an opencode file all ids are new.
func sameMessages(t *testing.T, kind string, want, got []byte) {
	t.Helper()
	if kind == "gemini-cli" || kind == "opencode" || kind == "roo-code" || kind == "cline" || kind == "openhands" || kind == "goose" || chat[kind] {
		if w, g := said(t, kind, want), said(t, kind, got); !slices.Equal(w, g) {
			t.Errorf("%d parts, want %d", len(g), len(w))
		}
		return
	}
	w, g := list(t, want), list(t, got)
	if len(w) != len(g) {
		t.Errorf("%d messages, want %d", len(g), len(w))
		return
	}
	for i := range w {
		if bytes.Equal(w[i], g[i]) {
			continue
		}
		var a, b record
		if json.Unmarshal(w[i], &a) != nil || json.Unmarshal(g[i], &b) != nil {
			t.Fatal("no JSON")
		}
		if kind == "pi" {
			s, ok := summaryOf(a)
			if o, is := summaryOf(b); i == 0 && ok && is && s == o {
				continue
			}
			for _, m := range []record{a, b} {
				delete(m, "timestamp")
				if s, ok := m["content"].(string); ok && m["role"] != "user" {
					m["content"] = []any{record{"type": "text", "text": s}}
				}
			}
		}
		if spell(a) != spell(b) {
			t.Errorf("message %d is %.300s, want %.300s", i, spell(b), spell(a))
		}
	}
}

// checkSaved saves messages and opens the file again, by our code and by the rules of the agent.
func checkSaved(t *testing.T, file, messages []byte) []byte {
	t.Helper()
	next, a := save(t, file, messages)
	if a.Error != nil {
		t.Fatalf("%+v", a.Error)
	}
	b := open(t, next)
	if b.Error != nil {
		t.Fatalf("%+v", b.Error)
	}
	sameMessages(t, a.Kind, messages, b.Messages)
	if b.Usage != nil {
		t.Errorf("usage %+v is of what is gone", b.Usage)
	}
	if was := open(t, file); b.System != was.System || b.Format != was.Format {
		t.Errorf("format %s, want %s", b.Format, was.Format)
	}
	// A file of lines is continued: its content stays, except for an incomplete last line.
	if whole := bytes.TrimRight(file, "\r\n"); whole[0] != '[' && a.Kind != "opencode" && a.Kind != "cline" && !chat[a.Kind] && a.Kind != "gemini-cli" && a.Kind != "goose" && !((a.Kind == "pi" || a.Kind == "openhands") && a.Kept == 0) && a.Kept < bytes.LastIndexByte(whole, '\n') {
		t.Errorf("%d bytes of %d are kept", a.Kept, len(file))
	}
	for _, r := range records(t, []byte(a.Text)) {
		for _, key := range []string{"uuid", "id"} {
			if id := text(r[key]); id != "" && a.Kept > 0 && bytes.Contains(file, []byte(spell(id))) {
				t.Errorf("the new line %s has an id that the file has already", id)
			}
		}
	}
	if resume := resumes[a.Kind]; resume != nil {
		if want, got := said(t, a.Kind, messages), resume(t, next); !slices.Equal(want, got) {
			for i := range min(len(want), len(got)) {
				if want[i] != got[i] {
					t.Fatalf("the agent resumes with\n%.300s\nin place %d, want\n%.300s", got[i], i, want[i])
				}
			}
			t.Errorf("the agent resumes with %d pieces, want %d", len(got), len(want))
		}
	}
	if again, _ := save(t, next, b.Messages); !bytes.Equal(again, next) {
		t.Error("saving what is there already changes the file")
	}
	return next
}

// policies compact in all the ways that a file must represent: folded, cleared, and both with reasoning stripped.
var policies = []string{
	`{"preset":"default","format":%q,"window":{"tokens":%d,"reserve":0},"summary":{"mode":"local"}}`,
	`{"format":%q,"window":{"tokens":%d,"reserve":0},"passes":[{"pass":"clear","keep_recent":1}]}`,
	`{"format":%q,"window":{"tokens":%d,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"reasoning"},{"pass":"fold","keep_tokens":2000}]}`,
	`{"format":%q,"window":{"tokens":%d,"reserve":0},"passes":[{"pass":"drop"}]}`,
}

func checkFile(t *testing.T, file []byte) {
	a := open(t, file)
	var size struct{ Tokens int }
	if err := json.Unmarshal(core.Call("estimate", fmt.Appendf(nil, `{"policy":{"format":%q},"messages":%s}`, a.Format, a.Messages)), &size); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i, policy := range policies {
		for k, percent := range []int{60, 20} {
			if !trials.Covers(len(file), (2*i+(i/2+k)%2)%4, 4) { // in make test two policies, each with another share
				continue
			}
			result, _ := compacts(t, true, fmt.Sprintf(policy, a.Format, max(size.Tokens*percent/100, 64)), a.Messages)
			if bytes.Equal(result, a.Messages) {
				continue
			}
			changed++
			next := checkSaved(t, file, result)
			// Save the next compaction of the new file too.
			b := open(t, next)
			again, _ := compacts(t, true, fmt.Sprintf(policy, a.Format, max(size.Tokens*percent/300, 64)), b.Messages)
			if !bytes.Equal(again, b.Messages) {
				checkSaved(t, next, again)
			}
		}
	}
	if changed == 0 {
		t.Error("nothing was compacted")
	}
}

// TestSaveRealFiles saves compacted messages into real session files.
func TestSaveRealFiles(t *testing.T) {
	for name, src := range real(t) {
		t.Run(name, func(t *testing.T) { checkFile(t, src) })
	}
}

func TestSaveSampleFiles(t *testing.T) {
	names, _ := filepath.Glob("../../../testdata/sessions/*.json*")
	for _, name := range names {
		if strings.HasSuffix(name, ".golden.json") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			a := open(t, src)
			messages := list(t, a.Messages)
			if a.Kind == "copilot" || a.Kind == "letta" {
				if _, s := save(t, src, []byte(`[{"role":"user","content":"a"}]`)); s.Error == nil || s.Error.Code != "cannot_save" {
					t.Errorf("it is saved: %+v", s)
				}
				return
			}
			next, s := save(t, src, a.Messages)
			if !bytes.Equal(next, src) || s.Text != "" {
				t.Errorf("a file that says this already changes: %q", s.Text)
			}
			// The newest half after a digest; all messages after a digest; the newest half alone; only the digest.
			digest := map[string]string{
				"claude-code": `{"role":"user","content":[{"type":"text","text":"It was \"about\" boats."}]}`,
				"cline":       `{"role":"user","content":"It was \"about\" boats."}`,
				"codex":       `{"type":"message","role":"user","content":[{"type":"input_text","text":"It was \"about\" boats."}]}`,
				"gemini-cli":  `{"role":"user","parts":[{"text":"It was \"about\" boats."}]}`,
				"goose":       `{"role":"user","content":"It was \"about\" boats."}`,
				"pi":          `{"role":"user","content":"It was \"about\" boats."}`,
				"opencode":    `{"role":"user","parts":[{"type":"text","text":"It was \"about\" boats."}]}`,
				"openhands":   `{"role":"user","content":"It was \"about\" boats."}`,
				"roo-code":    `{"role":"user","content":"It was \"about\" boats."}`,
				"librechat":   `{"role":"user","content":"It was \"about\" boats."}`,
				"open-webui":  `{"role":"user","content":"It was \"about\" boats."}`,
				"llamaindex":  `{"role":"user","content":"It was \"about\" boats."}`,

				"semantic-kernel": `{"role":"user","content":"It was \"about\" boats."}`,
			}[a.Kind]
			half := messages[len(messages)/2:]
			for _, m := range [][]json.RawMessage{slices.Concat([]json.RawMessage{json.RawMessage(digest)}, half), half, {json.RawMessage(digest)}} {
				if a.Kind == "pi" && bytes.Contains(m[0], []byte(`"branch_summary"`)) {
					continue
				}
				text, _ := json.Marshal(m)
				checkSaved(t, src, text)
			}
		})
	}
}

// Content that a file can't hold is an error, and is not omitted.
func TestSaveRefuses(t *testing.T) {
	src, err := os.ReadFile("../../../testdata/sessions/pi-v3.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(string(src))
	for _, c := range []struct{ request, code, path string }{
		{`{"file":%s,"messages":[{"role":"user","content":"a"},{"role":"compaction_summary","summary":"b"}]}`, "cannot_save", "messages"},
		{`{"file":%s,"messages":[]}`, "no_messages", "messages"},
		{`{"file":%s}`, "missing_field", ""},
		{`{"messages":[{"role":"user","content":"a"}]}`, "missing_field", ""},
		{`{"file":"[]","messages":[{"role":"user","content":"a"}]}`, "unknown_session", "file"},
		{`{"file":7,"messages":[{"role":"user","content":"a"}]}`, "wrong_type", "file"},
		{`{"file":%s,"messages":[7]}`, "wrong_type", "messages[0]"},
		{`{"file":%s,"messages":[{"role":"user","content":"a"}],"time":"now"}`, "out_of_range", "time"},
		{`{"file":%s,"messages":[{"role":"user","content":"a"}],"tokens":-1}`, "out_of_range", "tokens"},
	} {
		request := c.request
		if strings.Contains(request, "%s") {
			request = fmt.Sprintf(request, quoted)
		}
		var a saved
		if err := json.Unmarshal(core.Call("save", []byte(request)), &a); err != nil || a.Error == nil || a.Error.Code != c.code || a.Error.Path != c.path {
			t.Errorf("%.60s: %+v %v", c.request, a.Error, err)
		}
	}
}

func TestMillis(t *testing.T) {
	for text, want := range map[string]int64{
		"1970-01-01T00:00:00Z": 0, "2026-03-01T10:00:28.000Z": 1772359228000, "2024-02-29T23:59:59.5Z": 1709251199500,
		"2000-12-31T00:00:00.123456Z": 978220800123, "": -1, "2026-03-01": -1, "2026-13-01T00:00:00Z": -1, "2026-03-01T10:00:28.000+01:00": -1,
		"2026-03-01T10:00:28.Z": -1, "2026-03-01T10:00:28.1x3Z": -1, "1969-01-01T00:00:00Z": -1, "2026-03-0:T10:00:28Z": -1,
	} {
		if got := sessionfile.Millis(text); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// Saving costs as much as reading, however long the file is and however much of it changes.
func TestSaveIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds core with counters")
	}
	counter := steps.Start(t)
	for _, kind := range []string{"claude-code", "pi", "gemini-cli", "codex", "roo-code", "opencode", "cline", "openhands", "goose", "librechat", "open-webui", "llamaindex", "semantic-kernel"} {
		t.Run(kind, func(t *testing.T) {
			answer := counter.Linear(t, "save", 1000, func(n int) []byte {
				file, messages := long(kind, n)
				quoted, err := json.Marshal(string(file))
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Appendf(nil, `{"file":%s,"messages":%s}`, quoted, messages)
			})
			if bytes.HasPrefix(answer, []byte(`{"error"`)) {
				t.Errorf("%.300s", answer)
			}
		})
	}
}

// long returns a session file of n messages, and a possible result of a compaction: a digest, and every second message reworded.
func long(kind string, n int) (file, messages []byte) {
	var f, m bytes.Buffer
	m.WriteString(map[string]string{
		"codex":      `[{"type":"message","role":"user","content":[{"type":"input_text","text":"So far."}]}`,
		"gemini-cli": `[{"role":"user","parts":[{"text":"So far."}]}`,
		"opencode":   `[{"role":"user","parts":[{"type":"text","text":"So far."}]}`,
	}[kind])
	if m.Len() == 0 {
		m.WriteString(`[{"role":"user","content":"So far."}`)
	}
	line := func(format string, args ...any) { fmt.Fprintf(&f, format+"\n", args...) }
	switch kind {
	case "pi":
		line(`{"type":"session","version":3,"id":"c","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}`)
	case "gemini-cli":
		line(`{"sessionId":"s","projectHash":"p"}`)
	case "opencode":
		line(`{"info":{"id":"ses_1"},"messages":[`)
	case "goose":
		line(`{"working_dir":"/","conversation":`)
	case "open-webui":
		line(`{"title":"t","chat":{"history":{"currentId":"m%d","messages":{`, n-1)
	case "cline":
		line(`{"version":1,"updated_at":"2026-03-01T10:00:00.000Z","agent":"lead","sessionId":"s","messages":`)
	}
	for i := range n {
		said := fmt.Sprintf("Message %d.", i)
		left := said
		if i%2 == 0 {
			left = "Less."
		}
		role := []string{"user", "assistant"}[i%2]
		switch kind {
		case "claude-code":
			line(`{"type":%q,"uuid":"u%d","parentUuid":"u%d","sessionId":"s","message":{"id":"m%d","role":%q,"content":[{"type":"text","text":%q}]}}`, role, i, i-1, i, role, said)
			fmt.Fprintf(&m, `,{"role":%q,"content":[{"type":"text","text":%q}]}`, role, left)
		case "pi":
			line(`{"type":"message","id":"e%d","parentId":"e%d","message":{"role":%q,"content":[{"type":"text","text":%q}]}}`, i, i-1, role, said)
			fmt.Fprintf(&m, `,{"role":%q,"content":[{"type":"text","text":%q}]}`, role, left)
		case "gemini-cli":
			line(`{"id":"g%d","type":%q,"content":%q}`, i, []string{"user", "gemini"}[i%2], said)
			fmt.Fprintf(&m, `,{"role":%q,"parts":[{"text":%q}]}`, []string{"user", "model"}[i%2], left)
		case "codex":
			line(`{"timestamp":"2026-03-01T10:00:00.000Z","type":"response_item","payload":{"type":"message","role":%q,"content":[{"type":"input_text","text":%q}]}}`, role, said)
			fmt.Fprintf(&m, `,{"type":"message","role":%q,"content":[{"type":"input_text","text":%q}]}`, role, left)
		case "openhands":
			line(`{"id":"e%d","timestamp":"2026-03-01T10:00:00","source":%q,"llm_message":{"role":%q,"content":[{"type":"text","text":%q}]},"kind":"MessageEvent"}`, i, role, role, said)
			fmt.Fprintf(&m, `,{"role":%q,"content":%q}`, role, left)
		case "opencode":
			line(`%c{"info":{"id":"msg_%d","role":%q,"model":{"providerID":"p","modelID":"m"},"providerID":"p","modelID":"m"},"parts":[{"type":"text","text":%q}]}`, " ,"[min(i, 1)], i, role, said)
			fmt.Fprintf(&m, `,{"id":"msg_%d","role":%q,"parts":[{"type":"text","text":%q}]}`, i, role, left)
		case "goose":
			line(`%c{"id":"g%d","role":%q,"created":%d,"content":[{"type":"text","text":%q}],"metadata":{"userVisible":true,"agentVisible":true}}`, "[,"[min(i, 1)], i, role, i+1, said)
			fmt.Fprintf(&m, `,{"role":%q,"content":[{"type":"text","text":%q}]}`, role, left)
		case "librechat":
			line(`%c{"messageId":"m%d","parentMessageId":"m%d","conversationId":"c","isCreatedByUser":%t,"text":%q}`, "[,"[min(i, 1)], i, i-1, i%2 == 0, said)
			fmt.Fprintf(&m, `,{"role":%q,"content":%q}`, role, left)
		case "open-webui":
			line(`%c"m%d":{"id":"m%d","parentId":"m%d","role":%q,"content":%q}`, " ,"[min(i, 1)], i, i, i-1, role, said)
			fmt.Fprintf(&m, `,{"role":%q,"content":%q}`, role, left)
		case "llamaindex":
			line(`%c{"role":%q,"additional_kwargs":{},"blocks":[{"block_type":"text","text":%q}]}`, "[,"[min(i, 1)], role, said)
			fmt.Fprintf(&m, `,{"role":%q,"content":%q}`, role, left)
		case "semantic-kernel":
			line(`%c{"Role":{"Label":%q},"Items":[{"$type":"TextContent","Text":%q}]}`, "[,"[min(i, 1)], role, said)
			fmt.Fprintf(&m, `,{"role":%q,"content":%q}`, role, left)
		case "roo-code", "cline":
			line(`%c{"role":%q,"content":%q,"ts":%d}`, "[,"[min(i, 1)], role, said, i+1)
			fmt.Fprintf(&m, `,{"role":%q,"content":%q}`, role, left)
		}
	}
	switch kind {
	case "opencode":
		line(`]}`)
	case "roo-code", "librechat", "llamaindex", "semantic-kernel":
		line("]")
	case "open-webui":
		line("}}}}")
	case "cline", "goose":
		line("]}")
	}
	return f.Bytes(), append(m.Bytes(), ']')
}

// Entries of unchanged messages keep everything that the agent has recorded in them; folded messages are gone.
func TestSaveTakesEntriesOver(t *testing.T) {
	const digest = `{"role":"user","parts":[{"text":"It was about boats."}]}`
	entry := func(n int, typ string) string {
		return fmt.Sprintf(`{"id":"%s-%d","timestamp":"2026-03-01T10:00:%02d.000Z","type":%q,"content":"said %d","note":"noted %d"}`, typ, n, n, typ, n, n)
	}
	src := []byte(`{"sessionId":"s","projectHash":"p","startTime":"2026-03-01T10:00:00.000Z","lastUpdated":"2026-03-01T10:00:09.000Z","messages":[` +
		strings.Join([]string{entry(1, "user"), entry(2, "gemini"), entry(3, "user"), entry(4, "gemini"), entry(5, "user")}, ",") + `]}`)
	messages := list(t, open(t, src).Messages)
	text, _ := json.Marshal(append([]json.RawMessage{json.RawMessage(digest)}, messages[2:]...))
	next, a := save(t, src, text)
	if a.Error != nil {
		t.Fatalf("%+v", a.Error)
	}
	for n, stays := range map[int]bool{1: false, 2: false, 3: true, 4: true, 5: true} {
		if bytes.Contains(next, fmt.Appendf(nil, `"note":"noted %d"`, n)) != stays {
			t.Errorf("the entry of message %d: stays is not %t in %s", n, stays, next)
		}
	}
}

package sessionfile_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/sessionfile"
	"github.com/ctxfold/ctxfold/internal/testing/steps"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

func repeat(n int, line func(i int) string) []byte {
	var b bytes.Buffer
	for i := range n {
		b.WriteString(line(i))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// items returns a function that makes the lines of a list of n items.
func items(n int, item func(i int) string) func(i int) string {
	return func(i int) string {
		return "[,"[min(i, 1):min(i, 1)+1] + item(i) + map[bool]string{true: "]"}[i == n-1]
	}
}

// ocItems returns a function that makes the lines of an export of opencode.
func ocItems(n int, item func(i int) string) func(i int) string {
	return func(i int) string {
		return map[bool]string{true: `{"info":{"id":"ses_1"},"messages":[`, false: ","}[i == 0] + item(i) + map[bool]string{true: "]}"}[i == n-1]
	}
}

// hostile is a session file of n lines that is designed to be slow or to loop.
type hostile struct {
	name  string
	line  func(i int) string
	count int // messages of the result
}

func hostiles(n int) []hostile {
	id := strconv.Itoa
	cc := func(uuid, parent, message string) string {
		return `{"type":"user","uuid":"` + uuid + `","parentUuid":"` + parent + `","message":` + message + `}`
	}
	hi := `{"role":"user","content":"hi"}`
	boundary := func(i int, more string) string {
		return `{"type":"system","subtype":"compact_boundary","uuid":"b` + id(i) + `","parentUuid":null` + more + `}`
	}
	header := `{"type":"session","id":"s","timestamp":"","cwd":""}`
	first := func(head string, line func(i int) string) func(i int) string {
		return func(i int) string {
			if i == 0 {
				return head
			}
			return line(i)
		}
	}
	return []hostile{
		{"a chain", func(i int) string { return cc(id(i), id(i-1), hi) }, n},
		{"a chain backwards", func(i int) string { return cc(id(i), id(i+1), hi) }, 1},
		{"one uuid", func(i int) string { return cc("x", "x", hi) }, n},
		{"its own parent", func(i int) string { return cc(id(i), id(i), hi) }, 1},
		{"cycles of two", func(i int) string { return cc(id(i), id(i^1), hi) }, 2},
		{"long ids", func(i int) string {
			p := strings.Repeat("x", 300)
			return cc(p+id(i), p+id(i-1), hi)
		}, n},
		{"compactions", func(i int) string {
			if i%2 == 0 {
				return boundary(i, `,"compactMetadata":{"preservedSegment":{"headUuid":"1","anchorUuid":"b`+id(i)+`","tailUuid":"`+id(i-1)+`"}}`)
			}
			return cc(id(i), "b"+id(i-1), hi)
		}, 2},
		{"a compaction that keeps a cycle", func(i int) string {
			if i == n/2 {
				return boundary(i, `,"compactMetadata":{"preservedMessages":{"anchorUuid":"5","uuids":["5","5","7","6","none"]}}`)
			}
			return cc(id(i), id(i-1), hi)
		}, n/2 + 2},
		{"one message in many lines", func(i int) string {
			return `{"type":"assistant","uuid":"` + id(i) + `","parentUuid":"` + id(i-1) + `","message":{"id":"m","content":[{"type":"text","text":"x"}]}}`
		}, 1},
		{"one call, many results", func(i int) string {
			if i == 0 {
				return `{"type":"assistant","uuid":"0","parentUuid":null,"message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}}`
			}
			return cc(id(i), id(i-1), `{"content":[{"type":"tool_result","tool_use_id":"t"}]}`)
		}, 2},
		{"codex: turns taken back", func(i int) string {
			if i%2 == 0 {
				return `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":""}}`
			}
			return `{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}`
		}, n / 2},
		{"codex: compactions without history", func(i int) string {
			if i < n/2 {
				return `{"type":"response_item","payload":{"type":"message","role":"user","content":[]}}`
			}
			return `{"type":"compacted","payload":{"message":"x"}}`
		}, n/2 + 1},
		{"codex: counts of tokens", func(i int) string {
			if i < n/2 {
				return `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":""}}`
			}
			return `{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":1}}}}`
		}, n / 2},
		{"pi: a cycle", first(header, func(i int) string {
			return `{"type":"message","id":"` + id(i) + `","parentId":"` + id(i%(n-1)+1) + `","message":` + hi + `}`
		}), n - 1},
		{"pi: compactions", first(header, func(i int) string {
			if i%2 == 1 {
				return `{"type":"message","message":` + hi + `}`
			}
			return `{"type":"compaction","summary":"s","firstKeptEntryIndex":0}`
		}), n/2 + 1},
		{"gemini: one message again and again", first(`{"sessionId":"s","projectHash":"h"}`, func(i int) string {
			return `{"type":"user","id":"x","content":"hi"}`
		}), 1},
		{"gemini: back and forth", first(`{"sessionId":"s","projectHash":"h"}`, func(i int) string {
			if i > n/2 {
				return `{"$rewindTo":"` + id(n-i) + `"}`
			}
			return `{"type":"user","id":"` + id(i) + `","content":"hi"}`
		}), 0},
		{"roo: one call, many results, many markers", items(n, func(i int) string {
			switch {
			case i == 0:
				return `{"role":"user","content":"so far","isSummary":true,"condenseId":"c","ts":1}`
			case i == 1:
				return `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}],"ts":1}`
			case i%2 == 0:
				return `{"role":"user","content":"hidden","isTruncationMarker":true,"truncationId":"` + id(i) + `","truncationParent":"` + id(n-2) + `"}`
			}
			return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":""}],"truncationParent":"` + id(i+2) + `"}`
		}), 3},
		{"roo: one message", items(n, func(i int) string { return `{"role":"user","content":"hi","ts":1}` }), 1},
		{"opencode: compactions", ocItems(n, func(i int) string {
			if i%2 == 0 {
				return `{"info":{"id":"m` + id(i) + `","role":"user"},"parts":[{"type":"compaction","tail_start_id":"m` + id(n-i) + `"}]}`
			}
			return `{"info":{"id":"m` + id(i) + `","role":"assistant","summary":true,"finish":"stop","parentID":"m` + id(i-1) + `"},"parts":[{"type":"text","text":"s"}]}`
		}), n - 2},
		{"opencode: one id", ocItems(n, func(i int) string {
			return `{"info":{"id":"m","role":"user","parentID":"m"},"parts":[{"type":"text","text":"s"}]}`
		}), n},
		{"opencode: empty texts behind signed reasoning", ocItems(n, func(i int) string {
			switch i {
			case 0:
				return `{"info":{"id":"m","role":"assistant"},"parts":[{"type":"text","text":""}`
			case n - 1:
				return `{"type":"reasoning","text":"","metadata":{"anthropic":{"signature":"x"}}}]}`
			}
			return `{"type":"text","text":""}`
		}), 1},
		{"openhands: a condensation for each event", func(i int) string {
			if i < n/2 {
				return `{"id":"` + id(i) + `","timestamp":"","source":"user","llm_message":{"role":"assistant","content":"hi"},"kind":"MessageEvent"}`
			}
			return `{"id":"` + id(i) + `","timestamp":"","source":"","forgotten_event_ids":["` + id(n-i) + `"],"summary":"s","summary_offset":` + id(i/4) + `,"kind":"Condensation"}`
		}, 2},
		{"openhands: answers that break each other", func(i int) string {
			if i == 0 {
				return `{"id":"x","timestamp":"","source":"user","llm_message":{"role":"user","content":"hi"},"kind":"MessageEvent"}`
			}
			return `{"id":"` + id(i) + `","timestamp":"","source":"","tool_call_id":"` + id(i) + `","llm_response_id":"` + id(i/2) + `","kind":"` +
				[]string{"ActionEvent", "ObservationEvent"}[i%2] + `"}`
		}, 1},
		{"librechat: a cycle", items(n, func(i int) string {
			return `{"messageId":"` + id(i) + `","parentMessageId":"` + id((i+1)%n) + `","isCreatedByUser":true,"text":"hi"}`
		}), n},
		{"librechat: a summary in each message", items(n, func(i int) string {
			return `{"messageId":"` + id(i) + `","parentMessageId":"` + id(i-1) + `","isCreatedByUser":false,"content":[{"type":"summary","text":"s","coverage":{"retainedFromMessageId":"0"}},{"type":"text","text":"hi"}]}`
		}), n + 1},
		{"open-webui: thoughts in a text", func(i int) string {
			if i > 0 {
				return ""
			}
			return `{"title":"t","chat":{"history":{"messages":{"a":{"id":"a","content":"` + strings.Repeat(`<details type=\"reasoning\">x</details>`, n) + `hi"}}}}}`
		}, 1},
		{"semantic-kernel: results in each message", items(n, func(i int) string {
			return `{"role":"tool","items":[{"content_type":"function_result","id":"x","result":[5]}],"content_type":"message"}`
		}), n},
		{"letta: results", items(n, func(i int) string {
			return `{"date":"2026-03-01T10:00:00Z","message_type":"tool_return_message","tool_call_id":"x","tool_return":"a"}`
		}), n},
		{"copilot: events taken back", func(i int) string {
			if i%2 == 0 {
				return `{"type":"user.message","id":"` + id(i) + `","data":{"content":"hi"},"parentId":null}`
			}
			return `{"type":"session.snapshot_rewind","data":{"upToEventId":"` + id(i-1) + `"},"parentId":null}`
		}, n % 2},
		{"copilot: compactions", func(i int) string {
			if i%2 == 0 {
				return `{"type":"user.message","id":"` + id(i) + `","data":{"content":"hi"},"parentId":null}`
			}
			return `{"type":"session.compaction_complete","data":{"success":true,"summaryContent":"s"},"parentId":null}`
		}, 1},
		{"keys", func(i int) string {
			if i > 0 {
				return ""
			}
			return `{` + strings.Repeat(`"message":0,"sessionId":0,`, n) + `"type":"none"}` + "\n" + cc("a", "", hi)
		}, 1},
	}
}

// TestHostile opens hostile files, and measures the cost.
func TestHostile(t *testing.T) {
	n := trials.Count(10_000, 10_000, 100_000)
	for _, c := range hostiles(n) {
		s, err := sessionfile.Open(repeat(n, c.line))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if s.Count != c.count {
			t.Errorf("%s: %d messages, want %d: %.300s", c.name, s.Count, c.count, s.Messages)
		}
		if !json.Valid(s.Messages) {
			t.Errorf("%s: no JSON: %.300s", c.name, s.Messages)
		}
	}
	if testing.Short() {
		return
	}
	counter := steps.Start(t)
	for i, c := range hostiles(1) {
		t.Run(c.name, func(t *testing.T) {
			counter.Linear(t, "open", 2000, func(n int) []byte { return repeat(n, hostiles(n)[i].line) })
		})
	}
}

// TestMixedLines shuffles, repeats, drops and mixes the lines of the samples. Whatever tree results, the output is valid JSON, the same
// each time, and every tool result is where its call needs it.
func TestMixedLines(t *testing.T) {
	var all [][]byte
	byKind := map[string][][]byte{}
	for _, src := range sample(t) {
		kind := sessionfile.Detect(src).Name
		for line := range bytes.Lines(src) {
			if line[0] == '[' {
				continue // a list is one line
			}
			if json.Valid(line) {
				byKind[kind] = append(byKind[kind], bytes.TrimSpace(line))
				all = append(all, bytes.TrimSpace(line))
			}
		}
	}
	kinds := []string{"claude-code", "claude-code", "claude-code", "codex", "pi", "gemini-cli"}
	ids := [][]byte{[]byte(`"u0`), []byte(`"a0`), []byte(`"e0`), []byte(`"h0`), []byte(`"toolu_0`), []byte(`"msg_0`), []byte(`"b01`), []byte(`"call_`)}
	for seed := range uint64(trials.Count(500, 500, 10_000)) {
		r := rand.New(rand.NewPCG(seed, 1))
		lines := byKind[kinds[r.IntN(len(kinds))]]
		var src []byte
		for i := 1 + r.IntN(len(lines)); i > 0; i-- {
			line := lines[r.IntN(len(lines))]
			if r.IntN(30) == 0 {
				line = all[r.IntN(len(all))]
			}
			if r.IntN(3) == 0 { // another parent, another call, another message
				id, to := ids[r.IntN(len(ids))], ids[r.IntN(len(ids))]
				line = bytes.Replace(line, id, to, 1)
			}
			src = append(append(src, line...), '\n')
		}
		out := core.Call("open", src)
		a := open(t, src)
		if a.Error != nil {
			if a.Error.Code == "internal" {
				t.Fatalf("seed %d: open panicked on\n%s", seed, src)
			}
			continue
		}
		if !bytes.Equal(out, core.Call("open", src)) {
			t.Fatalf("seed %d: another answer the second time", seed)
		}
		if messages := list(t, a.Messages); len(messages) > 0 && seed%4 == 0 {
			left, _ := json.Marshal(messages[r.IntN(len(messages)):])
			if _, s := save(t, src, left); s.Error != nil && s.Error.Code != "cannot_save" {
				t.Fatalf("seed %d: %+v\n%s\n%s", seed, s.Error, left, src)
			}
		}
		if len(a.Messages) < 3 || a.Kind != "claude-code" {
			continue
		}
		for _, v := range validate(t, a.Format, a.Messages).Violations {
			if v.Rule == "AN4" || v.Repair == "move_result" {
				t.Fatalf("seed %d: %s at %s: %s\n%s\n%s", seed, v.Rule, v.Path, v.Text, a.Messages, src)
			}
		}
	}
}

// TestMixedItems does the same with files that are a single value: their items are shuffled, repeated and dropped, and ids and marks in
// them are changed.
func TestMixedItems(t *testing.T) {
	files := sample(t)
	var tasks []json.RawMessage
	var exported struct {
		Info     json.RawMessage
		Messages []json.RawMessage
	}
	if json.Unmarshal(files["roo-code.json"], &tasks) != nil || json.Unmarshal(files["opencode.json"], &exported) != nil {
		t.Fatal("no JSON")
	}
	words := []string{
		`"user"`, `"assistant"`, `true`, `null`, `[]`, `{}`, `7`, `"tool_use"`, `"tool_result"`, `"text"`, `"reasoning"`, `"tool"`, `"compaction"`,
		`"completed"`, `"error"`, `"toolu_04"`, `"toolu_02"`, `"b1d2a9c4-0f6e-4c3d-8a55-2e9d7c4b6a90"`,
	}
	for _, m := range exported.Messages[:6] {
		var v struct{ Info struct{ ID string } }
		_ = json.Unmarshal(m, &v)
		words = append(words, strconv.Quote(v.Info.ID))
	}
	saved, n := 0, trials.Count(300, 300, 6_000)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 2))
		from := tasks
		if seed%2 == 0 {
			from = exported.Messages
		}
		var items [][]byte
		for i := 1 + r.IntN(len(from)); i > 0; i-- {
			item := from[r.IntN(len(from))]
			for range r.IntN(3) {
				was, to := words[r.IntN(len(words))], words[r.IntN(len(words))]
				item = bytes.Replace(item, []byte(was), []byte(to), 1)
			}
			items = append(items, item)
		}
		src := append(append([]byte("["), bytes.Join(items, []byte(","))...), ']')
		if seed%2 == 0 {
			src = append(append([]byte(`{"messages":`), src...), `,"info":`+string(exported.Info)+`}`...)
		}
		a := open(t, src)
		if a.Error != nil {
			if a.Error.Code == "internal" {
				t.Fatalf("seed %d: open panicked on\n%s", seed, src)
			}
			continue
		}
		messages := list(t, a.Messages)
		if len(messages) == 0 {
			continue
		}
		left, _ := json.Marshal(messages[r.IntN(len(messages)):])
		_, s := save(t, src, left)
		if s.Error != nil && s.Error.Code != "cannot_save" {
			t.Fatalf("seed %d: %+v\n%s\n%s", seed, s.Error, left, src)
		}
		if s.Error == nil {
			saved++
		}
	}
	if saved < n/3 {
		t.Errorf("only %d were saved", saved)
	}
}

func FuzzOpen(f *testing.F) {
	for _, src := range sample(f) {
		f.Add(src)
		for line := range bytes.Lines(src) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		kind := ""
		if k := sessionfile.Detect(src); k != nil {
			kind = k.Name
		}
		s, err := sessionfile.Open(src)
		out := core.Call("open", src)
		if !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("no JSON: %q", out)
		}
		if bytes.HasPrefix(out, []byte(`{"error":{"code":"internal"`)) {
			t.Fatal("open panicked")
		}
		if err != nil {
			if err.Offset < 0 || err.Offset > len(src) {
				t.Fatalf("an error at %d of %d bytes", err.Offset, len(src))
			}
			return
		}
		if kind != s.Kind {
			t.Fatalf("detected as %q, opened as %q", kind, s.Kind)
		}
		var messages []map[string]json.RawMessage
		if err := json.Unmarshal(s.Messages, &messages); err != nil || len(messages) != s.Count {
			t.Fatalf("%d messages, counted %d: %v", len(messages), s.Count, err)
		}
		if s.Usage != nil && (s.Usage.Message < 0 || s.Usage.Message >= s.Count || s.Usage.Total() <= 0) {
			t.Fatalf("usage %+v of %d messages", *s.Usage, s.Count)
		}
		for i, k := range s.Skipped {
			if k.Count <= 0 || i > 0 && s.Skipped[i-1].What >= k.What {
				t.Fatalf("skipped: %+v", s.Skipped)
			}
		}
	})
}

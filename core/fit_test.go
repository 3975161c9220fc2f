package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// fitted is an answer of fit.
type fitted struct {
	answer
	Known  int
	Memory json.RawMessage
}

// app passes its whole history each turn, and stores the memory that fit returns.
type app struct {
	policy      string
	memory      []string
	compactions int
	calls       int // of the model
}

func (a *app) request(t testing.TB, op, rest, messages string) fitted {
	t.Helper()
	out := core.Call(op, []byte(`{`+rest+`,"memory":[`+strings.Join(a.memory, ",")+`],"messages":`+messages+`}`))
	var f fitted
	if err := json.Unmarshal(out, &f); err != nil {
		t.Fatalf("%s: %v in %.300s", op, err, out)
	}
	if f.Error != nil {
		t.Fatalf("%s: %s at %s: %s", op, f.Error.Code, f.Error.Path, f.Error.Message)
	}
	return f
}

// fit runs the loop of fit and step, with a scripted model.
func (a *app) fit(t testing.TB, messages string) fitted {
	t.Helper()
	f := a.request(t, "fit", `"policy":`+a.policy, messages)
	for len(f.Requests) > 0 {
		var replies []string
		for _, r := range f.Requests {
			a.calls++
			replies = append(replies, fmt.Sprintf(`{"id":%q,"text":%q}`, r.ID, summaryText))
		}
		f = a.request(t, "step", `"plan":`+string(f.Plan)+`,"summaries":[`+strings.Join(replies, ",")+`]`, messages)
	}
	if f.Report.Changed {
		a.compactions++
		a.memory = append(a.memory, string(f.Memory))
	}
	return f
}

func list(messages []json.RawMessage) string {
	return "[" + string(bytes.Join(raws(messages), []byte(","))) + "]"
}

// worse returns the violations of messages if there are more than in the history that they were made from.
func worse(format string, history []json.RawMessage, messages []byte) []string {
	bad := judge.Valid(format, messages)
	if len(bad) > 0 && len(bad) <= len(judge.Valid(format, []byte(list(history)))) {
		return nil
	}
	return bad
}

// turnsOf cuts a conversation before each user message, and after the last message.
func turnsOf(format string, messages []json.RawMessage) (ends []int) {
	for i, m := range messages {
		if i > 0 && judge.LastUser(format, []byte("["+string(m)+"]")) != nil {
			ends = append(ends, i)
		}
	}
	return append(ends, len(messages))
}

// marked returns a history as an app sends it: the newest message has a cache breakpoint, and all messages have members that change with
// each request.
func marked(format string, messages []json.RawMessage, turn int) []json.RawMessage {
	out := slices.Clone(messages)
	for i, m := range out {
		var o map[string]any
		d := json.NewDecoder(bytes.NewReader(m))
		d.UseNumber()
		if d.Decode(&o) != nil {
			continue
		}
		switch content, _ := o["content"].(string); {
		case format == "ai-sdk":
			o["providerOptions"] = map[string]any{"mastra": map[string]any{"createdAt": turn}}
		case format == "openai-responses" && o["type"] == "message":
			o["status"] = "completed" + strconv.Itoa(turn%2)
		case format == "anthropic" && i == len(out)-1 && content != "":
			o["content"] = []any{map[string]any{"type": "text", "text": content, "cache_control": map[string]any{"type": "ephemeral"}}}
		case format == "anthropic" && i == len(out)-1:
			if blocks, ok := o["content"].([]any); ok && len(blocks) > 0 {
				blocks[len(blocks)-1].(map[string]any)["cache_control"] = map[string]any{"type": "ephemeral"}
			}
		}
		out[i], _ = json.Marshal(o)
	}
	return out
}

// TestFit lets apps pass their whole history each turn, and compares that with continuing from the result: the sent messages and the number
// of compactions must be the same. In make test the formats alternate between local digests and a model's.
func TestFit(t *testing.T) {
	t.Parallel()
	for n, format := range judged() {
		for k, mode := range []string{"local", "model"} {
			if !covers(n, k, 2) {
				continue
			}
			t.Run(format+"/"+mode, func(t *testing.T) {
				r := rand.New(rand.NewPCG(7, 1))
				conv := gen.New(r, gen.Options{Messages: budget(160, 160, 240)})
				history := conv.Render(format, r)
				size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), list(history))
				policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":%d,"reserve":100},"summary":{"mode":%q}}`, format, size/5, mode)
				whole, moving := &app{policy: policy}, &app{policy: policy}
				var sent []json.RawMessage // by an app that continues from the result
				state, compactions, from := "", 0, 0
				for turn, end := range turnsOf(format, history) {
					sent = append(sent, history[from:end]...)
					from = end
					want := compacts(t, policy, state, list(sent), summaryText)
					if want.Report.Changed {
						state = string(want.State)
						compactions++
						sent = nil // or the new ones would be written over those of the history
						if err := json.Unmarshal(want.Messages, &sent); err != nil {
							t.Fatal(err)
						}
					}
					got := whole.fit(t, list(history[:end]))
					if unmarked(compacted(t, got.Messages)) != unmarked(compacted(t, want.Messages)) {
						t.Fatalf("turn %d: sent\n%.600s\nand not\n%.600s", turn, compacted(t, got.Messages), compacted(t, want.Messages))
					}
					app := marked(format, history[:end], turn)
					got = moving.fit(t, list(app))
					if bad := worse(format, app, got.Messages); len(bad) > 0 {
						t.Fatalf("turn %d: %s", turn, bad[0])
					}
					if n := strings.Count(string(got.Messages), "cache_control"); n > 3 {
						t.Fatalf("turn %d: %d marks of the cache are sent: of the app, the digest and the system prompt", turn, n)
					}
				}
				if compactions < 3 {
					t.Fatalf("%d compactions are too few to tell anything", compactions)
				}
				if whole.compactions != compactions || moving.compactions > compactions+1 {
					t.Errorf("%d compactions of a whole history and %d with marks that move, where going on takes %d", whole.compactions, moving.compactions, compactions)
				}
			})
		}
	}
}

// Cache breakpoints as a compaction writes them, and their replacements.
var markedAs = []struct {
	mark *regexp.Regexp
	bare string
}{
	{regexp.MustCompile(`\[\{"type":"text","text":("(?:[^"\\]|\\.)*")(?:,"cache_control":\{[^{}]*\})?\}\]`), "$1"},
	{regexp.MustCompile(`,"cache_control":\{[^{}]*\}`), ""},
	{regexp.MustCompile(`"cache_control":\{[^{}]*\},`), ""},
	{regexp.MustCompile(`,"providerOptions":\{"anthropic":\{"cacheControl":\{[^{}]*\}\}\}`), ""},
	{regexp.MustCompile(`,\{"cachePoint":\{[^{}]*\}\}`), ""},
	{regexp.MustCompile(`\{"cachePoint":\{[^{}]*\}\},`), ""},
}

// unmarked returns a list or a message without cache breakpoints: a compaction may add some, and an app that continues from a result keeps
// them.
func unmarked(text string) string {
	for _, m := range markedAs {
		text = m.mark.ReplaceAllString(text, m.bare)
	}
	return text
}

func compacted(t testing.TB, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	return b.String()
}

// TestFitEdits applies the edits of fit to the history, as a host with live objects does, and expects the same messages.
func TestFitEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	history := gen.New(r, gen.Options{Messages: 160}).Render("anthropic", r)
	size := estimateOf(t, `{"format":"anthropic"}`, list(history))
	policy := fmt.Sprintf(`{"format":"anthropic","window":{"tokens":%d,"reserve":100},"summary":{"mode":"local"}`, size/4)
	text, edits := &app{policy: policy + `}`}, &app{policy: policy + `},"options":{"answer":"edits"}`}
	for _, end := range turnsOf("anthropic", history) {
		want, got := text.fit(t, list(history[:end])), edits.fit(t, list(history[:end]))
		var steps []struct {
			Keep            []int
			Set             *int
			Message, Insert json.RawMessage
		}
		if err := json.Unmarshal(got.Edits, &steps); err != nil {
			t.Fatal(err)
		}
		var sent []json.RawMessage
		for _, s := range steps {
			switch {
			case s.Keep != nil:
				sent = append(sent, history[s.Keep[0]:s.Keep[1]]...)
			case s.Insert != nil:
				sent = append(sent, s.Insert)
			default:
				sent = append(sent, s.Message)
			}
		}
		if compacted(t, []byte(list(sent))) != compacted(t, want.Messages) {
			t.Fatalf("the edits make\n%.500s\nof the history, and not\n%.500s", list(sent), want.Messages)
		}
	}
	if text.compactions < 3 {
		t.Errorf("%d compactions are too few", text.compactions)
	}
}

// TestFitGoesOn has an app that sometimes continues from the sent messages (an agent's steps), and sometimes passes its whole history (the
// next turn). Both are recognized. Cache breakpoints may differ: only for a whole history does each turn add one to a digest that has none.
func TestFitGoesOn(t *testing.T) {
	t.Parallel()
	for _, format := range judged() {
		r := rand.New(rand.NewPCG(11, 5))
		history := gen.New(r, gen.Options{Messages: budget(160, 160, 240)}).Render(format, r)
		size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), list(history))
		policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":%d,"reserve":100},"summary":{"mode":"local"}}`, format, size/6)
		steps, whole := &app{policy: policy}, &app{policy: policy}
		ends := turnsOf(format, history)
		for i := 0; i+2 < len(ends); i += 3 {
			var sent []json.RawMessage
			from := 0
			for k, end := range ends[i : i+3] { // the first with the whole history, the others after what was sent
				if k == 0 {
					sent = slices.Clone(history[:end])
				} else {
					sent = append(sent, history[from:end]...)
				}
				from = end
				got, want := steps.fit(t, list(sent)), whole.fit(t, list(history[:end]))
				if unmarked(compacted(t, got.Messages)) != unmarked(compacted(t, want.Messages)) {
					t.Fatalf("%s: step %d of turn %d differs from the whole history", format, k, i)
				}
				sent = nil
				if err := json.Unmarshal(got.Messages, &sent); err != nil {
					t.Fatal(err)
				}
			}
		}
		if whole.compactions < 3 || steps.compactions != whole.compactions {
			t.Errorf("%s: %d compactions, where the whole history takes %d", format, steps.compactions, whole.compactions)
		}
	}
}

// TestFitOfEditedHistories goes back to a turn before the last compaction and continues differently. Compactions of the unchanged beginning
// are found, those of the rest are not.
func TestFitOfEditedHistories(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	history := gen.New(r, gen.Options{Messages: 200}).Render("anthropic", r)
	size := estimateOf(t, `{"format":"anthropic"}`, list(history))
	a := &app{policy: fmt.Sprintf(`{"format":"anthropic","window":{"tokens":%d,"reserve":100},"summary":{"mode":"local"}}`, size/5)}
	var covered []int
	for _, end := range turnsOf("anthropic", history) {
		if f := a.fit(t, list(history[:end])); f.Report.Changed {
			covered = append(covered, end)
		}
	}
	if len(covered) < 3 {
		t.Fatalf("%d compactions are too few", len(covered))
	}
	for n, end := range covered {
		changed := append(slices.Clone(history[:end]), json.RawMessage(`{"role":"user","content":"Let us do something else."}`))
		if f := a.fit(t, list(changed)); f.Known != n {
			t.Errorf("behind compaction %d the entry %d was used", n, f.Known)
		}
		var e struct{ Messages int }
		if err := json.Unmarshal([]byte(a.memory[n]), &e); err != nil {
			t.Fatal(err)
		}
		if e.Messages == end { // a repair has added something after the newest messages
			continue
		}
		for at, want := range map[int]int{end - 1: n, e.Messages: n, e.Messages - 1: n - 1} {
			was := changed[at]
			changed[at] = json.RawMessage(`{"role":"user","content":"Not this."}`)
			if f := a.request(t, "fit", `"policy":`+a.policy, list(changed)); f.Known != want {
				t.Errorf("with another message %d, where compaction %d replaced %d of %d, the entry %d was used", at, n, e.Messages, end, f.Known)
			}
			changed[at] = was
		}
	}
	other := append([]json.RawMessage{json.RawMessage(`{"role":"user","content":"Another conversation."}`)}, history[1:]...)
	if f := a.request(t, "fit", `"policy":`+a.policy, list(other)); f.Known != -1 {
		t.Errorf("of another conversation the entry %d was used", f.Known)
	}
}

// TestFitSystemPrompt has a clock in the system prompt: compactions are found regardless of it, and the newest prompt is sent.
func TestFitSystemPrompt(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	history := gen.New(r, gen.Options{Messages: 120}).Render("openai-chat", r)
	for len(history) > 0 && strings.Contains(string(history[0]), `"system"`) {
		history = history[1:]
	}
	size := estimateOf(t, `{"format":"openai-chat"}`, list(history))
	a := &app{policy: fmt.Sprintf(`{"format":"openai-chat","window":{"tokens":%d,"reserve":100},"summary":{"mode":"local"}}`, size/2)}
	for i, end := range turnsOf("openai-chat", history) {
		clock := fmt.Sprintf(`{"role":"system","content":"It is %d o'clock."}`, i)
		if f := a.fit(t, list(append([]json.RawMessage{json.RawMessage(clock)}, history[:end]...))); !strings.Contains(string(f.Messages), clock) {
			t.Fatalf("turn %d does not send its system prompt", i)
		}
	}
	if a.compactions == 0 || a.compactions > 4 {
		t.Errorf("%d compactions", a.compactions)
	}
}

// TestFitOfBrokenMemories passes entries that somebody has changed. There is no trap, and implausible entries are ignored.
func TestFitOfBrokenMemories(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	history := gen.New(r, gen.Options{Messages: 80}).Render("anthropic", r)
	size := estimateOf(t, `{"format":"anthropic"}`, list(history))
	policy := fmt.Sprintf(`{"format":"anthropic","window":{"tokens":%d,"reserve":100},"summary":{"mode":"local"}}`, size/2)
	a := &app{policy: policy}
	if f := a.fit(t, list(history)); !f.Report.Changed {
		t.Fatal(f.Report.Reason)
	}
	good := a.memory[0]
	request := func(memory string) answer {
		return call(t, "fit", `{"policy":`+policy+`,"memory":`+memory+`,"messages":`+list(history)+`}`)
	}
	for _, m := range []string{
		`[]`, `null`, `[null,1,"x",[],{}]`, `[{"version":1}]`,
		"[" + strings.Replace(good, `"version":1`, `"version":2`, 1) + "]",
		"[" + strings.Replace(good, `"keep":[`, `"keep":[99999999,`, 1) + "]",
		"[" + strings.Replace(good, `"keep":[`, `"keep":[-5,`, 1) + "]",
		"[" + strings.Replace(good, `"insert":{`, `"insert":3,"x":{`, 1) + "]",
		"[" + strings.Replace(good, `"state":{`, `"state":{"round":"x",`, 1) + "]",
		"[" + strings.Replace(good, `"edits":[`, `"edits":[[],`, 1) + "]",
		"[" + strings.Repeat(good+",", 200) + good + "]",
	} {
		if a := request(m); a.Error != nil || len(judge.Valid("anthropic", a.Messages)) > 0 {
			t.Errorf("%.200s: %+v", m, a.Error)
		}
	}
	for m, code := range map[string]string{
		`{}`: "wrong_type", `"x"`: "wrong_type",
		"[" + strings.Replace(good, `"insert":{`, `"insert":{"role":7,"x":{"role":`, 1) + "}]": "",
	} {
		if a := request(m); a.Error == nil || code != "" && a.Error.Code != code {
			t.Errorf("%.200s: %+v", m, a.Error)
		}
	}
}

// TestFitOfOtherFormats passes entries of other wire formats, whose messages would be invalid in this one, and entries without messages.
func TestFitOfOtherFormats(t *testing.T) {
	chat := func(format string) string {
		var text []string
		for i := range 40 {
			text = append(text, fmt.Sprintf(`{"role":"user","content":"Question %d. %s"},{"role":"assistant","content":"Answer %d. %s"}`, i, strings.Repeat("So it is. ", 30), i, strings.Repeat("It was. ", 30)))
		}
		converted := call(t, "convert", `{"policy":{"format":"openai-chat"},"to":"`+format+`","messages":[`+strings.Join(text, ",")+`,{"role":"user","content":"And?"}]}`)
		return string(converted.Messages)
	}
	entries := map[string]string{}
	policy := func(format string) string {
		return `{"format":"` + format + `","window":{"tokens":3000,"reserve":100},"summary":{"mode":"local"}}`
	}
	formats := []string{"anthropic", "openai-chat", "gemini", "openai-responses", "bedrock-converse", "plain"}
	for _, format := range formats {
		a := &app{policy: policy(format)}
		messages := chat(format)
		if format == "plain" {
			messages = chat("openai-chat")
		}
		if f := a.fit(t, messages); !f.Report.Changed {
			t.Fatalf("%s: %s", format, f.Report.Reason)
		}
		entries[format] = a.memory[0]
	}
	for _, format := range formats[:5] {
		for of, entry := range entries {
			want := -1
			if of == format || of == "plain" && format == "openai-chat" {
				want = 0
			}
			a := &app{policy: policy(format), memory: []string{entry}}
			f := a.request(t, "fit", `"policy":`+a.policy, chat(format))
			if f.Known != want && !(of == "plain" && f.Known == 0) || len(judge.Valid(format, f.Messages)) > 0 {
				t.Errorf("%s with an entry of %s: %d was used, %v", format, of, f.Known, judge.Valid(format, f.Messages))
			}
		}
		broken := strings.Replace(strings.Replace(entries[format], `"insert":{`, `"insert":{"role":7,"x":{`, 1), `]`, `}]`, 1)
		if json.Valid([]byte(broken)) {
			a := &app{policy: policy(format), memory: []string{entries[format], broken}}
			if f := a.request(t, "fit", `"policy":`+a.policy, chat(format)); f.Known != 0 {
				t.Errorf("%s with an unreadable entry: %d was used", format, f.Known)
			}
		}
	}
}

// TestPrints checks which changes of a message change its print.
func TestPrints(t *testing.T) {
	prints := func(format, messages string) []string {
		var a struct{ Prints []string }
		out := core.Call("prints", []byte(`{"policy":{"format":"`+format+`"},"messages":`+messages+`}`))
		if err := json.Unmarshal(out, &a); err != nil || len(a.Prints) == 0 {
			t.Fatalf("%s: %s", messages, out)
		}
		return a.Prints
	}
	last := func(format, messages string) string {
		p := prints(format, messages)
		return p[len(p)-1]
	}
	for _, c := range []struct {
		format, a, b string
		same         bool
	}{
		{"anthropic", `[{"role":"user","content":"Hi"}]`, `[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}]`, true},
		{"anthropic", `[{"role":"user","content":"Hi"}]`, `[{"content":"\u0048i","role":"user"}]`, true},
		{"anthropic", `[{"role":"user","content":"Hi"}]`, `[{"role":"user","content":"Ho"}]`, false},
		{"anthropic", `[{"role":"user","content":"Hi"}]`, `[{"role":"assistant","content":"Hi"}]`, false},
		{"anthropic", `[{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b"},{"type":"tool_use","id":"1","name":"f","input":{"a":1,"b":2}}]}]`,
			`[{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"f","input":{"b":2,"a":1}}]}]`, true},
		{"anthropic", `[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"a":1}}]}]`,
			`[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"a":2}}]}]`, false},
		{"anthropic", `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}]`,
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}]}]`, true},
		{"anthropic", `[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"AAAA"}}]}]`,
			`[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"AAAB"}}]}]`, false},
		{"openai-chat", `[{"role":"system","content":"9:00"},{"role":"user","content":"Hi"}]`, `[{"role":"system","content":"9:01"},{"role":"user","content":"Hi"}]`, true},
		{"openai-chat", `[{"role":"user","content":"Hi"},{"role":"system","content":"a"}]`, `[{"role":"user","content":"Hi"},{"role":"system","content":"b"}]`, false},
		{"openai-chat", `[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]}]`,
			`[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}]`, true},
		{"openai-responses", `[{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}]`,
			`[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}]`, true},
		{"ai-sdk", `[{"role":"user","content":[{"type":"text","text":"Hi","providerOptions":{"a":{"b":1}}}],"providerOptions":{"m":{"createdAt":1}}}]`,
			`[{"role":"user","content":"Hi"}]`, true},
	} {
		if same := last(c.format, c.a) == last(c.format, c.b); same != c.same {
			t.Errorf("%s: the same is %t for\n%s\n%s", c.format, same, c.a, c.b)
		}
	}
	if p := prints("anthropic", `[{"role":"user","content":"a"},{"role":"user","content":"a"}]`); p[0] == p[1] {
		t.Error("a message said twice has the print of one")
	}
}

// A provider's count for a message before the compaction says nothing about the sent messages; a count for a message after it does.
func TestFitCountsWhatIsSent(t *testing.T) {
	var turns []string
	for i := range 40 {
		turns = append(turns, fmt.Sprintf(`{"role":"user","content":"request %d %s"},{"role":"assistant","content":"answer %d"}`, i, strings.Repeat("of the user ", 30), i))
	}
	a := &app{policy: `{"format":"openai-chat","window":{"tokens":3000,"reserve":100},"summary":{"mode":"local"}}`}
	if f := a.fit(t, "["+strings.Join(turns, ",")+"]"); !f.Report.Changed {
		t.Fatalf("%+v", f.Report)
	}
	history := "[" + strings.Join(append(turns, `{"role":"user","content":"And?"},{"role":"assistant","content":"Well."},{"role":"user","content":"Go on."}`), ",") + "]"
	for message, counts := range map[int]bool{0: false, 40: false, 79: false, 81: true, -2: true} {
		f := a.request(t, "fit", fmt.Sprintf(`"policy":%s,"options":{"usage":{"message":%d,"total_tokens":2990}}`, a.policy, message), history)
		if got := f.Report.Reason != "under_budget"; got != counts {
			t.Errorf("message %d: %s, %+v", message, f.Report.Reason, f.Report.Tokens)
		}
	}
}

package core_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// sign is the beginning of all secrets in these tests, so its presence reveals at least a part of one.
const sign = "sk_live"

// secret is a secret with everything that JSON escapes.
func secret(n int) string { return fmt.Sprintf("%s%d-\"é😀\"/<&>\\\n%dEND", sign, n, n) }

// planted puts secrets into the texts, arguments and results of a conversation.
func planted(r *rand.Rand, conv gen.Conversation) gen.Conversation {
	put := func(text *string) {
		if *text != "" && r.IntN(3) == 0 {
			*text += " " + secret(r.IntN(5)) + "."
		}
	}
	for i := range conv {
		m := &conv[i]
		for k := range m.Texts {
			put(&m.Texts[k])
		}
		for k := range m.Calls {
			put(&m.Calls[k].Path)
			put(&m.Calls[k].Result)
		}
	}
	return conv
}

// redactOption returns the option for the secrets; every second one has its own placeholder.
func redactOption() string {
	var texts []map[string]any
	for n := range 5 {
		t := map[string]any{"text": secret(n)}
		if n%2 == 0 {
			t["placeholder"] = fmt.Sprintf("[KEY \"%d\"]", n)
		}
		texts = append(texts, t)
	}
	b, _ := json.Marshal(map[string]any{"texts": texts})
	return `"redact":` + string(b)
}

// redactedAs is a message with the placeholders in it, by a state.
func redactedAs(t *testing.T, message, state json.RawMessage) string {
	t.Helper()
	var s struct{ Redacted []string }
	if err := json.Unmarshal(state, &s); err != nil {
		t.Fatal(err)
	}
	text := string(message)
	for n := range 5 {
		as := fmt.Sprintf("[KEY \"%d\"]", n)
		if n%2 == 1 {
			sum := sha256.Sum256([]byte(secret(n)))
			as = fmt.Sprintf("[REDACTED:%d]", slices.Index(s.Redacted, hex.EncodeToString(sum[:])[:16])+1)
		}
		once := func(text string) string { b, _ := json.Marshal(text); return string(b[1 : len(b)-1]) }
		plain := func(text string) string {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			_ = e.Encode(text)
			return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
		}
		for _, write := range []func(string) string{once, plain} {
			for _, again := range []func(string) string{once, plain} {
				text = strings.ReplaceAll(text, again(write(secret(n))), again(write(as)))
			}
			text = strings.ReplaceAll(text, write(secret(n)), write(as))
		}
	}
	return text
}

// Nothing that a compaction writes contains a part of a secret: requests, digests, state and archive, in every format, also in later rounds
// and in sessions. Kept messages are unchanged, and restored ones are the input with placeholders.
func TestRedactedTextsStayOut(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 150
	}
	asked, inserted, archived, kept := 0, 0, 0, 0
	for i := range n {
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		format := judged()[r.IntN(len(judged()))]
		messages := planted(r, gen.New(r, gen.Options{Messages: 8 + r.IntN(40), Broken: r.IntN(4) == 0})).Render(format, r)
		if len(messages) < 4 {
			continue
		}
		policy := strings.TrimSuffix(randomPolicy(r, format, estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), list(messages))), force)
		options := `{"answer":"edits","force":true,"archive":"` + [...]string{"bodies", "places"}[r.IntN(2)] + `",` + redactOption() + `}`
		state, shelf := json.RawMessage(`null`), shelf{}
		for round := range 2 {
			what := fmt.Sprintf("case %d, %s, round %d", i, format, round)
			in := list(messages)
			l, head := &core.Sessions{}, ""
			if r.IntN(2) == 0 {
				head = fmt.Sprintf(`"policy":%s,"options":%s,"state":%s,"messages":%s`, policy, options, state, in)
			} else {
				opened := l.Call("session_open", fmt.Appendf(nil, `{"policy":%s,"state":%s,"messages":%s}`, policy, state, in))
				if strings.Contains(string(opened), `"error"`) {
					t.Fatalf("%s: %s", what, opened)
				}
				head = fmt.Sprintf(`"session":1,"options":%s`, options)
			}
			call := func(op, request string) (a answer) {
				out := l.Call(op, []byte(request))
				if err := json.Unmarshal(out, &a); err != nil || a.Error != nil {
					t.Fatalf("%s: %v %.300s\n%s", what, err, out, policy)
				}
				return a
			}
			a := call("plan", "{"+head+"}")
			for len(a.Requests) > 0 {
				var replies []string
				for _, q := range a.Requests {
					if asked++; strings.Contains(q.System+q.Prompt, sign) {
						t.Fatalf("%s: the request holds a secret: %s", what, q.Prompt)
					}
					replies = append(replies, fmt.Sprintf(`{"id":%q,"text":"## Goal\nfix the parser"}`, q.ID))
				}
				rest := `"messages":` + in
				if strings.HasPrefix(head, `"session"`) {
					rest = `"session":1`
				}
				a = call("step", `{"plan":`+string(a.Plan)+`,"summaries":[`+strings.Join(replies, ",")+`],`+rest+`}`)
			}
			if strings.Contains(string(a.State), sign) {
				t.Fatalf("%s: the state holds a secret: %s", what, a.State)
			}
			var edits []struct {
				Keep            []int
				Set             *int
				Message, Insert json.RawMessage
			}
			if err := json.Unmarshal(a.Edits, &edits); err != nil {
				t.Fatal(err)
			}
			var next []json.RawMessage
			for _, e := range edits {
				switch {
				case e.Keep != nil:
					kept++
					next = append(next, messages[e.Keep[0]:e.Keep[1]]...)
				case e.Set != nil:
					next = append(next, e.Message)
				default:
					if inserted++; strings.Contains(string(e.Insert), sign) {
						t.Fatalf("%s: a new message holds a secret: %s", what, e.Insert)
					}
					next = append(next, e.Insert)
				}
			}
			for _, b := range a.Archive {
				archived++
				text := b.text([]byte(in))
				if sum := sha256.Sum256([]byte(text)); hex.EncodeToString(sum[:]) != b.Handle || strings.Contains(text, sign) {
					t.Fatalf("%s: the body of %s has another handle, or a secret: %s", what, b.What, text)
				}
			}
			shelf.keep([]byte(in), a.Archive)
			if a.Report.Changed && round == 0 {
				again := shelf.restoreAll(t, fmt.Sprintf(`"policy":{"format":%q},"state":%s`, format, a.State), list(next))
				var restored []json.RawMessage
				if err := json.Unmarshal(again.Messages, &restored); err != nil || len(restored) != len(messages) {
					t.Fatalf("%s: %d messages are restored of %d (%v)", what, len(restored), len(messages), err)
				}
				for k, m := range restored {
					if got := redactedAs(t, m, a.State); got != redactedAs(t, messages[k], a.State) {
						t.Fatalf("%s: message %d is restored as\n%s\nof\n%s", what, k, got, messages[k])
					}
				}
			}
			messages, state = next, a.State
		}
	}
	if asked < n/4 || inserted < n/3 || archived < n || kept < n {
		t.Errorf("%d requests, %d new messages, %d bodies and %d runs that stay are too few", asked, inserted, archived, kept)
	}
}

// If something in a message is cleared, the rest stays unchanged, and so does a message that only gets a cache breakpoint.
func TestRedactKeepsTheRestOfAMessage(t *testing.T) {
	long := strings.Repeat("line of output\n", 400)
	text, _ := json.Marshal(long + secret(1))
	note, _ := json.Marshal("and mind " + secret(1))
	var messages []string
	for i := range 6 {
		messages = append(messages,
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"bash","input":{"command":"make %d"}}]}`, i, i),
			fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%s}, {"type":"text","text":%s}]}`, i, text, note))
	}
	in := `[{"role":"user","content":"build it"},` + strings.Join(messages, ",") + `]`
	a := call(t, "plan", `{"policy":{"format":"anthropic","passes":[{"pass":"clear","keep_recent":2}],"window":{"tokens":12000}},"options":{"force":true,"archive":"places",`+
		redactOption()+`},"messages":`+in+`}`)
	if a.Error != nil || a.Report.Cleared != 4 || bytes.Count(a.Messages, note[1:len(note)-1]) != 6 || strings.Count(string(a.Messages), `}, {`) != 6 {
		t.Errorf("%+v %s", a.Error, a.Messages)
	}
	if r := a.Report.Redacted; r == nil || r.Texts != 1 || r.Places != 12 {
		t.Errorf("the report says %+v", r)
	}
	for _, b := range a.Archive {
		if body := b.text([]byte(in)); strings.Contains(body, sign) || b.What == "tool_result" && !strings.Contains(body, "[REDACTED:1]") {
			t.Errorf("the body is %s", body)
		}
	}
}

// Text on which the host's function has failed is replaced completely. If nothing is due or nothing is found, the option changes nothing.
func TestRedactWholeAndNothing(t *testing.T) {
	var messages []string
	for i := range 40 {
		messages = append(messages, fmt.Sprintf(`{"role":"user","content":"part %d says: %s"},{"role":"assistant","content":"noted %d"}`, i, strings.Repeat("more ", 50), i))
	}
	in := `[{"role":"user","content":"first things first"},{"role":"assistant","content":"caf\u00e9 first things first"},` + strings.Join(messages, ",") + `]`
	ask := func(options string) answer {
		return call(t, "plan", `{"policy":{"window":{"tokens":1500}},"options":{"summary":{"mode":"local"},"archive":"bodies"`+options+`},"messages":`+in+`}`)
	}
	a := ask(`,"redact":{"texts":[{"text":"first things first","whole":true,"failed":true}]}`)
	all := string(a.Messages)
	for _, b := range a.Archive {
		all += b.text(nil)
	}
	if a.Report.Redacted == nil || a.Report.Redacted.Failed != 1 || a.Report.Redacted.Places != 1 || !strings.Contains(all, "[REDACTED: not checked]") ||
		strings.Contains(all, `"first things first"`) || !strings.Contains(all, `f\u00e9 first things first"`) {
		t.Errorf("%+v: %s", a.Report.Redacted, all)
	}
	if got, want := ask(`,"redact":{"texts":[{"text":"what is nowhere"}]}`), ask(``); string(got.Messages) != string(want.Messages) || got.Report.Redacted != nil {
		t.Errorf("%s\n%s", got.Messages, want.Messages)
	}
	for _, bad := range []string{`{"text":"abc"}`, `{"text":"abcd","placeholder":"` + strings.Repeat("x", 101) + `"}`} {
		if a := ask(`,"redact":{"texts":[` + bad + `]}`); a.Error == nil || a.Error.Path != "options.redact.texts" {
			t.Errorf("%s: %+v", bad, a.Error)
		}
	}
	// Words of the format are replaced in texts alone.
	if a := ask(`,"redact":{"texts":[{"text":"role"},{"text":"assistant"},{"text":"content"}]}`); a.Error != nil || !a.Report.Changed {
		t.Errorf("%+v", a)
	}
	messages = nil
	for i := range 30 {
		messages = append(messages, fmt.Sprintf(`{"id":"u%[1]d","role":"user","parts":[{"type":"text","text":"part %[1]d %[2]s"}]},{"id":"a%[1]d","role":"assistant","parts":[`+
			`{"type":"tool-f","toolCallId":"c%[1]d","state":"output-available","input":{},"output":"ok"},{"type":"text","text":"noted %[1]d","state":"done"}]}`, i, strings.Repeat("more words ", 40)))
	}
	a = call(t, "plan", `{"policy":{"format":"ai-sdk-ui","window":{"tokens":1500}},"options":{"summary":{"mode":"local"},"redact":{"texts":[{"text":"output-available"},{"text":"toolCallId"}]}},`+
		`"messages":[`+strings.Join(messages, ",")+`]}`)
	if a.Error != nil || !a.Report.Changed {
		t.Errorf("%+v", a.Error)
	}
}

// Fit keeps the placeholders over its compactions, and recognizes the unredacted history.
func TestFitRedacts(t *testing.T) {
	for _, format := range []string{"anthropic", "openai-chat", "gemini"} {
		r := rand.New(rand.NewPCG(7, 7))
		history := planted(r, gen.New(r, gen.Options{Messages: 120})).Render(format, r)
		size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), list(history))
		a := &app{policy: fmt.Sprintf(`{"format":%q,"window":{"tokens":%d,"reserve":100},"archive":"bodies","summary":{"mode":"local"}},"options":{%s}`, format, size/3, redactOption())}
		for _, end := range turnsOf(format, history) {
			for _, b := range a.fit(t, list(history[:end])).Archive {
				if strings.Contains(b.text(nil), sign) {
					t.Fatalf("%s: a body holds a secret", format)
				}
			}
		}
		if a.compactions < 2 {
			t.Errorf("%s: %d compactions", format, a.compactions)
		}
		for _, m := range a.memory {
			var entry struct {
				State json.RawMessage
				Edits []struct{ Insert json.RawMessage }
			}
			if err := json.Unmarshal([]byte(m), &entry); err != nil {
				t.Fatal(err)
			}
			for _, e := range entry.Edits {
				entry.State = append(entry.State, e.Insert...)
			}
			if strings.Contains(string(entry.State), sign) || !strings.Contains(m, "[REDACTED:") {
				t.Errorf("%s: the memory holds a secret, or no placeholder: %s", format, entry.State)
			}
		}
	}
}

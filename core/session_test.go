package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// field is a member of an answer.
func field(t *testing.T, answer []byte, name string) string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(answer, &m); err != nil {
		t.Fatalf("%v: %.300s", err, answer)
	}
	return string(m[name])
}

// A session that has grown in any steps returns the same answers as a request with all of its messages, and continues with the result of a
// compaction.
func TestSessionsAnswerAsMessagesDo(t *testing.T) {
	t.Parallel()
	n := budget(100, 150, 600)
	moved := 0
	for i := range n {
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		formats := judged()
		format := formats[r.IntN(len(formats))]
		conv := gen.New(r, gen.Options{Messages: 2 + r.IntN(30), Broken: r.IntN(3) == 0})
		messages := conv.Render(format, r)
		if len(messages) < 2 {
			continue
		}
		join := func(m []json.RawMessage) string { return string(bytes.Join(raws(m), []byte(","))) }
		all := "[" + join(messages) + "]"
		policy := randomPolicy(r, format, estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), all))

		l := &core.Sessions{}
		call := func(op, request string, args ...any) []byte {
			return l.Call(op, fmt.Appendf(nil, request, args...))
		}
		at := r.IntN(len(messages))
		first := ""
		if at > 0 {
			first = `,"messages":[` + join(messages[:at]) + "]"
		}
		opened := call("session_open", `{"policy":%s%s}`, policy, first)
		if field(t, opened, "session") != "1" {
			if strings.Contains(string(opened), `"error"`) {
				continue // a broken conversation
			}
			t.Fatalf("%s", opened)
		}
		broken := false
		for at < len(messages) && !broken {
			to := min(len(messages), at+1+r.IntN(3))
			broken = bytes.Contains(call("session_append", `{"session":1,"messages":[%s]}`, join(messages[at:to])), []byte(`{"error"`))
			at = to
		}
		if broken {
			continue
		}
		compare := func(op, list, state string) string {
			t.Helper()
			got := call(op, `{"session":1}`)
			want := call(op, `{"policy":%s%s,"messages":%s}`, policy, state, list)
			var a, b map[string]any
			if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
				t.Fatalf("no JSON: %.200s %.200s", got, want)
			}
			if v, ok := a["violations"].([]any); ok { // offsets count from different places
				for _, x := range append(v, b["violations"].([]any)...) {
					delete(x.(map[string]any), "offset")
				}
				got, _ = json.Marshal(a)
				want, _ = json.Marshal(b)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("case %d, %s, %s:\nsession  %.2000s\nmessages %.2000s\n%s", i, format, op, got, want, policy)
			}
			return string(got)
		}
		for _, op := range []string{"check", "estimate", "validate", "digests"} {
			compare(op, all, "")
		}
		answer := compare("plan", all, "")
		if strings.HasPrefix(answer, `{"error"`) || field(t, []byte(answer), "requests") != "" {
			continue
		}
		state := `,"state":` + field(t, []byte(answer), "state")
		result := field(t, []byte(answer), "messages")
		if result == "[]" {
			continue
		}
		moved++
		compare("check", result, state)
		compare("plan", result, state)
	}
	if moved < n/10 {
		t.Errorf("only %d of %d sessions were compacted", moved, n)
	}
}

func raws(m []json.RawMessage) [][]byte {
	b := make([][]byte, len(m))
	for i := range m {
		b[i] = m[i]
	}
	return b
}

// The loop of plan and step over a session, with messages that come in between, and a request body around the list.
func TestSessionSteps(t *testing.T) {
	text, err := os.ReadFile("../testdata/sample.anthropic.json")
	if err != nil {
		t.Fatal(err)
	}
	l := &core.Sessions{}
	body := fmt.Sprintf(`{"system":"You help.","messages":%s,"model":"claude-x","tools":[]}`, text)
	opened := l.Call("session_open", []byte(`{"policy":{"format":"anthropic","window":{"tokens":32000}},"messages":`+body+`}`))
	if field(t, opened, "session") != "1" {
		t.Fatalf("%s", opened)
	}
	pending := l.Call("plan", []byte(`{"session":1}`))
	plan, requests := field(t, pending, "plan"), field(t, pending, "requests")
	if requests == "" {
		t.Fatalf("the sample is not folded: %.300s", pending)
	}
	last := `{"role":"user","content":"And one more thing."}`
	l.Call("session_append", []byte(`{"session":1,"messages":[`+last+`]}`))
	done := l.Call("step", []byte(`{"session":1,"plan":`+plan+`,"summaries":[]}`))
	longer := strings.Replace(body, string(bytes.TrimRight(text, " \n]")), string(bytes.TrimRight(text, " \n]"))+","+last, 1)
	want := core.Call("step", []byte(`{"plan":`+plan+`,"summaries":[],"messages":`+longer+`}`))
	var a, b any
	if json.Unmarshal([]byte(field(t, done, "messages")), &a) != nil || json.Unmarshal([]byte(field(t, want, "messages")), &b) != nil {
		t.Fatalf("%.300s\n%.300s", done, want)
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("a step over a session gives another result than over its messages")
	}
	if again := l.Call("plan", []byte(`{"session":1}`)); field(t, again, "requests") != "" || strings.Contains(string(again), `"changed":true`) {
		t.Errorf("the session has not gone on with the result: %.300s", again)
	}
	if stale := l.Call("step", []byte(`{"session":1,"plan":`+plan+`,"summaries":[]}`)); !strings.Contains(string(stale), "plan_mismatch") {
		t.Errorf("a plan was taken twice: %.300s", stale)
	}
}

func TestSessionErrors(t *testing.T) {
	l := &core.Sessions{}
	const user = `{"role":"user","content":"Hello."}`
	for _, c := range []struct{ op, request, want string }{
		{"check", `{"session":1}`, `"session_closed"`},
		{"session_open", `{"policy":{"format":"openai-chat","window":{"tokens":1000}}}`, `{"session":1,"messages":0,"tokens":0,"format":"openai-chat"}`},
		{"check", `{"session":1}`, `{"due":false,"reason":"under_budget",`},
		{"plan", `{"session":1}`, `"messages":[]}`},
		{"validate", `{"session":1}`, `"valid":true,`},
		{"session_append", `{"session":1,"messages":[` + user + `]}`, `,"format":"openai-chat"}`},
		{"session_append", `{"session":1,"messages":[` + user + `,{"content":"x"}]}`, `"code":"missing_role","message":"this message has no role","path":"messages[1]","offset":`},
		{"session_append", `{"session":1,"messages":[]}`, `"messages":1,`},
		{"session_append", `{"session":1,"messages":{}}`, `"wrong_type"`},
		{"session_append", `{"session":1}`, `"missing_field"`},
		{"session_append", `{"messages":[]}`, `"missing_field"`},
		{"session_close", `{}`, `"missing_field"`},
		{"session_append", `{"session":1,"messages":[` + user + `],"policy":{}}`, `"unknown_field"`},
		{"check", `{"session":1,"messages":[` + user + `]}`, `not both`},
		{"check", `{"session":"1"}`, `"wrong_type"`},
		{"check", `{"session":1e9}`, `"wrong_type"`},
		{"check", `{"session":1}`, `"messages":1,`},
		{"check", `{"session":1,"policy":{"estimator":"utf16-4","window":{"tokens":1000}}}`, `"tokens":4,`},
		{"session_open", `{"messages":[{"role":"user","parts":[{"text":"Hi."}]}]}`, `{"session":2,"messages":1,"tokens":`},
		{"session_close", `{"session":1}`, `{"closed":1}`},
		{"session_append", `{"session":1,"messages":[` + user + `]}`, `"session_closed"`},
		{"detect", `{"session":2}`, `{"format":"gemini"`},
		{"session_open", `{"messages":[{"role":"user"`, `"truncated_json"`},
		{"session_open", `{"messages":[{"role":"user","content":[{"type":"text","text":"Hello."}]}]}`, `"ambiguous_format"`},
	} {
		if got := string(l.Call(c.op, []byte(c.request))); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s, want %s", c.op, c.request, got, c.want)
		}
	}
}

// allocates returns the minimum number of bytes that f allocates in several runs. Unlike time, it is the same on every machine.
func allocates(f func()) uint64 {
	least := ^uint64(0)
	for range 8 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// The allocations of a turn in a session don't depend on earlier messages. Those of a plan that is not due depend on the number of
// messages, but not on their length.
func TestSessionCosts(t *testing.T) {
	opened := func(messages, words int) func(op, members string) {
		l := &core.Sessions{}
		turn := `{"role":"user","content":"` + strings.Repeat("again ", words) + `"},{"role":"assistant","content":"Done."}`
		list := strings.Repeat(turn+",", messages/2-1) + turn
		call := func(op, request string) {
			if answer := l.Call(op, []byte(request)); bytes.HasPrefix(answer, []byte(`{"error"`)) {
				t.Fatalf("%s: %s", op, answer)
			}
		}
		call("session_open", `{"policy":{"format":"openai-chat","window":{"tokens":1000000000}},"options":{"answer":"edits"},"messages":[`+list+`]}`)
		return func(op, members string) { call(op, `{"session":1`+members+`}`) }
	}
	few, many, long := opened(100, 50), opened(10000, 50), opened(100, 5000)
	turn := func(call func(op, members string)) uint64 {
		return allocates(func() {
			call("session_append", `,"messages":[{"role":"user","content":"And now?"}]`)
			call("check", "")
		})
	}
	if a, b, c := turn(few), turn(many), turn(long); b > a*3/2 || c > a*3/2 {
		t.Errorf("a turn allocates %d bytes behind 100 messages, %d behind 10,000, and %d behind 100 long ones", a, b, c)
	}
	plan := func(call func(op, members string)) uint64 { return allocates(func() { call("plan", "") }) }
	a, b, c := plan(few), plan(many), plan(long)
	if c > a*3/2 {
		t.Errorf("a plan allocates %d bytes for short messages, and %d for long ones", a, c)
	}
	if most := uint64(1000 * 10000); b > most {
		t.Errorf("a plan allocates %d bytes for 10,000 messages, more than %d", b, most)
	}
}

// An append costs as much as the appended messages, whatever came before.
func BenchmarkSessionTurn(b *testing.B) {
	for _, mb := range []int{1, 50} {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			turn := `{"role":"user","content":"` + strings.Repeat("Read the file again. ", 100) + `"},{"role":"assistant","content":"Done."}`
			l := &core.Sessions{}
			list := strings.Repeat(turn+",", mb<<20/len(turn)) + turn
			l.Call("session_open", []byte(`{"policy":{"format":"openai-chat","window":{"tokens":1000000000}},"messages":[`+list+`]}`))
			request := []byte(`{"session":1,"messages":[` + turn + `]}`)
			for b.Loop() {
				l.Call("session_append", request)
				l.Call("check", []byte(`{"session":1}`))
			}
		})
	}
}

// Options of one call override those of its session, and apply only to that call.
func TestSessionOptionsOfOneCall(t *testing.T) {
	l := &core.Sessions{}
	messages := make([]string, 40)
	for i := range messages {
		messages[i] = fmt.Sprintf(`{"role":%q,"content":"Message %d: %s"}`, []string{"user", "assistant"}[i%2], i, strings.Repeat("and so on ", 20))
	}
	opened := l.Call("session_open", []byte(`{"policy":{"window":{"tokens":2000,"reserve":0}},"options":{"answer":"report","summary":{"mode":"local"}},"messages":[`+strings.Join(messages, ",")+`]}`))
	if field(t, opened, "session") != "1" {
		t.Fatalf("%s", opened)
	}
	asks := func(options string) bool {
		answer := l.Call("plan", []byte(`{"session":1,"options":`+options+`}`))
		return field(t, answer, "requests") != ""
	}
	if asks(`{}`) || !asks(`{"summary":{"mode":"model"}}`) {
		t.Error("the session's summary.mode is not used, or the call's is not")
	}
	if asks(`{}`) {
		t.Error("the call's summary.mode stays")
	}
}

// Options that are sent again have the same effect as in a session to which they are sent for the first time, also after the session's format
// has changed, and for a job.
func TestSessionOptionsSentAgain(t *testing.T) {
	const policy, plain = `{"window":{"tokens":4000},"gate":{"idle":60}}`, `[{"role":"user","content":"Paint the hull."}]`
	const called = `[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"a","content":"red"}]`
	open := func() *core.Sessions {
		l := &core.Sessions{}
		l.Call("session_open", []byte(`{"policy":`+policy+`,"options":{"answer":"edits"},"messages":`+plain+`}`))
		return l
	}
	requests := []string{`"options":{"idle":10}`, `"options":{"idle":70}`, `"options":{"window":900}`, `"options":{"idle":10}`, `"options":{"idle":-1}`,
		`"options":{"idle":-1}`, `"options":{"idle":10},"policy":{"window":{"tokens":9000}}`, `"options":{"idle":10}`, `"options":{"idle":70}`,
		`"options":{}`, `"options":{"idle":"x"}`, `"options":{"idle":10}`}
	start := `"settings":{"operation":"plan","now":1700000000000,"turn":{"moment":"before","notes":{"time":1600000000000}}}`
	shared, grown := open(), false
	for round := range 2 {
		for i, request := range requests {
			if round == 1 && i == 2 {
				shared.Call("session_append", []byte(`{"session":1,"messages":`+called+`}`))
				grown = true
			}
			for _, op := range []string{"check", "loop_start"} {
				own := request
				if op == "loop_start" {
					own += "," + start
				}
				alone := open()
				if grown {
					alone.Call("session_append", []byte(`{"session":1,"messages":`+called+`}`))
				}
				want, got := alone.Call(op, []byte(`{"session":1,`+own+`}`)), shared.Call(op, []byte(`{"session":1,`+own+`}`))
				if string(got) != string(want) {
					t.Errorf("%s %s, round %d: %s, not %s", op, own, round, got, want)
				}
			}
		}
	}
}

// A call that returns only the report leaves the session as it is, its state included: the next call answers as if it were the first.
func TestReportLeavesTheSession(t *testing.T) {
	const policy = `"policy":{"format":"plain","window":{"tokens":2000,"reserve":0},"archive":"bodies"}`
	messages := make([]string, 60)
	for i := range messages {
		messages[i] = fmt.Sprintf(`{"role":%q,"content":"Message %d of file%d.go: %s"}`, []string{"user", "assistant"}[i%2], i, i, strings.Repeat("and so on ", 20))
	}
	l := &core.Sessions{}
	call := func(op, options string) string {
		return string(l.Call(op, []byte(`{"session":1,"options":{"summary":{"mode":"local"}`+options+`}}`)))
	}
	if opened := l.Call("session_open", []byte(`{`+policy+`,"messages":[`+strings.Join(messages, ",")+`]}`)); field(t, opened, "session") != "1" {
		t.Fatalf("%s", opened)
	}
	first := call("plan", `,"answer":"report"`)
	if !strings.Contains(first, `"changed":true`) {
		t.Fatalf("nothing was compacted: %s", first)
	}
	if next := call("plan", `,"answer":"report"`); next != first {
		t.Errorf("the second report differs from the first:\n%s\n%s", first, next)
	}
	edits := call("plan", `,"answer":"edits"`)
	if alone := string(core.Call("plan", []byte(`{`+policy+`,"options":{"summary":{"mode":"local"},"answer":"edits"},"messages":[`+strings.Join(messages, ",")+`]}`))); edits != alone {
		t.Errorf("after two reports a session answers\n%s\nwithout a session the answer is\n%s", edits, alone)
	}
	var answer api.Planned
	if err := json.Unmarshal([]byte(edits), &answer); err != nil {
		t.Fatal(err)
	}
	var bodies []string
	for _, b := range answer.Archive {
		bodies = append(bodies, fmt.Sprintf(`{"handle":%q,"body":%s}`, b.Handle, quote(*b.Inline)))
	}
	restore := func(options string) string {
		return string(l.Call("restore", []byte(`{"session":1,"bodies":[`+strings.Join(bodies, ",")+`]`+options+`}`)))
	}
	back := restore(`,"options":{"answer":"report"}`)
	if next := restore(`,"options":{"answer":"report"}`); !strings.Contains(back, `"changed":true`) || next != back {
		t.Errorf("two reports of a restored session differ:\n%s\n%s", back, next)
	}
}

// TestSessionRefusesUnreadMessages appends messages of another format, of which the session's format reads nothing. The error is the same
// as for the whole list, and the session stays unchanged and usable.
func TestSessionRefusesUnreadMessages(t *testing.T) {
	said := func(member string, from, to int) string {
		var list []string
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprintf(`{"id":"%d","role":%q,"parts":[{"type":"text",%q:"This is what was said in turn %d of them."}]}`, i, []string{"user", "assistant"}[i%2], member, i))
		}
		return strings.Join(list, ",")
	}
	const policy = `"policy":{"format":"ai-sdk-ui","window":{"tokens":8000}}`
	own, others := said("text", 0, 2), said("content", 2, 30)
	whole := string(core.Call("check", []byte(`{`+policy+`,"messages":[`+own+`,`+others+`]}`)))
	if !strings.Contains(whole, `"wrong_format"`) {
		t.Fatalf("the whole list gets %s", whole)
	}
	var sessions core.Sessions
	call := func(op, request string) string { return string(sessions.Call(op, []byte(request))) }
	if opened := call("session_open", `{`+policy+`,"messages":[`+own+`]}`); !strings.Contains(opened, `"session":1,`) {
		t.Fatal(opened)
	}
	before := call("check", `{"session":1}`)
	for range 2 {
		if a := call("session_append", `{"session":1,"messages":[`+others+`]}`); !strings.Contains(a, `"wrong_format"`) {
			t.Errorf("they are appended: %s", a)
		}
	}
	if after := call("check", `{"session":1}`); after != before {
		t.Errorf("the session is now %s, and was %s", after, before)
	}
	more := said("text", 2, 30)
	call("session_append", `{"session":1,"messages":[`+more+`]}`)
	if got, want := call("check", `{"session":1}`), string(core.Call("check", []byte(`{`+policy+`,"messages":[`+own+`,`+more+`]}`))); got != want {
		t.Errorf("it goes on with %s, want %s", got, want)
	}
}

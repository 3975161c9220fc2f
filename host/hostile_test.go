package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/host"
	"github.com/ctxfold/ctxfold/internal/testing/steps"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// hostile is an input that grows with n. Each operation on it must take time and memory in
// proportion to its bytes.
type hostile struct {
	name    string
	op      string
	n       int // its size in the long run
	request func(n int) []byte
	code    api.Code // of the expected error; "" if an answer is expected
	long    bool     // it is for the long run only
}

func list(n int, message func(b *bytes.Buffer, i int)) string {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		message(&b, i)
	}
	b.WriteByte(']')
	return b.String()
}

// planOf returns a request for plan. Options may follow the policy.
func planOf(policy, messages string) []byte {
	return []byte(`{"policy":` + policy + `,"messages":` + messages + `}`)
}

const (
	tight    = `{"format":"openai-chat","window":{"tokens":2000,"reserve":0},"summary":{"mode":"local"}},"options":{"force":true}`
	callOf   = `{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}]}`
	resultOf = `{"role":"tool","tool_call_id":%q,"content":%q}`
)

// calls returns a conversation of n tool calls.
func calls(n int, id func(i int) string, path func(i int) string) string {
	return list(n, func(b *bytes.Buffer, i int) {
		if i%1000 == 0 {
			b.WriteString(`{"role":"user","content":"go on"},`)
		}
		fmt.Fprintf(b, callOf+","+resultOf, id(i), "read", `{"path":"`+path(i)+`"}`, id(i), "one two three")
	})
}

// convertOf returns a request to write messages in another format.
func convertOf(from, to, messages string) []byte {
	return fmt.Appendf(nil, `{"policy":{"format":%q},"to":%q,"messages":%s}`, from, to, messages)
}

var hostiles = []hostile{
	{name: "brackets", op: "plan", n: 200 << 20, code: "wrong_type",
		request: func(n int) []byte { return planOf(tight, strings.Repeat("[", n)) }},
	{name: "brackets inside a message", op: "plan", n: 50 << 20, code: "too_deep",
		request: func(n int) []byte { return planOf(tight, `[{"role":"user","any":`+strings.Repeat("[", n)) }},
	{name: "messages of one byte", op: "plan", n: 100_000, request: func(n int) []byte {
		return planOf(tight, list(n, func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"role":%q,"content":"x"}`, []string{"user", "assistant"}[i%2])
		}))
	}},
	{name: "one message", op: "plan", n: 100 << 20, request: func(n int) []byte {
		return planOf(tight, `[{"role":"user","content":"`+strings.Repeat("long ", n/5)+`"}]`)
	}},
	{name: "one message of escapes", op: "plan", n: 50 << 20, request: func(n int) []byte {
		return planOf(tight, `[{"role":"user","content":"`+strings.Repeat(`\ud83d\ude00`, n/12)+`"}]`)
	}},
	{name: "a million tool calls with one id", op: "plan", n: 400_000, code: "too_large", long: true, request: func(n int) []byte {
		return planOf(tight, calls(n+600_000, func(int) string { return "same" }, func(i int) string { return fmt.Sprint(i) }))
	}},
	{name: "tool calls with one id", op: "plan", n: 500_000, request: func(n int) []byte {
		return planOf(tight, calls(n, func(int) string { return "same" }, func(i int) string { return fmt.Sprint(i) }))
	}},
	{name: "tool calls with one id, validated", op: "validate", n: 200_000, request: func(n int) []byte {
		return planOf(`{"format":"openai-chat"}`, calls(n, func(int) string { return "same" }, func(int) string { return "a" }))
	}},
	{name: "results that answer nothing", op: "repair", n: 200_000, request: func(n int) []byte {
		return planOf(`{"format":"openai-chat"}`, list(n, func(b *bytes.Buffer, i int) {
			if i == 0 {
				b.WriteString(`{"role":"user","content":"go"},`)
			}
			fmt.Fprintf(b, resultOf, fmt.Sprint("none", i), "one")
		}))
	}},
	{name: "results in reverse order behind all calls", op: "repair", n: 100_000, request: func(n int) []byte {
		return planOf(`{"format":"openai-chat"}`, list(2*n, func(b *bytes.Buffer, i int) {
			if i < n {
				fmt.Fprintf(b, callOf, fmt.Sprint("c", i), "read", "{}")
			} else {
				fmt.Fprintf(b, resultOf, fmt.Sprint("c", 2*n-1-i), "one")
			}
		}))
	}},
	{name: "ids of 1 MB", op: "plan", n: 100, request: func(n int) []byte {
		long := strings.Repeat("x", 1<<20)
		return planOf(tight, calls(n, func(i int) string { return long + fmt.Sprint(i) }, func(int) string { return "a" }))
	}},
	{name: "the same file read again and again", op: "plan", n: 100_000, request: func(n int) []byte {
		policy := strings.Replace(tight, `"summary"`, `"passes":[{"pass":"dedupe"},{"pass":"clear"},{"pass":"fold","keep_tokens":500},{"pass":"rehydrate"}],"summary"`, 1)
		return planOf(policy, calls(n, func(i int) string { return fmt.Sprint("c", i) }, func(int) string { return "same.txt" }))
	}},
	{name: "another file every time", op: "plan", n: 100_000, request: func(n int) []byte {
		return planOf(tight, calls(n, func(i int) string { return fmt.Sprint("c", i) }, func(i int) string { return fmt.Sprintf("dir/%d.txt", i) }))
	}},
	{name: "requests of the user that name each other", op: "plan", n: 50_000, request: func(n int) []byte {
		return planOf(tight, list(n, func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"role":"user","content":"look at /src/file_%d.go and at error E%d"},{"role":"assistant","content":"file_%d.go failed: E%d"}`, i, i, n-i, n-i)
		}))
	}},
	{name: "marks and headings of our own", op: "plan", n: 50_000, request: func(n int) []byte {
		return planOf(tight, list(n, func(b *bytes.Buffer, i int) {
			b.WriteString(`{"role":"user","content":"[session digest — older turns condensed]\n# Objective\n<user-requests>\n- [first] go\n</user-requests>\n[Old tool result content cleared]"}`)
		}))
	}},
	{name: "as many pins as there may be", op: "plan", n: 20_000, request: func(n int) []byte {
		pins := list(1000, func(b *bytes.Buffer, i int) { fmt.Fprintf(b, `{"contains":"needle%d"}`, i) })
		policy := strings.Replace(tight, `"summary"`, `"pins":`+pins+`,"summary"`, 1)
		return planOf(policy, list(n, func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"role":%q,"content":"needl needl needl %d"}`, []string{"user", "assistant"}[i%2], i)
		}))
	}},
	{name: "a policy of 12 MB", op: "plan", n: 900_000, code: "too_large", request: func(n int) []byte {
		policy := strings.Replace(tight, `"summary"`, `"pins":`+list(n+100_000, func(b *bytes.Buffer, i int) { b.WriteString(`{"index":1}`) })+`,"summary"`, 1)
		return planOf(policy, `[{"role":"user","content":"x"}]`)
	}},
	{name: "too many pins", op: "plan", n: 60_000, code: "out_of_range", request: func(n int) []byte {
		policy := strings.Replace(tight, `"summary"`, `"pins":`+list(n+4000, func(b *bytes.Buffer, i int) { b.WriteString(`{"index":1}`) })+`,"summary"`, 1)
		return planOf(policy, `[{"role":"user","content":"x"}]`)
	}},
	{name: "too many passes", op: "plan", n: 50_000, code: "out_of_range", request: func(n int) []byte {
		policy := strings.Replace(tight, `"summary"`, `"passes":`+list(n+4000, func(b *bytes.Buffer, i int) { b.WriteString(`{"pass":"clear"}`) })+`,"summary"`, 1)
		return planOf(policy, `[{"role":"user","content":"x"}]`)
	}},
	{name: "a key that matters, twice", op: "plan", n: 1 << 20, code: "duplicate_key", request: func(n int) []byte {
		return planOf(tight, `[{"role":"user",`+strings.Repeat(`"a":1,`, n/6)+`"role":"user","content":"x"}]`)
	}},
	{name: "tool calls with one id, converted", op: "convert", n: 200_000, request: func(n int) []byte {
		return convertOf("openai-chat", "mistral", calls(n, func(int) string { return "same" }, func(i int) string { return fmt.Sprint(i) }))
	}},
	{name: "ids that a conversion would give, converted", op: "convert", n: 200_000, request: func(n int) []byte {
		return convertOf("openai-chat", "mistral", calls(n, func(i int) string {
			if i%2 == 0 {
				return fmt.Sprintf("cf%07d", i)
			}
			return "bad"
		}, func(int) string { return "a" }))
	}},
	{name: "members that nobody knows, converted", op: "convert", n: 200_000, request: func(n int) []byte {
		return convertOf("anthropic", "gemini", `[{"role":"user","content":[`+strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"a","x":1,"cache_control":{"y":1}},`, n), ",")+`]}]`)
	}},
	{name: "one step after another, converted", op: "convert", n: 100_000, request: func(n int) []byte {
		return convertOf("openai-chat", "ai-sdk-ui", calls(n, func(i int) string { return fmt.Sprint("c", i) }, func(i int) string { return "a" }))
	}},
	{name: "half surrogates", op: "repair", n: 5 << 20, request: func(n int) []byte {
		return planOf(`{"format":"openai-chat"}`, `[{"role":"user","content":"`+strings.Repeat(`\ud83d `, n/7)+`"}]`)
	}},
}

// The cost of a hostile input grows linearly with its size: its steps are counted natively, and its memory natively and in the module. The
// same instance answers the next call. The long run uses the full size of the inputs, and writes the table of docs/inside/threats.md, which
// also has times, to the file named by CTXFOLD_LONG.
func TestHostile(t *testing.T) {
	long := os.Getenv("CTXFOLD_LONG")
	out := "| input | operation | MB | messages | answer | native: s of CPU | times linear | MB allocated | module: s of CPU | times linear | MB of memory |\n" +
		"| --- | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
	var counter *steps.Counter
	if !testing.Short() {
		counter = steps.Start(t)
	}
	for _, h := range hostiles {
		t.Run(h.name, func(t *testing.T) {
			if h.long && long == "" {
				t.Skip("for the long run")
			}
			n := h.n
			if long == "" {
				n = max(h.n/50, 8)
			}
			if counter != nil && !h.long {
				counter.Linear(t, h.op, max(h.n/50, 8), h.request)
			}
			whole := h.request(n)
			answer := h.code
			if answer == "" {
				answer = "a result"
			}
			row := fmt.Sprintf("| %s | %s | %.1f | %d | %s |", h.name, h.op, float64(len(whole))/1e6, bytes.Count(whole, []byte(`"role"`)), answer)
			for _, name := range []string{"native", "module"} {
				seen := &recorder{}
				o := ctxfold.Options{Metrics: seen}
				c := native(t, o)
				if name == "module" {
					c = open(t, host.Options{Instances: 1, Options: o}).Compactor
				}
				took, factor := time.Duration(0), 0.0
				if long == "" {
					h.call(t, c, whole)
				} else { // compares the time of the whole input with linear growth from a quarter of it
					small := h.request(n / 4)
					quick := fastest(t, c, h, small)
					took = fastest(t, c, h, whole)
					factor = float64(took) / float64(quick) * float64(len(small)) / float64(len(whole))
				}
				peak := seen.operations[len(seen.operations)-1].MemoryBytes
				if name == "native" {
					peak = allocated(func() { _, _ = c.Call(t.Context(), h.op, whole) })
				}
				// A record of a message takes a few hundred bytes, the record of its changes as
				// many, and the collector lets the heap grow to twice that size before it runs.
				if bound := 8*uint64(len(whole)) + 8<<10*uint64(bytes.Count(whole, []byte(`"role"`))) + 64<<20; peak > bound {
					t.Errorf("%s: %d bytes take %d bytes of memory, more than %d", name, len(whole), peak, bound)
				}
				if _, err := c.Call(t.Context(), "estimate", []byte(`{"policy":{"format":"openai-chat"},"messages":[{"role":"user","content":"x"}]}`)); err != nil {
					t.Errorf("%s: the call after it: %v", name, err)
				}
				row += fmt.Sprintf(" %.2f | %.1f | %.0f |", took.Seconds(), factor, float64(peak)/1e6)
				t.Logf("%s: %v, %.1f times what is linear, %d MB", name, took.Round(time.Millisecond), factor, peak/1e6)
				_ = c.Close(t.Context())
			}
			out += row + "\n"
		})
	}
	if long == "" {
		return
	}
	if err := os.WriteFile(long, []byte(out), 0o666); err != nil {
		t.Error(err)
	}
}

// call makes one call, and fails the test if the answer is not of the expected kind.
func (h hostile) call(t *testing.T, c *ctxfold.Compactor, request []byte) {
	t.Helper()
	_, err := c.Call(t.Context(), h.op, request)
	var e *ctxfold.Error
	switch {
	case h.code == "" && err != nil:
		t.Fatalf("%d bytes: %v", len(request), err)
	case h.code != "" && (!errors.As(err, &e) || e.Code != h.code):
		t.Fatalf("%d bytes: %v, want %s", len(request), err, h.code)
	}
}

// fastest returns the shortest processor time of three runs.
func fastest(t *testing.T, c *ctxfold.Compactor, h hostile, request []byte) time.Duration {
	t.Helper()
	best := time.Duration(1<<63 - 1)
	for range 3 {
		start := now()
		h.call(t, c, request)
		if best = min(best, now()-start); best > 5*time.Second {
			break
		}
	}
	return best
}

// allocated returns the number of bytes that f allocates in total, which is at least the maximum that it holds at any time.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Plans and states that somebody has changed are refused, or lead to another valid result. In make test the module gets a quarter of the
// changes, and the native engine the others.
func TestTampered(t *testing.T) {
	messages := sample(t)
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		a, err := c.Plan(t.Context(), ctxfold.Input{Messages: messages, Policy: policy})
		if err != nil || len(a.Requests) == 0 {
			t.Fatalf("%v: %+v", err, a)
		}
		done, err := c.Compact(t.Context(), messages, policy, nil)
		if err != nil {
			t.Fatal(err)
		}
		replies := []ctxfold.Summary{{ID: a.Requests[0].ID, Text: summary}}
		other := []byte(`[{"role":"user","content":"another"},{"role":"assistant","content":[{"type":"text","text":"conversation"}]}]`)
		var e *ctxfold.Error
		if _, err := c.Step(t.Context(), ctxfold.Input{Messages: other}, a.Plan, replies); !errors.As(err, &e) || e.Code != "plan_mismatch" {
			t.Errorf("a plan for other messages: %v", err)
		}
		changed := bytes.Replace(messages, []byte("the"), []byte("teh"), 1)
		if _, err := c.Step(t.Context(), ctxfold.Input{Messages: changed}, a.Plan, replies); !errors.As(err, &e) || e.Code != "plan_mismatch" {
			t.Errorf("a plan for messages of which one letter was changed: %v", err)
		}
		// Every value of a plan and of a state is replaced by others, one at a time.
		for what, text := range map[string]json.RawMessage{"plan": a.Plan, "state": done.State} {
			all := mutations(t, text)
			for i, path := range slices.Sorted(maps.Keys(all)) {
				if native := strings.HasSuffix(t.Name(), "/native"); !trials.All() && native == (i%4 == 0) {
					continue
				}
				tampered := all[path]
				if what == "plan" {
					answer, err := c.Step(t.Context(), ctxfold.Input{Messages: messages}, tampered, replies)
					check(t, c, what+" "+path, messages, err, func() json.RawMessage { return answer.Messages })
				} else {
					answer, err := c.CompactWith(t.Context(), ctxfold.Input{Messages: messages, Policy: policy, State: tampered}, nil)
					check(t, c, what+" "+path, messages, err, func() json.RawMessage { return answer.Messages })
				}
			}
		}
	})
}

// check fails the test unless the call returned an error of the core or a valid transcript.
func check(t *testing.T, c *ctxfold.Compactor, what string, before []byte, err error, result func() json.RawMessage) {
	t.Helper()
	var e *ctxfold.Error
	if err != nil {
		if !errors.As(err, &e) || e.Code == "internal" {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	after := result()
	if after == nil { // summaries are wanted
		return
	}
	if v, err := c.Validate(context.Background(), ctxfold.Input{Messages: after, Format: "anthropic"}); err != nil || !v.Valid && !bytes.Equal(before, after) {
		t.Errorf("%s: the result is not valid: %v, %+v", what, err, v)
	}
}

// mutations returns copies of a JSON text in which one value is replaced, keyed by the path and the value.
func mutations(t *testing.T, text json.RawMessage) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	var walk func(v any, path string, put func(any) any)
	walk = func(v any, path string, put func(any) any) {
		for name, evil := range map[string]any{"null": nil, "-1": -1, "1e15": 1e15, "true": true, "text": strings.Repeat("</x>", 9), "list": []any{map[string]any{}}, "object": map[string]any{"a": 1}} {
			replaced, err := json.Marshal(put(evil))
			if err != nil {
				t.Fatal(err)
			}
			out[path+" "+name] = replaced
		}
		switch v := v.(type) {
		case map[string]any:
			for k, inner := range v {
				walk(inner, path+"."+k, func(evil any) any {
					copied := map[string]any{}
					for key, value := range v {
						copied[key] = value
					}
					copied[k] = evil
					return put(copied)
				})
			}
		case []any:
			for i, inner := range v {
				if i > 2 {
					break
				}
				walk(inner, fmt.Sprintf("%s[%d]", path, i), func(evil any) any {
					copied := append([]any(nil), v...)
					copied[i] = evil
					return put(copied)
				})
			}
		}
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	walk(v, "", func(evil any) any { return evil })
	return out
}

// Markers do not feed on themselves: compacting the result again and again, with new messages in between, does not grow it.
func TestMarkersDoNotGrow(t *testing.T) {
	c := native(t, ctxfold.Options{})
	messages, state := sample(t), json.RawMessage(nil)
	var sizes []int
	for i := range 30 {
		var l []json.RawMessage
		if err := json.Unmarshal(messages, &l); err != nil {
			t.Fatal(err)
		}
		l = append(l, json.RawMessage(fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"more%d","name":"Read","input":{"file_path":"f%d"}}]}`, i, i%3)),
			json.RawMessage(fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"more%d","content":%q}]}`, i, strings.Repeat("text ", 2000))),
			json.RawMessage(`{"role":"assistant","content":"ok"}`), json.RawMessage(`{"role":"user","content":"go on"}`))
		grown, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.CompactWith(t.Context(), ctxfold.Input{Messages: grown, Policy: ctxfold.RawPolicy(`{"window":{"tokens":16000}}`), State: state, Force: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		messages, state = r.Messages, r.State
		sizes = append(sizes, len(messages)+len(state))
	}
	if early, late := sizes[9], sizes[len(sizes)-1]; late > early*3/2 {
		t.Errorf("bytes after each compaction: %v", sizes)
	}
}

package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// TestPiece turns the beginning of a message into a separate message. References between its parts must point to the copies.
func TestPiece(t *testing.T) {
	tr := read(t, "anthropic", `[{"role":"user","content":[
		{"type":"text","text":"a"},
		{"type":"tool_result","tool_use_id":"x","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]}]},
		{"role":"assistant","content":[
		{"type":"server_tool_use","id":"s","name":"code_execution","input":{}},
		{"type":"tool_use","id":"t","name":"f","input":{},"caller":{"type":"code_execution","tool_id":"s"}},
		{"type":"code_execution_tool_result","tool_use_id":"s","content":[]},
		{"type":"server_tool_use","id":"u","name":"web","input":{}},
		{"type":"web_tool_result","tool_use_id":"u","content":[]}]}]`)
	show := func(m int32) string {
		var b strings.Builder
		first := tr.Messages[m].First
		for _, p := range tr.PartsOf(int(m)) {
			rel := func(n int32) string {
				if n < 0 {
					return "-"
				}
				return fmt.Sprint(n - first)
			}
			fmt.Fprintf(&b, "%s in %s with %s by %s of %d; ", p.Kind, rel(p.Parent), rel(p.Pair), rel(p.Caller-1), p.Msg)
		}
		return b.String()
	}
	last := tr.Messages[1].First + tr.Messages[1].Count
	for _, c := range []struct {
		message, end int32
		want         string
	}{
		{0, 4, "text in - with - by - of 2; tool_result in - with - by - of 2; text in 1 with - by - of 2; text in 1 with - by - of 2; "},
		{1, last, "tool_call in - with 2 by - of 3; tool_call in - with - by 0 of 3; tool_result in - with 0 by - of 3; tool_call in - with 4 by - of 3; tool_result in - with 3 by - of 3; "},
		{0, 1, "text in - with - by - of 4; "},
	} {
		n := tr.BeforePart(c.message, c.end)
		if got := show(n); got != c.want {
			t.Errorf("message %d up to part %d is\n%s, want\n%s", c.message, c.end, got, c.want)
		}
		if got, want := tr.Messages[n].Span, tr.Messages[c.message].Span; got != want {
			t.Errorf("the piece has the span %v, not %v", got, want)
		}
	}
	// A result outside of the piece stays where it is.
	n := tr.BeforePart(1, last-1)
	p := tr.PartsOf(int(n))[3]
	if p.Pair != last-1 {
		t.Errorf("the call is paired with part %d, not %d", p.Pair, last-1)
	}
}

// TestPairsFar answers calls with more open calls in between than are examined one by one.
func TestPairsFar(t *testing.T) {
	open := func(from, n int) (ids []string) {
		for i := range n {
			ids = append(ids, fmt.Sprint("open", from+i))
		}
		return ids
	}
	pairs := func(format string, messages ...string) string {
		tr := read(t, format, "["+strings.Join(messages, ",")+"]")
		var out []string
		for i := range tr.Parts {
			if p := &tr.Parts[i]; p.Kind == transcript.ToolResult {
				switch {
				case p.Pair < 0:
					out = append(out, "-")
				case tr.Parts[p.Pair].Pair != int32(i):
					t.Error("the call does not point back")
				default:
					out = append(out, fmt.Sprintf("%s@%d", tr.Text(tr.Parts[p.Pair].ID), p.Pair))
				}
			}
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		name     string
		messages []string
		want     string
	}{
		{"the newest of one id", []string{asks("a", "b", "a"), asks(open(0, 200)...), answers("a"), answers("a"), answers("a")}, "a@2 a@0 -"},
		{"the first and the last by order of ids", []string{asks("a", "zz"), asks(open(0, 200)...), answers("zz"), answers("a")}, "zz@1 a@0"},
		{"an id that nothing has", []string{asks("a"), asks(open(0, 200)...), answers("b"), answers("0"), answers("zzz")}, "- - -"},
		{"not one behind the result", []string{asks(open(0, 200)...), answers("a"), asks("a")}, "-"},
		{"one that is answered already", []string{asks("a"), answers("a"), asks("a"), asks(open(0, 200)...), answers("a"), answers("a")}, "a@0 a@2 -"},
		{"many of one id", []string{asks(strings.Split(strings.Repeat("a ", 100)+"b", " ")...), asks(open(0, 200)...), answers("b"), answers("a"), answers("a")}, "b@100 a@99 a@98"},
	} {
		if got := pairs("openai-chat", c.messages...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// The same id on both sides: the application's result belongs to the application's call, if it is not hidden by too many.
	for n, want := range map[int]string{40: "x@0", 100: "-"} {
		list := []string{`{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"f","input":{}}]}`}
		for i := range n {
			list = append(list, fmt.Sprintf(`{"role":"assistant","content":[{"type":"server_tool_use","id":"x","name":"web","input":{}},{"type":"tool_use","id":"o%d","name":"f","input":{}}]}`, i))
		}
		list = append(list, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"r"}]}`)
		if got := pairs("anthropic", list...); got != want {
			t.Errorf("behind %d calls of the provider's: %s, want %s", n, got, want)
		}
	}
}

// TestPairsByName tests the legacy function calls, which have no ids.
func TestPairsByName(t *testing.T) {
	call := func(name string) string {
		return `{"role":"assistant","content":null,"function_call":{"name":"` + name + `","arguments":"{}"}}`
	}
	result := func(name string) string { return `{"role":"function","name":"` + name + `","content":"r"}` }
	for _, c := range []struct {
		name     string
		messages []string
		want     string
	}{
		{"in order", []string{call("f"), result("f"), call("f"), result("f")}, "0 2"},
		{"the newest open one first", []string{call("f"), call("f"), result("f"), result("f"), result("f")}, "1 0 -"},
		{"by name", []string{call("f"), call("g"), result("f"), result("g"), result("h")}, "0 1 -"},
		{"before its call", []string{result("f"), call("f")}, "-"},
	} {
		tr := read(t, "openai-chat", "["+strings.Join(c.messages, ",")+"]")
		var out []string
		for i := range tr.Parts {
			if p := &tr.Parts[i]; p.Kind == transcript.ToolResult {
				if p.Pair < 0 {
					out = append(out, "-")
				} else {
					out = append(out, fmt.Sprint(tr.Parts[p.Pair].Msg))
				}
			}
		}
		if got := strings.Join(out, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestGroupsByParts tests messages in which not every part is a call, and calls of a provider's program.
func TestGroupsByParts(t *testing.T) {
	text, call := `{"type":"text","text":"a"}`, func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"f","input":{}}` }
	result := func(id string) string { return `{"type":"tool_result","tool_use_id":"` + id + `","content":"r"}` }
	called := func(id, by string) string {
		return `{"type":"tool_use","id":"` + id + `","name":"f","input":{},"caller":{"type":"code_execution","tool_id":"` + by + `"}}`
	}
	program := `{"type":"server_tool_use","id":"p","name":"code_execution","input":{}}`
	user := func(parts ...string) string { return `{"role":"user","content":[` + strings.Join(parts, ",") + `]}` }
	assistant := func(parts ...string) string {
		return `{"role":"assistant","content":[` + strings.Join(parts, ",") + `]}`
	}
	for _, c := range []struct {
		name     string
		messages []string
		seq      []int32
		want     string
	}{
		{"a call behind a text", []string{user(text), assistant(text, call("a")), user(result("a")), assistant(text)}, nil, "[0 1 1 2]"},
		{"a call behind an open one", []string{assistant(call("b"), call("a")), user(result("a")), user(text)}, nil, "[0 0 1]"},
		{"what stands between", []string{assistant(call("a")), user(text), user(result("a")), user(text)}, nil, "[0 0 0 1]"},
		{"a part of the list", []string{user(text), assistant(call("a")), user(result("a")), user(text)}, []int32{1, 2, 3}, "[0 0 1]"},
		{"without the result", []string{user(text), assistant(call("a")), user(result("a")), user(text)}, []int32{0, 1, 3}, "[0 1 2]"},
		{"a program and what it calls", []string{user(text), assistant(program, called("a", "p")), user(result("a")), assistant(called("b", "p")), user(result("b")), assistant(text)}, nil, "[0 1 1 1 1 2]"},
		{"without the program", []string{user(text), assistant(program), assistant(called("a", "p")), user(result("a"))}, []int32{0, 2, 3}, "[0 1 1]"},
	} {
		tr := read(t, "anthropic", "["+strings.Join(c.messages, ",")+"]")
		if c.seq == nil {
			c.seq = seq(tr)
		}
		if got := fmt.Sprint(tr.Groups(c.seq)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

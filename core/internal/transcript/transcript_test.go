package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/steps"
)

func read(t testing.TB, format, src string) *transcript.Transcript {
	t.Helper()
	s := jsonspan.New([]byte(src))
	tr := wire.ByName(format).Read(s)
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return tr
}

func asks(ids ...string) string {
	var calls []string
	for _, id := range ids {
		calls = append(calls, `{"id":"`+id+`","type":"function","function":{"name":"f","arguments":"{}"}}`)
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]}`
}

func answers(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"r"}` }

const says = `{"role":"user","content":"u"}`

func seq(t *transcript.Transcript) []int32 {
	s := make([]int32, len(t.Messages))
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

func TestPairAndGroups(t *testing.T) {
	for _, c := range []struct {
		name     string
		messages []string
		pairs    string // for each result: the message of its call, - for none
		groups   string
	}{
		{"in order", []string{says, asks("a"), answers("a"), says}, "1", "0112"},
		{"parallel, answered in the other order", []string{asks("a", "b"), answers("b"), answers("a")}, "00", "000"},
		{"an id that comes back", []string{asks("a"), answers("a"), says, asks("a"), answers("a")}, "03", "00122"},
		{"an answer too many", []string{asks("a"), answers("a"), answers("a")}, "0-", "001"},
		{"an answer before its call", []string{answers("a"), asks("a")}, "-", "01"},
		{"open at the end", []string{says, asks("a", "b"), answers("a")}, "1", "011"},
		{"something between call and answer", []string{asks("a"), says, answers("a")}, "0", "000"},
		{"the same id twice at once", []string{asks("a", "a"), answers("a"), answers("a")}, "00", "000"},
		{"an id written with escapes", []string{asks(`\u0061`), answers("a")}, "0", "00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := read(t, "openai-chat", "["+strings.Join(c.messages, ",")+"]")
			var pairs, groups string
			for i := range tr.Parts {
				if p := &tr.Parts[i]; p.Kind == transcript.ToolResult {
					if p.Pair < 0 {
						pairs += "-"
						continue
					}
					pairs += fmt.Sprint(tr.Parts[p.Pair].Msg)
					if tr.Parts[p.Pair].Pair != int32(i) {
						t.Error("the call does not point back")
					}
				}
			}
			for _, g := range tr.Groups(seq(tr)) {
				groups += fmt.Sprint(g)
			}
			if pairs != c.pairs || groups != c.groups {
				t.Errorf("pairs %s groups %s, want %s and %s", pairs, groups, c.pairs, c.groups)
			}
		})
	}
}

// TestPairIsLinear pairs many calls whose ids collide or stay open; four times the input must not take much more than
// four times the steps.
func TestPairIsLinear(t *testing.T) {
	shapes := map[string]func(n int) string{
		"one id for all": func(n int) string {
			ids := slices.Repeat([]string{"a"}, n)
			return asks(ids...) + strings.Repeat(","+answers("a"), n)
		},
		"open calls in front of the answers": func(n int) string {
			ids := slices.Repeat([]string{"a"}, n)
			for i := range 100 {
				ids = append(ids, fmt.Sprint("open", i))
			}
			return asks(ids...) + strings.Repeat(","+answers("a"), n)
		},
		"answers to nothing": func(n int) string {
			ids := make([]string, n)
			for i := range ids {
				ids[i] = fmt.Sprint("open", i)
			}
			return asks(ids...) + strings.Repeat(","+answers("x"), n)
		},
		"answered from the front": func(n int) string {
			var ids, res []string
			for i := range n {
				ids = append(ids, fmt.Sprint("c", i))
				res = append(res, answers(fmt.Sprint("c", i)))
			}
			return asks(ids...) + "," + strings.Join(res, ",")
		},
	}
	if testing.Short() {
		t.Skip("it builds core with counters")
	}
	counter := steps.Start(t)
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			counter.Linear(t, "validate", 4000, func(n int) []byte {
				return []byte(`{"policy":{"format":"openai-chat"},"messages":[` + shape(n) + `]}`)
			})
		})
	}
}

func TestFingerprint(t *testing.T) {
	a := read(t, "openai-chat", "["+says+","+asks("a")+"]")
	b := read(t, "openai-chat", "[ "+says+" ,\n"+asks("a")+","+answers("a")+"]")
	if a.Fingerprint(2) != b.Fingerprint(2) {
		t.Error("white space between messages counts")
	}
	if a.Fingerprint(1) == a.Fingerprint(2) || b.Fingerprint(3) == b.Fingerprint(2) {
		t.Error("one more message does not count")
	}
	for i := range says {
		changed := []byte(says)
		changed[i] ^= 1
		var f, g transcript.Fingerprint
		f.Add([]byte(says))
		if g.Add(changed); f == g {
			t.Errorf("byte %d does not count", i)
		}
	}
}

// StartsWith compares the decoded beginning of text, in any spelling, and reads only that beginning.
func TestStartsWith(t *testing.T) {
	for _, text := range []string{
		`plain text`, `\u0061\u0062c\n\"d\\`, `größer \u00e4\u00df`, `\ud83d\ude00 😀\ud83d\ude00`, `a\/b\u2014c`, `\u0000`, ``,
	} {
		tr := read(t, "openai-chat", `[{"role":"user","content":"`+text+`"}]`)
		whole := tr.Text(tr.FirstText(0))
		for n := range len(whole) + 1 {
			if !tr.StartsWith(0, whole[:n]) {
				t.Errorf("%s does not start with %q", text, whole[:n])
			}
			for _, other := range []string{"x", "\x00", "\u2014", "\U0001f601"} {
				if prefix := whole[:n] + other; tr.StartsWith(0, prefix) != strings.HasPrefix(whole, prefix) {
					t.Errorf("%s starts with %q: %v", text, prefix, tr.StartsWith(0, prefix))
				}
			}
		}
	}
}

// TestName compares Name with Text for names that share a place, and for names that another name's spelling equals.
func TestName(t *testing.T) {
	names := []string{`""`, `"bash"`, `"a\\n"`, `"a\n"`, `"ab"`, `"a\u0062"`, `"read"`, `"daer"`, `"bash"`, `"x"`, `"名"`, `"ab"`}
	tr := &transcript.Transcript{Src: []byte(strings.Join(names, ""))}
	for range 2 {
		at := uint32(0)
		for _, name := range names {
			span := transcript.Span{Start: at, End: at + uint32(len(name))}
			if at = span.End; tr.Name(span) != tr.Text(span) {
				t.Errorf("%s is returned as %q", name, tr.Name(span))
			}
		}
	}
}

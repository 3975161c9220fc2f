package tokens_test

import (
	"fmt"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

func read(t *testing.T, format, src string) *transcript.Transcript {
	t.Helper()
	s := jsonspan.New([]byte(src))
	tr := wire.ByName(format).Read(s)
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return tr
}

// Content that a published system doesn't count costs something if results must be valid.
func TestNothingIsFree(t *testing.T) {
	const src = `[{"role":"assistant","content":[{"type":"reasoning","text":"a thought of some length"},
		{"type":"tool_call","id":"c","name":"read","input":{"path":"a.txt"}}]},
		{"role":"user","content":[{"type":"image","data":"AAAA"}]}, {"role":"user","content":[{"type":"file","data":"AAAA"}]},
		{"role":"tool_result","tool_call_id":"1","tool_name":"read","content":"some content"}]`
	for _, name := range tokens.Names() {
		p, tr := tokens.ByName(name), read(t, "native", src)
		for i := range tr.Messages {
			if n := p.Message(tr, i) - p.Framing[tr.Messages[i].Role]; n < 1 {
				t.Errorf("%s: message %d costs %d", name, i, n)
			}
		}
	}
}

// TestShortLinesOfATable estimates a table of numbers, words and commas in short lines. The tokens of o200k_base and cl100k_base were counted
// by gpt-tokenizer 2.9.0.
func TestShortLinesOfATable(t *testing.T) {
	const rows, o200k, cl100k = 200, 2388, 2438
	table := tableOf(rows)
	p := tokens.ByName("script").For("")
	got := p.Text(table)
	for _, n := range []int{o200k, cl100k} {
		if part := float64(got) / float64(n); part < 0.9 || part > 1.15 {
			t.Errorf("%d tokens are estimated of a table of %d bytes, and it has %d", got, len(table), n)
		}
	}
}

func tableOf(rows int) string {
	table := "id,name,x,y,ok\n"
	for i := range rows {
		n := i * 7919
		table += fmt.Sprintf("%d,%s,%d.%02d,%d,%c\n", n%10007, [...]string{"ann", "bob", "carl", "dora"}[n%4], n%9, n%100, n%97, "yn"[n%2])
	}
	return table
}

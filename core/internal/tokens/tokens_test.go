package tokens_test

import (
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

package passes

import (
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Each kind of message has a place of its own, however often and in which order it is asked for.
func TestLastPlace(t *testing.T) {
	f := wire.ByName("openai-chat")
	tr := f.Read(jsonspan.New([]byte(`[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]`)))
	p, err := policy.Resolve([]byte(`{"passes":[{"pass":"collapse"},{"pass":"drop","keep_first":2}]}`))
	if err != nil {
		t.Fatal(err)
	}
	c := new(Run)
	c.Start(view.Input{Transcript: tr, Format: f, Estimator: tokens.ByName("bytes4"), Policy: p, N: len(tr.Messages)})
	line := &view.Message{Origin: view.OfLine, Placed: true}
	for range 2 {
		if at := c.lastPlace(count); at != 3 {
			t.Errorf("the count of dropped messages stands up to %d", at)
		}
		if at := c.lastPlace(line); at != Anywhere {
			t.Errorf("a line stands up to %d", at)
		}
	}
}

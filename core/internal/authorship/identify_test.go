package authorship

import (
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Each kind of message has its own position, regardless of the number and order of lookups.
func TestLastPlace(t *testing.T) {
	f := wire.ByName("openai-chat")
	tr := f.Read(jsonspan.New([]byte(`[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]`)))
	last := map[Origin]int{OfLine: Anywhere, OfCount: 2}
	id := &identifying{doc: view.NewView(tr, f, tokens.ByName("bytes4"), len(tr.Messages)), places: Places{Last: func(of Origin) int { return last[of] }}}
	for range 2 {
		if at := id.lastPlace(&Message{Origin: OfCount, NeedsPlace: true}); at != 3 {
			t.Errorf("the count of dropped messages may be at up to %d", at)
		}
		if at := id.lastPlace(&Message{Origin: OfLine, NeedsPlace: true}); at != Anywhere {
			t.Errorf("a line may be at up to %d", at)
		}
	}
}

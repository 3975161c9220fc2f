package handles

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// kinds are the words for what messages of ours stand for.
var kinds = [...]api.DigestKind{
	view.OfDigest: api.DigestFold, view.OfBranch: api.DigestBranch, view.OfLine: api.DigestLine, view.OfLoop: api.DigestLoop,
	view.OfFile: api.DigestFile, view.OfCount: api.DigestCount, view.OfTurn: api.DigestTurn,
}

// Digests returns the input messages that look like those that compactions write.
func (c *Run) Digests() []api.Digest {
	list := []api.Digest{}
	for i := range c.N {
		m := int32(i)
		of, own := c.KindOf(m), c.Own(m)
		if c.T.Messages[i].Variant == transcript.Branch { // the application has a type for it
			of, own = view.OfBranch, true
		}
		if of == view.NotOurs {
			continue
		}
		d := api.Digest{Message: i, Kind: api.DigestOther, Own: own, Handle: c.listHandle(m)}
		if int(of) < len(kinds) {
			d.Kind = kinds[of]
		}
		d.Text = c.T.Text(c.T.FirstText(i))
		if of == view.OfDigest || of == view.OfBranch {
			var l digest.Ledger
			_, d.Text = FoldHandleOf(d.Text)
			d.Text, d.Round = digest.Carried(d.Text, &l)
			if !l.Empty() {
				d.Ledger = (*api.Ledger)(&l)
			}
		}
		d.Text = strings.TrimSpace(d.Text)
		d.Sections = digest.Outline(d.Text)
		list = append(list, d)
	}
	return list
}

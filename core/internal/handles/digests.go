package handles

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// kinds maps the built-in origins of messages to their names in the API. Other origins are api.DigestOther.
var kinds = [...]api.DigestKind{
	authorship.OfDigest: api.DigestFold, authorship.OfBranch: api.DigestBranch, authorship.OfLine: api.DigestLine,
	authorship.OfLoop: api.DigestLoop, authorship.OfFile: api.DigestFile, authorship.OfCount: api.DigestCount,
	authorship.OfTurn: api.DigestTurn,
}

// Digests returns the input messages of a document that look as if a compaction had written them.
func Digests(doc *view.View, authors *authorship.Authors) []api.Digest {
	list := []api.Digest{}
	for i := range doc.N {
		m := int32(i)
		of, own := authorship.LooksLike(doc.T, m), authors.IsOwn(m)
		if doc.T.Messages[i].Variant == transcript.Branch { // the wire format has its own message type for branch summaries
			of, own = authorship.OfBranch, true
		}
		if of == authorship.NotOurs {
			continue
		}
		d := api.Digest{Message: i, Kind: api.DigestOther, Own: own, Handle: listHandle(doc.T, m)}
		if int(of) < len(kinds) {
			d.Kind = kinds[of]
		}
		d.Text = doc.T.Text(doc.T.FirstText(i))
		if of == authorship.OfDigest || of == authorship.OfBranch {
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

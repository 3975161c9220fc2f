package passes

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/keep"
	"github.com/ctxfold/ctxfold/core/internal/mend"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/summary"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Run is what a pass sees of a compaction: the rooms that it may use, and what the result has to be like.
type Run interface {
	Doc() *view.View              // the items, which the pass edits
	Policy() *policy.Policy       // not to be written to
	Authors() *authorship.Authors // who wrote each message
	Keep() *keep.Keeper           // which items must stay
	Archive() *handles.Archive    // where removed content goes
	Mend() *mend.Mender           // what a provider would refuse
	Summary() *summary.Writer     // who writes digests
	Report() *report.Report       // what was done

	State() *api.State      // what the host stores with the conversation
	Ledger() *digest.Ledger // of the state
	Fold() *Fold            // what the last fold has done
	Shortened() *Shortened  // what passes have written in place of longer texts

	Limit() int    // how many tokens the result may have by the gate; 0 is any number
	Target() int   // how many tokens it should have; 0 is any number
	Most() int     // how many tokens it must not be over, where it is bounded
	Bounded() bool // whether it must be at most the limit
	MinGain() int  // how many tokens a compaction must free, or nothing is done

	TooSmall()           // the pass was left out because it could not free MinGain
	NoDigest(why string) // there is no digest, and the policy takes no local one for it
}

// Fold is what a fold has removed from the items, and where the digest is that represents them.
type Fold struct {
	Items  []view.Item
	Digest int // an index of the items of the document
}

// Shortened is what passes have written in place of longer texts, so that another pass can put the whole back, or take it.
type Shortened struct {
	squeezed map[int32]whole  // by part
	cleared  []clearedResult  // in the order of the parts
	cut      map[int32]string // by part: the handle of a text that was cut
}

// cutTo notes the handle of the whole of a text that was cut.
func (s *Shortened) cutTo(part int32, handle string) {
	if s.cut == nil {
		s.cut = map[int32]string{}
	}
	s.cut[part] = handle
}

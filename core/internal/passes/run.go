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

// Run is what a pass sees of a compaction: the components that it may use, and the limits of the result.
type Run interface {
	Doc() *view.View              // the items, which the pass edits
	Policy() *policy.Policy       // must not be modified
	Authors() *authorship.Authors // who wrote each message
	Keep() *keep.Keeper           // which items must stay
	Archive() *handles.Archive    // the archive of removed content
	Mend() *mend.Mender           // repairs what a provider would reject
	Summary() *summary.Writer     // produces digests
	Report() *report.Report       // the report, as far as it is filled in

	State() *api.State      // the state that the host stores; a pass that removes messages updates its round
	Ledger() *digest.Ledger // the ledger of the state, which such a pass updates
	Fold() *Fold            // the result of the last fold
	Shortened() *Shortened  // the texts with which passes have replaced longer ones

	Limit() int     // the maximum tokens that the gate allows for the result; 0 means no limit
	Target() int    // the tokens that the result should have; 0 means no limit
	MaxTokens() int // the maximum tokens of a bounded result
	MustFit() bool  // whether the result must stay within the limit
	MinGain() int   // the number of tokens that a compaction must free

	TooSmall()                      // records that the pass was skipped because it couldn't free MinGain tokens
	RecordDigestFailure(why string) // records why there is no digest, if the policy allows no local one
}

// Fold is the result of a fold: the items that it removed, the place of its digest, and the limit of its tail.
type Fold struct {
	Items   []view.Item // the removed items, in order
	Digest  int         // the index of the digest among the document's items
	MaxTail int         // the maximum size in tokens of the messages after the digest
}

// Shortened holds the texts with which passes have replaced longer ones, so that another pass can restore or remove
// the originals.
type Shortened struct {
	squeezed map[int32]whole  // by part
	cleared  []clearedResult  // by part, in order
	cut      map[int32]string // by part: the handle of the uncut text
}

// cutTo records the handle under which the whole text of a part was archived when the text was cut.
func (s *Shortened) cutTo(part int32, handle string) {
	if s.cut == nil {
		s.cut = map[int32]string{}
	}
	s.cut[part] = handle
}

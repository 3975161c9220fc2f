// Package mend repairs transcripts that a provider would reject: violations of a wire format's rules, and thinking
// that is bound to messages that have changed. It changes nothing in valid transcripts.
package mend

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/keep"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Mender repairs a document, and counts its repairs in the report.
type Mender struct {
	doc     *view.View          // the document to repair
	policy  *policy.Policy      // says which repairs are allowed
	authors *authorship.Authors // says who wrote a message
	keep    *keep.Keeper        // says what must stay
	archive *handles.Archive    // takes the content that a repair removes
	ledger  *digest.Ledger      // the ledger that records what a repair folds
	report  *report.Report      // counts the repairs

	refused   []api.LeftViolation // the violations in the input that the provider would reject
	late      int                 // tokens of messages that were added after the plan and have become items
	tolerated map[uint64]cases    // violations of the input that are left unrepaired, by positionKey
	// Whether the input has been repaired, so that further violations were caused by passes.
	mended  bool
	renamed map[uint64]transcript.Span // spans of the ids in the source, by the keys of the spans that replaced them
}

// New returns a Mender for doc. ledger records whatever a repair folds.
func New(doc *view.View, p *policy.Policy, authors *authorship.Authors, k *keep.Keeper, archive *handles.Archive,
	ledger *digest.Ledger, to *report.Report) *Mender {
	return &Mender{doc: doc, policy: p, authors: authors, keep: k, archive: archive, ledger: ledger, report: to}
}

// RefusedInput lists the violations in the input that the provider would reject, after RepairInput or Repair.
func (md *Mender) RefusedInput() []api.LeftViolation { return md.refused }

// ForgetLate returns the size, in tokens, of the messages that were added after the plan and have become items, and
// resets it to 0. It is for a run that ends with its input.
func (md *Mender) ForgetLate() (tokens int) {
	tokens, md.late = md.late, 0
	return tokens
}

// LostResult is the result that a repair gives to a tool call whose own result is missing.
const LostResult = "[No result: it was lost before this point of the conversation]"

// EmptyResult is the body that a repair gives to an empty tool result if the provider requires one.
const EmptyResult = "[No output]"

// maxRepairs is the maximum number of times that a transcript is checked and repaired. Each time, everything that the
// check finds is repaired, as far as it can be.
const maxRepairs = 8

// Repair makes an invalid sequence valid, deterministically, and changes nothing in a valid one. Pinned messages are
// repaired too, because the request would fail otherwise. Messages that were added after the plan stay unchanged.
//
// Violations in the input that the provider tolerates are left, unless the policy wants everything repaired.
// Violations that a pass has caused are repaired, so the result breaks no rule that the input obeyed. The report
// counts only repairs of the input, but its actions list all repairs.
func (md *Mender) Repair() {
	md.mendAll(func(wire.Violation) bool { return true })
	md.mended = true
	if md.doc.T.LoneBeside && !md.doc.Beside {
		md.doc.Beside = true
		md.report.Repaired++
		md.report.AddAction(api.Action{Action: fixes[wire.Replace].action, Pass: "repair", Message: -1, Rule: "I8"})
	}
}

// RepairInput is like Repair, but for the input, before the passes run. It doesn't replace lone surrogates. Repair does
// that later, when only the messages that stay need it: messages that are folded don't, because a digest never contains
// lone surrogates.
func (md *Mender) RepairInput() {
	md.mendAll(func(v wire.Violation) bool { return v.Fix != wire.Replace })
	md.mended = true
}

// mendAll repairs the violations that satisfy which.
func (md *Mender) mendAll(which func(wire.Violation) bool) {
	for range maxRepairs {
		violations := md.Violations()
		if md.tolerated == nil {
			md.noteFirst(violations)
		}
		if len(violations) == 0 {
			return
		}
		place := md.places()
		violations = slices.DeleteFunc(violations, func(v wire.Violation) bool {
			return !which(v) || md.came(&v, place)
		})
		if !md.mendFirst(violations) {
			return
		}
	}
}

// noteFirst records which of the input's violations are refused, and which are tolerated and stay.
func (md *Mender) noteFirst(violations []wire.Violation) {
	md.tolerated, md.refused = map[uint64]cases{}, md.RefusedOf(violations)
	if md.policy.Repair == "all" {
		return
	}
	for _, v := range violations {
		if v.Severity == wire.Tolerated {
			md.tolerated[positionKey(&v)] |= 1 << v.Case
		}
	}
}

// came reports whether a violation was already in the input and is left unrepaired. If a pass added the first of two
// consecutive messages of one role, their violation is new.
func (md *Mender) came(v *wire.Violation, place places) bool {
	if v.Severity != wire.Tolerated || md.tolerated[positionKey(v)]>>v.Case&1 == 0 {
		return false
	}
	if v.Case != wire.SameRole {
		return true
	}
	for i := place.of(v.Message) - 1; i >= 0; i-- {
		if md.doc.T.Messages[md.doc.Items[i].Msg].Role != transcript.System {
			return md.doc.Items[i].In >= 0
		}
	}
	return true
}

// cases is a set of cases of a rule, with one bit for each.
type cases uint32

// positionKey returns the position of a violation as one number: the index of the message, combined with the index of the
// part or -1.
func positionKey(v *wire.Violation) uint64 {
	return uint64(uint32(v.Message))<<32 | uint64(uint32(v.Part))
}

// Violations returns the violations in the current list of items.
func (md *Mender) Violations() []wire.Violation {
	return md.doc.F.Check(md.doc.T, md.doc.MessageOrder(), md.policy.OpenCalls == "answer")
}

// RefusedOf returns those violations that the provider rejects, in the form that reports use. It returns nil if there
// are none. A violation without a place is reported at message 0.
func (md *Mender) RefusedOf(violations []wire.Violation) (left []api.LeftViolation) {
	if !wire.AnyRefused(violations) {
		return nil
	}
	place := md.places()
	for _, v := range violations {
		if v.Severity == wire.Refused {
			left = append(left, api.LeftViolation{Rule: v.Rule, Message: max(0, place.of(v.Message)), Text: v.Text})
		}
	}
	return left
}

// stage returns the position of a fix in the order of repairs, from 0 to 2. Ids come first, because other repairs write
// them; roles come last, because other repairs remove and add messages.
func stage(f wire.Fix) int {
	switch f {
	case wire.RenameID:
		return 0
	case wire.AddTurn:
		return 2
	}
	return 1
}

// mendFirst applies the fixes of the first stage in which any of them succeeds. It returns false if there is none.
func (md *Mender) mendFirst(violations []wire.Violation) bool {
	for s := range 3 {
		now := slices.DeleteFunc(slices.Clone(violations), func(v wire.Violation) bool { return stage(v.Fix) != s })
		if len(now) > 0 && md.newFixer().fix(now) {
			return true
		}
	}
	return false
}

// TurnRole returns the role of a message that is inserted between two others to make the roles alternate.
func TurnRole(before, after transcript.Role) transcript.Role {
	if after == transcript.User || after == transcript.System && before == transcript.Tool {
		return transcript.Assistant
	}
	return transcript.User
}

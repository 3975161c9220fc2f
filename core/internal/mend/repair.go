// Package mend makes valid what a provider would refuse: the repairs of the rules that a wire format names, and thinking that is bound to
// what precedes it. It changes nothing in what is valid.
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

// Mender repairs a document.
type Mender struct {
	doc     *view.View
	policy  *policy.Policy
	authors *authorship.Authors
	keep    *keep.Keeper
	archive *handles.Archive
	ledger  *digest.Ledger // of what a repair folds
	report  *report.Report

	refused   []api.LeftViolation        // what the provider would refuse of the input
	late      int                        // tokens of the messages that came after the plan and are items now
	tolerated map[uint64]cases           // violations of the input that stay, by placeOf
	mended    bool                       // the input is: what is repaired from now on, a pass has brought
	renamed   map[uint64]transcript.Span // where in the source ids are, by the keys of those that were written
}

// New returns what repairs a document by a policy.
func New(doc *view.View, p *policy.Policy, authors *authorship.Authors, k *keep.Keeper, archive *handles.Archive, ledger *digest.Ledger, to *report.Report) *Mender {
	return &Mender{doc: doc, policy: p, authors: authors, keep: k, archive: archive, ledger: ledger, report: to}
}

// Refused lists what the provider would refuse of the input, after RepairInput or Repair.
func (md *Mender) Refused() []api.LeftViolation { return md.refused }

// ForgetLate returns how many tokens the messages have that came after the plan and have become items, for a run that ends with its input.
func (md *Mender) ForgetLate() (tokens int) {
	tokens, md.late = md.late, 0
	return tokens
}

// LostResult is what a repair answers a tool call with whose result is gone.
const LostResult = "[No result: it was lost before this point of the conversation]"

// EmptyResult is what a repair writes into a tool result that has nothing in it, where a provider wants something.
const EmptyResult = "[No output]"

// maxRepairs bounds how often a sequence is checked again after a repair; each round repairs all that the check found.
const maxRepairs = 8

// Repair repairs what makes the sequence invalid, deterministically, and changes nothing in a valid one. A pin does not keep a message from
// being repaired: what a provider refuses helps nobody. Messages that came after the plan stay as they are.
//
// What the provider tolerates stays as it came in, unless the policy wants all repaired. What a pass has brought is repaired: a result
// breaks no rule that the input kept. The report counts only what was repaired of the input; its actions list all.
func (md *Mender) Repair() {
	md.mendAll(func(wire.Violation) bool { return true })
	md.mended = true
	if md.doc.T.LoneBeside && !md.doc.Beside {
		md.doc.Beside = true
		md.report.Repaired++
		md.report.Act(api.Action{Action: fixes[wire.Replace].action, Pass: "repair", Message: -1, Rule: "I8"})
	}
}

// RepairInput is repair for what came in. Half surrogate pairs stay until it is known which messages do: a digest has none.
func (md *Mender) RepairInput() {
	md.mendAll(func(v wire.Violation) bool { return v.Fix != wire.Replace })
	md.mended = true
}

// mendAll is repair for some violations.
func (md *Mender) mendAll(which func(wire.Violation) bool) {
	for range maxRepairs {
		violations := md.Violations()
		if md.tolerated == nil {
			md.tolerated, md.refused = map[uint64]cases{}, md.Named(violations)
			for _, v := range violations {
				if v.Severity == wire.Tolerated && md.policy.Repair != "all" {
					md.tolerated[placeOf(&v)] |= 1 << v.Case
				}
			}
		}
		if len(violations) == 0 {
			return
		}
		place := md.places()
		violations = slices.DeleteFunc(violations, func(v wire.Violation) bool { return !which(v) || md.came(&v, place) })
		if !md.mendFirst(violations) {
			return
		}
	}
}

// came reports whether a violation is one of the input's that stay. Two messages of one role in a row are another violation if a pass has
// put the first of them there.
func (md *Mender) came(v *wire.Violation, place places) bool {
	if v.Severity != wire.Tolerated || md.tolerated[placeOf(v)]>>v.Case&1 == 0 {
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

// cases is a set of cases of rules.
type cases uint32

// placeOf is where a rule is broken, as one number: an index of the transcript's messages, and one of its parts or -1.
func placeOf(v *wire.Violation) uint64 { return uint64(uint32(v.Message))<<32 | uint64(uint32(v.Part)) }

// Violations are those of the list as it is now.
func (md *Mender) Violations() []wire.Violation {
	return md.doc.F.Check(md.doc.T, md.doc.Seq(), md.policy.OpenCalls == "answer")
}

// Named are those of some violations that the provider refuses, as a report names them.
func (md *Mender) Named(violations []wire.Violation) (left []api.LeftViolation) {
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

// stage is when a fix is made: ids first, since what else is repaired writes them; turns last, since what else is repaired takes messages
// away and brings others.
func stage(f wire.Fix) int {
	switch f {
	case wire.RenameID:
		return 0
	case wire.AddTurn:
		return 2
	}
	return 1
}

// mendFirst repairs the next violations, and reports whether it could repair any.
func (md *Mender) mendFirst(violations []wire.Violation) bool {
	for s := range 3 {
		now := slices.DeleteFunc(slices.Clone(violations), func(v wire.Violation) bool { return stage(v.Fix) != s })
		if len(now) > 0 && md.round().fix(now) {
			return true
		}
	}
	return false
}

// TurnRole is the role of a message between messages of two roles, so that the roles take turns.
func TurnRole(before, after transcript.Role) transcript.Role {
	if after == transcript.User || after == transcript.System && before == transcript.Tool {
		return transcript.Assistant
	}
	return transcript.User
}

package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/gate"
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// fit is the operation that returns the messages to send for a whole history. If the host remembers an earlier
// compaction of the history's beginning, fit applies it. Then it compacts the list if compaction is due. Like every
// operation, it returns nil if r has an error.
func fit(r *request) []byte {
	if r.history == nil {
		if r.resolve(); r.err == nil {
			r.recollect(jsonspan.New(r.src).At(r.members[operations.InMessages].Start), nil)
		}
	}
	if r.err == nil && r.history.others != nil && r.compacts() {
		r.recollectLongest(nil)
	}
	if r.err != nil {
		return nil
	}
	p := api.Plan{Version: abi, Fit: true, Policy: api.Raw("{}"), Options: r.planned(), State: r.history.state,
		Changing: r.history.changing}
	p.Messages = len(r.t.Messages)
	if p.Correction = r.correct(&p.State); !r.bounded(r.options.Force) {
		return nil
	}
	if m := r.members[operations.InPolicy]; !m.IsZero() {
		p.Policy = api.Raw(m.Slice(r.src))
	}
	return run(r, &p)
}

// mustCompact reports whether the input, which has total tokens, is over the gate or over max_bytes.
func mustCompact(in view.Input, total int) bool {
	due, _, _ := hook.Due(in, total)
	return due || in.OverBytes()
}

// compacts reports whether, by the estimate, a fit makes or begins a compaction. It ignores the provider's count, which
// makes this list look too small if it was measured for a list that was sent with another entry.
func (r *request) compacts() bool {
	p := r.profile.Correct(r.profile.Calibrate(r.history.state.Calibration))
	total := p.OutsideMessages(r.t)
	for i := range r.t.Messages {
		total += p.Message(r.t, i)
	}
	in := r.input(r.history.state)
	in.Estimator = p
	return r.policy.Force || mustCompact(in, total) || gate.StartsInBackground(in, total)
}

// prints returns the fingerprints of a history's prefixes, or nil if r has an error. Hosts use them as keys for the
// compactions that they remember.
func prints(r *request) []byte {
	if r.resolve(); r.err == nil {
		r.read(jsonspan.New(r.src).At(r.members[operations.InMessages].Start), reading{unweighed: true})
	}
	if r.err != nil {
		return nil
	}
	a := api.Prints{Format: api.Format(r.format.Name)}
	if !r.t.Model.IsZero() {
		a.Model = r.t.Text(r.t.Model)
	}
	prints, later := r.t.Prints(0, 0)
	for i := range prints {
		a.Prints, a.Later = append(a.Prints, prints[i].String()), append(a.Later, later[i].String())
	}
	return encoded(a.MarshalEasyJSON)
}

// finish converts the result of a fit to the indexes of the list that the program passed, and adds the entry for the
// host to remember.
func (h *history) finish(r *request, c *compact.Run, a *api.Planned) {
	a.Known, a.KnownMessages = &h.known, h.replaced
	if c.Report().Changed {
		a.Memory = h.remember(r, c)
	}
	if h.given == nil {
		return
	}
	at := func(message *int) {
		if *message >= 0 {
			*message = h.given[*message].in
		}
	}
	for i := range a.Report.Actions {
		at(&a.Report.Actions[i].Message)
	}
	for i := range a.Report.Decisions {
		at(&a.Report.Decisions[i].Message)
	}
	for i := range a.Archive {
		at(&a.Archive[i].Message)
	}
	a.Archive = append(a.Archive, h.bodies...)
	if a.Report.Over != nil {
		for i := range a.Report.Over.Causes {
			at(&a.Report.Over.Causes[i].Message)
		}
	}
	if a.Report.CutPoint > 0 {
		at(&a.Report.CutPoint)
	}
}

// appendEdits appends the edits that turn the list that the program passed into the result. It returns the extended
// dst. A nil history has no list other than the transcript.
func (h *history) appendEdits(dst []byte, c *compact.Run) []byte {
	e := view.NewEdits(dst)
	c.Doc().EachItem(func(it *view.Item, write func(dst []byte) []byte) {
		p := sentMessage{in: int(it.In)}
		if h.given != nil && it.In >= 0 {
			p = h.given[it.In]
		}
		if write == nil && p.text == nil {
			e.Keep(p.in)
			return
		}
		if write == nil {
			write = func(dst []byte) []byte { return append(dst, p.text...) }
		}
		if p.in < 0 {
			e.Insert(write)
		} else {
			e.Set(p.in, write)
		}
	})
	return e.End()
}

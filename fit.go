package ctxfold

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// Fit returns what to send to a model, for a program that keeps the whole history of a conversation, as most chats and agents do, and passes
// it each turn, longer each time:
//
//	r, err := c.Fit(ctx, ctxfold.Input{Messages: history, Policy: policy}, summarizer)
//	...
//	answer, err := model.Call(ctx, r.Messages) // and the history continues with the answer
//
// Fit compacts once, when it is due. It remembers the result ([Options].Records) and applies it at each later call, followed by the messages
// that came since. The history stays the program's and is the truth: if records are lost, the next call compacts again, and nothing else is
// lost.
//
// Fit identifies a history by what a model sees of it. Moving cache breakpoints, metadata, ids, dates, the order of JSON keys and the text
// of leading system messages don't count, so a system prompt may contain a clock. What a compaction didn't replace doesn't count
// either: messages behind that may be edited, deleted or replaced, the newest one too. An edit in front of it falls back to the newest compaction
// that is still true. A program may also continue from r.Messages. Set in.Owner if one Compactor serves people who must not see each other's conversations: histories are
// identified by a hash that isn't cryptographic.
//
// in.Messages is the whole history: a JSON array, or a request body that contains one, whose other members count too. in.State isn't read.
// The messages of in.Usage and of r.Report are numbered in the whole history, and so are r.Edits over the program's own list (see
// [ApplyEdits]): kept messages are then the very values of that list.
//
// r.Messages is always what to send; r.Changed reports whether this call compacted, and r.Known how many messages an earlier compaction
// replaced. An error means that nothing was done; the history may be sent as it is.
//
// If the provider says that the messages don't fit, call Fit with the same history and Force, and send once more; [Compactor.Classify]
// recognizes such errors:
//
//	v, err := c.Classify(ctx, api.Failure{Status: status, Body: body})
//	if err == nil && v.Overflow {
//		in.Force, in.Limit = true, v.Limit
//		r, err = c.Fit(ctx, in, summarizer)
//	}
//
// A failing summarizer costs no message and no turn: the local digest replaces the summary, but not for good. A minute later (or when the
// provider allows, up to an hour after repeated failures), and whenever the next compaction is due, the model is asked again about the
// messages themselves, which the history still has.
//
// Calls for the same history, or for one that continues it, wait for each other, so that none is compacted twice; others run at the same
// time. With [SharedRecords] that holds across all replicas, except that only calls that find a compaction due wait.
func (c *Compactor) Fit(ctx context.Context, in Input, s Summarizer) (*Result, error) {
	h, err := c.history(ctx, in)
	if err != nil {
		return nil, err
	}
	if chills(&in.Policy) {
		h.in.Next.options(&h.asked, h.last(ctx), c.now())
		defer h.note(ctx)
	}
	if h.behind, h.edited = c.flights.behind(h.keys); in.Force && h.behind != nil {
		// What it makes was requested before the provider refused the messages.
		h.behind.cancel()
		if err := h.behind.wait(ctx); err != nil {
			return nil, err
		}
	}
	leave, err := c.flights.enter(ctx, h.keys)
	if err != nil {
		return nil, err
	}
	defer leave()
	defer func() { h.drop(ctx) }()
	for asked := h.asked; ; {
		h.asked, h.tries, h.paused = asked, 0, false
		r, err := h.attempt(ctx, s)
		switch {
		case errors.Is(err, errNoLease):
			err = h.take(ctx)
		case errors.Is(err, errLeaseLost):
			h.lost(ctx)
			err = nil
		default:
			return r, err
		}
		if err != nil {
			return nil, err
		}
	}
}

// attempt is one attempt of Fit. It fails with errNoLease if it would compact without a lease, and with errLeaseLost if another replica may
// have compacted the history meanwhile: both times it must look again for what is remembered.
func (h *history) attempt(ctx context.Context, s Summarizer) (*Result, error) {
	c, in := h.c, h.in
	known := h.recall(ctx)
	if s != nil && !h.paused && !in.Force && known.due(c.now()) && !in.begins() {
		if !h.lease.may() {
			return nil, errNoLease
		}
		if r, err := h.remake(ctx, known, s); r != nil || err != nil {
			return r, err
		}
		h.paused = true
	}
	if in.Force {
		return h.forced(ctx, known, h.pausing(s))
	}
	return h.fit(ctx, known, s)
}

// recall finds what is remembered of the history, and notes whether the model has failed.
func (h *history) recall(ctx context.Context) *known {
	known := h.find(ctx, 0)
	for known.pause() {
		if h.tries = max(h.tries, known.Degraded.Tries); h.c.now().Unix() < known.Degraded.Again {
			h.paused = true
		}
		known = h.find(ctx, known.at+1)
	}
	return known
}

// pausing is a summarizer that isn't called right after the model failed.
func (h *history) pausing(s Summarizer) Summarizer {
	if s == nil || !h.paused {
		return s
	}
	return SummarizerFunc(func(context.Context, Request) (Summary, error) { return Summary{}, errPaused })
}

// errPaused is the reason for not calling a model.
var errPaused = errors.New("the model failed just now and is not called again yet")

// Recollect applies what Fit remembers and compacts nothing: for a program that counts or shows what it would send. If nothing is
// remembered, r.Messages is in.Messages and r.Known is 0.
func (c *Compactor) Recollect(ctx context.Context, in Input) (*Result, error) {
	h, err := c.history(ctx, in)
	if err != nil {
		return nil, err
	}
	known := h.find(ctx, 0)
	for known.pause() {
		known = h.find(ctx, known.at+1)
	}
	if known == nil {
		r := &Result{Messages: in.Messages}
		if in.Edits {
			r.Messages, r.Edits = nil, fmt.Appendf(nil, `[{"keep":[0,%d]}]`, len(h.keys))
		}
		return r, nil
	}
	in.Force, in.Store, in.Redact = false, nil, nil // nothing is made
	o := in.compacting(h.asked, false)
	o.OnlyKnown = true
	a, known, err := h.known(ctx, o, known)
	if err != nil {
		return nil, err
	}
	return known.result(a), nil
}

// fit compacts if that is due.
func (h *history) fit(ctx context.Context, known *known, s Summarizer) (*Result, error) {
	o := prefixing(h.in.compacting(h.asked, s == nil), s)
	after := 0
	if known != nil {
		after = len(h.keys) - known.at
		if known.history {
			after = known.whole()
		}
	}
	tried := h.c.flights.last(h.keys, after)
	o.Tried = tried.tokens
	a, known, err := h.known(ctx, o, known)
	if err != nil {
		return nil, err
	}
	if due := len(a.Requests) > 0 || a.Report.Changed; !o.Force {
		switch {
		case due && h.behind != nil: // its result may make it unnecessary
			if err := h.behind.wait(ctx); err != nil {
				return nil, err
			}
			h.behind = nil
			return h.fit(ctx, h.recall(ctx), s)
		case due:
			h.paused = h.paused || tried.failed
		case s != nil && !h.paused && h.behind == nil && h.in.begins() && (a.Start || known.due(h.c.now())):
			h.begin(ctx, known, s)
		}
	}
	if (len(a.Requests) > 0 || len(a.Memory) > 0) && !h.lease.may() {
		h.replaces(a)
		return nil, errNoLease
	}
	s = h.pausing(s)
	if len(a.Requests) > 0 && known.stale() {
		// The model is asked about the messages themselves, not about a digest that was made because it had failed.
		o, known = h.again(ctx, known)
		if a, err = h.answer(ctx, o, known); err != nil {
			return nil, err
		}
	}
	asking := h.c.asking(s, h.in.OnDelta).about(h.in.Messages)
	if a, err = h.rounds(ctx, a, known, asking); err != nil {
		return nil, err
	}
	return h.done(ctx, a, o, known, asking)
}

// known is answer over the longest record that counts for the history: one whose digest has the newest message of the user in it doesn't, where
// the messages behind it are gone.
func (h *history) known(ctx context.Context, o api.Options, k *known) (*api.Planned, *known, error) {
	for {
		a, err := h.answer(ctx, o, k)
		if err != nil || k == nil || a.Known == nil || *a.Known >= 0 {
			return a, k, err
		}
		k = h.find(ctx, k.at+1)
		for k.pause() {
			k = h.find(ctx, k.at+1)
		}
	}
}

// forced compacts whatever the gate says, for a provider that refused the messages.
func (h *history) forced(ctx context.Context, known *known, s Summarizer) (*Result, error) {
	if limit := h.in.Limit; limit > 0 {
		if _, err := h.c.check(ctx, &h.in, api.Options{Format: h.in.Format, Window: limit}); err == nil { // otherwise the policy's reserve doesn't fit
			h.asked.Window = limit
		}
	}
	r, err := h.fit(ctx, known, s)
	if err != nil || r.Changed || r.Report.Tokens.Before == 0 {
		return r, err
	}
	h.asked.Window, h.asked.NoReserve = RefusedWindow(r.Report.Tokens.Before), true // it fits the known window, but only by the estimate
	return h.fit(ctx, known, s)
}

// remake compacts a second time what was compacted while the model failed. It returns nil if the model fails again.
func (h *history) remake(ctx context.Context, stale *known, s Summarizer) (*Result, error) {
	o, from := h.again(ctx, stale)
	asking := h.c.asking(s, h.in.OnDelta).about(h.in.Messages)
	a, err := h.answer(ctx, o, from)
	if err == nil {
		a, err = h.rounds(ctx, a, from, asking)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && a.Report.Changed && !asking.failed:
		return h.done(ctx, a, o, from, asking)
	case err != nil:
		h.c.log.Warn("ctxfold: a compaction could not be repeated", "error", err)
	}
	stale.Degraded.Tries++
	stale.Degraded.Again = h.later(stale.Degraded.Tries, asking.after)
	h.keep(ctx, &stale.remembered, h.under(&stale.covered)...)
	return nil, nil
}

// again returns the options of a repeated compaction, and what it starts from.
func (h *history) again(ctx context.Context, stale *known) (api.Options, *known) {
	o := h.in.compacting(h.asked, false)
	o.Force, o.Window, o.NoReserve = true, stale.Degraded.Window, stale.Degraded.NoReserve
	h.tries = stale.Degraded.Tries
	from := stale
	for from != nil && from.Degraded != nil {
		from = h.find(ctx, from.at+1)
	}
	return o, from
}

// rounds requests summaries until the answer is final.
func (h *history) rounds(ctx context.Context, a *api.Planned, known *known, asking *asking) (*api.Planned, error) {
	for len(a.Requests) > 0 {
		replies, err := asking.round(ctx, a.Requests)
		if err != nil {
			return nil, err
		}
		if a, err = h.run(ctx, operations.OpStep, known, stepMembers(a.Plan, replies)...); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// done stores removed content and remembers the result.
func (h *history) done(ctx context.Context, a *api.Planned, o api.Options, known *known, asking *asking) (*Result, error) {
	if h.in.Store != nil {
		if err := h.c.keep(ctx, h.in.Store, h.in.Messages, a.Archive); err != nil {
			return nil, err
		}
	}
	made := remembered{Version: recordVersion, Entry: a.Memory}
	switch {
	case asking.failed:
		made.Degraded = &degraded{Tries: h.tries + 1, Again: h.later(h.tries+1, asking.after), Window: o.Window, NoReserve: o.NoReserve}
	case known.stale():
		made.Degraded = known.Degraded // the result contains it
	}
	switch {
	case len(made.Entry) > 0:
		var c covered
		if err := unmarshal("fit", made.Entry, &c); err != nil {
			return nil, err
		}
		if !h.keep(ctx, &made, h.under(&c)...) {
			return nil, errLeaseLost
		}
	case asking.failed && !h.paused: // the policy keeps what has no summary: the model isn't called again each time
		h.keep(ctx, &made, h.keys[0])
	}
	h.c.metrics.Compaction(a.Report)
	r := known.result(a)
	if h.behind != nil {
		r.Background = h.behind.over
	}
	return r, nil
}

// later returns when to call a model again that has failed this often and asked for this pause, in seconds since 1970.
func (h *history) later(tries int, after time.Duration) int64 {
	wait := min(firstWait<<min(tries-1, 10), longestWait)
	return h.c.now().Add(max(wait, after)).Unix()
}

const (
	firstWait   = time.Minute
	longestWait = time.Hour
)

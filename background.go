package ctxfold

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/ctxfold/ctxfold/api"
)

// begins reports whether compactions may begin in the background: the policy has gate.start, which no preset has, and removed content is
// stored somewhere.
func (in *Input) begins() bool {
	start, archive := in.Policy.Gate.Start, in.Policy.Archive
	if in.Policy.Raw != nil {
		var of struct {
			Archive api.Archive `json:"archive"`
			Gate    struct {
				Start float64 `json:"start"`
			} `json:"gate"`
		}
		if json.Unmarshal(in.Policy.Raw, &of) != nil {
			return false
		}
		start, archive = of.Gate.Start, of.Archive
	}
	return start > 0 && (archive == "" || in.Store != nil)
}

// wait waits for the end of a compaction in the background.
func (b *background) wait(ctx context.Context) error {
	select {
	case <-b.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin starts a compaction of the history in the background. It outlives the call and stores its result for later calls.
func (h *history) begin(ctx context.Context, known *known, s Summarizer) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b := h.c.flights.begin(h.keys, cancel)
	if b == nil {
		cancel()
		return
	}
	h.behind = b
	work := *h
	work.behind, work.lease = nil, lease{free: h.lease.free}
	work.in.Messages = bytes.Clone(h.in.Messages) // the caller may use its bytes again
	go func() {
		defer cancel()
		for _, other := range work.edited {
			<-other.over
		}
		h.c.flights.end(b, work.leased(ctx, b, known, s))
	}()
}

// leased is early with a lease, after which it looks again for what is remembered. If another replica has the lease, that one compacts the
// history and nothing is left to do.
func (h *history) leased(ctx context.Context, b *background, known *known, s Summarizer) *attempt {
	if !h.lease.may() {
		if granted, err := h.ask(ctx, rand.Text()); !granted || err != nil {
			return nil
		}
		defer h.drop(ctx)
		known = h.recall(ctx)
	}
	return h.early(ctx, b, known, s)
}

// early compacts before it is due, or again. It returns the attempt if nothing came of it.
func (h *history) early(ctx context.Context, b *background, known *known, s Summarizer) *attempt {
	if known.due(h.c.now()) {
		if _, err := h.remake(ctx, known, s); err != nil && ctx.Err() == nil {
			h.c.log.Warn("ctxfold: a compaction in the background could not be made", "error", err)
		}
		return nil // the record says when to try again
	}
	o := prefixing(h.in.compacting(h.asked, false), s)
	o.Background = true
	asking := h.c.asking(s, h.in.OnDelta).about(h.in.Messages)
	a, err := h.answer(ctx, o, known)
	if err == nil && len(a.Requests) > 0 && known.stale() {
		var again api.Options
		again, known = h.again(ctx, known)
		o.Force, o.Window, o.NoReserve = again.Force, again.Window, again.NoReserve
		a, err = h.answer(ctx, o, known)
	}
	nothing := &attempt{key: h.keys[0], messages: len(h.keys)}
	if err == nil {
		nothing.tokens = a.Report.Tokens.Before
		h.replaces(a)
		h.c.flights.replaces(b, h.cut)
		a, err = h.rounds(ctx, a, known, asking)
	}
	if err == nil && a.Report.Changed && !asking.failed {
		if _, err = h.done(ctx, a, o, known, asking); err == nil {
			return nil
		}
	}
	if ctx.Err() != nil { // a cancelled compaction isn't an attempt
		return nil
	}
	if err != nil {
		h.c.log.Warn("ctxfold: a compaction in the background could not be made", "error", err)
	}
	nothing.failed = asking.failed || a != nil && a.Report.Reason == api.ReasonSummaryFailed
	return nothing
}

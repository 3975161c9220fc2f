package ctxfold

import (
	"context"

	"github.com/ctxfold/ctxfold/api"
)

// behind is a background compaction of a conversation. It holds the right to compact.
type behind struct {
	*background
	r *Result // when it is over; nil if it failed
}

// running returns the background compaction, or nil.
func (v *Conversation) running() *behind {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.behind
}

func (v *Conversation) hasTried() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.tried
}

// goingOn returns the result of a turn that didn't wait, or nil without a check.
func (v *Conversation) goingOn(b *behind, check *api.Check) *Result {
	if check == nil {
		return nil
	}
	r := v.unchanged(check.Reason)
	r.Background = b.over
	return r
}

// takeOver is begin for callers that must not wait for a summary: it cancels the background compaction.
func (v *Conversation) takeOver(ctx context.Context) error {
	if b := v.running(); b != nil {
		b.cancel()
	}
	return v.begin(ctx)
}

// start compacts in the background. Call it between begin and end; it calls end itself.
func (v *Conversation) start(ctx context.Context, check *api.Check) *behind {
	v.mu.Lock()
	defer v.mu.Unlock()
	b := new(behind)
	v.behind = b
	v.c.background.begin(ctx, func(begun *background) { b.background = begun }, func(ctx context.Context) {
		r, err := v.compact(ctx, api.Options{}, api.JobSettings{Background: true}, TriggerBackground, check)
		if err != nil && ctx.Err() == nil {
			v.c.log.Warn("ctxfold: a compaction in the background failed", "error", err)
		}
		v.mu.Lock()
		b.r, v.behind = r, nil
		if (err != nil || !r.Changed) && ctx.Err() == nil {
			v.tried = check.Tokens
		}
		v.mu.Unlock()
		v.end()
	})
	if v.closed {
		b.cancel()
	}
	return b
}

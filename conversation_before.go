package ctxfold

import (
	"context"

	"github.com/ctxfold/ctxfold/api"
)

// BeforeTurn compacts the conversation where that is due before the model is called: where its prompt cache is cold, by gate.idle of the
// policy, a conversation is compacted below the limit too. What is not known of next is measured, from the last call of BeforeTurn,
// AfterTurn or Call. Call does so itself. The result is as that of AfterTurn; where the model gives no summary it is not changed.
func (v *Conversation) BeforeTurn(ctx context.Context, next Next) (*Result, error) {
	if next.Model == "" {
		next.Model = v.o.Policy.Model
	}
	defer v.called(next)
	var o api.Options
	next.options(&o, v.lastCall(), v.c.now())
	check, err := v.check(ctx, o)
	if err != nil || !check.Due {
		return v.waiting(check), err
	}
	if err := v.begin(ctx); err != nil { // one in the background may make it due no more
		return nil, err
	}
	defer v.end()
	if check, err = v.check(ctx, o); err != nil || !check.Due {
		return v.waiting(check), err
	}
	trigger := TriggerAuto
	if check.Cold != "" {
		trigger = TriggerCold
	}
	return v.compact(ctx, o, trigger, check)
}

// waiting is the result where nothing is due. It is nil without a check.
func (v *Conversation) waiting(check *api.Check) *Result {
	if b := v.running(); b != nil {
		return v.goingOn(b, check)
	}
	if check == nil {
		return nil
	}
	return v.unchanged(check.Reason)
}

// chill is BeforeTurn for Call, which continues whatever comes of it.
func (v *Conversation) chill(ctx context.Context) *Result {
	if !chills(&v.o.Policy) {
		return nil
	}
	r, err := v.BeforeTurn(ctx, Next{})
	if err != nil {
		v.c.log.Warn("ctxfold: a conversation with a cold prompt cache was not compacted", "error", err)
		return nil
	}
	return r
}

func (v *Conversation) lastCall() use {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.last
}

// called notes that the model is called now, or was. What is not known of it is as before.
func (v *Conversation) called(next Next) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if next.Model == "" {
		next.Model = v.last.Model
	}
	if next.Provider == "" {
		next.Provider = v.last.Provider
	}
	v.last = next.use(v.c.now())
}

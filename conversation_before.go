package ctxfold

import (
	"context"

	"github.com/ctxfold/ctxfold/api"
)

// BeforeTurn compacts the conversation if that is due before the model is called: with gate.idle in the policy, a conversation whose prompt
// cache is cold is compacted below the limit too. Unknown fields of next are measured from the last call of BeforeTurn, AfterTurn or Call.
// Call does this itself. The result is like AfterTurn's; if the model gives no summary it is unchanged.
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
	if err := v.begin(ctx); err != nil { // a background compaction may make it unnecessary
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

// waiting returns the result if nothing is due, or nil without a check.
func (v *Conversation) waiting(check *api.Check) *Result {
	if b := v.running(); b != nil {
		return v.goingOn(b, check)
	}
	if check == nil {
		return nil
	}
	return v.unchanged(check.Reason)
}

// chill is BeforeTurn for Call, which continues in any case.
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

// called notes a call of the model, now or earlier. Unknown fields keep their values.
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

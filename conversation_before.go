package ctxfold

import (
	"cmp"
	"context"
	"time"

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
	o := v.idle(next)
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
	return v.compact(ctx, o, api.JobSettings{}, trigger, check)
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

// chill is BeforeTurn for Call, which continues in any case, and compacts above the limit only if the model refuses the messages.
func (v *Conversation) chill(ctx context.Context) *Result {
	next := Next{Model: v.o.Policy.Model}
	check, err := v.check(ctx, v.idle(next))
	if err == nil && check.Cold == "" {
		return nil
	}
	var r *Result
	if err == nil {
		r, err = v.BeforeTurn(ctx, next)
	}
	if err != nil {
		v.c.log.Warn("ctxfold: a conversation with a cold prompt cache was not compacted", "error", err)
		return nil
	}
	return r
}

// longestIdle is the longest idle time that core accepts. A wrong clock may measure more.
const longestIdle = 1_000_000_000 * time.Second

// idle returns the options that say what is known of the prompt cache.
func (v *Conversation) idle(next Next) (o api.Options) {
	v.mu.Lock()
	defer v.mu.Unlock()
	o.Idle, o.Cold = next.Idle.Seconds(), next.Cold
	if o.Idle == 0 && !v.last.at.IsZero() {
		o.Idle = min(max(0, v.c.now().Sub(v.last.at)), longestIdle).Seconds()
	}
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	switch {
	case o.Cold != "":
	case differ(next.Provider, v.last.provider):
		o.Cold = api.ColdProvider
	case differ(next.Model, v.last.model):
		o.Cold = api.ColdModel
	}
	return o
}

// called notes a call of the model, now or earlier. Unknown fields keep their values.
func (v *Conversation) called(next Next) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last.at = v.c.now()
	v.last.model, v.last.provider = cmp.Or(next.Model, v.last.model), cmp.Or(next.Provider, v.last.provider)
}

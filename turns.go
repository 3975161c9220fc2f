package ctxfold

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// Before is the decision of BeforeCompact. The zero value lets the compaction begin.
type Before struct {
	// Cancel skips the compaction. Reason becomes the reason of the [Result]; "" means [ReasonSkipped].
	Cancel bool
	Reason api.Reason
	// Summary is a finished summary: if it is set, the Summarizer isn't called.
	Summary string
}

// ReasonSkipped is the default reason of a [Result] if BeforeCompact cancelled the compaction.
const ReasonSkipped api.Reason = "skipped"

// AfterTurn compacts the conversation if that is due. Call it when the model has ended its turn and its messages were
// appended.
//
// If the result is changed, the conversation continues with it. Its Edits apply to the messages at the end, including
// those that arrived in the meantime: [ApplyEdits] does the same to the caller's own list. Otherwise Messages and Edits
// are empty. An error means that the conversation is unchanged.
//
// Above gate.start of the policy it starts a compaction in the background and returns at once; Background of the result
// is closed when that ends. The conversation then continues with its result, and AfterCompact is called. If the model
// fails, the conversation stays unchanged, and the next attempt is made once it has grown. If the limit is reached
// first, AfterTurn waits.
func (v *Conversation) AfterTurn(ctx context.Context) (*Result, error) {
	v.called(Next{})
	var done *behind
	for {
		running := v.running()
		if running == nil {
			break
		}
		if check, err := v.Check(ctx); err != nil || !check.Due {
			return v.goingOn(running, check), err
		}
		if err := running.wait(ctx); err != nil {
			return nil, err
		}
		done = running
	}
	if err := v.begin(ctx); err != nil {
		return nil, err
	}
	check, err := v.check(ctx, api.Options{Tried: v.hasTried()})
	switch {
	case err == nil && check.Due:
		defer v.end()
		return v.compact(ctx, api.Options{}, api.JobSettings{}, TriggerAuto, check)
	case err == nil && check.Start && v.o.Summarizer != nil:
		return v.goingOn(v.start(ctx, check), check), nil // start calls end
	}
	v.end()
	if err != nil {
		return nil, err
	}
	if done != nil && done.r != nil && done.r.Changed {
		return done.r, nil
	}
	return v.unchanged(check.Reason), nil
}

// Compact compacts the conversation like AfterTurn, even if that isn't due.
func (v *Conversation) Compact(ctx context.Context) (*Result, error) {
	return v.forced(ctx, TriggerManual, 0)
}

// Restore restores removed content from the Store of the options, as [Compactor.Restore] does, and the conversation
// continues with the result, which has Edits instead of Messages.
func (v *Conversation) Restore(ctx context.Context, handles ...string) (*api.Restored, error) {
	if v.o.Store == nil {
		return nil, fmt.Errorf("ctxfold: %w: the conversation has none", ErrStore)
	}
	if err := v.takeOver(ctx); err != nil {
		return nil, err
	}
	defer v.end()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tried = 0
	shelf := shelf{store: v.o.Store}
	err := shelf.fill(ctx, v.c, handles, func() ([]api.Marker, error) {
		r, err := v.restore(ctx, []byte("[]"))
		if err != nil {
			return nil, err
		}
		return r.Markers, nil
	})
	if err != nil {
		return nil, err
	}
	r, err := v.restore(ctx, shelf.json())
	if err != nil {
		return nil, err
	}
	shelf.tell(v.c, r.Markers)
	return r, nil
}

func (v *Conversation) restore(ctx context.Context, bodies []byte) (a *api.Restored, err error) {
	a = new(api.Restored)
	if a.Raw, err = v.call(ctx, operations.OpRestore, a, member{operations.InBodies, bodies}); err != nil {
		return nil, err
	}
	if a.Report.Changed {
		if err := v.apply(ctx, a.Edits); err != nil {
			return nil, err
		}
		v.state = a.State
	}
	a.State = bytes.Clone(v.state)
	return a, nil
}

// Call calls a model: call sends the given messages and returns what is known about the answer: its usage or, for an
// error, its status and body. The error may have a method Failure() Failure. If the conversation doesn't fit, Call
// compacts it and calls once more, but not again. With gate.idle in the policy it compacts an idle conversation before
// the first call. Compacted of the outcome is the compaction, if any. Call doesn't append the model's answer.
//
// The error is that of call, or [ErrStillOverflow] joined with it. Other errors, such as a rate limit, are returned
// unchanged: it is up to the caller to retry.
func (v *Conversation) Call(ctx context.Context, call func(ctx context.Context, messages json.RawMessage) (api.Failure, error)) (Outcome, error) {
	var o Outcome
	if r := v.chill(ctx); r != nil && r.Changed {
		o.Compacted = r
	}
	o.Messages = v.Messages()
	failure, err := contained(ctx, call, o.Messages)
	v.called(Next{})
	if o.Verdict, err = v.judge(ctx, failure, err); !o.Verdict.Overflow {
		return o, err
	}
	r, cerr := v.forced(ctx, TriggerRecovery, o.Verdict.Limit)
	if cerr != nil || !r.Changed {
		return o, errors.Join(ErrStillOverflow, err, cerr)
	}
	o.Messages, o.Compacted = r.Messages, r
	failure, err = contained(ctx, call, r.Messages)
	v.called(Next{})
	if o.Verdict, err = v.judge(ctx, failure, err); o.Verdict.Overflow {
		err = errors.Join(ErrStillOverflow, err)
	}
	return o, err
}

func contained(ctx context.Context, call func(context.Context, json.RawMessage) (api.Failure, error), messages json.RawMessage) (f api.Failure, err error) {
	err = contain("Call", func() (err error) {
		f, err = call(ctx, messages)
		return err
	})
	return f, err
}

// Outcome is the result of [Conversation.Call].
type Outcome struct {
	// Messages are the messages that were last sent to the model.
	Messages json.RawMessage
	// Compacted is the compaction between two calls, or before the first if the prompt cache was cold; nil if there was none.
	Compacted *Result
	// Verdict classifies the last call.
	Verdict api.Verdict
}

// judge classifies the outcome of a model call, and returns the error of the call unchanged.
func (v *Conversation) judge(ctx context.Context, f api.Failure, err error) (api.Verdict, error) {
	if ctx.Err() != nil {
		return api.Verdict{}, errors.Join(err, ctx.Err())
	}
	verdict, cerr := v.c.Classify(ctx, failureOf(f, err))
	if cerr != nil {
		return api.Verdict{}, errors.Join(err, cerr)
	}
	return verdict, err
}

// begin waits until no compaction is running; end allows the next one.
func (v *Conversation) begin(ctx context.Context) error {
	select {
	case v.compacting <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (v *Conversation) end() { <-v.compacting }

func (v *Conversation) unchanged(reason api.Reason) *Result {
	return &Result{State: v.State(), Reason: reason}
}

// check is Check with additional options.
func (v *Conversation) check(ctx context.Context, o api.Options) (a *api.Check, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a = new(api.Check)
	a.Raw, err = v.call(ctx, operations.OpCheck, a, optionsMember(o))
	return a, err
}

// forced compacts even if that isn't due. limit is the window in tokens that a provider named, or 0. It matters if the
// policy's window is too large.
func (v *Conversation) forced(ctx context.Context, trigger string, limit int) (*Result, error) {
	if err := v.takeOver(ctx); err != nil {
		return nil, err
	}
	defer v.end()
	o := api.Options{Force: true}
	check, err := v.check(ctx, o)
	if err != nil {
		return nil, err
	}
	return v.compact(ctx, o, api.JobSettings{Refused: trigger == TriggerRecovery, Limit: limit}, trigger, check)
}

// RefusedWindow returns the window to assume, in tokens, if a provider rejected a transcript that fits the known
// window: 0.7 of the estimated size.
func RefusedWindow(tokens int) int { return max(1, tokens*7/10) }

// compact compacts, and emits the events at the start and the end.
func (v *Conversation) compact(ctx context.Context, o api.Options, s api.JobSettings, trigger string, check *api.Check) (*Result, error) {
	start := Event{Type: EventStart, Conversation: v.o.ID, Trigger: trigger, Time: time.Now().UTC(),
		MessagesBefore: check.Messages, TokensBefore: check.Tokens}
	if v.o.BeforeCompact != nil {
		var before Before
		if err := contain("BeforeCompact", func() error { before = v.o.BeforeCompact(ctx, start); return nil }); err != nil {
			v.c.log.Warn("ctxfold: not compacted", "error", err)
			return nil, fmt.Errorf("compaction: %w", err)
		}
		if before.Cancel {
			return v.unchanged(cmp.Or(before.Reason, ReasonSkipped)), nil
		}
		if before.Summary != "" {
			o.Summary = &api.SummaryOptions{Text: before.Summary}
		}
	}
	v.tell(ctx, start)
	r, err := v.run(ctx, o, s)
	end := start
	end.Type, end.Time = EventEnd, time.Now().UTC()
	if err != nil {
		end.MessagesAfter, end.TokensAfter, end.Error = end.MessagesBefore, end.TokensBefore, err.Error()
	} else {
		end.Reason, end.Removed = r.Reason, removed(r.Report.Actions)
		end.MessagesBefore, end.MessagesAfter = r.Report.Messages.Before, r.Report.Messages.After
		end.TokensBefore, end.TokensAfter = r.Report.Tokens.Before, r.Report.Tokens.After
	}
	v.tell(context.WithoutCancel(ctx), end)
	if v.o.AfterCompact != nil {
		v.c.tell("AfterCompact", func() { v.o.AfterCompact(ctx, end, r) })
	}
	if err != nil {
		return nil, fmt.Errorf("compaction: %w", err)
	}
	return r, nil
}

// run runs a job on the session. The conversation stays usable while summaries are written.
func (v *Conversation) run(ctx context.Context, o api.Options, s api.JobSettings) (*Result, error) {
	o.Answer = api.AnswerEdits
	session, length := 0, 0
	j := &job{c: v.c, s: v.o.Summarizer, store: v.o.Store, onDelta: v.o.OnDelta}
	j.carry = func(ctx context.Context, op operations.Op, needed bool, members ...member) (*progress, error) {
		if !needed {
			return v.c.over(nil)(ctx, op, false, members...)
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		if op == operations.OpLoopStart {
			o.Redact = redactions(v.o.Redact, join(v.messages))
			if v.o.Score != nil {
				o.Score = v.o.Score(join(v.messages))
			}
			members = append(members, optionsMember(o))
		}
		p := new(progress)
		_, err := v.call(ctx, op, p, members...)
		session, length = v.session, len(v.messages)
		return p, err
	}
	settings := j.settings(Next{})
	settings.Operation, settings.Background, settings.Refused, settings.Limit = api.JobPlan, s.Background, s.Refused, s.Limit
	a, err := j.run(ctx, settings)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		v.forget(ctx) // the session may have applied the result already
		return nil, err
	}
	r := resultOf(a)
	r.Messages, r.Edits = nil, nil
	if r.Changed {
		edits := a.Edits
		if n := len(v.messages); n > length { // keep messages that came after the answer
			edits = fmt.Appendf(bytes.TrimSuffix(edits, []byte{']'}), `,{"keep":[%d,%d]}]`, length, n)
		}
		if err := v.apply(ctx, edits); err != nil {
			return nil, err
		}
		if session != v.session { // the session was reopened meanwhile, with the unchanged messages
			v.forget(ctx)
		}
		r.Edits, r.Messages = json.RawMessage(edits), join(v.messages)
		v.tried = 0
	}
	v.state = bytes.Clone(a.State)
	return r, nil
}

// apply applies edits to the messages, as the session did to its own.
func (v *Conversation) apply(ctx context.Context, edits []byte) error {
	list, err := ApplyEdits(v.messages, edits, func(m json.RawMessage) (json.RawMessage, error) { return m, nil })
	if err != nil {
		v.forget(ctx)
		return err
	}
	v.messages = adopt(list)
	return nil
}

// tell stores an event. A failing journal must not affect the conversation.
func (v *Conversation) tell(ctx context.Context, e Event) {
	if v.o.Journal == nil {
		return
	}
	if err := contain("Journal", func() error { return v.o.Journal.Append(ctx, e) }); err != nil {
		v.c.log.Warn("ctxfold: an event was not kept", "type", e.Type, "error", err)
	}
}

// removed returns the messages that actions removed from the context, as half-open ranges.
func removed(actions []api.Action) (ranges [][2]int) {
	for _, a := range actions {
		if a.Message < 0 || a.Action != api.ActionFold && a.Action != api.ActionDrop {
			continue
		}
		if n := len(ranges); n > 0 && a.Message <= ranges[n-1][1] && a.Message >= ranges[n-1][0] {
			ranges[n-1][1] = max(ranges[n-1][1], a.Message+1)
		} else {
			ranges = append(ranges, [2]int{a.Message, a.Message + 1})
		}
	}
	return ranges
}

// BeforeTurn compacts the conversation if that is due. Call it before the model is called: with gate.idle in the
// policy, a conversation whose prompt cache is cold is compacted below the limit too. Fields of next that aren't set
// are measured from the last call of BeforeTurn, AfterTurn or Call. Call does this itself. The result is like
// AfterTurn's; if the model gives no summary it is unchanged.
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
	if err := v.begin(ctx); err != nil { // a background compaction may have made it unnecessary
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

// waiting returns the result if nothing has to be done now: because a background compaction is running, or nothing is
// due. Without a check it returns nil.
func (v *Conversation) waiting(check *api.Check) *Result {
	if b := v.running(); b != nil {
		return v.goingOn(b, check)
	}
	if check == nil {
		return nil
	}
	return v.unchanged(check.Reason)
}

// chill is BeforeTurn for Call, which continues even if this fails. Above the limit it does nothing: Call compacts then
// only if the model rejects the messages.
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

// longestIdle is the longest idle time that core accepts. A wrong clock may yield more.
const longestIdle = 1_000_000_000 * time.Second

// idle returns options with what is known about the prompt cache.
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

// called records that the model is called now. Fields of next that aren't set keep their values.
func (v *Conversation) called(next Next) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last.at = v.c.now()
	v.last.model, v.last.provider = cmp.Or(next.Model, v.last.model), cmp.Or(next.Provider, v.last.provider)
}

// behind is a background compaction of a conversation. No other compaction can run until it ends.
type behind struct {
	*background
	r *Result // set at the end; nil if it failed
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

// goingOn returns the result of a turn that doesn't wait for the background compaction; nil without a check.
func (v *Conversation) goingOn(b *behind, check *api.Check) *Result {
	if check == nil {
		return nil
	}
	r := v.unchanged(check.Reason)
	r.Background = b.over
	return r
}

// takeOver is begin for callers that must not wait for a summary: it cancels a background compaction.
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
	v.c.background.begin(ctx, "", nil, func(begun *background) { b.background = begun }, func(ctx context.Context) {
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

// failureOf returns the error's own Failure if it has such a method. Otherwise it returns f, with the error's text as the
// body if f has none.
func failureOf(f api.Failure, err error) api.Failure {
	var own interface{ Failure() api.Failure }
	if errors.As(err, &own) {
		return own.Failure()
	}
	if err != nil && f.Body == "" {
		f.Body = err.Error()
	}
	return f
}

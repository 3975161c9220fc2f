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

// CompactDecision is what BeforeCompact decides about a compaction. The zero value lets the compaction begin.
type CompactDecision struct {
	// Cancel skips the compaction. Reason becomes the Reason of the [Result]; "" means [ReasonSkipped].
	Cancel bool
	Reason api.Reason
	// Summary is a finished summary. If it is set, the Summarizer isn't called.
	Summary string
}

// ReasonSkipped is the default reason of a [Result] if BeforeCompact cancelled the compaction.
const ReasonSkipped api.Reason = "skipped"

// AfterTurn compacts the conversation if compaction is due. Call it when the model has ended its turn and its
// messages have been appended.
//
// If Changed is true, the conversation continues with the result. The result's Edits apply to the messages at the
// time when AfterTurn returns, including those that arrived in the meantime; [ApplyEdits] applies them to the
// caller's own list. Otherwise Messages and Edits are empty. An error means that the conversation is unchanged.
//
// Above the policy's gate.start, AfterTurn starts a compaction in the background and returns at once; the result's
// Background is closed when the compaction ends. The conversation then continues with the compacted messages, and
// AfterCompact is called. If the model fails, the conversation stays unchanged, and the next attempt is made once the
// conversation has grown. If the limit is reached first, AfterTurn waits.
func (v *Conversation) AfterTurn(ctx context.Context) (*Result, error) {
	return v.turn(ctx, api.TurnAfter, api.JobSettings{}, api.Options{})
}

// Compact compacts the conversation like AfterTurn, but even if compaction isn't due. If nothing can be gained, the
// result isn't Changed.
func (v *Conversation) Compact(ctx context.Context) (*Result, error) {
	return v.turn(ctx, api.TurnForced, api.JobSettings{}, api.Options{})
}

// Restore works like [Compactor.Restore], with the Store set in the options. The conversation continues with the
// result, which has Edits instead of Messages. It waits for a running compaction, but cancels a background one. Without
// a Store it returns an error that wraps ErrStore.
func (v *Conversation) Restore(ctx context.Context, handles ...string) (*api.Restored, error) {
	if v.o.Store == nil {
		return nil, fmt.Errorf("ctxfold: %w: the conversation has none", ErrStore)
	}
	if err := v.takeOver(ctx); err != nil {
		return nil, err
	}
	defer v.release()
	v.mu.Lock()
	defer v.mu.Unlock()
	fetched := fetchedBodies{store: v.o.Store}
	err := fetched.fill(ctx, v.c, handles, func() ([]api.Marker, error) {
		r, err := v.restore(ctx, []byte("[]"))
		if err != nil {
			return nil, err
		}
		return r.Markers, nil
	})
	if err != nil {
		return nil, err
	}
	r, err := v.restore(ctx, fetched.json())
	if err != nil {
		return nil, err
	}
	fetched.markCorrupt(v.c, r.Markers)
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
		v.state, v.edited = a.State, true
	}
	a.State = bytes.Clone(v.state)
	return a, nil
}

// Call calls a model. The function call sends the given messages and returns what is known about the response: its
// usage or, for an error, its status and body. The error may have a method Failure() Failure. If the conversation
// doesn't fit, Call compacts it and calls the model a second time, but not a third. If the policy has gate.idle, Call
// compacts an idle conversation before the first call. The outcome's Compacted is the compaction, if there was one.
// Call doesn't append the model's response.
//
// The returned error is the error of call, joined with [ErrStillOverflow] if the compaction didn't help. Other
// errors, such as a rate limit, are returned unchanged: it is up to the caller to retry.
func (v *Conversation) Call(ctx context.Context, call func(ctx context.Context, messages json.RawMessage) (api.Failure, error)) (CallOutcome, error) {
	var o CallOutcome
	switch r, err := v.turn(ctx, api.TurnCall, api.JobSettings{}, api.Options{}); {
	case err != nil:
		v.c.log.Warn("ctxfold: a conversation with a cold prompt cache was not compacted", "error", err)
	case r.Changed:
		o.Compacted = r
	}
	o.Messages = v.Messages()
	failure, err := contained(ctx, call, o.Messages)
	if o.Verdict, err = v.judge(ctx, failure, err); !o.Verdict.Overflow {
		return o, err
	}
	r, cerr := v.turn(ctx, api.TurnForced, api.JobSettings{Refused: true, Limit: o.Verdict.Limit}, api.Options{})
	if cerr != nil || !r.Changed {
		return o, errors.Join(ErrStillOverflow, err, cerr)
	}
	o.Messages, o.Compacted = r.Messages, r
	failure, err = contained(ctx, call, r.Messages)
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

// CallOutcome is the result of [Conversation.Call].
type CallOutcome struct {
	// Messages are the messages that were last sent to the model.
	Messages json.RawMessage
	// Compacted is the compaction between the first and the second call of the model or, if the prompt cache was cold,
	// the one before the first call; nil if there was none.
	Compacted *Result
	// Verdict classifies the last call.
	Verdict api.Verdict
}

// judge classifies the outcome of a model call. It returns the error of the call, joined with the error of ctx or of
// the classification if there is one.
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

// claim waits until no compaction is running, and claims the right to compact until release is called. It returns an
// error if ctx ends first.
func (v *Conversation) claim(ctx context.Context) error {
	select {
	case v.compacting <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (v *Conversation) release() { <-v.compacting }

// turn is the host's side of one turn of a conversation, or of a compaction of it in the
// background. The turn's job makes all decisions; turn adds what other jobs don't need, such as the
// events and the session.
type turn struct {
	v          *Conversation
	own        *behind // this turn's entry if it runs in the background, otherwise nil
	running    *behind // the background compaction that was running at the start
	begun      *behind // the background compaction that the turn started, or found running
	entered    bool    // whether the turn holds the right to compact
	startEvent *Event  // the start event of the compaction that has begun
	skipped    api.Reason
	check      *api.Check
	session    int // the session whose first length messages the job was last given
	length     int
}

// turn runs the job of a turn at the moment at, for example after the model's answer. The
// conversation stays usable while summaries are written. The result is nil if the turn had nothing
// to do.
func (v *Conversation) turn(ctx context.Context, at api.TurnMoment, s api.JobSettings, o api.Options) (*Result, error) {
	v.mu.Lock()
	x := &turn{v: v, running: v.behind}
	s.Turn = &api.Turn{Moment: at, Notes: v.notes, Edited: v.edited}
	if v.edited = false; x.running != nil {
		s.Turn.Running = x.running.id
	}
	v.mu.Unlock()
	return x.run(ctx, s, o)
}

func (x *turn) run(ctx context.Context, s api.JobSettings, o api.Options) (*Result, error) {
	defer x.leave()
	o.Answer = api.AnswerEdits
	j := &job{c: x.v.c, s: x.v.o.Summarizer, store: x.v.o.Store, onDelta: x.v.o.OnDelta, turn: x}
	j.carry = func(ctx context.Context, op operations.Op, needed bool, members ...member) (*progress, error) {
		if !needed {
			return x.v.c.over(nil)(ctx, op, false, members...)
		}
		if op == operations.OpLoopStart {
			members = append(members, optionsMember(o))
		}
		return x.runOnSession(ctx, op, members)
	}
	settings := j.settings(NextCall{Model: s.Model, Provider: s.Provider})
	settings.Operation, settings.Turn, settings.Background = api.JobPlan, s.Turn, s.Background
	settings.Refused, settings.Limit = s.Refused, s.Limit
	a, err := j.run(ctx, settings)
	if x.startEvent == nil && err == nil {
		return x.unchanged(), nil
	}
	return x.end(ctx, a, err)
}

// runOnSession runs an operation of the turn's job on the session. It notes which session and how many messages the
// operation saw, so that take recognizes messages that arrived later.
func (x *turn) runOnSession(ctx context.Context, op operations.Op, members []member) (*progress, error) {
	v := x.v
	v.mu.Lock()
	defer v.mu.Unlock()
	p := new(progress)
	_, err := v.call(ctx, op, p, members...)
	x.session, x.length = v.session, len(v.messages)
	if x.check = p.Check; p.Notes != nil && x.own == nil {
		v.notes = p.Notes
	}
	return p, err
}

// enter waits until no other job compacts the conversation. It returns an error if ctx ends first.
func (x *turn) enter(ctx context.Context) error {
	err := x.v.claim(ctx)
	x.entered = err == nil
	return err
}

// leave allows the next compaction to begin. A turn that hasn't entered may call it, too.
func (x *turn) leave() {
	if x.own != nil {
		x.v.mu.Lock()
		x.v.behind = nil
		x.v.mu.Unlock()
	}
	if x.entered {
		x.v.release()
	}
}

// before reports to the journal and to BeforeCompact that a compaction is about to begin, and returns the decision of
// BeforeCompact. It returns an error only if BeforeCompact panics.
func (x *turn) before(ctx context.Context, b *api.Beginning) (r api.EffectResult, err error) {
	v := x.v
	start := Event{Type: EventStart, Conversation: v.o.ID, Trigger: string(b.Trigger), Time: time.Now().UTC(),
		MessagesBefore: b.Messages, TokensBefore: b.Tokens}
	if v.o.BeforeCompact != nil {
		var before CompactDecision
		if err := contain("BeforeCompact", func() error { before = v.o.BeforeCompact(ctx, start); return nil }); err != nil {
			v.c.log.Warn("ctxfold: not compacted", "error", err)
			return r, fmt.Errorf("compaction: %w", err)
		}
		if r.Skip = before.Cancel; r.Skip {
			x.skipped = cmp.Or(before.Reason, ReasonSkipped)
			return r, nil
		}
		r.Summary = &api.Summary{Text: before.Summary}
	}
	if v.o.Redact != nil {
		r.Redact = redactions(v.o.Redact, v.Messages())
	}
	if v.o.Score != nil {
		err := contain("Score", func() error { r.Score = v.o.Score(v.Messages()); return nil })
		if err != nil {
			v.c.log.Warn("ctxfold: compacted without scores", "error", err)
		}
	}
	x.startEvent = &start
	v.appendEvent(ctx, start)
	return r, nil
}

// begin starts a compaction in the background, unless one is running already.
func (x *turn) begin(ctx context.Context, e *api.Effect) {
	v := x.v
	v.mu.Lock()
	defer v.mu.Unlock()
	if x.begun = v.behind; x.begun != nil || e.Settings == nil {
		return
	}
	b := new(behind)
	v.behind, x.begun = b, b
	v.c.background.begin(ctx, "", nil, func(begun *background) { b.background = begun }, func(ctx context.Context) {
		if _, err := (&turn{v: v, own: b}).run(ctx, *e.Settings, api.Options{}); err != nil && ctx.Err() == nil {
			v.c.log.Warn("ctxfold: a compaction in the background failed", "error", err)
		}
	})
	if v.closed {
		b.cancel()
	}
}

// unchanged returns the result of a turn that has not compacted anything. The turn may have waited for a running
// compaction.
func (x *turn) unchanged() *Result {
	r := &Result{State: x.v.State(), Reason: x.skipped}
	switch {
	case x.skipped != "":
	case x.entered && x.running != nil && x.running.r != nil && x.running.r.Changed:
		return x.running.r
	default:
		r.Reason = x.check.Reason
	}
	if x.begun != nil {
		r.BackgroundDone = x.begun.over
	}
	return r
}

// end finishes the compaction of a turn and returns its result, which is nil if none has begun. The
// error is err, the error of the turn, or an error from applying the result.
func (x *turn) end(ctx context.Context, a *api.Planned, err error) (*Result, error) {
	v := x.v
	if x.startEvent == nil {
		return nil, err
	}
	var r *Result
	v.mu.Lock()
	if err == nil {
		r, err = x.take(ctx, a)
	} else {
		v.forget(ctx) // the session may have continued without the compaction
	}
	v.mu.Unlock()
	end := *x.startEvent
	end.Type, end.Time = EventEnd, time.Now().UTC()
	if err != nil {
		end.MessagesAfter, end.TokensAfter, end.Error = end.MessagesBefore, end.TokensBefore, err.Error()
	} else {
		end.Reason, end.Removed = r.Reason, removed(r.Report.Actions)
		end.MessagesBefore, end.MessagesAfter = r.Report.Messages.Before, r.Report.Messages.After
		end.TokensBefore, end.TokensAfter = r.Report.Tokens.Before, r.Report.Tokens.After
	}
	v.appendEvent(context.WithoutCancel(ctx), end)
	if v.o.AfterCompact != nil {
		v.c.notify("AfterCompact", func() { v.o.AfterCompact(ctx, end, r) })
	}
	if err != nil {
		return nil, fmt.Errorf("compaction: %w", err)
	}
	return r, nil
}

// take applies the result of a compaction to the conversation. It returns the result without
// Messages and Edits, because the conversation has the messages itself. v.mu must be held.
func (x *turn) take(ctx context.Context, a *api.Planned) (*Result, error) {
	v, r := x.v, resultOf(a)
	r.Messages, r.Edits = nil, nil
	if r.Changed {
		edits := a.Edits
		if n := len(v.messages); n > x.length { // messages that arrived after the result was made stay after it
			edits = fmt.Appendf(bytes.TrimSuffix(edits, []byte{']'}), `,{"keep":[%d,%d]}]`, x.length, n)
		}
		if err := v.apply(ctx, edits); err != nil {
			return nil, err
		}
		if x.session != v.session { // the session was reopened in the meantime with the old messages
			v.forget(ctx)
		}
		r.Edits, r.Messages = json.RawMessage(edits), join(v.messages)
	}
	v.state = bytes.Clone(a.State)
	if x.own != nil {
		x.own.r = r
	}
	return r, nil
}

// apply applies edits to the messages, as the session has already done to its own copy. If they don't fit the messages,
// it closes the session, and the next call opens it again.
func (v *Conversation) apply(ctx context.Context, edits []byte) error {
	list, err := ApplyEdits(v.messages, edits, func(m json.RawMessage) (json.RawMessage, error) { return m, nil })
	if err != nil {
		v.forget(ctx)
		return err
	}
	v.messages = adopt(list)
	return nil
}

// appendEvent appends an event to the journal. A failing journal must not affect the conversation.
func (v *Conversation) appendEvent(ctx context.Context, e Event) {
	if v.o.Journal == nil {
		return
	}
	if err := contain("Journal", func() error { return v.o.Journal.Append(ctx, e) }); err != nil {
		v.c.log.Warn("ctxfold: an event was not kept", "type", e.Type, "error", err)
	}
}

// removed returns the messages that actions removed from the context, as half-open index ranges.
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

// BeforeTurn compacts the conversation if compaction is due. Call it before each model call: if the policy has
// gate.idle, a conversation whose prompt cache is cold is compacted even below the limit. Fields of next that aren't
// set are measured from the last call of BeforeTurn, AfterTurn or Call. The result is like that of AfterTurn; if the
// model returns no summary, the conversation stays unchanged. Conversation.Call compacts when the prompt cache is cold
// or the provider refuses the messages, but not at the limit of the policy.
func (v *Conversation) BeforeTurn(ctx context.Context, next NextCall) (*Result, error) {
	o := api.Options{Idle: min(next.Idle, longestIdle).Seconds(), Cold: next.Cold}
	return v.turn(ctx, api.TurnBefore, api.JobSettings{Model: next.Model, Provider: next.Provider}, o)
}

// longestIdle is the longest idle time that the core accepts.
const longestIdle = 1_000_000_000 * time.Second

// behind is a compaction of a conversation that runs in the background.
type behind struct {
	*background
	r *Result // the result once the compaction has ended; nil if it produced none
}

// running returns the background compaction that is running, or nil.
func (v *Conversation) running() *behind {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.behind
}

// takeOver is like claim, but cancels the background compaction first, for callers that must not
// wait for a summary. It returns an error if ctx ends first.
func (v *Conversation) takeOver(ctx context.Context) error {
	if b := v.running(); b != nil {
		b.cancel()
	}
	return v.claim(ctx)
}

// failureOf returns the failure that an error describes: what its Failure method returns or, without one, f with the
// text of the error as its body, if f has none.
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

package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Conversation compacts one conversation over and over: it carries the state, tells what happens, and gets the
// conversation over a context window that turned out too small. Its methods must not be called at the same time.
type Conversation struct {
	Compactor  *Compactor
	Policy     json.RawMessage
	Format     string
	Summarizer Summarizer // nil is the local digest

	// State is that of the last compaction. Store it with the conversation.
	State json.RawMessage

	// ID names the conversation in events.
	ID string
	// Journal gets an event at the start and at the end of each compaction. Nil is none.
	Journal Journal
	// BeforeCompact is asked before a compaction begins, with the event of its start; false leaves it out. Nil is always.
	BeforeCompact func(ctx context.Context, start Event) bool
	// AfterCompact is told the end of a compaction. The result is nil where it failed.
	AfterCompact func(ctx context.Context, end Event, r *Result)
}

// ReasonSkipped is the reason of a [Result] that BeforeCompact did not want.
const ReasonSkipped = "skipped"

// ErrStillOverflow says that the conversation does not fit in the model's context window after a compaction either.
var ErrStillOverflow = errors.New("the conversation does not fit in the context window, and a compaction did not help")

// AfterTurn compacts the conversation if that is due. It is to be called when the model has ended its turn.
func (v *Conversation) AfterTurn(ctx context.Context, messages json.RawMessage) (*Result, error) {
	check, err := v.Compactor.Check(ctx, v.input(messages))
	if err != nil {
		return nil, err
	}
	if !check.Due {
		return v.unchanged(messages, check.Reason), nil
	}
	return v.compact(ctx, v.input(messages), TriggerAuto, check)
}

// Compact compacts the conversation although it is not due.
func (v *Conversation) Compact(ctx context.Context, messages json.RawMessage) (*Result, error) {
	return v.forced(ctx, messages, TriggerManual, 0)
}

// Call calls a model: call sends the messages that it is given, and tells what is known of the answer (its usage, and of an
// error the status and the body; an error may also have a method Failure() Failure). When the conversation does not fit,
// Call compacts it and calls once more, no more than that. It returns the messages that the model was sent last, which are
// the caller's own unless they were compacted; where that is so, Compacted of the outcome is the result.
//
// The error is that of call, or [ErrStillOverflow] joined with it. An error that is no overflow, such as a rate limit, is
// returned as it is: whoever calls knows better when to try again.
func (v *Conversation) Call(ctx context.Context, messages json.RawMessage,
	call func(ctx context.Context, messages json.RawMessage) (Failure, error)) (Outcome, error) {
	o := Outcome{Messages: messages}
	failure, err := call(ctx, messages)
	if o.Verdict, err = v.judge(ctx, failure, err); !o.Verdict.Overflow {
		return o, err
	}
	r, cerr := v.forced(ctx, messages, TriggerRecovery, o.Verdict.Limit)
	if cerr != nil || !r.Changed || len(r.Messages) == 0 {
		return o, errors.Join(ErrStillOverflow, err, cerr)
	}
	o.Messages, o.Compacted = r.Messages, r
	failure, err = call(ctx, r.Messages)
	if o.Verdict, err = v.judge(ctx, failure, err); o.Verdict.Overflow {
		err = errors.Join(ErrStillOverflow, err)
	}
	return o, err
}

// Outcome is what came of [Conversation.Call].
type Outcome struct {
	// Messages are those that the model was sent last.
	Messages json.RawMessage
	// Compacted is the compaction between two calls; nil where one was enough.
	Compacted *Result
	// Verdict is what the last call came to.
	Verdict Verdict
}

// judge keeps the error of the call, whatever its class.
func (v *Conversation) judge(ctx context.Context, f Failure, err error) (Verdict, error) {
	if ctx.Err() != nil {
		return Verdict{}, errors.Join(err, ctx.Err())
	}
	verdict, cerr := v.Compactor.Classify(ctx, failureOf(f, err))
	if cerr != nil {
		return Verdict{}, errors.Join(err, cerr)
	}
	return verdict, err
}

func (v *Conversation) input(messages json.RawMessage) Input {
	return Input{Messages: messages, Policy: v.Policy, State: v.State, Format: v.Format}
}

func (v *Conversation) unchanged(messages json.RawMessage, reason string) *Result {
	return &Result{Messages: messages, State: v.State, Reason: reason}
}

// forced compacts whatever the gate says. limit is the window that a provider has named, 0 for none: the policy's may be
// too large.
func (v *Conversation) forced(ctx context.Context, messages json.RawMessage, trigger string, limit int) (*Result, error) {
	in := v.input(messages)
	check, err := v.Compactor.Check(ctx, in)
	if err != nil {
		return nil, err
	}
	in.Force = true
	if limit > 0 && (check.Window == 0 || limit < check.Window) {
		in.window = limit
		narrower, err := v.Compactor.Check(ctx, in)
		if err != nil { // the policy's reserve does not fit in it
			in.window = 0
		} else {
			check = narrower
		}
	}
	return v.compact(ctx, in, trigger, check)
}

func (v *Conversation) compact(ctx context.Context, in Input, trigger string, check *Check) (*Result, error) {
	start := Event{Type: EventStart, Conversation: v.ID, Trigger: trigger, Time: time.Now().UTC(),
		MessagesBefore: check.Messages, TokensBefore: check.Tokens}
	if v.BeforeCompact != nil && !v.BeforeCompact(ctx, start) {
		return v.unchanged(in.Messages, ReasonSkipped), nil
	}
	v.append(ctx, start)
	r, err := v.Compactor.CompactWith(ctx, in, v.Summarizer)
	end := start
	end.Type, end.Time = EventEnd, time.Now().UTC()
	if err != nil {
		end.MessagesAfter, end.TokensAfter, end.Error = end.MessagesBefore, end.TokensBefore, err.Error()
	} else {
		v.State = r.State
		end.Reason, end.Removed = r.Reason, removed(r.Report.Actions)
		end.MessagesBefore, end.MessagesAfter = r.Report.Messages.Before, r.Report.Messages.After
		end.TokensBefore, end.TokensAfter = r.Report.Tokens.Before, r.Report.Tokens.After
	}
	v.append(context.WithoutCancel(ctx), end)
	if v.AfterCompact != nil {
		v.AfterCompact(ctx, end, r)
	}
	if err != nil {
		return nil, fmt.Errorf("compaction: %w", err)
	}
	return r, nil
}

// append keeps an event. A journal that fails must not cost the conversation anything.
func (v *Conversation) append(ctx context.Context, e Event) {
	if v.Journal == nil {
		return
	}
	if err := v.Journal.Append(ctx, e); err != nil {
		v.Compactor.log.Warn("ctxfold: an event was not kept", "type", e.Type, "error", err)
	}
}

// removed are the messages that actions have taken out of the context, in half-open ranges.
func removed(actions []Action) (ranges [][2]int) {
	for _, a := range actions {
		if a.Message < 0 || a.Action != "fold" && a.Action != "drop" {
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

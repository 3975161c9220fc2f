package ctxfold

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// Input is what the operations read about a conversation. Its bytes are never modified.
type Input struct {
	// Messages is the transcript in any wire format: a JSON array of messages, a whole request body that holds one, or all that Open has
	// answered ([Session].Input): then format and model count where the policy has none, and the file's usage where there is no Usage.
	Messages json.RawMessage

	// Policy says what to do, for example Policy{Window: Window{Tokens: 200000}}. Its zero value is the default policy.
	Policy Policy

	// State is what the last compaction of this conversation returned. Empty means that there was none. Only
	// Check, Digests, Estimate, Plan and CompactWith read it; Fit remembers it by itself.
	State json.RawMessage

	// Usage is what the provider counted for the last call: up to its message the count is taken as it is, and only what
	// follows is estimated. The state learns from it. Only Check, Estimate, Plan, CompactWith and Fit read it.
	Usage *api.Usage

	// Count is an exact tokenizer: it says how many tokens a request with these messages takes. It is asked once, where there is no Usage;
	// what a compaction would leave is estimated in proportion. Its error is that of the operation.
	Count func(ctx context.Context, messages json.RawMessage) (tokens int, err error)

	// Format is the wire format of Messages, by its name in docs/guides/formats.md. It counts where the policy has none.
	Format api.Format

	// Store keeps what is removed of the transcript, so that it can be restored and recalled; markers name the handles. All of it is stored
	// before CompactWith returns; where that fails the error is [ErrStore] and nothing was done. Nil keeps nothing. Only CompactWith and Fit
	// read it.
	Store Store

	// OnDelta gets what a [StreamSummarizer] writes, piece by piece, from any goroutine. Nothing comes after a summary has
	// ended, failed or been given up. Only CompactWith and Fit read it.
	OnDelta func(Delta)

	// Force compacts although it is not due. Only Plan, CompactWith and Fit read it.
	Force bool

	// Limit is the context window that a provider has named when it refused these messages ([api.Verdict]), in tokens. With
	// Force it counts where it is smaller than the policy's window; 0 is none. Only Fit reads it.
	Limit int

	// Next is what is known of the call of a model that comes next. Where the policy has gate.idle, a conversation whose prompt cache is
	// cold is compacted below the limit too; Fit measures how long it has been idle, and whether the model has changed. Only Check, Plan,
	// CompactWith and Fit read it.
	Next Next

	// Owner says whose conversation it is, where one [Compactor] serves several: what Fit remembers of one owner is never
	// used for another. Any text will do; it is kept as a hash. Only Fit and Recollect read it.
	Owner string

	// Edits asks for [Result].Edits in place of its Messages, for [ApplyEdits]. Only Plan, CompactWith, Fit, Repair and Restore read it.
	Edits bool
}

// options are those of a call that compacts nothing, with the tokens that the provider or the tokenizer has counted.
func (in *Input) options(ctx context.Context) (api.Options, error) {
	o := api.Options{Format: in.Format, Usage: in.Usage, Idle: in.Next.Idle.Seconds(), Cold: in.Next.Cold}
	if o.Usage == nil && in.Count != nil {
		n, err := in.Count(ctx, in.Messages)
		if err != nil {
			return o, fmt.Errorf("ctxfold: counting tokens: %w", err)
		}
		o.Usage = &api.Usage{Message: -1, TotalTokens: n, Exact: true}
	}
	return o, nil
}

// compacting adds the options of a compaction.
func (in *Input) compacting(o api.Options, localDigest bool) api.Options {
	o.Force, o.Answer = in.Force, in.answer()
	if in.Store != nil {
		o.Archive = new(api.ArchivePlaces)
	}
	if localDigest {
		o.Summary = &api.SummaryOptions{Mode: api.SummaryLocal}
	}
	return o
}

// answer is the option answer; "" asks for messages.
func (in *Input) answer() api.Answer {
	if in.Edits {
		return api.AnswerEdits
	}
	return ""
}

// Result is a finished compaction.
type Result struct {
	// Messages is the compacted transcript in the shape that came in: an array for an array, a request body for a
	// request body. When Changed is false it equals the input. It is empty with [Input].Edits.
	Messages json.RawMessage

	// Edits is there with [Input].Edits: what to do to the caller's own list of messages.
	Edits json.RawMessage

	// State should be stored next to the conversation and passed to its next compaction.
	State json.RawMessage

	// Report says what was done, and at what cost.
	Report Report

	// Changed says whether the transcript is now another one.
	Changed bool

	// Reason says why the transcript was or was not changed, for example "under_budget" or "no_progress".
	Reason api.Reason

	// Archive lists what was removed and is in Input.Store now.
	Archive []api.Body

	// Background is closed when the compaction has ended that runs in the background for these messages; nil where none runs. A
	// program that ends before loses the compaction, and nothing else. Only Fit and AfterTurn set it.
	Background <-chan struct{}

	// Known is how many of the first messages were replaced by what an earlier compaction had made of them. Only Fit and
	// Recollect set it.
	Known int
}

// Compact makes a transcript shorter when the gate of the policy says that it is due. It asks s for the summaries that
// the policy wants; a nil s means that the core writes its local digest instead. The zero Policy is the default policy.
//
// An error means that nothing was done and the caller's messages are as good as before: an [*Error] for input that the
// core refuses, or the error of ctx. A summarizer that fails is no error: see [Summarizer].
func (c *Compactor) Compact(ctx context.Context, messages json.RawMessage, policy Policy, s Summarizer) (*Result, error) {
	return c.CompactWith(ctx, Input{Messages: messages, Policy: policy}, s)
}

// Compact is [Compactor.Compact] of a Compactor without options.
func Compact(ctx context.Context, messages json.RawMessage, policy Policy, s Summarizer) (*Result, error) {
	return New(Options{}).Compact(ctx, messages, policy, s)
}

// CompactWith is Compact for a conversation that was compacted before: it reads and returns its state.
func (c *Compactor) CompactWith(ctx context.Context, in Input, s Summarizer) (*Result, error) {
	asking := c.asking(s, in.OnDelta).about(in.Messages)
	a, err := c.plan(ctx, in, s, s == nil)
	for err == nil && len(a.Requests) > 0 {
		var summaries []Summary
		if summaries, err = asking.round(ctx, a.Requests); err == nil {
			a, err = c.Step(ctx, in, a.Plan, summaries)
		}
	}
	if err == nil && in.Store != nil {
		err = c.keep(ctx, in.Store, in.Messages, a.Archive)
	}
	if err != nil {
		return nil, err
	}
	c.metrics.Compaction(a.Report)
	return &Result{
		Messages: a.Messages,
		Edits:    a.Edits,
		State:    a.State,
		Report:   a.Report,
		Changed:  a.Report.Changed,
		Reason:   a.Report.Reason,
		Archive:  a.Archive,
	}, nil
}

// Plan says what a compaction would do. When the answer holds requests, run them and continue with [Compactor.Step], on this machine or on
// another; when it holds none, it is final.
func (c *Compactor) Plan(ctx context.Context, in Input) (*api.Planned, error) {
	return c.plan(ctx, in, nil, false)
}

func (c *Compactor) plan(ctx context.Context, in Input, s Summarizer, localDigest bool) (*api.Planned, error) {
	o, err := in.options(ctx)
	if err != nil {
		return nil, err
	}
	return c.answer(ctx, operations.OpPlan, in.envelope(prefixing(in.compacting(o, localDigest), s)))
}

// Step continues with a plan, given the summaries that it asked for and the messages that it was made for; nothing else of in is read.
// Messages may have been added since; they stay as they are. A summary may carry an Error: then the local digest takes its place.
func (c *Compactor) Step(ctx context.Context, in Input, plan json.RawMessage, replies []Summary) (*api.Planned, error) {
	return c.answer(ctx, operations.OpStep, newEnvelope(append(stepMembers(plan, replies), messagesMember(in.Messages))...))
}

// stepMembers are those of a step next to what it works on.
func stepMembers(plan []byte, replies []Summary) []member {
	return []member{{operations.InPlan, plan}, {operations.InSummaries, marshal(api.Summaries(replies))}}
}

func (c *Compactor) answer(ctx context.Context, op operations.Op, e envelope) (a *api.Planned, err error) {
	a = new(api.Planned)
	a.Raw, err = c.do(ctx, op, a, e)
	return a, err
}

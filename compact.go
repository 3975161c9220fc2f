package ctxfold

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// Input describes the conversation that an operation works on. Operations never modify its bytes.
type Input struct {
	// Messages is the transcript in any wire format: a JSON array of messages, a whole request body that contains
	// one, or the result of Open ([Session].Input). The format and model of a session apply unless the policy sets
	// them, and its usage applies unless Usage is set.
	Messages json.RawMessage

	// Policy determines when and how to compact, for example Policy{Window: Window{Tokens: 200000}}. Operations that
	// compact or check need a window, or a model whose window is known. Otherwise they fail with
	// [api.CodeUnknownWindow], unless Window.Unlimited is set.
	Policy Policy

	// State is the state that the last compaction of this conversation returned; empty if there was none. Only Check,
	// Digests, Estimate, Plan, CompactWith, Markers, Restore, Search and Recall read it; Fit keeps track of it itself.
	State json.RawMessage

	// Usage is the provider's token count for the last call. It covers everything up to Usage.Message, so only later
	// messages are estimated, and the estimates are adjusted to it. Only Check, Estimate, Plan, CompactWith, Fit and
	// Recollect read it.
	Usage *api.Usage

	// CountTokens is an exact tokenizer: it returns how many tokens a request with the given messages takes. It is called
	// only if there is no Usage. The size after a compaction is then still an estimate, scaled by that count. Fit
	// passes it the messages to be sent. If CountTokens fails, the operation returns its error.
	CountTokens func(ctx context.Context, messages json.RawMessage) (tokens int, err error)

	// Format is the name of the wire format of Messages, as listed in docs/guides/formats.md. It applies if the
	// policy doesn't set one.
	Format api.Format

	// Store keeps the content that is removed from the transcript, for Restore, Search and Recall; markers name its
	// handles. CompactWith returns only after everything is stored; if that fails, it returns [ErrStore] and changes
	// nothing. Nil keeps nothing. Only CompactWith and Fit store content in it; with a Store, Plan lists the content.
	Store Store

	// Redact finds secrets, such as keys and passwords, in one text of the messages. Summarizers, digests, the ledger
	// and the store never see these strings, whether or not they have placeholders. Messages that stay are unchanged.
	// Redact can't stop a compaction: if it panics, or returns a string that the text doesn't contain, the whole text
	// is replaced, and [Report].Redacted counts it. It is called for each text of Messages, from any goroutine. Only
	// Plan, CompactWith and Fit read it; a [Conversation] has its own.
	Redact func(text string) []api.Redaction

	// Score rates calls and messages by how much they matter: see [api.Score]. Its indexes refer to
	// Messages. Only Plan, CompactWith and Fit read it; a [Conversation] has its own.
	Score *api.Score

	// OnDelta receives the text that a [StreamSummarizer] writes, piece by piece, from any goroutine. It isn't called
	// again for a summary that has ended, failed or been abandoned. Only CompactWith and Fit read it.
	OnDelta func(SummaryDelta)

	// Force compacts even if compaction isn't due. Only Plan, CompactWith and Fit read it.
	Force bool

	// Limit is the context window in tokens that a provider named when it refused these messages ([api.Verdict]).
	// With Force it applies if it is smaller than the policy's window; 0 if the provider named no window. Only Fit
	// reads it.
	Limit int

	// NextCall describes the next model call. If the policy has gate.idle, a conversation whose prompt cache is cold is
	// compacted even below the limit. Fit itself measures how long the conversation was idle and whether the model
	// changed. Only Check, Plan, CompactWith and Fit read it.
	NextCall NextCall

	// Owner identifies the person to whom the conversation belongs if one [Compactor] serves several people: what Fit
	// remembers for one owner is never used for another. Any string will do; only its hash is stored. Only Fit and
	// Recollect read it.
	Owner string

	// ReturnEdits makes operations return [Result].Edits, for [ApplyEdits], instead of Messages. Only Plan, CompactWith,
	// Fit, Recollect, Repair and Restore read it.
	ReturnEdits bool
}

// options returns the options of a call that doesn't compact, including the token count of the provider or the
// tokenizer. It returns an error if CountTokens fails.
func (in *Input) options(ctx context.Context) (api.Options, error) {
	o := api.Options{Format: in.Format, Usage: in.Usage, Idle: in.NextCall.Idle.Seconds(), Cold: in.NextCall.Cold}
	if o.Usage == nil && in.CountTokens != nil {
		var n int
		err := contain("CountTokens", func() (err error) {
			n, err = in.CountTokens(ctx, in.Messages)
			return err
		})
		if err != nil {
			return o, fmt.Errorf("ctxfold: counting tokens: %w", err)
		}
		o.Usage = &api.Usage{Message: -1, TotalTokens: n, Exact: true}
	}
	return o, nil
}

// compacting returns o with the input's compaction options added.
func (in *Input) compacting(o api.Options) api.Options {
	o.Force, o.Answer, o.Redact, o.Score = in.Force, in.answer(), redactions(in.Redact, in.Messages), in.Score
	return o
}

// answer returns the value of the option answer. The default "" requests messages.
func (in *Input) answer() api.Answer {
	if in.ReturnEdits {
		return api.AnswerEdits
	}
	return ""
}

// Result is the result of a compaction.
type Result struct {
	// Messages is the compacted transcript in the shape of the input: an array for an array, a request body for a
	// request body. If Changed is false and Known is 0, it equals the input, or is empty if it comes from a
	// [Conversation]. It is also empty if [Input].Edits was set.
	Messages json.RawMessage

	// Edits, if [Input].Edits was set, are the edits to apply to the caller's own list of messages.
	Edits json.RawMessage

	// State should be stored with the conversation and passed to its next compaction.
	State json.RawMessage

	// Report describes what was done and what it cost.
	Report Report

	// Changed reports whether the transcript has changed.
	Changed bool

	// Reason is the reason why the transcript did or didn't change, for example "under_budget" or
	// "no_progress".
	Reason api.Reason

	// Archive lists the removed content. All of it has been stored in [Input].Store.
	Archive []api.Body

	// BackgroundDone is closed when the background compaction of these messages ends; nil if none is running. A program that exits earlier loses
	// that compaction and nothing else. Only Fit and AfterTurn set it.
	BackgroundDone <-chan struct{}

	// Known is the number of leading messages that an earlier compaction replaced. Only Fit and Recollect set it.
	Known int
}

// Compact shortens a transcript if compaction is due under the policy. It requests the summaries
// that the policy calls for from s; if s is nil, ctxfold writes the digest itself. The policy needs
// a window, or a model whose window is known.
//
// An error means that nothing was done and the caller's messages are still valid: an [*Error] for input that the core
// refuses, or the error of ctx. A failing summarizer is not an error: see [Summarizer].
func (c *Compactor) Compact(ctx context.Context, messages json.RawMessage, policy Policy, s Summarizer) (*Result, error) {
	return c.CompactWith(ctx, Input{Messages: messages, Policy: policy}, s)
}

// Compact calls [Compactor.Compact] on a new Compactor with default options. s may be nil: digests are then written
// without a model. If compaction isn't due, the result has the messages unchanged.
func Compact(ctx context.Context, messages json.RawMessage, policy Policy, s Summarizer) (*Result, error) {
	return New(Options{}).Compact(ctx, messages, policy, s)
}

// CompactWith is like Compact, but for a conversation that may have been compacted before: it reads in.State and
// returns the new state. Removed content is in in.Store before it returns.
func (c *Compactor) CompactWith(ctx context.Context, in Input, s Summarizer) (*Result, error) {
	o, err := in.options(ctx)
	if err != nil {
		return nil, err
	}
	j := &job{c: c, s: s, store: in.Store, onDelta: in.OnDelta, carry: c.over(in.Messages)}
	settings := j.settings(in.NextCall)
	settings.Operation = api.JobPlan
	return j.result(j.run(ctx, settings, in.Policy.member(), optionsMember(in.compacting(o)), member{operations.InState, in.State}))
}

// Plan starts a compaction without changing anything; it calls no model and no store. If the result has requests,
// answer them and continue with [Compactor.Step], on this machine or another; if it has none, it is final.
func (c *Compactor) Plan(ctx context.Context, in Input) (*api.Planned, error) {
	o, err := in.options(ctx)
	if err != nil {
		return nil, err
	}
	if o = in.compacting(o); in.Store != nil {
		o.Archive = new(api.ArchivePlaces)
	}
	return c.answer(ctx, operations.OpPlan, in.envelope(o))
}

// Step continues a plan with the summaries that the plan requested. in.Messages are the messages that the plan was made
// for; messages added since then stay unchanged. Step reads no other field of in. It replaces a summary that has an
// Error with a local digest.
func (c *Compactor) Step(ctx context.Context, in Input, plan json.RawMessage, replies []Summary) (*api.Planned, error) {
	return c.answer(ctx, operations.OpStep, newEnvelope(append(stepMembers(plan, replies), messagesMember(in.Messages))...))
}

// stepMembers returns the members of a request for a step, except for its messages.
func stepMembers(plan []byte, replies []Summary) []member {
	return []member{{operations.InPlan, plan}, {operations.InSummaries, marshal(api.Summaries(replies))}}
}

func (c *Compactor) answer(ctx context.Context, op operations.Op, e envelope) (a *api.Planned, err error) {
	a = new(api.Planned)
	a.Raw, err = c.do(ctx, op, a, e)
	return a, err
}

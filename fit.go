package ctxfold

import (
	"context"
	"time"

	"github.com/ctxfold/ctxfold/api"
)

// NextCall describes the next model call and the provider's prompt cache.
type NextCall struct {
	// Model and Provider identify the model that will be called and its provider, by any names. If the last call of
	// the conversation went to another one, the cache is cold. If Model is empty, Fit reads it from the request body
	// or the policy.
	Model, Provider string

	// Idle is the time since the last model call of the conversation, for a program that knows it better than Fit. If
	// it is zero, Fit measures the time from the last call seen by this Compactor or by a replica that shares its
	// Records. Before the first call, a conversation doesn't count as idle.
	Idle time.Duration

	// Cold is the reason why the cache is cold, for a program that knows this. It overrides Fit's
	// measurements.
	Cold api.Cold
}

// Fit returns the messages to send to a model. It is for programs that keep the whole history of a conversation, as most chats and agents
// do, and pass all of it each turn:
//
//	r, err := c.Fit(ctx, ctxfold.Input{Messages: history, Policy: policy}, summarizer)
//	...
//
// Fit compacts once, when compaction is due. It remembers the result ([Options].Records) and applies it at each later
// call, followed by the messages added since. The program keeps the full history, which remains authoritative: if the
// records are lost, the next call compacts again, and nothing else is lost.
//
// Fit identifies a history by what a model sees of it. Cache breakpoints, metadata, ids, dates, the order of JSON
// keys and the text of leading system messages don't matter, so a system prompt may contain the time. Messages after
// those that the compaction replaced don't matter either: they may be edited, deleted or replaced, including the
// newest one. After an edit of an earlier message, Fit uses the newest compaction that still applies. A program may
// also continue from r.Messages. Set in.Owner if one Compactor serves people who must not see each other's
// conversations: the hash that identifies histories isn't cryptographic.
//
// in.Messages is the whole history: a JSON array, or a request body that contains one, whose other members count too.
// in.State isn't read. The message indexes of in.Usage and r.Report refer to the whole history. So do r.Edits, which
// apply to the program's own list (see [ApplyEdits]) and keep the values of unchanged messages.
//
// r.Messages are always the messages to send; r.Changed reports whether this call compacted, and r.Known is the number of messages that an
// earlier compaction replaced. An error means that nothing was done; the history may be sent unchanged.
//
// If the provider says that the messages don't fit, call Fit with the same history and Force, and send the result.
// [Compactor.Classify] recognizes such errors:
//
//	v, err := c.Classify(ctx, api.Failure{Status: status, Body: body})
//	if err == nil && v.Overflow {
//		in.Force, in.Limit = true, v.Limit
//		r, err = c.Fit(ctx, in, summarizer)
//
// A failing summarizer costs no message and no turn: a digest made by code temporarily takes the place of the
// summary. After a minute (or when the provider allows it, or up to an hour after repeated failures), and whenever
// the next compaction is due, the model is asked again to summarize the original messages, which the history still
// contains.
//
// If several concurrent calls for the same history, or for continuations of it, find that a compaction is due, one call
// makes the compaction and the others wait. With [records.Shared] this holds across all replicas.
func (c *Compactor) Fit(ctx context.Context, in Input, s Summarizer) (*Result, error) {
	j := c.fits(in, s)
	j.store, j.count, j.onDelta = in.Store, in.CountTokens, in.OnDelta
	settings := j.settings(in.NextCall)
	settings.Refused = in.Force
	if settings.Refused {
		settings.Limit = in.Limit
	}
	o := api.Options{Format: in.Format, Usage: in.Usage, Idle: in.NextCall.Idle.Seconds(), Cold: in.NextCall.Cold, Answer: in.answer(),
		Redact: redactions(in.Redact, in.Messages), Score: in.Score}
	return j.result(j.run(ctx, settings, in.Policy.member(), optionsMember(o)))
}

// Recollect applies the compactions that Fit remembers but makes no new one. It is for programs that count or show the
// messages that they would send. If nothing is remembered, r.Messages is in.Messages and r.Known is 0.
func (c *Compactor) Recollect(ctx context.Context, in Input) (*Result, error) {
	j := c.fits(in, nil)
	settings := j.settings(NextCall{})
	settings.Can = []api.EffectName{api.EffectLoad}
	o := api.Options{Format: in.Format, Usage: in.Usage, Answer: in.answer(), OnlyKnown: true}
	return j.result(j.run(ctx, settings, in.Policy.member(), optionsMember(o)))
}

// fits returns a job that executes Fit for a whole history.
func (c *Compactor) fits(in Input, s Summarizer) *job {
	return &job{c: c, s: s, owner: in.Owner, remembers: true, messages: in.Messages, carry: c.over(in.Messages)}
}

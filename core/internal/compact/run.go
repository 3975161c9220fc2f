package compact

import (
	"cmp"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/gate"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/keep"
	"github.com/ctxfold/ctxfold/core/internal/mend"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/summary"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Run is a compaction, repair or restoration in progress, from the input to the Result. It creates the components that
// work on its document (the archive, the mender and others). Passes see it as a [passes.Run].
type Run struct {
	in      view.Input          // the input, which is never modified
	policy  *policy.Policy      // the policy of in
	doc     *view.View          // the document that the run edits
	authors *authorship.Authors // says who wrote a message
	keep    *keep.Keeper        // says what must stay
	archive *handles.Archive    // collects what is removed
	mend    *mend.Mender        // repairs the document
	summary *summary.Writer     // writes digests
	report  report.Report       // says what was done
	state   api.State           // the state of in, updated by the run

	fold      passes.Fold      // the result of the last fold
	shortened passes.Shortened // the texts that passes have shortened
	limit     int              // in tokens; 0 means no limit
	target    int              // in tokens, without what raises it; see Target
	growth    int              // the number of tokens by which the target may be raised

	due      bool       // whether a compaction is due because of the size or a cold cache, or is forced
	starts   bool       // whether a background compaction should begin
	counted  int        // the size of the input in tokens, as estimated or counted by the provider
	sizes    []int      // sizes of the input messages in tokens, if the policy wants a log
	streak   api.Streak // the streak including this compaction, if it becomes one
	small    bool       // whether a pass was skipped because it could not free MinGain tokens
	noDigest string     // the reason why there is no digest, if the policy allows no local one
	bodies   []api.Body // the archived content, which is set when the run is over
	// clip is the number of bytes kept of each text in the changing first message; 0 if that message was not cut.
	clip   int
	result Result
}

// Begin returns a new run without asking the gate whether one is due.
func Begin(in view.Input) *Run { return begin(in, open(in), "") }

// BeginDue returns a new run if there is something to do: a compaction is due or forced, or the messages
// exceed max_bytes. Otherwise idle is true, and the run has ended with its input unchanged. Counts from a provider for
// messages before index from are ignored.
func BeginDue(in view.Input, from int) (c *Run, idle bool) {
	doc := open(in)
	if in.N == 0 { // only the rest of the request body is sent
		return begin(in, doc, "").EndUnchanged(api.ReasonUnderBudget), true
	}
	due, size, cold := gate.Due(in, from, doc.Total)
	if in.Policy.Force {
		due, cold = true, ""
	}
	c = begin(in, doc, cold)
	c.due, c.counted = due, size.Tokens
	switch {
	case due || in.OverBytes():
		c.report.Refill = refilled(doc, in.KnownMessages())
		return c, false
	case in.Policy.HasNoLimit():
		return c.EndUnchanged(NoLimitReason(in.Policy)), true
	}
	c.starts, c.report.Notice = gate.StartsInBackground(in, size.Tokens), gate.NoticeText(in, size.Tokens)
	return c.EndUnchanged(api.ReasonUnderBudget), true
}

// open returns the document that a run edits, which is created from its input.
func open(in view.Input) *view.View {
	doc := view.NewView(in.Transcript, in.Format, in.Estimator, in.N)
	digest.MarkOutputs(in.Transcript, in.N, !in.Policy.IsPublished())
	return doc
}

// begin creates a run for a document, with all components. cold is the reason why the prompt cache is cold, if the run
// is due for that reason alone. Such a run aims for the policy's share of the current size. Because the transcript
// fits, it stays unchanged if the model returns no summary.
func begin(in view.Input, doc *view.View, cold api.Cold) *Run {
	c := &Run{in: in, policy: in.Policy, doc: doc, state: in.State, limit: in.Policy.Limit(),
		target: in.Policy.TargetTokens()}
	next := cmp.Or(in.Policy.StartTokens(), c.limit)
	if cold != "" {
		next = doc.Total
		c.target = min(c.target, int(float64(doc.Total)*in.Policy.Gate.Target))
	}
	if !in.Policy.HasOwnTarget() {
		c.growth = max(0, next-c.target) / 2
	}
	n := len(in.Transcript.Messages)
	c.report = report.Report{
		Preset: api.Preset(in.Policy.Preset), Format: api.Format(in.Format.Name),
		Estimator: api.Estimator(in.Estimator.Name), Cold: cold,
		Tokens: api.ReportTokens{Before: doc.Total, After: doc.Total, Limit: c.limit, Window: in.Policy.Window.Tokens,
			Source: in.Estimator.Source, Bound: in.Estimator.Bound},
		Messages: api.Count{Before: n, After: n},
		Summary:  api.ReportSummary{Source: api.SourceNone},
	}
	c.authors = authorship.Identify(doc, &in.State, places(doc, in.Policy))
	c.keep = keep.New(doc, c.authors, in.Policy)
	c.keep.ScoreParts(in.Score, c.target/scoredShare)
	c.archive = handles.NewArchive(doc, c.authors, in.Policy.Archive, in.State.Archive)
	c.mend = mend.New(doc, in.Policy, c.authors, c.keep, c.archive, c.Ledger(), &c.report)
	c.summary = summary.New(doc, &c.in, &c.state, &c.report, c.Target, cold != "")
	if in.Policy.Log {
		c.sizes = make([]int, len(doc.Items))
		for i, it := range doc.Items {
			c.sizes[i] = it.Tokens
		}
	}
	return c
}

// scoredShare divides the target. The quotient is the maximum size, in tokens, of what the host's scores can keep.
const scoredShare = 4

// places returns the places at which the passes of a policy put the messages that they write.
func places(doc *view.View, p *policy.Policy) authorship.Places {
	at := authorship.Places{Style: styles.ByName(p.Summary.Style), Project: p.ProjectShare() > 0,
		Notice: p.Gate.Notice}
	if len(p.Pins) > 0 {
		at.Pinned = func(message int) bool { return keep.PinOf(doc, p, message) >= 0 }
	}
	at.Last = func(of authorship.Origin) int {
		last := -1
		steps, _ := passes.Steps(p)
		for _, step := range steps {
			if placer, ok := step.(passes.Placer); ok {
				if origin, place := placer.InsertPlace(); origin == of {
					last = max(last, place)
				}
			}
		}
		return last
	}
	return at
}

// Doc returns the document that the run edits.
func (c *Run) Doc() *view.View { return c.doc }

// Policy returns the policy with which the run was begun. It must not be modified.
func (c *Run) Policy() *policy.Policy { return c.policy }

// Authors returns the component that knows who wrote each message: a participant in the conversation, or a compaction.
func (c *Run) Authors() *authorship.Authors { return c.authors }

// Keep returns the component that determines which items must stay in the result.
func (c *Run) Keep() *keep.Keeper { return c.keep }

// Archive returns the archive to which passes add the content that they remove.
func (c *Run) Archive() *handles.Archive { return c.archive }

// Mend returns the component that repairs what a provider would reject.
func (c *Run) Mend() *mend.Mender { return c.mend }

// Summary returns the component that obtains digests.
func (c *Run) Summary() *summary.Writer { return c.summary }

// Report returns the report, as far as it is filled in.
func (c *Run) Report() *report.Report { return &c.report }

// State returns the state that the host should store with the conversation.
func (c *Run) State() *api.State { return &c.state }

// Ledger returns the ledger, which is a part of the state.
func (c *Run) Ledger() *digest.Ledger { return (*digest.Ledger)(&c.state.Ledger) }

// Fold returns what the last fold removed and where its digest is.
func (c *Run) Fold() *passes.Fold { return &c.fold }

// Shortened returns the shortened texts that passes have put in place of longer ones.
func (c *Run) Shortened() *passes.Shortened { return &c.shortened }

// Limit returns the maximum number of tokens that the gate allows for the result, or 0 for no limit.
func (c *Run) Limit() int { return c.limit }

// Target returns the number of tokens that the result should have, or 0 for no limit. Two things that are in the context
// after every compaction raise it: project instructions that stay, by their size, and system messages, by the part of
// their size that exceeds 1/systemShare of the target. They would take the room of what was said. Together they raise it
// by at most half of the room below the size at which the next compaction is due, so that the result can grow.
func (c *Run) Target() int {
	if c.growth == 0 {
		return c.target
	}
	return c.target + min(c.keep.InstructionTokens()+max(0, c.keep.SystemTokens()-c.target/systemShare), c.growth)
}

// systemShare divides the target to yield the size of the system messages that don't raise it. Most system messages are
// smaller: in a window of 128,000 tokens, that share is 13,000.
const systemShare = 4

// MaxTokens returns the maximum number of tokens that a result which must fit may have. That is the limit, or one token
// less if a compaction is already due at the limit itself.
func (c *Run) MaxTokens() int {
	if c.policy.Gate.Inclusive {
		return c.limit - 1
	}
	return c.limit
}

// MustFit reports whether the result of this run must not exceed the limit.
func (c *Run) MustFit() bool {
	return c.due && c.limit > 0 && c.policy.LastResorts() && !c.policy.IsBranchScope()
}

// MinGain returns the minimum number of tokens that a compaction must free.
func (c *Run) MinGain() int { return c.policy.MinGain() }

// TooSmall records that a pass was skipped because it couldn't free MinGain tokens.
func (c *Run) TooSmall() { c.small = true }

// RecordDigestFailure records the reason why there is no digest, if the policy allows no local one.
func (c *Run) RecordDigestFailure(why string) { c.noDigest = why }

// DigestFailure returns the reason that RecordDigestFailure recorded, or "" if nothing failed.
func (c *Run) DigestFailure() string { return c.noDigest }

// IsDue reports whether a compaction is due.
func (c *Run) IsDue() bool { return c.due }

// StartsInBackground reports whether a background compaction should begin.
func (c *Run) StartsInBackground() bool { return c.starts }

// ClipSize returns the number of bytes kept of each text in a first message that changes between requests, or 0 if the
// run hasn't cut that message.
func (c *Run) ClipSize() int { return c.clip }

// ArchivedBodies returns the archived content, which the host must store before it uses the result.
func (c *Run) ArchivedBodies() []api.Body { return c.bodies }

package compact

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/tokens"
	"github.com/ctxfold/ctxfold/core/transcript"
	"github.com/ctxfold/ctxfold/core/wire"
)

//go:generate sh ../generate.sh
//go:generate go run ../../internal/policyschema .. ../../docs/policy.schema.json

// Input is what a compaction works on.
type Input struct {
	Transcript *transcript.Transcript
	Format     *wire.Format
	Estimator  *tokens.Profile
	Policy     *policy.Policy
	State      State
	N          int // how many messages of T the plan is about; those behind them stay as they are
	Replies    []digest.Reply
}

// Run is one compaction on its way.
type Run struct {
	*View
	Input
	Limit, Target int // tokens

	Report   Report
	Archive  []Body           // for the host to keep before it uses the result
	Requests []digest.Request // what is wanted before the run can end

	folded  []Item // the items that a fold has taken out
	taken   []taken
	single  []int32  // the indexes in taken of what was taken by itself, in the order of their messages
	ours    []origin // by message of the input: which of ours it is
	groups  []int32  // of the input, and those that stay by the policy's pins, where claim needs them
	stay    []bool
	putting *putting
	away    []int32 // the messages that are in the archive whole
	changes string  // the handle of how the input is made of the result
	late    int     // tokens of the messages that came after the plan and are items now
	due     bool    // for its tokens, or by force
	small   bool    // a pass was left out because it could not free min_gain
	asked   cost    // of the model
	expected
	sizes  []int // tokens of the input's messages, where a log is kept
	digest int   // the index of the item that stands for them

	tolerated map[uint64]cases // violations of the input that stay, by placeOf
	refused   []Left           // what the provider would refuse of the input
	counted   int              // tokens of the input by the gate: an estimate, or what the provider counted
	cut       map[int32]string // by part: the handles of the texts that the last resort has cut
	streak    Streak           // with this compaction, if it becomes one
	added     int              // tokens that a repair is expected to add to what the last resort leaves

	undone  bool   // the run ends with its input, whatever passes have done
	failure string // why there is no digest, where the policy does not take a local one for it
}

// Compact runs the policy's passes over the input. A run that has Requests is not over: it is run again, from the start,
// with the replies. The same input gives the same run, on every machine: that is why nothing else has to be kept between
// a plan and its steps.
func Compact(in Input) (*Run, *policy.Error) {
	c, err := compact(in)
	if err == nil {
		c.judge()
	}
	return c, err
}

func compact(in Input) (*Run, *policy.Error) {
	passes, err := parsePasses(in.Policy)
	if err != nil {
		return nil, err
	}
	c := newRun(in)
	if in.N == 0 { // there is nothing to compact, whatever is sent beside it
		return c.unchanged(UnderBudget), nil
	}
	bytes := c.overBytes()
	due, size := Due(in, c.Total)
	c.due, c.counted = in.Policy.Force || due, size.Tokens
	switch {
	case c.due || bytes:
	case in.Policy.Unbounded():
		return c.unchanged(UnknownWindow), nil
	default:
		return c.unchanged(UnderBudget), nil
	}
	if c.settled() {
		return c.asItIs(NoProgress), nil
	}
	if c.due && c.stuck() {
		if c.due = false; !bytes {
			return c.asItIs(Stuck), nil
		}
	}
	if in.Policy.Safe() {
		if c.repairInput(); len(c.Items) == 0 {
			return c.failed(NoProgress), nil // there was nothing in it that a provider would take
		}
		if c.hopeless() {
			return c.openThinking(), nil
		}
	}
	if in.Policy.Few(in.N) && !in.Policy.Force {
		passes = nil
	}
	c.pin() // after the repair: it may have dropped the newest message of the user, if that was empty
	c.thrash()
	repaired := len(c.Report.Actions)
	for i, p := range passes {
		if !c.due {
			break
		}
		if i > 0 && c.Total <= c.Target && !in.Policy.Force && !p.follows() && !c.unchecked() {
			continue
		}
		p.run(c)
		if c.failure != "" {
			if !c.bounded() || c.failure != digest.NoRoom && c.Report.Tokens.Before <= in.Policy.Usable() {
				return c.noSummary()
			}
			break // to keep what the provider refuses helps nobody
		}
		if c.undone {
			return c.unchanged(NoProgress), nil
		}
		if len(c.Requests) > 0 {
			c.Report.Reason = NeedsSummaries
			c.Report.Tokens.After = c.Total
			c.Report.Prefix = c.prefix(min(c.FirstChange(), c.expected.first))
			c.Report.Cache = c.cache(c.Report.Prefix, c.expected.after, c.expected.cost)
			return c, nil
		}
	}
	if in.Policy.MaxBytes > 0 {
		c.shrink()
	}
	if c.resort(); c.failure != "" && c.Report.Summary.Why == "" {
		c.Report.Summary.Why = c.failure
	}
	if len(c.Report.Actions) == repaired {
		if c.small {
			return c.failed(GainTooSmall), nil
		}
		return c.failed(NoProgress), nil
	}
	if in.Policy.Safe() {
		if !c.settle() {
			return c.openThinking(), nil
		}
	}
	c.saveChanges()
	if in.Policy.Safe() && c.Total >= c.Report.Tokens.Before {
		return c.failed(NoProgress), nil
	}
	before := c.Report.Tokens.Before
	saved := c.bounded() && before > c.most() && c.Total <= c.most() // now it fits, however little that took
	if c.Policy.Safe() && c.due && !bytes && !saved && before-c.Total < c.minGain() {
		return c.failed(GainTooSmall), nil
	}
	c.finish()
	if c.Policy.Safe() {
		c.Report.Left = c.named(c.violations())
	}
	if !c.aside() {
		c.gained()
	}
	return c, nil
}

// settled tells whether the transcript is what the last compaction made, for a limit that was no larger than this one: it would be
// made again. A smaller one is that of another model, or of a provider that has refused the result.
func (c *Run) settled() bool {
	s := c.State
	if !c.Policy.Safe() || s.Fingerprint == "" || s.Messages != c.N || c.Limit > 0 && (s.Limit == 0 || c.Limit < s.Limit) {
		return false
	}
	return s.Fingerprint == c.T.Fingerprint(c.N)
}

func newRun(in Input) *Run {
	c := &Run{View: NewView(in.Transcript, in.Format, in.Estimator, in.N), Input: in, Limit: in.Policy.Limit(),
		Target: in.Policy.TargetTokens()}
	if text := in.Policy.Summary.Text; text != "" { // the host has answered before it was asked
		c.Replies = append([]digest.Reply{{ID: foldRequest, Text: text}, {ID: turnRequest}}, in.Replies...)
	}
	c.claim()
	n := len(in.Transcript.Messages)
	c.Report = Report{
		Preset: in.Policy.Preset, Format: in.Format.Name, Estimator: in.Estimator.Name,
		Tokens: Tokens{Before: c.Total, After: c.Total, Limit: c.Limit, Window: in.Policy.Window.Tokens,
			Source: in.Estimator.Source, Bound: in.Estimator.Bound},
		Messages: Count{Before: n, After: n},
		Summary:  Summary{Source: "none"},
	}
	if in.Policy.Log {
		c.sizes = make([]int, len(c.Items))
		for i, it := range c.Items {
			c.sizes[i] = it.Tokens
		}
	}
	return c
}

// The reasons of reports. They are stable.
const (
	Compacted        = "compacted"          // done
	UnderBudget      = "under_budget"       // not due
	UnknownWindow    = "unknown_window"     // the policy names no window, so nothing is ever due
	NoProgress       = "no_progress"        // due, but no pass could gain anything
	GainTooSmall     = "gain_too_small"     // due, but less than min_gain could be gained
	Stuck            = "stuck"              // due, but the last compactions did not help, and little has come since
	OpenThinking     = "open_thinking"      // due, but thinking in the open tool loop could not stay valid
	NeedsSummaries   = "needs_summaries"    // the host's model is asked first
	Mended           = "repaired"           // the answer of repair: violations were mended
	NothingToMend    = "valid"              // the answer of repair: there was nothing to mend
	RestoredBodies   = "restored"           // the answer of restore: bodies were put back
	NothingToRestore = "nothing_to_restore" // the answer of restore: no marker names the handle of a body that was given
)

// SummaryFailed is the code of the error, and the reason, with which a compaction ends that has no summary, where the policy wants
// that.
const SummaryFailed = "summary_failed"

// noSummary ends a run for which the host had no summary.
func (c *Run) noSummary() (*Run, *policy.Error) {
	if c.Policy.Summary.OnFailure == "error" {
		return nil, &policy.Error{Code: SummaryFailed, Message: c.failure}
	}
	c.failed(SummaryFailed)
	if c.Report.Summary.Why = digest.SummarizerFailed; c.Policy.Safe() {
		c.Report.Summary.Why = c.failure
	}
	return c, nil
}

// openThinking ends a run that could not keep the thinking of the open tool loop valid. It does not count as one that failed: when the
// calls have their results it can be done.
func (c *Run) openThinking() *Run {
	thinking := c.Report.Thinking
	c.unchanged(OpenThinking)
	c.Report.Thinking = &Thinking{Mode: thinking.Mode, Source: thinking.Source}
	return c
}

// asItIs is unchanged for a run that was due, before anything was tried.
func (c *Run) asItIs(reason string) *Run {
	if c.unchanged(reason); c.Policy.Safe() {
		c.Report.Left = c.named(c.violations())
	}
	return c
}

// unchanged ends the run with the input as it came.
func (c *Run) unchanged(reason string) *Run {
	c.Report.Reason = reason
	c.Report.Actions, c.Report.Thinking = nil, nil
	c.Report.Tokens.Before -= c.late
	c.late = 0
	c.Report.Tokens.After = c.Report.Tokens.Before
	c.Report.Cleared, c.Report.Folded, c.Report.Restored, c.Report.Repaired = 0, 0, 0, 0
	c.Report.Truncated, c.Report.Dropped = 0, 0
	c.Report.Summary, c.Report.Thrashing = Summary{Source: "none"}, nil
	c.taken, c.single, c.folded, c.away, c.changes = nil, nil, nil, nil, ""
	for i := range c.T.Parts {
		c.T.Parts[i].Flags &^= transcript.Removed
	}
	c.View = NewView(c.T, c.F, c.P, c.N)
	c.Report.Prefix = Prefix{Messages: len(c.T.Messages[:c.T.Input]), Bytes: c.T.List.Len(), Tokens: c.Report.Tokens.Before}
	return c
}

func (c *Run) finish() {
	r := &c.Report
	r.Reason, r.Changed = Compacted, true
	c.countThinking()
	r.Tokens.After = c.Total
	r.Messages.After = len(c.Items) + c.T.Input - c.Rest
	r.Prefix = c.prefix(c.FirstChange())
	if c.Policy.MaxBytes > 0 {
		r.Bytes = &Sizes{Before: c.T.List.Len(), After: c.size(), Limit: c.Policy.MaxBytes}
	}
	r.Cache = c.cache(r.Prefix, r.Tokens.After, c.asked)
	if c.Policy.Log {
		r.Decisions = c.decisions()
	}
	if c.Policy.Archive != "" {
		c.Archive = c.archived()
	}
	if c.Policy.Safe() {
		own := c.names()
		if c.aside() {
			c.State.Own = append(slices.Clone(c.State.Own), own...)
			return
		}
		c.State.Own = own
	}
	c.State.Round++
	c.State.Archive = c.changes // of a compaction without one, nothing before it can be taken back either
	c.State.Format = r.Format
	c.State.Messages, c.State.Fingerprint, c.State.Limit = r.Messages.After, c.fingerprint(), c.Limit
}

// aside tells whether the run makes the digest of a branch while the state is that of the conversation, which goes on.
func (c *Run) aside() bool {
	return c.Policy.Branch() && c.Policy.Safe() && c.State.Fingerprint != ""
}

// prefix is the front of the transcript up to an item, all of which is the input's.
func (c *Run) prefix(n int) Prefix {
	return Prefix{Messages: n, Bytes: c.prefixBytes(n), Tokens: c.Tokens(0, n)}
}

// act records what a pass did. The list doubles where append would move it more often: what is left behind adds up, and the memory
// of a module never shrinks.
func (c *Run) act(a Action) {
	if n := len(c.Report.Actions); n == cap(c.Report.Actions) {
		c.Report.Actions = slices.Grow(c.Report.Actions, n+8)
	}
	c.Report.Actions = append(c.Report.Actions, a)
}

// reply returns the host's answer to a request.
func (c *Run) reply(id string) (digest.Reply, bool) {
	for _, r := range c.Replies {
		if r.ID == id {
			return r, true
		}
	}
	return digest.Reply{}, false
}

package passes

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/mend"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Run is what passes work on.
type Run struct {
	mend.Run
	Requests []api.SummaryRequest // the requests to answer before the run can end
	Due      bool                 // for its tokens, for a cold cache, or by force
	Folded   []view.Item          // the items that a fold has removed
	Small    bool                 // a pass was left out because it could not free min_gain
	NoDigest string               // why there is no digest, where the policy does not take a local one for it
	Asked    Cost                 // of the model
	Expected expected
	Behind   *Behind // of Requests, the one that follows the conversation; nil where there is none

	shape    api.SummaryShape // of the request that has given the summary
	offer    *offer           // what the provider may compact instead of the model; nil where it may not
	provided *provided        // what it has made; nil where it has not
	digest   int              // the index of the item that represents what was folded
	groups   []int32          // of the input, and those that stay by the policy's pins, where claim needs them
	stay     []bool
	places   []lastPlace
	squeezed map[int32]whole  // by part: what this run has squeezed
	cleared  []clearedResult  // what the pass clear has cleared
	cut      map[int32]string // by part: the handles of the texts that the last resort has cut
	added    int              // tokens that a repair is expected to add to what the last resort leaves
}

// Start makes c a run that has done nothing yet.
func (c *Run) Start(in view.Input) {
	c.View, c.Input = view.NewView(in.Transcript, in.Format, in.Estimator, in.N), in
	c.Limit, c.Target = in.Policy.Limit(), in.Policy.TargetTokens()
	if text := in.Policy.Summary.Text; text != "" { // the host has answered before it was asked
		c.Replies = append([]api.Summary{{ID: FoldRequest, Text: text}, {ID: TurnRequest}}, in.Replies...)
	}
	digest.MarkOutputs(in.Transcript, in.N, !in.Policy.Published())
	c.claim()
	n := len(in.Transcript.Messages)
	c.Report = api.Report{
		Preset: api.Preset(in.Policy.Preset), Format: api.Format(in.Format.Name), Estimator: api.Estimator(in.Estimator.Name),
		Tokens: api.ReportTokens{Before: c.Total, After: c.Total, Limit: c.Limit, Window: in.Policy.Window.Tokens,
			Source: in.Estimator.Source, Bound: in.Estimator.Bound},
		Messages: api.Count{Before: n, After: n},
		Summary:  api.ReportSummary{Source: api.SourceNone},
	}
}

// Reply returns the host's answer to a request.
func (c *Run) Reply(id string) (api.Summary, bool) {
	for _, r := range c.Replies {
		if r.ID == id {
			return r, true
		}
	}
	return api.Summary{}, false
}

// expect notes what will come of the requests: items from first on change, and next to the summaries there are after tokens.
func (c *Run) expect(first, after int) {
	c.Expected = expected{First: max(0, first), After: after, Cost: c.Asked}
	if c.Behind != nil {
		c.Expected.Cost.Cached += c.Behind.Cached
	}
	for _, q := range c.Requests {
		c.Expected.After += q.MaxOutputTokens
		c.Expected.Cost.In += q.InputTokens
		c.Expected.Cost.Out += q.MaxOutputTokens
	}
}

// Cost is what the model was asked to write summaries, in tokens. Cached are those of In that its provider is likely to have in its cache.
type Cost struct{ In, Cached, Out int }

// expected is what the result of a run that waits for summaries will be like: the first item that changes, the tokens, and
// what the model is asked.
type expected struct {
	First, After int
	Cost         Cost
}

// MinGain is how many tokens a compaction must free, or nothing is done.
func (c *Run) MinGain() int { return c.Policy.MinGain() }

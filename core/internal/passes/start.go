package passes

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/mend"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Run is the state that passes work on.
type Run struct {
	mend.Run
	Requests []api.SummaryRequest // the requests to answer before the run can end
	Due      bool                 // because of its size, a cold cache, or by force
	Folded   []view.Item          // the items that a fold has removed
	Small    bool                 // a pass was left out because it could not free min_gain
	NoDigest string               // why there is no digest, if the policy doesn't accept a local one in this case
	Asked    Cost                 // what the model was asked to do
	Expected expected
	Behind   *Behind // the one of Requests that is appended to the conversation, or nil

	shape    api.SummaryShape // the shape of the request that produced the summary
	offer    *offer           // what the provider may compact instead of the model, or nil
	provided *provided        // the provider's compaction, or nil
	digest   int              // the index of the digest's item
	groups   []int32          // the groups of the input, and those that pins hold; set if claim needs them
	stay     []bool
	places   []lastPlace
	squeezed map[int32]whole  // what this run has squeezed, by part
	cleared  []clearedResult  // what the clear pass has cleared
	cut      map[int32]string // the handles of texts that the last resort has cut, by part
	added    int              // tokens that a repair will probably add after the last resort
}

// Start initializes c as a run that has done nothing yet.
func (c *Run) Start(in view.Input) {
	c.View, c.Input = view.NewView(in.Transcript, in.Format, in.Estimator, in.N), in
	c.Limit, c.Target = in.Policy.Limit(), in.Policy.TargetTokens()
	if text := in.Policy.Summary.Text; text != "" { // the host has answered in advance
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

// expect notes what will come of the requests: items change from first on, and there are after tokens besides the summaries.
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

// Cost is the cost of the summary requests, in tokens. Cached are those of In that the provider probably has in its cache.
type Cost struct{ In, Cached, Out int }

// expected predicts the result of a run that waits for summaries: the first item that changes, the tokens, and what the model is asked to
// do.
type expected struct {
	First, After int
	Cost         Cost
}

// MinGain returns how many tokens a compaction must free; if it can't, nothing is done.
func (c *Run) MinGain() int { return c.Policy.MinGain() }

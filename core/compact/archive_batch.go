package compact

import (
	"strconv"

	"github.com/ctxfold/ctxfold/core/digest"
)

// batches archives with one summary for several results: it stands in the place of the first of them, and the others say
// so (S4.30).
func (p *archivePass) batches(c *Run) {
	old := c.oldResults(p.KeepRecent, toolFilter(p.Tools, p.ExcludeTools))
	for i := range old {
		old[i].gain = c.clearing(old[i].part, c.sized(SummaryMarker))
	}
	var worth []result
	for _, r := range old {
		if r.gain >= max(1, p.MinTokens) {
			worth = append(worth, r)
		}
	}
	var groups [][]result
	for ; len(worth) > 0 && (p.MaxBatches == 0 || len(groups) < p.MaxBatches); worth = worth[min(p.Batch, len(worth)):] {
		groups = append(groups, worth[:min(p.Batch, len(worth))])
	}
	type summary struct {
		group []result
		text  string
	}
	var said []summary
	local := p.Mode == "local" || c.Policy.Local()
	for k, group := range groups {
		outputs := make([]digest.ToolOutput, len(group))
		for i, r := range group {
			outputs[i] = digest.ToolOutputAt(c.T, int(r.part))
		}
		text := digest.BatchExcerpt(outputs)
		if !local && k < p.MaxRequests {
			id := "archive-" + strconv.Itoa(k+1)
			reply, found := c.reply(id)
			if !found {
				c.Requests = append(c.Requests, p.toolRequest(c, id, outputs, false))
				continue
			}
			if accepted, why := p.accept(reply); why == "" {
				text = digest.Fence(accepted)
			} else {
				c.Report.Summary.Why = digest.SummarizerFailed
			}
		}
		said = append(said, summary{group, digest.BatchBody(outputs, text)})
	}
	if len(c.Requests) > 0 {
		return
	}
	marker := c.sized(SummaryMarker)
	for _, s := range said {
		texts := make([]string, len(s.group))
		gain := 0
		for i := range s.group {
			texts[i] = "\n" + s.text
			if i > 0 {
				texts[i] = "\n" + digest.BatchStandIn(c.T, int(s.group[0].part))
			}
			s.group[i].gain = c.clearing(s.group[i].part, marker+texts[i])
			gain += s.group[i].gain
		}
		if gain > 0 {
			c.replace(s.group, "archive", "archive", SummaryMarker, func(i int) string { return texts[i] })
		}
	}
}

package passes

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// ClearPass replaces the contents of old tool results with a marker. The newest results, the calls, the ids and the
// order of messages don't change. Its fields are the parameters that its Kind describes.
//
//easyjson:json
type ClearPass struct {
	Pass         string   `json:"pass"`          // the pass's name
	KeepRecent   int      `json:"keep_recent"`   // number of newest results that stay
	MinReclaim   int      `json:"min_reclaim"`   // minimum number of tokens to free in total
	Excerpt      int      `json:"excerpt"`       // maximum number of tokens of a result that stay; 0 for none
	Tools        []string `json:"tools"`         // the tools whose results may be cleared; empty for all
	ExcludeTools []string `json:"exclude_tools"` // the tools whose results stay
}

func init() {
	Register(Kind{
		Name: "clear",
		Doc:  "replaces the contents of old tool results with a marker. The newest results stay; calls, ids and order stay.",
		Make: func() Pass { return new(ClearPass) },
		Params: []Param{
			{"keep_recent", "6", "keep_recent is the number of newest tool results that stay; at least 1."},
			{"min_reclaim", "0", "min_reclaim is the minimum number of tokens to free in total; if fewer would be freed, nothing is cleared, because every clearing invalidates the prompt cache."},
			{"excerpt", "0", "excerpt is the maximum number of tokens of a result that stay after the marker: the lines with names, numbers and errors that later messages repeat, as far as the target leaves room. Lines that say the most get the room that is left, and then the newest results come back as a whole, as far as keep_tokens of the fold allows. A result that frees no more than that stays whole if the target is reached without it."},
			{"tools", "[]", "tools are the tools whose results may be cleared; empty means all tools. Names are compared without case, _ and -."},
			{"exclude_tools", "[]", "exclude_tools are tools whose results are never cleared."},
		},
		Markers: []handles.Marking{{Text: handles.ClearedMarker}, {Text: handles.ExcerptMarker, Follows: true}},
		Counts:  []report.Counter{cleared},
	})
}

// Check reports numbers out of range; it returns "" if there are none.
func (p *ClearPass) Check() string {
	return cmp.Or(countRange("keep_recent", p.KeepRecent, "tool results"), tokensRange("excerpt", p.Excerpt),
		tokensRange("min_reclaim", p.MinReclaim))
}

// Run clears the old results whose clearing frees tokens. With excerpts it spares those that free little if the target is
// reached without them.
func (p *ClearPass) Run(c Run) {
	targets := slices.DeleteFunc(p.Targets(c), func(r result) bool { return r.gain <= 0 })
	if p.Excerpt > 0 {
		targets = p.worthwhile(c, targets)
	}
	unsqueezeAll(c, targets)
	first := len(c.Report().Actions)
	if p.Excerpt > 0 {
		for i, r := range targets {
			c.Shortened().cleared = append(c.Shortened().cleared, newClearedResult(c.Doc(), r, first+i))
		}
	}
	p.Clear(c, targets)
}

// worthwhile returns the results to clear. It leaves out results that free little if clearing the others is enough to
// reach the target size.
func (p *ClearPass) worthwhile(c Run, targets []result) []result {
	doc := c.Doc()
	large, gain := make([]result, 0, len(targets)), 0
	for _, r := range targets {
		if r.gain > p.Excerpt {
			large = append(large, r)
			gain += r.gain
		}
	}
	if c.Target() <= 0 || doc.Total-gain > c.Target() {
		return targets
	}
	return large
}

// clearedResult is a tool result that was cleared.
type clearedResult struct {
	part   int32              // the part of the result
	action int                // the index, in the report, of the action that reports it
	gain   int                // the number of tokens that were freed
	size   transcript.Measure // of the whole body
	tokens int                // the size of the whole result in tokens, or 0 if it can't be restored
}

// newClearedResult returns a result that is about to be cleared. action is the index of the action that will report it.
func newClearedResult(doc *view.View, r result, action int) clearedResult {
	parts := doc.T.Parts[r.part : int(r.part)+1+len(doc.T.InnerParts(int(r.part)))]
	cleared := clearedResult{part: r.part, action: action, gain: r.gain, size: parts[0].Size}
	if !transcript.AnyHas(parts, transcript.Removed|transcript.Edited) {
		cleared.tokens = doc.P.Parts(doc.T, parts)
	}
	return cleared
}

// FillRoom uses the room that is left below the target: first for lines of the cleared results, and then for the newest
// of these results as a whole.
func (p *ClearPass) FillRoom(c Run) {
	if p.Excerpt > 0 {
		p.addExcerpts(c)
		restoreNewest(c)
	}
}

// restoreNewest restores the newest results that the run has cleared, as long as the result of the run stays below the
// target and its tail no larger than the fold allows. It skips results that are too large.
func restoreNewest(c Run) {
	doc := c.Doc()
	room := c.Target() - doc.Total
	if fold := c.Fold(); len(fold.Items) > 0 {
		room = min(room, fold.MaxTail-doc.Tokens(fold.Digest+1, len(doc.Items)))
	}
	results, items := clearedStill(c)
	var parts []int32
	var sizes []transcript.Measure
	var changed []int // the indexes of the items that contain them
	for i, r := range slices.Backward(results) {
		more := r.tokens - doc.P.Parts(doc.T, doc.T.Parts[r.part:r.part+1]) + 1 // 1 for rounding
		if r.tokens == 0 || more > room {
			continue
		}
		room -= more
		parts, sizes, changed = append(parts, r.part), append(sizes, r.size), append(changed, items[i])
	}
	if len(parts) == 0 {
		return
	}
	c.Archive().Unmark(parts, sizes)
	for _, i := range slices.Compact(changed) {
		doc.Remeasure(i)
	}
	forgetCleared(c, parts)
}

// forgetCleared takes back the reports of results that were restored.
func forgetCleared(c Run, restored []int32) {
	s, to := c.Shortened(), c.Report()
	back := map[int32]bool{} // by part
	for _, part := range restored {
		back[part] = true
	}
	gone := map[int]bool{} // by action
	left := s.cleared[:0]
	for _, r := range s.cleared { // their actions are in order
		if back[r.part] {
			gone[r.action] = true
			continue
		}
		r.action -= len(gone)
		left = append(left, r)
	}
	s.cleared = left
	at := -1
	to.Actions = slices.DeleteFunc(to.Actions, func(api.Action) bool {
		at++
		return gone[at]
	})
	to.Cleared -= len(restored)
}

// addExcerpts adds lines of the original results, on which later messages rely, to the remaining markers. It adds as many
// lines as fit below the target or, if the target was missed, within a 32nd of the limit.
func (p *ClearPass) addExcerpts(c Run) {
	doc := c.Doc()
	room := c.Target() - doc.Total
	if room < 0 {
		room = min(c.Limit()-doc.Total, c.Limit()/32)
	}
	if len(c.Shortened().cleared) == 0 || room <= 0 {
		return
	}
	results, items := clearedStill(c)
	if len(results) == 0 {
		return
	}
	messages, parts, texts := make([]int32, len(doc.Items)), make([]int32, len(results)), make([]string, len(results))
	for i, it := range doc.Items {
		messages[i] = it.Msg
	}
	sizes, most := make([]int, len(results)), make([]int, len(results))
	for i, r := range results {
		parts[i], texts[i] = r.part, originalText(doc, r.part)
		sizes[i], most[i] = doc.P.MaxUnits(min(p.Excerpt, r.gain/2)), doc.P.MaxUnits(r.gain/2)
	}
	bare, headed := doc.P.Text(c.Archive().Sized(handles.ClearedMarker)), c.Archive().Sized(handles.ExcerptMarker)
	for i, lines := range chooseLines(doc, digest.NewExcerpts(doc.T, messages, parts, texts), sizes, most, room, func(lines string) int { return doc.P.Text(headed+lines) - bare }) {
		if lines == "" || doc.P.Text(headed+lines)-bare > room {
			continue
		}
		was := doc.Total
		c.Archive().MarkAgain(results[i].part, handles.ExcerptMarker, lines)
		doc.Remeasure(items[i])
		room -= doc.Total - was
		c.Report().Actions[results[i].action].Tokens -= doc.Total - was
	}
}

// chooseLines returns the excerpts of results, in at most room tokens. sizes and most are the limits of the excerpts in
// bytes; see [digest.Excerpts.Choose]. cost returns the number of tokens that an excerpt adds. If the lines cost fewer
// tokens than the estimator expects for their size, it chooses lines again with higher limits.
func chooseLines(doc *view.View, excerpts *digest.Excerpts, sizes, most []int, room int,
	cost func(lines string) int) []string {
	chosen, sum := excerpts.Choose(sizes, most, doc.P.MaxUnits(room)), 0
	for _, lines := range chosen {
		if lines != "" {
			sum += cost(lines)
		}
	}
	if sum <= 0 || sum >= room-room/8 {
		return chosen
	}
	more := func(units int) int { return int(min(int64(units)*int64(room-room/16)/int64(sum), 2*int64(units))) }
	for i := range sizes {
		sizes[i], most[i] = more(sizes[i]), more(most[i])
	}
	return excerpts.Choose(sizes, most, more(doc.P.MaxUnits(room)))
}

// clearedStill returns, in order, the results that this run has cleared and that are still in the view. items holds the
// indexes of the items that contain them.
func clearedStill(c Run) (results []clearedResult, items []int) {
	doc := c.Doc()
	for i, it := range doc.Items {
		msg := &doc.T.Messages[it.Msg]
		at, _ := slices.BinarySearchFunc(c.Shortened().cleared, msg.First, func(r clearedResult, first int32) int {
			return int(r.part - first)
		})
		for k := at; k < len(c.Shortened().cleared) && c.Shortened().cleared[k].part < msg.First+msg.Count; k++ {
			results, items = append(results, c.Shortened().cleared[k]), append(items, i)
		}
	}
	return results, items
}

// Targets returns the results that the pass can clear, or nil if clearing them would free fewer than min_reclaim
// tokens. The gain of a result that is smaller than its marker is negative.
func (p *ClearPass) Targets(c Run) []result {
	doc := c.Doc()
	reclaim := 0
	targets := oldResults(c, max(1, p.KeepRecent), ToolFilter(p.Tools, p.ExcludeTools))
	for i := range targets {
		targets[i].gain = clearing(doc, targets[i].part, c.Archive().Sized(handles.ClearedMarker))
		reclaim += max(0, targets[i].gain)
	}
	if reclaim < p.MinReclaim {
		return nil
	}
	return targets
}

// Clear replaces the contents of the targets with a marker. The archive gets the contents, and the report gets one
// action per message.
func (p *ClearPass) Clear(c Run, targets []result) {
	replace(c, targets, "clear", "clear", handles.ClearedMarker, func(int) string { return "" })
}

// clearing returns the number of tokens saved by replacing the body of the tool result at part n with text.
func clearing(doc *view.View, n int32, text string) int {
	parts := doc.T.Parts[n : int(n)+1+len(doc.T.InnerParts(int(n)))]
	before, whole := doc.P.Parts(doc.T, parts), parts[0].Size
	value, size := doc.ResultBody(n, text)
	size.Weight = doc.WeighValue(value, size)
	parts[0].Size = size // only to estimate it
	after := doc.P.Parts(doc.T, parts[:1])
	parts[0].Size = whole
	return before - after
}

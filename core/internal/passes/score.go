package passes

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// low is a tool result or an assistant text with a score below 0, which the host can do without.
type low struct {
	result
	score float64 // the score that the host gave, below 0
	text  int     // the size of the text in tokens; 0 for a tool result
}

// LowFirst removes content with a score below 0, lowest scores first, until the target is reached. It clears tool
// results and cuts the assistant's texts. It returns false if there is no such content.
func LowFirst(c Run) bool {
	if !c.Keep().HasScores() {
		return false
	}
	lows := lowest(c, lowTexts(c, lowResults(c)))
	if len(lows) == 0 {
		return false
	}
	var results []result
	cutter := &resort{run: c, doc: c.Doc(), newest: -1}
	for _, l := range lows {
		if l.text == 0 {
			results = append(results, l.result)
			continue
		}
		if before := c.Doc().Total; cutter.cutText(longText{l.item, l.text, l.part}, harsh) {
			c.Doc().Remeasure(l.item)
			c.Report().Truncated++
			c.Report().AddAction(api.Action{Action: api.ActionTruncate, Pass: api.DoerScore,
				Message: int(c.Doc().Items[l.item].In), Tokens: before - c.Doc().Total})
		}
	}
	replace(c, results, "clear", api.DoerScore, handles.ClearedMarker, func(int) string { return "" })
	return true
}

// lowest returns as many of the candidates with the lowest scores as the target requires, in the order of their parts.
// Among candidates with equal scores, it chooses the oldest. Fewer are returned if there aren't as many. lows is
// reordered.
func lowest(c Run, lows []low) []low {
	sorting.Stable(lows, func(a, b low) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return int(a.part - b.part)
	})
	need, n := c.Doc().Total-c.Target(), 0
	for ; n < len(lows) && need > 0; n++ {
		need -= lows[n].gain
	}
	lows = lows[:n]
	sorting.Func(lows, func(a, b low) int { return int(a.part - b.part) })
	return lows
}

// lowResults returns the tool results with a score below 0 that may be cleared.
func lowResults(c Run) (lows []low) {
	doc, keep := c.Doc(), c.Keep()
	for _, r := range oldResults(c, 0, func(string) bool { return true }) {
		score := keep.ScoreOf(r.part)
		if score >= 0 {
			continue
		}
		if what, _ := digest.ProjectIn(doc.T, int(doc.Items[r.item].Msg)); what != digest.NoProject {
			continue
		}
		if r.gain = clearing(doc, r.part, c.Archive().Sized(handles.ClearedMarker)); r.gain > 0 {
			lows = append(lows, low{result: r, score: score})
		}
	}
	return lows
}

// lowTexts appends the assistant's texts with a score below 0 that may be cut. It skips texts that belong to an open
// call, because these must stay.
func lowTexts(c Run, lows []low) []low {
	doc := c.Doc()
	stays, _ := c.Keep().StayingItems()
	r := &resort{run: c, doc: doc, newest: -1}
	texts := slices.DeleteFunc(r.long(loose, isUnsigned), func(t longText) bool {
		return c.Keep().ScoreOf(t.part) >= 0 || stays[t.item] || t.tokens <= harsh
	})
	for _, t := range texts {
		lows = append(lows, low{result{item: t.item, part: t.part, gain: t.tokens - harsh}, c.Keep().ScoreOf(t.part),
			t.tokens})
	}
	return lows
}

package passes

import (
	"slices"
	"sort"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// result is a tool result that a pass may change.
type result struct {
	item  int   // the index of its item in the view
	part  int32 // the part of the transcript
	newer int   // the number of newer results
	gain  int   // the number of tokens saved
}

// oldResults returns the tool results whose bodies may be removed, oldest first. It leaves out the newest keep results,
// results in pinned messages, results of tools for which allowed returns false, and results that have already been
// removed. It also leaves out reads that a newer result refers to, and results that stay relevant (see lastingResults).
func oldResults(c Run, keep int, allowed func(tool string) bool) (old []result) {
	old = resultsByAge(c, allowed)
	return old[:sort.Search(len(old), func(i int) bool { return old[i].newer < keep })]
}

// resultsByAge is like oldResults, but includes the newest results.
func resultsByAge(c Run, allowed func(tool string) bool) (found []result) {
	doc := c.Doc()
	newer := 0
	lasts := lastingResults(c)
	// Reads that a newer result refers to by saying that the file hasn't changed since then.
	var pointed critbit.Map[bool]
	for i := len(doc.Items) - 1; i >= 0; i-- {
		it := &doc.Items[i]
		msg := &doc.T.Messages[it.Msg]
		for n := msg.First + msg.Count - 1; n >= msg.First; n-- {
			if !handles.OwnBody(doc, n) || !allowed(digest.ToolName(doc.T, int(n))) {
				continue
			}
			if meant := pointedAt(c, n, &pointed); !it.Pinned && !meant && !lasts(n) {
				found = append(found, result{item: i, part: n, newer: newer})
			}
			newer++
		}
	}
	slices.Reverse(found)
	return found
}

// lastingResults returns a function that reports whether a tool result stays relevant; see [digest.Lasting]. In
// published systems, no result does.
func lastingResults(c Run) func(part int32) bool {
	if c.Policy().IsPublished() {
		return func(int32) bool { return false }
	}
	doc := c.Doc()
	messages := make([]int32, len(doc.Items))
	for i, it := range doc.Items {
		messages[i] = it.Msg
	}
	return digest.NewLasting(doc.T, messages).Holds
}

// TakeOut replaces the bodies of all but the newest keep tool results with a pass's marker, where that saves tokens. It
// reports each replacement as the action "clear", and returns the number of replacements.
func TakeOut(c Run, keep int, pass api.Doer, marker string) int {
	doc := c.Doc()
	targets := oldResults(c, keep, func(string) bool { return true })
	for i := range targets {
		targets[i].gain = clearing(doc, targets[i].part, c.Archive().Sized(marker))
	}
	targets = slices.DeleteFunc(targets, func(r result) bool { return r.gain <= 0 })
	replace(c, targets, "clear", pass, marker, func(int) string { return "" })
	return len(targets)
}

// replace replaces the body of each result with a marker, followed by what text returns for that result. It reports
// each replacement as an action.
func replace(c Run, results []result, action api.ActionName, pass api.Doer, marker string, text func(i int) string) {
	doc := c.Doc()
	c.Report().Actions = slices.Grow(c.Report().Actions, len(results))
	doc.GrowEdits(len(results))
	unsqueezeAll(c, results)
	for i, r := range results {
		tool := digest.ToolName(doc.T, int(r.part))
		c.Archive().Mark(r.part, marker, text(i))
		c.Report().AddAction(api.Action{Action: action, Pass: pass, Message: int(doc.Items[r.item].In), Tokens: r.gain,
			Tool: tool})
		if i+1 == len(results) || results[i+1].item != r.item {
			doc.Remeasure(r.item)
		}
	}
	c.Report().Cleared += len(results)
}

// ToolFilter returns a function that reports whether a tool is in tools and not in exclude. If tools is empty, all
// tools count as being in it. Names are compared without case, _ and -.
func ToolFilter(tools, exclude []string) func(tool string) bool {
	keys := func(names []string) (set critbit.Map[struct{}]) {
		for _, name := range names {
			set.Add(digest.ToolKey(name))
		}
		return set
	}
	in, out := keys(tools), keys(exclude)
	return func(tool string) bool {
		tool = digest.ToolKey(tool)
		return (in.Len() == 0 || in.Has(tool)) && !out.Has(tool)
	}
}

// pointedAt reports whether the tool result at part n is a read that a newer result refers to. If the result itself
// refers to an older read, pointedAt adds that read to pointed, which holds the keys of all such reads.
func pointedAt(c Run, n int32, pointed *critbit.Map[bool]) bool {
	doc := c.Doc()
	if c.Policy().IsPublished() || !digest.ReadsFile(digest.ToolName(doc.T, int(n))) {
		return false
	}
	if pointed.Len() == 0 && !digest.MayPoint(doc.T, n) {
		return false
	}
	reading := digest.ResultReading(doc.T, n)
	if reading == digest.ReadsFailed || reading != digest.ReadsSame && pointed.Len() == 0 {
		return false
	}
	keys := digest.PointsTo(doc.T, n)
	if reading == digest.ReadsSame {
		for _, key := range keys {
			pointed.Set(key, true)
		}
		return false
	}
	found := false
	for _, key := range keys {
		meant, known := pointed.Get(key)
		if found = found || meant; known {
			pointed.Set(key, false) // newer results no longer refer to older reads
		}
	}
	return found
}

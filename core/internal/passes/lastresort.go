package passes

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// lastResort is the name that the report gives to actions of the last resort.
const lastResort = "last_resort"

// The minimum numbers of tokens that the last resort leaves of a text: in its first attempt, and if that isn't enough.
const (
	gentle = 256
	harsh  = 48
)

// resort is the last resort, which brings a result under its limit.
type resort struct {
	run    Run        // the compaction, with its components
	doc    *view.View // the document that is shortened
	most   int        // the maximum size of the result in tokens
	newest int32      // the newest user message, or -1
	from   int        // the first item that may be cut
	part   int32      // the first part of that item that may be cut, or -1 for all
}

// newResort returns a last resort that can cut all items. most is the maximum size of the result in tokens.
func newResort(c Run, most int) *resort {
	r := &resort{run: c, doc: c.Doc(), most: most, newest: -1, part: -1}
	if i := c.Keep().NewestUser(); i >= 0 && r.doc.Items[i].Said == 0 { // in an assistant message, only the user's words stay
		r.newest = r.doc.Items[i].Msg
	}
	return r
}

// LastResort shortens a bounded result if it is over its limit after the passes, or not far enough below it. most is
// the maximum size of the shortened result in tokens. It cuts the least important content first, and unpinned content
// before pinned content. It stops as soon as enough is cut. The newest user message and system messages stay unchanged,
// regardless of their size. It does nothing if the passes were sufficient.
func LastResort(c Run, most int) {
	r := newResort(c, most)
	if !c.MustFit() || !r.needed() {
		return
	}
	low := max(1, min(c.Target(), c.Report().Tokens.Before-c.MinGain()))
	first := r.gentle()
	if texts := r.long(loose, isResult); r.doc.Total-saving(texts, first) <= most {
		r.cutAll(loose, isResult, first, low)
	}
	for _, step := range []func(){
		func() { r.foldRest(forLimit) },
		func() { r.cutAll(loose, isResult, first, low) },
		func() { r.cutAll(loose, isResult, harsh, most) },
		func() { r.cutAll(loose, isUnsigned, first, most) },
		func() { r.replaceMedia(loose) },
		func() { r.cutAll(loose, isAssistantText, harsh, most) },
		func() { r.foldRest(forAll) },
		func() { r.cutAll(loose, isUserText, first, most) }, // these texts stay because of the parts that they belong to
		func() { r.cutAll(loose, isUserText, harsh, most) },
		func() { r.cutAll(pinned, isResult, first, most) },
		func() { r.cutAll(pinned, isResult, harsh, most) },
		func() { r.cutAll(pinned, isUnsigned, first, most) },
		func() { r.replaceMedia(pinned) },
		func() { r.cutAll(pinned, isAssistantText, harsh, most) },
		func() { r.cutAll(pinned, isUserText, first, most) },
		func() { r.cutAll(pinned, isUserText, harsh, most) },
	} {
		if r.doc.Total <= most {
			return
		}
		step()
	}
}

// gentle returns the number of tokens that the first attempt leaves of a text.
func (r *resort) gentle() int { return min(gentle, max(harsh, r.run.Limit()/8)) }

// needed reports whether the result of the passes is unusable. This is so if it exceeds the limit, or if the input
// exceeds the limit and the result is so close to the input that it would be rejected.
func (r *resort) needed() bool {
	before := r.run.Report().Tokens.Before
	return r.doc.Total > r.most || before > r.most && before-r.doc.Total < r.run.MinGain()
}

// The items that are cut: first those that aren't pinned, then pinned ones.
const (
	loose  = false
	pinned = true
)

// mayCut reports whether the last resort may cut an item while it cuts pinned items, if pinned is true, or unpinned
// items otherwise. It never cuts the newest user message, system messages, and messages whose content only the provider
// can read or that belong to such messages. Messages that a compaction wrote are folded instead of cut, except for an
// unfinished tool loop.
func (r *resort) mayCut(it *view.Item, pinned bool) bool {
	msg := &r.doc.T.Messages[it.Msg]
	if it.Pinned != pinned || it.Msg == r.newest || it.Tokens == 0 || msg.Role == transcript.System || msg.Joined || r.run.Keep().ProviderOnly(it.Msg) {
		return false
	}
	origin := r.run.Authors().Origin(it.Msg)
	return origin == authorship.NotOurs || origin == authorship.OfLoop
}

// foldRest folds the remaining messages before the tail, without asking a model.
func (r *resort) foldRest(mode foldMode) {
	p := FoldPass{KeepTokens: max(1, r.run.Target()/2), Boundary: "group", KeepLast: true}
	p.fold(r.run, mode, r.most)
}

// longText is a text that can be cut.
type longText struct {
	item, tokens int   // the index of its item, and its size
	part         int32 // the part with the text
}

// textKind reports whether the text of a part is of a certain kind.
type textKind func(t *transcript.Transcript, p *transcript.Part) bool

// isResult selects the texts of tool results and the output of commands that the user ran.
func isResult(t *transcript.Transcript, p *transcript.Part) bool {
	return p.Kind == transcript.ToolResult || p.Kind == transcript.Text && (p.Parent >= 0 || isOutput(t, p))
}

// isOutput selects the output of commands that the user ran.
func isOutput(t *transcript.Transcript, p *transcript.Part) bool {
	return t.Messages[p.Msg].Variant == transcript.Shell
}

// isAssistantText selects the assistant's texts.
func isAssistantText(t *transcript.Transcript, p *transcript.Part) bool {
	return p.Kind == transcript.Text && p.Parent < 0 && t.Messages[p.Msg].Role == transcript.Assistant &&
		!p.Has(transcript.Said)
}

// isUnsigned selects the assistant's texts in messages without signed reasoning.
func isUnsigned(t *transcript.Transcript, p *transcript.Part) bool {
	return isAssistantText(t, p) && !slices.ContainsFunc(t.PartsOf(int(p.Msg)), func(p transcript.Part) bool {
		return p.Has(transcript.Signed|transcript.Bound) && !p.Has(transcript.Removed)
	})
}

// isUserText selects the texts that were written neither by the assistant nor by tools.
func isUserText(t *transcript.Transcript, p *transcript.Part) bool {
	return p.Kind == transcript.Text && p.Parent < 0 && !isOutput(t, p) &&
		(t.Messages[p.Msg].Role != transcript.Assistant || p.Has(transcript.Said))
}

// long returns, in order, the texts of a kind that are long enough to be cut, either in pinned or in unpinned items.
func (r *resort) long(pinned bool, kind textKind) (texts []longText) {
	t := r.doc.T
	for i := r.from; i < len(r.doc.Items); i++ {
		it := &r.doc.Items[i]
		if it.Tokens <= harsh || !r.mayCut(it, pinned) {
			continue
		}
		msg := &t.Messages[it.Msg]
		first := msg.First
		if i == r.from {
			first = max(first, r.part)
		}
		for n := first; n < msg.First+msg.Count; n++ {
			if p := &t.Parts[n]; n != it.Said-1 && kind(t, p) && r.cuttable(n) {
				texts = append(texts, longText{i, r.doc.P.Measure(p.Size), n})
			}
		}
	}
	return texts
}

// cuttable reports whether a part, which must be a text or a tool result, can be cut.
func (r *resort) cuttable(n int32) bool {
	t := r.doc.T
	p := &t.Parts[n]
	switch {
	case p.Has(transcript.Server|transcript.Removed|transcript.Signed|transcript.ProviderOnly|transcript.NotSent) ||
		p.Body.IsZero() || awaited(r.doc, n):
		return false
	case p.Kind == transcript.Text:
		return t.IsString(p.Body) && !handles.Placeholder(r.doc, n)
	case p.Kind == transcript.ToolResult:
		return r.cuttableResult(n)
	}
	return true
}

// cuttableResult reports whether the body of a tool result is text, or JSON that can be cut like text: a single value,
// or a list that contains only values. The texts in a list of parts are cut individually instead.
func (r *resort) cuttableResult(n int32) bool {
	t := r.doc.T
	p := &t.Parts[n]
	if _, again := r.run.Shortened().cut[n]; p.Pair < 0 || !again && handles.Cleared(r.doc, n) {
		return false
	}
	return p.Has(transcript.Edited) || !slices.ContainsFunc(t.InnerParts(int(n)), func(p transcript.Part) bool {
		return p.Kind != transcript.Opaque || p.Body.IsZero() || t.IsString(p.Body)
	})
}

// awaited reports whether a part is, or belongs to, a tool result that a tool of the provider still waits for.
func awaited(doc *view.View, n int32) bool {
	if parent := doc.T.Parts[n].Parent; parent >= 0 {
		n = parent
	}
	call := doc.T.Parts[n].Pair
	return doc.T.Parts[n].Kind == transcript.ToolResult && call >= 0 && doc.T.AwaitsResult(&doc.T.Parts[call])
}

// saving returns the number of tokens freed if each text is truncated to at most keep tokens.
func saving(texts []longText, keep int) (sum int) {
	for _, t := range texts {
		sum += max(0, t.tokens-keep)
	}
	return sum
}

// level returns the size in tokens to which the longest texts must be cut to free need tokens. It is at least
// floor.
func level(texts []longText, need, floor int) int {
	sizes := make([]int, len(texts))
	for i, t := range texts {
		sizes[i] = t.tokens
	}
	sorting.Ordered(sizes)
	slices.Reverse(sizes)
	sum := 0
	for i, size := range sizes {
		if size <= floor {
			break
		}
		sum += size
		next := floor
		if i+1 < len(sizes) {
			next = max(floor, sizes[i+1])
		}
		if keep := (sum - need) / (i + 1); keep >= next {
			return keep
		}
	}
	return floor
}

// cutAll cuts the longest texts of a kind until the transcript has at most aim tokens, or until each of these texts has
// at most floor tokens. It cuts either in pinned or in unpinned items.
func (r *resort) cutAll(pinned bool, kind textKind, floor, aim int) {
	for range 4 { // a cut text may have a few tokens more or less than planned
		need := r.doc.Total - aim
		if need <= 0 {
			return
		}
		texts := r.long(pinned, kind)
		keep, done := level(texts, need, floor), false
		for len(texts) > 0 {
			n := 1
			for n < len(texts) && texts[n].item == texts[0].item {
				n++
			}
			done = r.cutItem(texts[:n], keep) || done
			texts = texts[n:]
		}
		if !done {
			return
		}
	}
}

// cutItem cuts those texts of an item that have more than keep tokens. It returns false if there are none.
func (r *resort) cutItem(texts []longText, keep int) bool {
	cut, tool := 0, ""
	for _, t := range texts {
		if t.tokens > keep && r.cutText(t, keep) {
			cut++
			tool = toolOf(r.doc, t.part)
		}
	}
	if cut == 0 {
		return false
	}
	item, before := texts[0].item, r.doc.Total
	r.doc.Remeasure(item)
	r.run.Report().Truncated += cut
	r.run.Report().AddAction(api.Action{Action: api.ActionTruncate, Pass: lastResort,
		Message: int(r.doc.Items[item].In), Tokens: before - r.doc.Total, Tool: tool})
	return true
}

// toolOf returns the name of the tool if a part is a tool result or belongs to one, and "" for other parts.
func toolOf(doc *view.View, n int32) string {
	if p := &doc.T.Parts[n]; p.Kind != transcript.ToolResult {
		if n = p.Parent; n < 0 {
			return ""
		}
	}
	return digest.ToolName(doc.T, int(n))
}

// cutText leaves at most keep tokens from the beginning and the end of a text. It returns false if nothing was cut.
func (r *resort) cutText(t longText, keep int) bool {
	return r.shorten(t.part, func(text, marker string) string {
		return clipTo(r.doc, text, t.tokens, keep-r.doc.P.Text(marker))
	})
}

// shorten replaces a text with what clip returns, given the text and the marker before it. The whole text is archived
// once, even if a run cuts it several times. It returns false if the text would not become shorter.
func (r *resort) shorten(part int32, clip func(text, marker string) string) bool {
	doc, archive := r.doc, r.run.Archive()
	p := &doc.T.Parts[part]
	plain := doc.T.IsString(p.Body)
	var text string
	if plain {
		text = doc.T.Text(p.Body)
	} else {
		text = string(doc.T.Bytes(doc.Original(part)))
	}
	handle, rest := r.wholeOf(part, text, plain)
	marker := ""
	switch {
	case archive.Keeps():
		marker = handles.WithHandle(handles.TruncatedMarker, handles.Zeros) + "\n"
	case !plain:
		marker = handles.TruncatedMarker + "\n"
	}
	short := clip(rest, marker)
	if len(marker)+len(short) >= len(text) {
		return false
	}
	if handle == "" {
		handle = archive.Keep(bodyKind(p), p.Msg, part, p.Body)
	}
	if marker != "" {
		short = handles.WithHandle(handles.TruncatedMarker, handle) + "\n" + short
	}
	r.run.Shortened().cutTo(part, handle)
	if plain {
		doc.SetBody(part, jsonspan.AppendString(nil, short), jsonspan.MeasureText(short))
		return true
	}
	value, size := doc.ResultBody(part, short)
	doc.SetBody(part, value, size)
	return true
}

// wholeOf returns the handle under which this run has already archived the uncut text, or "" if it hasn't. It also
// returns the text without the line that contains the handle. plain means that the body is a string.
func (r *resort) wholeOf(part int32, text string, plain bool) (handle, rest string) {
	handle = r.run.Shortened().cut[part]
	named, rest := handles.TruncatedHandle(text)
	if handle == "" && named != "" && !r.doc.OriginalBody(part).IsZero() { // a pass of this run has cut it
		handle = named
	}
	if w, ok := r.run.Shortened().squeezed[part]; ok && r.doc.T.Parts[part].Has(transcript.Squeezed) && handle == "" {
		handle = w.handle
		if _, less := handles.SqueezedHandle(text); plain && less != text {
			rest = less
		}
	}
	return handle, rest
}

// bodyKind returns the kind under which a text or a tool result is archived.
func bodyKind(p *transcript.Part) api.BodyKind {
	if p.Kind == transcript.Text {
		return api.BodyText
	}
	return api.BodyToolResult
}

// clipTo removes the middle of a text so that about keep tokens remain. tokens is the current size of the text.
func clipTo(doc *view.View, text string, tokens, keep int) string {
	size := len(text)
	for got := max(1, tokens); ; {
		if size = int(uint64(size) * uint64(max(0, keep)) / uint64(got)); size < 16 {
			return digest.LeftOut(len(text))
		}
		short := digest.Clip(text, size)
		if got = doc.P.Text(short); got <= keep {
			return short
		}
		size = size * 15 / 16
	}
}

// replaceMedia replaces images, audio and files with placeholders, oldest first, until the transcript fits. It does
// this either in pinned or in unpinned items.
func (r *resort) replaceMedia(pinned bool) {
	doc := r.doc
	for i := 0; i < len(doc.Items) && doc.Total > r.most; i++ {
		if !r.mayCut(&doc.Items[i], pinned) {
			continue
		}
		msg := &doc.T.Messages[doc.Items[i].Msg]
		for n := msg.First; n < msg.First+msg.Count && doc.Total > r.most; n++ {
			if r.clearAround(i, n) {
				continue
			}
			m := medium(doc, n)
			if m.Marker == "" || awaited(doc, n) || doc.P.Parts(doc.T, doc.T.Parts[n:n+1]) <= doc.P.Text(r.run.Archive().Sized(m.Marker)) {
				continue
			}
			before := doc.Total
			putPlaceholder(r.run, n, m.Marker, m.What)
			doc.Remeasure(i)
			r.run.Report().AddAction(api.Action{Action: api.ActionShrink, Pass: lastResort,
				Message: int(doc.Items[i].In), Tokens: before - doc.Total})
		}
	}
}

// clearAround clears the tool result that contains an image, audio or file, for wire formats that
// have no part to replace it with. It returns false if there is no such result, or if clearing it
// would free nothing.
func (r *resort) clearAround(item int, n int32) bool {
	doc := r.doc
	p := &doc.T.Parts[n]
	if !doc.F.InnerMedia || p.Parent < 0 || p.Data == 0 || !handles.OwnBody(doc, p.Parent) {
		return false
	}
	if body := doc.T.Parts[p.Parent].Body; p.Span.Start < body.Start || p.Span.End > body.End {
		return false
	}
	gone := result{item: item, part: p.Parent,
		gain: clearing(doc, p.Parent, r.run.Archive().Sized(handles.ClearedMarker))}
	if gone.gain <= 0 {
		return false
	}
	replace(r.run, []result{gone}, "clear", lastResort, handles.ClearedMarker, func(int) string { return "" })
	return true
}

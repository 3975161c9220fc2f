package passes

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// lastResort is the name of the last resort in actions.
const lastResort = "last_resort"

// The last resort leaves at least this many tokens of a text: at first, and if that isn't enough.
const (
	gentle = 256
	harsh  = 48
)

// maxResorts limits how often a result is cut again because a repair made it larger.
const maxResorts = 4

// repairRoom is how many more tokens are freed each time, for what a repair may add to the next result.
const repairRoom = 16

// Most returns how many tokens a result may have, not counting what a repair will add.
func (c *Run) Most() int {
	if c.Policy.Gate.Inclusive {
		return c.Limit - 1 - c.added
	}
	return c.Limit - c.added
}

// Settle makes the result valid, and cuts it again if the repair, or the handles that digests get at the end, made it too large. It reports
// whether signed thinking could be kept valid.
func (c *Run) Settle() bool {
	added := 0
	for again := 0; ; again++ {
		if !c.SettleThinking() {
			return false
		}
		c.Repair()
		c.Resend()
		if again == maxResorts || !c.Bounded() {
			return true
		}
		over := c.Total + c.HandleRoom() - c.Most()
		if over <= 0 {
			return true
		}
		added += over + repairRoom
		c.added = added
		c.Resort()
		c.added = 0
	}
}

// Bounded reports whether the result of this run must not exceed the limit.
func (c *Run) Bounded() bool {
	return c.Due && c.Limit > 0 && c.Policy.LastResorts() && !c.Policy.Branch()
}

// Resort brings a result that the passes have left over the limit under it. It cuts what is most dispensable and stops as soon as that is
// enough: first what is loose, then what is pinned. The newest user message and system messages stay as they are, whatever their size. It
// costs nothing if the passes were enough.
func (c *Run) Resort() {
	if !c.Bounded() || !c.needs() {
		return
	}
	low := max(1, min(c.Target, c.Report.Tokens.Before-c.MinGain()))
	first := min(gentle, max(harsh, c.Limit/8))
	loose, pinned := c.spared(false), c.spared(true)
	if r := c.long(loose, isResult); c.Total-saving(r, first) <= c.Most() {
		c.cutAll(loose, isResult, first, low)
	}
	for _, step := range []func(){
		func() { c.foldRest(forLimit) },
		func() { c.cutAll(loose, isResult, first, low) },
		func() { c.cutAll(loose, isResult, harsh, c.Most()) },
		func() { c.cutAll(loose, isUnsigned, first, c.Most()) },
		func() { c.replaceMedia(loose) },
		func() { c.cutAll(loose, isSaid, harsh, c.Most()) },
		func() { c.foldRest(forAll) },
		func() { c.cutAll(loose, isAsked, first, c.Most()) }, // items that are held only by what they belong to
		func() { c.cutAll(loose, isAsked, harsh, c.Most()) },
		func() { c.cutAll(pinned, isResult, first, c.Most()) },
		func() { c.cutAll(pinned, isResult, harsh, c.Most()) },
		func() { c.cutAll(pinned, isUnsigned, first, c.Most()) },
		func() { c.replaceMedia(pinned) },
		func() { c.cutAll(pinned, isSaid, harsh, c.Most()) },
		func() { c.cutAll(pinned, isAsked, first, c.Most()) },
		func() { c.cutAll(pinned, isAsked, harsh, c.Most()) },
	} {
		if c.Total <= c.Most() {
			return
		}
		step()
	}
}

// needs reports whether what the passes have left can't be the result: it is over the limit, or so close to the input, which is over the
// limit, that it would be rejected.
func (c *Run) needs() bool {
	before := c.Report.Tokens.Before
	return c.Total > c.Most() || before > c.Most() && before-c.Total < c.MinGain()
}

// spared returns a function that reports whether the last resort may cut an item: one that is pinned, or one that isn't. It never cuts the
// newest user message, system messages, or what stands for content that only the provider can read. Messages that a compaction has written
// are folded, not cut, except for a tool loop that continues.
func (c *Run) spared(pinned bool) func(it *view.Item) bool {
	newest := int32(-1)
	if i := c.NewestUser(); i >= 0 && c.Items[i].Said == 0 { // in an assistant message, only those words stay
		newest = c.Items[i].Msg
	}
	return func(it *view.Item) bool {
		return it.Pinned == pinned && it.Msg != newest && it.Tokens > 0 && c.T.Messages[it.Msg].Role != transcript.System &&
			!c.Holds(it.Msg) && !c.T.Messages[it.Msg].Joined && (!c.Own(it.Msg) || c.OwnKind(it.Msg) == view.OfLoop)
	}
}

// foldRest folds what the passes have left before the tail, without a model.
func (c *Run) foldRest(why foldFor) {
	was := c.Policy
	local := *was
	if local.Summary.Text = ""; local.Summary.Mode == "model" {
		local.Summary.Mode = "local"
	}
	c.Policy = &local
	defer func() { c.Policy = was }()
	p := FoldPass{KeepTokens: max(1, c.Target/2), Boundary: "group", KeepLast: true}
	p.fold(c, why)
}

// longText is a text that can be cut.
type longText struct {
	item, tokens int
	part         int32
}

// The texts of a message that are cut: those of tool results, of the assistant (reasoning first, if it isn't signed), and of the user.
func isResult(c *Run, p *transcript.Part) bool {
	return p.Kind == transcript.ToolResult || p.Kind == transcript.Text && p.Parent >= 0
}

func isSaid(c *Run, p *transcript.Part) bool {
	return p.Kind == transcript.Text && p.Parent < 0 && c.T.Messages[p.Msg].Role == transcript.Assistant && !p.Has(transcript.Said)
}

func isUnsigned(c *Run, p *transcript.Part) bool {
	return isSaid(c, p) && !slices.ContainsFunc(c.T.PartsOf(int(p.Msg)), func(p transcript.Part) bool {
		return p.Has(transcript.Signed|transcript.Bound) && !p.Has(transcript.Removed)
	})
}

func isAsked(c *Run, p *transcript.Part) bool {
	return p.Kind == transcript.Text && p.Parent < 0 && (c.T.Messages[p.Msg].Role != transcript.Assistant || p.Has(transcript.Said))
}

// long returns the texts that can be cut, in order.
func (c *Run) long(may func(*view.Item) bool, which func(*Run, *transcript.Part) bool) (texts []longText) {
	for i := range c.Items {
		it := &c.Items[i]
		if it.Tokens <= harsh || !may(it) {
			continue
		}
		msg := &c.T.Messages[it.Msg]
		for n := msg.First; n < msg.First+msg.Count; n++ {
			p := &c.T.Parts[n]
			if n == it.Said-1 || p.Has(transcript.Server|transcript.Removed|transcript.Signed|transcript.Held|transcript.Free) || p.Body.Zero() || !which(c, p) || c.awaited(n) {
				continue
			}
			if p.Kind == transcript.Text && (!c.T.IsString(p.Body) || handles.Placeholder(c.View, n)) || p.Kind == transcript.ToolResult && !c.cuttable(n) {
				continue
			}
			texts = append(texts, longText{i, c.P.Measure(p.Size), n})
		}
	}
	return texts
}

// cuttable reports whether the body of a tool result is a text, or JSON that can be cut like one: a single value, or a list of nothing but
// values. Texts in a list are cut one by one.
func (c *Run) cuttable(n int32) bool {
	p := &c.T.Parts[n]
	if _, again := c.cut[n]; p.Pair < 0 || !again && handles.Cleared(c.View, n) {
		return false
	}
	return p.Has(transcript.Edited) || !slices.ContainsFunc(c.T.Inner(int(n)), func(p transcript.Part) bool {
		return p.Kind != transcript.Opaque || p.Body.Zero() || c.T.IsString(p.Body)
	})
}

// awaited reports whether a part is, or is inside, a tool result that a provider's tool is still waiting for.
func (c *Run) awaited(n int32) bool {
	if parent := c.T.Parts[n].Parent; parent >= 0 {
		n = parent
	}
	call := c.T.Parts[n].Pair
	return c.T.Parts[n].Kind == transcript.ToolResult && call >= 0 && c.T.Waits(&c.T.Parts[call])
}

// saving returns how many tokens cutting each text to keep tokens frees.
func saving(texts []longText, keep int) (sum int) {
	for _, t := range texts {
		sum += max(0, t.tokens-keep)
	}
	return sum
}

// level returns how many tokens each of some texts may keep, at least floor, to free need tokens: the longest are cut down to one size.
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

// cutAll cuts the longest texts until the transcript has at most aim tokens, or each text at most floor.
func (c *Run) cutAll(may func(*view.Item) bool, which func(*Run, *transcript.Part) bool, floor, aim int) {
	for range 4 { // a cut text may have a few tokens more or fewer than planned
		need := c.Total - aim
		if need <= 0 {
			return
		}
		texts := c.long(may, which)
		keep := level(texts, need, floor)
		done := false
		for i := 0; i < len(texts); {
			item, cut := texts[i].item, 0
			tool := ""
			for ; i < len(texts) && texts[i].item == item; i++ {
				if t := texts[i]; t.tokens > keep && c.cutText(t, keep) {
					cut++
					tool = c.toolOf(t.part)
				}
			}
			if cut > 0 {
				before := c.Total
				c.Remeasure(item)
				c.Report.Truncated += cut
				c.Act(api.Action{Action: api.ActionTruncate, Pass: lastResort, Message: int(c.Items[item].In), Tokens: before - c.Total, Tool: tool})
				done = true
			}
		}
		if !done {
			return
		}
	}
}

// toolOf returns the name of the tool whose result a part is or belongs to; "" for other parts.
func (c *Run) toolOf(n int32) string {
	if p := &c.T.Parts[n]; p.Kind != transcript.ToolResult {
		if n = p.Parent; n < 0 {
			return ""
		}
	}
	return digest.ToolName(c.T, int(n))
}

// cutText leaves at most keep tokens of a text: its beginning and its end. The whole text is archived once, however often a run cuts it. It
// reports whether anything was cut.
func (c *Run) cutText(t longText, keep int) bool {
	p := &c.T.Parts[t.part]
	plain := c.T.IsString(p.Body)
	handle := c.cut[t.part]
	var text string
	if plain {
		text = c.T.Text(p.Body)
	} else {
		text = string(c.T.Bytes(c.Original(t.part)))
	}
	named, rest := handles.TruncatedHandle(text)
	if handle == "" && named != "" && !c.OriginalBody(t.part).Zero() { // an earlier pass has cut it
		handle = named
	}
	if w, ok := c.squeezed[t.part]; ok && p.Has(transcript.Squeezed) && handle == "" {
		handle = w.handle
		if _, less := handles.SqueezedHandle(text); plain && less != text {
			rest = less
		}
	}
	marker := ""
	switch {
	case c.Keeps():
		marker = handles.WithHandle(handles.TruncatedMarker, handles.Zeros) + "\n"
	case !plain:
		marker = handles.TruncatedMarker + "\n"
	}
	short := c.clipTo(rest, t.tokens, keep-c.P.Text(marker))
	if len(marker)+len(short) >= len(text) {
		return false
	}
	if handle == "" {
		what := api.BodyToolResult
		if p.Kind == transcript.Text {
			what = api.BodyText
		}
		handle = c.Keep(what, p.Msg, t.part, p.Body)
	}
	if marker != "" {
		short = handles.WithHandle(handles.TruncatedMarker, handle) + "\n" + short
	}
	if c.cut == nil {
		c.cut = map[int32]string{}
	}
	c.cut[t.part] = handle
	if plain {
		c.SetBody(t.part, jsonspan.AppendString(nil, short), jsonspan.MeasureText(short))
		return true
	}
	value, size := c.F.ResultBody(nil, c.T, t.part, short)
	c.SetBody(t.part, value, size)
	return true
}

// clipTo returns a text of some tokens without its middle, so that about keep tokens stay.
func (c *Run) clipTo(text string, tokens, keep int) string {
	size := len(text)
	for got := max(1, tokens); ; {
		if size = int(uint64(size) * uint64(max(0, keep)) / uint64(got)); size < 16 {
			return digest.LeftOut(len(text))
		}
		short := digest.Clip(text, size)
		if got = c.P.Text(short); got <= keep {
			return short
		}
		size = size * 15 / 16
	}
}

// replaceMedia replaces images, audio and files with placeholders, oldest first, until the transcript fits.
func (c *Run) replaceMedia(may func(*view.Item) bool) {
	for i := 0; i < len(c.Items) && c.Total > c.Most(); i++ {
		if !may(&c.Items[i]) {
			continue
		}
		msg := &c.T.Messages[c.Items[i].Msg]
		for n := msg.First; n < msg.First+msg.Count && c.Total > c.Most(); n++ {
			if c.clearAround(i, n) {
				continue
			}
			m := c.medium(n)
			if m.Marker == "" || c.awaited(n) || c.P.Parts(c.T, c.T.Parts[n:n+1]) <= c.P.Text(c.Sized(m.Marker)) {
				continue
			}
			before := c.Total
			c.placehold(n, m.Marker, m.What)
			c.Remeasure(i)
			c.Act(api.Action{Action: api.ActionShrink, Pass: lastResort, Message: int(c.Items[i].In), Tokens: before - c.Total})
		}
	}
}

// clearAround clears the tool result that contains a medium, for wire formats that have nothing to replace the medium with. It returns
// false if there is no such result.
func (c *Run) clearAround(item int, n int32) bool {
	p := &c.T.Parts[n]
	if !c.F.InnerMedia || p.Parent < 0 || p.Data == 0 || !c.hasResult(p.Parent) {
		return false
	}
	if body := c.T.Parts[p.Parent].Body; p.Span.Start < body.Start || p.Span.End > body.End {
		return false
	}
	r := result{item: item, part: p.Parent, gain: c.clearing(p.Parent, c.Sized(handles.ClearedMarker))}
	if r.gain <= 0 {
		return false
	}
	c.replace([]result{r}, "clear", lastResort, handles.ClearedMarker, func(int) string { return "" })
	return true
}

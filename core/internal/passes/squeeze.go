package passes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/squeeze"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// squeezePass shortens old tool results; see package squeeze. The whole text is archived, and later passes treat a
// squeezed result as if it still had its whole text. In the newest results, only the output of terminals is shortened,
// because a model may need the exact text of a file, but never text that a progress bar has overwritten. All long
// results, including the newest ones, lose the middle of runs of progress lines. Logs of builds, tests and
// installations that the model has read lose their middle, except for problems. Long search results lose the lines
// around hits. A reminder that an agent program added to several results is kept only in the newest of them.
//
// No other changes lose information. Without an archive, it makes none of these changes except the one to reminders.
//
//easyjson:json
type squeezePass struct {
	Pass         string   `json:"pass"`          // the pass's name
	KeepRecent   int      `json:"keep_recent"`   // number of newest results that stay, in general
	MinTokens    int      `json:"min_tokens"`    // minimum number of tokens by which a result shrinks
	MinReclaim   int      `json:"min_reclaim"`   // minimum number of tokens to free in total
	Tools        []string `json:"tools"`         // the tools whose results may be squeezed; empty for all
	ExcludeTools []string `json:"exclude_tools"` // the tools whose results stay
}

func init() {
	Register(Kind{
		Name: "squeeze",
		Doc:  "rewrites old tool results in fewer tokens without losing information, except for the middle of long lists of progress lines and of long logs that the model has read, the lines around hits of long searches, and repeated reminders of a harness. The original goes to the archive. A later pass that removes a squeezed result archives the original.",
		Make: func() Pass { return new(squeezePass) },
		Params: []Param{
			{"keep_recent", "2", "keep_recent is the number of newest tool results that stay as they are, unless they have a terminal's escape codes, long lists of progress lines, or reminders that are repeated later."},
			{"min_tokens", "16", "min_tokens is the minimum by which a result must shrink, in tokens, including the line that says how it was shortened."},
			{"min_reclaim", "0", "min_reclaim is the minimum number of tokens to free in total; if fewer would be freed, nothing is squeezed, because each change invalidates the prompt cache."},
			{"tools", "[]", "tools are the tools whose results may be squeezed; empty means all. Results of exclude_tools never are."},
			{"exclude_tools", "[]", ""},
		},
		Markers: []handles.Marking{{Text: handles.SqueezedMarker, Heads: true}},
		Counts: []report.Counter{{Name: "squeezed", Text: "texts of tool results that were rewritten in fewer tokens",
			At: func(r *api.Report) *int { return &r.Squeezed }}},
	})
}

// Check reports numbers out of range; it returns "" if there are none.
func (p *squeezePass) Check() string {
	return cmp.Or(countRange("keep_recent", p.KeepRecent, "tool results"), tokensRange("min_tokens", p.MinTokens),
		tokensRange("min_reclaim", p.MinReclaim))
}

// minSqueezed is the minimum number of bytes that squeezing a text must save. A smaller saving would not even pay for
// the line that reports the change.
const minSqueezed = 64

// longOutput is the minimum size, in bytes, of a text in which progress lines are cut.
const longOutput = 4000

// squeezed is a shortened text, together with the part whose text it will replace.
type squeezed struct {
	part  int32              // whose text it replaces
	value []byte             // JSON, with zeros in place of the handle
	size  transcript.Measure // the size of the shortened text
	gain  int                // the number of tokens saved
	// For text inside an object: the span of the original string in the body of the part, and the span of the new
	// string in value.
	oldText, newText transcript.Span
}

// whole is the state of a part before it was squeezed.
type whole struct {
	size   transcript.Measure // the size of the whole text
	handle string             // under which the whole text is archived
}

// Run shortens the results if that frees at least min_reclaim tokens in total, and otherwise changes nothing. It also
// cuts long outputs of the agent program's own commands.
func (p *squeezePass) Run(c Run) {
	doc := c.Doc()
	results := resultsByAge(c, ToolFilter(p.Tools, p.ExcludeTools))
	texts := make([][]squeezed, len(results))
	reclaim := 0
	s := squeezing{pass: p, run: c}
	spoken := lastOfAssistant(doc)
	for i, r := range slices.Backward(results) {
		s.log = r.item < spoken && digest.IsLog(doc.T, r.part)
		s.terminal = r.newer < p.KeepRecent || doc.T.Parts[r.part].Has(transcript.IsError)
		texts[i] = s.result(r.part)
		for _, s := range texts[i] {
			reclaim += s.gain
		}
	}
	outputs := commandOutputs(c)
	for _, o := range outputs {
		reclaim += o.gain
	}
	if reclaim == 0 || reclaim < p.MinReclaim {
		return
	}
	cutCommandOutputs(c, outputs)
	dirty := -1 // the item that must be measured again, or -1
	for i, r := range results {
		if len(texts[i]) == 0 {
			continue
		}
		if dirty >= 0 && dirty != r.item {
			doc.Remeasure(dirty)
		}
		dirty = r.item
		gain := putAll(c, texts[i])
		c.Report().AddAction(api.Action{Action: api.ActionSqueeze, Pass: "squeeze", Message: int(doc.Items[r.item].In),
			Tokens: gain, Tool: digest.ToolName(doc.T, int(r.part))})
	}
	if dirty >= 0 {
		doc.Remeasure(dirty)
	}
}

// squeezing is the state of shortening results, which begins with the newest.
type squeezing struct {
	pass *squeezePass // the pass, with its parameters
	run  Run          // the compaction, with its components
	log  bool         // whether the current result is a log that the model has read
	// Whether to shorten only escape codes, progress lines and reminders in the current result, because it is an error
	// or one of the newest results.
	terminal bool
	reminded critbit.Map[struct{}] // the reminders at the ends of newer results
}

// result returns the replacements for the texts of the tool result at part n.
func (r *squeezing) result(n int32) (out []squeezed) {
	doc := r.run.Doc()
	part := &doc.T.Parts[n]
	add := func(n int32) {
		if s, ok := r.text(n); ok {
			out = append(out, s)
		}
	}
	switch {
	case part.Has(transcript.Misshapen):
	case doc.T.IsString(part.Body):
		if len(doc.T.InnerParts(int(n))) == 0 { // replacing the whole body would remove the parts inside it
			add(n)
		}
	case len(doc.T.InnerParts(int(n))) > 0:
		last := n + int32(len(doc.T.InnerParts(int(n))))
		for k := n + 1; k <= last; k++ {
			if inner := &doc.T.Parts[k]; inner.Kind == transcript.Text && !inner.Has(transcript.Removed|transcript.Edited|transcript.Signed) && doc.T.IsString(inner.Body) {
				add(k)
			}
		}
	default:
		if s, ok := r.member(n); ok {
			out = append(out, s)
		}
	}
	return out
}

// text returns the replacement for the body of part n, which must be a string. ok is false if it isn't worthwhile.
func (r *squeezing) text(n int32) (squeezed, bool) {
	doc := r.run.Doc()
	part := &doc.T.Parts[n]
	if part.Body.Len() <= minSqueezed {
		return squeezed{}, false
	}
	short, ok := r.shorter(doc.T.Text(part.Body))
	if !ok {
		return squeezed{}, false
	}
	s := squeezed{part: n, value: jsonspan.AppendString(nil, short), size: jsonspan.MeasureText(short)}
	ok = gains(r.run, &s, r.pass.MinTokens)
	return s, ok
}

// member returns the replacement for a body that is an object with a long text in it. It is the same object with a
// shorter text, so code that reads the members of the object still finds all of them. It returns false if body n is no
// such object, or can't be shortened.
func (r *squeezing) member(n int32) (squeezed, bool) {
	doc := r.run.Doc()
	body := doc.T.Bytes(doc.T.Parts[n].Body)
	if len(body) <= minSqueezed || body[0] != '{' {
		return squeezed{}, false
	}
	var longest jsonspan.Span
	sc := jsonspan.New(body)
	for range sc.Members {
		start, kind := sc.Pos(), sc.Kind()
		sc.Skip()
		// The marker must be near the beginning; otherwise it would not be found.
		if value := (jsonspan.Span{Start: start, End: sc.Pos()}); kind == jsonspan.String && value.Len() > longest.Len() && start+64 < handles.MarkerRoom {
			longest = value
		}
	}
	if sc.Err() != nil || longest.Len() <= minSqueezed {
		return squeezed{}, false
	}
	short, ok := r.shorter(jsonspan.Text(body, longest))
	if !ok {
		return squeezed{}, false
	}
	s := squeezed{part: n, oldText: longest, newText: jsonspan.Span{Start: longest.Start}}
	s.value = jsonspan.AppendString(append(s.value, body[:longest.Start]...), short)
	s.newText.End = uint32(len(s.value))
	s.value = append(s.value, body[longest.End:]...)
	ok = gains(r.run, &s, r.pass.MinTokens)
	return s, ok
}

// shorter returns a text in squeezed form, including the line that says that it was squeezed. ok is false if squeezing
// would save too little, or if a pass of this package wrote the text.
func (r *squeezing) shorter(text string) (short string, ok bool) {
	if len(text) > 0 && text[0] == '[' && (strings.HasPrefix(text, handles.SqueezedMarker[:len(handles.SqueezedMarker)-1]) || strings.HasPrefix(text, handles.TruncatedMarker[:len(handles.TruncatedMarker)-1])) {
		return "", false
	}
	o := squeeze.Options{MinSaved: minSqueezed, Steps: longOutput, Log: r.log}
	if !r.run.Archive().Keeps() { // what is cut would be lost
		o.Steps = 0
	}
	if r.terminal {
		o.Without = ^(squeeze.Controls | squeeze.Padding | squeeze.Repeats)
	}
	rest := digest.WithoutRepeatedReminders(text, &r.reminded)
	out, form, ok := squeeze.Text(rest, o)
	if r.terminal && form&(squeeze.Controls|squeeze.Steps|squeeze.Middle) == 0 {
		out, form, ok = rest, 0, false
	}
	if len(text)-len(rest) >= minSqueezed {
		form, ok = form|squeeze.Repeats, true
	}
	if !ok || strings.TrimSpace(out) == "" {
		return "", false
	}
	return r.run.Archive().Sized(handles.SqueezedMarker) + " " + form.String() + "\n" + out, true
}

// lastOfAssistant returns the index of the last item with an assistant message, or -1 if there is none.
func lastOfAssistant(doc *view.View) int {
	i := len(doc.Items) - 1
	for i >= 0 && doc.T.Messages[doc.Items[i].Msg].Role != transcript.Assistant {
		i--
	}
	return i
}

// gains sets s.gain to the number of tokens that squeezing the text frees, and reports whether it is at least minimum.
func gains(c Run, s *squeezed, minimum int) bool {
	doc := c.Doc()
	part := doc.T.Parts[s.part]
	was := doc.P.Parts(doc.T, []transcript.Part{part})
	if s.oldText.IsZero() {
		s.size.Weight = doc.WeighValue(s.value, s.size)
	} else {
		s.size = sizeWith(doc, s)
	}
	part.Size = s.size
	s.gain = was - doc.P.Parts(doc.T, []transcript.Part{part})
	return s.gain >= max(1, minimum)
}

// sizeWith returns the measure of an object after one of its texts has been replaced. It adjusts the original measure
// by the difference between the texts, because each format measures objects differently.
func sizeWith(doc *view.View, s *squeezed) transcript.Measure {
	text := func(src []byte, at transcript.Span) transcript.Measure {
		sc := jsonspan.New(src)
		sc.Weigh = doc.T.Weigh
		return sc.At(at.Start).Text().JSON()
	}
	before, after := text(doc.T.Bytes(doc.T.Parts[s.part].Body), s.oldText), text(s.value, s.newText)
	size := doc.T.Parts[s.part].Size
	return transcript.Measure{Bytes: size.Bytes - before.Bytes + after.Bytes, Runes: size.Runes - before.Runes + after.Runes,
		UTF16: size.UTF16 - before.UTF16 + after.UTF16, Weight: size.Weight - before.Weight + after.Weight}
}

// putAll puts shorter texts in place, and returns the number of tokens that they save.
func putAll(c Run, texts []squeezed) (gain int) {
	for _, s := range texts {
		putSqueezed(c, s)
		gain += s.gain
	}
	return gain
}

// putSqueezed replaces the text of a part with the shorter text in s, and archives the original.
func putSqueezed(c Run, s squeezed) {
	doc := c.Doc()
	part := &doc.T.Parts[s.part]
	what := api.BodyToolResult
	if part.Kind == transcript.Text {
		what = api.BodyText
	}
	w := whole{size: part.Size, handle: c.Archive().Keep(what, part.Msg, s.part, part.Body)}
	if w.handle != "" {
		s.value = handles.ReplaceFirst(s.value, handles.Zeros, w.handle[:handles.Short])
	}
	if c.Shortened().squeezed == nil {
		c.Shortened().squeezed = map[int32]whole{}
	}
	c.Shortened().squeezed[s.part] = w
	if !s.oldText.IsZero() {
		s.size = sizeWith(doc, &s)
	}
	doc.SetBody(s.part, s.value, s.size)
	if !s.oldText.IsZero() {
		part.Size = s.size
	}
	part.Flags |= transcript.Squeezed
	c.Report().Squeezed++
}

// unsqueeze restores the texts in the given results that this run has squeezed, so that another pass sees them whole.
// The caller must then call Remeasure for the items.
func unsqueeze(c Run, results []int32) {
	doc := c.Doc()
	gone := map[uint64]bool{} // by Key
	for _, n := range results {
		last := n + int32(len(doc.T.InnerParts(int(n))))
		for k := n; k <= last; k++ {
			part := &doc.T.Parts[k]
			if !part.Has(transcript.Squeezed) {
				continue
			}
			gone[doc.Original(k).Key()] = true
			for n := part.Copy; n > 0; n = doc.T.Parts[n-1].Copy {
				gone[doc.T.Parts[n-1].Body.Key()] = true
			}
			part.Body, part.Size = doc.Original(k), c.Shortened().squeezed[k].size
			part.Flags &^= transcript.Squeezed | transcript.Edited
			c.Report().Squeezed--
		}
	}
	if len(gone) == 0 {
		return
	}
	doc.Unsplice(func(old transcript.Span) bool { return gone[old.Key()] })
	c.Archive().Unkeep(func(body transcript.Span) bool { return gone[body.Key()] })
}

// unsqueezeAll is like unsqueeze, but for results that a pass is about to remove or read. It also remeasures the
// items.
func unsqueezeAll(c Run, results []result) {
	doc := c.Doc()
	if len(c.Shortened().squeezed) == 0 {
		return
	}
	parts := make([]int32, len(results))
	for i, r := range results {
		parts[i] = r.part
	}
	unsqueeze(c, parts)
	for i, r := range results {
		if i == 0 || results[i-1].item != r.item {
			doc.Remeasure(r.item)
		}
	}
}

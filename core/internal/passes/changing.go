package passes

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// changingShare is the share of the target that a message may take up if its text changes between requests. Such a
// message stays, because a digest of it would be wrong in the next request.
const changingShare = 0.25

// ClipChanging cuts the texts of an input message that changes between requests if the message is larger than its share
// of the target. It returns the maximum number of bytes kept of each text, or 0 if nothing was cut. It never cuts the
// newest user message.
func ClipChanging(c Run, message int) (size int) {
	doc := c.Doc()
	room := int(float64(c.Policy().TargetTokens()) * changingShare)
	i := slices.IndexFunc(doc.Items, func(it view.Item) bool { return it.In >= 0 && int(it.In) == message })
	if i < 0 || room == 0 || doc.Items[i].Tokens <= room || i == c.Keep().NewestUser() {
		return 0
	}
	texts := newResort(c, room).textsIn(i)
	keep := level(texts, doc.Items[i].Tokens-room, harsh)
	for _, t := range texts {
		if t.tokens <= keep {
			continue
		}
		if n := len(doc.T.Text(doc.T.Parts[t.part].Body)) * keep / t.tokens; size == 0 || n < size {
			size = max(1, n)
		}
	}
	if size == 0 || !Clip(c, i, size) {
		return 0
	}
	return size
}

// Clip shortens each text of an item to at most size bytes from its beginning and its end, after a line with the handle
// of the whole text. The same text and size always result in the same bytes. It returns false if nothing was cut.
func Clip(c Run, item, size int) (cut bool) {
	r := &resort{run: c, doc: c.Doc(), newest: -1}
	before := r.doc.Total
	for _, t := range r.textsIn(item) {
		if r.shorten(t.part, func(text, _ string) string { return digest.Clip(text, size) }) {
			c.Report().Truncated++
			cut = true
		}
	}
	if cut {
		r.doc.Remeasure(item)
		c.Report().AddAction(api.Action{Action: api.ActionTruncate, Pass: api.DoerChanging,
			Message: int(r.doc.Items[item].In), Tokens: before - r.doc.Total})
	}
	return cut
}

// textsIn returns the texts of an item that can be cut, except for those in tool results. It returns nil if the item
// must not be cut.
func (r *resort) textsIn(item int) (texts []longText) {
	it := r.doc.Items[item]
	if !r.mayCut(&it, it.Pinned) {
		return nil
	}
	msg := &r.doc.T.Messages[it.Msg]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		if p := &r.doc.T.Parts[n]; p.Kind == transcript.Text && p.Parent < 0 && r.cuttable(n) {
			texts = append(texts, longText{item, r.doc.P.Measure(p.Size), n})
		}
	}
	return texts
}

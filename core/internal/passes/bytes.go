package passes

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// ListSize returns the current size of the list of messages, in bytes.
func (c *Run) ListSize() int { return len(c.AppendList(nil)) }

// OverBytes reports whether the list of messages is larger than the policy allows.
func (c *Run) OverBytes() bool {
	return c.Policy.MaxBytes > 0 && c.T.Given(c.T.List).Len() > c.Policy.MaxBytes
}

// Shrink replaces images, audio and files with placeholders, oldest first, until the list of messages has at most max_bytes. Pinned
// messages stay as they are, and so does anything smaller than its placeholder.
func (c *Run) Shrink() {
	over := c.ListSize() - c.Policy.MaxBytes
	for i := 0; i < len(c.Items) && over > 0; i++ {
		it := &c.Items[i]
		if it.Pinned {
			continue
		}
		msg := &c.T.Messages[it.Msg]
		for n := msg.First; n < msg.First+msg.Count && over > 0; n++ {
			m := c.medium(n)
			if m.Marker == "" {
				continue
			}
			text, size := c.textPart(c.Sized(m.Marker)), c.T.Parts[n].Span.Len()
			if len(text) >= size {
				continue
			}
			before := c.Total
			over -= size - len(text)
			c.placehold(n, m.Marker, m.What)
			c.Remeasure(i)
			c.Act(api.Action{Action: api.ActionShrink, Pass: "bytes", Message: int(it.In), Tokens: before - c.Total})
		}
	}
}

// medium returns the marker that may replace an image, audio or a file; the zero marker for any other part.
func (c *Run) medium(n int32) handles.MediaMarker {
	p := &c.T.Parts[n]
	if c.F.TextPart == "" || p.Parent >= 0 && c.F.InnerMedia || p.List != transcript.ContentList || p.Has(transcript.Removed|transcript.Server|transcript.Held|transcript.Signed) {
		return handles.MediaMarker{}
	}
	for _, m := range handles.MediaMarkers {
		if string(m.What) == p.Kind.String() {
			return m
		}
	}
	return handles.MediaMarker{}
}

// textPart returns a part with a text in the wire format; nil if the format has none.
func (c *Run) textPart(text string) []byte {
	if c.F.TextPart == "" {
		return nil
	}
	return []byte(strings.Replace(c.F.TextPart, "%t", string(jsonspan.AppendString(nil, text)), 1))
}

// placehold replaces a part with a text that says what it was.
func (c *Run) placehold(n int32, marker string, what api.BodyKind) {
	p := &c.T.Parts[n]
	marker = handles.WithHandle(marker, c.Keep(what, p.Msg, n, p.Span))
	text := c.textPart(marker)
	span := c.T.Write(text)
	c.Splice(p.Msg, p.Span, span)
	c.TakeCopies(n)
	at := uint32(strings.Index(string(text), string(jsonspan.AppendString(nil, marker))))
	body := transcript.Span{Start: span.Start + at, End: span.Start + at + uint32(len(marker)) + 2}
	p.Kind, p.Body, p.Size, p.Data = transcript.Text, body, jsonspan.MeasureText(marker), 0
	p.Size.Weight = c.Weigh(c.T.Bytes(body), p.Size)
	p.Flags |= transcript.Edited
}

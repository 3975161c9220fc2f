package compact

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// Sizes are bytes of the list of messages as JSON.
//
//easyjson:json
type Sizes struct {
	Before int `json:"before"`
	After  int `json:"after"`
	Limit  int `json:"limit"`
}

// size is how many bytes the list of messages has as it is now.
func (c *Run) size() int { return len(c.appendList(nil)) }

// overBytes tells whether the list of messages is larger than the policy allows.
func (c *Run) overBytes() bool { return c.Policy.MaxBytes > 0 && c.T.List.Len() > c.Policy.MaxBytes }

// shrink puts placeholders in the place of images, audio and files until the list of messages has at most max_bytes, the
// oldest first. Pinned messages stay as they are, and so does what is smaller than its placeholder.
func (c *Run) shrink() {
	over := c.size() - c.Policy.MaxBytes
	for i := 0; i < len(c.Items) && over > 0; i++ {
		it := &c.Items[i]
		if it.Pinned {
			continue
		}
		msg := &c.T.Messages[it.Msg]
		for n := msg.First; n < msg.First+msg.Count && over > 0; n++ {
			m := c.medium(n)
			if m.marker == "" {
				continue
			}
			text, size := c.textPart(c.sized(m.marker)), c.T.Parts[n].Span.Len()
			if len(text) >= size {
				continue
			}
			before := c.Total
			over -= size - len(text)
			c.placehold(n, m.marker, m.what)
			c.changed(i)
			c.act(Action{Action: "shrink", Pass: "bytes", Message: int(it.In), Tokens: before - c.Total})
		}
	}
}

// medium is the marker that may take the place of a part: an image, audio or a file; one without a text of any other.
func (c *Run) medium(n int32) mediaMarker {
	p := &c.T.Parts[n]
	if c.F.TextPart == "" || p.Parent >= 0 && c.F.InnerMedia || p.List != transcript.ContentList || p.Has(transcript.Removed|transcript.Server|transcript.Held|transcript.Signed) {
		return mediaMarker{}
	}
	for _, m := range mediaMarkers {
		if m.what == p.Kind.String() {
			return m
		}
	}
	return mediaMarker{}
}

// textPart is a part with a text, in the wire format; nil if it has none.
func (c *Run) textPart(text string) []byte {
	if c.F.TextPart == "" {
		return nil
	}
	return []byte(strings.Replace(c.F.TextPart, "%t", string(jsonspan.AppendString(nil, text)), 1))
}

// placehold makes a part a text that says what it was.
func (c *Run) placehold(n int32, marker, what string) {
	p := &c.T.Parts[n]
	marker = withHandle(marker, c.keep(what, p.Msg, n, p.Span))
	text := c.textPart(marker)
	span := c.T.Write(text)
	c.edits = append(c.edits, edit{p.Msg, p.Span, span})
	c.sorted = false
	at := uint32(strings.Index(string(text), string(jsonspan.AppendString(nil, marker))))
	body := transcript.Span{Start: span.Start + at, End: span.Start + at + uint32(len(marker)) + 2}
	p.Kind, p.Body, p.Size, p.Data = transcript.Text, body, jsonspan.MeasureText(marker), 0
	p.Size.Weight = c.weigh(c.T.Bytes(body), p.Size)
	p.Flags |= transcript.Edited
}

package passes

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// listSize returns the current size of the list of messages, in bytes.
func listSize(doc *view.View) int { return len(doc.AppendList(nil)) }

// LimitBytes replaces images, audio and files with placeholders, oldest first, until the list of messages is not larger
// than max_bytes. Pinned messages and anything smaller than its placeholder stay unchanged.
func LimitBytes(c Run) {
	doc := c.Doc()
	over := listSize(doc) - c.Policy().MaxBytes
	for i := 0; i < len(doc.Items) && over > 0; i++ {
		it := &doc.Items[i]
		if it.Pinned {
			continue
		}
		msg := &doc.T.Messages[it.Msg]
		for n := msg.First; n < msg.First+msg.Count && over > 0; n++ {
			m := medium(doc, n)
			if m.Marker == "" {
				continue
			}
			text, size := textPart(doc, c.Archive().Sized(m.Marker)), doc.T.Parts[n].Span.Len()
			if len(text) >= size {
				continue
			}
			before := doc.Total
			over -= size - len(text)
			putPlaceholder(c, n, m.Marker, m.What)
			doc.Remeasure(i)
			c.Report().AddAction(api.Action{Action: api.ActionShrink, Pass: "bytes", Message: int(it.In),
				Tokens: before - doc.Total})
		}
	}
}

// medium returns the marker that can replace the image, audio or file at part n, or the zero marker for any other part.
func medium(doc *view.View, n int32) handles.MediaMarker {
	p := &doc.T.Parts[n]
	if doc.F.TextPart == "" || p.Parent >= 0 && doc.F.InnerMedia || p.List < transcript.ContentList || p.Has(transcript.Removed|transcript.Server|transcript.ProviderOnly|transcript.Signed) {
		return handles.MediaMarker{}
	}
	for _, m := range handles.MediaMarkers {
		if string(m.What) == p.Kind.String() {
			return m
		}
	}
	return handles.MediaMarker{}
}

// textPart returns a text part in the wire format, or nil if the format has no such part.
func textPart(doc *view.View, text string) []byte {
	if doc.F.TextPart == "" {
		return nil
	}
	return []byte(strings.Replace(doc.F.TextPart, "%t", string(jsonspan.AppendString(nil, text)), 1))
}

// putPlaceholder replaces part n with a text that consists of marker. The part is archived under kind.
func putPlaceholder(c Run, n int32, marker string, kind api.BodyKind) {
	doc := c.Doc()
	p := &doc.T.Parts[n]
	marker = handles.WithHandle(marker, c.Archive().Keep(kind, p.Msg, n, p.Span))
	text := textPart(doc, marker)
	span := doc.T.WriteToArena(text)
	doc.SavePart(n)
	doc.Splice(p.Msg, p.Span, span)
	doc.TakeCopies(n)
	at := uint32(strings.Index(string(text), string(jsonspan.AppendString(nil, marker))))
	body := transcript.Span{Start: span.Start + at, End: span.Start + at + uint32(len(marker)) + 2}
	p.Kind, p.Body, p.Size, p.Data = transcript.Text, body, jsonspan.MeasureText(marker), 0
	p.Size.Weight = doc.WeighValue(doc.T.Bytes(body), p.Size)
	p.Flags |= transcript.Edited
}

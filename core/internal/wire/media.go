package wire

import (
	"bytes"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// payload is the size of a file or an image: the number of base64 characters (0 for a URL or a reference to the
// provider's store), or the measure of its text.
type payload struct {
	chars uint32           // base64 characters read so far
	words jsonspan.Measure // the measure of the texts read so far
}

// text measures a payload that is a string: base64, a data URL or another URL.
func (p *payload) text(src []byte, s jsonspan.Span) {
	b := src[s.Start+1 : s.End-1]
	switch {
	case bytes.HasPrefix(b, []byte("http:")) || bytes.HasPrefix(b, []byte("https:")):
	case bytes.HasPrefix(b, []byte("data:")):
		p.chars += uint32(len(b) - 1 - bytes.IndexByte(b, ','))
	default:
		p.chars += uint32(len(b))
	}
}

// read measures a payload in any form: a string; bytes as JSON.stringify writes them, {"0":137,"1":80} or
// {"type":"Buffer","data":[137,80]}; or a tagged value, {"type":"data","data":…}, {"type":"url","url":…} and so on.
func (p *payload) read(r *Reader) {
	n := uint32(0) // the number of bytes, each written as a number
	switch r.Kind() {
	case jsonspan.String:
		p.text(r.Src(), r.Text().Span)
	case jsonspan.Array:
		for r.Array(); r.Elem(); n++ {
			r.Skip()
		}
	case jsonspan.Object:
		for key := range r.Members {
			switch {
			case string(key) == "data" || string(key) == "url":
				p.read(r)
			case string(key) == "text" && r.Kind() == jsonspan.String:
				p.words = p.words.Add(r.Text().Measure)
			case len(key) > 0 && key[0] >= '0' && key[0] <= '9':
				n++
				r.Skip()
			default:
				r.Skip()
			}
		}
	default:
		r.Skip()
	}
	p.chars += (n*4 + 2) / 3
}

// mediaKind returns the kind of a file with the given media type.
func (r *Reader) mediaKind(mediaType *field) transcript.Kind {
	typ := r.shortText(mediaType)
	switch {
	case typ == "image" || strings.HasPrefix(typ, "image/"):
		return transcript.Image
	case typ == "audio" || strings.HasPrefix(typ, "audio/"):
		return transcript.Audio
	}
	return transcript.File
}

// mediaText turns p into media of the given kind. The fields that are strings hold the media's base64 data or URL.
func (r *Reader) mediaText(p *transcript.Part, kind transcript.Kind, fields ...*field) {
	media := payload{}
	for _, f := range fields {
		if f.Str() {
			media.text(r.Src(), f.Span)
		}
	}
	p.SetMedia(kind, media.chars)
}

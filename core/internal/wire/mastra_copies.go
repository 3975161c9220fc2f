//go:build !ctxfold_no_formats

package wire

import (
	"bytes"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// mastraInvocation is a tool call in Mastra's form: in a part, or as a copy outside the parts.
type mastraInvocation struct {
	span                                jsonspan.Span // the whole object
	id, name, args, state, result, text field         // the members of the object; text is the text of an error
	failed                              bool          // the tool returned an error
}

var mastraCallKeys = []string{"toolCallId", "toolName", "args", "state", "result", "isError", "errorText"}

func (c *mastraInvocation) read(r *Reader) {
	c.span.Start = r.Pos()
	f, _ := r.fields(mastraCallKeys, nil)
	c.span.End = r.Pos()
	c.id, c.name, c.args, c.state, c.result, c.text = f[0], f[1], f[2], f[3], f[4], f[6]
	c.failed = f[5].Kind == jsonspan.True
}

// add adds the call in p and, if there is one, its result, as two parts with one span. output is what the model sees
// of the result, if the tool specifies that.
func (c *mastraInvocation) add(r *Reader, p transcript.Part, output *field) {
	state := r.shortText(&c.state)
	if state == "partial-call" {
		p.Flags, p.Size = transcript.NotSent, jsonspan.Measure{} // the call is still being written
		r.Add(p)
		return
	}
	p.Kind, p.Body, p.Size = transcript.ToolCall, c.args.Span, c.args.Size
	r.setIDAndName(&p, &c.id, &c.name)
	n := r.Add(p)
	result := p
	result.Flags = p.Flags & transcript.Server
	result.Body, result.Size = jsonspan.Span{}, jsonspan.Measure{}
	switch state {
	case "result":
		if c.failed {
			result.Flags |= transcript.IsError
		}
		k := r.addShared(n, result)
		if output.Kind == jsonspan.Invalid || output.Kind == jsonspan.Null {
			mastraResult(r, k, &c.result)
		} else {
			mastraOutput(r, k, output)
		}
		return
	case "output-error":
		result.Flags |= transcript.IsError
		result.Body, result.Size = c.text.Span, c.text.Size
	case "output-denied":
		result.Flags |= transcript.IsError
	default:
		return
	}
	r.addShared(n, result)
}

// mastraOutput reads what the model sees of result k. It has the form of the output of an AI SDK tool result.
func mastraOutput(r *Reader, k int, f *field) {
	p := &r.T.Parts[k]
	p.Body, p.Size = f.Span, f.jsonSize()
	if f.Str() {
		p.Size = f.Size
	}
	if f.Kind != jsonspan.Object {
		return
	}
	var out aiSDKOutput
	r.readAgain(f, func(r *Reader) { out.read(r, int32(k)) })
	p = &r.T.Parts[k]
	p.Body, p.Size = out.body, out.size
	p.Flags |= out.flags
	if out.body.IsZero() {
		p.Body = f.Span
	}
}

var mastraResultKeys = []string{"type", "value", "content"}

// mastraResult reads the result at index k in Parts. If it is an object with a value, the model sees the value. If it
// is an object whose content has an image or audio, as in MCP, the model sees the blocks of the content.
func mastraResult(r *Reader, k int, f *field) {
	p := &r.T.Parts[k]
	p.Body, p.Size = f.Span, f.Size
	if b := f.Slice(r.Src()); f.Kind != jsonspan.Object || !hasAny(b, `"value"`, `"image"`, `"audio"`) {
		return
	}
	r.readAgain(f, func(r *Reader) {
		fp, _ := r.fields(mastraResultKeys, nil)
		typ, value, content := fp[0], fp[1], fp[2]
		switch {
		case value.Kind == jsonspan.Array && r.isText(&typ, "content"):
			r.T.Parts[k].Size = jsonspan.Measure{}
			r.readAgain(&value, func(r *Reader) { r.list(func(r *Reader) { aiSDKPart(r, int32(k)) }) })
		case value.Kind != jsonspan.Invalid:
			r.T.Parts[k].Body, r.T.Parts[k].Size = value.Span, value.Size
		case content.Kind == jsonspan.Array:
			var media bool
			first := len(r.T.Parts)
			r.readAgain(&content, func(r *Reader) {
				r.list(func(r *Reader) { media = mastraMedia(r, int32(k)) || media })
			})
			if !media {
				r.T.Parts = r.T.Parts[:first]
				break
			}
			r.T.Parts[k].Size = jsonspan.Measure{}
		}
	})
}

var mastraMediaKeys = []string{"type", "text", "data"}

// mastraMedia reads a block of a result in the form of MCP. media is true if the block is an image or audio. parent is
// the index of the result. A block that isn't an object is opaque.
func mastraMedia(r *Reader, parent int32) (media bool) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: parent}
	if r.Kind() != jsonspan.Object {
		v := r.Skip()
		p.Span, p.Size = v.Span, v.Measure
		r.Add(p)
		return false
	}
	p.Span.Start = r.Pos()
	f, size := r.fields(mastraMediaKeys, nil)
	p.Span.End, p.Size = r.Pos(), size
	switch typ := r.shortText(&f[0]); {
	case typ == "text" && f[1].Str():
		p.Kind, p.Body, p.Size = transcript.Text, f[1].Span, f[1].Size
	case (typ == "image" || typ == "audio") && f[2].Str():
		if p.Kind = transcript.Image; typ == "audio" {
			p.Kind = transcript.Audio
		}
		p.Size, p.Data, media = jsonspan.Measure{}, f[2].Size.Bytes, true
	}
	r.Add(p)
	return media
}

// mastraFile is an attachment outside the parts.
type mastraFile struct {
	span jsonspan.Span // the whole object
	url  field         // where the content is: a URL, or a data URL with the content
	mime field         // the media type
}

var mastraAttachmentKeys = []string{"url", "contentType"}

func mastraAttachment(r *Reader) (a mastraFile) {
	a.span.Start = r.Pos()
	f, _ := r.fields(mastraAttachmentKeys, nil)
	a.span.End = r.Pos()
	a.url, a.mime = f[0], f[1]
	return a
}

// copies adds the content that the message has outside its parts, either as copies of parts with the same content or,
// if there is no part of that kind, as parts. A copy of no particular part is attached to the last part of its kind,
// because it would be sent if that part were removed.
func (s *mastraStore) copies(r *Reader) {
	t := r.T
	own := len(t.Parts)
	text, think, file, call := s.lastParts(t)
	if call < 0 {
		s.addCalls(r)
	}
	if think < 0 && s.think.isFilled() {
		r.Add(emptiedPart(transcript.Reasoning, &s.think))
	}
	if file < 0 {
		for i := range s.files {
			r.Add(s.files[i].part(r))
		}
	}
	s.moveToFront(t, own)
	moved := len(t.Parts) - own
	if text < 0 && s.text.isFilled() && !s.hasOtherPart(r) {
		r.Add(emptiedPart(transcript.Text, &s.text))
		return
	}
	if call >= 0 {
		s.copyCalls(r, call+moved)
	}
	if think >= 0 && s.think.Str() {
		r.copyOf(think+moved, emptiedPart(transcript.Opaque, &s.think))
	}
	if text >= 0 {
		s.addTextCopy(r, text+moved)
	}
	if file >= 0 {
		s.copyFiles(r, file+moved)
	}
}

// copyFiles adds the attachments as copies of the message's files, the last of which is at index file.
func (s *mastraStore) copyFiles(r *Reader, file int) {
	for i := range s.files {
		p := s.files[i].part(r)
		r.copyOf(s.sameFile(r, file, &s.files[i]), p)
	}
}

// lastParts returns the index of the message's last part of each kind, or -1. The presence of such a part keeps the
// corresponding member from being sent. text, think, file and call are the last text, reasoning, file and tool call.
func (s *mastraStore) lastParts(t *transcript.Transcript) (text, think, file, call int) {
	text, think, file, call = -1, -1, -1, -1
	for i := s.first; i < len(t.Parts); i++ {
		p := &t.Parts[i]
		if p.Parent >= 0 || p.List != transcript.ContentList {
			continue
		}
		switch p.Kind {
		case transcript.ToolCall:
			call = i
		case transcript.Reasoning:
			think = i
		case transcript.Image, transcript.Audio, transcript.File:
			file = i
		case transcript.Text:
			text = i
		}
	}
	return text, think, file, call
}

// addCalls adds the calls outside the parts, which are sent if the parts contain no calls.
func (s *mastraStore) addCalls(r *Reader) {
	for i := range s.calls {
		c := &s.calls[i]
		p := transcript.Part{Kind: transcript.Opaque, List: transcript.CallList, Parent: -1, Span: c.span,
			Size: jsonspan.ASCII(uint32(c.span.Len()))}
		if c.id.Str() {
			c.add(r, p, &field{})
		} else {
			r.Add(p)
		}
	}
}

// hasOtherPart reports whether the message has a part whose presence keeps the message's text from being sent: any part
// except calls, reasoning, files and sources.
func (s *mastraStore) hasOtherPart(r *Reader) bool {
	for i := s.first; i < len(r.T.Parts); i++ {
		p := &r.T.Parts[i]
		if p.List == transcript.ContentList && p.Parent < 0 && p.Kind == transcript.Opaque && (!p.Has(transcript.NotSent) || p.Has(transcript.Step) || hasAny(p.Span.Slice(r.Src()), `"error"`, `"data-`)) {
			return true
		}
	}
	return false
}

// moveToFront moves the parts from index own on to the front of the message, because they are sent first.
func (s *mastraStore) moveToFront(t *transcript.Transcript, own int) {
	parts, n := t.Parts[s.first:], own-s.first
	moved := len(parts) - n
	if moved == 0 || n == 0 {
		return
	}
	for i := range parts {
		p, by := &parts[i], int32(moved)
		if i >= n {
			by = -int32(n)
		}
		if p.Pair >= 0 {
			p.Pair += by
		}
		if p.Parent >= 0 {
			p.Parent += by
		}
	}
	turned := append(append([]transcript.Part(nil), parts[n:]...), parts[:n]...)
	copy(parts, turned)
}

// emptiedPart returns a string member of a message as a part whose text can be emptied.
func emptiedPart(kind transcript.Kind, f *field) transcript.Part {
	p := wholePart(kind, f)
	p.List = transcript.Emptied
	return p
}

func (a *mastraFile) part(r *Reader) transcript.Part {
	p := transcript.Part{Kind: r.mediaKind(&a.mime), List: transcript.RawList, Parent: -1, Span: a.span}
	if a.url.Str() {
		media := payload{}
		media.text(r.Src(), a.url.Span)
		p.Data = media.chars
	}
	return p
}

// copyOf adds a part as a copy of the part at index of.
func (r *Reader) copyOf(of int, p transcript.Part) {
	p.Kind, p.Flags, p.Size, p.Data = transcript.Opaque, transcript.NotSent|transcript.Mark, jsonspan.Measure{}, 0
	n := r.Add(p)
	r.T.Parts[n].Copy = r.T.Parts[of].Copy
	r.T.Parts[of].Copy = int32(n) + 1
}

// copyCalls adds the calls outside the parts as copies. last is the index of the last call among the parts.
func (s *mastraStore) copyCalls(r *Reader, last int) {
	t := r.T
	var calls critbit.Map[[]int] // for each id, the indexes of the parts that have no copy yet
	for i := s.first; i <= last; i++ {
		if p := &t.Parts[i]; p.Kind == transcript.ToolCall && p.Parent < 0 {
			same := calls.At(jsonspan.Text(r.Src(), p.ID))
			*same = append(*same, i)
		}
	}
	for i := range s.calls {
		c := &s.calls[i]
		p := transcript.Part{List: transcript.CallList, Parent: -1, Span: c.span}
		of, found := last, false
		if c.id.Str() {
			if same := calls.At(jsonspan.Text(r.Src(), c.id.Span)); len(*same) > 0 {
				of, p.ID, p.Body, found = (*same)[0], c.id.Span, c.args.Span, true
				*same = (*same)[1:]
			}
		}
		r.copyOf(of, p)
		if result := t.Parts[of].Pair; found && result >= 0 && c.result.Kind != jsonspan.Invalid {
			c.copyResult(r, int(result))
		}
	}
}

// copyResult adds the result of a call outside the parts as a copy of the result at index result, and its texts as
// copies of that result's texts.
func (c *mastraInvocation) copyResult(r *Reader, result int) {
	t := r.T
	whole := resultValue(r.Src(), t.Parts[t.Parts[result].Pair].Span)
	body, mirror := t.Parts[result].Body, c.result.Span
	same := !whole.IsZero() && bytes.Equal(whole.Slice(r.Src()), c.result.Slice(r.Src()))
	shift := func(in jsonspan.Span) jsonspan.Span {
		return jsonspan.Span{Start: mirror.Start + in.Start - whole.Start, End: mirror.Start + in.End - whole.Start}
	}
	within := func(in jsonspan.Span) bool { return in.Start >= whole.Start && in.End <= whole.End && !in.IsZero() }
	p := transcript.Part{List: transcript.Inside, Parent: -1, Span: mirror}
	switch {
	case body == whole:
		p.Body = mirror
	case same && within(body):
		p.Body = shift(body)
	default: // the model sees something else than this member
		return
	}
	inner := len(t.InnerParts(result))
	r.copyOf(result, p)
	for i := range inner {
		if k := result + 1 + i; same && within(t.Parts[k].Body) {
			r.copyOf(k, transcript.Part{List: transcript.Inside, Parent: -1, Span: shift(t.Parts[k].Span),
				Body: shift(t.Parts[k].Body)})
		}
	}
}

var (
	mastraInvocationKey = []string{"toolInvocation"}
	mastraResultKey     = []string{"result"}
)

// resultValue returns the result inside the part of a call. It returns zero if the call has no result.
func resultValue(src []byte, call jsonspan.Span) (found jsonspan.Span) {
	r := &Reader{Scanner: jsonspan.New(call.Slice(src))}
	r.fields(mastraInvocationKey, func(r *Reader, _ int, f *frame) bool {
		if r.Kind() != jsonspan.Object {
			return false
		}
		in, _ := r.fields(mastraResultKey, nil)
		found = in[0].Span
		return true
	})
	if !found.IsZero() {
		found.Start += call.Start
		found.End += call.Start
	}
	return found
}

// addTextCopy adds the text outside the parts, if there is one, as a copy of the text part that sameText finds. last is
// the index of the last text among the parts.
func (s *mastraStore) addTextCopy(r *Reader, last int) {
	if s.text.Str() {
		r.copyOf(s.sameText(r, last), emptiedPart(transcript.Opaque, &s.text))
	}
}

// sameText returns the index of the last text among the parts that equals the message's text or, if there is none,
// that of the last text.
func (s *mastraStore) sameText(r *Reader, last int) int {
	for i := last; i >= s.first; i-- {
		if p := &r.T.Parts[i]; p.Kind == transcript.Text && p.List == transcript.ContentList && p.Parent < 0 && bytes.Equal(p.Body.Slice(r.Src()), s.text.Slice(r.Src())) {
			return i
		}
	}
	return last
}

// sameFile returns the index of the file among the parts that has the URL of attachment a or, if there is none, that
// of the last file.
func (s *mastraStore) sameFile(r *Reader, last int, a *mastraFile) int {
	for i := last; i >= s.first && a.url.Str(); i-- {
		p := &r.T.Parts[i]
		media := p.Kind == transcript.Image || p.Kind == transcript.Audio || p.Kind == transcript.File
		if media && p.List == transcript.ContentList && p.Parent < 0 && bytes.Contains(p.Span.Slice(r.Src()), a.url.Slice(r.Src())) {
			return i
		}
	}
	return last
}

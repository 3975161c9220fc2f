package transcript

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// unseen lists the members of a part or an item that no model sees, or that clients rewrite with each request: cache
// breakpoints, provider options, metadata, ids, states and dates.
var unseen = []string{
	"cache_control", "cacheControl", "cachePoint", "callProviderMetadata", "createdAt", "created_at",
	"experimental_providerMetadata", "id", "metadata", "providerMetadata", "providerOptions", "status", "timestamp",
}

// Prints returns fingerprints of what the model sees of the input messages. Each covers all messages up to and
// including its own. They cover roles, texts, the names and arguments of tool calls, results, images and files; JSON
// is compared by value. They ignore cache breakpoints, provider options, ids, dates, reasoning, and the text of
// system messages at the beginning, because apps change these between requests.
//
// Like every [Fingerprint] these are not collision-resistant: keep the conversations of different users apart.
//
// The result has one fingerprint for each message from index start on. before is the fingerprint of the messages before
// start, or 0 if there are none. later holds fingerprints of the same messages that also ignore the text of the first
// message that isn't a system message, provided that they cover a message after it. They are only meaningful if start
// is 0.
func (t *Transcript) Prints(start int, before Fingerprint) (prints, later []Fingerprint) {
	p := printer{t: t}
	prints, later = make([]Fingerprint, 0, t.Input-start), make([]Fingerprint, 0, t.Input-start)
	all, others, first := uint64(before), uint64(before), t.FirstSaid()
	for i := start; i < t.Input; i++ {
		m := &t.Messages[i]
		role := uint64(m.Role)<<8 | uint64(m.Variant) | 1<<16
		h, other := role, role
		if i >= first {
			h = p.parts(role, m.First, m.First+m.Count, -1)
		}
		if i > first {
			other = h
		}
		all, others = step(all, h), step(others, other)
		prints, later = append(prints, Fingerprint(all)), append(later, Fingerprint(others))
	}
	if first < len(later) {
		later[first] = prints[first]
	}
	return prints, later
}

// FirstSaid returns the index of the first message that isn't a system message, or Input if there is none.
func (t *Transcript) FirstSaid() int {
	for i := range t.Input {
		if t.Messages[i].Role != System {
			return i
		}
	}
	return t.Input
}

// Print returns the fingerprint of message i by itself. It covers what Prints covers, and also the ids of tool calls
// and results. So a replacement that was made for one message also fits any other message with the same print.
func (t *Transcript) Print(i int) Fingerprint {
	p := printer{t: t}
	m := &t.Messages[i]
	h := uint64(t.ContentPrint(i))
	for n := m.First; n < m.First+m.Count; n++ {
		if id := t.Parts[n].ID; !id.IsZero() && (t.Parts[n].Kind == ToolCall || t.Parts[n].Kind == ToolResult) {
			h = step(h, p.value(id, nil))
		}
	}
	return Fingerprint(h)
}

// ContentPrint is like Print, but ignores the ids of tool calls and results.
func (t *Transcript) ContentPrint(i int) Fingerprint {
	p := printer{t: t}
	m := &t.Messages[i]
	return Fingerprint(p.parts(uint64(m.Role)<<8|uint64(m.Variant)|1<<16, m.First, m.First+m.Count, -1))
}

// Spelling returns a fingerprint of everything about the tool calls in messages [from, to) that prints ignore: their
// ids; the exact text of arguments that are text, and the order of members in other arguments; and copies of the
// arguments. It is 0 if there are no calls.
func (t *Transcript) Spelling(from, to int) Fingerprint {
	p, h := printer{t: t, spelled: true}, uint64(0)
	var last Span // a call and its result may have the same span
	for i := from; i < to; i++ {
		parts := t.PartsOf(i)
		for n := range parts {
			part := &parts[n]
			if part.Kind == ToolCall {
				if h = step(h, p.arguments(part)); !part.ID.IsZero() {
					h = step(h, p.value(part.ID, nil))
				}
			}
			if part.Span != last && part.Parent < 0 && part.mayHoldArguments() {
				h, last = p.copies(h, parts[n:]), part.Span
			}
		}
	}
	return Fingerprint(h)
}

// mayHoldArguments reports whether the part may contain arguments of a tool call outside its body.
func (p *Part) mayHoldArguments() bool {
	return p.Kind == ToolCall || p.Kind == ToolResult || p.Kind == Opaque || p.Has(NotSent)
}

// argumentNames lists the members that contain the arguments of a tool call, or a copy of them, in any wire format.
var argumentNames = [...]string{"args", "argsText", "arguments", "input", "rawInput"}

// copies mixes into h the tool-call arguments that the first of the parts contains outside its body. A part that is
// only a copy of a call is read whole. If a call and its result have the same span, it leaves out both bodies.
func (p *printer) copies(h uint64, parts []Part) uint64 {
	src, s := p.t.buf(parts[0].Span)
	var bodies [2]Span
	for i := range parts[:min(2, len(parts))] {
		part := &parts[i]
		if part.Span == parts[0].Span && (part.Kind == ToolCall || part.Kind == ToolResult) && !part.Body.IsZero() {
			by := s.Start - part.Span.Start
			bodies[i] = Span{Start: part.Body.Start + by, End: part.Body.End + by}
		}
	}
	return p.copiesIn(h, jsonspan.New(src).At(s.Start), &bodies)
}

// copiesIn is like copies, for the value at the scanner. It doesn't read the bodies.
func (p *printer) copiesIn(h uint64, s *jsonspan.Scanner, bodies *[2]Span) uint64 {
	kind := s.Kind()
	if body := bodyAt(s.Pos(), bodies); !body.IsZero() {
		s.SkipTo(body.End)
		return h
	}
	switch kind {
	case jsonspan.Array:
		for s.Array(); s.Elem(); {
			h = p.copiesIn(h, s, bodies)
		}
	case jsonspan.Object:
		for key := range s.Members {
			if s.Kind(); bodyAt(s.Pos(), bodies).IsZero() && slices.Contains(argumentNames[:], string(key)) {
				h = step(h, p.json(s, nil))
			} else {
				h = p.copiesIn(h, s, bodies)
			}
		}
	default:
		s.Skip()
	}
	return h
}

// bodyAt returns the body that begins at offset at, or the zero Span.
func bodyAt(at uint32, bodies *[2]Span) Span {
	for _, body := range bodies {
		if body.Start == at {
			return body
		}
	}
	return Span{}
}

// printer computes the fingerprints of what a model sees.
type printer struct {
	t       *Transcript // the transcript that the model sees
	text    []byte      // a buffer for decoding texts
	spelled bool        // whether the spelling counts: the exact text of arguments, and the order of an object's members
}

// step returns the hash h with the value v mixed in.
func step(h, v uint64) uint64 {
	const k0, k1 = 0x6a09e667f3bcc909, 0xbb67ae8584caa73b
	h = bits.RotateLeft64(h^v*k1, 29) * k0
	return h ^ h>>32
}

// resultBody mixes into h the body of the tool result at index n.
func (p *printer) resultBody(h uint64, n int32) uint64 {
	body := p.t.Parts[n].Body
	switch inner := int32(len(p.t.InnerParts(int(n)))); {
	case inner > 0:
		return p.parts(h, n+1, n+1+inner, n)
	case p.t.IsString(body):
		return p.says(h, body)
	case !body.IsZero():
		return step(h, p.value(body, nil))
	}
	return h
}

// parts mixes into h the parts in [from, to) whose parent is parent: a tool result, or -1 for the message itself.
func (p *printer) parts(h uint64, from, to, parent int32) uint64 {
	for n := from; n < to; n++ {
		part := &p.t.Parts[n]
		if part.Parent != parent || part.Kind == Reasoning || part.Has(NotSent|Stored) && part.Kind != ToolResult {
			continue
		}
		switch part.Kind {
		case Text:
			h = p.says(h, part.Body)
		case ToolCall:
			h = step(h, uint64(part.Kind))
			h = p.says(h, part.Name)
			h = step(h, p.arguments(part))
		case ToolResult:
			h = step(h, uint64(part.Kind)|uint64(part.Flags&IsError)<<8)
			h = p.resultBody(h, n)
		default:
			span, skip := part.Span, unseen
			if part.List == Member {
				span, skip = part.Body, nil
			}
			if part.Has(ProviderOnly) && !part.Has(Signed) { // only its id is known, so the id counts
				skip = nil
			}
			h = step(step(h, uint64(part.Kind)), p.value(span, skip))
		}
	}
	return h
}

// says mixes the decoded text of a string into h, unless it is empty.
func (p *printer) says(h uint64, s Span) uint64 {
	if s.Len() <= 2 {
		return h
	}
	src, s := p.t.buf(s)
	return hash(step(h, uint64(Text)), p.decoded(src, s))
}

// decoded returns the decoded text of a string. The result is valid until the next call.
func (p *printer) decoded(src []byte, s Span) []byte {
	b := src[s.Start+1 : s.End-1]
	if bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	p.text = jsonspan.AppendText(p.text[:0], src, s)
	return p.text
}

// arguments returns the hash of a tool call's arguments. They are compared by value even if they are JSON inside a
// string. The hash of a call without arguments is 0.
func (p *printer) arguments(part *Part) uint64 {
	if part.Body.IsZero() {
		return 0
	}
	if !part.Has(JSONText) {
		return p.value(part.Body, nil)
	}
	src, s := p.t.buf(part.Body)
	text := p.decoded(src, s)
	if p.spelled {
		return hash(0, text)
	}
	text = bytes.Clone(text)
	scan := jsonspan.New(text)
	h := p.json(scan, nil)
	if scan.End(); scan.Err() != nil {
		return hash(0, text)
	}
	return h
}

// value returns the hash of the JSON value at a span, ignoring the members named in skip.
func (p *printer) value(s Span, skip []string) uint64 {
	src, s := p.t.buf(s)
	scan := jsonspan.New(src).At(s.Start)
	return p.json(scan, skip)
}

// json returns the hash of the value at the scanner, ignoring the members named in skip and, unless spelled, the order
// of an object's members. It returns 0 after an error of the scanner.
func (p *printer) json(s *jsonspan.Scanner, skip []string) uint64 {
	kind := s.Kind()
	switch kind {
	case jsonspan.Object:
		var sum uint64
		for key := range s.Members {
			if slices.ContainsFunc(skip, func(name string) bool { return name == string(key) }) {
				s.Skip()
				continue
			}
			if p.spelled {
				sum = bits.RotateLeft64(sum, 1)
			}
			name := hash(uint64(kind), key)
			sum += step(name, p.json(s, nil))
		}
		return step(sum, uint64(kind))
	case jsonspan.Array:
		h := uint64(kind)
		for s.Array(); s.Elem(); {
			h = step(h, p.json(s, nil))
		}
		return step(h, uint64(kind))
	case jsonspan.String:
		text := s.Text()
		if s.Err() != nil {
			return 0
		}
		return hash(uint64(kind), p.decoded(s.Src(), text.Span))
	}
	return hash(uint64(kind), s.Skip().Slice(s.Src()))
}

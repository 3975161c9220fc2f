package wire

import (
	"bytes"
	"cmp"
	"sort"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Coverage counts the bytes of text in messages by whether a format reads them. A string counts as text if it contains
// white space or a non-ASCII character; ids, types, dates and base64 don't.
type Coverage struct {
	Read int // in the parts of messages
	// In messages of which the format reads nothing, and in parts whose type it knows but whose spelling it doesn't.
	Lost    int
	Foreign int // in parts of types that the format doesn't know
	Beside  int // in other members of messages that are read, counting strings of at least 64 bytes
}

// IsLossy reports whether the format misses much of the text: Lost is larger than Read, or Foreign is more than four
// times Read.
func (c Coverage) IsLossy() bool { return c.Lost > c.Read || c.Foreign > 4*c.Read }

// MissedBytes returns the number of bytes of text that the format doesn't read.
func (c Coverage) MissedBytes() int { return c.Lost + c.Foreign + c.Beside }

// IsDoubtful reports whether the format reads less than half of the text.
func (c Coverage) IsDoubtful() bool { return c.MissedBytes() > c.Read }

func (c *Coverage) add(o Coverage) {
	c.Read, c.Lost, c.Foreign, c.Beside = c.Read+o.Read, c.Lost+o.Lost, c.Foreign+o.Foreign, c.Beside+o.Beside
}

// minBeside is the minimum length, in bytes, of a string outside a message's content that counts as text.
const minBeside = 64

// besideKeys lists members of messages and parts, in any format, in which an application or an SDK keeps its own data.
// They are not sent to models.
var besideKeys = []string{
	"metadata", "meta", "_meta", "details", "usage", "usage_metadata", "response_metadata", "providerMetadata",
	"callProviderMetadata", "annotations", "logprobs", "actions", "raw", "extra", "reasoning",
	"provider_specific_fields",
}

// readTypes lists part types whose text is read by every format that knows them.
const readTypes = "text input_text output_text thinking reasoning tool-call tool_call tool_use toolCall function_call tool-result " +
	"tool_result toolResult function_call_output function_call_result function_result"

// understood holds the flags of opaque parts whose meaning is known.
const understood = transcript.Signed | transcript.NotSent | transcript.Mark |
	transcript.Summary | transcript.Cleared

// Coverage measures how much of the text in the messages of t the format has read. t must have been read in this
// format.
func (f *Format) Coverage(t *transcript.Transcript) (c Coverage) {
	w := coverage{t: t, f: f}
	for i := range t.Messages {
		c.add(w.messageCoverage(i))
	}
	return c
}

// missesMessage reports whether the format reads nothing of a message that contains text.
func (f *Format) missesMessage(t *transcript.Transcript, message int32) bool {
	if t.InArena(t.Messages[message].Span) {
		return false
	}
	c := (&coverage{t: t, f: f}).messageCoverage(int(message))
	return c.Read == 0 && c.Lost+c.Foreign > 0
}

// CoverageFrom measures the messages of t that begin at index from, in bytes: how much the format has read in their
// parts, an upper bound for what it has missed in parts and in messages of which it has read nothing, and how much is
// in unknown members. It visits each part once. These are the results, in that order.
func (f *Format) CoverageFrom(t *transcript.Transcript, from int) (read, missed, beside int) {
	for i := from; i < len(t.Messages); i++ {
		found := 0
		parts := t.PartsOf(i)
		for k := range parts {
			switch p := &parts[k]; {
			case !hasNoBody(p):
				found += int(p.Size.Bytes + p.Data)
			case !p.Has(understood):
				missed += int(p.Size.Bytes)
			}
		}
		if read += found; found == 0 {
			missed += t.Messages[i].Span.Len()
		}
	}
	return read, missed, t.Skipped
}

// hasNoBody reports whether no body was read for a part: it is opaque and has no body, or it is a tool call or result
// without a body in the expected place. The JSON in a Bedrock result is the body of an opaque part.
func hasNoBody(p *transcript.Part) bool {
	return p.Body.IsZero() && (p.Kind == transcript.Opaque || p.Kind == transcript.ToolCall ||
		p.Kind == transcript.ToolResult)
}

// coverage measures the text in messages for Format.Coverage.
type coverage struct {
	t     *transcript.Transcript // the transcript that was read
	f     *Format                // its format
	spans []jsonspan.Span        // spans that have already been read or measured; sorted
	reach []uint32               // for each span, the largest end of it and the spans before it
	texts int                    // bytes of text outside the spans
	long  int                    // bytes of text in strings of at least minBeside bytes
	top   bool                   // whether the members of the message itself come next
}

// messageCoverage returns how much of message i was read as content, and how much text in it was not, in bytes.
func (w *coverage) messageCoverage(i int) (c Coverage) {
	parts := w.t.PartsOf(i)
	holds := w.collectSpans(i, parts)
	for k := range parts {
		if !hasNoBody(&parts[k]) {
			c.Read += int(parts[k].Size.Bytes + parts[k].Data)
		}
	}
	measured, end := len(w.spans), uint32(0)
	for k := range parts {
		p := &parts[k]
		if !hasNoBody(p) || holds[k] || p.Span.Start < end || w.isInSpan(p.Span.Start) {
			continue
		}
		switch texts := w.textBytes(p.Span.Start); w.reading(p.Span.Start) {
		case misread:
			c.Lost += texts
		case foreign:
			c.Foreign += texts
		case opaque:
			if p.Kind != transcript.Opaque {
				c.Read += int(p.Size.Bytes)
			}
		}
		w.spans, end = append(w.spans, p.Span), max(end, p.Span.End)
	}
	if len(w.spans) > measured {
		w.sortSpans()
	}
	if w.top = true; c.Read == 0 {
		c.Lost += w.textBytes(w.t.Messages[i].Span.Start)
	} else {
		w.textBytes(w.t.Messages[i].Span.Start)
		c.Beside += w.long
	}
	return c
}

// collectSpans sets the spans to those that the format has read in message i. holds says for each part whether it
// contains other parts.
func (w *coverage) collectSpans(i int, parts []transcript.Part) (holds []bool) {
	first := w.t.Messages[i].First
	holds = make([]bool, len(parts))
	for k := range parts {
		if parts[k].Parent >= 0 {
			holds[parts[k].Parent-first] = true
		}
	}
	w.spans = w.spans[:0]
	for k := range parts {
		switch p := &parts[k]; {
		case p.Has(understood):
			w.spans = append(w.spans, p.Span)
		case hasNoBody(p):
			if p.List == transcript.Member || p.List == transcript.Inside {
				w.spans = append(w.spans, p.Span)
			}
		case !holds[k]: // a span that contains others is measured by way of them
			w.spans = append(w.spans, p.Span)
		case !p.Body.IsZero() && (parts[k+1].Span.Start < p.Body.Start || parts[k+1].Span.Start >= p.Body.End): // the others are next to its body
			w.spans = append(w.spans, p.Body)
		}
	}
	w.sortSpans()
	return holds
}

// sortSpans sorts the spans by their order in the source.
func (w *coverage) sortSpans() {
	sorting.Func(w.spans, func(a, b jsonspan.Span) int { return cmp.Compare(a.Start, b.Start) })
	w.reach = w.reach[:0]
	end := uint32(0)
	for _, p := range w.spans {
		end = max(end, p.End)
		w.reach = append(w.reach, end)
	}
}

// isInSpan reports whether an offset is in one of the spans.
func (w *coverage) isInSpan(at uint32) bool {
	n := sort.Search(len(w.reach), func(i int) bool { return w.spans[i].Start > at })
	return n > 0 && w.reach[n-1] > at
}

// textBytes returns the number of bytes of text outside the spans in the value at an offset.
func (w *coverage) textBytes(at uint32) int {
	w.texts, w.long = 0, 0
	w.readValue(jsonspan.New(w.t.Src).At(at))
	return w.texts
}

// readValue counts the texts in the value at the scanner, except for those in spans that were read and for members that
// are never text of the conversation.
func (w *coverage) readValue(s *jsonspan.Scanner) {
	switch kind := s.Kind(); {
	case w.isInSpan(s.Pos()):
		s.Skip()
	case kind == jsonspan.Object:
		top := w.top
		w.top = false
		for name := range s.Members {
			switch {
			case w.isInSpan(s.KeyPos()) || indexOf(besideKeys, name) >= 0,
				top && s.Kind() == jsonspan.String && hasWord(w.f.Signs.Keys, string(name)): // a known sign, not text
				s.Skip()
			default:
				w.readValue(s)
			}
		}
	case kind == jsonspan.Array:
		for s.Array(); s.Elem(); {
			w.readValue(s)
		}
	case kind == jsonspan.String:
		w.countText(s)
	default:
		s.Skip()
	}
}

// countText counts a string, unless it is a single ASCII word.
func (w *coverage) countText(s *jsonspan.Scanner) {
	v := s.Text()
	text := v.Slice(s.Src())
	if v.Bytes == v.Runes && bytes.IndexByte(text, ' ') < 0 && !bytes.Contains(text, []byte(`\n`)) {
		return
	}
	if w.texts += int(v.Bytes); v.Bytes >= minBeside {
		w.long += int(v.Bytes)
	}
}

// reading says how a format treats a part that it doesn't read.
type reading uint8

const (
	opaque  reading = iota // it has one of its own types, which only the provider or the application reads
	misread                // it has one of its own types, but is spelled differently
	foreign                // it has an unknown type
)

// reading returns how the format treats the opaque part at an offset.
func (w *coverage) reading(at uint32) reading {
	s := jsonspan.New(w.t.Src).At(at)
	if s.Kind() != jsonspan.Object {
		return foreign
	}
	keyed := foreign
	for name := range s.Members {
		if string(name) == "type" && s.Kind() == jsonspan.String {
			switch typ := jsonspan.Text(w.t.Src, s.Text().Span); {
			case hasWord(readTypes, typ):
				return misread
			case hasWord(w.f.Signs.Types, typ) || hasWord(w.f.Signs.Items, typ) || hasWord(w.f.Signs.Apps, typ) ||
				!strange(typ),
				strings.HasSuffix(typ, "_call"), strings.HasSuffix(typ, "_result"): // a call or result of a provider's own tool
				return opaque
			}
			return foreign
		}
		if w.f.HasSign("part:" + string(name)) {
			keyed = opaque
		}
		s.Skip()
	}
	return keyed
}

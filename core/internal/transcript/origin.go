package transcript

import (
	"cmp"
	"slices"
)

// Origin maps the source of a transcript to the bytes that the host gave, if some of them were replaced before reading.
// Messages that stay are written from the host's bytes.
type Origin struct {
	Src    []byte  // the bytes that the host gave
	pieces []piece // the replacements, in order
}

// piece is one replacement: its range in the transcript's source, and the range that it replaces in the host's bytes.
type piece struct{ from, to, was, end uint32 }

// Add records that the bytes [from, to) of the transcript's source replace the bytes [was, end) that the host gave.
// Replacements must be added in order.
func (o *Origin) Add(from, to, was, end uint32) {
	o.pieces = append(o.pieces, piece{from, to, was, end})
}

// originalOffset maps an offset in the source to an offset in the host's bytes. An offset inside a replacement maps to
// the start of the replaced range.
func (o *Origin) originalOffset(offset uint32) uint32 {
	n, _ := slices.BinarySearchFunc(o.pieces, offset, func(p piece, offset uint32) int {
		return cmp.Or(cmp.Compare(p.from, offset), -1)
	})
	if n == 0 {
		return offset
	}
	p := &o.pieces[n-1]
	if offset < p.to {
		return p.was
	}
	return offset - p.to + p.end
}

// OriginalSpan maps a span of the source to a span of the host's bytes. A span of the arena stays unchanged.
func (t *Transcript) OriginalSpan(p Span) Span {
	if t.Origin == nil || t.InArena(p) {
		return p
	}
	return Span{Start: t.Origin.originalOffset(p.Start), End: t.Origin.originalOffset(p.End)}
}

// AsGiven returns the bytes of a span as the host gave them.
func (t *Transcript) AsGiven(p Span) []byte {
	if t.Origin == nil || t.InArena(p) {
		return t.Bytes(p)
	}
	return t.OriginalSpan(p).Slice(t.Origin.Src)
}

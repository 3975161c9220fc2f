package transcript

import (
	"cmp"
	"slices"
)

// Origin maps the source of a transcript to the bytes that the host gave, if some of them were replaced before reading. What stays is
// written from the host's bytes.
type Origin struct {
	Src    []byte
	pieces []piece
}

// piece is one replacement: its range in the transcript's source, and that of what it replaces.
type piece struct{ from, to, was, end uint32 }

// Add adds a replacement after all others.
func (o *Origin) Add(from, to, was, end uint32) {
	o.pieces = append(o.pieces, piece{from, to, was, end})
}

// at maps an offset of the source to the given bytes. Inside a replacement it returns where that begins.
func (o *Origin) at(offset uint32) uint32 {
	n, _ := slices.BinarySearchFunc(o.pieces, offset, func(p piece, offset uint32) int { return cmp.Or(cmp.Compare(p.from, offset), -1) })
	if n == 0 {
		return offset
	}
	p := &o.pieces[n-1]
	if offset < p.to {
		return p.was
	}
	return offset - p.to + p.end
}

// Given maps a span to the bytes that the host gave; a span of the arena stays the same.
func (t *Transcript) Given(p Span) Span {
	if t.Origin == nil || t.Written(p) {
		return p
	}
	return Span{Start: t.Origin.at(p.Start), End: t.Origin.at(p.End)}
}

// AsGiven returns the bytes of a span as the host gave them.
func (t *Transcript) AsGiven(p Span) []byte {
	if t.Origin == nil || t.Written(p) {
		return t.Bytes(p)
	}
	return t.Given(p).Of(t.Origin.Src)
}

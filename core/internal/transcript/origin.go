package transcript

import (
	"cmp"
	"slices"
)

// Origin says how the source of a transcript follows from the bytes that the host has given, where some of them were replaced before
// anything was read. What stays is written from those bytes.
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

// at is an offset of the source as one of what was given. Inside a replacement it is where that begins.
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

// Given is the place of a span in what the host has given; a span of the arena is the same.
func (t *Transcript) Given(p Span) Span {
	if t.Origin == nil || t.Written(p) {
		return p
	}
	return Span{Start: t.Origin.at(p.Start), End: t.Origin.at(p.End)}
}

// AsGiven returns the bytes of a span as the host has given them.
func (t *Transcript) AsGiven(p Span) []byte {
	if t.Origin == nil || t.Written(p) {
		return t.Bytes(p)
	}
	return t.Given(p).Of(t.Origin.Src)
}

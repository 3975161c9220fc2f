package sessionfile

import (
	"bytes"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// ids assigns small numbers to the ids in a file, so that they can be used as indexes. It sorts the ids instead of
// hashing them: the hash function of the module never changes, so a file could contain ids chosen to collide.
type ids struct{ keys [][]byte }

// noID is the number of a missing id.
const noID = -1

// add records the id in the string at a span. It returns the id's position in the results of rank, or noID if there is
// no string.
func (t *ids) add(src []byte, p jsonspan.Span) int32 {
	if p.Len() < 2 {
		return noID
	}
	key := src[p.Start+1 : p.End-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		key = jsonspan.AppendText(nil, src, p)
	}
	return t.addText(key)
}

// addText records an id that doesn't occur as a string in the file, and returns its position.
func (t *ids) addText(key []byte) int32 {
	t.keys = append(t.keys, key)
	return int32(len(t.keys) - 1)
}

// list reads a list of ids and appends their positions to places. Values that aren't strings are skipped.
func (t *ids) list(s *jsonspan.Scanner, places []int32) []int32 {
	if s.Kind() != jsonspan.Array {
		s.Skip()
		return places
	}
	for s.Array(); s.Elem(); {
		if n := t.add(s.Src(), stringSpan(s)); n != noID {
			places = append(places, n)
		}
	}
	return places
}

// ranks holds the ids' numbers, by position. See ids.rank.
type ranks []int32

// number replaces the positions in ids with the ids' numbers. noID stays unchanged.
func (r ranks) number(ids ...*int32) {
	for _, id := range ids {
		if *id != noID {
			*id = r[*id]
		}
	}
}

// rank returns the number of the id at each position, and the number of different ids. Equal ids have the same number.
func (t *ids) rank() (ranks, int) {
	order := make([]int32, len(t.keys))
	for i := range order {
		order[i] = int32(i)
	}
	sorting.Func(order, func(a, b int32) int { return bytes.Compare(t.keys[a], t.keys[b]) })
	ranks := make(ranks, len(order))
	n := 0
	for i, k := range order {
		if i > 0 && !bytes.Equal(t.keys[order[i-1]], t.keys[k]) {
			n++
		}
		ranks[k] = int32(n)
	}
	if len(order) > 0 {
		n++
	}
	t.keys = nil
	return ranks, n
}

// nearest returns the last entry with the given id before the current entry. If there is none, it returns the first one
// after it, or -1 if there is none either. before and later hold these entries for each id, -1 for none.
func nearest(id int32, before, later []int32) int32 {
	if id == noID {
		return -1
	}
	if at := before[id]; at >= 0 {
		return at
	}
	return later[id]
}

// filled returns a slice of n elements that all have the value v.
func filled(n int, v int32) []int32 {
	return slices.Repeat([]int32{v}, n)
}

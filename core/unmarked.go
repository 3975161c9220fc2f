package core

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// marks lists the keys of messages and parts under which cache breakpoints are set.
var marks = []string{"cache_control", "cacheControl", "cachePoint"}

// marked lists the keys whose values may contain parts or options with cache breakpoints.
var marked = []string{"content", "parts", "providerOptions", "providerMetadata"}

// unmarked returns a message without its cache breakpoints, because a provider accepts only a few and the app sets
// its own. Everything else is preserved byte for byte.
func unmarked(message []byte) []byte {
	if !wire.MayMark(message) {
		return message
	}
	u := unmarking{src: message}
	u.value(jsonspan.New(message), true)
	out, at := make([]byte, 0, len(message)), uint32(0)
	for _, g := range u.gone {
		out = append(out, message[at:g.Start]...)
		at = g.End
	}
	return append(out, message[at:]...)
}

// unmarking collects the spans to remove from a message together with its cache breakpoints.
type unmarking struct {
	src  []byte          // the message
	gone []jsonspan.Span // in order
}

// mayHoldMarks reports whether there may be cache breakpoints below the key name, whose value is of the given kind.
func mayHoldMarks(name string, kind jsonspan.Kind) bool {
	return slices.Contains(marked, name) || kind == jsonspan.Object && (name == "anthropic" || name == "bedrock")
}

// value scans the value at the scanner and adds the spans of its cache breakpoints to u.gone. It
// looks for them in the value's own members or elements and, if deep is set, also below the keys in
// marked. only is true if the value is an object that contains nothing but cache breakpoints; the
// caller then removes the whole object. A list is never removed, even if it becomes empty.
func (u *unmarking) value(s *jsonspan.Scanner, deep bool) (only bool) {
	switch kind := s.Kind(); {
	case kind == jsonspan.Object:
		l := cutting{u: u}
		for key := range s.Members {
			start, name := s.KeyPos(), string(key)
			if slices.Contains(marks, name) {
				s.Skip()
				l.item(start, s.Pos(), true)
				continue
			}
			only := false
			if deep && mayHoldMarks(name, s.Kind()) {
				only = u.value(s, true)
			} else {
				s.Skip()
			}
			l.item(start, s.Pos(), only)
		}
		return l.end()
	case kind == jsonspan.Array:
		l := cutting{u: u}
		for s.Array(); s.Elem(); {
			s.Kind() // skips the white space before it
			start := s.Pos()
			only := u.value(s, deep)
			l.item(start, s.Pos(), only)
		}
		l.end()
		return false
	}
	s.Skip()
	return false
}

// cutting is a list or an object whose items are being scanned.
type cutting struct {
	u     *unmarking // gets the spans to remove
	last  uint32     // end of the last item
	first uint32     // start of the first item, as long as all items are removed
	any   bool       // whether any item has been scanned
	kept  bool       // whether any of them stays
}

// item adds an item with the given span. If goes is set, the item is removed together with the comma that belongs to
// it.
func (l *cutting) item(start, end uint32, goes bool) {
	gone := &l.u.gone
	inside := len(*gone)
	for inside > 0 && (*gone)[inside-1].Start >= start {
		inside--
	}
	switch {
	case goes && l.kept:
		*gone = append((*gone)[:inside], jsonspan.Span{Start: l.last, End: end})
	case goes:
		*gone = (*gone)[:inside]
		if !l.any {
			l.first = start
		}
	case l.any && !l.kept:
		*gone = append(*gone, jsonspan.Span{})
		copy((*gone)[inside+1:], (*gone)[inside:])
		(*gone)[inside] = jsonspan.Span{Start: l.first, End: start}
	}
	l.any, l.kept, l.last = true, l.kept || !goes, end
}

// end reports whether there were items and all of them are removed. If so, the whole range is removed instead.
func (l *cutting) end() bool {
	if !l.any || l.kept {
		return false
	}
	l.u.gone = append(l.u.gone, jsonspan.Span{Start: l.first, End: l.last})
	return true
}

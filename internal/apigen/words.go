package main

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// word is a word of a closed set: a constant of a string type.
type word struct {
	JSON string
	Doc  string // Markdown
}

// constants returns the words of a string type: all of its constants in its package, in source order.
func (s *source) constants(t *types.Named) (words []word) {
	scope := t.Obj().Pkg().Scope()
	var found []*types.Const
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), t) {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b *types.Const) int { return s.order(a.Pos(), b.Pos()) })
	for _, c := range found {
		words = append(words, word{constant.StringVal(c.Val()), s.comments[c.Pos()]})
	}
	return words
}

// order compares two positions in a package for sorting.
func (s *source) order(a, b token.Pos) int {
	x, y := s.fset.Position(a), s.fset.Position(b)
	if c := strings.Compare(x.Filename, y.Filename); c != 0 {
		return c
	}
	return x.Offset - y.Offset
}

// texts returns the JSON strings of words.
func texts(words []word) (list []string) {
	for _, w := range words {
		list = append(list, w.JSON)
	}
	return list
}

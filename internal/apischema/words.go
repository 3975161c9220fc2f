package main

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// set is a closed set of words: a text of the API that is one of them.
type set struct {
	name, doc string
	words     []string
}

// constants are the words of a type of texts: all constants of the type, in the order of the sources.
func (s *source) constants(t types.Type) []string {
	var found []*types.Const
	for _, path := range s.paths() {
		scope := s.packages[path].Scope()
		for _, name := range scope.Names() {
			if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), t) {
				found = append(found, c)
			}
		}
	}
	slices.SortFunc(found, func(a, b *types.Const) int {
		if a.Pkg() != b.Pkg() {
			return strings.Compare(a.Pkg().Path(), b.Pkg().Path())
		}
		return s.order(a.Pos(), b.Pos())
	})
	var words []string
	for _, c := range found {
		if word := constant.StringVal(c.Val()); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// order compares two places of one package.
func (s *source) order(a, b token.Pos) int {
	x, y := s.fset.Position(a), s.fset.Position(b)
	if c := strings.Compare(x.Filename, y.Filename); c != 0 {
		return c
	}
	return x.Offset - y.Offset
}

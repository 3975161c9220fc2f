// Package sorting sorts slices with a single copy of the sorting code. The generic functions of package slices are
// compiled again for each element type, which used to take a twentieth of the module's code.
package sorting

import (
	"cmp"
	"sort"
)

// Ordered sorts list in ascending order. NaNs come first.
func Ordered[T cmp.Ordered](list []T) { Func(list, cmp.Compare[T]) }

// Func sorts list by compare, which must be a strict weak ordering. The sort is not stable.
func Func[T any](list []T, compare func(a, b T) int) { sort.Sort(sorter(list, compare)) }

// Stable sorts list by compare and keeps equal elements in their original order.
func Stable[T any](list []T, compare func(a, b T) int) { sort.Stable(sorter(list, compare)) }

// indexed is a list as a sort.Interface.
type indexed struct {
	n    int                 // length of the list
	less func(i, j int) bool // compares two elements by index
	swap func(i, j int)      // exchanges two elements
}

func sorter[T any](list []T, compare func(a, b T) int) *indexed {
	return &indexed{
		len(list),
		func(i, j int) bool { return compare(list[i], list[j]) < 0 },
		func(i, j int) { list[i], list[j] = list[j], list[i] },
	}
}

func (x *indexed) Len() int           { return x.n }
func (x *indexed) Less(i, j int) bool { return x.less(i, j) }
func (x *indexed) Swap(i, j int)      { x.swap(i, j) }

//go:build ctxfold_count

package main

import (
	"slices"
	"unsafe"
)

// block is an array of counters in the program's memory. Each function has a slab in it: the number of its counters, the numbers of its
// package and of itself, and its counters, one for each basic block. The slab of a function that has never run has zeros.
type block struct {
	values *uint32 // the first counter
	length uint64  // the number of counters
}

// slabHead is the number of values before the counters of a slab.
const slabHead = 3

// blocks returns the program's counters. Package runtime/coverage reads only counters that are changed by atomic operations, which take most
// of the time of a program that counts; core runs on one goroutine and needs none.
//
//go:linkname blocks internal/coverage/cfile.getCovCounterList
func blocks() []block

// counters returns a copy of the program's counters. Copying counts no steps, unlike a loop over them.
func counters() (all [][]uint32) {
	for _, b := range blocks() {
		all = append(all, slices.Clone(unsafe.Slice(b.values, b.length)))
	}
	return all
}

// since returns the number of steps between two copies of the counters. A counter starts again at 0
// after 2³² steps.
func since(before, after [][]uint32) (steps uint64) {
	for i, values := range after {
		for at := 0; at < len(values); {
			n := int(values[at])
			if n == 0 {
				at++
				continue
			}
			at += slabHead
			for end := at + n; at < end; at++ {
				steps += uint64(values[at] - before[i][at])
			}
		}
	}
	return steps
}

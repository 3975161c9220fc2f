package digest

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// An agent that thinks before each step often thinks the same in other words: first what it would do, then what it will do.
// The later thought is the better one.

// Limits for dropping repeated thoughts: the number of later thoughts that a thought is compared with, the minimum number
// of different stems of a thought that is compared, and the percentage of its stems that one later thought must have.
const (
	comparedThoughts  = 6
	leastThoughtStems = 8
	sharedThought     = 70
)

// isRepeated reports whether one of the later thoughts contains most of the stems. Each set contains each stem of a
// thought plus one.
func isRepeated(stems []uint32, later []words.HashSet) bool {
	for k := range later {
		shared := 0
		for _, stem := range stems {
			if later[k].Has(uint64(stem) + 1) {
				shared++
			}
		}
		if shared*100 >= len(stems)*sharedThought {
			return true
		}
	}
	return false
}

// dropThoughtAgain drops thoughts of the turn most of whose words are repeated in one later thought.
func (t *turn) dropThoughtAgain() {
	var later [comparedThoughts]words.HashSet
	var room []words.Word // a buffer for the words of a thought
	var stems []uint32
	next := 0
	for n := range slices.Backward(t.units) {
		u := &t.units[n]
		if u.kind != thoughtUnit || u.factor == isDropped {
			continue
		}
		room, stems = words.Append(room[:0], u.text), stems[:0]
		for i := range room {
			stems = append(stems, room[i].Stem)
		}
		sorting.Ordered(stems)
		stems = slices.Compact(stems)
		if len(stems) < leastThoughtStems {
			continue
		}
		if isRepeated(stems, later[:]) {
			u.factor = isDropped
			continue
		}
		later[next] = words.HashSet{}
		for _, stem := range stems {
			later[next].Put(uint64(stem) + 1)
		}
		next = (next + 1) % comparedThoughts
	}
}

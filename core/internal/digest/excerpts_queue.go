package digest

// candidateBlock is a block of a result that can become part of an excerpt.
type candidateBlock struct {
	block int   // the index of the block within its result
	cost  int   // the size in bytes
	worth int64 // the value of the block's terms that aren't in the excerpt yet
	value int64 // the worth, less for a larger block; the block with the highest value is chosen first
}

// before reports whether a comes before b. A block with a higher value comes first. Among blocks with equal values, the
// earlier one comes first.
func (a candidateBlock) before(b candidateBlock) bool {
	return a.value > b.value || a.value == b.value && a.block < b.block
}

// blockQueue is a priority queue that returns the best block first. It is a binary heap.
type blockQueue []candidateBlock

// add inserts a block at its place in the heap, whose top is the best block.
func (q *blockQueue) add(c candidateBlock) {
	*q = append(*q, c)
	list := *q
	for i := len(list) - 1; i > 0 && list[i].before(list[(i-1)/2]); i = (i - 1) / 2 {
		list[i], list[(i-1)/2] = list[(i-1)/2], list[i]
	}
}

// next removes the best block from the queue and returns it. The queue must not be empty.
func (q *blockQueue) next() candidateBlock {
	list := *q
	best, last := list[0], len(list)-1
	list[0] = list[last]
	list = list[:last]
	*q = list
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < last && list[child+1].before(list[child]) {
			child++
		}
		if child >= last || !list[child].before(list[i]) {
			return best
		}
		list[i], list[child] = list[child], list[i]
		i = child
	}
}

package mend

// places maps the index of each message of the transcript to the index of its item plus one, or to 0 if it has none.
type places []int32

// places returns the current positions of the messages.
func (md *Mender) places() places {
	p := make(places, len(md.doc.T.Messages))
	for i := range md.doc.Items {
		p[md.doc.Items[i].Msg] = int32(i) + 1
	}
	return p
}

// of returns the index of the item of a message, or -1.
func (p places) of(message int32) int {
	if int(message) >= len(p) { // the message was added later
		return -1
	}
	return int(p[message]) - 1
}

// mark is what a repair does with an item. Several marks can be set at once.
type mark uint8

const (
	gone     mark = 1 << iota // the item is removed
	touched                   // the item must be measured again
	drained                   // tool results were moved out of it
	gathered                  // its calls get their results in a single message after it
	away                      // it will be moved
)

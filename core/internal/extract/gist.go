package extract

import "github.com/ctxfold/ctxfold/core/internal/words"

// Gist returns the range of text, in bytes, whose words weigh the most, among those of at most size bytes that begin
// and end with a word. Names and numbers count more.
func (e *Extract) Gist(text string, size int) (from, to int) {
	ws := words.Append(nil, text)
	weight := func(k int) int64 {
		w := ws[k]
		id := e.stems.find(w.Stem)
		if id < 0 {
			return 0
		}
		weight := int64(e.weights[id])
		if w.Kind&words.Digit != 0 || w.Kind&words.Capital != 0 && k > 0 && w.End-w.From > 1 {
			weight *= 2
		}
		return weight * weight // or two usual words would outweigh a rare one
	}
	var sum, best int64
	first := 0
	for k, w := range ws {
		for sum += weight(k); int(w.End-ws[first].From) > size && first < k; first++ {
			sum -= weight(first)
		}
		if sum > best && int(w.End-ws[first].From) <= size {
			best, from, to = sum, int(ws[first].From), int(w.End)
		}
	}
	return from, to
}

package extract

import "github.com/ctxfold/ctxfold/core/internal/words"

// Gist returns the byte range of an excerpt of text that begins and ends with a word and has at most size bytes. Names
// and numbers weigh more than other words. Gist returns the first excerpt that weighs at least 3/4 as much as the
// heaviest one, because the topic of a request is usually near its beginning. If no word fits, the range is empty.
func (e *Extract) Gist(text string, size int) (from, to int) {
	ws := words.Append(nil, text)
	weights := make([]int64, len(ws))
	for k, w := range ws {
		weights[k] = e.gistWeight(w, k == 0)
	}
	var best int64
	for pass := range 2 {
		var sum int64
		first := 0
		for k, w := range ws {
			for sum += weights[k]; int(w.End-ws[first].From) > size && first < k; first++ {
				sum -= weights[first]
			}
			if int(w.End-ws[first].From) > size {
				continue
			}
			if pass == 0 {
				best = max(best, sum)
			} else if sum >= best-best/4 {
				return int(ws[first].From), int(w.End)
			}
		}
	}
	return 0, 0
}

// gistWeight returns the weight of a word of text in a Gist. It is the square of the stem's weight, which counts twice
// for numbers and capitalized words. first means that it is the first word, whose capital says nothing. A word that
// doesn't occur in the conversation has weight 0.
func (e *Extract) gistWeight(w words.Word, first bool) int64 {
	id := e.stems.find(w.Stem)
	if id < 0 {
		return 0
	}
	weight := int64(e.weights[id])
	if w.Kind&words.Digit != 0 || w.Kind&words.Capital != 0 && !first && w.End-w.From > 1 {
		weight *= 2
	}
	return weight * weight // otherwise two common words would outweigh a rare one
}

// Rare returns the number of words in text whose stems occur in at most the given number of sentences.
func (e *Extract) Rare(text string, sentences int32) (n int) {
	for _, w := range words.Append(nil, text) {
		if id := e.stems.find(w.Stem); id >= 0 && e.stems.df[id] <= sentences {
			n++
		}
	}
	return n
}

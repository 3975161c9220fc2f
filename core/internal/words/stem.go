package words

// leastStem is the minimum length of a Latin stem, in bytes.
const leastStem = 3

// endings lists endings to remove from words in Latin letters. Only the first one that fits is removed. They are
// inflections that several languages share. A missing ending keeps two forms of a word apart, while a wrong one merges
// two words, so the list is short. Endings with the same last letter must be adjacent.
var endings = [...]string{"ings", "ies", "es", "s", "ing", "edly", "ly", "y", "ied", "ed", "en", "er", "e"}

// last has, for each letter, the range of the endings that end with it; it is empty for other bytes.
var last = func() (of [256]struct{ from, to uint8 }) {
	for i, e := range endings {
		c := e[len(e)-1]
		if of[c].to == 0 {
			of[c].from = uint8(i)
		}
		of[c].to = uint8(i) + 1
		of[c&^0x20] = of[c]
	}
	return of
}()

// stemEnd returns the length of a word's stem, in bytes, regardless of the case of its ASCII letters.
func stemEnd[T string | []byte](w T) int {
	if w[0] >= 0xcd { // words in other scripts are inflected at the end, too: keep five letters, or all but the last of a short word
		return prefixEnd(w)
	}
	if len(w) <= leastStem {
		return len(w)
	}
	fit := last[w[len(w)-1]]
next:
	for _, e := range endings[fit.from:fit.to] {
		n := len(w) - len(e)
		if n < leastStem {
			continue
		}
		for k := range len(e) {
			if w[n+k]|0x20 != e[k] {
				continue next
			}
		}
		if c := w[n-1]; n > leastStem && len(e) > 1 && c == w[n-2] && c != 's' && c != 'l' && c != 'e' { // "running" has the stem of "run"
			n--
		}
		return n
	}
	return len(w)
}

// prefixEnd returns the length in bytes of a word's first five runes, of all but the last rune if the word has four or
// five runes, or of the whole word if it is shorter.
func prefixEnd[T string | []byte](w T) int {
	const most = 5
	var ends [most + 1]int
	n := 0
	for i := 0; i < len(w); i++ {
		if w[i]&0xc0 == 0x80 {
			continue
		}
		if n > most {
			return ends[most]
		}
		ends[n] = i
		n++
	}
	switch {
	case n > most:
		return ends[most]
	case n > 3:
		return ends[n-1]
	}
	return len(w)
}

package words

// leastStem is how many bytes a stem of Latin letters has at least.
const leastStem = 3

// endings are taken off a word of Latin letters, the first that fits. They are inflections that languages written in Latin
// letters share. One too few keeps two forms of a word apart, one too many makes one word of two, so the list is short. Those with one last
// letter are next to each other.
var endings = [...]string{"ings", "ies", "es", "s", "ing", "edly", "ly", "y", "ied", "ed", "en", "er", "e"}

// last has the range of endings that end with a letter; an empty one of any other byte.
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

// stemEnd returns how many bytes of a word are its stem, whatever the case of its ASCII letters.
func stemEnd[T string | []byte](w T) int {
	if w[0] >= 0xcd { // words of other scripts inflect at their ends too: their first five letters, of short words all but one
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
		if c := w[n-1]; n > leastStem && len(e) > 1 && c == w[n-2] && c != 's' && c != 'l' && c != 'e' { // running, run
			n--
		}
		return n
	}
	return len(w)
}

// prefixEnd returns how many bytes the first five runes of w have; of a word of four or five runes, all but the last.
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

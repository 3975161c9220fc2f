package words

// Known is a small set of stems that Find looks for in texts. The zero value is an empty set.
type Known struct {
	begin [1 << 15 / 64]uint64 // by the first three bytes of a word of ASCII: none of the set begins otherwise
	first [1 << 10 / 64]uint64 // the same of other words by their first two runes, in lower case, and of pairs
	slots [4 * MostKnown]slot
	n     int
}

// MostKnown is how many stems a set may hold.
const MostKnown = 64

// slot is a stem or a prefix by its hash; term counts from 1, and 0 is an empty slot.
type slot struct {
	hash uint32
	term uint8
	kind uint8
}

const (
	ofStem uint8 = iota
	ofPrefix
)

// prefixBytes is how many letters of ASCII words share that are taken for relatives.
const prefixBytes = 5

// Found is a word of a text that is in a set.
type Found struct {
	Term  int32 // the index of the stem, as Add has returned it
	Word  int32 // how many words precede it in the text
	At    int32 // where it begins, in bytes
	Exact bool  // it has the stem; else it shares only the first five letters with the word that was added
}

// Add adds a word, which Append has found in text, and returns the index of its stem, from 0. added is false where the stem
// was there before, or the set is full (-1).
func (k *Known) Add(text string, w Word) (term int, added bool) {
	if s := k.lookup(w.Stem, ofStem); s != nil {
		return int(s.term) - 1, false
	}
	if k.n == MostKnown {
		return -1, false
	}
	k.n++
	k.put(w.Stem, ofStem)
	spelled := text[w.From:w.End]
	for i := 0; i < len(spelled); i++ {
		if spelled[i] >= 0x80 {
			k.mark(spelled)
			return k.n - 1, true
		}
	}
	i := beginning(spelled) // a stem has three letters, or is the word
	k.begin[i>>6] |= 1 << (i & 63)
	if len(spelled) >= prefixBytes && w.Kind&Digit == 0 {
		if h := hashFolded(spelled[:prefixBytes]); k.lookup(h, ofPrefix) == nil {
			k.put(h, ofPrefix)
		}
	}
	return k.n - 1, true
}

// mark lets words and pairs through that begin with the first two runes of w.
func (k *Known) mark(w string) {
	var b uint
	n := 0
	for _, r := range w {
		if n++; n > 2 {
			break
		}
		b = b<<5 | uint(toLower(r))&31
	}
	if n == 1 {
		b <<= 5
	}
	k.first[b>>6] |= 1 << (b & 63)
}

// beginning folds the first three bytes of a word.
func beginning[T string | []byte](w T) uint {
	i := uint(w[0]&31) << 10
	if len(w) > 1 {
		i |= uint(w[1]&31) << 5
	}
	if len(w) > 2 {
		i |= uint(w[2] & 31)
	}
	return i
}

func (k *Known) put(hash uint32, kind uint8) {
	i := hash % uint32(len(k.slots))
	for k.slots[i].term != 0 {
		i = (i + 1) % uint32(len(k.slots))
	}
	k.slots[i] = slot{hash, uint8(k.n), kind}
}

// lookup finds a hash. At most half of the slots are taken, so whatever the texts hold, a look takes a bounded number of steps.
func (k *Known) lookup(hash uint32, kind uint8) *slot {
	for i := hash % uint32(len(k.slots)); ; i = (i + 1) % uint32(len(k.slots)) {
		switch s := &k.slots[i]; {
		case s.term == 0:
			return nil
		case s.hash == hash && s.kind == kind:
			return s
		}
	}
}

// matchASCII appends a word of ASCII if the set has its stem, or a word that begins alike.
func (k *Known) matchASCII(dst []Found, n int, w []byte, from int) []Found {
	stem, all := w, uint8(0)
	for _, c := range w {
		all |= class[c]
	}
	if all&digit == 0 && len(w) > 2 {
		stem = w[:stemEnd(w)]
	}
	if s := k.lookup(hashFolded(stem), ofStem); s != nil {
		return append(dst, Found{Term: int32(s.term) - 1, Word: int32(n), At: int32(from), Exact: true})
	}
	if all&digit == 0 && len(w) >= prefixBytes {
		if s := k.lookup(hashFolded(w[:prefixBytes]), ofPrefix); s != nil {
			return append(dst, Found{Term: int32(s.term) - 1, Word: int32(n), At: int32(from)})
		}
	}
	return dst
}

// hashFolded returns the hash of a word of ASCII, as Append makes it.
func hashFolded[T string | []byte](w T) uint32 {
	h := uint32(offset)
	for i := 0; i < len(w); i++ {
		h = (h ^ uint32(w[i]|0x20)) * prime
	}
	return h
}

// match appends a word if the set has its stem.
func (k *Known) match(dst []Found, n int, w Word) []Found {
	if s := k.lookup(w.Stem, ofStem); s != nil {
		return append(dst, Found{Term: int32(s.term) - 1, Word: int32(n), At: w.From, Exact: true})
	}
	return dst
}

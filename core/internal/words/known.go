package words

// Known is a small set of stems that Find looks for in texts. The zero value is the empty set.
type Known struct {
	// A filter by the first three bytes of ASCII words: a clear bit means that no word of the set begins with them.
	begin [1 << 15 / 64]uint64
	first [1 << 10 / 64]uint64 // the same for other words and for pairs, by their first two runes in lower case
	slots [4 * MostKnown]slot  // a hash table
	n     int                  // the number of stems
}

// MostKnown is the maximum number of stems in a set.
const MostKnown = 64

// slot is an entry for the hash of a stem or of a prefix. term is the stem's index plus one; 0 marks an empty slot.
type slot struct {
	hash uint32
	term uint8
	kind uint8 // ofStem or ofPrefix
}

const (
	ofStem uint8 = iota
	ofPrefix
)

// prefixBytes is the number of leading letters that two related ASCII words have in common.
const prefixBytes = 5

// Found is a word of text whose stem, or whose prefix, is in a set.
type Found struct {
	Term  int32 // index of the stem, from 0
	Word  int32 // the number of words before it in the text
	At    int32 // its offset in the text, in bytes
	Exact bool  // it has the same stem; otherwise only the same prefix
}

// Add adds a word of text to the set, and returns the index of its stem, from 0. w is the word as Append returns it.
// added is false if the set already has the stem. If the set is full, term is -1 and added is false.
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
	i := beginning(spelled) // a stem has at least three bytes
	k.begin[i>>6] |= 1 << (i & 63)
	if len(spelled) >= prefixBytes && w.Kind&Digit == 0 {
		if h := hashFolded(spelled[:prefixBytes]); k.lookup(h, ofPrefix) == nil {
			k.put(h, ofPrefix)
		}
	}
	return k.n - 1, true
}

// mark sets the filter bit for words and pairs that begin with the first two runes of w.
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

// beginning returns the filter index for the first three bytes of a word.
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

// lookup returns the slot for a hash of the given kind, or nil. At most half of the slots are in use, so a lookup
// takes a bounded number of steps for any text.
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

// matchASCII appends w, an ASCII word, if its stem or its prefix is in the set. n is the number of words before it in
// the text, and from its offset.
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

// hashFolded returns the hash of an ASCII word in lower case, as Append computes it.
func hashFolded[T string | []byte](w T) uint32 {
	h := uint32(offset)
	for i := 0; i < len(w); i++ {
		h = (h ^ uint32(w[i]|0x20)) * prime
	}
	return h
}

// match appends w, which is word n of text, if its stem is in the set.
func (k *Known) match(dst []Found, n int, w Word) []Found {
	if s := k.lookup(w.Stem, ofStem); s != nil {
		return append(dst, Found{Term: int32(s.term) - 1, Word: int32(n), At: w.From, Exact: true})
	}
	return dst
}

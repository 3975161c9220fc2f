package extract

// signs counts, for each Han character, the sentences that contain it. In Chinese nearly every pair of characters is
// rare, so the rarity of a pair alone says little. Its weight is therefore averaged with the weights of its characters.
type signs struct {
	df, in []int32     // by character; see stems
	of     [][2]uint16 // the characters of each stem of Han characters, from 1; zero for other stems
}

// The range of Han characters. Kana and Hangul are excluded: they spell sounds, and the same few of them make up all
// words.
const (
	firstSign = 0x3400
	lastSign  = 0x9fff
)

// see counts the characters of a pair. stem is the number of the pair's stem, and sentence the number of the sentence
// that contains it.
func (s *signs) see(pair string, stem, sentence int32) {
	var of [2]uint16
	n := 0
	for i := 0; i+2 < len(pair) && n < 2; i += 3 {
		c := pair[i]
		if c < 0xe3 || c > 0xe9 {
			return // not a Han character
		}
		r := int(c&0x0f)<<12 | int(pair[i+1]&0x3f)<<6 | int(pair[i+2]&0x3f)
		if r < firstSign || r > lastSign {
			return
		}
		of[n] = uint16(r - firstSign + 1)
		n++
	}
	if n == 0 {
		return
	}
	if s.df == nil {
		s.df, s.in = make([]int32, lastSign-firstSign+2), make([]int32, lastSign-firstSign+2)
	}
	for len(s.of) <= int(stem) {
		s.of = append(s.of, [2]uint16{})
	}
	s.of[stem] = of
	for _, id := range of[:n] {
		if s.in[id] != sentence {
			s.in[id] = sentence
			s.df[id]++
		}
	}
}

// weight returns the weight of a stem whose own weight is own, averaged with the weights of its characters if the stem
// consists of one or two Han characters. rarity returns the weight of what occurs in df sentences.
func (s *signs) weight(stem int, own int32, rarity func(df int32) int32) int32 {
	if stem >= len(s.of) || s.of[stem][0] == 0 {
		return own
	}
	of := s.of[stem]
	first := rarity(s.df[of[0]])
	second := first
	if of[1] > 0 {
		second = rarity(s.df[of[1]])
	}
	return (own + (first+second)/2) / 2
}

package digest

import (
	"strings"
	"unicode/utf8"
)

// signs updates the rating for those cues of a sentence that are character sequences.
func (j *judging) signs() {
	ready()
	var room [16]signAt
	found := signIndex.first(room[:0], strings.ReplaceAll(lower(j.text), "\u064b\u0627", "\u0627\u064b")) // both spellings of the Arabic ending are common
	about := signedAbout(j.text, found)
	for _, f := range found {
		c, sign := signIndex.row(f.sign), signIndex.text(f.sign)
		if f.at >= len(j.text) || !about.allows(c) || c.misses(sign, j.text[:f.at], j.text[f.at:]) || describesSigned(sign, j.text[:f.at], j.text[f.at+len(sign):]) {
			continue
		}
		if !markSign(j.ws, sign, f.at) {
			j.negative = j.negative || c.negative
			j.take(c, f.at)
		}
	}
}

// signScene is what the signs in a sentence reveal about it.
type signScene struct {
	once    bool // it is about one day
	ordered bool // it may be an order
	other   bool // it is about somebody who is absent
}

func signedAbout(s string, found []signAt) signScene {
	about := signScene{ordered: true}
	for _, f := range found {
		switch c := signIndex.row(f.sign); c.place {
		case story:
			about.once = true
			about.ordered = about.ordered && c.strength < strict
		case another:
			about.other = true
		}
	}
	for _, sign := range orderSigns {
		about.other = about.other && !strings.Contains(s, sign)
	}
	return about
}

// allows reports whether the sentence allows cues of row c to count.
func (a *signScene) allows(c *cueRow) bool {
	switch {
	case c.place == story, c.place == another, a.other && (c.strength < strict || c.place == habit):
		return false
	}
	return !a.once || c.strength >= strict && a.ordered || c.changes || c.place == self
}

// misses reports whether a sign has another meaning in its context. before is the text before the sign, and from is the
// text that begins with the sign.
func (c *cueRow) misses(sign, before, from string) bool {
	switch rest := from[len(sign):]; {
	case c.place == versus && (strings.HasSuffix(before, "생각") || !strings.Contains(from, "좋") && !strings.Contains(from, "낫")): // "better than expected"
		return true
	case sign == "不用" || sign == "不必": // only "不用…了" (no longer needed) revokes something
		said := strings.TrimRight(from, "。！!. ")
		return !strings.HasSuffix(said, "了") || before == "" && said == sign+"了" // "no, thanks"
	case sign == "最好" && seeksSigned(before), (sign == "以后" || sign == "以後") && timed(before),
		strings.HasPrefix(sign, "不") && (lasted(before) || endsWithAny(before, "能", "可")): // "能不能" is a polite question
		return true
	case strings.HasPrefix(sign, "应该") && strings.HasPrefix(rest, "能"): // what a thing should be able to do
		return true
	default:
		return c.place == self && !refuses(sign, rest)
	}
}

// markSign marks the words that are part of the sign at byte offset at, and removes the sign from a word that is longer
// than it. It reports whether the sign is in quotes.
func markSign(ws []word, sign string, at int) (quoted bool) {
	end := at + len(sign)
	for i := range ws {
		w := &ws[i]
		if w.at >= end || w.end <= at {
			continue
		}
		quoted = quoted || w.quoted
		if w.at >= at && w.end <= end {
			w.cue = true
		} else if w.script == unspaced {
			w.text = strings.ReplaceAll(w.text, sign, " ")
		}
	}
	return quoted
}

// ofStyle contains the characters with which words for the form of an answer begin: long, short, complex, difficult.
const ofStyle = "长長短复複难難简簡专專啰囉笼籠抽正随隨官生多少"

// unsettled contains the characters that follow "我不" in statements about what people don't know, can't do or don't mean
// at the moment.
const unsettled = "知是能想确確明懂要会會记記在行清认認同觉覺敢用可太介好建急"

// refuses reports whether a sign really expresses a taste or a habit. rest is the text after the sign. "我只", "让我" and
// "我不" don't in requests and in statements about what people know, can do or no longer do. "あまり" and "ほとんど" only do
// before a negated verb that isn't about a single moment.
func refuses(sign, rest string) bool {
	rest = strings.TrimRight(rest, "。！!.")
	switch sign {
	case "回答太", "答案太", "回复太", "回覆太", "解释太", "解釋太", "说明太", "說明太":
		r, _ := utf8.DecodeRuneInString(rest)
		return strings.ContainsRune(ofStyle, r)
	case "我只":
		r, _ := utf8.DecodeRuneInString(rest)
		return rest != "" && !strings.ContainsRune("是有想要能好剩看知會会", r) && !strings.HasSuffix(rest, "了")
	case "让我", "讓我": // "crowds make me nervous", not "let me"
		r, _ := utf8.DecodeRuneInString(rest)
		return !strings.ContainsRune("看想试試们們来來知先再帮幫说說去", r) && !strings.HasSuffix(rest, "了")
	case "我不":
		r, _ := utf8.DecodeRuneInString(rest)
		return rest != "" && !strings.ContainsRune(unsettled, r) && !strings.HasSuffix(rest, "了")
	case "あまり", "ほとんど":
		for _, end := range [...]string{"ません", "ない", "ないです", "ないんです", "ないほうです"} {
			if body, found := strings.CutSuffix(rest, end); found {
				return body != "" && !strings.HasSuffix(body, "てい") && !strings.ContainsAny(body, "時分知覚変")
			}
		}
		return false
	}
	return true
}

// seeksSigned reports whether the Chinese text before "preferably" asks for a thing or a place.
func seeksSigned(before string) bool {
	for _, sign := range [...]string{"找", "订", "訂", "推荐", "推薦", "需要", "想"} {
		if strings.Contains(before, sign) {
			return true
		}
	}
	return false
}

// timed reports whether a Chinese text ends with a time or a date, so that "以后" means "later than" instead of "from now
// on".
func timed(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune("点點半分刻时時号號日月年", r)
}

// lasted reports whether a Chinese text ends with a number of days, as in "two days". The text precedes a verb for what
// somebody hasn't done for that long.
func lasted(before string) bool {
	before, found := strings.CutSuffix(before, "天")
	r, _ := utf8.DecodeLastRuneInString(before)
	return found && (r >= '0' && r <= '9' || strings.ContainsRune("两兩三四五六七八九十", r))
}

// orderSigns lists phrases from sentences that tell the reader to do something, even if they also mention other people.
var orderSigns = [...]string{"ください", "下さい", "주세요", "마세요", "请", "請", "不要", "别", "別", "لا ت", "मत "}

// signSet finds many character sequences in one pass over text. A hash of the three bytes at a position, or of six
// bytes for longer signs, leads to the few signs that can begin there.
type signSet struct {
	phrases                 // all signs in a list have the same hash of their first bytes
	heads   [1 << 12]uint16 // by the hash of three bytes, the number of the first sign plus one; 0 if there is none
	long    [1 << 12]uint16 // the same for six bytes
	texts   []string        // the signs, by number
}

// signAt is a sign that text contains, with its first position in bytes.
type signAt struct{ sign, at int }

var signIndex signSet

// leadByte is the smallest byte that a sign can begin with. No sign begins with an ASCII character.
const leadByte = 0xc2

func signHash(text string, at int) uint {
	return (uint(text[at])<<9 ^ uint(text[at+1])<<5 ^ uint(text[at+2])) % (1 << 12)
}

// longHash returns a hash of the six bytes of text at offset at. first is the signHash of the first three bytes.
func longHash(text string, at int, first uint) uint {
	return (first*31 ^ signHash(text, at+3)) % (1 << 12)
}

// index builds the lists of signs with the same hash. It must be called once, before any search.
func (x *signSet) index() {
	x.texts = make([]string, len(x.rows))
	for n := len(x.rows) - 1; n >= 0; n-- {
		text := x.text(n)
		x.texts[n] = text
		head := &x.heads[signHash(text, 0)]
		if len(text) >= 6 {
			head = &x.long[longHash(text, 0, signHash(text, 0))]
		}
		x.phrases.link(n, head)
	}
}

// first appends to found each sign of the set that text contains, with its first position. The result is in the
// order of the set.
func (x *signSet) first(found []signAt, text string) []signAt {
	var seen [32]uint64 // one bit per sign
	for i := 0; i+2 < len(text); i++ {
		if text[i] < leadByte {
			continue
		}
		hash := signHash(text, i)
		if head := x.heads[hash]; head > 0 {
			found = x.at(found, &seen, text, i, int(head)-1)
		}
		if i+5 < len(text) {
			if head := x.long[longHash(text, i, hash)]; head > 0 {
				found = x.at(found, &seen, text, i, int(head)-1)
			}
		}
	}
	return found
}

// at searches the list whose first sign has the given number. It adds to found, which stays in the order of the set,
// those signs of the list that occur in text at byte i and haven't been seen yet.
func (x *signSet) at(found []signAt, seen *[32]uint64, text string, i, sign int) []signAt {
	for ; sign >= 0; sign = x.after(sign) {
		if seen[sign/64]>>(sign%64)&1 != 0 || !strings.HasPrefix(text[i:], x.texts[sign]) {
			continue
		}
		seen[sign/64] |= 1 << (sign % 64)
		at := len(found)
		for found = append(found, signAt{}); at > 0 && found[at-1].sign > sign; at-- {
			found[at] = found[at-1]
		}
		found[at] = signAt{sign, i}
	}
	return found
}

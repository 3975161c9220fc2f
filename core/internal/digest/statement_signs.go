package digest

import "strings"

// signs finds the cues of scripts that write words together, or change them at both ends.
func (r *rating) signs(s string, ws []word, take func(c *cue, at int)) {
	var room [16]signAt
	found := signIndex.first(room[:0], lower(s))
	once := false // what is said is of one day
	for _, f := range found {
		once = once || signCues[f.sign].place == story
	}
	for _, f := range found {
		c, at := &signCues[f.sign], f.at
		if at >= len(s) || c.place == story || once && c.strength != strict && !c.changes && c.place != self {
			continue
		}
		inside := false
		for i := range ws {
			w := &ws[i]
			if w.at >= at+len(c.sign) || w.end <= at {
				continue
			}
			inside = inside || w.quoted
			if w.at >= at && w.end <= at+len(c.sign) {
				w.cue = true
			} else if w.script == unspaced {
				w.text = strings.ReplaceAll(w.text, c.sign, " ")
			}
		}
		if inside {
			continue
		}
		r.negative = r.negative || c.negative
		take(c, at)
	}
}

// signSet finds many signs in one walk over a text: those that may be at a place are known by its first three bytes.
type signSet struct {
	signs []string
	heads [1 << 12]int16 // by a hash of its first three bytes, one more than the newest sign; 0 where there is none
	next  []int16        // of each sign, one more than the one before it with the same hash
}

// signAt is where a sign is first, in bytes.
type signAt struct{ sign, at int }

var signIndex signSet

// leadByte is the least byte with which a sign begins: none begins with ASCII.
const leadByte = 0xc2

func signHash(text string, at int) uint {
	return (uint(text[at])<<9 ^ uint(text[at+1])<<5 ^ uint(text[at+2])) % (1 << 12)
}

func (x *signSet) add(sign string) {
	h := signHash(sign, 0)
	x.signs, x.next = append(x.signs, sign), append(x.next, x.heads[h])
	x.heads[h] = int16(len(x.signs))
}

// first appends to found each sign of the set that a text holds, with the place where it is first, in the order of the set.
func (x *signSet) first(found []signAt, text string) []signAt {
	var seen [16]uint64 // a bit for each sign
	for i := 0; i+2 < len(text); i++ {
		if text[i] < leadByte {
			continue
		}
		for n := x.heads[signHash(text, i)]; n > 0; n = x.next[n-1] {
			sign := int(n - 1)
			if seen[sign/64]>>(sign%64)&1 != 0 || !strings.HasPrefix(text[i:], x.signs[sign]) {
				continue
			}
			seen[sign/64] |= 1 << (sign % 64)
			at := len(found)
			for found = append(found, signAt{}); at > 0 && found[at-1].sign > sign; at-- {
				found[at] = found[at-1]
			}
			found[at] = signAt{sign, i}
		}
	}
	return found
}

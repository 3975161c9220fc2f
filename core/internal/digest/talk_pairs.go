package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// gapMark is written between two lines that would otherwise read like the user's words and the answer to them, although
// there were other messages in between.
const gapMark = "…"

// The parts of a note about similar lines, see [extract.Alike]: "(and 640 more like it, up to part 643)".
const (
	alikeStart = " (and "
	alikeWords = " more like it"
	alikeUpTo  = ", up to "
	alikeEnd   = ")."
)

// longestUpTo is the maximum length, in bytes, of the text that says where a series ends.
const longestUpTo = 64

// alikeNote returns a note about lines that are similar to the line before the note, or "" if there are none.
func alikeNote(a extract.Alike) string {
	if a.More == 0 {
		return ""
	}
	note := alikeStart + itoa(a.More) + alikeWords
	if a.UpTo != "" {
		note += alikeUpTo + clipLine(strings.NewReplacer("(", "", ")", "").Replace(a.UpTo), longestUpTo)
	}
	return note + alikeEnd[:1]
}

// cutAlike splits a line of an earlier digest at its first note about similar lines. It returns the
// text before and after the note, the last item that the note covers if it names one (upTo), and
// the number of lines that it covers (more), which is 0 without a note.
func cutAlike(line string) (before, upTo, rest string, more int) {
	at := strings.Index(line, alikeWords)
	start := strings.LastIndex(line[:max(at, 0)], alikeStart)
	if start < 0 {
		return line, "", "", 0
	}
	number := line[start+len(alikeStart) : at]
	tail := line[at+len(alikeWords):]
	end := strings.Index(tail, alikeEnd)
	if end < 0 || len(number) == 0 || len(number) > 7 || strings.Trim(number, "0123456789") != "" {
		return line, "", "", 0
	}
	if end > 0 {
		var found bool
		if upTo, found = strings.CutPrefix(tail[:end], alikeUpTo); !found || len(upTo) > 2*longestUpTo {
			return line, "", "", 0
		}
	}
	for _, c := range number {
		more = more*10 + int(c-'0')
	}
	if before, rest = line[:start], tail[end+len(alikeEnd):]; rest == deniedMark {
		return before + "." + rest, "", "", 0
	}
	return before, upTo, strings.TrimSpace(rest), more
}

// pair numbers the turns of the participants. The number increases by one with each change of speaker. It increases by
// two if the text between two items is unknown or in another section.
func (k *talk) pair() {
	turn := int32(0)
	k.turns = make([]int32, len(k.sources))
	for i := range k.sources {
		src := &k.sources[i]
		if i > 0 {
			switch before := &k.sources[i-1]; {
			case src.gap || src.section != before.section:
				turn += 2
			case src.speaker != before.speaker:
				turn++
			}
		}
		k.turns[i] = turn
	}
}

// choose chooses statements of about size bytes in total. If they contain fewer of the user's names and numbers than
// the user's newest messages of that size, the user's statements are chosen first, and may take as much room as they
// need. A question whose answer isn't chosen is replaced by other statements, unless nobody has answered it or it says
// something about the speaker.
func (k *talk) choose(size int) []extract.Chosen {
	var most []extract.Chosen // the choice if the user may take the whole room
	if k.crowded {            // probably again
		if most = k.chooseMost(size); k.crowded {
			return most
		}
	}
	chosen, _ := k.chooseWith(size, 0)
	if k.lacks(chosen, size) <= 0 {
		return chosen
	}
	if most == nil {
		if most = k.chooseMost(size); k.crowded {
			return most
		}
	}
	for quarters := 1; quarters < 4; quarters++ {
		if chosen, _ = k.chooseWith(size, size/4*quarters); k.lacks(chosen, size) <= 0 {
			return chosen
		}
	}
	return most
}

// fewLacking is the number of names and numbers that may be missing because of where a choice happens to end. If more
// are missing even when the user's statements get the whole room, some will always be missing.
const fewLacking = 8

// chooseMost is like choose, but gives the user's statements the whole room. It sets crowded if they need all of it.
func (k *talk) chooseMost(size int) []extract.Chosen {
	chosen, all := k.chooseWith(size, size)
	lacks := k.lacks(chosen, size)
	k.crowded = lacks > fewLacking || lacks > 0 && all
	return chosen
}

// lacks returns how many more of the user's names and numbers are in the user's newest messages, up to size bytes, than
// in the chosen statements.
func (k *talk) lacks(chosen []extract.Chosen, size int) int {
	return k.chosen.Lacks(chosen, size, k.ofUser)
}

// ofUser reports whether an item was said by the user, rather than by the assistant or somebody with a name.
func (k *talk) ofUser(item int) bool {
	src := &k.sources[item]
	return src.fresh && !src.own && !src.pasted && src.speaker == "user"
}

// chooseWith is like choose, but reserves the first bytes of the room for what the user said, including unanswered
// questions that name something. first is the size of this part in bytes. all reports whether everything that the user
// said fits into it.
func (k *talk) chooseWith(size, first int) (chosen []extract.Chosen, all bool) {
	chosen, all = k.chosen.ChooseTalk(size, nil, first, k.ofUser)
	lone := map[int]bool{}
	stays := func(c extract.Chosen) bool {
		return !c.Question || first > 0 && c.Names && k.ofUser(c.Item) || k.items[c.Item].Terse || k.items[c.Item].Headed || k.sources[c.Item].section != dialogue
	}
	if chosen = k.answered(chosen, stays, lone); len(lone) > 0 {
		chosen, all = k.chosen.ChooseTalk(size, lone, first, k.ofUser)
		chosen = k.answered(chosen, stays, lone)
	}
	return chosen, all
}

// answered returns the chosen statements without the questions whose answers aren't chosen. It keeps questions that
// satisfy stays. It adds the numbers of the removed questions to lone. The result may be nil, and shares memory with
// chosen.
func (k *talk) answered(chosen []extract.Chosen, stays func(extract.Chosen) bool, lone map[int]bool) []extract.Chosen {
	if len(chosen) == 0 {
		return nil
	}
	cur, after := int32(-1), int32(-1) // the turn of the previous kept statement, and the turn after it
	newest := k.turns[len(k.turns)-1]
	kept := len(chosen)
	for i := len(chosen) - 1; i >= 0; i-- {
		c := chosen[i]
		turn, next := k.turns[c.Item], cur
		if cur == turn {
			next = after
		}
		goesOn := kept < len(chosen) && chosen[kept].Item == c.Item && chosen[kept].Sentence == c.Sentence+1
		if !stays(c) && turn < newest && next != turn+1 && !goesOn {
			lone[c.Sentence] = true
			continue
		}
		cur, after = turn, next
		kept--
		chosen[kept] = c
	}
	return chosen[kept:]
}

// parted reports whether a line of an item would be mistaken for the answer to a line of an earlier item, before. That
// is the case if the assistant said it, but not in the next turn, or if the earlier digest separated them.
func (k *talk) parted(before, item int) bool {
	a, b := &k.sources[before], &k.sources[item]
	parts := !a.answers() && b.answers() || b.gap && a.speaker != b.speaker
	return parts && a.section == dialogue && k.turns[item] != k.turns[before]+1
}

// answers reports whether the speaker is the one who answers questions: the assistant, or somebody without a name.
func (s *source) answers() bool { return s.own || s.speaker == "assistant" || s.speaker == "" }

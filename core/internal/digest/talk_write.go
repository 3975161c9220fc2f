package digest

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// sections returns the sections of a digest of about size bytes. Statements chosen from the same message share a line.
func (k *talk) sections(size int) (out [sections]string) {
	k.serve(size)
	var b [sections]strings.Builder
	l := talkLines{talk: k, before: -1}
	l.kept, l.was = k.dropSuperseded(k.choose(size))
	l.alike = k.chosen.Alike(l.kept)
	for from, to := 0, 0; from < len(l.kept); from = to {
		item := l.kept[from].Item
		for to < len(l.kept) && l.kept[to].Item == item {
			to++
		}
		src := k.sources[item]
		switch text := l.line(from, to); {
		case text == "":
		case src.section == dialogue:
			l.tell(&b[dialogue], item, text)
		default:
			b[src.section].WriteString(plainBullet + statementLine(text, "") + "\n")
		}
	}
	for i := range b {
		out[i] = strings.TrimSuffix(b[i].String(), "\n")
	}
	return out
}

// talkLines writes the lines of a digest.
type talkLines struct {
	*talk
	kept         []extract.Chosen // the statements to write, in order
	was          []string         // for each statement, a note about the statement that it replaces
	alike        []extract.Alike  // for each statement, others that say the same
	day, speaker string           // of the last line
	before       int              // the item of the last line; -1 if there is none
	room         []byte           // a buffer for a line
}

// line returns the statements with indexes [from, to), which are from the same item, as one line. It leaves out those
// that only announce something that wasn't chosen, and returns "" if nothing is left.
func (l *talkLines) line(from, to int) string {
	line := l.room[:0]
	number, heading := 0, "" // of the previous item of a list
	for n := from; n < to; n++ {
		c := l.kept[n]
		src, whole := l.sources[c.Item], l.items[c.Item].Text
		if src.fresh && l.announces(l.kept[n:]) {
			continue
		}
		text := c.Text(whole)
		if src.fresh {
			over := listHeading(whole, c.From)
			if text, number = listed(rowOf(text), number); over != "" && over != heading && !bytes.HasSuffix(line, []byte(over)) {
				text = over + " " + text
			}
			heading = over
		}
		if src.at != 0 {
			text = l.absolute(text, src.at)
		}
		if src.section == dialogue {
			text = statementLine(text, l.was[n]+l.counterNote(c)+alikeNote(l.alike[n]))
			if bare := strings.TrimRight(text, ".。"); n+1 < to && bare != text && l.items[c.Item].Headed {
				text = bare + "；"
			} else if n+1 < to && l.items[c.Item].Terse && bare != text { // parts of one matter
				text = bare + ";"
			}
		}
		if end, _ := utf8.DecodeLastRune(line); len(line) > 0 && end != '。' && end != '；' {
			line = append(line, ' ')
		}
		line = append(line, text...)
	}
	l.room = line
	return string(line)
}

// tell writes a line of an item to w. Before the line, it writes the day or the mark for a gap and, if the speaker
// changes, the speaker.
func (l *talkLines) tell(w *strings.Builder, item int, text string) {
	src := l.sources[item]
	if src.day != l.day && src.day != "" {
		l.day, l.speaker = src.day, ""
		w.WriteString("[" + Fence(src.day) + "]\n")
	} else if l.before >= 0 && l.parted(l.before, item) {
		w.WriteString(gapMark + "\n")
	}
	l.before = item
	if src.speaker == "" { // from a model
		src.speaker = "assistant"
	}
	if src.speaker != l.speaker || !continuesLine(text) {
		w.WriteString(src.speaker + labelMark)
	}
	l.speaker = src.speaker
	w.WriteString(text)
	if src.denied {
		w.WriteString(deniedMark)
	}
	w.WriteByte('\n')
}

// clipped returns the beginning and the end of the first text, in about size bytes, or "" if there is too little room.
// It is used if nothing can be chosen because the talk is a single endless sentence.
func (k *talk) clipped(size int) string {
	for i, src := range k.sources {
		if room := size - len(src.speaker) - len(labelMark); src.fresh && room >= leastRequest {
			text := onOneLine(k.items[i].Text)
			return src.speaker + labelMark + statementLine(clipRequest(text, room), "")
		}
	}
	return ""
}

// absolute adds the date to each word that is relative to at, the day of the statement: "yesterday (7 May, 2023)". It
// doesn't change text that names a year.
func (k *talk) absolute(text string, at dates.Date) string {
	ws := words.Append(nil, text)
	found := dates.Relative(text, ws, at)
	if len(found) == 0 {
		return text
	}
	for _, d := range dates.FindDates(text, ws) {
		if d.Year() > 0 {
			return text
		}
	}
	var b strings.Builder
	from := 0
	for _, m := range found {
		end := m.End
		for _, possessive := range [...]string{"'s", "’s"} {
			if strings.HasPrefix(text[end:], possessive) {
				end += len(possessive)
			}
		}
		b.WriteString(text[from:end] + " (" + k.spelled(m.Date) + ")")
		from = end
	}
	return b.String() + text[from:]
}

// spelled returns a date in the spelling of the chat's headers if one of them has the same month, or else in ISO 8601
// format.
func (k *talk) spelled(d dates.Date) string {
	if like := k.months[d.Month()]; like != "" && d.Month() > 0 {
		if text, ok := d.InStyleOf(like); ok {
			return text
		}
	}
	return string(d.Append(nil))
}

package summary

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// Limits for records that are too long for one request.
const (
	fewParts = 8  // up to this number of parts, tool results are only clipped to 1,000 bytes
	MaxParts = 32 // above this number of parts, the middle of the record is left out
	// splitRoom is the minimum room for a record, in tokens, at which the record is split. With less room, the requests
	// would contain more prompt than record.
	splitRoom = 1000
)

// rungs are the steps by which a record in the style of a published system is made to fit. Tool results and arguments
// are clipped to fewer and fewer bytes, and finally reasoning is left out as well.
var rungs = []struct {
	clip     int
	thoughts bool
}{{16000, true}, {4000, true}, {1000, true}, {1000, false}, {200, false}}

// part is a part of the record of messages that fits into one request.
type part struct {
	messages []int32 // their indexes
	record   string  // the rendered messages
	tokens   int     // the size of the record
}

// openClip is the maximum length of tool results and arguments, in bytes, if requests can have any size.
const openClip = 16000

// parts returns the record of the messages in one part if clipping makes it fit into room tokens, and in several parts
// otherwise. It splits a group only if the group alone is too large for a part.
func (w *writing) parts(messages []int32, room int) []part {
	style := w.Style()
	if !style.Fitted {
		return w.rungParts(style, messages, room)
	}
	most := openClip
	if room < unlimited {
		most = w.doc.P.MaxUnits(room)
	}
	pieces := digest.NewPieces(w.t, messages, most, w.doc.P.Text)
	records, total, fits := pieces.Fit(room)
	switch {
	case fits:
		return []part{{messages, strings.Join(records, ""), total}}
	case room < splitRoom:
		return []part{{messages, strings.Join(pieces.Write(digest.Hardest), ""), room}} // request will clip it
	}
	return w.fewest(pieces, messages, room)
}

// fewest splits a record into as few parts of room tokens as possible with gentle clipping, which only shortens long
// texts. If that yields too many parts, it splits the record into as few as the hardest clipping allows, and then clips
// only as much as this number of parts requires.
func (w *writing) fewest(pieces *digest.Pieces, messages []int32, room int) []part {
	with := func(clips digest.Clips) []part {
		records := pieces.Write(clips)
		sizes := make([]int, len(records))
		for i, r := range records {
			sizes[i] = w.doc.P.Text(r)
		}
		return w.split("", messages, records, sizes, room)
	}
	clips := digest.Gentle
	parts := with(clips)
	if len(parts) > fewParts {
		clips = digest.Hardest
		parts = with(clips)
	}
	for _, percent := range []int{96, 88, 80} { // groups stay whole, so parts aren't filled completely
		if len(parts) == MaxParts {
			break // content was left out, which gentler clipping can't bring back
		}
		longer, ok := pieces.Solve(room * len(parts) / 100 * percent)
		if !ok || longer.Result <= clips.Result {
			break
		}
		if fuller := with(longer); len(fuller) <= len(parts) {
			return fuller
		}
	}
	return parts
}

// rungParts is like parts, but for the styles of published systems, which have their own limits.
func (w *writing) rungParts(style *digest.Style, messages []int32, room int) []part {
	var records []string
	var sizes []int
	render := func(clip int, thoughts bool) (total int) {
		records, sizes = records[:0], sizes[:0]
		for i := range messages {
			r := style.Record(w.t, messages[i:i+1], digest.RecordOptions{Clip: clip, Thoughtless: !thoughts, First: i})
			if r != "" {
				r += style.Between
			}
			size := w.doc.P.Text(r)
			records, sizes, total = append(records, r), append(sizes, size), total+size
		}
		return total
	}
	whole := func(total int) []part {
		return []part{{messages, strings.TrimSuffix(strings.Join(records, ""), style.Between), total}}
	}
	for _, rung := range rungs {
		if total := render(rung.clip, rung.thoughts); total <= room {
			return whole(total)
		}
	}
	if room < splitRoom {
		return whole(room) // request will clip it
	}
	if gentle := rungs[len(rungs)-2]; render(gentle.clip, gentle.thoughts) > room*(fewParts-1) {
		render(rungs[len(rungs)-1].clip, false)
	}
	return w.split(style.Between, messages, records, sizes, room)
}

// split joins the records of messages into parts of at most room tokens, with between as the separator. sizes contains
// the sizes of the records in tokens.
func (w *writing) split(between string, messages []int32, records []string, sizes []int, room int) []part {
	groups := w.t.Groups(messages)
	var out []part
	var b strings.Builder
	from, sum := 0, 0
	end := func(at int) {
		if at > from {
			out = append(out, part{messages[from:at], strings.TrimSuffix(b.String(), between), sum})
		}
		b.Reset()
		from, sum = at, 0
	}
	for i := 0; i < len(messages); {
		next, size := i, 0
		for next < len(messages) && groups[next] == groups[i] {
			size += sizes[next]
			next++
		}
		if sum+size > room {
			end(i)
		}
		for ; i < next; i++ {
			if sum > 0 && sum+sizes[i] > room {
				end(i)
			}
			if sizes[i] > room {
				records[i] = digest.Clip(records[i], len(records[i])*room/sizes[i]*9/10)
				sizes[i] = w.doc.P.Text(records[i])
			}
			b.WriteString(records[i])
			sum += sizes[i]
		}
	}
	end(len(messages))
	if over := len(out) - MaxParts; over > 0 {
		out = append(out[:1], out[1+over:]...)
		note := "[… the record leaves out what was between; there was too much of it …]\n\n"
		out[1].record = note + out[1].record
	}
	return out
}

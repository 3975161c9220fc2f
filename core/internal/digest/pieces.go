package digest

import (
	"slices"
	"sort"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Pieces is the record of messages before clipping. With it, the record can be fitted into a request without reading
// the messages again.
type Pieces struct {
	list     []piece               // the pieces, in order
	messages int                   // the number of messages
	measure  func(text string) int // returns the number of tokens

	long        []int32 // the indexes of the pieces that can be clipped
	said, brief int     // the numbers of tokens in words and short results, which stay whole, and in short reasoning
}

// piece is an entry of the record: a text, a call or a result.
type piece struct {
	message    int32     // the index of the message among the recorded messages
	kind       pieceKind // how it may be clipped
	head, text string    // the heading of the entry, and its text
	tokens     int       // size of both, in tokens
}

// pieceKind is the kind of a piece, which determines how the piece may be clipped.
type pieceKind uint8

const (
	wholePiece   pieceKind = iota // the words of the user or the assistant
	resultPiece                   // the output or the arguments of a tool, or the output of a command
	thoughtPiece                  // the agent's reasoning
)

// NewPieces collects the pieces of messages. It shortens each piece that may be clipped to about
// most bytes. measure returns the number of tokens in a text.
func NewPieces(t *transcript.Transcript, messages []int32, most int, measure func(text string) int) *Pieces {
	p := &Pieces{messages: len(messages), measure: measure}
	f := flattener{t: t, guarded: true}
	for k, i := range messages {
		f.piece = func(kind pieceKind, head, text string) {
			if kind != wholePiece && len(text) > most {
				text = clipResult(text, most)
			}
			q := piece{message: int32(k), kind: kind, head: head, text: text, tokens: measure(text) + measure(head) + 1}
			switch {
			case kind == resultPiece && len(text) > hardClip, kind == thoughtPiece && len(text) > leastThought:
				p.long = append(p.long, int32(len(p.list)))
			case kind == thoughtPiece:
				p.brief += q.tokens
			default:
				p.said += q.tokens
			}
			p.list = append(p.list, q)
		}
		f.message(int(i))
	}
	return p
}

// Clips holds the maximum lengths of texts in bytes. Result applies to the output and the arguments of tools. Thought
// applies to reasoning, which is left out if the limit is below leastThought.
type Clips struct{ Result, Thought int }

// unclipped is a maximum length, in bytes, at which nothing is clipped.
const unclipped = 1 << 30

// Gentle holds the limits for a record that is split into parts. Hardest holds those for a record that wouldn't fit
// otherwise.
var (
	Gentle  = Clips{gentleClip, 0}
	Hardest = Clips{hardClip, 0}
)

// The bounds of the limits in bytes. Results are first shortened to gentleClip at least. Then reasoning is shortened or
// left out. Finally, results are shortened to hardClip at least.
const (
	gentleClip   = 1000
	hardClip     = 200
	leastThought = 120
)

// markTokens is the approximate size, in tokens, of the mark that replaces clipped text.
const markTokens = 12

// size returns the estimated number of tokens in the record if it is clipped to c. It assumes that the tokens of a text
// are distributed evenly.
func (p *Pieces) size(c Clips) int {
	sum := p.said
	if c.Thought >= leastThought {
		sum += p.brief
	}
	for _, i := range p.long {
		q, most := &p.list[i], c.Result
		if q.kind == thoughtPiece {
			if most = c.Thought; most < leastThought {
				continue
			}
		}
		if len(q.text) <= most {
			sum += q.tokens
		} else {
			sum += q.tokens*most/len(q.text) + markTokens
		}
	}
	return sum
}

// longest returns the length, in bytes, of the longest piece of the given kind, or 0 if there is none.
func (p *Pieces) longest(kind pieceKind) (most int) {
	for i := range p.list {
		if p.list[i].kind == kind {
			most = max(most, len(p.list[i].text))
		}
	}
	return most
}

// Solve returns the most generous limits for which the estimated size of the record is at most room tokens. ok is false
// if it is too large even with Hardest.
func (p *Pieces) Solve(room int) (Clips, bool) {
	search := func(from, to int, of func(clip int) Clips) Clips {
		n := sort.Search(max(0, to-from), func(n int) bool { return p.size(of(from+n+1)) > room })
		return of(from + n)
	}
	results := func(thought int) func(int) Clips {
		return func(clip int) Clips { return Clips{clip, thought} }
	}
	all := Clips{unclipped, unclipped}
	switch {
	case p.size(all) <= room:
		return all, true
	case p.size(Clips{gentleClip, unclipped}) <= room:
		return search(gentleClip, p.longest(resultPiece), results(unclipped)), true
	case p.size(Gentle) <= room:
		c := search(0, p.longest(thoughtPiece), func(clip int) Clips { return Clips{gentleClip, clip} })
		return search(gentleClip, p.longest(resultPiece), results(c.Thought)), true
	case p.size(Hardest) <= room:
		return search(hardClip, gentleClip, results(0)), true
	}
	return Hardest, false
}

// Write returns the records of the messages, one per message, with their texts clipped to c.
func (p *Pieces) Write(c Clips) []string {
	out := make([]string, p.messages)
	var b []byte
	for from := 0; from < len(p.list); {
		to, message := from, p.list[from].message
		b = b[:0]
		for ; to < len(p.list) && p.list[to].message == message; to++ {
			b = p.list[to].append(b, c)
		}
		out[message] = string(b)
		from = to
	}
	return out
}

// append appends the piece to b, clipped to the limits in c. Reasoning is omitted if c leaves too
// little room for it.
func (q *piece) append(b []byte, c Clips) []byte {
	text := q.text
	switch {
	case q.kind == resultPiece && len(text) > c.Result:
		text = clipResult(text, c.Result)
	case q.kind == thoughtPiece && c.Thought < leastThought:
		return b
	case q.kind == thoughtPiece && len(text) > c.Thought:
		text = Clip(text, c.Thought)
	}
	b = append(append(b, mark...), q.head...)
	if text != "" {
		b = append(append(b, ' '), text...)
	}
	return append(b, "\n\n"...)
}

// tries is the maximum number of attempts to write a record that fills its room.
const tries = 4

// Fit returns the records of all messages, in at most room tokens altogether. If anything is clipped, they almost fill
// the room. The longest results lose the most, while the words of the user and the assistant are kept whole. ok is
// false if the records don't fit even with Hardest.
func (p *Pieces) Fit(room int) (records []string, tokens int, ok bool) {
	aim := room
	for range tries {
		c, solved := p.Solve(aim)
		if !solved {
			break
		}
		texts := p.Write(c)
		size := p.measure(strings.Join(texts, ""))
		if size > room {
			aim -= size - room + aim/64 + 1
			continue
		}
		if !ok || size > tokens {
			records, tokens, ok = texts, size, true
		}
		if c == (Clips{unclipped, unclipped}) || size >= room-room/32 {
			break
		}
		aim += (room - size) * 7 / 8 // not all of it, because Solve adds up the sizes of pieces, which is only an estimate
	}
	return records, tokens, ok
}

// Limits for the error lines that a clipped result keeps: their number, the length of a line in bytes, and the number
// of bytes of the result that are searched for them.
const (
	keptTroubles = 4
	troubleBytes = 160
	lookTroubles = 1 << 18
)

// clipResult shortens the output of a tool to about max bytes. Two thirds come from the beginning and one third from
// the end, with the first error lines in between.
func clipResult(text string, max int) string {
	if len(text) <= max || max < 4*troubleBytes {
		return Clip(text, max)
	}
	kept := troublesIn(text[max*2/3:len(text)-(max-max*2/3)], max/4)
	if kept == "" {
		return Clip(text, max)
	}
	max -= len(kept)
	head := trimRune(text[:max*2/3])
	tail := text[len(text)-(max-max*2/3):]
	for len(tail) > 0 && tail[0]&0xc0 == 0x80 {
		tail = tail[1:]
	}
	return head + "\n" + LeftOut(len(text)-len(head)-len(tail)) + "\n" + kept + "[…]\n" + tail
}

// signals lists strings that mark errors in program output, spelled as they usually are.
var signals = []string{"rror: ", "rror:", "ERROR", "FAIL", "panic:", "Traceback", "xception", "fatal:", "FATAL"}

// troublesIn returns the first complete error lines of text, without duplicates and in at most max bytes, or "" if
// there are none.
func troublesIn(text string, max int) string {
	// Drop the first line, because its beginning is missing.
	_, text, _ = strings.Cut(text[:min(len(text), lookTroubles)], "\n")
	var lines []string
	size := 0
	for _, signal := range signals {
		rest := text
		for n := 0; n < keptTroubles && len(lines) < keptTroubles; n++ {
			at := strings.Index(rest, signal)
			if at < 0 {
				break
			}
			from := strings.LastIndexByte(rest[:at], '\n') + 1
			end := strings.IndexByte(rest[at:], '\n')
			if end < 0 {
				break // the line itself was clipped
			}
			line := clipLine(rest[from:at+end], troubleBytes)
			rest = rest[at+end:]
			if size+len(line)+1 > max || slices.Contains(lines, line) {
				continue
			}
			lines, size = append(lines, line), size+len(line)+1
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

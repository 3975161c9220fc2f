package exact

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// A compaction block covers the messages of one loop: one run of an agent, from a request until the agent is done. The
// block determines which turns the model sees unchanged, which shortened, and which as single lines. The stored
// messages never change (S0.39).

// TurnRange is a range of turns that includes both ends. If End is smaller than Start, the range is empty.
//
//easyjson:json
type TurnRange struct {
	Start int `json:"startTurn"`
	End   int `json:"endTurn"`
}

// Section is what the model sees in place of a range of turns. Its messages are a JSON list.
//
//easyjson:json
type Section struct {
	Range    TurnRange `json:"range"`
	Messages []api.Raw `json:"messages"`
}

// Block is a compaction block (S0.40). Missing sections are nil. CreatedAt can be any JSON value.
//
//easyjson:json
type Block struct {
	KeepFirst     *TurnRange `json:"keep_first,omitempty"`
	KeepRecent    *Section   `json:"keep_recent,omitempty"`
	KeepCompacted *Section   `json:"keep_compacted,omitempty"`
	CreatedAt     api.Raw    `json:"createdAt"`
}

// BlockConfig configures how blocks are made (S0.42).
type BlockConfig struct {
	KeepFirstTurns, KeepRecentTurns int // numbers of turns to keep at the beginning and at the end
	MaxSummaryTokens                int // limit for all lines together
	MaxLines                        int // limit for each text of a tool result
}

// Turns returns the turns of messages [from, to) as half-open ranges of messages. Adjacent messages with the same turn
// index are one turn; a message without a turn index is a turn of its own (S0.41).
func Turns(t *transcript.Transcript, from, to int) [][2]int {
	var turns [][2]int
	last, running := 0, false
	for m := from; m < to; m++ {
		turn, has := 0, false
		if meta := t.Messages[m].Meta; meta > 0 {
			turn, has = t.Metas[meta-1].Turn, t.Metas[meta-1].HasTurn
		}
		if has && running && turn == last {
			turns[len(turns)-1][1] = m + 1
		} else {
			turns = append(turns, [2]int{m, m + 1})
		}
		last, running = turn, has
	}
	return turns
}

// Blocks makes blocks from a single transcript.
type Blocks struct {
	in     view.Input // the transcript, with its policy
	run    passes.Run // edits and measures the messages
	groups []int32    // by message, the number of its group
}

// NewBlocks returns a Blocks for the messages of an input.
func NewBlocks(in view.Input) *Blocks {
	c := compact.Begin(in)
	return &Blocks{in, c, c.Doc().T.Groups(c.Doc().MessageOrder())}
}

// Tokens returns the estimated tokens of messages [from, to).
func (bs *Blocks) Tokens(from, to int) int { return bs.run.Doc().Tokens(from, to) }

// Make makes the block for the loop in messages [from, to). The newest loop keeps its first and its newest turns; tool
// results in the newest turns are shortened to their first and last lines. The assistant's other messages, and all of
// them in older loops, become lines until the token budget for lines is used up (S0.44, S0.45).
//
// With wire_safe no turn is shown twice (S0.47), calls stay with their results, and open calls stay, as do the user's
// messages between the lines (S0.48).
func (bs *Blocks) Make(from, to int, newest bool, config BlockConfig) Block {
	c := bs.run
	turns := Turns(c.Doc().T, from, to)
	total := len(turns)
	var b Block
	if total == 0 {
		return b
	}
	first, recent := 0, total
	if newest {
		first = min(config.KeepFirstTurns, total)
		recent = max(0, total-config.KeepRecentTurns)
		if c.Policy().IsWireSafe() {
			first, recent = bs.whole(turns, first, recent)
		}
		if first > 0 || !c.Policy().IsWireSafe() {
			b.KeepFirst = &TurnRange{0, max(0, first-1)}
		}
		if recent < total || !c.Policy().IsWireSafe() {
			start := to
			if recent < total {
				start = turns[recent][0]
			}
			b.KeepRecent = &Section{TurnRange{recent, total - 1}, bs.truncated(start, to, config.MaxLines)}
		}
	}
	if first < recent {
		b.KeepCompacted = lines(c, turns, first, recent, config.MaxSummaryTokens)
	}
	return b
}

// whole moves the end of the first turns and the start of the newest turns so that calls stay with their results and
// open calls stay. It returns both. turns are the ranges of the messages of each turn; first and recent are indexes of
// it.
func (bs *Blocks) whole(turns [][2]int, first, recent int) (int, int) {
	total := len(turns)
	start := func(turn int) bool {
		return turn == 0 || turn == total || bs.groups[turns[turn][0]] != bs.groups[turns[turn][0]-1]
	}
	for !start(first) {
		first++
	}
	recent = max(first, recent)
	for turn := first; turn < recent; turn++ {
		for m := turns[turn][0]; m < turns[turn][1]; m++ {
			if bs.run.Doc().T.OpenCalls(m) {
				recent = turn
			}
		}
	}
	for recent > first && !start(recent) {
		recent--
	}
	return first, recent
}

// truncated returns messages [from, to) with only the first and last lines of their tool results. At most maxLines
// lines of each result are kept.
func (bs *Blocks) truncated(from, to, maxLines int) (list []api.Raw) {
	c := bs.run
	p := &passes.TruncatePass{MaxLines: maxLines}
	all := func(string) bool { return true }
	for m := from; m < to; m++ { // edit all messages before writing the first, so that edits are sorted only once
		n := 0
		if c.Policy().IsWireSafe() {
			n, _ = p.Message(c, int32(m), all)
		} else {
			n, _ = truncateMessage(c, int32(m), maxLines, all)
		}
		c.Doc().Items[m].Dirty = n > 0
	}
	for m := from; m < to; m++ {
		list = append(list, c.Doc().AppendMessage(nil, &c.Doc().Items[m]))
	}
	return list
}

// shortText is the maximum length, in bytes, of text in the line of a turn (S0.19).
const shortText = 200

// lines returns the section with one line for each of the assistant's messages in the turns [first,
// recent), or nil if it would be empty. With wire_safe it also contains the messages of the user
// and the system. tokens is the budget for the lines; a line that exceeds it is left out and,
// without wire_safe, so are all after it.
func lines(c passes.Run, turns [][2]int, first, recent, tokens int) *Section {
	doc := c.Doc()
	s := &Section{Range: TurnRange{first, recent - 1}}
	safe, used, says := c.Policy().IsWireSafe(), 0, short(shortText)
	if safe {
		says = passes.Short(doc, shortText)
	}
	for m := turns[first][0]; m < turns[recent-1][1]; m++ {
		if doc.T.Messages[m].Role != transcript.Assistant {
			if safe && (doc.T.HasUserText(m) || doc.T.Messages[m].Role == transcript.System) {
				s.Messages = append(s.Messages, doc.T.Bytes(doc.T.Messages[m].Span))
			}
			continue
		}
		line := passes.Line(doc, m, m+1, digest.LineMarker, says)
		cost := doc.P.Text(line)
		if used+cost <= tokens {
			used += cost
			s.Messages = append(s.Messages, passes.LineMessage(doc, line, m, m+1))
		} else if !safe {
			break // with wire_safe later lines may be shorter, and the user's words must not be lost
		}
	}
	if len(s.Messages) == 0 {
		return nil
	}
	return s
}

// Loop is one loop of a session: messages [From, To).
type Loop struct {
	ID, Parent string // the loop's id, and that of the loop before it; "" for none
	From, To   int
	Absent     bool // its messages are unavailable
}

// Chain returns the loops that lead to the one whose id is current, each the parent of the next. If a parent is missing
// from loops, the chain begins with a placeholder for it, which is marked Absent.
func Chain(loops []Loop, current string) []Loop {
	sorted := slices.Clone(loops)
	sorting.Stable(sorted, func(a, b Loop) int { return cmp.Compare(a.ID, b.ID) })
	var chain []Loop
	seen := make([]bool, len(sorted))
	for id := current; id != ""; {
		i, found := slices.BinarySearchFunc(sorted, id, func(l Loop, id string) int { return cmp.Compare(l.ID, id) })
		if !found { // its messages are unavailable
			chain = append(chain, Loop{ID: id, Absent: true})
			break
		}
		for i+1 < len(sorted) && sorted[i+1].ID == id { // if several loops have this id, take the last
			i++
		}
		if seen[i] {
			break
		}
		seen[i] = true
		chain = append(chain, sorted[i])
		id = sorted[i].Parent
	}
	slices.Reverse(chain)
	return chain
}

// InScope returns the number of loops to consider: the newest loop and count older ones. If count is negative, it goes
// back from the newest loop as far as a budget, in tokens, allows (S0.46).
func (bs *Blocks) InScope(chain []Loop, count, budget int) int {
	if count >= 0 {
		return min(count, len(chain)) + 1
	}
	n := 1
	for i := len(chain) - 2; i >= 0; i-- {
		if budget -= bs.Tokens(chain[i].From, chain[i].To); budget < 0 {
			break
		}
		n++
	}
	return n
}

// of returns the turns in the range, as far as they exist.
func (r *TurnRange) of(turns [][2]int) [][2]int {
	from := max(0, min(r.Start, len(turns)))
	return turns[from:max(from, min(r.End+1, len(turns)))]
}

// Context returns the messages that the model sees for a chain of loops: the first, compacted and
// recent turns of the newest loop, and only the lines of older loops; a loop without a block is
// shown unchanged (S0.45). Only the last scope loops of the chain are shown, and the newest in any
// case. blocks has one element for each loop of the chain, which is nil if the loop has no block.
// With wire_safe the list is repaired so that providers accept it. ok is false if a block contains
// anything that isn't a message.
func (bs *Blocks) Context(chain []Loop, scope int, blocks []*Block) (list []api.Raw, ok bool) {
	c := bs.run
	raw := func(from, to int) {
		for m := from; m < to; m++ {
			list = append(list, c.Doc().T.Bytes(c.Doc().T.Messages[m].Span))
		}
	}
	for i, l := range chain {
		b, newest := blocks[i], i == len(chain)-1
		if !newest && len(chain)-i > scope {
			continue
		}
		if b == nil {
			raw(l.From, l.To)
			continue
		}
		if newest && b.KeepFirst != nil {
			for _, turn := range b.KeepFirst.of(Turns(c.Doc().T, l.From, l.To)) {
				raw(turn[0], turn[1])
			}
		}
		if b.KeepCompacted != nil {
			list = append(list, b.KeepCompacted.Messages...)
		}
		if newest && b.KeepRecent != nil {
			list = append(list, b.KeepRecent.Messages...)
		}
	}
	if c.Policy().IsWireSafe() {
		return bs.repaired(list)
	}
	return list, true
}

// repaired repairs a list of JSON messages. It returns false if one of them is not a message of the format.
func (bs *Blocks) repaired(list []api.Raw) ([]api.Raw, bool) {
	in := bs.in
	t := &transcript.Transcript{Src: []byte("[]"), Named: in.Format.Rules.Named, Ordered: in.Format.Rules.Ordered,
		Weigh: in.Transcript.Weigh}
	t.Outer, t.List = jsonspan.Span{End: 2}, jsonspan.Span{End: 2}
	for _, m := range list {
		if _, ok := in.Format.AddOne(t, m); !ok {
			return nil, false
		}
	}
	in.Format.Pair(t, 0)
	in.Transcript, in.N = t, len(t.Messages)
	t.Input = in.N
	c := compact.Begin(in)
	if c.Mend().Repair(); !c.Doc().IsChanged() {
		return list, true
	}
	var out []api.Raw
	for i := range c.Doc().Items {
		out = append(out, c.Doc().AppendMessage(nil, &c.Doc().Items[i]))
	}
	return out, true
}

// Estimate returns the estimated tokens of a list of JSON messages. Values that are not messages of the format count
// as 0 tokens.
func (bs *Blocks) Estimate(list []api.Raw) (tokens int) {
	in := bs.in
	t := &transcript.Transcript{Src: []byte("[]"), Named: in.Format.Rules.Named, Ordered: in.Format.Rules.Ordered, Weigh: in.Transcript.Weigh}
	for _, m := range list {
		if n, ok := in.Format.AddOne(t, m); ok {
			tokens += in.Estimator.Message(t, int(n))
		}
	}
	return tokens
}

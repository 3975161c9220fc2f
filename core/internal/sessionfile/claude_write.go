package sessionfile

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// ccTurn is a message in the result: all lines of one provider message, or one line from the user.
type ccTurn struct {
	lines []int32 // their indexes
	user  bool    // whether the user wrote it
}

// write writes the messages of the path. All lines of a provider message become one message, including lines off the
// path. The results of its tool calls become one message directly after it, wherever they are in the file.
func (c *claudeCode) write() {
	turns := c.turns()
	for i := range turns {
		t := &turns[i]
		if t.user {
			c.user(t.lines[0])
			continue
		}
		if !c.assistant(t) {
			c.noteSkipped(api.SkipEmpty, 1)
			continue
		}
		next := int32(-1)
		if i+1 < len(turns) && turns[i+1].user {
			next = turns[i+1].lines[0]
		}
		c.results(t, next)
	}
}

// turns returns the messages of the path, and assigns results to their tool calls.
func (c *claudeCode) turns() []ccTurn {
	head, same := c.messageLines()
	done := make([]bool, c.numbers) // whether each provider message has been added, by id
	seen := make([]bool, c.numbers) // whether each line has been added, by uuid
	call := filled(c.numbers, -1)   // the last call with each id, as a block
	var turns []ccTurn
	for _, i := range c.path {
		l := &c.records[i]
		switch {
		case !l.isMessage() || l.failed:
		case l.kind == ccUser && l.replay && l.uuid != noID && seen[l.uuid]:
		case l.kind == ccUser:
			l.used = true
			l.mark(seen)
			turns = append(turns, ccTurn{lines: []int32{i}, user: true})
			c.pair(l, call)
		case l.id == noID:
			var t ccTurn
			c.join(&t, i, call)
			turns = append(turns, t)
		case !done[l.id]:
			done[l.id] = true
			var t ccTurn
			for k := head[l.id]; k >= 0; k = same[k] {
				if !c.repeats(k, seen) {
					c.join(&t, k, call)
				}
			}
			turns = append(turns, t)
		}
	}
	c.pairOffPath(call)
	return turns
}

// messageLines returns the first line of each provider message, by id, and for each line the next one of the same
// message; -1 means none.
func (c *claudeCode) messageLines() (head, same []int32) {
	head, same = filled(c.numbers, -1), filled(len(c.records), -1)
	for i := len(c.records) - 1; i >= 0; i-- {
		if l := &c.records[i]; l.kind == ccAssistant && !l.side && !l.failed && l.id != noID {
			same[i], head[l.id] = head[l.id], int32(i)
		}
	}
	return head, same
}

// mark marks the uuid of a line, if it has one, in seen. It returns whether the uuid had already been marked.
func (l *ccLine) mark(seen []bool) (was bool) {
	if l.uuid != noID {
		was, seen[l.uuid] = seen[l.uuid], true
	}
	return was
}

// repeats reports whether a line of a provider message repeats an earlier line, according to the uuids in seen.
func (c *claudeCode) repeats(i int32, seen []bool) bool {
	if !c.records[i].mark(seen) {
		return false
	}
	c.records[i].used = true
	c.noteSkipped(api.SkipDuplicate, 1)
	return true
}

// join adds line i to a provider message. call has, by the number of its id, the block of each call so far; join adds
// those of this line.
func (c *claudeCode) join(t *ccTurn, i int32, call []int32) {
	l := &c.records[i]
	l.used = true
	t.lines = append(t.lines, i)
	for b := l.first; b < l.end; b++ {
		if p := &c.blocks[b]; p.kind == ccCall && p.id != noID {
			call[p.id] = b
		}
	}
}

// pair assigns the tool results in a user line to their calls. A result without a call stays where it is.
func (c *claudeCode) pair(l *ccLine, call []int32) {
	for b := l.first; b < l.end; b++ {
		p := &c.blocks[b]
		if p.kind != ccResult || p.id == noID || call[p.id] < 0 {
			continue
		}
		p.moved = true
		if of := &c.blocks[call[p.id]]; of.answer < 0 {
			of.answer = b
		} else {
			c.noteSkipped(api.SkipDuplicate, 1)
		}
	}
}

// pairOffPath pairs results off the path with those calls that have no result on it. call holds the
// last call with each id, as a block.
func (c *claudeCode) pairOffPath(call []int32) {
	for b := range c.blocks {
		p := &c.blocks[b]
		l := &c.records[p.line]
		if p.kind != ccResult || p.id == noID || call[p.id] < 0 || l.used || l.side || l.kind != ccUser {
			continue
		}
		if of := &c.blocks[call[p.id]]; of.answer < 0 && of.line < p.line {
			of.answer, p.moved = int32(b), true
		}
	}
	for b := range c.blocks {
		if p := &c.blocks[b]; p.moved {
			c.records[p.line].used = true
		}
	}
}

// synthetic is the model name on messages that the agent wrote itself.
const synthetic = "<synthetic>"

// assistant writes a provider message, and notes its model and its token counts. It returns false if the message is empty
// and therefore not written.
func (c *claudeCode) assistant(t *ccTurn) bool {
	index := c.Count
	if len(t.lines) == 1 {
		l := &c.records[t.lines[0]]
		if !c.filled(l) {
			return false
		}
		c.begin("assistant")
		c.addOrigin(t.lines[0])
		c.appendPieces(l.content)
	} else {
		n := 0
		for _, i := range t.lines {
			c.blocksOf(&n, i)
		}
		if n == 0 {
			return false
		}
		c.appendPieces(`]`)
	}
	c.appendPieces(`}`)
	for _, i := range t.lines {
		l := &c.records[i]
		if l.model.IsZero() || jsonspan.EqualText(c.src, l.model, synthetic) {
			continue
		}
		c.Model = c.textAt(l.model)
		if i > c.cut && !l.usage.IsZero() {
			c.noteUsage(index, c.usageAt(l.usage))
		}
	}
	return true
}

// blocksOf writes the blocks of a line of a provider message. n counts the blocks.
func (c *claudeCode) blocksOf(n *int, i int32) {
	l := &c.records[i]
	if !c.filled(l) {
		return
	}
	if l.first == l.end {
		c.element(n, "assistant", i)
		c.appendPieces(`{"type":"text","text":`, l.content, `}`)
	}
	for b := l.first; b < l.end; b++ {
		c.element(n, "assistant", i)
		c.appendPieces(c.blocks[b].span)
	}
}

// findModel takes the model from a response that a compaction removed, if no other response is left.
func (c *claudeCode) findModel() {
	for i := len(c.records) - 1; i >= 0 && c.Model == ""; i-- {
		if l := &c.records[i]; !l.side && !l.failed && !l.model.IsZero() && !jsonspan.EqualText(c.src, l.model, synthetic) {
			c.Model = c.textAt(l.model)
		}
	}
}

// results writes a message with the results of a message's tool calls, in the order of the calls. If the line next
// contributed results, its other content goes into the same message.
func (c *claudeCode) results(t *ccTurn, next int32) {
	n := 0
	for _, i := range t.lines {
		l := &c.records[i]
		for b := l.first; b < l.end; b++ {
			if a := c.blocks[b].answer; a >= 0 {
				c.element(&n, "user", c.blocks[a].line)
				c.appendPieces(c.blocks[a].span)
			}
		}
	}
	if n == 0 {
		return
	}
	if next >= 0 && c.hasMovedBlock(next) {
		l := &c.records[next]
		for b := l.first; b < l.end; b++ {
			if p := &c.blocks[b]; !p.moved {
				p.moved = true
				c.element(&n, "user", next)
				c.appendPieces(p.span)
			}
		}
	}
	c.appendPieces(`]}`)
}

// hasMovedBlock reports whether line i has a tool result that is written elsewhere (directly after its call) or left
// out.
func (c *claudeCode) hasMovedBlock(i int32) bool {
	for b := c.records[i].first; b < c.records[i].end; b++ {
		if c.blocks[b].moved {
			return true
		}
	}
	return false
}

// user writes the user message on line i without the tool results that were moved elsewhere.
func (c *claudeCode) user(i int32) {
	l := &c.records[i]
	if !c.filled(l) {
		c.noteSkipped(api.SkipEmpty, 1)
		return
	}
	if !c.hasMovedBlock(i) {
		c.begin("user")
		c.addOrigin(i)
		c.appendPieces(l.content, `}`)
		return
	}
	n := 0
	for b := l.first; b < l.end; b++ {
		if p := &c.blocks[b]; !p.moved {
			c.element(&n, "user", i)
			c.appendPieces(p.span)
		}
	}
	if n > 0 {
		c.appendPieces(`]}`)
	}
}

func (c *claudeCode) filled(l *ccLine) bool {
	return l.end > l.first || l.content.Len() > 2 && c.src[l.content.Start] == '"'
}

// begin starts a message with the given role, up to the colon before its content. The caller writes the content and the
// closing brace.
func (c *claudeCode) begin(role string) {
	c.beginMessage()
	c.appendPieces(`{"role":"` + role + `","content":`)
}

// element starts the next content block of a message with the given role. The block comes from the given line. n
// counts the blocks of the message; the first one also starts the message.
func (c *claudeCode) element(n *int, role string, line int32) {
	if *n == 0 {
		c.begin(role)
		c.appendPieces(`[`)
	} else {
		c.appendPieces(`,`)
	}
	*n++
	c.addOrigin(line)
}

// countSkipped counts the lines that don't belong to any message in the result.
func (c *claudeCode) countSkipped() {
	there := make([]bool, c.numbers)
	for i := range c.records {
		if l := &c.records[i]; l.used && l.uuid != noID {
			there[l.uuid] = true
		}
	}
	begin := c.cut
	if begin < 0 && len(c.path) > 0 && c.records[c.path[0]].summary {
		begin = c.path[0] // old versions write only the summary
	}
	for i := range c.records {
		switch l := &c.records[i]; {
		case l.used:
		case !l.isMessage():
			c.noteSkipped(api.SkipMeta, 1)
		case l.side:
			c.noteSkipped(api.SkipSideChain, 1)
		case l.failed:
			c.noteSkipped(api.SkipAPIError, 1)
		case l.uuid != noID && there[l.uuid]:
			c.noteSkipped(api.SkipDuplicate, 1)
		case int32(i) < begin:
			c.noteSkipped(api.SkipCompacted, 1)
		default:
			c.noteSkipped(api.SkipBranch, 1)
		}
	}
}

package sessionfile

import "slices"

// resolve replaces ids with numbers and parents with indexes, and finds the first and the last line of the
// conversation.
func (c *claudeCode) resolve() {
	ranks, n := c.ids.rank()
	c.numbers = n
	main := false
	for i := range c.records {
		l := &c.records[i]
		ranks.number(&l.uuid, &l.parent, &l.id)
		main = main || !l.side && l.isMessage()
	}
	for i := range c.blocks {
		ranks.number(&c.blocks[i].id)
	}
	for i := range c.keeps {
		k := &c.keeps[i]
		ranks.number(&k.anchor, &k.head, &k.tail)
		for j := range k.uuids {
			ranks.number(&k.uuids[j])
		}
	}
	c.parents()
	c.ends(main)
}

// ends sets the leaf, which is the last line of the conversation, and the cut, which is its last
// compaction; -1 if there is none. main means that the file has lines of the main conversation; a
// subagent's own file has none, so its lines no longer count as a side chain.
func (c *claudeCode) ends(main bool) {
	c.leaf, c.cut = -1, -1
	cut := int32(-1) // the last compaction so far
	for i := range c.records {
		l := &c.records[i]
		l.side = l.side && main
		switch {
		case l.side:
		case l.kind == ccCompaction:
			cut = int32(i)
		case l.isMessage() && !l.failed:
			c.leaf, c.cut = int32(i), cut
		}
	}
}

func (l *ccLine) isMessage() bool { return l.kind == ccUser || l.kind == ccAssistant }

// parents sets each line's parent to the index of the nearest earlier line with the parent's uuid (or else the first
// later one), because a resumed session may repeat lines. A message without a parent member follows the line before it.
func (c *claudeCode) parents() {
	later := filled(c.numbers, -1)
	for i := len(c.records) - 1; i >= 0; i-- {
		if u := c.records[i].uuid; u != noID {
			later[u] = int32(i)
		}
	}
	before := filled(c.numbers, -1)
	last := int32(-1)
	for i := range c.records {
		l := &c.records[i]
		if l.parent == noID && !l.linked && l.isMessage() {
			l.parent = last
		} else {
			l.parent = nearest(l.parent, before, later)
		}
		if l.uuid != noID {
			before[l.uuid] = int32(i)
		}
		if !l.side && (l.linked || l.isMessage()) {
			last = int32(i)
		}
	}
}

// walk sets the path by following the parents from the leaf back to the last compaction, or to the root if there is
// none.
func (c *claudeCode) walk() {
	kept, anchor := c.relink()
	seen := make([]bool, len(c.records))
	for i := c.leaf; i >= 0; {
		seen[i] = true
		if i >= c.cut || kept[i] {
			c.path = append(c.path, i)
		}
		if i == c.cut {
			break
		}
		// If the parents don't lead to the compaction, the path begins with it all the same, because the messages
		// before it were removed.
		i = unseen(seen, c.records[i].parent, anchor, c.cut)
	}
	slices.Reverse(c.path)
}

// unseen returns the first of lines that exists and isn't marked in seen, or -1.
func unseen(seen []bool, lines ...int32) int32 {
	for _, i := range lines {
		if i >= 0 && !seen[i] {
			return i
		}
	}
	return -1
}

// relink moves the messages that the last compaction kept to their place after it. kept marks these
// lines. anchor is the line after which the conversation continues: the compaction's summary, the
// last kept message, or the compaction itself. It is -1 if there was no compaction.
func (c *claudeCode) relink() (kept []bool, anchor int32) {
	if c.cut < 0 {
		return make([]bool, len(c.records)), -1
	}
	anchor = c.lineWhere(c.cut+1, func(l *ccLine) bool { return l.summary && !l.side }, c.cut)
	kept = make([]bool, len(c.records))
	at := c.records[c.cut].keep
	if at < 0 {
		return kept, anchor
	}
	k := &c.keeps[at]
	chain := c.chain(k, kept)
	if len(chain) == 0 {
		return kept, anchor
	}
	behind := anchor // the line that the kept messages follow
	if k.anchor != noID {
		behind = c.lineWhere(c.cut, func(l *ccLine) bool { return l.uuid == k.anchor }, anchor)
	}
	tail := chain[len(chain)-1]
	for i := c.cut + 1; int(i) < len(c.records); i++ {
		if c.records[i].parent == behind {
			c.records[i].parent = tail
		}
	}
	last := behind
	for _, i := range chain {
		c.records[i].parent, last = last, i
	}
	if behind == anchor {
		anchor = tail
	}
	if behind == c.leaf { // nothing has been said since the compaction
		c.leaf = tail
	}
	return kept, anchor
}

// lineWhere returns the index of the first line, from index from up to the leaf, for which matches
// returns true. If there is no such line, it returns the parameter none.
func (c *claudeCode) lineWhere(from int32, matches func(l *ccLine) bool, none int32) int32 {
	for i := from; i <= c.leaf; i++ {
		if matches(&c.records[i]) {
			return i
		}
	}
	return none
}

// chain returns the lines that a compaction kept, in order, and marks them in kept.
func (c *claudeCode) chain(k *ccKeep, kept []bool) (chain []int32) {
	line := filled(c.numbers, -1) // the last line with each uuid before the compaction
	for i := int32(0); i < c.cut; i++ {
		if u := c.records[i].uuid; u != noID {
			line[u] = i
		}
	}
	for _, u := range k.uuids {
		if i := line[u]; i >= 0 && !kept[i] {
			kept[i] = true
			chain = append(chain, i)
		}
	}
	if len(k.uuids) > 0 {
		return chain
	}
	for i := line[k.tail]; i >= 0 && i < c.cut && !kept[i]; i = c.records[i].parent {
		kept[i] = true
		chain = append(chain, i)
		if c.records[i].uuid == k.head {
			break
		}
	}
	slices.Reverse(chain)
	return chain
}

package sessionfile

// save appends a compaction in Codex's own form, whose history is all remaining items. Unchanged items keep the members
// that Codex added to them. The text of the digest is also stored separately, for versions that read nothing else.
func (c *codex) save(s *saver) {
	s.write(`{"timestamp":`, quoted(s.nextTime()))
	if c.lastOrdinal >= 0 { // versions that number lines can't resume a file whose last line has no number
		s.write(`,"ordinal":`, c.lastOrdinal+1)
	}
	digest := ""
	if i := s.digest(); i >= 0 {
		_, digest = s.roleText(i)
	}
	s.write(`,"type":"compacted","payload":{"message":`, quoted(digest), `,"replacement_history":[`)
	for i, k := range s.from {
		s.writeComma(i)
		if k >= 0 && !c.items[s.firstRecord(k)].summary {
			s.write(c.items[s.firstRecord(k)].span)
		} else {
			s.write(s.body(i))
		}
	}
	s.write("]}}\n")
}

package sessionfile

import "github.com/ctxfold/ctxfold/core/internal/jsonspan"

// save adds a compaction as Codex writes one, with all items that are left. Items that are still as they were keep what the agent
// has noted in them. The text of the digest is told apart from them for versions that read nothing else.
func (c *codex) save(s *saver) {
	s.write(`{"timestamp":`)
	s.quote(s.next())
	if c.last >= 0 { // versions that number lines resume no file whose last one has no number
		s.write(`,"ordinal":`)
		s.number(c.last + 1)
	}
	s.write(`,"type":"compacted","payload":{"message":`)
	digest := ""
	if i := s.digest(); i >= 0 {
		_, digest = s.textOf(i)
	}
	s.quote(digest)
	s.write(`,"replacement_history":[`)
	for i, k := range s.from {
		if i > 0 {
			s.write(`,`)
		}
		if k >= 0 && !c.items[s.first(k)].summary {
			s.out = append(s.out, c.items[s.first(k)].span.Of(c.src)...)
		} else {
			s.out = append(s.out, s.body(i)...)
		}
	}
	s.write("]}}\n")
}

func (c *codex) tell(dst, src []byte, message jsonspan.Span, _ int) []byte {
	return jsonspan.AppendCompact(dst, message.Of(src))
}

package sessionfile

import "strconv"

// save condenses as Roo Code does. The existing messages stay in the list and name the summary that
// replaces them, which is the first of the new messages; the other new messages follow it. An
// unchanged message is written again without its links to earlier summaries. All new entries have
// later times, because the user can return to a point in time. If that point is before the summary,
// the original messages are sent again. It fails for a task of Cline.
func (r *rooCode) save(s *saver) {
	if r.cline {
		s.refuse("a Cline task cannot take other messages: another file says which of them it truncated, by position")
		return
	}
	condensed := s.newID()
	s.kept, s.out = int(r.list.Start), []byte{'['}
	for i := range r.records {
		s.writeComma(i)
		rec := &r.records[i]
		if rec.condensed {
			s.write(rec.at)
			continue
		}
		s.out = withoutBrace(appendObject(s.out, r.src, rec.at, withoutKeys("condenseParent").conversionOf))
		s.write(`,"condenseParent":`, condensed, `}`)
	}
	next := max(r.newest, millis(s.in.Time)-1)
	for i := range s.in.Messages {
		summary := ""
		if i == 0 {
			summary = `,"isSummary":true,"condenseId":` + condensed
		}
		if k := s.from[i]; k >= 0 {
			for _, o := range s.recordsOf(k) {
				next++
				if rec := &r.records[o.record]; rec.reasoning {
					r.again(s, rec, next, "")
				} else {
					r.again(s, rec, next, summary)
					summary = ""
				}
			}
			continue
		}
		next++
		s.write(`,`, withoutBrace(s.body(i)), `,"ts":`, next, summary+`}`)
	}
	s.write(`]`, r.src[r.list.End:])
}

// again writes a copy of a record with a new time and without its links to summaries, followed by the members in
// summary.
func (r *rooCode) again(s *saver, rec *rooRecord, ts int64, summary string) {
	time := strconv.FormatInt(ts, 10)
	s.write(`,`)
	s.out = withoutBrace(appendObject(s.out, r.src, rec.at,
		withoutKeys("isSummary condenseId condenseParent truncationParent").withValue("ts", time).conversionOf))
	if find(r.src, rec.at, "ts").IsZero() {
		s.write(`,"ts":`, time)
	}
	s.write(summary + `}`)
}

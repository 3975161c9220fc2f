package sessionfile

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// save writes the messages as Gemini CLI does after a compression: as a line that sets the whole list or, in a file
// with a single object, as the list itself. Records of unchanged messages are kept with their ids.
func (g *geminiCLI) save(s *saver) {
	if g.lined {
		s.write(`{"$set":{"messages":`)
		g.saveList(s)
		s.write(`,"lastUpdated":`, quoted(s.nextTime()), "}}\n")
		return
	}
	s.kept, s.out = int(g.list.Start), nil
	g.saveList(s)
	s.write(s.src[g.list.End:])
}

// gcUnit is a range of messages together with the range of records that exactly these messages come from. to and end
// are exclusive.
type gcUnit struct{ from, to, first, end int32 }

// units splits the conversation at the points where both a message and a record end. A record without a message belongs
// to the same unit as the record before it.
func (g *geminiCLI) units(s *saver) (units []gcUnit) {
	for _, o := range s.origins {
		if n := len(units); n > 0 && (o.record < units[n-1].end || o.message < units[n-1].to) {
			u := &units[n-1]
			u.to, u.end = max(u.to, o.message+1), max(u.end, o.record+1)
			continue
		}
		units = append(units, gcUnit{o.message, o.message + 1, o.record, o.record + 1})
	}
	for i := range units {
		units[i].end = int32(len(g.records))
		if i+1 < len(units) {
			units[i].end = units[i+1].first
		}
	}
	return units
}

// saveList writes the new list of messages. Unchanged messages keep the bytes of their records.
func (g *geminiCLI) saveList(s *saver) {
	w := gcList{g: g, s: s, begins: make([]*gcUnit, len(s.old))}
	units := g.units(s)
	for i := range units {
		w.begins[units[i].from] = &units[i]
	}
	s.write(`[`)
	for i := 0; i < len(s.from); {
		if u := w.stays(i); u != nil {
			w.copyUnit(u)
			i += int(u.to - u.from)
		} else {
			i += w.message(i)
		}
	}
	s.write(`]`)
}

// gcList writes the list of records.
type gcList struct {
	g      *geminiCLI // the file's reader
	s      *saver     // has the messages to save
	begins []*gcUnit  // for each message of the file, the unit that begins with it, or nil
	n      int        // the number of records so far
}

// next starts the next record.
func (w *gcList) next() {
	w.s.writeComma(w.n)
	w.n++
}

// stays returns the unit that begins with message i, or nil if a message of the unit has changed or no unit begins
// there.
func (w *gcList) stays(i int) *gcUnit {
	from := w.s.from
	if i >= len(from) || from[i] < 0 || w.begins[from[i]] == nil {
		return nil
	}
	u := w.begins[from[i]]
	for k := u.from; k < u.to; k++ {
		if at := i + int(k-u.from); at >= len(from) || from[at] != k {
			return nil
		}
	}
	return u
}

// copyUnit writes a unit's records with new timestamps, and without the member tokens, whose counts
// describe an older prompt.
func (w *gcList) copyUnit(u *gcUnit) {
	for r := u.first; r < u.end; r++ {
		w.next()
		time := string(jsonspan.AppendString(nil, w.s.nextTime()))
		w.s.out = appendObject(w.s.out, w.g.src, w.g.records[r],
			withoutKeys("tokens").withValue("timestamp", time).conversionOf)
	}
}

// message writes message i and, if message i is a model message with calls, the next message, which contains their
// results. wrote is the number of messages written.
func (w *gcList) message(i int) (wrote int) {
	s := w.s
	parts, user, answers := messageParts(s, i), i, 0
	if wrote = 1; s.role(i) == "model" {
		calls := slices.ContainsFunc(parts, func(p gcPart) bool { return !p.call.IsZero() })
		model := parts
		parts, user = nil, -1
		if i+1 < len(s.from) && calls && s.role(i+1) != "model" && w.stays(i+1) == nil {
			parts, user = messageParts(s, i+1), i+1
			for answers < len(parts) && !parts[answers].answer.IsZero() {
				answers++
			}
		}
		w.next()
		w.g.saveModel(s, i, model, parts[:answers])
		if answers == 0 {
			return wrote
		}
		wrote = 2
	}
	if rest := parts[answers:]; len(rest) > 0 {
		w.next()
		w.g.saveHead(s, user, "user", answers == 0)
		saveParts(s, "content", rest)
		s.write(`}`)
	}
	return wrote
}

// saveHead starts a record for message i. If the message is whole and unchanged, the record gets the id of the first
// record that the message came from. Otherwise it gets a new one. typ is the record's type.
func (g *geminiCLI) saveHead(s *saver, i int, typ string, whole bool) {
	id := s.newID()
	if k := s.from[i]; k >= 0 && whole {
		at := s.begins[k]
		if r := g.records[s.firstRecord(k)]; at == 0 || s.origins[at-1].record != s.origins[at].record {
			if p := find(g.src, r, "id"); !p.IsZero() {
				id = string(p.Slice(g.src))
			}
		}
	}
	s.write(`{"id":`, id, `,"timestamp":`, quoted(s.nextTime()), `,"type":"`+typ+`"`)
}

// saveParts writes a member whose value is a list of parts.
func saveParts(s *saver, key string, parts []gcPart) {
	s.write(`,"` + key + `":[`)
	for k, p := range parts {
		s.writeComma(k)
		s.write(p.span.Slice(s.in.Src))
	}
	s.write(`]`)
}

// saveModel writes a model message with the given parts, and answers, the results of its calls. The
// content contains the complete message. The calls are repeated as a member, because their results
// are stored there.
func (g *geminiCLI) saveModel(s *saver, i int, parts, answers []gcPart) {
	g.saveHead(s, i, "gemini", true)
	saveParts(s, "content", parts)
	calls := slices.DeleteFunc(slices.Clone(parts), func(p gcPart) bool { return p.call.IsZero() })
	if len(calls) > 0 {
		s.write(`,"toolCalls":[`)
		for k, call := range calls {
			s.writeComma(k)
			n := 0 // the number of its results; results in another order than the calls are stored with the last call
			for n < len(answers) && (k == len(calls)-1 || answers[n].of(s.in.Src, call)) {
				n++
			}
			saveCall(s, call.call, answers[:n])
			answers = answers[n:]
		}
		s.write(`]`)
	}
	if g.Model != "" {
		s.write(`,"model":`, quoted(g.Model))
	}
	s.write(`}`)
}

// saveCall writes a call with answers, its results. A call without results is written as cancelled.
func saveCall(s *saver, call jsonspan.Span, answers []gcPart) {
	var id []byte
	if at := find(s.in.Src, call, "id"); at.IsZero() {
		id = []byte(s.newID())
	} else {
		id = at.Slice(s.in.Src)
	}
	s.write(`{"id":`, id)
	for _, key := range []string{"name", "args"} {
		if p := find(s.in.Src, call, key); !p.IsZero() {
			s.write(`,"`+key+`":`, p.Slice(s.in.Src))
		}
	}
	status := "success"
	if len(answers) == 0 {
		status = "cancelled"
	}
	s.write(`,"status":"`+status+`","timestamp":`, quoted(s.nextTime()))
	if len(answers) > 0 {
		saveParts(s, "result", answers)
	}
	s.write(`}`)
}

// gcPart is a part of a message, with its functionCall or functionResponse if it has one.
type gcPart struct{ span, call, answer jsonspan.Span }

// of reports whether the part is the result of a call. It compares their ids, or their names if an id is missing.
func (p *gcPart) of(src []byte, call gcPart) bool {
	for _, key := range []string{"id", "name"} {
		a, b := find(src, p.answer, key), find(src, call.call, key)
		if !a.IsZero() && !b.IsZero() {
			return jsonspan.Text(src, a) == jsonspan.Text(src, b)
		}
	}
	return false
}

func messageParts(s *saver, i int) []gcPart { return partsOf(s.in.Src, s.in.Messages[i]) }

func partsOf(src []byte, message jsonspan.Span) (parts []gcPart) {
	for _, at := range items(src, find(src, message, "parts")) {
		p := gcPart{span: at}
		readAt(src, at, field{"functionCall", anyValue{&p.call}}, field{"functionResponse", anyValue{&p.answer}})
		parts = append(parts, p)
	}
	return parts
}

// appendPreserved implements [writer]. It ignores the boundaries between messages with the same
// role, which the file doesn't record.
func (g *geminiCLI) appendPreserved(dst, src []byte, message jsonspan.Span, i int) []byte {
	dst = g.begin(dst, jsonspan.Text(src, find(src, message, "role")), i, true)
	for _, p := range partsOf(src, message) {
		dst = jsonspan.AppendCompact(append(dst, '\n'), p.span.Slice(src))
	}
	return dst
}

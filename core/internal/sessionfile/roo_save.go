package sessionfile

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// save condenses as Roo Code does. The existing messages stay in the list and name a summary, which is the first of the new messages; the
// others follow it. An unchanged message is written again without its links to earlier summaries. All new entries have later times, because
// the agent can return to a point in time: if that is before the summary, the original messages count again.
func (r *rooCode) save(s *saver) {
	if r.cline {
		s.fail(&jsonspan.Error{Code: api.CodeCannotSave, Message: "a Cline task cannot take other messages: another file says which of them it truncated, by position"}, 0)
		return
	}
	condensed := string(jsonspan.AppendString(nil, s.id()))
	s.kept, s.out = int(r.list.Start), []byte{'['}
	for i := range r.records {
		s.comma(i)
		rec := &r.records[i]
		if rec.condensed {
			s.out = append(s.out, rec.at.Of(r.src)...)
			continue
		}
		s.out = appendObject(s.out, r.src, rec.at, rename{{key: "condenseParent"}}.find)
		s.out = append(s.out[:len(s.out)-1], `,"condenseParent":`+condensed+`}`...)
	}
	next := max(r.newest, millis(s.in.Time)-1)
	for i := range s.in.Messages {
		summary := ""
		if i == 0 {
			summary = `,"isSummary":true,"condenseId":` + condensed
		}
		if k := s.from[i]; k >= 0 {
			for _, o := range s.origins[s.begins[k]:s.begins[k+1]] {
				next++
				rec := &r.records[o.record]
				r.again(s, rec, next, summary)
				if !rec.reasoning {
					summary = ""
				}
			}
			continue
		}
		next++
		s.write(`,`)
		s.out = append(s.out, s.body(i)...)
		s.out = append(s.out[:len(s.out)-1], `,"ts":`...)
		s.number(next)
		s.write(summary + `}`)
	}
	s.write(`]`)
	s.out = append(s.out, r.src[r.list.End:]...)
}

// again writes a record of the list once more.
func (r *rooCode) again(s *saver, rec *rooRecord, ts int64, summary string) {
	drop := rename{{key: "ts", to: "ts", value: strconv.FormatInt(ts, 10)}, {key: "isSummary"}, {key: "condenseId"}, {key: "condenseParent"}, {key: "truncationParent"}}
	timed := !find(r.src, rec.at, "ts").Zero()
	s.write(`,`)
	s.out = appendObject(s.out, r.src, rec.at, drop.find)
	s.out = s.out[:len(s.out)-1]
	if !timed {
		s.write(`,"ts":`)
		s.number(ts)
	}
	if rec.reasoning {
		summary = ""
	}
	s.write(summary + `}`)
}

// merged compares messages in the files of agents that merge user messages.
type merged struct{ last string } // the role of the message that was told last

// tell leaves out the boundaries between user messages.
func (r *merged) tell(dst, src []byte, message jsonspan.Span, i int) []byte {
	role := jsonspan.Text(src, find(src, message, "role"))
	if i == 0 || role != r.last || role != "user" {
		r.last = role
		dst = append(append(dst, '\n'), role...)
	}
	content := find(src, message, "content")
	if content.Zero() {
		return dst
	}
	if src[content.Start] == '"' {
		dst = append(dst, "\n{\"type\":\"text\",\"text\":"...)
		return append(jsonspan.AppendCompact(dst, content.Of(src)), '}')
	}
	for _, p := range elements(content.Of(src)) {
		dst = jsonspan.AppendCompact(append(dst, '\n'), p.Of(content.Of(src)))
	}
	return dst
}

package sessionfile

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Roo Code, and the Kilo Code and Cline versions related to it, keep a list of messages in Anthropic's shape with additional members.
// Nothing is ever removed from the list: a request begins with the last summary, and a truncated message names the marker that replaces it.
// Anthropic's blocks have members of other providers, and there are blocks of other providers.
func init() {
	const beside = "these are the lines that the user sees of a task (ui_messages.json); what the agent sends is in api_conversation_history.json"
	register(&Kind{
		Name:   "roo-code",
		Doc:    "Roo Code, and Kilo Code and Cline of before their command lines: api_conversation_history.json",
		Format: "anthropic",
		Items: []Sign{
			{"", []string{"role", "content", "ts"}}, {"", []string{"role", "content", "modelInfo"}},
			{"", []string{"role", "content", "isSummary"}}, {"", []string{"role", "content", "condenseParent"}},
		},
		Beside: []Beside{{Sign{"say", []string{"ts"}}, beside}, {Sign{"ask", []string{"ts"}}, beside}},
		Read:   readRoo,
	})
}

// rooRecord is an item of the list.
type rooRecord struct {
	at, content  jsonspan.Span
	role         string
	summary      bool
	marker       bool  // replaces truncated messages
	reasoning    bool  // no message, but reasoning in the shape of another provider
	condensed    bool  // names the summary that replaces it
	stands       int32 // of a marker: its id
	hidden       int32 // the id of the marker that replaces the message
	answers, end int32 // its results are of the calls answers[answers:end]
}

type rooCode struct {
	*file
	merged
	ids     ids
	list    jsonspan.Span
	records []rooRecord
	calls   []rooCall
	answers []int32 // ids of calls, and their numbers after resolve
	live    []bool  // by number: a call after the last summary
	first   int     // the last summary, else 0
	cline   bool    // written by Cline, which keeps elsewhere what it has truncated
	newest  int64   // the newest time, in milliseconds since 1970
	model   jsonspan.Span
}

// rooCall is a tool call: its id, and the message that it is in.
type rooCall struct{ id, record int32 }

func readRoo(f *file) writer {
	r := &rooCode{file: f}
	s := f.scan(uint32(start(f.src)))
	s.Kind()
	r.list.Start = s.Pos()
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			s.Fail(jsonspan.WrongType, int(s.Pos()), "a message must be an object")
			break
		}
		r.record(s)
	}
	r.list.End = s.Pos()
	s.End()
	if f.fail(s.Err(), 0); f.err == nil {
		r.write(r.visible())
		f.Model = r.textAt(r.model)
	}
	return r
}

func (r *rooCode) record(s *jsonspan.Scanner) {
	rec := rooRecord{at: jsonspan.Span{Start: s.Pos()}, stands: noID, hidden: noID, answers: int32(len(r.answers))}
	members(s, func(key []byte) bool {
		switch string(key) {
		case "role":
			rec.role = word(s, "user", "assistant")
		case "type":
			rec.reasoning = word(s, "reasoning") != ""
		case "content":
			rec.content = r.content(s, &rec)
		case "ts":
			r.newest = max(r.newest, tokens(s))
		case "isSummary":
			rec.summary = isTrue(s)
		case "isTruncationMarker":
			rec.marker = isTrue(s)
		case "truncationId":
			rec.stands = r.ids.add(r.src, text(s))
		case "truncationParent":
			rec.hidden = r.ids.add(r.src, text(s))
		case "condenseParent":
			rec.condensed = text(s).Len() > 2
		case "modelInfo":
			r.cline = true
			if s.Kind() != jsonspan.Object {
				return false
			}
			members(s, func(key []byte) bool {
				if string(key) != "modelId" {
					return false
				}
				r.model = text(s)
				return true
			})
		case "metrics":
			r.cline = true
			return false
		default:
			return false
		}
		return true
	})
	rec.at.End, rec.end = s.Pos(), int32(len(r.answers))
	r.records = append(r.records, rec)
}

// content reads the ids of calls, and of the calls that results answer.
func (r *rooCode) content(s *jsonspan.Scanner, rec *rooRecord) jsonspan.Span {
	switch s.Kind() {
	case jsonspan.String, jsonspan.Null:
		return s.Skip().Span
	case jsonspan.Array:
	default:
		s.Fail(jsonspan.WrongType, int(s.Pos()), "content must be a string or a list of blocks")
		return jsonspan.Span{}
	}
	at := jsonspan.Span{Start: s.Pos()}
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			s.Fail(jsonspan.WrongType, int(s.Pos()), "a block must be an object")
			return at
		}
		typ := ""
		var id, answered jsonspan.Span
		members(s, func(key []byte) bool {
			switch string(key) {
			case "type":
				typ = word(s, "tool_use", "tool_result")
			case "id":
				id = text(s)
			case "tool_use_id":
				answered = text(s)
			default:
				return false
			}
			return true
		})
		switch typ {
		case "tool_use":
			r.calls = append(r.calls, rooCall{r.ids.add(r.src, id), int32(len(r.records))})
		case "tool_result":
			r.answers = append(r.answers, r.ids.add(r.src, answered))
		}
	}
	at.End = s.Pos()
	return at
}

// visible returns the messages that the agent sends, by their place in the list.
func (r *rooCode) visible() (sent []int32) {
	for i := range r.records {
		if r.records[i].summary {
			r.first = i
		}
	}
	ranks, n := r.ids.rank()
	stands := make([]bool, n)
	for i := r.first; i < len(r.records); i++ {
		if rec := &r.records[i]; rec.marker && rec.stands != noID {
			stands[ranks[rec.stands]] = true
		}
	}
	r.live = make([]bool, n)
	summarized := len(r.records) > 0 && r.records[r.first].summary
	for _, c := range r.calls {
		// Results without a call are removed only after a summary: without one, every call counts.
		if c.id != noID && (!summarized || int(c.record) >= r.first && r.records[c.record].role == "assistant") {
			r.live[ranks[c.id]] = true
		}
	}
	for i, id := range r.answers {
		if id != noID {
			r.answers[i] = ranks[id]
			if !summarized {
				r.live[ranks[id]] = true
			}
		}
	}
	r.skip(api.SkipCompacted, r.first)
	for i := r.first; i < len(r.records); i++ {
		switch rec := &r.records[i]; {
		case rec.hidden != noID && stands[ranks[rec.hidden]]:
			r.skip(api.SkipCompacted, 1)
		case rec.reasoning || rec.role == "":
			r.skip(api.SkipMeta, 1)
		case r.blocks(rec, nil) == 0:
			r.skip(api.SkipEmpty, 1)
		default:
			sent = append(sent, int32(i))
		}
	}
	return sent
}

// write writes messages; those of the user in a row are one, as the agent sends them.
func (r *rooCode) write(sent []int32) {
	for i := 0; i < len(sent); {
		end := i + 1
		for first := &r.records[sent[i]]; end < len(sent) && first.role == "user" && !first.marker; end++ {
			if rec := &r.records[sent[end]]; rec.role != "user" || rec.summary || rec.marker {
				break
			}
		}
		rec := &r.records[sent[i]]
		r.message()
		r.put(`{"role":"` + rec.role + `","content":`)
		if r.src[rec.content.Start] == '"' && end == i+1 {
			r.copy(rec.content)
		} else {
			r.put(`[`)
			n := 0
			for _, k := range sent[i:end] {
				r.blocks(&r.records[k], func(block jsonspan.Span) {
					if n++; n > 1 {
						r.put(`,`)
					}
					r.block(block)
				})
			}
			r.put(`]`)
		}
		r.put(`}`)
		for _, k := range sent[i:end] {
			// Reasoning of another provider precedes its message.
			from := k
			for int(from) > r.first && r.records[from-1].reasoning {
				from--
			}
			for ; from <= k; from++ {
				r.came(from)
			}
		}
		i = end
	}
}

// blocks counts the blocks of a message that are sent, and calls one for each.
func (r *rooCode) blocks(rec *rooRecord, one func(block jsonspan.Span)) (n int) {
	if rec.content.Zero() {
		return 0
	}
	s := r.scan(rec.content.Start)
	found := func(at jsonspan.Span) {
		if n++; one != nil {
			one(at)
		}
	}
	switch s.Kind() {
	case jsonspan.String:
		if t := s.Text(); t.Bytes > 0 {
			found(t.Span)
		}
		return n
	case jsonspan.Array:
	default:
		return 0
	}
	answer := rec.answers
	for s.Array(); s.Elem(); {
		at := s.Skip().Span
		switch jsonspan.Text(r.src, stringAt(r.src, at, "type")) {
		case "reasoning", "thoughtSignature":
			continue
		case "thinking":
			if find(r.src, at, "signature").Len() <= 2 {
				continue // Anthropic takes none that it has not signed
			}
		case "tool_result":
			answer++
			if id := r.answers[answer-1]; rec.role == "user" && id != noID && !r.live[id] {
				continue // its call went into the summary
			}
		}
		found(at)
	}
	return n
}

// block writes a block, or a string as one, without the members that Anthropic does not know.
func (r *rooCode) block(at jsonspan.Span) {
	if r.src[at.Start] == '"' {
		r.put(`{"type":"text","text":`)
		r.copy(at)
		r.put(`}`)
		return
	}
	thinking := jsonspan.EqualText(r.src, stringAt(r.src, at, "type"), "thinking")
	own := false
	drop := func(key []byte) *member {
		switch string(key) {
		case "call_id", "reasoning_details", "summary":
		case "signature":
			if thinking {
				return nil
			}
		default:
			return nil
		}
		own = true
		return &cxDropped
	}
	s := r.scan(at.Start)
	members(s, func(key []byte) bool { drop(key); return false })
	if !own {
		r.copy(at)
		return
	}
	r.Messages = appendObject(r.Messages, r.src, at, drop)
}

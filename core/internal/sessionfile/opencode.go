package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// opencode, and Kilo Code since its command line, export a session as {info, messages: [{info, parts}]}. The agent converts each message to
// a UIMessage before it calls the model. A compaction is a user message with a compaction part, which may name the first message of its
// tail, and a summary as the answer to it.
func init() {
	register(&Kind{
		Name:   "opencode",
		Doc:    "opencode, and Kilo Code since 7: what the command export writes",
		Format: "ai-sdk-ui",
		Signs:  []Sign{{"", []string{"info", "messages"}}},
		Is: func(src []byte, at jsonspan.Span) bool {
			return strings.HasPrefix(jsonspan.Text(src, stringAt(src, find(src, at, "info"), "id")), "ses")
		},
		Read: readOpencode,
	})
}

// ocRecord is a message. Its ids are places in ids until rank, and numbers afterwards.
type ocRecord struct {
	info, parts     jsonspan.Span
	id              jsonspan.Span
	number, parent  int32
	role            string
	summary         bool // an answer that ends a compaction
	failed          bool
	compaction      bool
	tail            int32 // of a compaction: the message that its tail begins with
	provider, model jsonspan.Span
	tokens          jsonspan.Span
}

type opencode struct {
	*file
	ids        ids
	info       jsonspan.Span // of the session
	list       jsonspan.Span
	whole      jsonspan.Span
	records    []ocRecord
	order      []int32 // the records that are sent
	back       int32   // the user goes back to before this message, or noID
	backPart   jsonspan.Span
	asked      int // the user's last message, which names the model
	summarized int32
}

func readOpencode(f *file) writer {
	o := &opencode{file: f, back: noID, asked: -1, summarized: -1}
	s := f.scan(uint32(start(f.src)))
	s.Kind()
	o.whole.Start = s.Pos()
	members(s, func(key []byte) bool {
		switch string(key) {
		case "info":
			o.info = s.Skip().Span
		case "messages":
			if s.Kind() != jsonspan.Array {
				s.Fail(jsonspan.WrongType, int(s.Pos()), "messages must be a list")
				return true
			}
			o.list.Start = s.Pos()
			for s.Array(); s.Elem(); {
				if s.Kind() != jsonspan.Object {
					s.Fail(jsonspan.WrongType, int(s.Pos()), "a message must be an object")
					break
				}
				o.record(s)
			}
			o.list.End = s.Pos()
		default:
			return false
		}
		return true
	})
	o.whole.End = s.Pos()
	s.End()
	if f.fail(s.Err(), 0); f.err != nil {
		return o
	}
	if back := find(f.src, o.info, "revert"); !back.Zero() {
		o.back = o.ids.add(f.src, stringAt(f.src, back, "messageID"))
		o.backPart = stringAt(f.src, back, "partID")
	}
	o.pick()
	for _, i := range o.order {
		o.write(i)
	}
	return o
}

func (o *opencode) record(s *jsonspan.Scanner) {
	r := ocRecord{number: noID, parent: noID, tail: noID}
	members(s, func(key []byte) bool {
		switch string(key) {
		case "info":
			r.info.Start = s.Pos()
			if s.Kind() != jsonspan.Object {
				s.Fail(jsonspan.WrongType, int(s.Pos()), "info must be an object")
				return true
			}
			r.info.Start = s.Pos()
			o.about(s, &r)
			r.info.End = s.Pos()
		case "parts":
			if s.Kind() != jsonspan.Array {
				s.Fail(jsonspan.WrongType, int(s.Pos()), "parts must be a list")
				return true
			}
			r.parts.Start = s.Pos()
			for s.Array(); s.Elem(); {
				if s.Kind() != jsonspan.Object {
					s.Fail(jsonspan.WrongType, int(s.Pos()), "a part must be an object")
					return true
				}
				o.compacts(s, &r)
			}
			r.parts.End = s.Pos()
		default:
			return false
		}
		return true
	})
	o.records = append(o.records, r)
}

func (o *opencode) about(s *jsonspan.Scanner, r *ocRecord) {
	finished, failed := false, false
	members(s, func(key []byte) bool {
		switch string(key) {
		case "id":
			r.id = text(s)
			r.number = o.ids.add(o.src, r.id)
		case "parentID":
			r.parent = o.ids.add(o.src, text(s))
		case "role":
			r.role = word(s, "user", "assistant")
		case "summary":
			r.summary = isTrue(s)
		case "time":
			if s.Kind() != jsonspan.Object {
				return false
			}
			members(s, func(key []byte) bool {
				if string(key) != "created" && string(key) != "completed" {
					return false
				}
				o.latest = max(o.latest, tokens(s))
				return true
			})
		case "finish":
			finished = text(s).Len() > 2
		case "error":
			failed = s.Skip().Kind != jsonspan.Null
		case "providerID":
			r.provider = text(s)
		case "modelID":
			r.model = text(s)
		case "model":
			if s.Kind() != jsonspan.Object {
				return false
			}
			members(s, func(key []byte) bool {
				switch string(key) {
				case "providerID":
					r.provider = text(s)
				case "modelID":
					r.model = text(s)
				default:
					return false
				}
				return true
			})
		case "tokens":
			r.tokens = s.Skip().Span
		default:
			return false
		}
		return true
	})
	r.summary = r.summary && r.role == "assistant" && finished && !failed
	r.failed = failed
}

// compacts reads a part, and notes whether it is a compaction.
func (o *opencode) compacts(s *jsonspan.Scanner, r *ocRecord) {
	typ, tail := "", jsonspan.Span{}
	members(s, func(key []byte) bool {
		switch string(key) {
		case "type":
			typ = word(s, "compaction")
		case "tail_start_id":
			tail = text(s)
		default:
			return false
		}
		return true
	})
	if typ != "" && !r.compaction {
		r.compaction, r.tail = true, o.ids.add(o.src, tail)
	}
}

// pick finds the messages that are sent: the newest compaction with its summary, its tail, and what came after it.
func (o *opencode) pick() {
	ranks, n := o.ids.rank()
	number := func(id *int32) {
		if *id != noID {
			*id = ranks[*id]
		}
	}
	end := len(o.records)
	number(&o.back)
	for i := range o.records {
		r := &o.records[i]
		number(&r.number)
		number(&r.parent)
		number(&r.tail)
		if o.back != noID && r.number == o.back && end == len(o.records) {
			if end = i; !o.backPart.Zero() {
				end = i + 1
			}
		}
	}
	o.skip(api.SkipRolledBack, len(o.records)-end)
	for i := range o.records[:end] {
		if o.records[i].role == "user" {
			o.asked = i
		}
	}
	completed := make([]bool, n)
	first, retain := 0, int32(noID)
	for i := end - 1; i >= 0; i-- {
		r := &o.records[i]
		switch {
		case retain != noID:
		case r.role == "user" && r.number != noID && completed[r.number] && r.compaction:
			if retain = r.tail; retain == noID {
				retain = r.number
			}
		case r.summary && r.parent != noID:
			completed[r.parent] = true
		}
		if retain != noID && r.number == retain {
			first = i
			break
		}
	}
	asks, ends, tail := -1, -1, -1
	for i := end - 1; i >= first && asks < 0; i-- {
		if r := &o.records[i]; r.role == "user" && r.compaction && r.tail != noID {
			asks = i
		}
	}
	if asks >= 0 {
		a := &o.records[asks]
		for i := end - 1; i > asks; i-- {
			if r := &o.records[i]; r.role == "assistant" && r.summary && r.parent == a.number {
				ends = i
			}
		}
		for i := asks - 1; i >= first; i-- {
			if o.records[i].number == a.tail {
				tail = i
			}
		}
	}
	add := func(from, to int) {
		for i := from; i < to; i++ {
			o.order = append(o.order, int32(i))
		}
	}
	if tail >= 0 && ends >= 0 {
		add(asks, ends+1)
		add(tail, asks)
		add(ends+1, end)
	} else {
		add(first, end)
	}
	o.skip(api.SkipCompacted, end-len(o.order))
	for _, i := range o.order {
		if o.records[i].summary {
			o.summarized = max(o.summarized, i)
		}
	}
}

// foreign reports whether an answer is of another model than the one that is asked next, which is the one of the user's last
// message: what a provider has signed does not go to another.
func (o *opencode) foreign(r *ocRecord) bool {
	if o.asked < 0 {
		return false
	}
	a := &o.records[o.asked]
	return o.textAt(a.provider) != o.textAt(r.provider) || o.textAt(a.model) != o.textAt(r.model)
}

// write writes a message as the agent hands it to the AI SDK.
func (o *opencode) write(i int32) {
	r := &o.records[i]
	parts := o.partsOf(r)
	if r.failed && !o.aborted(r, parts) {
		o.skip(api.SkipFailed, 1)
		return
	}
	was, count := len(o.open()), o.Count
	o.message()
	o.came(i)
	o.put(`{`)
	if !r.id.Zero() {
		o.put(`"id":`)
		o.copy(r.id)
		o.put(`,`)
	}
	o.put(`"role":"` + r.role + `","parts":[`)
	foreign, signed := o.foreign(r), o.signed(parts)
	n, said := 0, false
	next := func(begin string) {
		if n++; n > 1 {
			o.put(`,`)
		}
		o.put(begin)
		said = said || begin != ocStep
	}
	for _, p := range parts {
		if r.role == "user" {
			o.userPart(p, next)
		} else {
			o.part(p, foreign, signed, next)
		}
	}
	if !said || r.role == "" {
		o.Messages, o.Count = o.Messages[:was], count
		o.origins = o.origins[:len(o.origins)-1]
		o.skip(api.SkipEmpty, 1)
		return
	}
	o.put(`]}`)
	if r.role != "assistant" {
		return
	}
	if !r.model.Zero() {
		o.Model = o.textAt(r.model)
	}
	if i > o.summarized && !r.tokens.Zero() {
		o.count(r.tokens)
	}
}

// partsOf are the parts of a message, but for those that the user has taken back.
func (o *opencode) partsOf(r *ocRecord) (parts []jsonspan.Span) {
	if r.parts.Zero() {
		return nil
	}
	s := o.scan(r.parts.Start)
	for s.Array(); s.Elem(); {
		at := s.Skip().Span
		if !o.backPart.Zero() && r.number == o.back && o.textAt(stringAt(o.src, at, "id")) == o.textAt(o.backPart) {
			break
		}
		parts = append(parts, at)
	}
	return parts
}

// aborted reports whether the user has broken an answer off that says something.
func (o *opencode) aborted(r *ocRecord, parts []jsonspan.Span) bool {
	if o.textAt(stringAt(o.src, find(o.src, r.info, "error"), "name")) != "MessageAbortedError" {
		return false
	}
	for _, p := range parts {
		if typ := o.textAt(stringAt(o.src, p, "type")); typ != "step-start" && typ != "reasoning" {
			return true
		}
	}
	return false
}

// count takes over the provider's usage for the message written last.
func (o *opencode) count(at jsonspan.Span) {
	u := Usage{Message: o.Count - 1}
	s := o.scan(at.Start)
	if !isObject(s) {
		return
	}
	members(s, func(key []byte) bool {
		switch string(key) {
		case "input":
			u.Input = tokens(s)
		case "output", "reasoning":
			u.Output += tokens(s)
		case "cache":
			if s.Kind() != jsonspan.Object {
				return false
			}
			members(s, func(key []byte) bool {
				switch string(key) {
				case "read":
					u.CacheRead = tokens(s)
				case "write":
					u.CacheWrite = tokens(s)
				default:
					return false
				}
				return true
			})
		default:
			return false
		}
		return true
	})
	o.used(u)
}

package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// opencode, and Kilo Code since it has a command line, export a session as {info, messages: [{info, parts}]}. Before
// the agent calls a model, it converts each message to a UIMessage. A compaction is a user message with a compaction
// part, which may name the first message of the tail, followed by a response with the summary.
var opencodeKind = Kind{
	Name:   "opencode",
	Doc:    "opencode, and Kilo Code since 7: what the command export writes",
	Format: "ai-sdk-ui",
	Signs:  []Sign{{"", []string{"info", "messages"}}},
	Is: func(src []byte, at jsonspan.Span) bool {
		return strings.HasPrefix(textOf(src, at, "info.id"), "ses")
	},
	Read: readOpencode,
}

func init() {
	register(&opencodeKind)
}

// ocRecord is a message. Its id fields hold positions until pick replaces them with the ids' numbers (see ids).
type ocRecord struct {
	info, parts     jsonspan.Span // the description of the message, and its list of parts
	id              jsonspan.Span // its id as it is spelled
	number, parent  int32         // its id, and that of the message that it answers
	role            string        // "user" or "assistant"
	summary         bool          // a complete response with the summary of a compaction
	failed          bool          // the request to the provider failed
	compaction      bool          // it requests a compaction
	tail            int32         // for a compaction, the id of the first message of its tail
	provider, model jsonspan.Span // the name of the provider and of the model, strings
	tokens          jsonspan.Span // the provider's counts, an object
}

type opencode struct {
	*file
	ids        ids           // the ids of the messages
	info       jsonspan.Span // the object that describes the session
	list       jsonspan.Span // the list of messages
	whole      jsonspan.Span // the object that is the session
	records    []ocRecord    // in the order of the file
	order      []int32       // the indexes of the records that are sent, in order
	back       int32         // the id of the message that the user reverted the session to, or noID
	backPart   jsonspan.Span // the id of the part in that message from which on it is undone, a string; zero for the whole message
	lastInput  int           // index of the user's last message, which names the model; -1 if there is none
	summarized int32         // index of the newest summary that is sent, or -1
}

// readOpencode reads an exported session, and writes the messages that the next request contains: after the newest
// summary, and without those that the user has undone.
func readOpencode(f *file) writer {
	o := &opencode{file: f, back: noID, lastInput: -1, summarized: -1}
	s := f.scannerAt(uint32(textStart(f.src)))
	s.Kind()
	o.whole.Start = s.Pos()
	read(s, field{"info", anyValue{&o.info}},
		field{"messages", func(s *jsonspan.Scanner) { o.list = readList(s, "messages", "a message", o.record) }})
	o.whole.End = s.Pos()
	s.End()
	if f.fail(s.Err(), 0); f.err != nil {
		return o
	}
	o.back = o.ids.add(f.src, stringAt(f.src, o.info, "revert.messageID"))
	o.backPart = stringAt(f.src, o.info, "revert.partID")
	o.pick()
	for _, i := range o.order {
		o.write(i)
	}
	return o
}

func (o *opencode) record(s *jsonspan.Scanner) {
	r := ocRecord{number: noID, parent: noID, tail: noID}
	read(s, field{"info", func(s *jsonspan.Scanner) {
		if s.Kind() != jsonspan.Object {
			s.Fail(jsonspan.WrongType, int(s.Pos()), "info must be an object")
			return
		}
		r.info.Start = s.Pos()
		o.about(s, &r)
		r.info.End = s.Pos()
	}}, field{"parts", func(s *jsonspan.Scanner) {
		r.parts = readList(s, "parts", "a part", func(s *jsonspan.Scanner) { o.compacts(s, &r) })
	}})
	o.records = append(o.records, r)
}

// about reads info, the object that describes a message. The members go into r.
func (o *opencode) about(s *jsonspan.Scanner, r *ocRecord) {
	var finish jsonspan.Span
	failed := false
	time := func(s *jsonspan.Scanner) { o.latest = max(o.latest, tokenCount(s)) }
	model := []field{{"providerID", &r.provider}, {"modelID", &r.model}}
	read(s, field{"id", &r.id}, field{"parentID", number{&o.ids, &r.parent}},
		field{"role", oneOf(&r.role, "user", "assistant")},
		field{"summary", &r.summary}, field{"time", []field{{"created", time}, {"completed", time}}},
		field{"finish", &finish},
		field{"error", func(s *jsonspan.Scanner) { failed = s.Skip().Kind != jsonspan.Null }}, model[0], model[1],
		field{"model", model}, field{"tokens", anyValue{&r.tokens}})
	r.number = o.ids.add(o.src, r.id)
	r.summary = r.summary && r.role == "assistant" && finish.Len() > 2 && !failed
	r.failed = failed
}

// compacts reads a part, and marks its message as a compaction if the part is one.
func (o *opencode) compacts(s *jsonspan.Scanner, r *ocRecord) {
	typ, tail := "", jsonspan.Span{}
	read(s, field{"type", oneOf(&typ, "compaction")}, field{"tail_start_id", &tail})
	if typ != "" && !r.compaction {
		r.compaction, r.tail = true, o.ids.add(o.src, tail)
	}
}

// pick selects the messages that are sent: the newest compaction with its summary, its tail, and the later ones, or all.
func (o *opencode) pick() {
	end, n := o.resolve()
	o.noteSkipped(api.SkipRolledBack, len(o.records)-end)
	for i := range o.records[:end] {
		if o.records[i].role == "user" {
			o.lastInput = i
		}
	}
	o.arrange(o.first(end, make([]bool, n)), end)
	o.noteSkipped(api.SkipCompacted, end-len(o.order))
	for _, i := range o.order {
		if o.records[i].summary {
			o.summarized = max(o.summarized, i)
		}
	}
}

// resolve replaces ids with numbers, which are less than n. end is the number of messages that the user has not
// reverted.
func (o *opencode) resolve() (end, n int) {
	ranks, n := o.ids.rank()
	end = len(o.records)
	ranks.number(&o.back)
	for i := range o.records {
		r := &o.records[i]
		ranks.number(&r.number, &r.parent, &r.tail)
		if o.back != noID && r.number == o.back && end == len(o.records) {
			if end = i; !o.backPart.IsZero() {
				end = i + 1
			}
		}
	}
	return end, n
}

// first returns the index of the first message that is sent: the newest compaction before end that has a summary, or
// the first message of its tail; 0 if there is none. It sets completed, by number, for the compactions with a summary.
func (o *opencode) first(end int, completed []bool) int {
	retain := int32(noID)
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
			return i
		}
	}
	return 0
}

// arrange sets the order of the messages from first up to but not including end. The newest
// compaction with a tail comes first, followed by its summary and by its tail. Without such a
// compaction, the messages keep the order of the file.
func (o *opencode) arrange(first, end int) {
	asks, ends, tail := o.compactionIn(first, end)
	add := func(from, to int) {
		for i := from; i < to; i++ {
			o.order = append(o.order, int32(i))
		}
	}
	if tail < 0 || ends < 0 {
		add(first, end)
		return
	}
	add(asks, ends+1)
	add(tail, asks)
	add(ends+1, end)
}

// compactionIn returns the indexes of the newest compaction with a tail, of its summary and of its tail's first
// message; -1 means none. It looks only at the records [first, end).
func (o *opencode) compactionIn(first, end int) (asks, ends, tail int) {
	asks, ends, tail = -1, -1, -1
	for i := end - 1; i >= first && asks < 0; i-- {
		if r := &o.records[i]; r.role == "user" && r.compaction && r.tail != noID {
			asks = i
		}
	}
	if asks < 0 {
		return asks, ends, tail
	}
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
	return asks, ends, tail
}

// foreign reports whether a response came from another model than the one that will get the next request, which is
// the model of the user's last message. Signed reasoning of one provider is not sent to another.
func (o *opencode) foreign(r *ocRecord) bool {
	if o.lastInput < 0 {
		return false
	}
	a := &o.records[o.lastInput]
	return o.textAt(a.provider) != o.textAt(r.provider) || o.textAt(a.model) != o.textAt(r.model)
}

// write writes a message as opencode passes it to the AI SDK. i is the index of its record. A
// failed response and a message without content are left out, and counted as such.
func (o *opencode) write(i int32) {
	r := &o.records[i]
	parts := o.partsOf(r)
	if r.failed && !o.aborted(r, parts) {
		o.noteSkipped(api.SkipFailed, 1)
		return
	}
	was, count := len(o.openList()), o.Count
	o.beginMessage()
	o.addOrigin(i)
	o.appendPieces(`{`)
	if !r.id.IsZero() {
		o.appendPieces(`"id":`, r.id, `,`)
	}
	o.appendPieces(`"role":"` + r.role + `","parts":[`)
	foreign, signed := o.foreign(r), o.signed(parts)
	n, said := 0, false
	next := func(begin string) {
		if n++; n > 1 {
			o.appendPieces(`,`)
		}
		o.appendPieces(begin)
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
		o.noteSkipped(api.SkipEmpty, 1)
		return
	}
	o.appendPieces(`]}`)
	if r.role == "assistant" {
		o.answered(i)
	}
}

// answered records the model of a response, and the provider's counts.
func (o *opencode) answered(i int32) {
	r := &o.records[i]
	if !r.model.IsZero() {
		o.Model = o.textAt(r.model)
	}
	if i > o.summarized && !r.tokens.IsZero() {
		o.noteUsage(o.Count-1, o.counts(r.tokens))
	}
}

// partsOf returns the parts of a message that the user has not reverted.
func (o *opencode) partsOf(r *ocRecord) (parts []jsonspan.Span) {
	for _, at := range items(o.src, r.parts) {
		if !o.backPart.IsZero() && r.number == o.back && textOf(o.src, at, "id") == o.textAt(o.backPart) {
			break
		}
		parts = append(parts, at)
	}
	return parts
}

// aborted reports whether a response, which has the given parts, has content besides reasoning,
// although the user interrupted it.
func (o *opencode) aborted(r *ocRecord, parts []jsonspan.Span) bool {
	if textOf(o.src, r.info, "error.name") != "MessageAbortedError" {
		return false
	}
	for _, p := range parts {
		if typ := typeOf(o.src, p); typ != "step-start" && typ != "reasoning" {
			return true
		}
	}
	return false
}

// counts returns the provider's token counts in the object at a span; missing counts are 0. OpenCode counts reasoning
// apart from the output, so it is added to Output.
func (o *opencode) counts(at jsonspan.Span) (u Usage) {
	var reasoning int64
	readAt(o.src, at, field{"input", &u.Input}, field{"output", &u.Output}, field{"reasoning", &reasoning},
		field{"cache", []field{{"read", &u.CacheRead}, {"write", &u.CacheWrite}}})
	u.Output += reasoning
	return u
}

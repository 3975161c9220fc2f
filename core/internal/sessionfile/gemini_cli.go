package sessionfile

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Gemini CLI keeps one object with a list of messages. Newer versions append a line for each change instead: a message,
// which replaces the message with the same id; {"$set":…} with a new list; or {"$rewindTo":id}. A model message has its
// thoughts and tool calls as members, and each call has its results. If the content of a model message includes
// thoughts or calls, it is complete, and those members only repeat it.
var geminiCliKind = Kind{
	Name:   "gemini-cli",
	Doc:    "Gemini CLI: one JSON object, or JSON lines",
	Format: "gemini",
	Signs: []Sign{
		{"", []string{"sessionId", "projectHash"}},
		{"", []string{"sessionId", "startTime", "messages"}},
	},
	Usage: usageKeys{"input tool", "output thoughts", "cached", ""},
	Read:  readGeminiCLI,
}

func init() {
	register(&geminiCliKind)
}

// gcChange is one change to the list of messages.
type gcChange struct {
	kind gcKind        // what happens to the list
	id   int32         // position in ids, or noID
	span jsonspan.Span // the object in the file
}

type gcKind uint8

const (
	gcPut gcKind = iota
	gcClear
	gcRewind
)

type geminiCLI struct {
	*file
	byRole
	ids     ids             // the ids of the messages
	changes []gcChange      // in the order of the file
	records []jsonspan.Span // the messages that remain after all changes
	record  int32           // index of the record being written
	model   jsonspan.Span   // the last model in the file
	list    jsonspan.Span   // the last list of messages in the file
	lined   bool            // the file has one line per change
	role    string          // the role of the message being written, or ""
}

// readGeminiCLI reads a session that is one object, or one record per line, and writes the messages that are left after
// all records.
func readGeminiCLI(f *file) writer {
	g := &geminiCLI{file: f}
	from, end := nextLine(f.src, textStart(f.src))
	first := lineScanner(f.src, from, end)
	if first.Skip(); first.Err() == nil {
		n := 0
		f.eachLine(func(s *jsonspan.Scanner) { n++; g.entry(s) })
		g.lined = n > 1 || g.list.IsZero()
	} else { // a single object on several lines
		s := f.scannerAt(uint32(from))
		g.entry(s)
		s.End()
		f.fail(s.Err(), 0)
	}
	if f.err != nil {
		return g
	}
	g.records = g.replay()
	for i, p := range g.records {
		g.record = int32(i)
		g.write(p)
	}
	if g.role != "" {
		g.appendPieces(`]}`)
	}
	if g.Model == "" { // no response is left
		g.Model = g.textAt(g.model)
	}
	return g
}

// entry reads an object: the whole file, or one line.
func (g *geminiCLI) entry(s *jsonspan.Scanner) {
	s.Kind()
	c := gcChange{id: noID, span: jsonspan.Span{Start: s.Pos()}}
	var typ jsonspan.Span
	messages := field{"messages", g.messages}
	read(s, field{"id", number{&g.ids, &c.id}}, field{"type", &typ}, messages, field{"timestamp", timeOf{g.file}},
		field{"lastUpdated", timeOf{g.file}},
		field{"model", &g.model}, field{"$set", []field{messages}},
		field{"$rewindTo", func(s *jsonspan.Scanner) {
			g.changes = append(g.changes, gcChange{kind: gcRewind, id: g.ids.add(g.src, stringSpan(s))})
		}})
	c.span.End = s.Pos()
	if !typ.IsZero() && s.Err() == nil {
		g.changes = append(g.changes, c)
	}
}

// messages reads a list of messages, which replaces all earlier ones.
func (g *geminiCLI) messages(s *jsonspan.Scanner) {
	if s.Kind() != jsonspan.Array {
		s.Skip()
		return
	}
	g.changes = append(g.changes, gcChange{kind: gcClear, id: noID})
	g.list.Start = s.Pos()
	for s.Array(); s.Elem(); {
		s.Kind()
		c := gcChange{id: noID, span: jsonspan.Span{Start: s.Pos()}}
		read(s, field{"id", number{&g.ids, &c.id}},
			field{"timestamp", func(s *jsonspan.Scanner) { g.noteLatest(stringSpan(s)) }}, field{"model", &g.model})
		c.span.End = s.Pos()
		g.changes = append(g.changes, c)
	}
	g.list.End = s.Pos()
}

// gcReplay is the list of messages while the changes are applied.
type gcReplay struct {
	*geminiCLI
	list  []jsonspan.Span // the messages so far
	owner []int32         // the id of each message in list
	at    []int32         // the index of the message with each id, or -1
}

// replay applies all changes and returns the messages that remain.
func (g *geminiCLI) replay() []jsonspan.Span {
	ranks, n := g.ids.rank()
	r := gcReplay{geminiCLI: g, at: filled(n, -1)}
	for _, c := range g.changes {
		id, old := c.id, int32(-1)
		if ranks.number(&id); id != noID {
			old = r.at[id]
		}
		switch {
		case c.kind == gcClear:
			r.cut(0, api.SkipCompacted)
		case c.kind == gcRewind:
			r.cut(int(max(old, 0)), api.SkipRolledBack) // Gemini CLI treats an unknown id as the beginning
		case old >= 0:
			r.list[old] = c.span
		default:
			r.add(c.span, id)
		}
	}
	return r.list
}

// cut removes the message at an index and all messages after it.
func (r *gcReplay) cut(to int, why api.SkipReason) {
	r.noteSkipped(why, len(r.list)-to)
	for _, id := range r.owner[to:] {
		if id != noID {
			r.at[id] = -1
		}
	}
	r.list, r.owner = r.list[:to], r.owner[:to]
}

func (r *gcReplay) add(message jsonspan.Span, id int32) {
	if id != noID {
		r.at[id] = int32(len(r.list))
	}
	r.list, r.owner = append(r.list, message), append(r.owner, id)
}

// write writes a user message, or a model message followed by the results of its tool calls.
func (g *geminiCLI) write(at jsonspan.Span) {
	typ := ""
	var content, thoughts, calls, usage, model jsonspan.Span
	readAt(g.src, at, field{"type", oneOf(&typ, "user", "gemini")}, field{"content", anyValue{&content}},
		field{"thoughts", anyValue{&thoughts}},
		field{"toolCalls", anyValue{&calls}}, field{"tokens", anyValue{&usage}}, field{"model", &model})
	n := 0
	switch typ {
	case "user":
		if g.parts(&n, "user", content); n == 0 {
			g.noteSkipped(api.SkipEmpty, 1)
		}
		return
	case "":
		g.noteSkipped(api.SkipMeta, 1)
		return
	}
	if g.complete(content) {
		thoughts = jsonspan.Span{}
	}
	g.each(thoughts, func(s *jsonspan.Scanner) { g.thought(&n, s) })
	g.parts(&n, "model", content)
	results := false
	written := g.complete(content)
	g.each(calls, func(s *jsonspan.Scanner) { results = g.call(&n, s, written) || results })
	if !model.IsZero() {
		g.Model = g.textAt(model)
	}
	if n == 0 {
		g.noteSkipped(api.SkipEmpty, 1)
		return
	}
	u := g.usageAt(usage)
	u.Input = max(0, u.Input-u.CacheRead) // the count input includes cached tokens, but not the tokens of tool results
	g.noteUsage(g.Count-1, u)
	if results {
		g.each(calls, func(s *jsonspan.Scanner) { g.result(&n, s) })
	}
}

// each calls visit at each object in the list at a span.
func (g *geminiCLI) each(at jsonspan.Span, visit func(s *jsonspan.Scanner)) {
	for _, item := range items(g.src, at) {
		if g.src[item.Start] == '{' {
			visit(g.scannerAt(item.Start))
		}
	}
}

// complete reports whether the content of a model message includes the thoughts or calls that are also members of the
// message.
func (g *geminiCLI) complete(content jsonspan.Span) bool {
	found := false
	g.each(content, func(s *jsonspan.Scanner) {
		members(s, func(key []byte) bool {
			found = found || string(key) == "functionCall" || string(key) == "thought"
			return false
		})
	})
	return found
}

// part starts the next part of a message; n counts the parts. Consecutive messages with the same role become one,
// because roles must alternate in the API.
func (g *geminiCLI) part(n *int, role string) {
	*n++
	if g.role == role {
		g.appendPieces(`,`)
		g.addOrigin(g.record)
		return
	}
	if g.role != "" {
		g.appendPieces(`]}`)
	}
	g.role = role
	g.beginMessage()
	g.addOrigin(g.record)
	g.appendPieces(`{"role":"` + role + `","parts":[`)
}

// parts writes content, which is text, a part, or a list of both. n is the number of parts written so far in the
// message, and grows. A zero span writes nothing.
func (g *geminiCLI) parts(n *int, role string, at jsonspan.Span) {
	if at.IsZero() {
		return
	}
	switch g.src[at.Start] {
	case '"':
		if at.Len() > 2 {
			g.part(n, role)
			g.appendPieces(`{"text":`, at, `}`)
		}
	case '{':
		g.part(n, role)
		g.appendPieces(at)
	case '[':
		for _, item := range items(g.src, at) {
			if g.src[item.Start] != '[' {
				g.parts(n, role, item)
			}
		}
	}
}

// thought writes a thought. Gemini CLI stores the model's text split into a subject and a description. n is the number
// of parts so far in the message, and grows by one unless the thought is empty.
func (g *geminiCLI) thought(n *int, s *jsonspan.Scanner) {
	var subject, description jsonspan.Span
	read(s, field{"subject", &subject}, field{"description", &description})
	if subject.Len() <= 2 && description.Len() <= 2 {
		return
	}
	g.part(n, "model")
	inner := func(p jsonspan.Span) jsonspan.Span {
		if p.Len() > 2 {
			return jsonspan.Span{Start: p.Start + 1, End: p.End - 1}
		}
		return jsonspan.Span{}
	}
	g.appendPieces(`{"text":"`)
	if subject.Len() > 2 {
		g.appendPieces(`**`, inner(subject), `**\n\n`)
	}
	g.appendPieces(inner(description), `","thought":true}`)
}

// call writes a tool call, unless written is true, which means that the content has already included it. result is true
// if the call has a result.
func (g *geminiCLI) call(n *int, s *jsonspan.Scanner, written bool) (result bool) {
	if !written {
		g.part(n, "model")
		g.appendPieces(`{"functionCall":{`)
	}
	first := true
	members(s, func(key []byte) bool {
		name := string(key)
		v := s.Skip().Span
		switch {
		case name == "result":
			result = g.answers(v)
		case !written && (name == "id" || name == "name" || name == "args"):
			if !first {
				g.appendPieces(`,`)
			}
			first = false
			g.appendPieces(`"`+name+`":`, v)
		}
		return true
	})
	if !written {
		g.appendPieces(`}}`)
	}
	return result
}

// answers reports whether a call's result has content: text, a part, or a list that contains a part.
func (g *geminiCLI) answers(result jsonspan.Span) bool {
	if result.IsZero() {
		return false
	}
	switch g.src[result.Start] {
	case '"', '{':
		return true
	}
	found := false
	g.each(result, func(*jsonspan.Scanner) { found = true })
	return found
}

// result writes the result of a call: the parts that Gemini CLI sent, or text. It writes nothing for a call without a
// result. n counts the parts of the message.
func (g *geminiCLI) result(n *int, s *jsonspan.Scanner) {
	var id, name, result jsonspan.Span
	read(s, field{"id", &id}, field{"name", &name}, field{"result", anyValue{&result}})
	if result.IsZero() {
		return
	}
	if g.src[result.Start] != '"' {
		g.parts(n, "user", result)
		return
	}
	g.part(n, "user")
	g.appendPieces(`{"functionResponse":{`)
	if !id.IsZero() {
		g.appendPieces(`"id":`, id, `,`)
	}
	if !name.IsZero() {
		g.appendPieces(`"name":`, name, `,`)
	}
	g.appendPieces(`"response":{"output":`, result, `}}}`)
}

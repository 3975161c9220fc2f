package sessionfile

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Gemini CLI keeps one object with a list of messages. Newer versions append a line for each change instead: a message, which replaces the
// one with the same id, {"$set":…} with a new list, or {"$rewindTo":id}. A model message has its thoughts and tool calls as members, and
// each call its results. If the content of a model message contains thoughts or calls, it is the complete message and those members only
// repeat it.
func init() {
	register(&Kind{
		Name:   "gemini-cli",
		Doc:    "Gemini CLI: one JSON object, or JSON lines",
		Format: "gemini",
		Signs: []Sign{
			{"", []string{"sessionId", "projectHash"}},
			{"", []string{"sessionId", "startTime", "messages"}},
		},
		Read: readGeminiCLI,
	})
}

// gcChange is a change to the list of messages.
type gcChange struct {
	kind gcKind
	id   int32 // place in ids, or noID
	span jsonspan.Span
}

type gcKind uint8

const (
	gcPut gcKind = iota
	gcClear
	gcRewind
)

type geminiCLI struct {
	*file
	ids     ids
	changes []gcChange
	records []jsonspan.Span // the messages that are there in the end
	record  int32           // the one that is being written
	asked   jsonspan.Span   // the model that the file names last
	list    jsonspan.Span   // the list of messages that was read last
	lined   bool            // the file has a line for each change
	role    string          // of the message that is being written, or ""
	told    string          // the role of the message whose content was told last
}

func readGeminiCLI(f *file) writer {
	g := &geminiCLI{file: f}
	from, end := nextLine(f.src, start(f.src))
	first := lineScanner(f.src, from, end)
	if first.Skip(); first.Err() == nil {
		n := 0
		f.lines(func(s *jsonspan.Scanner) { n++; g.entry(s) })
		g.lined = n > 1 || g.list.Zero()
	} else { // an object that is spread over lines
		s := f.scan(uint32(from))
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
		g.put(`]}`)
	}
	if g.Model == "" { // no answer is left
		g.Model = g.textAt(g.asked)
	}
	return g
}

// entry reads the object that holds all, or one line.
func (g *geminiCLI) entry(s *jsonspan.Scanner) {
	s.Kind()
	c := gcChange{id: noID, span: jsonspan.Span{Start: s.Pos()}}
	typed := false
	members(s, func(key []byte) bool {
		switch string(key) {
		case "id":
			c.id = g.ids.add(g.src, text(s))
		case "type":
			typed = !text(s).Zero()
		case "messages":
			return g.messages(s)
		case "timestamp", "lastUpdated":
			g.timed(text(s))
		case "model":
			g.asked = text(s)
		case "$set":
			if s.Kind() != jsonspan.Object {
				return false
			}
			members(s, func(key []byte) bool { return string(key) == "messages" && g.messages(s) })
		case "$rewindTo":
			g.changes = append(g.changes, gcChange{kind: gcRewind, id: g.ids.add(g.src, text(s))})
		default:
			return false
		}
		return true
	})
	c.span.End = s.Pos()
	if typed && s.Err() == nil {
		g.changes = append(g.changes, c)
	}
}

// messages reads a list of messages, which replaces all earlier ones.
func (g *geminiCLI) messages(s *jsonspan.Scanner) bool {
	if s.Kind() != jsonspan.Array {
		return false
	}
	g.changes = append(g.changes, gcChange{kind: gcClear, id: noID})
	g.list.Start = s.Pos()
	for s.Array(); s.Elem(); {
		s.Kind()
		c := gcChange{id: noID, span: jsonspan.Span{Start: s.Pos()}}
		members(s, func(key []byte) bool {
			switch string(key) {
			case "id":
				c.id = g.ids.add(g.src, text(s))
			case "timestamp":
				g.dated(text(s))
			case "model":
				g.asked = text(s)
			default:
				return false
			}
			return true
		})
		c.span.End = s.Pos()
		g.changes = append(g.changes, c)
	}
	g.list.End = s.Pos()
	return true
}

// replay makes the changes and returns the messages that are there in the end.
func (g *geminiCLI) replay() []jsonspan.Span {
	ranks, n := g.ids.rank()
	at := filled(n, -1) // by id: the index of the message
	var list []jsonspan.Span
	var owner []int32 // the id of each message in list
	cut := func(to int, why api.SkipReason) {
		g.skip(why, len(list)-to)
		for _, id := range owner[to:] {
			if id != noID {
				at[id] = -1
			}
		}
		list, owner = list[:to], owner[:to]
	}
	for _, c := range g.changes {
		id := int32(noID)
		if c.id != noID {
			id = ranks[c.id]
		}
		switch {
		case c.kind == gcClear:
			cut(0, api.SkipCompacted)
		case c.kind == gcRewind:
			to := 0 // the agent takes an id that it does not know for the beginning
			if id != noID && at[id] >= 0 {
				to = int(at[id])
			}
			cut(to, api.SkipRolledBack)
		case id != noID && at[id] >= 0:
			list[at[id]] = c.span
		default:
			if id != noID {
				at[id] = int32(len(list))
			}
			list, owner = append(list, c.span), append(owner, id)
		}
	}
	return list
}

// write writes what a message says: the user, or the model and the results of its tool calls.
func (g *geminiCLI) write(at jsonspan.Span) {
	typ := ""
	var content, thoughts, calls, usage, model jsonspan.Span
	s := g.scan(at.Start)
	members(s, func(key []byte) bool {
		switch string(key) {
		case "type":
			typ = word(s, "user", "gemini")
		case "content":
			content = s.Skip().Span
		case "thoughts":
			thoughts = s.Skip().Span
		case "toolCalls":
			calls = s.Skip().Span
		case "tokens":
			usage = s.Skip().Span
		case "model":
			model = text(s)
		default:
			return false
		}
		return true
	})
	n := 0
	switch typ {
	case "user":
		if g.parts(&n, "user", content); n == 0 {
			g.skip(api.SkipEmpty, 1)
		}
		return
	case "":
		g.skip(api.SkipMeta, 1)
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
	if !model.Zero() {
		g.Model = g.textAt(model)
	}
	if n == 0 {
		g.skip(api.SkipEmpty, 1)
		return
	}
	g.count(usage)
	if results {
		g.each(calls, func(s *jsonspan.Scanner) { g.result(&n, s) })
	}
}

// each calls one for each object of the list at a span.
func (g *geminiCLI) each(at jsonspan.Span, one func(s *jsonspan.Scanner)) {
	if at.Zero() {
		return
	}
	s := g.scan(at.Start)
	if s.Kind() != jsonspan.Array {
		return
	}
	for s.Array(); s.Elem(); {
		if isObject(s) {
			one(s)
		}
	}
}

// complete reports whether the content of a model message is a list of parts that includes thoughts or calls.
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

// part begins the next of n parts. Messages of one role in a row become one: the API wants the roles to take turns.
func (g *geminiCLI) part(n *int, role string) {
	*n++
	if g.role == role {
		g.put(`,`)
		g.came(g.record)
		return
	}
	if g.role != "" {
		g.put(`]}`)
	}
	g.role = role
	g.message()
	g.came(g.record)
	g.put(`{"role":"` + role + `","parts":[`)
}

// parts writes content: a text, a part, or a list of both.
func (g *geminiCLI) parts(n *int, role string, at jsonspan.Span) {
	if at.Zero() {
		return
	}
	s := g.scan(at.Start)
	one := func() {
		switch s.Kind() {
		case jsonspan.String:
			t := s.Text()
			if t.Bytes > 0 {
				g.part(n, role)
				g.put(`{"text":`)
				g.copy(t.Span)
				g.put(`}`)
			}
		case jsonspan.Object:
			g.part(n, role)
			g.copy(s.Skip().Span)
		default:
			s.Skip()
		}
	}
	if s.Kind() != jsonspan.Array {
		one()
		return
	}
	for s.Array(); s.Elem(); {
		one()
	}
}

// thought writes a thought. The agent has split what the model sent into subject and description.
func (g *geminiCLI) thought(n *int, s *jsonspan.Scanner) {
	var subject, description jsonspan.Span
	members(s, func(key []byte) bool {
		switch string(key) {
		case "subject":
			subject = text(s)
		case "description":
			description = text(s)
		default:
			return false
		}
		return true
	})
	if subject.Len() <= 2 && description.Len() <= 2 {
		return
	}
	g.part(n, "model")
	g.put(`{"text":"`)
	inner := func(p jsonspan.Span) {
		if p.Len() > 2 {
			g.copy(jsonspan.Span{Start: p.Start + 1, End: p.End - 1})
		}
	}
	if subject.Len() > 2 {
		g.put(`**`)
		inner(subject)
		g.put(`**\n\n`)
	}
	inner(description)
	g.put(`","thought":true}`)
}

// call writes a tool call, unless it is already written, and reports whether it has a result.
func (g *geminiCLI) call(n *int, s *jsonspan.Scanner, written bool) bool {
	if !written {
		g.part(n, "model")
		g.put(`{"functionCall":{`)
	}
	first, result := true, false
	members(s, func(key []byte) bool {
		switch string(key) {
		case "id", "name", "args":
			if written {
				return false
			}
			if !first {
				g.put(`,`)
			}
			first = false
			g.Messages = jsonspan.AppendString(g.Messages, key)
			g.put(`:`)
			g.copy(s.Skip().Span)
		case "result":
			kind := s.Kind()
			v := s.Skip()
			result = kind == jsonspan.String || kind == jsonspan.Object || kind == jsonspan.Array && g.holds(v.Span)
		default:
			return false
		}
		return true
	})
	if !written {
		g.put(`}}`)
	}
	return result
}

// holds reports whether a list contains a part.
func (g *geminiCLI) holds(at jsonspan.Span) bool {
	found := false
	g.each(at, func(s *jsonspan.Scanner) { found = true; s.Skip() })
	return found
}

// result writes the tool result of a call: the parts that the agent sent, or a text.
func (g *geminiCLI) result(n *int, s *jsonspan.Scanner) {
	var id, name, result jsonspan.Span
	members(s, func(key []byte) bool {
		switch string(key) {
		case "id":
			id = text(s)
		case "name":
			name = text(s)
		case "result":
			result = s.Skip().Span
		default:
			return false
		}
		return true
	})
	if result.Zero() {
		return
	}
	if g.src[result.Start] != '"' {
		g.parts(n, "user", result)
		return
	}
	g.part(n, "user")
	g.put(`{"functionResponse":{`)
	if !id.Zero() {
		g.put(`"id":`)
		g.copy(id)
		g.put(`,`)
	}
	if !name.Zero() {
		g.put(`"name":`)
		g.copy(name)
		g.put(`,`)
	}
	g.put(`"response":{"output":`)
	g.copy(result)
	g.put(`}}}`)
}

// count takes over the provider's usage for the message written last. Gemini counts what was cached as input, and what
// tools were told apart from it.
func (g *geminiCLI) count(at jsonspan.Span) {
	if at.Zero() {
		return
	}
	u := Usage{Message: g.Count - 1}
	s := g.scan(at.Start)
	if !isObject(s) {
		return
	}
	members(s, func(key []byte) bool {
		switch string(key) {
		case "input", "tool":
			u.Input += tokens(s)
		case "cached":
			u.CacheRead = tokens(s)
		case "output", "thoughts":
			u.Output += tokens(s)
		default:
			return false
		}
		return true
	})
	u.Input = max(0, u.Input-u.CacheRead)
	g.used(u)
}

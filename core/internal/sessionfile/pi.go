package sessionfile

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// pi writes a header, then one entry per line. From version 2 on, entries have an id and a parentId and form a tree;
// in version 1 they form a sequence. A compaction entry has a summary and names the first entry to keep, by its id
// or, in version 1, by its line index.
var piSession = Kind{
	Name:   "pi",
	Doc:    "pi: JSON lines, versions 1 to 3",
	Format: "native",
	Signs:  []Sign{{"session", []string{"id", "timestamp", "cwd"}}},
	Usage:  usageKeys{"input", "output", "cacheRead", "cacheWrite"},
	Read:   readPi,
}

func init() {
	register(&piSession)
}

// piEntry is a line. Its id fields hold positions until resolve replaces them with the ids' numbers (see ids).
type piEntry struct {
	at     jsonspan.Span // the whole entry
	header bool          // it is the line that describes the session
	kind   piKind        // what it means for the conversation
	linked bool          // has a parent member, even if it is null
	used   bool          // it is in the result or was deliberately left out
	id     int32         // its own id, or noID
	parent int32         // the parent's id; after resolve, the index of the parent's entry, or -1
	kept   int32         // for a compaction, the id of the first entry to keep; in version 1 its index
	byLine bool          // kept is an index
	first  int32         // its call ids are calls[first:end]
	end    int32         // exclusive
	model  jsonspan.Span // the name of a model, a string; zero if there is none
	body   jsonspan.Span // its message, or the whole entry if that is the message
	usage  jsonspan.Span // the provider's counts, an object; zero if there are none
	role   *piRole       // how its message is converted; nil if it has none
	target int32         // for an edit, the id of the entry that it changes
	value  jsonspan.Span // for an edit its replacement, for a compaction its system message
	edit   int32         // index of the edit that applies to the entry, or -1
}

type piKind uint8

const (
	piOther      piKind = iota // has no meaning for the conversation
	piMessage                  // a message that is sent
	piFailed                   // an interrupted response
	piExcluded                 // a command that the user hid from the model
	piEmpty                    // a message without content
	piCompaction               // a compaction with its summary
	piModel                    // a change of the model
	piSystem                   // the system prompt, or a change of it
	piEdit                     // replaces the content of an earlier entry, or removes it
)

type pi struct {
	*file
	ids     ids             // the ids of entries and calls
	numbers int             // the number of different ids
	entries []piEntry       // in the order of the file
	calls   []int32         // the ids of the tool calls in responses, and of the calls that results answer
	path    []int32         // the indexes of the entries from the root to the newest
	prompts []jsonspan.Span // the system messages on the path that are still valid
	texts   []string        // their texts outside of sections
	version int64           // the version of the file; 0 means 1
	answer  jsonspan.Span   // the last assistant message on the path
	made    []string        // the new id of each entry, as JSON, if the file has none
}

func readPi(f *file) writer {
	p := &pi{file: f}
	f.eachLine(p.line)
	if f.err == nil {
		p.resolve()
		p.write()
	}
	return p
}

// line reads one line of the file and records it as an entry.
func (p *pi) line(s *jsonspan.Scanner) {
	s.Kind()
	e := piEntry{id: noID, parent: noID, kept: noID, target: noID, edit: -1}
	e.body.Start = s.Pos()
	typ, named := "", false
	var message, model jsonspan.Span
	version := int64(0)
	read(s, field{"type", oneOf(&typ, "session", "message", "compaction", "branch_summary", "custom_message",
		"model_change", "context_edit")},
		field{"id", number{&p.ids, &e.id}},
		field{"parentId", func(s *jsonspan.Scanner) { e.linked, e.parent = true, p.ids.add(p.src, stringSpan(s)) }},
		field{"firstKeptEntryId", func(s *jsonspan.Scanner) {
			e.kept, e.byLine, named = p.ids.add(p.src, stringSpan(s)), false, true
		}},
		field{"firstKeptEntryIndex", func(s *jsonspan.Scanner) {
			if n := tokenCount(s); !named {
				e.kept, e.byLine = int32(min(n, 1<<30)), true
			}
		}},
		field{"message", anyValue{&message}}, field{"modelId", &model}, field{"targetId", number{&p.ids, &e.target}},
		field{"replacement", anyValue{&e.value}}, field{"systemMessage", anyValue{&e.value}},
		field{"timestamp", timeOf{p.file}},
		field{"version", &version})
	e.body.End = s.Pos()
	e.at = e.body
	if s.Err() != nil {
		return
	}
	e.first = int32(len(p.calls))
	switch typ {
	case "session":
		e.id, e.kind, e.model, e.header = noID, piModel, model, true // the session's own id is not part of the tree
		p.version = version
	case "model_change":
		e.kind, e.model = piModel, model
	case "message":
		if !message.IsZero() {
			e.body = message
			p.message(s, &e)
		}
	case "compaction":
		e.kind, e.role = piCompaction, &piSummary
	case "context_edit":
		e.kind = piEdit
	case "branch_summary":
		e.kind, e.role = piMessage, &piBranch
	case "custom_message":
		e.kind, e.role = piMessage, &piCustom
	}
	e.end = int32(len(p.calls))
	p.entries = append(p.entries, e)
}

// message reads the message of an entry. Its properties go into e. If pi doesn't send messages with this role, the kind
// of e doesn't change.
func (p *pi) message(s *jsonspan.Scanner, e *piEntry) {
	var role, call jsonspan.Span
	stop, excluded, empty := "", false, false
	inside(s, e.body, func(s *jsonspan.Scanner) {
		read(s, field{"role", &role}, field{"model", &e.model}, field{"usage", anyValue{&e.usage}},
			field{"stopReason", oneOf(&stop, "aborted", "error")},
			field{"excludeFromContext", &excluded}, field{"toolCallId", &call},
			field{"content", func(s *jsonspan.Scanner) { empty = p.readCallIDs(s, e) }})
	})
	for i := range piRoles {
		if jsonspan.EqualText(p.src, role, piRoles[i].name) {
			e.role = &piRoles[i]
		}
	}
	switch {
	case jsonspan.EqualText(p.src, role, "system"):
		e.kind = piSystem
	case e.role == nil:
		return // pi doesn't send messages of this kind
	case stop != "":
		e.kind = piFailed
	case excluded:
		e.kind = piExcluded
	case empty && e.role.native != "tool_result":
		e.kind = piEmpty
	default:
		e.kind = piMessage
	}
	if !call.IsZero() {
		p.calls = append(p.calls[:e.first], p.ids.add(p.src, call))
	}
}

// readCallIDs collects the ids of the tool calls in a message. It returns true if the content is empty.
func (p *pi) readCallIDs(s *jsonspan.Scanner, e *piEntry) bool {
	p.calls = p.calls[:e.first]
	switch s.Kind() {
	case jsonspan.String:
		return s.Text().Bytes == 0
	case jsonspan.Null: // pi treats null as an empty list
		s.Skip()
		return true
	case jsonspan.Array:
	default:
		s.Fail(jsonspan.WrongType, int(s.Pos()), "content must be a string or a list of parts")
		return false
	}
	n := 0
	for s.Array(); s.Elem(); n++ {
		typ, id := "", jsonspan.Span{}
		read(s, field{"type", oneOf(&typ, "toolCall")}, field{"id", &id})
		if typ != "" && !id.IsZero() {
			p.calls = append(p.calls, p.ids.add(p.src, id))
		}
	}
	return n == 0
}

// resolve sets the path from the root to the last entry. It also replaces the positions of ids with the ids' numbers.
func (p *pi) resolve() {
	ranks, n := p.ids.rank()
	p.numbers = n
	later := filled(n, -1)
	for i := len(p.entries) - 1; i >= 0; i-- {
		if e := &p.entries[i]; e.id != noID {
			ranks.number(&e.id)
			later[e.id] = int32(i)
		}
	}
	for i := range p.calls {
		ranks.number(&p.calls[i])
	}
	before := filled(n, -1)
	for i := range p.entries {
		e := &p.entries[i]
		if ranks.number(&e.target); !e.byLine {
			ranks.number(&e.kept)
		}
		at := int32(i) - 1
		if e.linked {
			ranks.number(&e.parent)
			at = nearest(e.parent, before, later)
		}
		e.parent = at
		if e.id != noID {
			before[e.id] = int32(i)
		}
	}
	seen := make([]bool, len(p.entries))
	for i := int32(len(p.entries)) - 1; i >= 0 && !seen[i]; i = p.entries[i].parent {
		seen[i] = true
		p.path = append(p.path, i)
	}
	slices.Reverse(p.path)
}

// write writes the summary of the last compaction, the messages that it kept, and the messages after it.
func (p *pi) write() {
	last, cut := -1, int32(-1) // the last compaction, as an index of the path and as an entry
	for k, i := range p.path {
		e := &p.entries[i]
		if e.kind == piCompaction {
			last, cut = k, i
		}
		if (e.kind == piModel || e.kind == piMessage) && !e.model.IsZero() {
			p.Model = p.textAt(e.model)
		}
	}
	gone := p.interrupted()
	begin := p.kept(last)
	p.edits(begin)
	p.system(last)
	if last >= 0 {
		p.entry(cut, false, gone)
	}
	for k := begin; k < len(p.path); k++ {
		if p.entries[p.path[k]].kind != piCompaction {
			p.entry(p.path[k], k > last, gone)
		}
	}
	p.countSkipped(cut)
}

// interrupted returns, by number, the calls in interrupted responses. Their results are left out together with the
// calls.
func (p *pi) interrupted() []bool {
	gone := make([]bool, p.numbers)
	for i := range p.entries {
		e := &p.entries[i]
		if e.kind == piFailed || e.role != nil && e.role.native == "assistant" {
			for _, id := range p.calls[e.first:e.end] {
				gone[id] = e.kind == piFailed
			}
		}
	}
	return gone
}

// kept returns the index in the path of the first entry that the last compaction kept; if it kept none, last. last is
// the index of that compaction in the path, or -1 if there is none; then kept returns 0.
func (p *pi) kept(last int) (begin int) {
	for ; begin < last; begin++ {
		e, i := &p.entries[p.path[last]], p.path[begin]
		if e.byLine && i >= e.kept || !e.byLine && e.kept != noID && p.entries[i].id == e.kept {
			break
		}
	}
	return begin
}

// countSkipped counts the entries that are not in the result. cut is the entry of the last compaction, or -1.
func (p *pi) countSkipped(cut int32) {
	for i := range p.entries {
		e := &p.entries[i]
		switch {
		case e.used:
		case e.kind.isMeta():
			p.noteSkipped(api.SkipMeta, 1)
		case int32(i) < cut:
			p.noteSkipped(api.SkipCompacted, 1)
		default:
			p.noteSkipped(api.SkipBranch, 1)
		}
	}
}

// isMeta reports whether entries of this kind are not messages.
func (k piKind) isMeta() bool { return k == piOther || k == piModel || k == piSystem || k == piEdit }

// leftOut returns the reason why pi does not send the message of an entry, or "" if pi sends it. empty is true if the
// message has no content.
func (p *pi) leftOut(e *piEntry, empty bool) api.SkipReason {
	switch {
	case e.kind == piFailed:
		return api.SkipFailed
	case e.kind == piExcluded || p.omitted(e):
		return api.SkipExcluded
	case empty:
		return api.SkipEmpty
	}
	return ""
}

// entry writes the message of entry i, or counts the entry as skipped if pi doesn't send it. counts
// is true for an entry after the last compaction, whose usage is recorded. gone marks the calls
// that were left out.
func (p *pi) entry(i int32, counts bool, gone []bool) {
	e := &p.entries[i]
	result := e.role != nil && e.role.native == "tool_result"
	if result && e.end > e.first && gone[p.calls[e.first]] {
		e.kind = piFailed
	}
	content, empty := "", e.kind == piEmpty
	if e.edit >= 0 {
		content, empty = p.replaced(e, empty)
	}
	if e.kind.isMeta() {
		return
	}
	e.used = true
	if why := p.leftOut(e, empty); why != "" {
		p.noteSkipped(why, 1)
		return
	}
	src, body := p.src, e.body
	if content != "" {
		src = appendObject(nil, src, body, rename{}.withValue("content", content).conversionOf)
		body = jsonspan.Span{End: uint32(len(src))}
	}
	p.file.beginMessage()
	p.addOrigin(i)
	if e.role.members == nil {
		p.Messages = append(p.Messages, body.Slice(src)...)
	} else {
		p.Messages = appendObject(p.Messages, src, body, e.role.members.conversionOf)
	}
	if counts && !e.usage.IsZero() {
		p.noteUsage(p.Count-1, p.usageAt(e.usage))
	}
}

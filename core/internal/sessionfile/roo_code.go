package sessionfile

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Roo Code, and the versions of Kilo Code and Cline related to it, keep a list of messages in Anthropic's form with
// additional members. Nothing is ever removed from the list: a request begins with the last summary, and a truncated
// message names the marker that replaces it. Some members and blocks are for other providers.
var rooCodeKind = Kind{
	Name:   "roo-code",
	Doc:    "Roo Code, and Kilo Code and Cline of before their command lines: api_conversation_history.json",
	Format: "anthropic",
	Items: []Sign{
		{"", []string{"role", "content", "ts"}}, {"", []string{"role", "content", "modelInfo"}},
		{"", []string{"role", "content", "isSummary"}}, {"", []string{"role", "content", "condenseParent"}},
	},
	Beside: []Beside{{Sign{"say", []string{"ts"}}, rooBeside}, {Sign{"ask", []string{"ts"}}, rooBeside}},
	Read:   readRoo,
}

// rooBeside says why a list isn't a session.
const rooBeside = "these are the lines that the user sees of a task (ui_messages.json); what the agent sends is in api_conversation_history.json"

func init() {
	register(&rooCodeKind)
}

// rooRecord is an item of the list.
type rooRecord struct {
	at, content jsonspan.Span // the whole message, and its content
	role        string        // "user" or "assistant"
	summary     bool          // it is the summary of a compaction
	marker      bool          // it replaces truncated messages
	reasoning   bool          // not a message, but reasoning in another provider's form
	condensed   bool          // it names the summary that replaces it
	stands      int32         // for a marker, its id
	hidden      int32         // the id of the marker that replaces the message, or noID
}

type rooCode struct {
	*file
	merged
	ids     ids               // the ids of truncation markers
	list    jsonspan.Span     // the list of messages
	records []rooRecord       // in the order of the file
	calls   []rooCall         // in the order of the file
	live    critbit.Map[bool] // the ids of the calls after the last summary
	first   int               // index of the last summary, or 0
	cline   bool              // written by Cline, which records truncations in another file
	newest  int64             // the latest time of a message, in milliseconds since 1970
	model   jsonspan.Span     // the name of the model that was called last, a string; zero if unknown
}

// rooCall is a tool call.
type rooCall struct {
	id     jsonspan.Span // the call's id
	record int           // the index of its message
}

func readRoo(f *file) writer {
	r := &rooCode{file: f}
	r.merged = merged{sends: r.sends, block: rooBlock}
	s := f.scannerAt(uint32(textStart(f.src)))
	r.list = readList(s, "a session", "a message", r.record)
	s.End()
	if f.fail(s.Err(), 0); f.err == nil {
		r.write(r.visible())
		f.Model = r.textAt(r.model)
	}
	return r
}

// record reads a message, with the marks that condensing and truncating have left on it.
func (r *rooCode) record(s *jsonspan.Scanner) {
	rec := rooRecord{at: jsonspan.Span{Start: s.Pos()}, stands: noID, hidden: noID}
	var reasoning string
	var condensed jsonspan.Span
	read(s, field{"role", oneOf(&rec.role, "user", "assistant")}, field{"type", oneOf(&reasoning, "reasoning")},
		field{"content", func(s *jsonspan.Scanner) { rec.content = r.content(s) }},
		field{"ts", func(s *jsonspan.Scanner) { r.newest = max(r.newest, tokenCount(s)) }},
		field{"isSummary", &rec.summary}, field{"isTruncationMarker", &rec.marker},
		field{"truncationId", number{&r.ids, &rec.stands}}, field{"truncationParent", number{&r.ids, &rec.hidden}},
		field{"condenseParent", &condensed},
		field{"modelInfo", func(s *jsonspan.Scanner) {
			if r.cline = true; isObject(s) {
				read(s, field{"modelId", &r.model})
			}
		}},
		field{"metrics", func(s *jsonspan.Scanner) { r.cline = true; s.Skip() }})
	rec.at.End, rec.reasoning, rec.condensed = s.Pos(), reasoning != "", condensed.Len() > 2
	r.records = append(r.records, rec)
}

// content collects the ids of the calls in a message and returns the span of its content.
func (r *rooCode) content(s *jsonspan.Scanner) jsonspan.Span {
	switch s.Kind() {
	case jsonspan.String, jsonspan.Null:
		return s.Skip().Span
	case jsonspan.Array:
	default:
		s.Fail(jsonspan.WrongType, int(s.Pos()), "content must be a string or a list of blocks")
		return jsonspan.Span{}
	}
	return readList(s, "content", "a block", func(s *jsonspan.Scanner) {
		typ, id := "", jsonspan.Span{}
		if read(s, field{"type", oneOf(&typ, "tool_use")}, field{"id", &id}); typ != "" {
			r.calls = append(r.calls, rooCall{id, len(r.records)})
		}
	})
}

// visible returns the indexes of the messages that the agent sends.
func (r *rooCode) visible() (sent []int32) {
	for i := range r.records {
		if r.records[i].summary {
			r.first = i
		}
	}
	ranks, stands := r.standing()
	for _, c := range r.calls {
		if c.record >= r.first && r.records[c.record].role == "assistant" {
			r.live.Set(r.textAt(c.id), true)
		}
	}
	r.noteSkipped(api.SkipCompacted, r.first)
	for i := r.first; i < len(r.records); i++ {
		switch rec := &r.records[i]; {
		case rec.hidden != noID && stands[ranks[rec.hidden]]:
			r.noteSkipped(api.SkipCompacted, 1)
		case rec.reasoning || rec.role == "":
			r.noteSkipped(api.SkipMeta, 1)
		case r.blocks(r.file, rec.role, rec.content, func(jsonspan.Span) {}) == 0:
			r.noteSkipped(api.SkipEmpty, 1)
		default:
			sent = append(sent, int32(i))
		}
	}
	return sent
}

// standing returns the ranks of the ids, and, by rank, whether a marker after the last summary hides the messages with
// that id.
func (r *rooCode) standing() (ranks ranks, stands []bool) {
	ranks, n := r.ids.rank()
	stands = make([]bool, n)
	for _, rec := range r.records[r.first:] {
		if rec.marker && rec.stands != noID {
			stands[ranks[rec.stands]] = true
		}
	}
	return ranks, stands
}

// write writes the messages with the given indexes, which are those that the agent sends. Like the agent, it merges
// consecutive user messages into one. A summary begins a new message, though, and a truncation marker is always a
// message of its own; see together.
func (r *rooCode) write(sent []int32) {
	for len(sent) > 0 {
		n := r.together(sent)
		var contents []jsonspan.Span
		for _, k := range sent[:n] {
			contents = append(contents, r.records[k].content)
		}
		r.merged.write(r.file, r.records[sent[0]].role, contents)
		for _, k := range sent[:n] {
			r.cameWithReasoning(k)
		}
		sent = sent[n:]
	}
}

// together returns the number of messages at the beginning of sent that are written as one.
func (r *rooCode) together(sent []int32) int {
	n := 1
	for first := &r.records[sent[0]]; n < len(sent) && first.role == "user" && !first.marker; n++ {
		if rec := &r.records[sent[n]]; rec.role != "user" || rec.summary || rec.marker {
			break
		}
	}
	return n
}

// cameWithReasoning records that the message being written comes from a record, and from the reasoning of another
// provider that precedes it.
func (r *rooCode) cameWithReasoning(k int32) {
	from := k
	for int(from) > r.first && r.records[from-1].reasoning {
		from--
	}
	for ; from <= k; from++ {
		r.addOrigin(from)
	}
}

// sends reports whether a block is sent. Blocks for other providers are not, nor are results whose calls precede the
// last summary. Without a summary all results are sent. role and typ are those of the message and of the block.
func (r *rooCode) sends(role, typ string, block jsonspan.Span) bool {
	switch typ {
	case "reasoning", "thoughtSignature":
		return false
	case "tool_result":
		id := stringAt(r.src, block, "tool_use_id")
		if role == "user" && r.records[r.first].summary && id.Len() >= 2 {
			live, _ := r.live.Get(r.textAt(id))
			return live
		}
	}
	return true
}

var (
	rooOthers   = withoutKeys("call_id reasoning_details summary signature")
	rooThinking = withoutKeys("call_id reasoning_details summary")
)

// rooBlock appends a block without the members that Anthropic doesn't know. A string becomes a text block.
func rooBlock(dst, src []byte, at jsonspan.Span) []byte {
	if src[at.Start] == '{' && typeOf(src, at) == "thinking" {
		return withoutMembers(dst, src, at, rooThinking)
	}
	return withoutMembers(dst, src, at, rooOthers)
}

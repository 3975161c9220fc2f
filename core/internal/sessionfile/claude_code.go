package sessionfile

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Claude Code appends one object per line. Lines with a uuid form a tree of messages and events, linked by parentUuid.
// The live conversation is the path from the newest message back to its root, or back to the last compaction.
// The lines of one provider message share message.id and have one block each. If a message calls several tools at once,
// the parent of each result is the line of its call, so all but one of these lines are off the path.
//
// The Claude Agent SDK has the same entries in lists: its session stores hold the lines of the agent, and a query
// yields messages that spell their members with underscores and follow each other without parents (SDKMessage and
// SessionStoreEntry of @anthropic-ai/claude-agent-sdk 0.3.332). The option --output-format stream-json prints the
// latter as lines.
var claudeCodeKind = Kind{
	Name:   "claude-code",
	Doc:    "Claude Code: JSON lines; Claude Agent SDK: its stream, and entries of its session stores, as lines or a list",
	Format: "anthropic",
	Signs:  ccSigns,
	Items:  ccSigns,
	Usage:  usageKeys{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"},
	Read:   readClaudeCode,
}

func init() {
	register(&claudeCodeKind)
}

var ccSigns = []Sign{
	{"user", []string{"message", "sessionId"}},
	{"user", []string{"message", "uuid"}},
	{"user", []string{"message", "parent_tool_use_id"}},
	{"assistant", []string{"message", "sessionId"}},
	{"assistant", []string{"message", "uuid"}},
	{"summary", []string{"leafUuid"}},
	{"system", []string{"uuid", "sessionId"}},
	{"system", []string{"uuid", "session_id"}},
	{"file-history-snapshot", []string{"snapshot"}},
	{"queue-operation", []string{"operation", "sessionId"}},
}

// ccLine is a line that is part of the tree. Its id fields hold positions until resolve replaces them with the ids'
// numbers (see ids).
type ccLine struct {
	at      jsonspan.Span // the whole line
	kind    ccKind        // what it means for the conversation
	side    bool          // belongs to a subagent
	failed  bool          // the agent's note that a request to the provider failed
	replay  bool          // repeats a message that the program has sent
	summary bool          // the summary of the messages that the preceding compaction removed
	linked  bool          // has a parent member, even if it is null
	used    bool          // its message is in the result
	uuid    int32         // its own id, or noID
	parent  int32         // the parent's uuid; after resolve, the index of the parent's line, or -1
	id      int32         // the id of the provider's message
	first   int32         // its blocks are blocks[first:end]
	end     int32         // exclusive
	keep    int32         // for a compaction, its index in keeps, or -1
	content jsonspan.Span // of its message; zero if it has none
	model   jsonspan.Span // the name of the model that wrote it, a string
	usage   jsonspan.Span // the provider's counts for it, an object
}

type ccKind uint8

const (
	ccEvent ccKind = iota
	ccUser
	ccAssistant
	ccCompaction
)

// ccBlock is a content block of a message whose content is a list of blocks.
type ccBlock struct {
	span   jsonspan.Span // the whole block
	line   int32         // the index of its line
	kind   ccBlockKind   // ccOther unless it is a call or a result
	moved  bool          // a result that is written directly after its call instead of here, or left out
	id     int32         // the id that pairs a tool call with its result
	answer int32         // for a call, the index of the block with its result, or -1
}

type ccBlockKind uint8

const (
	ccOther ccBlockKind = iota
	ccCall
	ccResult
)

// ccKeep lists the earlier messages that a compaction keeps: by their uuids, or as the segment of the path from head to
// tail. They are inserted after the anchor, before what follows the anchor.
type ccKeep struct {
	anchor, head, tail int32   // uuids, or noID
	uuids              []int32 // nil if the messages are a segment
}

type claudeCode struct {
	*file
	wholeMessages
	list    jsonspan.Span // the list of entries, if the file is a list
	ids     ids           // all uuids and other ids
	numbers int           // the number of different ids
	records []ccLine      // in the order of the file
	blocks  []ccBlock     // of all lines, in the order of the file
	keeps   []ccKeep      // what the compactions keep
	leaf    int32         // index of the line at which the conversation ends, or -1
	cut     int32         // index of the compaction with which the conversation begins, or -1
	path    []int32       // the indexes of the lines from the root to the leaf
}

func readClaudeCode(f *file) writer {
	c := &claudeCode{file: f}
	if c.list = f.eachOfList("an entry", c.line); c.list.IsZero() {
		f.eachLine(c.line)
	}
	if f.err == nil {
		c.resolve()
		c.walk()
		c.write()
		c.findModel()
		c.countSkipped()
	}
	return c
}

// line reads one line of the file and records it, unless it is of a kind that has neither messages nor an id.
func (c *claudeCode) line(s *jsonspan.Scanner) {
	s.Kind()
	l := ccLine{uuid: noID, parent: noID, id: noID, keep: -1}
	l.at.Start = s.Pos()
	var typ, sub string
	var message, attachment, metadata, parentCall, failure jsonspan.Span
	read(s,
		field{"type", oneOf(&typ, "user", "assistant", "system", "attachment")},
		field{"subtype", oneOf(&sub, "compact_boundary")},
		field{"uuid", number{&c.ids, &l.uuid}},
		field{"parentUuid", func(s *jsonspan.Scanner) { l.linked, l.parent = true, c.ids.add(c.src, stringSpan(s)) }},
		field{"isSidechain", &l.side}, field{"isApiErrorMessage", &l.failed}, field{"isCompactSummary", &l.summary},
		field{"isReplay", &l.replay},
		field{"message", anyValue{&message}}, field{"attachment", anyValue{&attachment}},
		field{"compactMetadata", anyValue{&metadata}}, field{"parent_tool_use_id", &parentCall},
		field{"error", &failure}, field{"compact_metadata", anyValue{&metadata}},
		field{"timestamp", timeOf{c.file}})
	l.at.End = s.Pos()
	if s.Err() != nil {
		return
	}
	l.first, l.side, l.failed = int32(len(c.blocks)), l.side || !parentCall.IsZero(), l.failed || !failure.IsZero()
	switch {
	case (typ == "user" || typ == "assistant") && !message.IsZero():
		l.kind = ccUser
		if typ == "assistant" {
			l.kind = ccAssistant
		}
		inside(s, message, func(s *jsonspan.Scanner) {
			read(s, field{"content", func(s *jsonspan.Scanner) { c.content(s, &l) }},
				field{"id", number{&c.ids, &l.id}},
				field{"model", &l.model}, field{"usage", anyValue{&l.usage}})
		})
	case typ == "attachment" && !attachment.IsZero():
		c.attachment(s, attachment, &l)
	case sub == "compact_boundary":
		l.kind = ccCompaction
		if !metadata.IsZero() {
			c.compaction(s, metadata, &l)
		}
	}
	l.end = int32(len(c.blocks))
	if l.kind == ccEvent && l.uuid == noID {
		c.noteSkipped(api.SkipMeta, 1)
		return
	}
	c.records = append(c.records, l)
}

// inside calls visit with a scanner at a value that s has already passed. An error of that scanner becomes an error of
// s.
func inside(s *jsonspan.Scanner, at jsonspan.Span, visit func(in *jsonspan.Scanner)) {
	in := s.At(at.Start)
	visit(in)
	if e := in.Err(); e != nil {
		s.Fail(e.Code, e.Offset, e.Message)
	}
}

// attachment reads a message that the user sent while the model was working. Other attachments are events.
func (c *claudeCode) attachment(s *jsonspan.Scanner, at jsonspan.Span, l *ccLine) {
	inside(s, at, func(s *jsonspan.Scanner) {
		var prompt jsonspan.Span
		queued := ""
		if !isObject(s) {
			return
		}
		read(s, field{"type", oneOf(&queued, "queued_command")}, field{"prompt", anyValue{&prompt}})
		if queued != "" && !prompt.IsZero() {
			l.kind = ccUser
			inside(s, prompt, func(s *jsonspan.Scanner) { c.content(s, l) })
		}
	})
}

// content reads the content of a message into l: a string, null, or a list, whose blocks are recorded.
func (c *claudeCode) content(s *jsonspan.Scanner, l *ccLine) {
	c.blocks = c.blocks[:l.first]
	kind := s.Kind()
	l.content.Start = s.Pos()
	switch kind {
	case jsonspan.Array:
		for s.Array(); s.Elem(); {
			c.block(s)
		}
	case jsonspan.String, jsonspan.Null:
		s.Skip()
	default:
		s.Fail(jsonspan.WrongType, int(s.Pos()), "content must be a string or a list of blocks")
	}
	l.content.End = s.Pos()
	if kind == jsonspan.Null {
		l.content = jsonspan.Span{}
	}
}

// block records a block of a message's content, with the id of its call if it is a call or a result.
func (c *claudeCode) block(s *jsonspan.Scanner) {
	s.Kind()
	b := ccBlock{line: int32(len(c.records)), id: noID, answer: -1}
	b.span.Start = s.Pos()
	typ := ""
	var id, of jsonspan.Span
	read(s, field{"type", oneOf(&typ, "tool_use", "tool_result")}, field{"id", &id}, field{"tool_use_id", &of})
	b.span.End = s.Pos()
	switch typ {
	case "tool_use":
		b.kind, b.id = ccCall, c.ids.add(c.src, id)
	case "tool_result":
		b.kind, b.id = ccResult, c.ids.add(c.src, of)
	}
	c.blocks = append(c.blocks, b)
}

// compaction reads which messages a compaction keeps: preservedMessages lists all of them, preservedSegment names the
// first and the last.
func (c *claudeCode) compaction(s *jsonspan.Scanner, at jsonspan.Span, l *ccLine) {
	k := ccKeep{anchor: noID, head: noID, tail: noID}
	kept := []field{
		{"anchorUuid", number{&c.ids, &k.anchor}}, {"headUuid", number{&c.ids, &k.head}},
		{"tailUuid", number{&c.ids, &k.tail}}, {"anchor_uuid", number{&c.ids, &k.anchor}},
		{"head_uuid", number{&c.ids, &k.head}}, {"tail_uuid", number{&c.ids, &k.tail}},
		{"uuids", func(s *jsonspan.Scanner) { k.uuids = c.ids.list(s, k.uuids) }},
	}
	inside(s, at, func(s *jsonspan.Scanner) {
		if isObject(s) {
			read(s, field{"preservedSegment", kept}, field{"preservedMessages", kept},
				field{"preserved_segment", kept}, field{"preserved_messages", kept})
		}
	})
	if k.tail != noID || len(k.uuids) > 0 {
		l.keep = int32(len(c.keeps))
		c.keeps = append(c.keeps, k)
	}
}

package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// These logs of conversations can be read, but no conversation can be resumed from them, because the program keeps its
// conversations elsewhere or isn't published. An entry is text, a call, or a result. Entries from the model become
// messages in the same way as the parts of an answer in a chatTree.
//
// Letta: what messages.list of @letta-ai/letta-client 1.12.1 returns (LettaMessageUnion), oldest first. The server
// keeps the conversation. GitHub Copilot: the events of a session, as its command line writes them to events.jsonl and
// getMessages of @github/copilot-sdk 1.0.14 returns them (SessionEvent).
var lettaKind = Kind{
	Name:   "letta",
	Doc:    "Letta: the messages of an agent, as its API lists them; can't be saved",
	Format: "openai-chat",
	Items:  []Sign{{"", []string{"message_type", "date"}}},
	Read:   func(f *file) writer { return readLog(f, (*chatLog).letta) },
}

var copilotKind = Kind{
	Name:   "copilot",
	Doc:    "GitHub Copilot: the events of a session as JSON lines or a list; can't be saved",
	Format: "openai-chat",
	Signs:  copilotEvents,
	Items:  copilotEvents,
	Read:   func(f *file) writer { return readLog(f, (*chatLog).copilot) },
}

func init() {
	register(&lettaKind)
	register(&copilotKind)
}

// copilotEvents lists the events that identify a session of GitHub Copilot.
var copilotEvents = []Sign{
	{"session.start", []string{"data", "parentId"}}, {"system.message", []string{"data", "parentId"}},
	{"user.message", []string{"data", "parentId"}}, {"assistant.message", []string{"data", "parentId"}},
}

// chatLog holds the part of a log's conversation that has been read so far.
type chatLog struct {
	chatTree
	entries []logEntry // the entries that were not taken back, oldest first
	first   string     // the time of the first entry
}

// logEntry is an entry, and the id by which others refer to it.
type logEntry struct {
	at jsonspan.Span // the whole entry
	id string        // its id
}

// readLog reads a log of entries, which may be a list or one per line, and must be in ascending order of time. Entries
// that the session has taken back are left out; add adds each of the others.
func readLog(f *file, add func(c *chatLog, at jsonspan.Span)) writer {
	c := &chatLog{chatTree: chatTree{file: f}}
	entry := func(s *jsonspan.Scanner) {
		s.Kind()
		e := logEntry{at: jsonspan.Span{Start: s.Pos()}}
		var id, time jsonspan.Span
		read(s, field{"id", &id}, field{"date", &time})
		e.at.End, e.id = s.Pos(), c.textAt(id)
		at := c.textAt(time)
		if zone := strings.IndexAny(at, "Z+"); zone >= 0 {
			// Without the zone, the order of texts is the order of times even if only one of them has a fraction.
			at = at[:zone]
		}
		if c.entries = append(c.entries, e); c.first == "" {
			c.first = at
		} else if c.first > at && at != "" {
			s.Fail(api.CodeUnknownSession, int(e.at.Start),
				"the newest message comes first; list the messages in ascending order")
		}
	}
	if f.eachOfList("an entry", entry).IsZero() {
		f.eachLine(entry)
	}
	if f.err != nil {
		return c
	}
	c.rewind()
	for _, e := range c.entries {
		add(c, e.at)
	}
	c.flush(noID)
	return c
}

// rewind removes the events that the user undid. A rewind event undoes the event that it names and all later ones.
func (c *chatLog) rewind() {
	var left []logEntry
	var places critbit.Map[int] // the indexes of the entries in left, by id
	for _, e := range c.entries {
		if typeOf(c.src, e.at) != "session.snapshot_rewind" {
			places.Set(e.id, len(left))
			left = append(left, e)
			continue
		}
		target := textOf(c.src, e.at, "data.upToEventId")
		if n, known := places.Get(target); known && n < len(left) && left[n].id == target {
			c.noteSkipped(api.SkipRolledBack, len(left)-n)
			left = left[:n]
		}
	}
	c.entries = left
}

// letta adds one of an agent's messages. at is its object in the file. Reasoning is left out, and messages of unknown
// types are counted as skipped.
func (c *chatLog) letta(at jsonspan.Span) {
	switch strings.TrimSuffix(textOf(c.src, at, "message_type"), "_message") {
	case "system":
		c.System = textOf(c.src, at, "content")
	case "summary":
		c.begin(stringAt(c.src, at, "summary"))
	case "user":
		c.user(find(c.src, at, "content"))
	case "assistant":
		c.said(find(c.src, at, "content"))
	case "tool_call", "approval_request":
		c.endAnswered(noID)
		calls := find(c.src, at, "tool_calls")
		if calls.IsZero() || c.src[calls.Start] != '[' {
			c.call(find(c.src, at, "tool_call"), "tool_call_id", "arguments")
		}
		for _, call := range items(c.src, calls) {
			c.call(call, "tool_call_id", "arguments")
		}
	case "tool_return":
		results := items(c.src, find(c.src, at, "tool_returns"))
		if len(results) == 0 { // in the form of older servers
			results = []jsonspan.Span{at}
		}
		c.returned(results)
	case "approval_response":
		c.returned(items(c.src, find(c.src, at, "approvals")))
	case "reasoning", "hidden_reasoning":
	default:
		c.noteSkipped(api.SkipMeta, 1)
	}
}

// returned adds the results in a list that may also contain approvals without results.
func (c *chatLog) returned(results []jsonspan.Span) {
	for _, result := range results {
		if !find(c.src, result, "tool_return").IsZero() {
			c.result(result, "tool_call_id", "tool_return")
		}
	}
}

// copilot adds an event of a session. at is its object in the file. Events of subagents are skipped, and counted as
// such.
func (c *chatLog) copilot(at jsonspan.Span) {
	data := find(c.src, at, "data")
	if !stringAt(c.src, at, "agentId").IsZero() || !stringAt(c.src, data, "parentToolCallId").IsZero() {
		c.noteSkipped(api.SkipSideChain, 1)
		return
	}
	switch typeOf(c.src, at) {
	case "session.start":
		c.Model = textOf(c.src, data, "selectedModel")
	case "session.model_change":
		c.Model = textOf(c.src, data, "newModel")
	case "system.message":
		c.System = textOf(c.src, data, "content")
	case "session.compaction_complete":
		if isTrue(c.src, data, "success") {
			c.begin(stringAt(c.src, data, "summaryContent"))
		}
	case "user.message":
		if text := stringAt(c.src, data, "transformedContent"); !text.IsZero() {
			c.user(text)
		} else {
			c.user(find(c.src, data, "content"))
		}
	case "assistant.message":
		c.said(find(c.src, data, "content"))
		for i, call := range items(c.src, find(c.src, data, "toolRequests")) {
			if i == 0 {
				c.endAnswered(noID)
			}
			c.call(call, "toolCallId", "arguments")
		}
	case "tool.execution_complete":
		said := `$error.message?"";`
		if !stringAt(c.src, data, "result.content").IsZero() {
			said = `$result.content?"";`
		}
		c.addResult(appendFilled(nil, c.src, data,
			`{"role":"tool","tool_call_id":$toolCallId?"";,"content":`+said), nil)
	default:
		c.noteSkipped(api.SkipMeta, 1)
	}
}

// begin restarts the conversation with the summary of a compaction, which replaces all messages so far. An empty
// summary changes nothing.
func (c *chatLog) begin(summary jsonspan.Span) {
	if summary.Len() <= 2 {
		return
	}
	c.flush(noID)
	c.noteSkipped(api.SkipCompacted, c.Count)
	c.Messages, c.Count, c.origins = nil, 0, nil
	c.user(summary)
}

// said adds text of the model, or a list of texts.
func (c *chatLog) said(content jsonspan.Span) {
	c.endAnswered(noID)
	if !content.IsZero() && c.src[content.Start] == '"' {
		c.answer.texts = c.appendText(c.answer.texts, content)
	} else {
		c.answer.texts = c.appendTexts(c.answer.texts, content)
	}
}

// user writes a user message: text, or the texts and images in a list.
func (c *chatLog) user(content jsonspan.Span) {
	c.flush(noID)
	if content.Len() <= 2 {
		c.noteSkipped(api.SkipEmpty, 1)
		return
	}
	c.beginMessage()
	c.addOrigin(noID)
	if c.src[content.Start] == '"' {
		c.appendPieces(`{"role":"user","content":`, content, `}`)
		return
	}
	var parts []byte
	for _, part := range items(c.src, content) {
		if text := stringAt(c.src, part, "text"); text.Len() > 2 {
			parts = appendJSON(parts, c.src, `,{"type":"text","text":`, text, `}`)
		} else if url := stringAt(c.src, part, "source.url"); !url.IsZero() {
			parts = appendImage(parts, c.textAt(url))
		} else if !stringAt(c.src, part, "source.data").IsZero() {
			url := "data:" + textOf(c.src, part, "source.media_type") + ";base64," + textOf(c.src, part, "source.data")
			parts = appendImage(parts, url)
		}
	}
	if parts == nil {
		parts = []byte(`,{"type":"text","text":""}`)
	}
	c.appendPieces(`{"role":"user","content":[`, parts[1:], `]}`)
}

// save always fails, because a conversation isn't resumed from such a file.
func (c *chatLog) save(s *saver) {
	s.refuse("no program resumes a conversation from a log of the kind " + c.Kind)
}

package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Codex appends {timestamp, type, payload} lines. The payloads of response_item lines are the items of the Responses
// API, and compacted lines replace all items before them. event_msg lines repeat the items for the user interface, and
// record the provider's usage and the turns that the user undid.
var codexKind = Kind{
	Name:   "codex",
	Doc:    "Codex rollout: JSON lines",
	Format: "openai-responses",
	Signs: []Sign{
		{"session_meta", cxPayload}, {"response_item", cxPayload}, {"event_msg", cxPayload},
		{"turn_context", cxPayload},
		{"compacted", cxPayload},
	},
	Usage: usageKeys{input: "input_tokens", output: "output_tokens", cacheRead: "cached_input_tokens"},
	Read:  readCodex,
}

// cxPayload is the key that all lines of Codex have.
var cxPayload = []string{"payload"}

func init() {
	register(&codexKind)
}

// cxItem is a conversation item. A compaction's summary is an item too.
type cxItem struct {
	span    jsonspan.Span // the whole item
	summary bool          // span is the text of a summary
	input   bool          // from the user or the developer; a compaction without a history keeps it
	model   bool          // the model wrote it
}

type codex struct {
	*file
	wholeMessages
	items       []cxItem // those of the conversation, in the order of the file
	turns       []int32  // the indexes of the items that begin a turn of the user
	cut         int      // the items before this index were compacted, except for input
	meta        bool     // the first session_meta has been read; files of forked sessions repeat the parent's after it
	usage       Usage    // the newest counts of the provider; valid if usageItem is not -1
	usageItem   int      // index of the item that usage belongs to, or -1
	wrote       int      // index of the last item that the model wrote since the last compaction, or -1
	lastOrdinal int64    // the largest line ordinal, or -1, since older versions don't number lines
}

// readCodex reads a rollout file, and writes the items that the next request contains.
func readCodex(f *file) writer {
	c := &codex{file: f, usageItem: -1, wrote: -1, lastOrdinal: -1}
	f.eachLine(c.line)
	if f.err != nil {
		return c
	}
	for i := range c.items {
		it := &c.items[i]
		if i < c.cut && (!it.input || it.summary) {
			f.noteSkipped(api.SkipCompacted, 1)
			continue
		}
		f.beginMessage()
		f.addOrigin(int32(i))
		if it.summary {
			f.appendPieces(`{"type":"message","role":"user","content":[{"type":"input_text","text":`, it.span, `}]}`)
		} else {
			f.Messages = appendChanged(f.Messages, f.src, it.span, cxOwn)
		}
		if i == c.usageItem {
			f.noteUsage(f.Count-1, c.usage)
		}
	}
	return c
}

// line reads one line of the file: an item of the conversation, or something about the session.
func (c *codex) line(s *jsonspan.Scanner) {
	typ := ""
	var payload jsonspan.Span
	read(s, field{"type", oneOf(&typ, "session_meta", "response_item", "event_msg", "turn_context", "compacted")},
		field{"payload", anyValue{&payload}}, field{"timestamp", timeOf{c.file}},
		field{"ordinal", func(s *jsonspan.Scanner) { c.lastOrdinal = max(c.lastOrdinal, tokenCount(s)) }})
	if s.Err() != nil {
		return
	}
	if payload.IsZero() {
		typ = ""
	}
	if typ == "response_item" {
		inside(s, payload, c.add)
		return
	}
	c.noteSkipped(api.SkipMeta, 1)
	inside(s, payload, func(s *jsonspan.Scanner) {
		if typ == "" || !isObject(s) {
			return
		}
		switch typ {
		case "session_meta":
			c.session(s)
		case "turn_context":
			var model jsonspan.Span
			if read(s, field{"model", &model}); !model.IsZero() {
				c.Model = c.textAt(model)
			}
		case "compacted":
			c.compacted(s)
		case "event_msg":
			c.event(s)
		}
	})
}

// session reads the base instructions, which Codex sends as the system prompt. Only those of the
// first line about the session count.
func (c *codex) session(s *jsonspan.Scanner) {
	var system jsonspan.Span
	instructions := func(s *jsonspan.Scanner) {
		if s.Kind() == jsonspan.String {
			system = stringSpan(s)
		} else {
			s.Skip()
		}
	}
	read(s, field{"instructions", instructions}, field{"base_instructions", func(s *jsonspan.Scanner) {
		if s.Kind() == jsonspan.Object {
			read(s, field{"text", &system})
		} else {
			instructions(s)
		}
	}})
	if !c.meta {
		c.System = c.textAt(system)
	}
	c.meta = true
}

// add reads an item and adds it to the conversation. A snapshot that is used only to undo changes is left out, and
// counted as such.
func (c *codex) add(s *jsonspan.Scanner) {
	s.Kind()
	it := cxItem{}
	it.span.Start = s.Pos()
	typ, role, notice := "", "", false
	read(s, field{"type", oneOf(&typ, cxTypes...)}, field{"role", oneOf(&role, "user", "developer", "assistant")},
		field{"content", func(s *jsonspan.Scanner) { notice = isNotice(s) }})
	it.span.End = s.Pos()
	switch typ {
	case "ghost_snapshot": // a commit of the working tree that is used to undo changes; never sent
		c.noteSkipped(api.SkipMeta, 1)
		return
	case "message":
		it.model = role == "assistant"
		it.input = role == "user" || role == "developer"
	default:
		it.model = typ != ""
	}
	if s.Err() != nil {
		return
	}
	if typ == "message" && role == "user" && !notice {
		c.turns = append(c.turns, int32(len(c.items)))
	}
	if it.model {
		c.wrote = len(c.items)
	}
	c.items = append(c.items, it)
}

// cxTypes lists the item types that need special treatment: messages, items that are never sent, and items that only
// the model writes.
var cxTypes = []string{
	"message", "ghost_snapshot", "function_call", "custom_tool_call", "local_shell_call", "reasoning",
	"web_search_call", "tool_search_call",
	"image_generation_call",
}

// notices lists the beginnings of messages that the agent wrote in the user's role.
var notices = []string{
	"<environment_context>", "# AGENTS.md instructions for ", "<user_instructions>", "<skill>", "<user_shell_command>",
	"<turn_aborted>", "<subagent_notification>",
}

// isNotice reads the content of a message and returns true if the agent wrote the message.
func isNotice(s *jsonspan.Scanner) bool {
	if s.Kind() != jsonspan.Array {
		s.Skip()
		return false
	}
	found := false
	for s.Array(); s.Elem(); {
		if !isObject(s) {
			continue
		}
		members(s, func(key []byte) bool {
			if string(key) != "text" || s.Kind() != jsonspan.String {
				return false
			}
			begin := s.Text().Span
			begin.End = min(begin.End, begin.Start+64)
			for _, n := range notices {
				found = found || strings.HasPrefix(string(begin.Slice(s.Src())[1:]), n)
			}
			return true
		})
	}
	return found
}

// compacted reads a compaction, whose history replaces all items before it. In old files a compaction only has a
// summary; Codex then continues with the user's messages and the summary.
func (c *codex) compacted(s *jsonspan.Scanner) {
	var summary, history jsonspan.Span
	read(s, field{"message", &summary}, field{"replacement_history", func(s *jsonspan.Scanner) {
		if v := s.Skip(); v.Kind == jsonspan.Array {
			history = v.Span
		}
	}})
	c.usageItem, c.wrote = -1, -1
	if history.IsZero() {
		if c.cut = len(c.items); summary.Len() > 2 {
			c.items = append(c.items, cxItem{span: summary, summary: true, input: true})
		}
		return
	}
	c.noteSkipped(api.SkipCompacted, len(c.items))
	c.items, c.turns, c.cut = c.items[:0], c.turns[:0], 0
	inside(s, history, func(s *jsonspan.Scanner) {
		for s.Array(); s.Elem(); {
			c.add(s)
		}
	})
	c.wrote = -1
}

// event reads the provider's counts, and undoes turns that the user rolled back.
func (c *codex) event(s *jsonspan.Scanner) {
	typ, turns := "", int64(0)
	u, counted := Usage{}, false
	read(s, field{"type", oneOf(&typ, "token_count", "thread_rolled_back")}, field{"num_turns", &turns},
		field{"info", []field{{"last_token_usage", func(s *jsonspan.Scanner) {
			if s.Kind() == jsonspan.Object {
				counted = true
			}
			u = c.kind.Usage.read(s)
		}}}})
	switch {
	case typ == "token_count" && counted && c.wrote >= 0:
		u.Input = max(0, u.Input-u.CacheRead) // input_tokens includes cached tokens
		c.usageItem, c.usage = c.wrote, u
	case typ == "thread_rolled_back" && turns > 0 && len(c.turns) > 0:
		first := max(0, int64(len(c.turns))-turns)
		at := int(c.turns[first])
		c.noteSkipped(api.SkipRolledBack, len(c.items)-at)
		c.items, c.turns = c.items[:at], c.turns[:first]
		c.cut = min(c.cut, at)
		if c.wrote >= at {
			c.wrote = -1
		}
		if c.usageItem >= at {
			c.usageItem = -1
		}
	}
}

var cxDropped member

// cxOwn returns a rule that drops a member that Codex adds to an item and that the API doesn't accept, or nil for any
// other member.
func cxOwn(key []byte) *member {
	if string(key) == "metadata" || strings.HasPrefix(string(key), "internal_") {
		return &cxDropped
	}
	return nil
}

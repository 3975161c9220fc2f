package sessionfile

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Codex appends {timestamp, type, payload} lines. The payloads of response_item lines are the items of the Responses API;
// compacted lines replace all items before them; event_msg lines tell the user interface the same again, and hold the
// provider's usage and what the user took back.
func init() {
	payload := []string{"payload"}
	register(&Kind{
		Name:   "codex",
		Doc:    "Codex rollout: JSON lines",
		Format: "openai-responses",
		Signs: []Sign{
			{"session_meta", payload}, {"response_item", payload}, {"event_msg", payload}, {"turn_context", payload},
			{"compacted", payload},
		},
		Read: readCodex,
	})
}

// cxItem is an item of the conversation, or the summary of a compaction, which becomes one.
type cxItem struct {
	span    jsonspan.Span
	summary bool // span is a text
	input   bool // from the user or the developer: a compaction that tells no history keeps it
	model   bool // written by the model
}

type codex struct {
	*file
	items []cxItem
	turns []int32 // the items that begin a turn of the user
	cut   int     // items before it have been compacted, but for input
	meta  bool    // the first session_meta was read; files of forked sessions repeat that of their parent
	usage Usage
	asked int   // index in items of the one that usage belongs to, or -1
	wrote int   // index in items of the last one that the model wrote since the last compaction, or -1
	last  int64 // the largest ordinal of a line, or -1: older versions number none
}

func readCodex(f *file) writer {
	c := &codex{file: f, asked: -1, wrote: -1, last: -1}
	f.lines(c.line)
	if f.err != nil {
		return c
	}
	for i := range c.items {
		it := &c.items[i]
		if i < c.cut && (!it.input || it.summary) {
			f.skip(api.SkipCompacted, 1)
			continue
		}
		f.message()
		f.came(int32(i))
		if it.summary {
			f.put(`{"type":"message","role":"user","content":[{"type":"input_text","text":`)
			f.copy(it.span)
			f.put(`}]}`)
		} else {
			c.item(it.span)
		}
		if i == c.asked {
			c.usage.Message = f.Count - 1
			f.used(c.usage)
		}
	}
	return c
}

func (c *codex) line(s *jsonspan.Scanner) {
	typ := ""
	var payload jsonspan.Span
	members(s, func(key []byte) bool {
		switch string(key) {
		case "type":
			typ = word(s, "session_meta", "response_item", "event_msg", "turn_context", "compacted")
		case "payload":
			payload = s.Skip().Span
		case "timestamp":
			c.timed(text(s))
		case "ordinal":
			c.last = max(c.last, tokens(s))
		default:
			return false
		}
		return true
	})
	if s.Err() != nil {
		return
	}
	if payload.Zero() {
		typ = ""
	}
	if typ == "response_item" {
		inside(s, payload, c.add)
		return
	}
	c.skip(api.SkipMeta, 1)
	inside(s, payload, func(s *jsonspan.Scanner) {
		if typ == "" || !isObject(s) {
			return
		}
		switch typ {
		case "session_meta":
			c.session(s)
		case "turn_context":
			members(s, func(key []byte) bool {
				if string(key) == "model" {
					if p := text(s); !p.Zero() {
						c.Model = c.textAt(p)
					}
					return true
				}
				return false
			})
		case "compacted":
			c.compacted(s)
		case "event_msg":
			c.event(s)
		}
	})
}

// session reads the base instructions, which the agent sends as the system prompt.
func (c *codex) session(s *jsonspan.Scanner) {
	first := !c.meta
	c.meta = true
	members(s, func(key []byte) bool {
		switch {
		case !first:
			return false
		case string(key) == "instructions" && s.Kind() == jsonspan.String:
			c.System = c.textAt(text(s))
		case string(key) == "base_instructions" && s.Kind() == jsonspan.String:
			c.System = c.textAt(text(s))
		case string(key) == "base_instructions" && s.Kind() == jsonspan.Object:
			members(s, func(key []byte) bool {
				if string(key) == "text" {
					c.System = c.textAt(text(s))
					return true
				}
				return false
			})
		default:
			return false
		}
		return true
	})
}

// add reads one item and adds it to the conversation.
func (c *codex) add(s *jsonspan.Scanner) {
	s.Kind()
	it := cxItem{}
	it.span.Start = s.Pos()
	typ, role, notice := "", "", false
	members(s, func(key []byte) bool {
		switch string(key) {
		case "type":
			typ = word(s, "message", "ghost_snapshot", "function_call", "custom_tool_call", "local_shell_call", "reasoning",
				"web_search_call", "tool_search_call", "image_generation_call")
		case "role":
			role = word(s, "user", "developer", "assistant")
		case "content":
			notice = isNotice(s)
		default:
			return false
		}
		return true
	})
	it.span.End = s.Pos()
	switch typ {
	case "ghost_snapshot": // a commit of the working tree, for undo; it is never sent
		c.skip(api.SkipMeta, 1)
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

// notices are how messages begin that have the user's role, but that the agent wrote itself.
var notices = []string{
	"<environment_context>", "# AGENTS.md instructions for ", "<user_instructions>", "<skill>", "<user_shell_command>",
	"<turn_aborted>", "<subagent_notification>",
}

// isNotice reads the content of a message and reports whether the agent wrote it itself.
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
				found = found || strings.HasPrefix(string(begin.Of(s.Src())[1:]), n)
			}
			return true
		})
	}
	return found
}

// compacted reads a compaction: its history replaces everything before it. Old files have only a summary; the agent then continues with the
// user's messages and the summary.
func (c *codex) compacted(s *jsonspan.Scanner) {
	var summary, history jsonspan.Span
	members(s, func(key []byte) bool {
		switch string(key) {
		case "message":
			summary = text(s)
		case "replacement_history":
			if s.Kind() != jsonspan.Array {
				return false
			}
			history = s.Skip().Span
		default:
			return false
		}
		return true
	})
	c.asked, c.wrote = -1, -1
	if history.Zero() {
		if c.cut = len(c.items); summary.Len() > 2 {
			c.items = append(c.items, cxItem{span: summary, summary: true, input: true})
		}
		return
	}
	c.skip(api.SkipCompacted, len(c.items))
	c.items, c.turns, c.cut = c.items[:0], c.turns[:0], 0
	inside(s, history, func(s *jsonspan.Scanner) {
		for s.Array(); s.Elem(); {
			c.add(s)
		}
	})
	c.wrote = -1
}

// event reads the provider's usage, and takes turns back.
func (c *codex) event(s *jsonspan.Scanner) {
	typ, turns := "", int64(0)
	u, have := Usage{}, false
	members(s, func(key []byte) bool {
		switch string(key) {
		case "type":
			typ = word(s, "token_count", "thread_rolled_back")
		case "num_turns":
			turns = tokens(s)
		case "info":
			if s.Kind() != jsonspan.Object {
				return false
			}
			members(s, func(key []byte) bool {
				if string(key) != "last_token_usage" || s.Kind() != jsonspan.Object {
					return false
				}
				have = true
				members(s, func(key []byte) bool {
					switch string(key) {
					case "input_tokens":
						u.Input = tokens(s)
					case "cached_input_tokens":
						u.CacheRead = tokens(s)
					case "output_tokens":
						u.Output = tokens(s)
					default:
						return false
					}
					return true
				})
				return true
			})
		default:
			return false
		}
		return true
	})
	switch {
	case typ == "token_count" && have && c.wrote >= 0:
		u.Input = max(0, u.Input-u.CacheRead) // input_tokens counts the cached ones too
		c.asked, c.usage = c.wrote, u
	case typ == "thread_rolled_back" && turns > 0 && len(c.turns) > 0:
		first := max(0, int64(len(c.turns))-turns)
		at := int(c.turns[first])
		c.skip(api.SkipRolledBack, len(c.items)-at)
		c.items, c.turns = c.items[:at], c.turns[:first]
		c.cut = min(c.cut, at)
		if c.wrote >= at {
			c.wrote = -1
		}
		if c.asked >= at {
			c.asked = -1
		}
	}
}

// item writes an item without the agent's own notes on it, which the API does not take.
func (c *codex) item(at jsonspan.Span) {
	s := c.scan(at.Start)
	own := false
	members(s, func(key []byte) bool {
		own = own || cxOwn(key) != nil
		return false
	})
	if !own {
		c.copy(at)
		return
	}
	c.Messages = appendObject(c.Messages, c.src, at, cxOwn)
}

var cxDropped member

// cxOwn returns the rule for a member that the agent itself adds to an item, or nil.
func cxOwn(key []byte) *member {
	if string(key) == "metadata" || strings.HasPrefix(string(key), "internal_") {
		return &cxDropped
	}
	return nil
}

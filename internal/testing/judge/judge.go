// Package judge decides whether a provider would accept messages, and whether a compaction keeps its promises. It is only for tests. To
// be an independent check, it shares no code with core and parses with encoding/json.
package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
	Refusal      json.RawMessage `json:"refusal"`
	OutputConfig json.RawMessage `json:"output_config"`
	Reasoning    *string         `json:"reasoning_content"`
	raw          json.RawMessage
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	ToolUseID string          `json:"tool_use_id"`
	Signature string          `json:"signature"`
	Content   json.RawMessage `json:"content"`
	Caller    struct {
		ToolID string `json:"tool_id"`
	} `json:"caller"`
	raw json.RawMessage
}

func read(list []byte) ([]message, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(list, &raws); err != nil {
		return nil, err
	}
	out := make([]message, len(raws))
	for i, r := range raws {
		if err := json.Unmarshal(r, &out[i]); err != nil {
			return nil, err
		}
		out[i].raw = r
	}
	return out, nil
}

func (m *message) blocks() []block {
	var raws []json.RawMessage
	if json.Unmarshal(m.Content, &raws) != nil {
		var text string
		if json.Unmarshal(m.Content, &text) == nil && string(m.Content) != "null" {
			return []block{{Type: "text", Text: text}}
		}
		return nil
	}
	out := make([]block, len(raws))
	for i, r := range raws {
		_ = json.Unmarshal(r, &out[i])
		out[i].raw = r
	}
	return out
}

// judge holds the checks for one wire format. Each file in this package registers the judges for its formats.
type judge struct {
	// valid returns the violations, one per line. If a provider tolerates a violation, its line begins with
	// tolerable.
	valid func(list []byte) []string
	// lastUser returns the newest user message that contains more than tool results, unchanged.
	lastUser func(list []byte) json.RawMessage
	// opaque returns the parts that must stay byte for byte or be removed as a whole: signed, encrypted, or
	// provider-specific ones.
	opaque func(list []byte) []json.RawMessage
	// kept makes further checks of what a compaction must not change; it may be nil.
	kept func(before, after []byte) error
}

var judges = map[string]judge{
	"openai-chat": {valid: func(list []byte) []string { return onMessages(list, openai) }, lastUser: lastUser, opaque: opaque},
	"anthropic":   {valid: func(list []byte) []string { return onMessages(list, anthropic) }, lastUser: lastUser, opaque: opaque},
}

// Known reports whether there is a judge for a wire format.
func Known(format string) bool { _, ok := judges[format]; return ok }

// tolerable is the prefix of lines for violations that providers tolerate, as recorded requests show.
const tolerable = "tolerated: "

// Valid returns the violations for which a provider would reject the messages, one per line. list is a list of
// messages, or a request body in which the list has the key messages.
func Valid(format string, list []byte) []string {
	refused, _ := Broken(format, list)
	return refused
}

// Broken returns the violations for which a provider would reject the messages, like Valid, and those that it
// tolerates.
func Broken(format string, list []byte) (refused, tolerated []string) {
	for _, line := range judges[format].valid(listIn(list)) {
		if strings.HasPrefix(line, tolerable) {
			tolerated = append(tolerated, line)
		} else {
			refused = append(refused, line)
		}
	}
	return refused, tolerated
}

// listIn returns the list of messages in a request body, or the list itself.
func listIn(body []byte) []byte {
	if body = bytes.TrimLeft(body, " \t\r\n"); len(body) > 0 && body[0] == '[' {
		return body
	}
	var whole struct{ Messages json.RawMessage }
	if json.Unmarshal(body, &whole) == nil && whole.Messages != nil {
		return whole.Messages
	}
	return body
}

// LastUser returns the newest user message that contains more than tool results, unchanged.
func LastUser(format string, list []byte) json.RawMessage {
	return judges[format].lastUser(listIn(list))
}

// Opaque checks that every opaque part of after is also in before, byte for byte.
func Opaque(format string, before, after []byte) error {
	before, after = listIn(before), listIn(after)
	for _, part := range judges[format].opaque(after) {
		if !bytes.Contains(before, part) {
			return fmt.Errorf("an opaque part was changed: %.80s", part)
		}
	}
	if kept := judges[format].kept; kept != nil {
		return kept(before, after)
	}
	return nil
}

func onMessages(list []byte, check func([]message) []string) []string {
	ms, err := read(list)
	if err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	return check(ms)
}

func openai(ms []message) (bad []string) {
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...))
	}
	used := map[string]bool{}
	reasons := slices.ContainsFunc(ms, func(m message) bool { return m.Role == "assistant" && m.Reasoning != nil })
	for i := 0; i < len(ms); i++ {
		m := &ms[i]
		if m.Role == "assistant" && len(m.ToolCalls) > 0 && m.Reasoning == nil && reasons {
			say(i, "thinking is enabled but reasoning_content is missing in assistant tool call message")
		}
		switch m.Role {
		case "system", "developer", "user":
			if len(m.blocks()) == 0 || len(m.blocks()) == 1 && m.blocks()[0].Type == "text" && m.blocks()[0].Text == "" {
				say(i, "%s without content", m.Role)
			}
		case "assistant":
			if len(m.blocks()) == 0 && len(m.ToolCalls) == 0 && (m.Refusal == nil || string(m.Refusal) == "null") {
				say(i, "assistant without content and without tool calls")
			}
			want := map[string]bool{}
			for _, c := range m.ToolCalls {
				if used[c.ID] {
					say(i, "tool call id %q used before", c.ID)
				}
				used[c.ID], want[c.ID] = true, true
			}
			for i+1 < len(ms) && ms[i+1].Role == "tool" {
				i++
				if id := ms[i].ToolCallID; !want[id] {
					say(i, "tool message answers %q, which is not open", id)
				} else {
					delete(want, id)
				}
			}
			if len(want) > 0 && i+1 < len(ms) {
				say(i, "tool calls without answer before the next message: %d", len(want))
			}
		case "tool":
			say(i, "tool message without a tool call before it")
		case "function":
		default:
			say(i, "role %q", m.Role)
		}
	}
	return bad
}

var toolID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func anthropic(ms []message) (bad []string) {
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...))
	}
	// The provider joins consecutive messages with the same role, so the rules apply to the joined messages, called
	// turns here.
	type turn struct {
		at     int
		role   string
		blocks []block
	}
	var turns []turn
	for i := range ms {
		m := &ms[i]
		if m.Role != "user" && m.Role != "assistant" && m.Role != "system" {
			say(i, "role %q", m.Role)
		}
		bs := m.blocks()
		if len(bs) == 0 && !(m.Role == "system" && len(m.OutputConfig) > 2) {
			say(i, "no content")
		}
		for _, b := range bs {
			if b.Type == "text" && strings.TrimSpace(b.Text) == "" {
				say(i, "a text that is empty or white space")
			}
		}
		if n := len(turns); n > 0 && turns[n-1].role == m.Role {
			turns[n-1].blocks = append(turns[n-1].blocks, bs...)
		} else {
			turns = append(turns, turn{i, m.Role, bs})
		}
	}
	if len(turns) > 0 && turns[0].role == "assistant" && !(len(turns[0].blocks) > 0 && turns[0].blocks[0].Type == "compaction") {
		calls := slices.ContainsFunc(turns[0].blocks, func(b block) bool { return strings.HasSuffix(b.Type, "tool_use") })
		if calls {
			say(0, "the first message is the assistant's, and calls a tool")
		} else {
			bad = append(bad, tolerable+"the first message is the assistant's")
		}
	}
	used := map[string]int{}
	open := map[string]bool{}
	server := map[string]bool{} // calls to the provider's own tools that have no result yet
	known := map[string]bool{}  // all calls to the provider's own tools
	called := false             // one of the provider's tools has called a tool in the previous turn
	for n, t := range turns {
		next := map[string]bool{}
		other, calls := false, false
		for _, b := range t.blocks {
			switch {
			case b.Type == "tool_use":
				switch at := used[b.ID]; {
				case at == n+1:
					say(t.at, "tool_use id %q used before in this turn", b.ID)
				case at > 0:
					bad = append(bad, fmt.Sprintf(tolerable+"message %d: tool_use id %q used in an earlier turn", t.at, b.ID))
				}
				if !toolID.MatchString(b.ID) {
					say(t.at, "tool_use id %q", b.ID)
				}
				used[b.ID], next[b.ID] = n+1, true
				if by := b.Caller.ToolID; by != "" {
					if calls = true; !known[by] {
						say(t.at, "tool_use %q was called by %q, which is not there", b.ID, by)
					}
				}
			case b.Type == "server_tool_use" || b.Type == "mcp_tool_use":
				server[b.ID], known[b.ID] = true, true
			case b.Type == "tool_result":
				if other {
					say(t.at, "tool_result behind other content")
				}
				if !open[b.ToolUseID] {
					say(t.at, "tool_result for %q, which the turn before has not called", b.ToolUseID)
				}
				delete(open, b.ToolUseID)
				continue
			case strings.HasSuffix(b.Type, "_tool_result"):
				if !server[b.ToolUseID] {
					say(t.at, "%s without its call", b.Type)
				}
				delete(server, b.ToolUseID)
			}
			other = true
		}
		// If this is the end of the list, the host may be about to add the other results.
		if len(open) > 0 && !(n == len(turns)-1 && !other) {
			say(t.at, "%d tool_use of the turn before have no tool_result", len(open))
		}
		if called && other {
			say(t.at, "the answer to a tool_use with a caller holds more than tool_results")
		}
		// Results may follow later, but not after a system message or after a message in which the user says
		// anything.
		if len(server) > 0 && (t.role == "system" || t.role == "user" && other) {
			say(t.at, "%d server tools without result", len(server))
			server = map[string]bool{}
		}
		open, called = next, calls
	}
	return bad
}

func lastUser(list []byte) json.RawMessage {
	ms, err := read(list)
	if err != nil {
		return nil
	}
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role != "user" {
			continue
		}
		for _, b := range ms[i].blocks() {
			if b.Type != "tool_result" && !(b.Type == "text" && b.Text == "") {
				return ms[i].raw
			}
		}
	}
	return nil
}

// Changed returns the messages of after that don't occur in before, byte for byte.
func Changed(before, after []byte) []json.RawMessage {
	in, _ := read(before)
	out, _ := read(after)
	have := map[string]int{}
	for _, m := range in {
		have[string(m.raw)]++
	}
	var changed []json.RawMessage
	for _, m := range out {
		if have[string(m.raw)] == 0 {
			changed = append(changed, m.raw)
			continue
		}
		have[string(m.raw)]--
	}
	return changed
}

func opaque(list []byte) (parts []json.RawMessage) {
	ms, _ := read(list)
	for i := range ms {
		for _, b := range ms[i].blocks() {
			if b.Signature != "" || b.Type == "redacted_thinking" || b.Type == "compaction" {
				parts = append(parts, b.raw)
			}
		}
	}
	return parts
}

// Surrogates returns an error if a list contains only one half of a surrogate pair, escaped or not.
func Surrogates(list []byte) error {
	// encoding/json replaces lone surrogates with U+FFFD, so a string that it changes contained one.
	for i := 0; i+6 <= len(list); i++ {
		if list[i] != '\\' {
			continue
		}
		if list[i+1] != 'u' {
			i++
			continue
		}
		var u, low int
		if _, err := fmt.Sscanf(string(list[i+2:i+6]), "%04x", &u); err != nil {
			continue
		}
		if u >= 0xdc00 && u < 0xe000 {
			return fmt.Errorf("a lone low surrogate at byte %d", i)
		}
		if u >= 0xd800 && u < 0xdc00 {
			if i+12 > len(list) || list[i+6] != '\\' || list[i+7] != 'u' {
				return fmt.Errorf("a lone high surrogate at byte %d", i)
			}
			if _, err := fmt.Sscanf(string(list[i+8:i+12]), "%04x", &low); err != nil || low < 0xdc00 || low > 0xdfff {
				return fmt.Errorf("a lone high surrogate at byte %d", i)
			}
			i += 11
			continue
		}
		i += 5
	}
	return nil
}

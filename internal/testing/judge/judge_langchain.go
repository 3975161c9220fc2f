package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

func init() {
	judges["langchain"] = judge{valid: langchain, lastUser: langchainLastUser, opaque: langchainOpaque, kept: langchainKept}
}

// lcCall is a tool call in the form of LangChain or of a provider.
type lcCall struct {
	ID       *string
	Name     string
	Args     json.RawMessage
	Function struct{ Name string }
}

// lcMessage is a message in one of three shapes: its members are at the top level, under kwargs, or under data.
type lcMessage struct {
	shape, kind string
	lcFields
	raw json.RawMessage
}

type lcFields struct {
	Type         string
	Role         string
	Content      json.RawMessage
	ToolCallID   string   `json:"tool_call_id"`
	ToolCalls    []lcCall `json:"tool_calls"`
	InvalidCalls []lcCall `json:"invalid_tool_calls"`
	Extra        struct {
		ToolCalls    []lcCall                      `json:"tool_calls"`
		FunctionCall *struct{ Name, Args *string } `json:"function_call"`
	} `json:"additional_kwargs"`
	Name string
}

// lcKinds maps the class or type of a message to its kind.
var lcKinds = map[string]string{
	"HumanMessage": "human", "AIMessage": "ai", "SystemMessage": "system", "ToolMessage": "tool", "FunctionMessage": "function",
	"ChatMessage": "chat", "RemoveMessage": "remove", "generic": "chat", "user": "human", "assistant": "ai", "developer": "system",
}

func lcRead(list []byte) ([]lcMessage, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(list, &raws); err != nil {
		return nil, err
	}
	ms := make([]lcMessage, len(raws))
	for i, raw := range raws {
		var outer struct {
			LC     int
			Type   string
			ID     json.RawMessage
			Kwargs json.RawMessage
			Data   json.RawMessage
		}
		if err := json.Unmarshal(raw, &outer); err != nil {
			return nil, err
		}
		m := &ms[i]
		inner := raw
		m.shape, m.kind, m.raw = "flat", outer.Type, raw
		switch {
		case outer.LC == 1 && outer.Type == "constructor":
			var path []string
			if err := json.Unmarshal(outer.ID, &path); err != nil || len(path) < 2 {
				return nil, fmt.Errorf("message %d: id %s", i, outer.ID)
			}
			m.shape, m.kind, inner = "constructor "+path[0], path[len(path)-1], outer.Kwargs
		case outer.Data != nil:
			m.shape, inner = "stored", outer.Data
		}
		if err := json.Unmarshal(inner, &m.lcFields); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		m.kind = strings.TrimSuffix(m.kind, "Chunk")
		if kind := lcKinds[m.kind]; kind != "" {
			m.kind = kind
		}
		if m.kind == "chat" || m.kind == "" {
			if m.kind = lcKinds[m.Role]; m.kind == "" {
				m.kind = m.Role
			}
		}
	}
	return ms, nil
}

type lcBlock struct {
	Type, Text, ID, Signature string
	CallID                    string `json:"call_id"`
	ToolUseID                 string `json:"tool_use_id"`
	Extras                    struct{ Signature string }
	raw                       json.RawMessage
}

func (m *lcMessage) blocks() (blocks []lcBlock) {
	var text string
	if json.Unmarshal(m.Content, &text) == nil && text != "" {
		return []lcBlock{{Type: "text", Text: text}}
	}
	var raws []json.RawMessage
	_ = json.Unmarshal(m.Content, &raws)
	for _, raw := range raws {
		b := lcBlock{raw: raw}
		if json.Unmarshal(raw, &b.Text) == nil {
			b.Type = "text"
		} else {
			_ = json.Unmarshal(raw, &b)
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// calls returns the ids of all calls in a message: those in tool_calls and invalid_tool_calls, those in content
// blocks and, if there are no others, those in the provider's own list. If there are others, odd are the ids that are
// only in the provider's list. There should be none, because some readers only look at that list and should see the
// same calls.
func (m *lcMessage) calls() (ids, odd []string) {
	id := func(c lcCall) string {
		if c.ID == nil {
			return "(none)"
		}
		return *c.ID
	}
	for _, c := range append(slices.Clone(m.ToolCalls), m.InvalidCalls...) {
		ids = append(ids, id(c))
	}
	listed := slices.Clone(ids)
	for _, b := range m.blocks() {
		if b.Type == "tool_use" || b.Type == "tool_call" || b.Type == "function_call" || b.Type == "invalid_tool_call" {
			if b.CallID != "" {
				b.ID = b.CallID
			}
			if n := slices.Index(listed, b.ID); n >= 0 {
				listed = slices.Delete(listed, n, n+1)
			} else {
				ids = append(ids, b.ID)
			}
		}
	}
	told := slices.Clone(ids)
	for _, c := range m.Extra.ToolCalls {
		if len(told) == 0 {
			ids = append(ids, id(c))
		} else if !slices.Contains(told, id(c)) {
			odd = append(odd, id(c))
		}
	}
	return ids, odd
}

// langchain checks messages against the requirements of LangChain's converters and of the providers.
func langchain(list []byte) (bad []string) {
	ms, err := lcRead(list)
	if err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...))
	}
	used := map[string]bool{}
	var open []string
	begun := false
	for i := range ms {
		m := &ms[i]
		if m.shape != ms[0].shape {
			say(i, "it is %s, the first message is %s", m.shape, ms[0].shape)
		}
		blocks := m.blocks()
		var answers []string
		for _, b := range blocks {
			if b.Type == "text" && strings.TrimSpace(b.Text) == "" && (b.raw != nil || m.kind == "tool") && m.kind != "remove" && len(b.raw) > 0 {
				say(i, "a text that is empty or white space")
			}
			if b.Type == "tool_result" && m.kind == "human" {
				answers = append(answers, b.ToolUseID)
			}
		}
		if m.kind == "tool" {
			answers = []string{m.ToolCallID}
		}
		for _, id := range answers {
			if n := slices.Index(open, id); n < 0 {
				say(i, "it answers %q, which is not open", id)
			} else {
				open = slices.Delete(open, n, n+1)
			}
		}
		if len(open) > 0 && m.kind != "tool" && m.kind != "function" && len(answers) < max(1, len(blocks)) {
			say(i, "%d calls have no result before it", len(open))
			open = nil
		}
		calls, odd := m.calls()
		switch m.kind {
		case "human", "system", "ai":
			text := ""
			for _, b := range blocks {
				text += b.Type + b.Text
			}
			if len(calls) == 0 && m.Extra.FunctionCall == nil && (text == "" || len(blocks) == 1 && strings.TrimSpace(text) == "text") {
				say(i, "nothing in it")
			}
		case "tool", "function", "remove":
		default:
			say(i, "type %q", m.kind)
		}
		if m.kind != "ai" && m.kind != "tool" && len(calls) > 0 {
			say(i, "a message of the type %s calls tools", m.kind)
		}
		if len(odd) > 0 {
			say(i, "the provider's list has calls that are not in the message's: %q", odd)
		}
		if m.kind == "ai" {
			for _, id := range calls {
				if used[id] {
					say(i, "tool call id %q used before", id)
				}
				used[id] = true
			}
			open = calls
			if !begun {
				bad = append(bad, tolerable+fmt.Sprintf("message %d: the assistant speaks before the user", i))
			}
		}
		begun = begun || m.kind == "human" || m.kind == "ai"
	}
	return bad
}

func langchainLastUser(list []byte) json.RawMessage {
	ms, _ := lcRead(list)
	for _, m := range slices.Backward(ms) {
		said := func(b lcBlock) bool { return b.Type != "tool_result" && (b.Type != "text" || b.Text != "") }
		if m.kind == "human" && slices.ContainsFunc(m.blocks(), said) {
			return m.raw
		}
	}
	return nil
}

func langchainOpaque(list []byte) (parts []json.RawMessage) {
	ms, _ := lcRead(list)
	for i := range ms {
		for _, b := range ms[i].blocks() {
			if b.Signature != "" || b.Extras.Signature != "" || b.Type == "redacted_thinking" {
				parts = append(parts, b.raw)
			}
		}
	}
	return parts
}

// langchainKept checks that new messages have the same shape as those that existed before.
func langchainKept(before, after []byte) error {
	was, err := lcRead(before)
	if err != nil {
		return err
	}
	is, err := lcRead(after)
	if err == nil && len(was) > 0 && len(is) > 0 && was[0].shape != is[0].shape {
		err = fmt.Errorf("messages were %s and are %s", was[0].shape, is[0].shape)
	}
	return err
}

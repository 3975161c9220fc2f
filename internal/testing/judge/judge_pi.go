package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

func init() { judges["pi"] = judge{valid: pi, lastUser: piLastUser, opaque: piOpaque} }

// piMessage is a message with all members that pi's types require for any role.
type piMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Timestamp  *float64        `json:"timestamp"`
	API        *string         `json:"api"`
	Provider   *string         `json:"provider"`
	Model      *string         `json:"model"`
	StopReason string          `json:"stopReason"`
	Usage      *struct {
		Input, Output, CacheRead, CacheWrite, TotalTokens *float64
		Cost                                              *struct{ Input, Output, CacheRead, CacheWrite, Total *float64 }
	} `json:"usage"`
	ToolCallID *string `json:"toolCallId"`
	ToolName   *string `json:"toolName"`
	IsError    *bool   `json:"isError"`
	Command    *string `json:"command"`
	Output     *string `json:"output"`
	CustomType *string `json:"customType"`
	Summary    *string `json:"summary"`
	Unsent     bool    `json:"excludeFromContext"`
	raw        json.RawMessage
}

type piPart struct {
	Type, Text, Thinking, ThinkingSignature, ThoughtSignature string
	ID, Name, Data, MimeType                                  string
	Arguments                                                 json.RawMessage
	raw                                                       json.RawMessage
}

func readPi(list []byte) ([]piMessage, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(list, &raws); err != nil {
		return nil, err
	}
	ms := make([]piMessage, len(raws))
	for i, raw := range raws {
		if err := json.Unmarshal(raw, &ms[i]); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		ms[i].raw = raw
	}
	return ms, nil
}

// parts returns the parts in the content of a message; ok is false if the content is not a list.
func (m *piMessage) parts() (parts []piPart, ok bool) {
	var raws []json.RawMessage
	if json.Unmarshal(m.Content, &raws) != nil {
		return nil, false
	}
	parts = make([]piPart, len(raws))
	for i, raw := range raws {
		if json.Unmarshal(raw, &parts[i]) != nil {
			return nil, false
		}
		parts[i].raw = raw
	}
	return parts, true
}

// said returns the text of the message if its content is a string; ok is false if it is not.
func (m *piMessage) said() (text string, ok bool) {
	return text, len(m.Content) > 0 && m.Content[0] == '"' && json.Unmarshal(m.Content, &text) == nil
}

var piStops = []string{"pending", "stop", "length", "toolUse", "error", "aborted", "deferred"}

// piTyped returns what is missing from a message, or wrong in it, according to pi's types; "" if nothing is.
func piTyped(m *piMessage) string {
	_, list := m.parts()
	_, str := m.said()
	switch m.Role {
	case "system", "user":
		if !list && !str {
			return "content is neither a text nor a list"
		}
	case "assistant":
		u := m.Usage
		switch {
		case !list:
			return "content of the assistant is no list"
		case m.API == nil || m.Provider == nil || m.Model == nil:
			return "no api, provider or model"
		case !slices.Contains(piStops, m.StopReason):
			return "stopReason " + m.StopReason
		case u == nil || u.Input == nil || u.Output == nil || u.CacheRead == nil || u.CacheWrite == nil || u.TotalTokens == nil || u.Cost == nil ||
			u.Cost.Input == nil || u.Cost.Output == nil || u.Cost.CacheRead == nil || u.Cost.CacheWrite == nil || u.Cost.Total == nil:
			return "no whole usage"
		}
	case "toolResult":
		if !list {
			return "content of a result is no list"
		}
		if m.ToolCallID == nil || m.ToolName == nil || m.IsError == nil {
			return "no toolCallId, toolName or isError"
		}
	case "bashExecution":
		if m.Command == nil || m.Output == nil {
			return "no command or output"
		}
	case "custom":
		if m.CustomType == nil || !list && !str {
			return "no customType or content"
		}
	case "branchSummary", "compactionSummary":
		if m.Summary == nil {
			return "no summary"
		}
	default:
		return ""
	}
	if m.Timestamp == nil {
		return "no timestamp"
	}
	return ""
}

// pi processes a conversation as pi does before a request, and returns why a provider would reject the result. pi
// adds missing results and skips empty messages, but sends results without a call, which all providers reject.
func pi(list []byte) (bad []string) {
	ms, err := readPi(list)
	if err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...))
	}
	odd := func(i int, text string) { bad = append(bad, fmt.Sprintf(tolerable+"message %d: %s", i, text)) }
	var open []string
	used := map[string]bool{}
	closed := func(i int) {
		if len(open) > 0 {
			odd(i, "calls without results before it")
		}
		open = nil
	}
	for i := range ms {
		m := &ms[i]
		if lack := piTyped(m); lack != "" {
			say(i, "%s: %s", m.Role, lack)
			continue
		}
		parts, _ := m.parts()
		text, _ := m.said()
		some := text != "" || slices.ContainsFunc(parts, func(p piPart) bool {
			return p.Type != "text" && p.Type != "thinking" || p.Text != "" || p.Thinking != "" || p.ThinkingSignature != ""
		})
		switch m.Role {
		case "system":
		case "toolResult":
			n := slices.Index(open, *m.ToolCallID)
			if n < 0 {
				say(i, "a result for %q, which is not open", *m.ToolCallID)
				continue
			}
			open = slices.Delete(open, n, n+1)
		case "assistant":
			closed(i)
			if m.StopReason == "error" || m.StopReason == "aborted" {
				continue
			}
			for _, p := range parts {
				if p.Type != "toolCall" {
					continue
				}
				if used[p.ID] {
					say(i, "tool call id %q used before", p.ID)
				}
				if len(p.Arguments) == 0 || p.Arguments[0] != '{' {
					say(i, "arguments that are no object")
				}
				used[p.ID] = true
				open = append(open, p.ID)
			}
			if !some {
				odd(i, "nothing in it")
			}
		case "user", "custom":
			closed(i)
			if !some && m.Role == "user" {
				odd(i, "nothing in it")
			}
		case "bashExecution":
			if !m.Unsent {
				closed(i)
			}
		case "branchSummary", "compactionSummary":
			closed(i)
		default:
			odd(i, "role "+m.Role)
		}
	}
	return bad
}

func piLastUser(list []byte) json.RawMessage {
	ms, _ := readPi(list)
	for i := len(ms) - 1; i >= 0; i-- {
		m := &ms[i]
		if m.Role != "user" {
			continue
		}
		text, _ := m.said()
		parts, _ := m.parts()
		if text != "" || slices.ContainsFunc(parts, func(p piPart) bool { return p.Type != "text" || p.Text != "" }) {
			return m.raw
		}
	}
	return nil
}

// piOpaque returns the parts that a provider has signed, and system messages with sections.
func piOpaque(list []byte) (opaque []json.RawMessage) {
	ms, _ := readPi(list)
	for i := range ms {
		if ms[i].Role == "system" && strings.Contains(string(ms[i].raw), `"sections"`) {
			opaque = append(opaque, ms[i].raw)
		}
		parts, _ := ms[i].parts()
		for _, p := range parts {
			if p.ThinkingSignature != "" {
				opaque = append(opaque, p.raw)
			}
			if p.ThoughtSignature != "" { // the signature covers the arguments, but not the id, which the application chooses
				opaque = append(opaque, p.Arguments)
			}
		}
	}
	return opaque
}

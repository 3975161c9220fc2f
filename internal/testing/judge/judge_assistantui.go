package judge

import (
	"encoding/json"
	"fmt"
	"slices"
)

func init() {
	judges["assistant-ui"] = judge{valid: assistantUI, lastUser: assistantUILastUser, opaque: assistantUIOpaque}
}

type auMessage struct {
	ID          *string
	Role        string
	Content     json.RawMessage
	Attachments []struct{ Content []json.RawMessage }
}

type auPart struct {
	Type          string
	Text          *string
	ToolCallID    *string `json:"toolCallId"`
	ToolName      *string `json:"toolName"`
	Args          json.RawMessage
	ArgsText      *string
	Result        json.RawMessage
	IsPreliminary bool
	ModelContent  json.RawMessage
	Metadata      json.RawMessage `json:"providerMetadata"`
}

func (m *auMessage) parts() (parts []auPart, raws []json.RawMessage, ok bool) {
	var text *string
	if json.Unmarshal(m.Content, &text) == nil && text != nil {
		return []auPart{{Type: "text", Text: text}}, []json.RawMessage{m.Content}, true
	}
	if json.Unmarshal(m.Content, &raws) != nil || raws == nil {
		return nil, nil, false
	}
	parts = make([]auPart, len(raws))
	for i, raw := range raws {
		if json.Unmarshal(raw, &parts[i]) != nil {
			return nil, nil, false
		}
	}
	return parts, raws, true
}

func (m *auMessage) said() bool {
	parts, _, _ := m.parts()
	for _, a := range m.Attachments {
		if len(a.Content) > 0 {
			return true
		}
	}
	return slices.ContainsFunc(parts, func(p auPart) bool { return p.Type != "text" || p.Text != nil && *p.Text != "" })
}

// assistantUI returns violations of the library's types. A call without a result is a tolerated violation, because
// the converter adds a result.
func assistantUI(list []byte) (bad []string) {
	var ms []auMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	ids, calls := map[string]bool{}, map[string]bool{}
	for i, m := range ms {
		say := func(f string, a ...any) { bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...)) }
		if m.ID == nil || ids[*m.ID] {
			say("no id, or one that comes twice")
		} else {
			ids[*m.ID] = true
		}
		if m.Role != "system" && m.Role != "user" && m.Role != "assistant" {
			say("role %q", m.Role)
		}
		parts, _, ok := m.parts()
		if !ok || !m.said() {
			say("content %.40s", m.Content)
		}
		for _, p := range parts {
			switch {
			case (p.Type == "text" || p.Type == "reasoning") && p.Text == nil:
				say("a %s without text", p.Type)
			case p.Type != "tool-call":
			case m.Role != "assistant" || p.ToolCallID == nil || p.ToolName == nil || len(p.Args) == 0 || p.ArgsText == nil:
				say("a call without id, name or arguments, or not of the assistant")
			default:
				if calls[*p.ToolCallID] {
					say("tool call id %q comes twice", *p.ToolCallID)
				}
				calls[*p.ToolCallID] = true
				if len(p.ModelContent) > 0 && p.ModelContent[0] != '[' {
					say("modelContent %.40s", p.ModelContent)
				}
				if (p.Result == nil || p.IsPreliminary) && i < len(ms)-1 {
					bad = append(bad, fmt.Sprintf(tolerable+"message %d: a call without result", i))
				}
			}
		}
	}
	return bad
}

func assistantUILastUser(list []byte) json.RawMessage {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for _, raw := range slices.Backward(raws) {
		var m auMessage
		if json.Unmarshal(raw, &m); m.Role == "user" && m.said() {
			return raw
		}
	}
	return nil
}

func assistantUIOpaque(list []byte) (out []json.RawMessage) {
	var ms []auMessage
	_ = json.Unmarshal(list, &ms)
	for _, m := range ms {
		parts, raws, _ := m.parts()
		for i, p := range parts {
			if p.Type == "reasoning" && p.Metadata != nil {
				out = append(out, raws[i])
			}
		}
	}
	return out
}

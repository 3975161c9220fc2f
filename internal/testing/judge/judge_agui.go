package judge

import (
	"encoding/json"
	"fmt"
	"slices"
)

func init() {
	judges["ag-ui"] = judge{valid: agUI, lastUser: agUILastUser, opaque: agUIOpaque}
}

type agMessage struct {
	ID             *string
	Role           string
	Content        json.RawMessage
	EncryptedValue string
	ToolCallID     *string
	ActivityType   *string
	ToolCalls      []struct {
		ID       *string
		Type     string
		Function struct{ Name, Arguments *string }
		Signed   string `json:"encryptedValue"`
	}
}

// content returns three facts about the content: text is true if it is a string, parts if it is a list of parts, and
// said if it is not empty.
func (m *agMessage) content() (text, parts, said bool) {
	var s *string
	if json.Unmarshal(m.Content, &s) == nil && s != nil {
		return true, false, *s != ""
	}
	var list []struct{ Type, Text string }
	if json.Unmarshal(m.Content, &list) != nil || list == nil {
		return false, false, false
	}
	for _, p := range list {
		said = said || p.Type != "text" || p.Text != ""
	}
	return false, true, said
}

// agUI returns why the protocol's schemas reject messages, and why a provider would reject them if an agent sent
// them.
func agUI(list []byte) (bad []string) {
	var ms []agMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...))
	}
	ids, used := map[string]bool{}, map[string]bool{}
	var open []string
	for i, m := range ms {
		switch {
		case m.ID == nil:
			say(i, "no id")
		case ids[*m.ID]:
			say(i, "id %q comes twice", *m.ID)
		default:
			ids[*m.ID] = true
		}
		text, parts, said := m.content()
		switch m.Role {
		case "user", "system", "developer":
			if len(open) > 0 {
				say(i, "%s speaks before calls %v have results", m.Role, open)
				open = nil
			}
			if !text && !(m.Role == "user" && parts) || !said {
				say(i, "content %.20s", m.Content)
			}
		case "assistant":
			if parts || !text && m.Content != nil || !said && len(m.ToolCalls) == 0 {
				say(i, "content %.20s, and %d calls", m.Content, len(m.ToolCalls))
			}
		case "reasoning":
			if !text {
				say(i, "content %.20s", m.Content)
			}
		case "activity":
			if m.ActivityType == nil || len(m.Content) == 0 || m.Content[0] != '{' {
				say(i, "an activity of no type, or without an object")
			}
		case "tool":
			at := -1
			if m.ToolCallID != nil {
				at = slices.Index(open, *m.ToolCallID)
			}
			if !text && !parts || at < 0 {
				say(i, "a result without content or without a call that is open")
				continue
			}
			open = slices.Delete(open, at, at+1)
		default:
			say(i, "role %q", m.Role)
		}
		for _, c := range m.ToolCalls {
			if c.ID == nil || c.Type != "function" || c.Function.Name == nil || c.Function.Arguments == nil || m.Role != "assistant" {
				say(i, "a call without id, type, name or arguments, or not of the assistant")
				continue
			}
			if used[*c.ID] {
				say(i, "tool call id %q comes twice", *c.ID)
			}
			used[*c.ID], open = true, append(open, *c.ID)
		}
	}
	return bad
}

func agUILastUser(list []byte) json.RawMessage {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for _, raw := range slices.Backward(raws) {
		var m agMessage
		if json.Unmarshal(raw, &m); m.Role == "user" {
			if _, _, said := m.content(); said {
				return raw
			}
		}
	}
	return nil
}

// agUIOpaque returns the messages with encrypted reasoning, and the encrypted members of other messages.
func agUIOpaque(list []byte) (out []json.RawMessage) {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for _, raw := range raws {
		var m agMessage
		_ = json.Unmarshal(raw, &m)
		if m.EncryptedValue != "" && m.Role == "reasoning" {
			out = append(out, raw)
		}
		for _, c := range m.ToolCalls {
			if c.Signed != "" {
				out = append(out, json.RawMessage(`"`+c.Signed+`"`))
			}
		}
	}
	return out
}

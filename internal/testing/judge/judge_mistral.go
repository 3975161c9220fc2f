package judge

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

func init() {
	judges["mistral"] = judge{valid: mistral, lastUser: mistralLastUser, opaque: opaque}
}

// mistralMessage is a message with the keys that the API uses, or those that the SDK uses.
type mistralMessage struct {
	Role       string
	Content    json.RawMessage
	ToolCallID string       `json:"tool_call_id"`
	SDKCallID  string       `json:"toolCallId"`
	ToolCalls  []mistralUse `json:"tool_calls"`
	SDKCalls   []mistralUse `json:"toolCalls"`
}

type mistralUse struct{ ID string }

var nine = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)

// behind maps a role to the roles that may follow it in a request to the API.
var behind = map[string][]string{
	"system": {"system", "user", "assistant"}, "user": {"system", "user", "assistant"}, "assistant": {"user", "assistant", "tool"}, "tool": {"assistant", "tool"},
}

// mistral makes the same checks as the validator in mistral-common, but requires the API's stricter order of roles.
func mistral(list []byte) (bad []string) {
	var ms []mistralMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...))
	}
	open, used := map[string]bool{}, map[string]bool{}
	for i, m := range ms {
		if behind[m.Role] == nil {
			say(i, "role %q", m.Role)
		} else if i > 0 && behind[ms[i-1].Role] != nil && !slices.Contains(behind[ms[i-1].Role], m.Role) {
			say(i, "Unexpected role '%s' after role '%s'", m.Role, ms[i-1].Role)
		}
		calls := append(m.ToolCalls, m.SDKCalls...)
		empty := len(m.Content) == 0 || string(m.Content) == "null" || string(m.Content) == `""` || string(m.Content) == "[]"
		if empty && len(calls) == 0 && m.Role != "tool" {
			say(i, "neither content nor tool calls")
		}
		switch m.Role {
		case "assistant":
			if len(open) > 0 {
				say(i, "Not the same number of function calls and responses: %d", len(open))
			}
			open = map[string]bool{}
			for _, c := range calls {
				if !nine.MatchString(c.ID) {
					say(i, "Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9", c.ID)
				}
				if open[c.ID] {
					say(i, "Duplicate tool call id %s in assistant message", c.ID)
				} else if used[c.ID] {
					bad = append(bad, fmt.Sprintf(tolerable+"message %d: tool call id %s used before", i, c.ID))
				}
				open[c.ID], used[c.ID] = true, true
			}
		case "tool":
			if id := m.ToolCallID + m.SDKCallID; !open[id] {
				say(i, "Unexpected tool call id %s in tool results", id)
			} else {
				delete(open, id)
			}
		case "user":
			if len(open) > 0 {
				say(i, "the user speaks before %d tool calls have results", len(open))
			}
		}
	}
	return bad
}

// mistralLastUser returns the newest user message, except for those that a repair inserted.
func mistralLastUser(list []byte) json.RawMessage {
	ms, _ := read(list)
	for _, m := range slices.Backward(ms) {
		said := func(b block) bool { return b.Type != "text" || b.Text != "" }
		if m.Role == "user" && string(m.Content) != `"[Noted.]"` && slices.ContainsFunc(m.blocks(), said) {
			return m.raw
		}
	}
	return nil
}

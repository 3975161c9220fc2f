package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
)

func init() {
	judges["pydantic-ai"] = judge{valid: pydanticAI, lastUser: pydanticLastUser, opaque: pydanticOpaque}
}

type paMessage struct {
	Kind  string
	Parts []json.RawMessage
}

type paPart struct {
	Kind      string          `json:"part_kind"`
	Content   json.RawMessage `json:"content"`
	Tool      *string         `json:"tool_name"`
	CallID    *string         `json:"tool_call_id"`
	Signature string          `json:"signature"`
}

// pydanticAI returns why the type adapter rejects messages, and what no provider accepts: calls without results, and
// results without calls.
func pydanticAI(list []byte) (bad []string) {
	var ms []paMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	used, asked, last := map[string]bool{}, map[string]bool{}, ""
	for i, m := range ms {
		say := func(f string, a ...any) { bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...)) }
		if m.Kind != "request" && m.Kind != "response" {
			say("kind %q", m.Kind)
		}
		others := m.Kind == "response" && last == "request"
		filled := false
		for _, raw := range m.Parts {
			var p paPart
			if err := json.Unmarshal(raw, &p); err != nil {
				say("%v", err)
				continue
			}
			filled = filled || p.Kind == "tool-return" || string(p.Content) != `""`
			text := len(p.Content) > 0 && p.Content[0] == '"'
			switch {
			case p.Kind == "tool-call":
				if p.Tool == nil || p.CallID == nil || m.Kind != "response" {
					say("a call without name or id, or in a request")
				} else if used[*p.CallID] {
					say("id %q comes twice", *p.CallID)
				} else {
					used[*p.CallID], asked[*p.CallID] = true, true
				}
				continue
			case p.Kind == "tool-return":
				if p.Tool == nil || p.CallID == nil || len(p.Content) == 0 || m.Kind != "request" {
					say("a result without name, id or content, or in a response")
				} else if !asked[*p.CallID] {
					say("a result of %q, which is not called before it", *p.CallID)
				}
				if p.CallID != nil {
					delete(asked, *p.CallID)
				}
				continue
			case (p.Kind == "system-prompt" || p.Kind == "user-prompt") && m.Kind == "request", (p.Kind == "text" || p.Kind == "thinking") && m.Kind == "response":
				if !text && (p.Kind != "user-prompt" || len(p.Content) == 0 || p.Content[0] != '[') {
					say("%s with the content %s", p.Kind, p.Content)
				}
			default:
				say("%q in a %s", p.Kind, m.Kind)
			}
			others = others || m.Kind == "request"
		}
		if others && m.Kind == "request" && len(asked) > 0 {
			say("%d calls before it have no result", len(asked))
			asked = map[string]bool{}
		}
		if !filled {
			say("nothing in it")
		}
		last = m.Kind
	}
	return bad
}

// pydanticLastUser returns the last request that contains a user prompt.
func pydanticLastUser(list []byte) (last json.RawMessage) {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for _, raw := range raws {
		var m paMessage
		_ = json.Unmarshal(raw, &m)
		for _, part := range m.Parts {
			var p paPart
			if _ = json.Unmarshal(part, &p); p.Kind == "user-prompt" && !bytes.Equal(p.Content, []byte(`""`)) && !bytes.Equal(p.Content, []byte(`[""]`)) {
				last = raw
			}
		}
	}
	return last
}

func pydanticOpaque(list []byte) (out []json.RawMessage) {
	var ms []paMessage
	_ = json.Unmarshal(list, &ms)
	for _, m := range ms {
		for _, raw := range m.Parts {
			var p paPart
			if _ = json.Unmarshal(raw, &p); p.Signature != "" {
				out = append(out, raw)
			}
		}
	}
	return out
}

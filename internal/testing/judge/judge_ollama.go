package judge

import (
	"encoding/json"
	"fmt"
	"slices"
)

func init() {
	judges["ollama"] = judge{valid: ollama, lastUser: ollamaLastUser, opaque: func([]byte) []json.RawMessage { return nil }}
}

// ollamaMessage is a message with the types that the server decodes. A value of any other type is an error.
type ollamaMessage struct {
	Role      string
	Content   string
	Thinking  string
	Images    [][]byte
	ToolName  string `json:"tool_name"`
	ToolCalls []struct {
		Function struct {
			Name      string
			Arguments map[string]any
		}
	} `json:"tool_calls"`
}

// ollama returns what the server can't decode and, as tolerated violations, what the chat templates of models can't
// render.
func ollama(list []byte) (bad []string) {
	var ms []ollamaMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	odd := func(i int, text string) { bad = append(bad, fmt.Sprintf(tolerable+"message %d: %s", i, text)) }
	var open []string
	for i, m := range ms {
		if m.Role == "tool" {
			n := slices.IndexFunc(open, func(name string) bool { return m.ToolName == "" || m.ToolName == name })
			if n < 0 {
				odd(i, "a result without a call")
				continue
			}
			open = slices.Delete(open, n, n+1)
			continue
		}
		if len(open) > 0 {
			odd(i, "calls without results before it")
		}
		open = nil
		for _, c := range m.ToolCalls {
			open = append(open, c.Function.Name)
		}
		if m.Content == "" && len(m.Images) == 0 && len(m.ToolCalls) == 0 {
			odd(i, "nothing in it")
		}
		if !slices.Contains([]string{"system", "user", "assistant"}, m.Role) {
			odd(i, "role "+m.Role)
		}
	}
	return bad
}

func ollamaLastUser(list []byte) json.RawMessage {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for _, raw := range slices.Backward(raws) {
		var m ollamaMessage
		if json.Unmarshal(raw, &m); m.Role == "user" && (m.Content != "" || len(m.Images) > 0) {
			return raw
		}
	}
	return nil
}

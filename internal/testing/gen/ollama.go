package gen

import (
	"math/rand/v2"
	"strings"
)

func init() { writers["ollama"] = ollama }

// ollama writes a conversation in which the results have tool names or, as with older clients, none.
func ollama(add func(any), c Conversation, r *rand.Rand) {
	named := r.IntN(3) > 0
	for _, m := range c {
		if m.Role == "results" {
			for _, call := range m.Calls {
				v := obj{"role": "tool", "content": call.Result}
				if named {
					v["tool_name"] = call.Name
				}
				add(v)
			}
			continue
		}
		v := obj{"role": m.Role, "content": strings.Join(m.Texts, "\n")}
		if m.Reasoning != "" {
			v["thinking"] = m.Reasoning
		}
		if m.Image {
			v["images"] = []any{png}
		}
		var calls []any
		for _, call := range m.Calls {
			calls = append(calls, obj{"function": obj{"name": call.Name, "arguments": args(call)}})
		}
		if calls != nil {
			v["tool_calls"] = calls
		}
		add(v)
	}
}

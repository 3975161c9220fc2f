package gen

import (
	"encoding/json"
	"math/rand/v2"
)

func init() { writers["pydantic-ai"] = pydanticAI }

// pydanticAI writes a conversation in the form in which ModelMessagesTypeAdapter writes it: the system prompt is in
// the first request, and the type of a part is its last member.
func pydanticAI(add func(any), c Conversation, r *rand.Rand) {
	const at = "2026-01-01T00:00:00Z"
	image := obj{"data": png, "media_type": "image/png", "kind": "binary"}
	system := []any{} // parts for the next request
	for _, m := range c {
		parts := []any{}
		switch m.Role {
		case "system":
			for _, t := range m.Texts {
				system = append(system, obj{"content": t, "timestamp": at, "part_kind": "system-prompt"})
			}
			continue
		case "results":
			for _, call := range m.Calls {
				v := obj{"tool_name": call.Name, "content": call.Result, "tool_call_id": call.ID, "metadata": nil, "timestamp": at, "part_kind": "tool-return"}
				if call.Err {
					v["outcome"] = "failed"
				}
				if call.Image {
					v["content"] = []any{call.Result, image}
				}
				parts = append(parts, v)
			}
		case "user":
			var content any
			if list := []any{}; len(m.Texts) == 1 && !m.Image {
				content = m.Texts[0]
			} else {
				for _, t := range m.Texts {
					list = append(list, t)
				}
				if m.Image {
					list = append(list, image)
				}
				content = list
			}
			parts = append(system, obj{"content": content, "timestamp": at, "part_kind": "user-prompt"})
			system = nil
		default:
			if m.Reasoning != "" {
				v := obj{"content": m.Reasoning, "part_kind": "thinking"}
				if m.Signature != "" {
					v["signature"] = m.Signature
				}
				parts = append(parts, v)
			}
			for _, t := range m.Texts {
				parts = append(parts, obj{"content": t, "part_kind": "text"})
			}
			for _, call := range m.Calls {
				v := obj{"tool_name": call.Name, "args": args(call), "tool_call_id": call.ID, "part_kind": "tool-call"}
				if r.IntN(2) == 0 {
					text, _ := json.Marshal(args(call))
					v["args"] = string(text)
				}
				parts = append(parts, v)
			}
			add(obj{"parts": parts, "usage": obj{"input_tokens": 1}, "model_name": "m", "timestamp": at, "kind": "response"})
			continue
		}
		add(obj{"parts": parts, "instructions": nil, "kind": "request"})
	}
	if len(system) > 0 {
		add(obj{"parts": system, "kind": "request"})
	}
}

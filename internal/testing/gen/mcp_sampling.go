package gen

import "math/rand/v2"

func init() { writers["mcp-sampling"] = mcpSampling }

// mcpSampling writes a conversation in which the content of a message is a list of blocks, or the block itself if
// there is only one.
func mcpSampling(add func(any), c Conversation, r *rand.Rand) {
	var results []any // consecutive results usually share a message
	merge := r.IntN(4) > 0
	flush := func() {
		if len(results) == 1 && r.IntN(2) == 0 {
			add(obj{"role": "user", "content": results[0]})
		} else if results != nil {
			add(obj{"role": "user", "content": results})
		}
		results = nil
	}
	image := obj{"type": "image", "data": png, "mimeType": "image/png"}
	for _, m := range c {
		if m.Role == "results" {
			for _, call := range m.Calls {
				v := obj{"type": "tool_result", "toolUseId": call.ID, "content": []any{obj{"type": "text", "text": call.Result}}}
				if call.Image {
					v["content"] = []any{obj{"type": "text", "text": call.Result}, image}
				}
				if call.Err {
					v["isError"] = true
				}
				if r.IntN(8) == 0 {
					v["structuredContent"] = obj{"output": 1}
				}
				results = append(results, v)
			}
			if !merge {
				flush()
			}
			continue
		}
		flush()
		if m.Role == "system" {
			continue // it is outside the messages
		}
		parts := texts(m, "text")
		if m.Image {
			parts = append(parts, image)
		}
		for _, call := range m.Calls {
			parts = append(parts, obj{"type": "tool_use", "id": call.ID, "name": call.Name, "input": args(call)})
		}
		if parts == nil {
			parts = []any{}
		}
		if len(parts) == 1 && r.IntN(4) > 0 {
			add(obj{"role": m.Role, "content": parts[0]})
		} else {
			add(obj{"role": m.Role, "content": parts})
		}
	}
	flush()
}

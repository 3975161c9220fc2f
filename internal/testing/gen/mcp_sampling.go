package gen

import "math/rand/v2"

func init() { writers["mcp-sampling"] = mcpSampling }

// mcpImage returns the block of an image.
func mcpImage() obj { return obj{"type": "image", "data": png, "mimeType": "image/png"} }

// mcpResult returns the block of a result.
func mcpResult(call Call, r *rand.Rand) obj {
	blocks := []any{obj{"type": "text", "text": call.Result}}
	if call.Image {
		blocks = append(blocks, mcpImage())
	}
	v := obj{"type": "tool_result", "toolUseId": call.ID, "content": blocks}
	if call.Err {
		v["isError"] = true
	}
	if r.IntN(8) == 0 {
		v["structuredContent"] = obj{"output": 1}
	}
	return v
}

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
	for _, m := range c {
		if m.Role == "results" {
			for _, call := range m.Calls {
				results = append(results, mcpResult(call, r))
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
			parts = append(parts, mcpImage())
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

package gen

import "math/rand/v2"

func init() { writers["genkit"] = genkit }

// genkit writes a conversation in which calls may have no reference, and results may contain media.
func genkit(add func(any), c Conversation, r *rand.Rand) {
	bare := r.IntN(8) == 0 && !repeats(c)
	media := obj{"media": obj{"contentType": "image/png", "url": "data:image/png;base64," + png}}
	for _, m := range c {
		parts := []any{}
		if m.Role == "results" {
			for _, call := range m.Calls {
				v := obj{"ref": call.ID, "name": call.Name, "output": call.Result}
				switch {
				case call.Err:
					v["output"] = obj{"error": call.Result}
				case r.IntN(2) == 0: // what a tool returns may be any value
					v["output"] = obj{"path": call.Path, "text": call.Result}
				}
				if bare {
					delete(v, "ref")
				}
				if call.Image {
					v["content"] = []any{media}
				}
				parts = append(parts, obj{"toolResponse": v})
			}
			add(obj{"role": "tool", "content": parts})
			continue
		}
		if m.Reasoning != "" {
			v := obj{"reasoning": m.Reasoning}
			if m.Signature != "" {
				v["metadata"] = obj{"thoughtSignature": m.Signature}
			}
			parts = append(parts, v)
		}
		for _, t := range m.Texts {
			parts = append(parts, obj{"text": t})
		}
		if m.Image {
			parts = append(parts, media)
		}
		for _, call := range m.Calls {
			v := obj{"ref": call.ID, "name": call.Name, "input": args(call)}
			if bare {
				delete(v, "ref")
			}
			parts = append(parts, obj{"toolRequest": v})
		}
		v := obj{"role": m.Role, "content": parts}
		if m.Role == "assistant" {
			v["role"] = "model"
		}
		if r.IntN(9) == 0 {
			v["metadata"] = obj{"purpose": "history"}
		}
		add(v)
	}
}

// repeats reports whether a conversation has a message that calls a tool twice or leaves a call
// open. The tools' names then don't determine which result belongs to which call.
func repeats(c Conversation) bool {
	for i, m := range c {
		names := map[string]bool{}
		for _, call := range m.Calls {
			if names[call.Name] || m.Role == "assistant" && resultOf(call, c[i+1:]) == nil && i+1 < len(c) {
				return true
			}
			names[call.Name] = true
		}
	}
	return false
}

package gen

import "math/rand/v2"

func init() { writers["genkit"] = genkit }

// genkitMedia returns the part of an image.
func genkitMedia() obj {
	return obj{"media": obj{"contentType": "image/png", "url": "data:image/png;base64," + png}}
}

// genkitResponse returns the part of a result, which has no reference if bare is set.
func genkitResponse(call Call, bare bool, r *rand.Rand) obj {
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
		v["content"] = []any{genkitMedia()}
	}
	return obj{"toolResponse": v}
}

// genkitSaid returns the parts of a message other than its calls.
func genkitSaid(m Message) (parts []any) {
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
		parts = append(parts, genkitMedia())
	}
	return parts
}

// genkit writes a conversation in which calls may have no reference, and results may contain media.
func genkit(add func(any), c Conversation, r *rand.Rand) {
	bare := r.IntN(8) == 0 && !repeats(c)
	for _, m := range c {
		parts := []any{}
		if m.Role == "results" {
			for _, call := range m.Calls {
				parts = append(parts, genkitResponse(call, bare, r))
			}
			add(obj{"role": "tool", "content": parts})
			continue
		}
		parts = append(parts, genkitSaid(m)...)
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

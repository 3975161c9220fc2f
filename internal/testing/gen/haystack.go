package gen

import "math/rand/v2"

func init() { writers["haystack"] = haystack }

// haystack writes a conversation in the form that to_dict returns: each result is a message of its own and repeats
// its call.
func haystack(add func(any), c Conversation, r *rand.Rand) {
	image := obj{"image": obj{"base64_image": png, "mime_type": "image/png", "detail": nil, "meta": obj{}, "validation": true}}
	say := func(role string, parts []any) {
		add(obj{"role": role, "meta": obj{}, "name": nil, "content": parts})
	}
	called := func(call Call) obj {
		return obj{"tool_name": call.Name, "arguments": args(call), "id": call.ID, "extra": nil}
	}
	for _, m := range c {
		parts := []any{}
		if m.Role == "results" {
			for _, call := range m.Calls {
				v := obj{"result": call.Result, "origin": called(call), "error": call.Err}
				if call.Image || r.IntN(4) == 0 {
					list := []any{obj{"text": call.Result}}
					if call.Image {
						list = append(list, image)
					}
					v["result"] = list
				}
				say("tool", []any{obj{"tool_call_result": v}})
			}
			continue
		}
		if m.Reasoning != "" {
			extra := obj{}
			if m.Signature != "" {
				extra["signature"] = m.Signature
			}
			parts = append(parts, obj{"reasoning": obj{"reasoning_text": m.Reasoning, "extra": extra}})
		}
		for _, t := range m.Texts {
			parts = append(parts, obj{"text": t})
		}
		if m.Image {
			parts = append(parts, image)
		}
		for _, call := range m.Calls {
			parts = append(parts, obj{"tool_call": called(call)})
		}
		say(m.Role, parts)
	}
}

package gen

import "math/rand/v2"

func init() { writers["haystack"] = haystack }

// haystackImage returns the part of an image.
func haystackImage() obj {
	return obj{"image": obj{"base64_image": png, "mime_type": "image/png", "detail": nil, "meta": obj{}, "validation": true}}
}

// haystackCall returns a call, as its own part and its result contain it.
func haystackCall(call Call) obj {
	return obj{"tool_name": call.Name, "arguments": args(call), "id": call.ID, "extra": nil}
}

// haystackResult returns the part of a result, which is a text or a list of parts.
func haystackResult(call Call, r *rand.Rand) obj {
	v := obj{"result": call.Result, "origin": haystackCall(call), "error": call.Err}
	if call.Image || r.IntN(4) == 0 {
		list := []any{obj{"text": call.Result}}
		if call.Image {
			list = append(list, haystackImage())
		}
		v["result"] = list
	}
	return obj{"tool_call_result": v}
}

// haystack writes a conversation in the form that to_dict returns: each result is a message of its own and repeats
// its call.
func haystack(add func(any), c Conversation, r *rand.Rand) {
	say := func(role string, parts []any) {
		add(obj{"role": role, "meta": obj{}, "name": nil, "content": parts})
	}
	for _, m := range c {
		parts := []any{}
		if m.Role == "results" {
			for _, call := range m.Calls {
				say("tool", []any{haystackResult(call, r)})
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
			parts = append(parts, haystackImage())
		}
		for _, call := range m.Calls {
			parts = append(parts, obj{"tool_call": haystackCall(call)})
		}
		say(m.Role, parts)
	}
}

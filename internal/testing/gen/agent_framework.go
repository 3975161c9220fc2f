package gen

import "math/rand/v2"

func init() { writers["agent-framework"] = agentFramework }

// afNames maps the names in Python to those in .NET.
var afNames = map[string]string{
	"type": "$type", "call_id": "callId", "protected_data": "protectedData", "media_type": "mediaType",
	"text_reasoning": "reasoning", "function_call": "functionCall", "function_result": "functionResult",
}

// agentFramework writes a conversation as Python does, or as .NET does, which puts a content item's type first.
func agentFramework(add func(any), c Conversation, r *rand.Rand) {
	net := r.IntN(2) == 0
	content := func(v obj) any {
		if !net {
			return v
		}
		named := obj{}
		for key, value := range v {
			if typ, ok := value.(string); ok && key == "type" && afNames[typ] != "" {
				value = afNames[typ]
			}
			if to := afNames[key]; to != "" {
				key = to
			}
			named[key] = value // "$type" is the first of the sorted keys
		}
		return named
	}
	say := func(role string, contents []any) {
		v := obj{"role": role, "contents": contents}
		if !net {
			v["type"], v["additional_properties"] = "message", obj{}
		}
		add(v)
	}
	for _, m := range c {
		contents := []any{}
		if m.Role == "results" {
			for _, call := range m.Calls {
				v := obj{"type": "function_result", "call_id": call.ID, "result": call.Result}
				if call.Err && !net {
					v["exception"] = "it failed"
				}
				if r.IntN(4) == 0 {
					v["result"] = obj{"text": call.Result}
				}
				contents = append(contents, content(v))
			}
			say("tool", contents)
			continue
		}
		if m.Reasoning != "" {
			v := obj{"type": "text_reasoning", "text": m.Reasoning}
			if m.Signature != "" {
				v["protected_data"] = m.Signature
			}
			contents = append(contents, content(v))
		}
		for _, t := range m.Texts {
			contents = append(contents, content(obj{"type": "text", "text": t}))
		}
		if m.Image {
			contents = append(contents, content(obj{"type": "data", "uri": "data:image/png;base64," + png, "media_type": "image/png"}))
		}
		for _, call := range m.Calls {
			contents = append(contents, content(obj{"type": "function_call", "call_id": call.ID, "name": call.Name, "arguments": args(call)}))
		}
		say(m.Role, contents)
	}
}

package gen

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

func init() { writers["mistral"] = mistral }

// mistralResult returns the message of a result. callID and image are the keys for the call's id and for an image.
func mistralResult(call Call, callID, image string) obj {
	v := obj{"role": "tool", callID: mistralID(call.ID), "name": call.Name, "content": call.Result}
	if call.Image {
		v["content"] = []any{obj{"type": "text", "text": call.Result}, obj{"type": "image_url", image: "data:image/png;base64," + png}}
	}
	return v
}

// mistralCall returns a call, whose arguments are an object or a string. index is its index in the message.
func mistralCall(call Call, index int, r *rand.Rand) obj {
	if r.IntN(2) == 0 {
		a, _ := json.Marshal(args(call))
		return obj{"id": mistralID(call.ID), "type": "function", "index": index, "function": obj{"name": call.Name, "arguments": string(a)}}
	}
	return obj{"id": mistralID(call.ID), "function": obj{"name": call.Name, "arguments": args(call)}}
}

// mistral writes a conversation with the keys that the API uses, or those that the SDK uses.
func mistral(add func(any), c Conversation, r *rand.Rand) {
	calls, callID, image := "tool_calls", "tool_call_id", "image_url"
	if r.IntN(2) == 0 {
		calls, callID, image = "toolCalls", "toolCallId", "imageUrl"
	}
	for _, m := range c {
		if m.Role == "results" {
			for _, call := range m.Calls {
				add(mistralResult(call, callID, image))
			}
			continue
		}
		var parts []any
		if m.Reasoning != "" {
			v := obj{"type": "thinking", "thinking": texts(Message{Texts: []string{m.Reasoning}}, "text"), "closed": true}
			if m.Signature != "" {
				v["signature"] = m.Signature
			}
			parts = append(parts, v)
		}
		parts = append(parts, texts(m, "text")...)
		if m.Image {
			parts = append(parts, obj{"type": "image_url", image: obj{"url": "data:image/png;base64," + png}})
		}
		v := obj{"role": m.Role, "content": content(m, r, parts)}
		if m.Role == "assistant" {
			v["prefix"] = false
		}
		var list []any
		for _, call := range m.Calls {
			list = append(list, mistralCall(call, len(list), r))
		}
		if list != nil {
			v[calls] = list
		}
		add(v)
	}
}

// mistralID turns a call id into an id of nine letters and digits, as the provider requires. Invalid ids stay
// invalid.
func mistralID(id string) string {
	var n int
	switch {
	case strings.HasPrefix(id, "call_stray"):
		return "Stray" + fmt.Sprintf("%04s", strings.TrimPrefix(id, "call_stray"))
	case strings.HasPrefix(id, "call_"):
		_, _ = fmt.Sscanf(id, "call_%d", &n)
		return fmt.Sprintf("Call%05d", n)
	}
	return id
}

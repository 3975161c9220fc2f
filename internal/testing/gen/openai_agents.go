package gen

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
)

func init() {
	writers["openai-agents"] = func(add func(any), c Conversation, r *rand.Rand) {
		for i, m := range c {
			openaiAgents(add, m, i, r)
		}
	}
}

// openaiAgents writes a message as the items that the Agents SDK stores after a run, with provider-specific data
// under providerData.
func openaiAgents(add func(any), m Message, i int, r *rand.Rand) {
	n := strconv.Itoa(i)
	switch m.Role {
	case "results":
		for _, c := range m.Calls {
			v := obj{"type": "function_call_result", "name": c.Name, "callId": c.ID, "status": "completed", "output": c.Result}
			switch {
			case c.Image:
				v["output"] = []any{obj{"type": "input_text", "text": c.Result}, obj{"type": "input_image", "image": "data:image/png;base64," + png}}
			case r.IntN(3) == 0:
				v["output"] = obj{"type": "text", "text": c.Result}
			case r.IntN(20) == 0:
				v["output"] = obj{"type": "image", "image": obj{"data": png, "mediaType": "image/png"}}
			}
			add(v)
		}
	case "assistant":
		if m.Reasoning != "" && (len(m.Texts) > 0 || len(m.Calls) > 0) {
			v := obj{"type": "reasoning", "id": "rs_" + n, "content": texts(Message{Texts: []string{m.Reasoning}}, "input_text")}
			if m.Signature != "" {
				v["providerData"] = obj{"encryptedContent": m.Signature}
			}
			add(v)
		}
		if r.IntN(12) == 0 && (len(m.Texts) > 0 || len(m.Calls) > 0) {
			add(obj{"type": "hosted_tool_call", "id": "ws_" + n, "name": "web_search_call", "status": "completed", "providerData": obj{"type": "web_search"}})
		}
		if len(m.Texts) > 0 {
			add(obj{"type": "message", "id": "msg_" + n, "role": "assistant", "status": "completed", "content": texts(m, "output_text"), "providerData": obj{}})
		}
		for k, c := range m.Calls {
			a, _ := json.Marshal(args(c))
			add(obj{"type": "function_call", "id": "fc_" + n + "_" + strconv.Itoa(k), "callId": c.ID, "name": c.Name, "arguments": string(a), "status": "completed"})
		}
	case "user":
		parts := texts(m, "input_text")
		if m.Image {
			parts = append(parts, obj{"type": "input_image", "image": "data:image/png;base64," + png})
		}
		v := obj{"role": "user", "content": content(m, r, parts)}
		if r.IntN(2) == 0 {
			v["type"] = "message"
		}
		add(v)
	default:
		for _, t := range m.Texts {
			add(obj{"type": "message", "role": "system", "content": t})
		}
	}
}

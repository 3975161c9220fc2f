package gen

import (
	"math/rand/v2"
	"strconv"
)

func init() {
	writers["gemini-interactions"] = func(add func(any), c Conversation, r *rand.Rand) {
		for _, m := range c {
			geminiInteractions(add, m, r)
		}
	}
}

func geminiInteractions(add func(any), m Message, r *rand.Rand) {
	parts := texts(m, "text")
	if m.Image {
		parts = append(parts, obj{"type": "image", "mime_type": "image/png", "data": png})
	}
	switch m.Role {
	case "system": // it is outside the steps
	case "results":
		for _, c := range m.Calls {
			v := obj{"type": "function_result", "call_id": c.ID, "name": c.Name, "result": c.Result}
			switch {
			case c.Image:
				v["result"] = []any{obj{"type": "text", "text": c.Result}, obj{"type": "image", "mime_type": "image/png", "data": png}}
			case r.IntN(5) == 0:
				v["result"] = obj{"output": c.Result}
			}
			if c.Err {
				v["is_error"] = true
			}
			add(v)
		}
	case "assistant":
		if m.Reasoning != "" && (len(m.Texts) > 0 || len(m.Calls) > 0) {
			v := obj{"type": "thought", "summary": []any{obj{"type": "text", "text": m.Reasoning}}}
			if m.Signature != "" {
				v["signature"] = m.Signature
			}
			add(v)
		}
		if r.IntN(12) == 0 {
			id := "s" + strconv.Itoa(r.IntN(1e9))
			add(obj{"type": "google_search_call", "id": id, "arguments": obj{"queries": []string{"q"}}, "signature": "c2ln"})
			add(obj{"type": "google_search_result", "call_id": id, "result": []any{obj{"search_suggestions": "<b>"}}, "signature": "c2ln"})
		}
		if len(parts) > 0 {
			add(obj{"type": "model_output", "content": parts})
		}
		for _, c := range m.Calls {
			add(obj{"type": "function_call", "id": c.ID, "name": c.Name, "arguments": args(c)})
		}
	default:
		add(obj{"type": "user_input", "content": parts})
	}
}

package gen

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
)

func init() { writers["ag-ui"] = agUI }

// agUI writes a conversation in which reasoning is a separate message. Sometimes it adds an activity that only the
// frontend shows, or writes each of several calls as a separate message, as happens if their events name no parent.
func agUI(add func(any), c Conversation, r *rand.Rand) {
	n := 0
	put := func(v obj) {
		n++
		v["id"] = "m" + strconv.Itoa(n)
		add(v)
	}
	apart := r.IntN(3) == 0
	for _, m := range c {
		if r.IntN(12) == 0 {
			put(obj{"role": "activity", "activityType": "PLAN", "content": obj{"steps": []any{"search", text(r, 40)}}})
		}
		if m.Role == "results" {
			for _, call := range m.Calls {
				put(agUIResult(call, r))
			}
			continue
		}
		if m.Reasoning != "" {
			v := obj{"role": "reasoning", "content": m.Reasoning}
			if m.Signature != "" {
				v["encryptedValue"] = m.Signature
			}
			put(v)
		}
		v := obj{"role": m.Role}
		switch parts := texts(m, "text"); {
		case m.Role == "user" && m.Image:
			v["content"] = append(parts, obj{"type": "image", "source": obj{"type": "data", "value": png, "mimeType": "image/png"}})
		case m.Role == "user":
			v["content"] = content(m, r, parts)
		case len(m.Texts) > 0 || r.IntN(2) == 0:
			v["content"] = strings.Join(m.Texts, "\n")
		}
		var calls []any
		for _, call := range m.Calls {
			a, _ := json.Marshal(args(call))
			w := obj{"id": call.ID, "type": "function", "function": obj{"name": call.Name, "arguments": string(a)}}
			if call.Path == "src/f1.go" {
				w["encryptedValue"] = "enc" + call.Name
			}
			calls = append(calls, w)
		}
		if apart && len(calls) > 1 {
			v["toolCalls"] = calls[:1]
			put(v)
			for _, call := range calls[1:] {
				put(obj{"role": "assistant", "toolCalls": []any{call}})
			}
			continue
		}
		if calls != nil {
			v["toolCalls"] = calls
		}
		put(v)
	}
}

func agUIResult(call Call, r *rand.Rand) obj {
	v := obj{"role": "tool", "toolCallId": call.ID, "content": call.Result}
	switch {
	case call.Err:
		v["error"] = "exit 1"
	case call.Image:
		v["content"] = []any{obj{"type": "text", "text": call.Result}, obj{"type": "image", "source": obj{"type": "url", "value": "https://example.com/a.png"}}}
	case r.IntN(8) == 0:
		v["content"] = []any{obj{"type": "text", "text": call.Result}}
	}
	return v
}

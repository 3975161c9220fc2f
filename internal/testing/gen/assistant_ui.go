package gen

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
)

func init() { writers["assistant-ui"] = assistantUI }

// assistantUI writes a conversation in which consecutive steps of the assistant may be one message, with results inside
// their calls.
func assistantUI(add func(any), c Conversation, r *rand.Rand) {
	var open obj // the assistant message to which the next step may be added
	flush := func() {
		if open != nil {
			add(open)
		}
		open = nil
	}
	for i, m := range c {
		if m.Role == "results" {
			continue
		}
		v := obj{"id": "m" + strconv.Itoa(i), "role": m.Role, "createdAt": "2026-01-01T00:00:00.000Z", "metadata": obj{"custom": obj{}}}
		parts := []any{}
		if m.Reasoning != "" {
			p := obj{"type": "reasoning", "text": m.Reasoning}
			if m.Signature != "" {
				p["providerMetadata"] = obj{"anthropic": obj{"signature": m.Signature}}
			}
			parts = append(parts, p)
		}
		parts = append(parts, texts(m, "text")...)
		if m.Role == "user" {
			v["attachments"] = []any{}
		}
		switch {
		case m.Image && m.Role == "user" && r.IntN(2) == 0:
			v["attachments"] = []any{obj{"id": "f", "type": "document", "name": "a.txt", "status": obj{"type": "complete"}, "content": []any{obj{"type": "text", "text": text(r, 60)}}}}
		case m.Image:
			parts = append(parts, obj{"type": "image", "image": "data:image/png;base64," + png})
		}
		for _, call := range m.Calls {
			parts = append(parts, assistantUICall(call, c[i+1:], r))
		}
		if r.IntN(15) == 0 && m.Role == "assistant" {
			parts = append(parts, obj{"type": "source", "sourceType": "url", "id": "s", "url": "https://example.com"})
		}
		if m.Role == "assistant" && open != nil && r.IntN(4) > 0 {
			open["content"] = append(open["content"].([]any), parts...)
			continue
		}
		flush()
		v["content"] = parts
		if m.Role != "assistant" {
			add(v)
			continue
		}
		v["status"] = obj{"type": "complete", "reason": "stop"}
		open = v
	}
	flush()
}

func assistantUICall(call Call, behind Conversation, r *rand.Rand) obj {
	a, _ := json.Marshal(args(call))
	p := obj{"type": "tool-call", "toolCallId": call.ID, "toolName": call.Name, "args": args(call), "argsText": string(a)}
	switch result := resultOf(call, behind); {
	case result == nil && approved(call):
		p["approval"] = obj{"id": "ap_" + call.ID}
	case result == nil && r.IntN(2) == 0:
		p["result"], p["isPreliminary"] = "…", true
	case result == nil:
	default:
		p["result"] = [...]any{obj{"text": result.Result}, result.Result, []any{result.Result}, result.Result}[r.IntN(4)]
		if result.Err {
			p["isError"] = true
		}
		if result.Image {
			p["modelContent"] = []any{obj{"type": "text", "text": result.Result}, obj{"type": "file", "data": png, "mimeType": "image/png"}}
		}
	}
	return p
}

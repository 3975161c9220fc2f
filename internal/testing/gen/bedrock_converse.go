package gen

import "math/rand/v2"

func init() { writers["bedrock-converse"] = bedrockConverse }

// bedrockConverse writes a whole conversation. The provider requires consecutive messages with the same role to be
// merged; sometimes they are not.
func bedrockConverse(add func(any), c Conversation, r *rand.Rand) {
	type message struct {
		role    string
		content []any
	}
	var list []message
	merge := r.IntN(4) > 0
	for _, m := range c {
		if m.Role == "system" {
			continue // it is outside the messages
		}
		role := m.Role
		if role == "results" {
			role = "user"
		}
		content := bedrockContent(m, r)
		if n := len(list); merge && n > 0 && list[n-1].role == role {
			list[n-1].content = append(list[n-1].content, content...)
		} else {
			list = append(list, message{role, content})
		}
	}
	for i, m := range list {
		if i >= len(list)-2 && r.IntN(2) == 0 {
			m.content = append(m.content, obj{"cachePoint": obj{"type": "default"}})
		}
		add(obj{"role": m.role, "content": m.content})
	}
}

func bedrockContent(m Message, r *rand.Rand) []any {
	image := obj{"image": obj{"format": "png", "source": obj{"bytes": png}}}
	parts := []any{}
	if m.Role == "results" {
		for _, c := range m.Calls {
			inner := []any{obj{"text": c.Result}}
			switch {
			case c.Image:
				inner = append(inner, image)
			case r.IntN(4) == 0:
				inner = []any{obj{"json": obj{"output": c.Result}}}
			}
			v := obj{"toolUseId": c.ID, "content": inner, "status": "success"}
			if c.Err {
				v["status"] = "error"
			}
			parts = append(parts, obj{"toolResult": v})
		}
		return parts
	}
	if m.Reasoning != "" && m.Signature != "" {
		parts = append(parts, obj{"reasoningContent": obj{"reasoningText": obj{"text": m.Reasoning, "signature": m.Signature}}})
	}
	for _, t := range m.Texts {
		switch {
		case m.Role == "user" && r.IntN(10) == 0:
			parts = append(parts, obj{"guardContent": obj{"text": obj{"text": t}}})
		case m.Role == "assistant" && r.IntN(10) == 0:
			parts = append(parts, obj{"citationsContent": obj{"content": []any{obj{"text": t}}, "citations": []any{obj{"title": "a"}}}})
		default:
			parts = append(parts, obj{"text": t})
		}
	}
	if m.Image {
		parts = append(parts, image)
	}
	if m.Role == "assistant" {
		for _, c := range m.Calls {
			parts = append(parts, obj{"toolUse": obj{"toolUseId": c.ID, "name": c.Name, "input": args(c)}})
		}
	}
	return parts
}

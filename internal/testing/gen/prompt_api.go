package gen

import "math/rand/v2"

func init() { writers["prompt-api"] = promptAPI }

// promptAPI writes only the texts and the user's images. A system message that isn't the first
// message becomes a user message.
func promptAPI(add func(any), c Conversation, _ *rand.Rand) {
	first := true
	for _, m := range c {
		if m.Role == "results" || len(m.Texts) == 0 {
			continue
		}
		content := []any{}
		for _, t := range m.Texts {
			content = append(content, obj{"type": "text", "value": t})
		}
		if m.Image && m.Role == "user" {
			content = append(content, obj{"type": "image", "value": obj{"width": 1}})
		}
		role := m.Role
		if role == "system" && !first {
			role = "user"
		}
		first = false
		add(obj{"role": role, "content": content})
	}
}

package judge

import (
	"encoding/json"
	"fmt"
	"strings"
)

func init() {
	judges["plain"] = judge{valid: func(list []byte) []string { return onMessages(list, plain) }, lastUser: plainLastUser,
		opaque: func([]byte) []json.RawMessage { return nil }}
}

// plain returns why the strictest readers of chats would reject messages: local models' chat templates, and providers
// that don't join consecutive messages.
func plain(ms []message) (bad []string) {
	last := ""
	for i, m := range ms {
		var text string
		if json.Unmarshal(m.Content, &text) != nil || strings.TrimSpace(text) == "" {
			bad = append(bad, fmt.Sprintf("message %d: content %s", i, m.Content))
		}
		switch {
		case m.Role == "system":
			continue
		case m.Role != "user" && m.Role != "assistant":
			bad = append(bad, fmt.Sprintf("message %d: role %q", i, m.Role))
		case last == "" && m.Role != "user":
			bad = append(bad, fmt.Sprintf("message %d: the first is not the user's", i))
		case last == m.Role:
			bad = append(bad, fmt.Sprintf("message %d: conversation roles must alternate user/assistant/user/assistant/…", i))
		}
		last = m.Role
	}
	return bad
}

// plainLastUser returns the newest user message, except for those that a repair inserted.
func plainLastUser(list []byte) json.RawMessage {
	ms, _ := read(list)
	for i := len(ms) - 1; i >= 0; i-- {
		var text string
		_ = json.Unmarshal(ms[i].Content, &text)
		if ms[i].Role == "user" && text != "" && text != "[Noted.]" && text != "[The conversation goes on from here.]" {
			return ms[i].raw
		}
	}
	return nil
}

package judge

import (
	"encoding/json"
	"fmt"
	"slices"
)

// chat judges messages that consist of a role and a list of parts. The function part handles what the SDKs' formats
// name differently.
type chat struct {
	list  string // the member with the parts
	roles []string
	part  func(raw json.RawMessage) chatPart
	says  bool // the assistant only has texts, a system message comes first, and messages may be empty
}

// chatPart describes a part of a message.
type chatPart struct {
	kind  string // text, call, result or other; "" is a part that the SDK refuses
	text  string
	id    string // of a call or a result
	bound bool   // it stays byte for byte or goes as a whole
}

type chatMessage struct {
	role  string
	parts []chatPart
	raws  []json.RawMessage
	raw   json.RawMessage
}

func (c *chat) judge() judge {
	return judge{valid: c.valid, lastUser: c.lastUser, opaque: c.opaque}
}

func (c *chat) read(list []byte) (ms []chatMessage, err error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(list, &raws); err != nil {
		return nil, err
	}
	for _, raw := range raws {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, err
		}
		m := chatMessage{raw: raw}
		if err := json.Unmarshal(members["role"], &m.role); err != nil {
			return nil, fmt.Errorf("role: %w", err)
		}
		if content := members[c.list]; len(content) > 0 && content[0] == '"' {
			var text string
			_ = json.Unmarshal(content, &text)
			m.parts, m.raws = []chatPart{{kind: "text", text: text}}, []json.RawMessage{content}
		} else if err := json.Unmarshal(content, &m.raws); err != nil {
			return nil, fmt.Errorf("%s: %w", c.list, err)
		} else {
			for _, raw := range m.raws {
				m.parts = append(m.parts, c.part(raw))
			}
		}
		ms = append(ms, m)
	}
	return ms, nil
}

// valid lists what the SDK can't read, and calls without results or results without calls, which no
// provider accepts.
func (c *chat) valid(list []byte) (bad []string) {
	ms, err := c.read(list)
	if err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	used, asked := map[string]bool{}, map[string]bool{}
	for i, m := range ms {
		say := func(f string, a ...any) { bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...)) }
		if !slices.Contains(c.roles, m.role) {
			say("role %q", m.role)
		}
		if m.role != "tool" && len(asked) > 0 {
			say("%d calls before it have no result", len(asked))
			clear(asked)
		}
		if c.says && m.role == "system" && i > 0 {
			say("a system message that is not the first")
		}
		filled := false
		for n, p := range m.parts {
			filled = filled || p.kind != "text" || p.text != ""
			switch {
			case p.kind == "":
				say("unsupported part %s", m.raws[n])
			case c.says && p.kind != "text" && m.role == "assistant":
				say("the assistant says %s", m.raws[n])
			case p.kind == "call" && m.role != "assistant":
				say("a call that is not of the assistant")
			case p.kind == "call" && used[p.id]:
				say("id %q comes twice", p.id)
			case p.kind == "call":
				used[p.id], asked[p.id] = true, true
			case p.kind == "result" && !asked[p.id]:
				say("a result of %q, which is not called before it", p.id)
			case p.kind == "result":
				delete(asked, p.id)
			}
		}
		if !filled && c.says {
			bad = append(bad, tolerable+fmt.Sprintf("message %d: nothing in it", i))
		} else if !filled {
			say("nothing in it")
		}
	}
	return bad
}

func (c *chat) lastUser(list []byte) (last json.RawMessage) {
	ms, _ := c.read(list)
	for _, m := range ms {
		if m.role == "user" && slices.ContainsFunc(m.parts, func(p chatPart) bool { return p.kind != "text" || p.text != "" }) {
			last = m.raw
		}
	}
	return last
}

func (c *chat) opaque(list []byte) (out []json.RawMessage) {
	ms, _ := c.read(list)
	for _, m := range ms {
		for n, p := range m.parts {
			if p.bound {
				out = append(out, m.raws[n])
			}
		}
	}
	return out
}

func init() {
	judges["prompt-api"] = (&chat{list: "content", roles: []string{"system", "user", "assistant"}, part: promptPart, says: true}).judge()
	judges["agent-framework"] = (&chat{list: "contents", roles: []string{"system", "user", "assistant", "tool"}, part: afPart}).judge()
}

// afPart reads one content item in the form of Microsoft Agent Framework for Python or .NET.
func afPart(raw json.RawMessage) chatPart {
	var p struct {
		Type           string `json:"type"`
		NetType        string `json:"$type"`
		Text           *string
		ID             *string `json:"call_id"`
		NetID          *string `json:"callId"`
		Name           *string
		Arguments, URI json.RawMessage
		Protected      *string `json:"protected_data"`
		NetProtected   *string `json:"protectedData"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return chatPart{}
	}
	if p.NetType != "" {
		p.Type, p.ID, p.Protected = p.NetType, p.NetID, p.NetProtected
	}
	switch {
	case p.Type == "text" && p.Text != nil:
		return chatPart{kind: "text", text: *p.Text}
	case (p.Type == "function_call" || p.Type == "functionCall") && p.ID != nil && p.Name != nil:
		return chatPart{kind: "call", id: *p.ID}
	case (p.Type == "function_result" || p.Type == "functionResult") && p.ID != nil:
		return chatPart{kind: "result", id: *p.ID}
	case p.Type == "text_reasoning" || p.Type == "reasoning":
		return chatPart{kind: "other", bound: p.Protected != nil}
	case (p.Type == "data" || p.Type == "uri") && p.URI != nil, p.Type == "usage", p.Type == "error":
		return chatPart{kind: "other"}
	}
	return chatPart{}
}

// promptPart reads one content item of a message for the Prompt API, the browser's built-in model.
func promptPart(raw json.RawMessage) chatPart {
	var p struct {
		Type  string
		Value json.RawMessage
	}
	_ = json.Unmarshal(raw, &p)
	part := chatPart{kind: "other"}
	switch {
	case p.Type == "text" && json.Unmarshal(p.Value, &part.text) == nil:
		part.kind = "text"
	case p.Type != "image" && p.Type != "audio" || p.Value == nil:
		part.kind = ""
	}
	return part
}

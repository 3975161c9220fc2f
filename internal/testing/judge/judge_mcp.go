package judge

import (
	"encoding/json"
	"fmt"
	"slices"
)

func init() {
	judges["mcp-sampling"] = judge{valid: sampling, lastUser: samplingLastUser, opaque: func([]byte) []json.RawMessage { return nil }}
}

type samplingMessage struct {
	Role    string
	Content json.RawMessage
	raw     json.RawMessage
}

type samplingPart struct {
	Type, ID, ToolUseID, Name string
	Text, Data, MimeType      *string
	Input                     map[string]any
	Content                   []samplingPart
}

func (m *samplingMessage) parts() (parts []samplingPart, err error) {
	if err = json.Unmarshal(m.Content, &parts); err != nil {
		parts = make([]samplingPart, 1)
		err = json.Unmarshal(m.Content, &parts[0])
	}
	return parts, err
}

func samplingRead(list []byte) (ms []samplingMessage, err error) {
	var raws []json.RawMessage
	if err = json.Unmarshal(list, &raws); err != nil {
		return nil, err
	}
	ms = make([]samplingMessage, len(raws))
	for i, raw := range raws {
		if err = json.Unmarshal(raw, &ms[i]); err != nil {
			return nil, err
		}
		ms[i].raw = raw
	}
	return ms, nil
}

// sampling checks messages against their schema and against the specification's rule for tools: after an assistant
// message with tool uses there must be a user message that contains only their results.
func sampling(list []byte) (bad []string) {
	ms, err := samplingRead(list)
	if err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...))
	}
	asked := []string{} // the tool uses of the previous message
	used := map[string]bool{}
	for i := range ms {
		m := &ms[i]
		if m.Role != "user" && m.Role != "assistant" {
			say(i, "role %q", m.Role)
		}
		parts, err := m.parts()
		if err != nil {
			say(i, "content: %v", err)
			continue
		}
		uses, results, said := []string{}, []string{}, 0
		for _, p := range parts {
			if problem := p.schema(); problem != "" {
				say(i, "%s", problem)
			}
			switch p.Type {
			case "tool_use":
				if slices.Contains(uses, p.ID) {
					say(i, "two uses of tools have the id %q", p.ID)
				} else if used[p.ID] {
					bad = append(bad, fmt.Sprintf(tolerable+"message %d: the id %q was used before", i, p.ID))
				}
				uses = append(uses, p.ID)
				used[p.ID] = true
				said++
			case "tool_result":
				results = append(results, p.ToolUseID)
				said++
			case "text":
				if p.Text != nil && *p.Text != "" {
					said++
				}
			default:
				said++
			}
		}
		if said == 0 {
			bad = append(bad, fmt.Sprintf(tolerable+"message %d: nothing in it", i))
		}
		if len(results) > 0 && len(results) < len(parts) {
			say(i, "a message with results holds something else")
		}
		if len(results) > 0 && m.Role != "user" || len(uses) > 0 && m.Role != "assistant" {
			say(i, "the %s has parts of the other role", m.Role)
		}
		slices.Sort(asked)
		slices.Sort(results)
		switch last := i == len(ms)-1; {
		case slices.Equal(asked, results):
		case last && !slices.ContainsFunc(results, func(id string) bool { return !slices.Contains(asked, id) }) && len(results) > 0 &&
			len(slices.Compact(slices.Clone(results))) == len(results): // the host may be about to add the other results
		default:
			say(i, "ids of tool_result blocks and tool_use blocks from previous message do not match: %q, %q", results, asked)
		}
		asked = uses
	}
	return bad
}

// schema returns the first violation of the protocol's types in a block, or "" if the block is valid.
func (p *samplingPart) schema() string {
	switch p.Type {
	case "text":
		if p.Text == nil {
			return "a text without text"
		}
	case "image", "audio":
		if p.Data == nil || p.MimeType == nil {
			return p.Type + " without data or type"
		}
	case "tool_use":
		if p.Name == "" || p.Input == nil || p.ID == "" {
			return "tool_use without id, name or input"
		}
	case "tool_result":
		if p.ToolUseID == "" {
			return "tool_result without toolUseId"
		}
		for i := range p.Content {
			if c := &p.Content[i]; c.Type == "tool_use" || c.Type == "tool_result" || c.Type == "" {
				return "a tool_result with " + c.Type + " in it"
			} else if problem := c.schema(); problem != "" && c.Type != "resource" && c.Type != "resource_link" {
				return problem
			}
		}
	default:
		return "type " + p.Type
	}
	return ""
}

func samplingLastUser(list []byte) json.RawMessage {
	ms, _ := samplingRead(list)
	for _, m := range slices.Backward(ms) {
		parts, _ := m.parts()
		said := func(p samplingPart) bool {
			return p.Type != "tool_result" && (p.Type != "text" || p.Text == nil || *p.Text != "")
		}
		if m.Role == "user" && slices.ContainsFunc(parts, said) {
			return m.raw
		}
	}
	return nil
}

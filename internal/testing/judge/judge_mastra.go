package judge

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"
)

func init() {
	judges["mastra"] = judge{valid: mastra, lastUser: mastraLastUser, opaque: mastraOpaque, kept: mastraKept}
}

type maMessage struct {
	ID        *string
	Role      string
	Type      string
	CreatedAt *string
	Content   struct {
		Format          int
		Parts           []json.RawMessage
		Content         *string
		ToolInvocations []maCall
		Reasoning       *string
		Attachments     []struct{ URL string } `json:"experimental_attachments"`
		Metadata        struct {
			Signal struct{ Type string }
		}
	}
}

type maCall struct {
	State        string
	ToolCallID   *string `json:"toolCallId"`
	ToolName     *string
	Args, Result any
	IsError      bool
	ErrorText    *string
	hasResult    bool
}

func (c *maCall) UnmarshalJSON(b []byte) error {
	type plain maCall
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return err
	}
	_, c.hasResult = members["result"]
	return json.Unmarshal(b, (*plain)(c))
}

type maPart struct {
	Type           string
	Text           *string
	Reasoning      *string
	Details        []json.RawMessage
	ToolInvocation *maCall
	Metadata       map[string]json.RawMessage `json:"providerMetadata"`
}

func (m *maMessage) parts() []maPart {
	parts := make([]maPart, len(m.Content.Parts))
	for i, raw := range m.Content.Parts {
		if json.Unmarshal(raw, &parts[i]) != nil {
			return nil
		}
	}
	return parts
}

// said reports whether anything in a message is sent to the model.
func (m *maMessage) said() bool {
	c := &m.Content
	return len(c.ToolInvocations) > 0 || len(c.Attachments) > 0 || c.Content != nil && *c.Content != "" || c.Reasoning != nil && *c.Reasoning != "" ||
		slices.ContainsFunc(m.parts(), func(p maPart) bool { return p.Type != "text" || p.Text != nil && *p.Text != "" })
}

func (m *maMessage) user() bool {
	kind := m.Content.Metadata.Signal.Type
	return m.Role == "user" || m.Role == "signal" && (kind == "user" || kind == "user-message" || kind == "" && m.Type == "user")
}

// mastra returns what the framework's MessageList rejects or would send incorrectly: messages that it would put in
// another order because of their dates, calls that occur twice, and copies that differ from the parts.
func mastra(list []byte) (bad []string) {
	var ms []maMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	ids, calls, last := map[string]bool{}, map[string]bool{}, time.Time{}
	for i, m := range ms {
		say := func(f string, a ...any) { bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...)) }
		switch {
		case m.ID == nil:
			say("no id")
		case ids[*m.ID]:
			say("the id %s comes twice", *m.ID)
		default:
			ids[*m.ID] = true
		}
		if m.Role != "system" && m.Role != "user" && m.Role != "assistant" && m.Role != "signal" {
			say("role %q", m.Role)
		}
		if m.Content.Format != 2 {
			say("format %d", m.Content.Format)
		}
		if m.CreatedAt != nil {
			at, err := time.Parse(time.RFC3339, *m.CreatedAt)
			if err != nil || at.Before(last) {
				say("made at %s, before the message before it", *m.CreatedAt)
			}
			last = at
		}
		if !m.said() {
			bad = append(bad, fmt.Sprintf(tolerable+"message %d: nothing of it is sent", i))
		}
		inside := false
		for _, p := range m.parts() {
			switch {
			case p.Type == "text" && p.Text == nil, p.Type == "reasoning" && p.Reasoning == nil, p.Type == "tool-invocation" && p.ToolInvocation == nil:
				say("a %s without its text or call", p.Type)
			case p.Type == "tool-invocation":
				inside = true
				bad = append(bad, p.ToolInvocation.wrong(i, len(ms), calls)...)
			}
		}
		for _, c := range m.Content.ToolInvocations {
			if !inside { // the parts don't contain these calls
				bad = append(bad, c.wrong(i, len(ms), calls)...)
			}
		}
	}
	return bad
}

// mastraKept returns an error for a message whose copies matched its parts before a compaction and no longer do.
func mastraKept(before, after []byte) error {
	var was, is []maMessage
	if err := json.Unmarshal(before, &was); err != nil {
		return err
	}
	if err := json.Unmarshal(after, &is); err != nil {
		return err
	}
	apart := map[string]bool{} // messages whose copies did not match in the input
	for _, m := range was {
		if m.ID != nil && len(m.copies()) > 0 {
			apart[*m.ID] = true
		}
	}
	for _, m := range is {
		if bad := m.copies(); m.ID != nil && !apart[*m.ID] && len(bad) > 0 {
			return fmt.Errorf("the message %s: %s", *m.ID, bad[0])
		}
	}
	return nil
}

// wrong returns what is wrong with a call. The call is in message i of n, and calls holds the ids of the calls before
// it.
func (c *maCall) wrong(i, n int, calls map[string]bool) (bad []string) {
	if c.ToolCallID == nil || c.ToolName == nil || c.Args == nil {
		return []string{fmt.Sprintf("message %d: a call without id, name or arguments", i)}
	}
	if calls[*c.ToolCallID] {
		bad = append(bad, fmt.Sprintf("message %d: the call %q comes twice", i, *c.ToolCallID))
	}
	calls[*c.ToolCallID] = true
	switch c.State {
	case "result":
		if !c.hasResult {
			bad = append(bad, fmt.Sprintf("message %d: a result that is not there", i))
		}
	case "output-error":
		if c.ErrorText == nil {
			bad = append(bad, fmt.Sprintf("message %d: an error without its text", i))
		}
	case "output-denied", "partial-call":
	default:
		if i < n-1 {
			bad = append(bad, fmt.Sprintf(tolerable+"message %d: a call without result", i))
		}
	}
	return bad
}

// copies returns a line for each copy outside the parts that differs from the parts.
func (m *maMessage) copies() (bad []string) {
	say := func(f string, a ...any) { bad = append(bad, fmt.Sprintf(f, a...)) }
	inside := map[string][]*maCall{}
	parts := m.parts()
	for _, p := range parts {
		if c := p.ToolInvocation; c != nil && c.ToolCallID != nil {
			inside[*c.ToolCallID] = append(inside[*c.ToolCallID], c)
		}
	}
	for _, c := range m.Content.ToolInvocations {
		if len(inside) == 0 || c.ToolCallID == nil {
			continue
		}
		same := inside[*c.ToolCallID]
		if len(same) == 0 {
			say("the call %q is only in toolInvocations, not in parts, and would be sent", *c.ToolCallID)
			continue
		}
		p := same[0]
		inside[*c.ToolCallID] = same[1:]
		if c.State != p.State || !reflect.DeepEqual(c.Args, p.Args) || !reflect.DeepEqual(c.Result, p.Result) {
			say("the call %q differs between toolInvocations and parts", *c.ToolCallID)
		}
	}
	if text := m.Content.Content; text != nil && *text != "" {
		if !slices.ContainsFunc(parts, func(p maPart) bool { return p.Type == "text" && p.Text != nil && *p.Text == *text }) &&
			slices.ContainsFunc(parts, func(p maPart) bool { return p.Type == "text" }) {
			say("content has a text that no part has: %.40q", *text)
		}
	}
	return bad
}

func mastraLastUser(list []byte) json.RawMessage {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for _, raw := range slices.Backward(raws) {
		var m maMessage
		if json.Unmarshal(raw, &m); m.user() && m.said() {
			return raw
		}
	}
	return nil
}

func mastraOpaque(list []byte) (out []json.RawMessage) {
	var ms []maMessage
	_ = json.Unmarshal(list, &ms)
	for _, m := range ms {
		for i, p := range m.parts() {
			if p.Type == "reasoning" && (p.Metadata["anthropic"] != nil || len(p.Details) > 0) {
				out = append(out, m.Content.Parts[i])
			}
		}
	}
	return out
}

package judge

import (
	"encoding/json"
	"fmt"
	"slices"
)

func init() {
	judges["tanstack"] = judge{valid: tanStack, lastUser: tanStackLastUser, opaque: tanStackOpaque}
}

type tsMessage struct {
	ID    *string
	Role  string
	Parts []json.RawMessage
}

type tsPart struct {
	Type       string
	Content    json.RawMessage
	ID         *string
	Name       *string
	Arguments  *string
	State      string
	Output     json.RawMessage
	ToolCallID *string `json:"toolCallId"`
	Signature  string
	Status     string
	Source     json.RawMessage
	Metadata   struct{ ProviderExecuted bool }
	Approval   struct{ Approved *bool }
}

func (p *tsPart) text() string {
	var s string
	_ = json.Unmarshal(p.Content, &s)
	return s
}

// sent reports whether the converter puts this part into requests.
func (p *tsPart) sent() bool {
	switch p.Type {
	case "text":
		return p.text() != ""
	case "thinking":
		return p.text() != "" || p.Signature != ""
	case "image", "audio", "video", "document":
		return true
	case "structured-output":
		return p.Status == "complete"
	case "tool-call":
		return p.Output != nil || slices.Contains([]string{"input-complete", "complete", "approval-requested", "approval-responded", "error"}, p.State)
	case "tool-result":
		return p.State == "complete" || p.State == "error"
	}
	return false
}

// tanStack returns violations of the library's types, and those messages from which the converter would make invalid
// ones.
func tanStack(list []byte) (bad []string) {
	var ms []tsMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	ids, used := map[string]bool{}, map[string]bool{}
	for i, m := range ms {
		say := func(f string, a ...any) { bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...)) }
		if m.ID == nil || ids[*m.ID] {
			say("no id, or one that comes twice")
		} else {
			ids[*m.ID] = true
		}
		if m.Role != "system" && m.Role != "user" && m.Role != "assistant" {
			say("role %q", m.Role)
		}
		if m.Parts == nil {
			say("no parts")
		}
		open, answered, sent := map[string]bool{}, map[string]bool{}, false
		for _, raw := range m.Parts {
			var p tsPart
			if err := json.Unmarshal(raw, &p); err != nil {
				say("%v", err)
				continue
			}
			if !p.sent() {
				continue
			}
			sent = true
			switch p.Type {
			case "tool-call":
				if p.ID == nil || p.Name == nil || p.Arguments == nil || m.Role != "assistant" {
					say("a call without id, name or arguments, or not of the assistant")
					continue
				}
				if p.Metadata.ProviderExecuted {
					continue
				}
				if used[*p.ID] {
					say("tool call id %q comes twice", *p.ID)
				}
				used[*p.ID] = true
				// The output inside the call is sent if there is no result next to it.
				open[*p.ID] = p.Output == nil && !(p.State == "approval-responded" && p.Approval.Approved != nil)
			case "tool-result":
				if p.ToolCallID == nil || len(p.Content) == 0 || p.Content[0] != '"' && p.Content[0] != '[' {
					say("a result without call or content")
				} else if _, called := open[*p.ToolCallID]; called {
					delete(open, *p.ToolCallID)
					answered[*p.ToolCallID] = true
				} else if !answered[*p.ToolCallID] { // if the call has a result already, the converter skips this one
					say("a result of %q, which is not called before it", *p.ToolCallID)
				}
			case "image", "audio", "video", "document":
				if len(p.Source) == 0 || p.Source[0] != '{' {
					say("%s without source", p.Type)
				}
			}
		}
		for id, waits := range open {
			if waits && i < len(ms)-1 {
				say("call %q has no result", id)
			}
		}
		if !sent && (i < len(ms)-1 || !tanStackWrites(m)) {
			say("nothing in it")
		}
	}
	return bad
}

// tanStackWrites reports whether a message has a part other than text. Such a part may never be sent, or not until
// later.
func tanStackWrites(m tsMessage) bool {
	for _, raw := range m.Parts {
		var p tsPart
		if json.Unmarshal(raw, &p); p.Type != "text" {
			return true
		}
	}
	return false
}

func tanStackLastUser(list []byte) json.RawMessage {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for _, raw := range slices.Backward(raws) {
		var m tsMessage
		if json.Unmarshal(raw, &m); m.Role != "user" {
			continue
		}
		for _, part := range m.Parts {
			var p tsPart
			if json.Unmarshal(part, &p); p.sent() {
				return raw
			}
		}
	}
	return nil
}

func tanStackOpaque(list []byte) (out []json.RawMessage) {
	var ms []tsMessage
	_ = json.Unmarshal(list, &ms)
	for _, m := range ms {
		for _, raw := range m.Parts {
			var p tsPart
			if json.Unmarshal(raw, &p); p.Type == "thinking" && p.Signature != "" {
				out = append(out, raw)
			}
		}
	}
	return out
}

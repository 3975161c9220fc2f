package judge

import (
	"encoding/json"
	"fmt"
)

func init() {
	judges["ai-sdk"] = judge{valid: aiSDK, lastUser: lastUser, opaque: aiSDKOpaque}
}

type aiMessage struct {
	Role            string          `json:"role"`
	Content         json.RawMessage `json:"content"`
	ProviderOptions json.RawMessage `json:"providerOptions"`
}

type aiPart struct {
	Type             string          `json:"type"`
	Text             *string         `json:"text"`
	ToolCallID       string          `json:"toolCallId"`
	ToolName         string          `json:"toolName"`
	Input            json.RawMessage `json:"input"`
	Args             json.RawMessage `json:"args"`
	Output           json.RawMessage `json:"output"`
	Result           json.RawMessage `json:"result"`
	ProviderExecuted bool            `json:"providerExecuted"`
	ProviderOptions  json.RawMessage `json:"providerOptions"`
	ApprovalID       string          `json:"approvalId"`
	Approved         *bool           `json:"approved"`
}

// aiSDK returns why generateText, or the provider, would reject a list of ModelMessages.
func aiSDK(list []byte) (bad []string) {
	var ms []aiMessage
	if err := json.Unmarshal(list, &ms); err != nil {
		return []string{"not a list of messages: " + err.Error()}
	}
	say := func(i int, f string, a ...any) {
		bad = append(bad, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(f, a...))
	}
	calls := map[string]bool{}    // ids of all calls so far
	open := map[string]bool{}     // ids of calls without a result
	own := map[string]bool{}      // ids of the provider's own calls
	requests := map[string]bool{} // approval ids
	for i, m := range ms {
		var text string
		var parts []aiPart
		if json.Unmarshal(m.Content, &text) == nil && len(m.Content) > 0 && m.Content[0] == '"' {
			if m.Role == "tool" {
				say(i, "a tool message with a string")
			}
			parts = []aiPart{{Type: "text", Text: &text}}
		} else if err := json.Unmarshal(m.Content, &parts); err != nil {
			say(i, "content: %v", err)
			continue
		} else if m.Role == "system" {
			say(i, "a system message with parts")
		}
		filled := m.Role == "system" && len(m.ProviderOptions) > 0
		for _, p := range parts {
			filled = filled || p.Type != "text" || p.Text != nil && *p.Text != ""
		}
		if !filled {
			say(i, "nothing in it")
		}
		switch m.Role {
		case "user", "system":
			// If this is the end of the list, the host may be about to add results, unless somebody has spoken since.
			if len(open) > 0 {
				say(i, "%d tool calls have no result before it", len(open))
				open = map[string]bool{}
			}
		case "assistant", "tool":
		default:
			say(i, "role %q", m.Role)
		}
		here := map[string]bool{} // ids of the calls in this message
		for _, p := range parts {
			switch p.Type {
			case "tool-call":
				if calls[p.ToolCallID] {
					say(i, "tool call id %q comes twice", p.ToolCallID)
				}
				if m.Role != "assistant" || p.ToolName == "" || p.Input == nil && p.Args == nil {
					say(i, "a tool call of the %s, name %q", m.Role, p.ToolName)
				}
				calls[p.ToolCallID], here[p.ToolCallID] = true, true
				if p.ProviderExecuted {
					own[p.ToolCallID] = true
				} else {
					open[p.ToolCallID] = true
				}
			case "tool-result":
				switch {
				case m.Role == "tool" && !open[p.ToolCallID]:
					say(i, "a result for %q, which is not open", p.ToolCallID)
				case m.Role == "assistant" && !own[p.ToolCallID]:
					say(i, "a result of the provider for %q, which it did not call", p.ToolCallID)
				}
				delete(open, p.ToolCallID)
				delete(own, p.ToolCallID)
				if why := aiOutput(p); why != "" {
					say(i, "result of %q: %s", p.ToolCallID, why)
				}
			case "tool-approval-request":
				if !here[p.ToolCallID] {
					say(i, "an approval request for %q, which is not called here", p.ToolCallID)
				}
				requests[p.ApprovalID] = true
			case "tool-approval-response":
				if m.Role != "tool" || !requests[p.ApprovalID] || p.Approved == nil {
					say(i, "an approval response for %q, which was not requested", p.ApprovalID)
				}
			case "text", "reasoning":
				if p.Text == nil {
					say(i, "a %s without text", p.Type)
				}
			}
		}
	}
	return bad
}

// aiOutput returns what is wrong with the output of a tool result, or "".
func aiOutput(p aiPart) string {
	if p.Result != nil { // AI SDK 4: any value
		return ""
	}
	var o struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(p.Output, &o); err != nil {
		return err.Error()
	}
	var v any
	if o.Value != nil {
		_ = json.Unmarshal(o.Value, &v)
	}
	switch o.Type {
	case "text", "error-text":
		if _, ok := v.(string); !ok {
			return o.Type + " without a string"
		}
	case "json", "error-json":
		if o.Value == nil {
			return o.Type + " without a value"
		}
	case "content":
		items, ok := v.([]any)
		if !ok {
			return "content without a list"
		}
		for _, item := range items {
			if m, ok := item.(map[string]any); !ok || m["type"] == nil {
				return "content with something that has no type"
			}
		}
	case "execution-denied":
	default:
		return "output of type " + o.Type
	}
	return ""
}

func aiSDKOpaque(list []byte) (out []json.RawMessage) {
	var ms []aiMessage
	_ = json.Unmarshal(list, &ms)
	for _, m := range ms {
		var raws []json.RawMessage
		_ = json.Unmarshal(m.Content, &raws)
		for _, raw := range raws {
			var p aiPart
			if json.Unmarshal(raw, &p) == nil && (p.Type == "custom" || p.ProviderOptions != nil && p.Type == "reasoning") {
				out = append(out, raw)
			}
		}
	}
	return out
}

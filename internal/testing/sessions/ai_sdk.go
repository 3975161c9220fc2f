package sessions

import (
	"encoding/json"
	"testing"
)

type obj = map[string]any

// modelMessages returns the messages of an Anthropic session as ModelMessages of AI SDK 5.
func modelMessages(t testing.TB, name string, messages []json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	add := func(role string, content []any) {
		if len(content) == 0 {
			return
		}
		b, err := json.Marshal(obj{"role": role, "content": content})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	names := map[string]string{}
	for _, raw := range messages {
		var m struct {
			Role    string
			Content []struct {
				Type, Text, Thinking, Signature, ID, Name string
				ToolUseID                                 string `json:"tool_use_id"`
				IsError                                   bool   `json:"is_error"`
				Input, Content                            json.RawMessage
			}
		}
		decode(t, name, raw, &m)
		var parts, results []any
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				parts = append(parts, obj{"type": "text", "text": b.Text})
			case "thinking":
				parts = append(parts, obj{"type": "reasoning", "text": b.Thinking, "providerOptions": obj{"anthropic": obj{"signature": b.Signature}}})
			case "tool_use":
				names[b.ID] = b.Name
				parts = append(parts, obj{"type": "tool-call", "toolCallId": b.ID, "toolName": b.Name, "input": b.Input})
			case "tool_result":
				var text string
				output := obj{"type": "content", "value": b.Content}
				if json.Unmarshal(b.Content, &text) == nil {
					output = obj{"type": "text", "value": text}
					if b.IsError {
						output["type"] = "error-text"
					}
				}
				results = append(results, obj{"type": "tool-result", "toolCallId": b.ToolUseID, "toolName": names[b.ToolUseID], "output": output})
			default:
				t.Fatalf("%s: a block of type %s", name, b.Type)
			}
		}
		add("tool", results)
		add(m.Role, parts)
	}
	return out
}

// oneTurn converts a session to one long turn of an agent: a single user message, and one assistant message with all
// steps.
func oneTurn(t testing.TB, name string, messages []json.RawMessage) []json.RawMessage {
	turn := struct {
		ID    string            `json:"id"`
		Role  string            `json:"role"`
		Parts []json.RawMessage `json:"parts"`
	}{"turn", "assistant", nil}
	var out []json.RawMessage
	for _, raw := range messages {
		var m struct {
			Role  string
			Parts []json.RawMessage
		}
		decode(t, name, raw, &m)
		if m.Role == "assistant" {
			turn.Parts = append(turn.Parts, m.Parts...)
		} else if out == nil {
			out = append(out, raw)
		}
	}
	b, err := json.Marshal(turn)
	if err != nil {
		t.Fatal(err)
	}
	return append(out, b)
}

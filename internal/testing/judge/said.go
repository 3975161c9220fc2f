package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Said is the content of a conversation, independent of its format: texts by speaker, tool calls and tool results, each in
// order.
type Said struct {
	System, User, Assistant []string
	Calls                   []string // names and arguments
	Results                 []string
}

// SaidIn reads a list of messages of any format. It doesn't identify the format, but reads the members of all
// formats.
func SaidIn(list []byte) (s Said, err error) {
	var messages []map[string]any
	if err := json.Unmarshal(list, &messages); err != nil {
		return s, err
	}
	for _, m := range paPlainly(adPlainly(messages)) {
		if m = plainly(m); m == nil {
			continue
		}
		role, _ := m["role"].(string)
		typ, _ := m["type"].(string)
		switch {
		case role == "model" || typ == "model_output":
			role = "assistant"
		case role == "developer":
			role = "system"
		case typ == "user_input" || role == "" && m["parts"] != nil:
			role = "user"
		}
		switch {
		case typ == "function_call":
			s.call(m["name"], m["arguments"])
			continue
		case typ == "function_call_output", typ == "function_call_result":
			s.result(m["output"])
			continue
		case typ == "function_result":
			s.result(m["result"])
			continue
		case role == "tool_result", role == "tool" && !parts(m["content"], "tool-result"):
			s.result(m["content"])
			continue
		}
		if command, ok := m["command"].(string); ok {
			s.text("user", fmt.Sprintf("Ran: %s\nExit code: %v", command, first(m, "exit_code", "exitCode")))
			s.content("user", m["output"])
		}
		for _, key := range []string{"content", "parts"} {
			s.content(role, m[key])
		}
		for _, key := range []string{"invalid_tool_calls", "tool_calls", "toolCalls"} {
			calls, _ := m[key].([]any)
			for _, c := range calls {
				call := c.(map[string]any)
				if f, ok := call["function"].(map[string]any); ok {
					call = f
				}
				s.call(call["name"], first(call, "arguments", "args"))
			}
		}
	}
	return s, nil
}

// parts reports whether content has parts of the given type.
func parts(content any, typ string) bool {
	list, _ := content.([]any)
	for _, p := range list {
		if m, _ := p.(map[string]any); m["type"] == typ {
			return true
		}
	}
	return false
}

func (s *Said) content(role string, content any) {
	switch v := content.(type) {
	case string:
		s.text(role, v)
	case map[string]any:
		s.part(role, v)
	case []any:
		for _, p := range v {
			if text, ok := p.(string); ok {
				s.text(role, text)
			} else if m, ok := p.(map[string]any); ok {
				s.part(role, m)
			}
		}
	}
}

func (s *Said) part(role string, m map[string]any) {
	typ, _ := m["type"].(string)
	under := func(keys ...string) map[string]any {
		for _, key := range keys {
			if v, ok := m[key].(map[string]any); ok {
				return v
			}
		}
		return nil
	}
	call, response := under("functionCall", "function_call", "toolUse"), under("functionResponse", "function_response", "toolResult")
	text, isText := m["text"].(string)
	guarded, cited := under("guardContent"), under("citationsContent")
	switch {
	case m["providerExecuted"] == true || typ == "tool-result" && role == "assistant" && m["state"] == nil || m["state"] == "input-streaming":
		// a call of one of the provider's own tools, or a call that has not been made yet
	case typ == "steering-message":
		s.content("user", m["parts"])
	case guarded != nil:
		s.content(role, []any{guarded["text"]})
	case cited != nil:
		s.content(role, cited["content"])
	case call != nil:
		s.call(call["name"], first(call, "args", "input"))
	case response != nil:
		s.result(first(response, "response", "content"))
	case typ == "tool_use" || typ == "tool_call" || typ == "tool-call" || typ == "toolCall":
		s.call(first(m, "name", "toolName"), first(m, "input", "arguments", "args"))
		if result := first(m, "output", "modelContent", "result"); result != nil && m["isPreliminary"] != true { // the part also has the result
			s.result(result)
		}
	case typ == "tool_result" || typ == "tool-result":
		s.result(first(m, "content", "output", "result"))
	case strings.HasPrefix(typ, "tool-") && m["state"] != nil:
		s.call(strings.TrimPrefix(typ, "tool-"), m["input"])
		if m["output"] != nil || m["errorText"] != nil {
			s.result(first(m, "output", "errorText"))
		}
	case typ == "dynamic-tool":
		s.call(m["toolName"], m["input"])
		if m["output"] != nil || m["errorText"] != nil {
			s.result(first(m, "output", "errorText"))
		}
	case isText && m["thought"] != true && typ != "thinking" && typ != "reasoning" && typ != "summary_text" && typ != "reasoning_text":
		s.text(role, text)
	}
}

func first(m map[string]any, keys ...string) any {
	for _, k := range keys {
		if v, ok := m[k]; ok {
			return v
		}
	}
	return nil
}

func (s *Said) text(role, text string) {
	if text = squeeze(text); text == "" {
		return
	}
	switch role {
	case "system":
		s.System = append(s.System, text)
	case "assistant":
		s.Assistant = append(s.Assistant, text)
	default:
		s.User = append(s.User, text)
	}
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

func (s *Said) call(name, arguments any) {
	if text, ok := arguments.(string); ok {
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			arguments = v
		}
	}
	b, _ := json.Marshal(arguments)
	tool, _ := name.(string)
	s.Calls = append(s.Calls, tool+" "+string(b))
}

// result adds the texts and numbers in a tool result. It ignores their structure, because a result that is JSON in
// one format is a string of JSON in another.
func (s *Said) result(v any) {
	s.Results = append(s.Results, squeeze(strings.Join(leaves(nil, v), " ")))
}

func leaves(all []string, v any) []string {
	switch v := v.(type) {
	case nil:
	case string:
		var inner any
		if text := strings.TrimSpace(v); len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Unmarshal([]byte(text), &inner) == nil {
			return leaves(all, inner)
		}
		if at := strings.LastIndex(v, "\n[image"); at > 0 { // a note that replaces an image
			return append(leaves(all, v[:at]), v[at+1:])
		}
		all = append(all, v)
	case []any:
		for _, e := range v {
			all = leaves(all, e)
		}
	case map[string]any:
		if _, typed := v["type"].(string); typed {
			return leaves(all, first(v, "value", "text", "reason", "content"))
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "image" && key != "document" {
				all = leaves(all, v[key])
			}
		}
	default:
		b, _ := json.Marshal(v)
		all = append(all, string(b))
	}
	return all
}

package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

func init() {
	judges["openai-agents"] = judge{valid: agents, lastUser: responsesLastUser, opaque: agentsOpaque, kept: func(before, after []byte) error {
		was, err := agentsSent(before)
		if err != nil {
			return err
		}
		is, err := agentsSent(after)
		if err != nil {
			return err
		}
		return responsesKept(was, is)
	}}
}

// agentsNeeds lists, for each type of item, the members that the SDK's schemas require, with their types: s is a
// string, l a list, o an object, and x any of these.
var agentsNeeds = map[string]map[string]string{
	"function_call":           {"callId": "s", "name": "s", "arguments": "s"},
	"function_call_result":    {"callId": "s", "name": "s", "status": "s", "output": "x"},
	"hosted_tool_call":        {"name": "s"},
	"shell_call":              {"callId": "s", "action": "o"},
	"shell_call_output":       {"callId": "s", "output": "l"},
	"apply_patch_call":        {"callId": "s", "status": "s", "operation": "o"},
	"apply_patch_call_output": {"callId": "s", "status": "s"},
	"computer_call":           {"callId": "s", "status": "s"},
	"computer_call_result":    {"callId": "s", "output": "o"},
	"program":                 {"callId": "s", "code": "s", "fingerprint": "s"},
	"program_output":          {"callId": "s", "output": "s", "status": "s"},
	"tool_search_call":        {},
	"tool_search_output":      {"tools": "l"},
	"reasoning":               {"content": "l"},
	"compaction":              {"encrypted_content": "s"},
	"unknown":                 {},
}

var agentsParts = map[string]string{"input_text": "user", "input_image": "user", "input_file": "user", "audio": "user assistant", "output_text": "assistant",
	"refusal": "assistant", "image": "assistant"}

// agentsMessage returns what is missing from a message, or wrong in it, according to its schema; "" if nothing is.
func agentsMessage(item map[string]json.RawMessage) string {
	var role string
	_ = json.Unmarshal(item["role"], &role)
	content := item["content"]
	str, list := bytes.HasPrefix(content, []byte(`"`)), bytes.HasPrefix(content, []byte(`[`))
	switch {
	case role == "system" && !str, role == "user" && !str && !list, role == "assistant" && !list:
		return "content of the " + role
	case role == "assistant" && item["status"] == nil:
		return "an answer without status"
	case role != "system" && role != "user" && role != "assistant":
		return "role " + role
	}
	if list {
		var parts []struct{ Type string }
		_ = json.Unmarshal(content, &parts)
		for _, p := range parts {
			if !bytes.Contains([]byte(agentsParts[p.Type]), []byte(role)) {
				return "a part of the type " + p.Type
			}
		}
	}
	return ""
}

// agentsLacks returns what is missing from an item, or wrong in it, according to its schema; "" if nothing is.
func agentsLacks(item map[string]json.RawMessage) string {
	var typ string
	if _ = json.Unmarshal(item["type"], &typ); typ == "message" || typ == "" {
		return agentsMessage(item)
	}
	needs, known := agentsNeeds[typ]
	if !known {
		return "type " + typ
	}
	for key, kind := range needs {
		value := item[key]
		if len(value) == 0 || !bytes.ContainsAny(value[:1], map[string]string{"s": `"`, "l": `[`, "o": `{`, "x": `"[{`}[kind]) {
			return typ + "." + key
		}
	}
	return ""
}

// agentsSent converts items to those of OpenAI's API, as the SDK does when it sends them.
func agentsSent(list []byte) ([]byte, error) {
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(list, &items); err != nil {
		return nil, err
	}
	types := map[string]string{"function_call_result": "function_call_output", "computer_call_result": "computer_call_output", "hosted_tool_call": "web_search_call"}
	for _, item := range items {
		var typ string
		_ = json.Unmarshal(item["type"], &typ)
		if to, ok := types[typ]; ok {
			item["type"], _ = json.Marshal(to)
		}
		if id, ok := item["callId"]; ok {
			item["call_id"] = id
			delete(item, "callId")
		}
		if strings.HasPrefix(typ, "tool_search_") && item["call_id"] == nil { // the provider runs this search, so no result is required
			item["execution"] = json.RawMessage(`"server"`)
		}
	}
	return json.Marshal(items)
}

// agents checks items against the SDK's schemas, and then the converted items against the rules of OpenAI's API.
func agents(list []byte) (bad []string) {
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(list, &items); err != nil {
		return []string{"not a list of items: " + err.Error()}
	}
	for i, item := range items {
		if lack := agentsLacks(item); lack != "" {
			bad = append(bad, fmt.Sprintf("item %d: %s", i, lack))
		}
	}
	sent, err := agentsSent(list)
	if err != nil {
		return append(bad, err.Error())
	}
	return append(bad, responses(sent)...)
}

// agentsOpaque returns the items that only the provider can read.
func agentsOpaque(list []byte) (opaque []json.RawMessage) {
	var raws []json.RawMessage
	_ = json.Unmarshal(list, &raws)
	for _, raw := range raws {
		var item struct {
			Type         string
			ProviderData struct{ EncryptedContent string }
		}
		_ = json.Unmarshal(raw, &item)
		if item.ProviderData.EncryptedContent != "" || slices.Contains([]string{"compaction", "unknown"}, item.Type) {
			opaque = append(opaque, raw)
		}
	}
	return opaque
}

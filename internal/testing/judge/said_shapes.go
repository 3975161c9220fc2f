package judge

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// plainly rewrites a message so that members that only one format has become members that all formats share. It
// returns nil if the message is not sent to a model.
func plainly(m map[string]any) map[string]any {
	role, _ := m["role"].(string)
	typ, _ := m["type"].(string)
	switch {
	case m["stopReason"] == "error" || m["stopReason"] == "aborted" || m["excludeFromContext"] == true || role == "activity":
		return nil
	case role == "reasoning" || typ == "reasoning":
		return nil
	case role == "toolResult":
		m["role"] = "tool_result"
	case role == "branchSummary" || role == "compactionSummary":
		m["content"] = m["summary"]
	case role == "":
		m = lcPlainly(m)
	}
	if store, ok := m["content"].(map[string]any); ok && store["format"] == 2. {
		m = maPlainly(role, store)
	}
	if list, ok := m["parts"].([]any); ok {
		tsPlainly(list)
	}
	if contents, ok := m["contents"].([]any); ok {
		m["content"] = afPlainly(contents)
	}
	return wrappedPlainly(m)
}

// afPlainly gives Microsoft Agent Framework's content items, from Python or .NET, the types that other formats use.
func afPlainly(contents []any) (parts []any) {
	types := map[any]string{
		"text": "text", "function_call": "tool-call", "functionCall": "tool-call", "function_result": "tool-result", "functionResult": "tool-result",
	}
	for _, content := range contents {
		p, _ := content.(map[string]any)
		if net := p["$type"]; net != nil {
			p["type"] = net
		}
		if p["type"] = types[p["type"]]; p["type"] != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

// wrappedPlainly rewrites parts that are objects with a single member, whose key is the type of the part, so that
// they have the members of other formats.
func wrappedPlainly(m map[string]any) map[string]any {
	for _, part := range list(m["content"]) {
		p, _ := part.(map[string]any)
		if value, ok := p["value"].(string); ok && p["type"] == "text" {
			p["text"] = value
		}
		for name, typ := range map[string]string{"toolRequest": "tool-call", "toolResponse": "tool-result", "tool_call": "tool-call", "tool_call_result": "tool-result"} {
			if held, ok := p[name].(map[string]any); ok {
				if maps.Copy(p, held); held["output"] != nil {
					delete(p, "content") // media next to the output
				}
				if name := held["tool_name"]; name != nil {
					p["name"] = name
				}
				p["type"] = typ
			}
		}
	}
	return m
}

// lcPlainly rewrites a LangChain message: it unwraps the content, sets the role, and lists each call once.
func lcPlainly(m map[string]any) map[string]any {
	typ, _ := m["type"].(string)
	held := m
	if kwargs, ok := m["kwargs"].(map[string]any); ok {
		path, _ := m["id"].([]any)
		typ, _ = path[len(path)-1].(string)
		held = kwargs
	} else if data, ok := m["data"].(map[string]any); ok {
		held = data
	}
	typ = strings.TrimSuffix(typ, "Chunk")
	if kind := lcKinds[typ]; kind != "" {
		typ = kind
	}
	role := map[string]string{"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}[typ]
	if typ == "remove" {
		return nil
	}
	if role == "" {
		return m
	}
	held = maps.Clone(held)
	held["role"] = role
	delete(held, "type")
	told := map[any]bool{}
	for _, key := range []string{"invalid_tool_calls", "tool_calls"} {
		calls, _ := held[key].([]any)
		for _, c := range calls {
			told[c.(map[string]any)["id"]] = true
		}
	}
	if blocks, ok := held["content"].([]any); ok {
		held["content"] = slices.DeleteFunc(slices.Clone(blocks), func(b any) bool {
			block, _ := b.(map[string]any)
			return block["type"] == "tool_use" && told[block["id"]]
		})
	}
	if extra, ok := held["additional_kwargs"].(map[string]any); ok && len(told) == 0 && extra["tool_calls"] != nil {
		held["tool_calls"] = extra["tool_calls"]
	}
	return held
}

// tsPlainly rewrites TanStack's parts to those of other formats. If a call has a result part, the output inside the call
// is not sent.
func tsPlainly(parts []any) {
	answered := map[any]bool{}
	for _, p := range parts {
		m, _ := p.(map[string]any)
		if m["type"] == "tool-result" && (m["state"] == "complete" || m["state"] == "error") {
			answered[m["toolCallId"]] = true
		}
	}
	for _, p := range parts {
		m, _ := p.(map[string]any)
		switch m["type"] {
		case "text":
			if text, ok := m["content"].(string); ok {
				m["text"] = text
			}
		case "structured-output":
			if m["status"] == "complete" {
				m["text"] = m["raw"]
			}
		case "tool-call":
			if metadata, _ := m["metadata"].(map[string]any); metadata["providerExecuted"] == true {
				m["providerExecuted"] = true
			}
			if answered[m["id"]] {
				delete(m, "output")
			}
		}
	}
}

// maPlainly rewrites a message from Mastra's store, whose content may be in parts or outside them.
func maPlainly(role string, store map[string]any) map[string]any {
	var calls, rest []any
	texts := false
	call := func(inv map[string]any, metadata any) {
		p := map[string]any{"type": "tool-call", "toolName": inv["toolName"], "args": inv["args"]}
		result, there := inv["result"]
		if of, ok := result.(map[string]any); ok && of["value"] != nil {
			result = of["value"]
		}
		if own, ok := metadata.(map[string]any); ok {
			if mastra, ok := own["mastra"].(map[string]any); ok && mastra["modelOutput"] != nil {
				result = mastra["modelOutput"]
			}
		}
		if inv["errorText"] != nil {
			result, there = inv["errorText"], true
		}
		if there {
			p["result"] = result
		}
		calls = append(calls, p)
	}
	parts, _ := store["parts"].([]any)
	for _, part := range parts {
		p, _ := part.(map[string]any)
		if inv, ok := p["toolInvocation"].(map[string]any); ok {
			call(inv, p["providerMetadata"])
			continue
		}
		texts = texts || p["type"] != "file" && p["type"] != "reasoning" && p["type"] != "source"
		rest = append(rest, part)
	}
	if len(calls) == 0 {
		for _, inv := range list(store["toolInvocations"]) {
			call(inv.(map[string]any), nil)
		}
	}
	if text, ok := store["content"].(string); ok && !texts {
		rest = append(rest, map[string]any{"type": "text", "text": text})
	}
	if role == "signal" {
		role = "user"
	}
	return map[string]any{"role": role, "parts": append(rest, calls...)}
}

// adPlainly returns the contents that the framework would send for ADK's events. Messages of other formats are
// returned unchanged.
func adPlainly(messages []map[string]any) []map[string]any {
	if !slices.ContainsFunc(messages, func(m map[string]any) bool { return m["author"] != nil }) {
		return messages
	}
	b, _ := json.Marshal(messages)
	events, _ := adkEvents(b)
	last := map[string]int{} // the last event with a response, by its id
	for i, e := range events {
		if e.content != nil {
			_, responses := e.content.calls()
			for _, r := range responses {
				last[r.ID] = i
			}
		}
	}
	var contents []map[string]any
	for i, e := range events {
		if e.content == nil {
			continue
		}
		var parts []any
		for _, p := range e.content.parts {
			if p.response != nil && p.response.ID != "" && last[p.response.ID] != i {
				continue
			}
			var part any
			raw, _ := json.Marshal(p.fields)
			_ = json.Unmarshal(raw, &part)
			parts = append(parts, part)
		}
		contents = append(contents, map[string]any{"role": e.content.role, "parts": parts})
	}
	return contents
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// paPlainly splits the requests and responses of Pydantic AI into messages with one role each. Messages of other
// formats are returned unchanged.
func paPlainly(messages []map[string]any) (split []map[string]any) {
	for _, m := range messages {
		if m["kind"] != "request" && m["kind"] != "response" {
			split = append(split, m)
			continue
		}
		for _, part := range list(m["parts"]) {
			p := part.(map[string]any)
			say := func(role string, content any) {
				split = append(split, map[string]any{"role": role, "content": content})
			}
			switch p["part_kind"] {
			case "system-prompt":
				say("system", p["content"])
			case "user-prompt":
				say("user", p["content"])
			case "text":
				say("assistant", p["content"])
			case "tool-return":
				content := p["content"]
				if all, ok := content.([]any); ok {
					content = slices.DeleteFunc(all, func(item any) bool { m, _ := item.(map[string]any); return m["kind"] != nil })
				}
				say("tool_result", content)
			case "tool-call":
				say("assistant", []any{map[string]any{"type": "tool-call", "name": p["tool_name"], "args": p["args"]}})
			}
		}
	}
	return split
}

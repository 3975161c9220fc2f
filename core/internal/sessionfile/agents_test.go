package sessionfile_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// This file reads session files as the agents do when they resume a session, according to the code that they publish
// and without any of our code. Each resumes function returns what the next request contains: roles and contents,
// flattened so that the text matters, but not where a message ends.

type record = map[string]any

func records(t *testing.T, file []byte) (all []record) {
	t.Helper()
	if json.Unmarshal(file, &all) == nil {
		return all
	}
	all = nil
	for _, line := range bytes.Split(file, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r record
		if json.Unmarshal(line, &r) == nil { // a line that is cut off is passed over
			all = append(all, r)
		}
	}
	return all
}

func text(v any) string { s, _ := v.(string); return s }

func object(v any) record { m, _ := v.(record); return m }

func spell(v any) string { b, _ := json.Marshal(v); return string(b) }

// blocks flattens a message: one line for each block, with the role.
func blocks(role string, content any) (all []string) {
	if s, ok := content.(string); ok {
		return []string{role + ` {"text":` + spell(s) + `,"type":"text"}`}
	}
	list, _ := content.([]any)
	for _, b := range list {
		all = append(all, role+" "+spell(b))
	}
	return all
}

// claudeResumes follows the parents from the newest message. Lines with the same provider id belong to one answer even if they are not on
// this path, and so do the tool results whose parents they are.
func claudeResumes(t *testing.T, file []byte) (all []string) {
	byID := map[string]record{}
	var order []string
	leaf := ""
	for _, r := range records(t, file) {
		id := text(r["uuid"])
		if id == "" {
			continue
		}
		byID[id] = r
		order = append(order, id)
		if typ := r["type"]; (typ == "user" || typ == "assistant") && r["isApiErrorMessage"] != true {
			leaf = id
		}
	}
	var path []record
	on := map[string]bool{}
	for id := leaf; id != "" && !on[id]; id = text(byID[id]["parentUuid"]) {
		if byID[id] == nil {
			t.Fatalf("the path leads to %s, which is not in the file", id)
		}
		on[id] = true
		path = append(path, byID[id])
	}
	slices.Reverse(path)
	for _, r := range path {
		message := object(r["message"])
		if r["type"] != "user" && r["type"] != "assistant" {
			continue
		}
		all = append(all, blocks(text(message["role"]), message["content"])...)
		if r["type"] != "assistant" {
			continue
		}
		used := object(message["usage"])
		if n, _ := used["input_tokens"].(float64); n != 0 {
			t.Errorf("a copy tells usage: %v", used)
		}
		for _, id := range order { // siblings, and the results of their calls
			o := byID[id]
			if !on[id] && object(o["message"])["id"] == message["id"] {
				t.Errorf("the line %s is taken for a part of a message on the path", id)
			}
		}
	}
	return all
}

// codexResumes returns the history of the newest compaction and the items after it.
func codexResumes(t *testing.T, file []byte) (all []string) {
	var items []any
	for _, r := range records(t, file) {
		p := object(r["payload"])
		switch r["type"] {
		case "compacted":
			if _, ok := p["message"].(string); !ok {
				t.Error("a compaction without a message is not read") // the field has no default
			}
			items, _ = p["replacement_history"].([]any)
			items = slices.Clone(items)
		case "response_item":
			items = append(items, p)
		}
		if text(r["timestamp"]) == "" {
			t.Error("a line without a timestamp is not read")
		}
	}
	for _, item := range items {
		m := object(item)
		for key := range m {
			if key == "metadata" || strings.HasPrefix(key, "internal_") {
				delete(m, key)
			}
		}
		all = append(all, spell(m))
	}
	return all
}

// geminiResumes replays the records and converts them to contents: for each answer its content, if it has calls or thoughts, followed by
// the results of its calls.
func geminiResumes(t *testing.T, file []byte) (all []string) {
	lines := records(t, file)
	var whole record
	if json.Unmarshal(file, &whole) == nil {
		lines = []record{whole}
	}
	var ids []string
	byID := map[string]record{}
	set := func(v any) {
		ids, byID = nil, map[string]record{}
		list, _ := v.([]any)
		for _, m := range list {
			id := text(object(m)["id"])
			if id == "" || byID[id] != nil {
				t.Errorf("a record has no id of its own: %.200s", spell(m))
			}
			ids, byID[id] = append(ids, id), object(m)
		}
	}
	for _, r := range lines {
		id := text(r["id"])
		switch {
		case r["$rewindTo"] != nil:
			if at := slices.Index(ids, text(r["$rewindTo"])); at >= 0 {
				ids = ids[:at]
			}
		case id != "":
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
			byID[id] = r
		case object(r["$set"])["messages"] != nil:
			set(object(r["$set"])["messages"])
		case r["messages"] != nil:
			set(r["messages"])
		}
	}
	parts := func(role string, v any) {
		if s, ok := v.(string); ok {
			if s != "" {
				all = append(all, role+" "+spell(record{"text": s}))
			}
			return
		}
		list, ok := v.([]any)
		if !ok && v != nil {
			list = []any{v}
		}
		for _, p := range list {
			all = append(all, role+" "+spell(p))
		}
	}
	for _, id := range ids {
		m := byID[id]
		calls, _ := m["toolCalls"].([]any)
		switch m["type"] {
		case "user":
			parts("user", m["content"])
		case "gemini":
			complete := false
			list, _ := m["content"].([]any)
			for _, p := range list {
				complete = complete || object(p)["functionCall"] != nil || object(p)["thought"] != nil
			}
			thoughts, _ := m["thoughts"].([]any)
			for _, v := range thoughts {
				if th := object(v); !complete {
					said := text(th["description"])
					if s := text(th["subject"]); s != "" {
						said = "**" + s + "**\n\n" + said // the agent has one space there; open has what the model sent
					}
					parts("model", []any{record{"text": said, "thought": true}})
				}
			}
			parts("model", m["content"])
			for _, v := range calls {
				if c := object(v); !complete {
					call := record{}
					for _, key := range []string{"id", "name", "args"} {
						if c[key] != nil {
							call[key] = c[key]
						}
					}
					parts("model", []any{record{"functionCall": call}})
				}
			}
			for _, v := range calls {
				switch c := object(v); r := c["result"].(type) {
				case string:
					parts("user", []any{record{"functionResponse": record{"id": c["id"], "name": c["name"], "response": record{"output": r}}}})
				case []any:
					parts("user", r)
				}
			}
		}
	}
	return all
}

// said flattens messages in the wire format of a session kind in the same way.
func said(t *testing.T, kind string, messages []byte) (all []string) {
	for _, raw := range list(t, messages) {
		var m record
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		switch kind {
		case "codex":
			all = append(all, spell(m))
		case "openhands":
			all = append(all, openHandsSaid(m)...)
		case "librechat", "open-webui", "llamaindex", "semantic-kernel":
			all = append(all, chatSaid(m)...)
		case "gemini-cli", "opencode":
			list, _ := m["parts"].([]any)
			for _, p := range list {
				all = append(all, text(m["role"])+" "+spell(p))
			}
		default:
			all = append(all, blocks(text(m["role"]), m["content"])...)
		}
	}
	return all
}

// rooResumes returns the list from its newest summary on. It leaves out results whose calls are missing and messages that a marker replaces.
// It merges consecutive user messages, except next to a marker, and drops blocks of other providers.
func rooResumes(t *testing.T, file []byte) (all []string) {
	var history []record
	if err := json.Unmarshal(file, &history); err != nil {
		t.Fatal(err)
	}
	first, newest := 0, 0.0
	for i, m := range history {
		if m["isSummary"] == true {
			if first = i; text(m["condenseId"]) == "" {
				t.Errorf("the summary at %d has no id", i)
			}
		}
		ts, _ := m["ts"].(float64)
		if ts <= newest {
			t.Errorf("the time of the message at %d is not later than what is before it", i)
		}
		newest = ts
	}
	for i, m := range history[:first] {
		if text(m["condenseParent"]) == "" {
			t.Errorf("the message at %d names no summary", i)
		}
	}
	called, markers := map[string]bool{}, map[string]bool{}
	for _, m := range history[first:] {
		list, _ := m["content"].([]any)
		for _, b := range list {
			if b := object(b); m["role"] == "assistant" && b["type"] == "tool_use" {
				called[text(b["id"])] = true
			}
		}
		if m["isTruncationMarker"] == true {
			markers[text(m["truncationId"])] = true
		}
	}
	for _, m := range history[first:] {
		list, ok := m["content"].([]any)
		if parent := text(m["truncationParent"]); markers[parent] || m["role"] == nil {
			continue
		}
		if !ok {
			all = append(all, blocks(text(m["role"]), m["content"])...)
			continue
		}
		for _, b := range list {
			b := object(b)
			switch b["type"] {
			case "reasoning", "thoughtSignature":
				continue
			case "tool_result":
				if !called[text(b["tool_use_id"])] {
					continue
				}
			}
			delete(b, "call_id")
			all = append(all, text(m["role"])+" "+spell(b))
		}
	}
	return all
}

// resumes are the agents that are judged here; pi is judged by its own code (js/test/judges).
var resumes = map[string]func(*testing.T, []byte) []string{
	"claude-code": claudeResumes, "cline": clineResumes, "codex": codexResumes, "gemini-cli": geminiResumes,
	"goose": gooseResumes, "librechat": libreChatResumes, "open-webui": openWebUIResumes, "llamaindex": listResumes, "semantic-kernel": listResumes,
	"opencode": opencodeResumes, "openhands": openHandsResumes, "roo-code": rooResumes,
}

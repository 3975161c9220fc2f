package sessionfile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// openHandsSaid flattens a message: one line for each text and image, for each call, and for each answered call.
func openHandsSaid(m record) (all []string) {
	role := text(m["role"])
	calls, _ := m["tool_calls"].([]any)
	parts, ok := m["content"].([]any)
	if s := text(m["content"]); !ok && s != "" {
		parts = []any{record{"type": "text", "text": s}}
	}
	if role == "tool" {
		all = append(all, "answers "+text(m["tool_call_id"]))
	}
	for _, p := range parts {
		if p := object(p); p["type"] != "text" || text(p["text"]) != "" && (len(calls) == 0 || strings.TrimSpace(text(p["text"])) != "") {
			delete(p, "cache_control")
			all = append(all, role+" "+spell(p))
		}
	}
	for _, key := range []string{"thinking_blocks", "reasoning_content"} {
		if v := m[key]; v != nil && v != "" && spell(v) != "[]" {
			all = append(all, role+" "+key+" "+spell(v))
		}
	}
	for _, c := range calls {
		all = append(all, "calls "+spell(c))
	}
	return all
}

// openHandsEvents reads a session file as the agent reads its folder: the events, and the base state or nil.
func openHandsEvents(t *testing.T, file []byte) (events []record, base record) {
	var all []record
	if json.Unmarshal(file, &all) != nil {
		in := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))))
		for {
			var r record
			if in.Decode(&r) != nil {
				break
			}
			all = append(all, r)
		}
	}
	for _, r := range all {
		if r["kind"] == nil {
			base = r
			continue
		}
		for key, needed := range openHandsNeeds[text(r["kind"])] {
			if needed && r[key] == nil {
				t.Errorf("an event has no %s: %.300s", key, spell(r))
			}
		}
		if text(r["id"]) == "" || text(r["timestamp"]) == "" || text(r["source"]) == "" {
			t.Errorf("the agent does not read %.300s", spell(r))
		}
		events = append(events, r)
	}
	return events, base
}

// openHandsNeeds lists, by kind of event, the members that the agent requires.
var openHandsNeeds = map[string]map[string]bool{
	"ActionEvent":              {"thought": true, "tool_name": true, "tool_call_id": true, "tool_call": true, "llm_response_id": true},
	"ObservationEvent":         {"tool_name": true, "tool_call_id": true, "observation": true, "action_id": true},
	"Condensation":             {"llm_response_id": true},
	"CondensationSummaryEvent": {"summary": true},
	"MessageEvent":             {"llm_message": true},
}

func openHandsIs(e record, kinds ...string) bool { return slices.Contains(kinds, text(e["kind"])) }

func openHandsAnswers(e record) bool {
	return openHandsIs(e, "ObservationEvent", "UserRejectObservation", "AgentErrorEvent")
}

// openHandsPending returns the calls that the agent runs before it calls the model: those that no later event answers.
func openHandsPending(branch []record) (pending []record) {
	ids, calls := map[string]bool{}, map[string]bool{}
	for _, e := range slices.Backward(branch) {
		switch {
		case openHandsIs(e, "ObservationEvent", "UserRejectObservation"):
			ids[text(e["action_id"])] = true
		case openHandsIs(e, "AgentErrorEvent"):
			calls[text(e["tool_call_id"])] = true
		case openHandsIs(e, "ActionEvent") && e["action"] != nil && !ids[text(e["id"])] && !calls[text(e["tool_call_id"])]:
			pending = append(pending, e)
		}
	}
	slices.Reverse(pending)
	return pending
}

// openHandsBranch returns the path from the root to the head.
func openHandsBranch(t *testing.T, events []record, base record) (branch []record) {
	at := map[string]int{}
	for i, e := range events {
		if _, known := at[text(e["id"])]; !known {
			at[text(e["id"])] = i
		}
	}
	head := text(base["leaf_event_id"])
	for i := len(events) - 1; i >= 0 && head == "" && base["head_is_empty"] != true; i-- {
		if !openHandsIs(events[i], "ConversationStateUpdateEvent", "ConversationErrorEvent") {
			head = text(events[i]["id"])
		}
	}
	seen := map[string]bool{}
	for head != "" {
		i, known := at[head]
		if !known || seen[head] {
			t.Fatalf("the path leads to %s, which is not in the file or on the path already", head)
		}
		seen[head] = true
		branch = append(branch, events[i])
		parent := text(events[i]["parent_id"])
		if head = parent; parent == "__root__" {
			head = ""
		} else if parent == "" && i > 0 {
			head = text(events[i-1]["id"])
		}
	}
	slices.Reverse(branch)
	return branch
}

// openHandsView applies the condensations in order, and then removes violations of a view's rules until there are none.
func openHandsView(branch []record) (view []record) {
	for _, e := range branch {
		switch {
		case openHandsIs(e, "Condensation"):
			gone, _ := e["forgotten_event_ids"].([]any)
			view = slices.DeleteFunc(view, func(v record) bool { return slices.Contains(gone, v["id"]) })
			at, placed := e["summary_offset"].(float64)
			if s, ok := e["summary"].(string); ok && placed {
				view = slices.Insert(view, min(int(at), len(view)), record{"kind": "CondensationSummaryEvent", "id": text(e["id"]) + "-summary", "summary": s})
			}
		case openHandsAnswers(e), openHandsIs(e, "SystemPromptEvent", "MessageEvent", "ActionEvent", "CondensationSummaryEvent"):
			view = append(view, e)
		}
	}
	for {
		gone := openHandsBreaks(view, branch)
		if len(gone) == 0 {
			return view
		}
		view = slices.DeleteFunc(view, func(e record) bool { return gone[text(e["id"])] })
	}
}

// openHandsBreaks returns the events that break the first of the broken rules.
func openHandsBreaks(view, branch []record) map[string]bool {
	gone, in, seen := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range view {
		in[text(e["id"])] = true
		if call := text(e["tool_call_id"]); openHandsAnswers(e) {
			gone[text(e["id"])] = seen[call]
			seen[call] = true
		}
	}
	some := func() bool {
		for id, out := range gone {
			if !out {
				delete(gone, id)
			}
		}
		return len(gone) > 0
	}
	if some() {
		return gone
	}
	broken := map[string]bool{}
	for _, e := range branch {
		if openHandsIs(e, "ActionEvent") && !in[text(e["id"])] {
			broken[text(e["llm_response_id"])] = true
		}
	}
	calls, results := map[string]bool{}, map[string]bool{}
	for _, e := range view {
		if openHandsIs(e, "ActionEvent") {
			gone[text(e["id"])] = broken[text(e["llm_response_id"])]
			calls[text(e["tool_call_id"])] = true
		} else if openHandsAnswers(e) {
			results[text(e["tool_call_id"])] = true
		}
	}
	if some() {
		return gone
	}
	for _, e := range view {
		if call := text(e["tool_call_id"]); openHandsIs(e, "ActionEvent") {
			gone[text(e["id"])] = !results[call]
		} else if openHandsAnswers(e) {
			gone[text(e["id"])] = !calls[call]
		}
	}
	if some() {
		return gone
	}
	var loop []string
	check := func() {
		for _, id := range loop {
			if !in[id] {
				for _, other := range loop {
					gone[other] = in[other]
				}
				break
			}
		}
		loop = nil
	}
	for _, e := range branch {
		blocks, _ := e["thinking_blocks"].([]any)
		switch {
		case openHandsIs(e, "ActionEvent") && len(blocks) > 0:
			check()
			loop = []string{text(e["id"])}
		case openHandsIs(e, "ActionEvent") || openHandsAnswers(e):
			if loop != nil {
				loop = append(loop, text(e["id"]))
			}
		default:
			check()
		}
	}
	check()
	some()
	return gone
}

// openHandsResumes returns the messages of the view. Results of pending calls are appended first, and excluded from the comparison.
func openHandsResumes(t *testing.T, file []byte) (all []string) {
	events, base := openHandsEvents(t, file)
	branch := openHandsBranch(t, events, base)
	pending := openHandsPending(branch)
	if len(pending) > 0 {
		branch = append(branch, record{"kind": "PauseEvent", "id": "pause"})
	}
	for _, e := range pending {
		branch = append(branch, record{
			"kind": "ObservationEvent", "id": "ran-" + text(e["id"]), "action_id": e["id"], "tool_call_id": e["tool_call_id"], "ran": true,
		})
	}
	reasoned := strings.Contains(string(file), "kimi-k2-thinking")
	var batch record
	view := openHandsView(branch)
	for i, e := range view {
		m := record{"role": "user"}
		switch text(e["kind"]) {
		case "SystemPromptEvent":
			m["role"], m["content"] = "system", []any{e["system_prompt"]}
			if e["dynamic_context"] != nil {
				m["content"] = []any{e["system_prompt"], e["dynamic_context"]}
			}
		case "CondensationSummaryEvent":
			m["content"] = []any{record{"text": e["summary"]}}
		case "MessageEvent":
			llm := object(e["llm_message"])
			m["role"], m["thinking_blocks"], m["reasoning_content"] = llm["role"], llm["thinking_blocks"], llm["reasoning_content"]
			parts, _ := llm["content"].([]any)
			more, _ := e["extended_content"].([]any)
			m["content"] = slices.Concat(parts, more)
		case "ActionEvent":
			call := object(e["tool_call"])
			m["role"] = "assistant"
			m["tool_calls"] = []any{record{"id": call["id"], "type": "function", "function": record{"name": call["name"], "arguments": call["arguments"]}}}
			if batch == nil || batch["llm_response_id"] != e["llm_response_id"] || !openHandsIs(view[i-1], "ActionEvent") {
				batch = e
				m["content"], m["thinking_blocks"], m["reasoning_content"] = e["thought"], e["thinking_blocks"], e["reasoning_content"]
			} else if thought, _ := e["thought"].([]any); len(thought) > 0 {
				t.Error("a later call of an answer has a thought")
			}
		default:
			if e["ran"] != nil {
				continue
			}
			m["role"], m["tool_call_id"] = "tool", e["tool_call_id"]
			m["content"] = openHandsObserved(t, e)
		}
		if !reasoned {
			delete(m, "reasoning_content")
		}
		m["content"] = openHandsParts(m["content"])
		all = append(all, openHandsSaid(m)...)
	}
	return all
}

// openHandsParts returns texts and images in the form in which they are sent.
func openHandsParts(content any) (parts []any) {
	list, _ := content.([]any)
	for _, p := range list {
		p := object(p)
		if s, ok := p["text"].(string); ok {
			parts = append(parts, record{"type": "text", "text": s})
		}
		urls, _ := p["image_urls"].([]any)
		for _, url := range urls {
			parts = append(parts, record{"type": "image_url", "image_url": record{"url": url}})
		}
	}
	return parts
}

func openHandsObserved(t *testing.T, e record) (parts []any) {
	said := func(s string) { parts = append(parts, record{"text": s}) }
	switch text(e["kind"]) {
	case "UserRejectObservation":
		said("Action rejected: " + text(e["rejection_reason"]))
		return parts
	case "AgentErrorEvent":
		said(text(e["error"]))
		return parts
	}
	o := object(e["observation"])
	content, _ := o["content"].([]any)
	all := ""
	for _, p := range content {
		all += text(object(p)["text"])
	}
	if o["kind"] == "TaskObservation" {
		said("Task ID: " + text(o["task_id"]) + "\nSubagent: " + text(o["subagent"]) + "\nStatus: " + text(o["status"]))
	}
	if o["is_error"] == true {
		said("[An error occurred during execution.]\n")
	}
	switch o["kind"] {
	case "TerminalObservation":
		about := object(o["metadata"])
		all = text(about["prefix"]) + all + text(about["suffix"])
		if s := text(about["working_dir"]); s != "" {
			all += "\n[Current working directory: " + s + "]"
		}
		if s := text(about["py_interpreter_path"]); s != "" {
			all += "\n[Python interpreter: " + s + "]"
		}
		if code, ok := about["exit_code"].(float64); ok && code != -1 {
			all += "\n[Command finished with exit code " + spell(code) + "]"
		}
		said(all)
	case "BrowserObservation":
		said(all)
		if s := text(o["screenshot_data"]); s != "" {
			if folder := text(o["full_output_save_dir"]); folder != "" {
				said("Screenshot saved to: " + strings.TrimSuffix(folder, "/") + "/browser_screenshot_" + sum(s)[:8] + ".png")
			}
			parts = append(parts, record{"image_urls": []any{"data:image/png;base64," + s}})
		}
	default:
		if text(o["kind"]) == "" {
			t.Errorf("an observation of no kind: %s", spell(o))
		}
		parts = append(parts, content...)
	}
	more, _ := e["extended_content"].([]any)
	return append(parts, more...)
}

func openHandsSample(t *testing.T, name string) []byte {
	t.Helper()
	src, err := os.ReadFile("../../../testdata/sessions/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// The judge finds the same messages in the samples as open.
func TestOpenHandsJudge(t *testing.T) {
	for _, name := range []string{"openhands.json", "openhands.jsonl"} {
		src := openHandsSample(t, name)
		if want, got := openHandsResumes(t, src), said(t, "openhands", open(t, src).Messages); !slices.Equal(want, got) {
			t.Errorf("%s: %s\nwant %s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

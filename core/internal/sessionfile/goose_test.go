package sessionfile_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/sessionfile"
)

// gooseMessages returns the messages of an export, or of the lines that Goose wrote before it had a database. An import
// ignores messages without a role, a time, content or marks, and the database returns messages in the order of their
// times.
func gooseMessages(t *testing.T, file []byte) (all []record) {
	t.Helper()
	var session struct{ Conversation []record }
	if json.Unmarshal(file, &session) == nil && session.Conversation != nil {
		all = session.Conversation
		for i, m := range all {
			if marks := object(m["metadata"]); marks["agentVisible"] == nil || marks["userVisible"] == nil {
				t.Errorf("message %d has the marks %v", i, marks)
			}
		}
	} else {
		for _, r := range records(t, file) {
			if r["working_dir"] == nil {
				all = append(all, r)
			}
		}
	}
	newest := 0.0
	for i, m := range all {
		_, listed := m["content"].([]any)
		created, timed := m["created"].(float64)
		if !listed || !timed || m["role"] != "user" && m["role"] != "assistant" {
			t.Errorf("message %d is not read: %v", i, m)
		}
		if created < newest {
			t.Errorf("message %d is older than the one before it", i)
		}
		newest = created
	}
	return all
}

// gooseResumes converts each block as Goose's Anthropic provider does.
func gooseResumes(t *testing.T, file []byte) (all []string) {
	for _, m := range gooseMessages(t, file) {
		if object(m["metadata"])["agentVisible"] == false {
			continue
		}
		for _, b := range m["content"].([]any) {
			if sent := gooseSends(t, object(b)); sent != nil {
				all = append(all, text(m["role"])+" "+spell(sent))
			}
		}
	}
	return all
}

// forModel reports whether the annotations of content are for the model.
func forModel(b record) bool {
	audience, limited := object(b["annotations"])["audience"].([]any)
	return !limited || slices.Contains(audience, any("assistant"))
}

func gooseSends(t *testing.T, b record) record {
	media := func(b record) record {
		return record{"type": b["type"], "source": record{"type": "base64", "media_type": b["mimeType"], "data": b["data"]}}
	}
	if !forModel(b) {
		return nil
	}
	switch b["type"] {
	case "text":
		if strings.TrimSpace(text(b["text"])) == "" {
			return nil
		}
		return record{"type": "text", "text": b["text"]}
	case "image", "document":
		return media(b)
	case "thinking":
		if text(b["signature"]) == "" {
			return nil
		}
		return record{"type": "thinking", "thinking": b["thinking"], "signature": b["signature"]}
	case "redactedThinking":
		return record{"type": "redacted_thinking", "data": b["data"]}
	case "toolRequest":
		call := object(b["toolCall"])
		if call["status"] == "error" {
			return record{"type": "tool_use", "id": b["id"], "name": "unparseable_tool_call", "input": record{}}
		}
		value := object(call["value"])
		input := object(value["arguments"])
		if input == nil {
			input = record{}
		}
		return record{"type": "tool_use", "id": b["id"], "name": value["name"], "input": input}
	case "toolResponse":
		result := object(b["toolResult"])
		if result["status"] == "error" {
			return record{"type": "tool_result", "tool_use_id": b["id"], "content": "Error: " + text(result["error"]), "is_error": true}
		}
		list, older := result["value"].([]any)
		if !older {
			list, _ = object(result["value"])["content"].([]any)
		}
		var texts []string
		var parts []any
		images := false
		for _, each := range list {
			c := object(each)
			said := text(c["text"])
			switch {
			case !forModel(c):
				continue
			case c["type"] == "image":
				images = true
				parts = append(parts, media(c))
				continue
			case c["type"] == "resource":
				said = text(object(c["resource"])["text"])
			}
			texts = append(texts, said)
			parts = append(parts, record{"type": "text", "text": said})
		}
		sent := record{"type": "tool_result", "tool_use_id": b["id"], "content": strings.Join(texts, "\n")}
		if images {
			sent["content"] = parts
		}
		if object(result["value"])["isError"] == true {
			sent["is_error"] = true // Goose sends only the text, which says so
		}
		return sent
	case "actionRequired", "systemNotification", "toolConfirmationRequest", "frontendToolRequest", "error", "conversationCompacted", "reasoning":
		return nil
	}
	t.Errorf("Goose has no block %v", b["type"])
	return nil
}

// Counts belong to the newest request, unless a compaction followed it, and cached tokens are not counted twice.
func TestGoose(t *testing.T) {
	src, err := os.ReadFile("../../../testdata/sessions/goose.json")
	if err != nil {
		t.Fatal(err)
	}
	a := open(t, src)
	if a.Kind != "goose" || a.Model != "claude-sonnet-4-5" || a.Usage == nil || a.Usage.Total != 5294 || a.Usage.Message != len(list(t, a.Messages))-1 {
		t.Fatalf("%+v", a)
	}
	if a.skipped("compacted") != 4 || a.skipped("meta") != 1 || a.skipped("empty") != 1 {
		t.Errorf("%+v", a.Skipped)
	}
	compacted := bytes.Replace(src, []byte(`"text": "The manual says that the blue kite needs a longer tail."`), []byte(`"text": " "`), 1)
	if b := open(t, compacted); b.Usage == nil || b.Usage.Message != a.Usage.Message-2 {
		t.Errorf("%+v", b.Usage)
	}
	hidden := bytes.LastIndex(src, []byte(`"userVisible": true`))
	if b := open(t, slices.Concat(src[:hidden], []byte(`"userVisible": false`), src[hidden+len(`"userVisible": true`):])); b.Usage != nil {
		t.Errorf("%+v after a compaction", b.Usage)
	}
	for name, file := range map[string]string{
		"no messages":      `{"working_dir":"/","conversation":null,"message_count":0}`,
		"an empty list":    `{"working_dir":"/","conversation":[]}`,
		"a description":    `{"working_dir":"/","message_count":0}` + "\n",
		"nothing is shown": `{"working_dir":"/","conversation":[{"role":"user","created":1,"content":[{"type":"thinking"},{"type":"toolRequest"},{"type":"image"},{"type":"redactedThinking"},{}]}]}`,
	} {
		if a := open(t, []byte(file)); a.Kind != "goose" || string(a.Messages) != "[]" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	for _, file := range []string{`{"working_dir":"/","conversation":{}}`, `{"working_dir":"/","conversation":[1]}`} {
		if a := open(t, []byte(file)); a.Error == nil || a.Error.Code != "wrong_type" {
			t.Errorf("%s: %+v", file, a)
		}
	}
}

// Messages that the model no longer sees stay in the conversation; the provider's counts for the newest request are removed.
func TestGooseSaved(t *testing.T) {
	for _, name := range []string{"goose.json", "goose.jsonl"} {
		src, err := os.ReadFile("../../../testdata/sessions/" + name)
		if err != nil {
			t.Fatal(err)
		}
		a := open(t, src)
		messages := list(t, a.Messages)
		kept := slices.Concat([]json.RawMessage{[]byte(`{"role":"user","content":"Kites were counted."}`)}, messages[len(messages)-3:])
		body, _ := json.Marshal(kept)
		next := checkSaved(t, src, body)
		before, after := gooseMessages(t, src), gooseMessages(t, next)
		want := len(before) + 1
		if name == "goose.jsonl" {
			want = 4 // marks were not known yet
		} else if bytes.Contains(next, []byte("5294")) || !bytes.Contains(next, []byte("21021")) {
			t.Error("the counts of the last request stay, or those of the session do not")
		}
		if len(after) != want {
			t.Errorf("%s: %d messages, want %d", name, len(after), want)
		}
		if b := open(t, next); b.Usage != nil || b.Kind != "goose" {
			t.Errorf("%s: %+v", name, b)
		}
	}
	next, a := save(t, []byte(`{"working_dir":"/","conversation":null}`), []byte(`[{"role":"user","content":"Go."}]`))
	if a.Error != nil || !bytes.Contains(next, []byte(`"working_dir":"/","conversation":[{`)) {
		t.Errorf("%+v: %s", a.Error, next)
	}
	// Content for which Goose has no block can't be kept.
	src, _ := os.ReadFile("../../../testdata/sessions/goose.json")
	for _, block := range []string{`{"type":"image","source":{"type":"url","url":"https://example.com/kite.png"}}`, `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`} {
		if _, a := save(t, src, []byte(`[{"role":"user","content":[`+block+`]}]`)); a.Error == nil || a.Error.Code != "cannot_save" {
			t.Errorf("%s: %+v", block, a)
		}
	}
	if k := sessionfile.Detect(src); k == nil || k.Name != "goose" {
		t.Error("not detected")
	}
}

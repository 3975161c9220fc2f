package sessionfile_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// clineResumes converts each block of the list as Cline's Anthropic provider does. Cline's store requires an id for each message, and
// accepts no other roles.
func clineResumes(t *testing.T, file []byte) (all []string) {
	var session struct {
		Version  int
		Messages []record
	}
	if err := json.Unmarshal(file, &session); err != nil || session.Version != 1 {
		t.Fatalf("version %d: %v", session.Version, err)
	}
	ids := map[string]bool{}
	for i, m := range session.Messages {
		id, role := text(m["id"]), text(m["role"])
		if (id == "" || ids[id]) && m["ts"] != 1.0*float64(i+1) { // files of tests have times alone
			t.Errorf("the message at %d has the id %q", i, id)
		}
		if ids[id] = true; role != "user" && role != "assistant" {
			t.Errorf("the message at %d has the role %q", i, role)
		}
		list, ok := m["content"].([]any)
		if !ok {
			all = append(all, blocks(role, m["content"])...)
			continue
		}
		for _, b := range list {
			if sent := clineSends(t, object(b)); sent != nil {
				all = append(all, role+" "+spell(sent))
			}
		}
	}
	return all
}

func clineSends(t *testing.T, b record) record {
	switch b["type"] {
	case "image":
		return record{"type": "image", "source": record{"type": "base64", "media_type": b["mediaType"], "data": b["data"]}}
	case "file":
		return record{"type": "text", "text": "<file_content path=\"" + text(b["path"]) + "\">\n" + text(b["content"]) + "\n</file_content>"}
	case "media", "redacted_thinking":
		return nil
	case "thinking":
		if text(b["signature"]) == "" {
			return nil
		}
		return record{"type": "thinking", "thinking": b["thinking"], "signature": b["signature"]}
	case "tool_use":
		return record{"type": "tool_use", "id": b["id"], "name": b["name"], "input": b["input"]}
	case "tool_result":
		if text(b["name"]) == "" {
			t.Errorf("the result of %v names no tool", b["tool_use_id"])
		}
		delete(b, "name")
		if parts, ok := b["content"].([]any); ok {
			for i := range parts {
				parts[i] = clineSends(t, object(parts[i]))
			}
		}
	}
	return b
}

// Counts come from the newest call after the newest digest. Cline's other file, with its compactions, is not a session.
func TestCline(t *testing.T) {
	src, err := os.ReadFile("../../../testdata/sessions/cline.json")
	if err != nil {
		t.Fatal(err)
	}
	a := open(t, src)
	if a.Kind != "cline" || a.Model != "claude-sonnet-4-5" || !strings.HasPrefix(a.System, "You are Cline") || a.Usage == nil {
		t.Fatalf("%+v", a)
	}
	messages := list(t, a.Messages)
	if u := a.Usage; u.Message != 9 || u.Total != 4500+25 { // the tokens of the cache are among those of the prompt
		t.Errorf("%+v", u)
	}
	next, s := save(t, src, []byte(`[{"role":"user","content":"It was about boats."},`+string(messages[len(messages)-2])+`,`+string(messages[len(messages)-1])+`]`))
	if s.Error != nil {
		t.Fatalf("%+v", s.Error)
	}
	if b := open(t, next); b.Usage != nil {
		t.Errorf("a count from before the digest is told: %+v", b.Usage)
	}
	const listed = `{"version":1,"updated_at":"2026-03-01T10:00:00.000Z","agent":"lead","sessionId":"s","messages":[{"id":"a","role":"user","content":` +
		`[{"type":"tool_result","tool_use_id":"c","name":"read_files","content":[{"query": "a.txt", "result": "one"}]}]}]}`
	const sent = `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"[{\"query\":\"a.txt\",\"result\":\"one\"}]"}]}]`
	if b := open(t, []byte(listed)); string(b.Messages) != sent {
		t.Errorf("%s", b.Messages)
	}
	sidecar := `{"version":1,"updated_at":"2026-03-01T10:00:00.000Z","source_message_count":3,"messages":[]}`
	if b := open(t, []byte(sidecar)); b.Error == nil || b.Error.Code != "unknown_session" {
		t.Errorf("%+v", b)
	}
}

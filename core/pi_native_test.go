package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// The messages that open finds in a session file of pi are recognized without naming their format, and a compaction written into the file
// keeps the signatures of what stays.
func TestOpenedPiSignatures(t *testing.T) {
	lines := []string{`{"type":"session","version":3,"id":"c0de","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}`}
	parent := "null"
	add := func(id, message string) {
		lines = append(lines, fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-01T10:00:00.000Z","message":%s}`, id, parent, message))
		parent = `"` + id + `"`
	}
	add("a", `{"role":"user","content":[{"type":"text","text":"Weigh the bolts."}],"timestamp":1}`)
	add("b", `{"role":"assistant","content":[{"type":"thinking","thinking":"Scales.","thinkingSignature":"s1"},{"type":"text","text":"I weigh them.","textSignature":"m1"},`+
		`{"type":"toolCall","id":"c1","name":"weigh","arguments":{"what":"bolts"},"thoughtSignature":"s2"}],"api":"x","provider":"y","model":"z","stopReason":"toolUse","timestamp":2}`)
	add("c", `{"role":"toolResult","toolCallId":"c1","toolName":"weigh","content":[{"type":"text","text":"12 g"}],"isError":false,"timestamp":3}`)
	file := strings.Join(lines, "\n") + "\n"

	var opened struct {
		Error    json.RawMessage
		Format   string
		Messages json.RawMessage
	}
	if err := json.Unmarshal(core.Call("open", []byte(file)), &opened); err != nil || opened.Error != nil || opened.Format != "native" {
		t.Fatalf("%v, %s, format %q", err, opened.Error, opened.Format)
	}
	var checked struct {
		Error  json.RawMessage
		Format string
	}
	answer := core.Call("check", []byte(`{"policy":{"window":{"tokens":9000}},"messages":`+string(opened.Messages)+`}`))
	if err := json.Unmarshal(answer, &checked); err != nil || checked.Error != nil || checked.Format != "native" {
		t.Fatalf("%s", answer)
	}
	save := func(messages string) string {
		return string(core.Call("save", []byte(`{"file":`+quote(file)+`,"messages":[{"role":"user","content":"The bolts are light."},`+
			strings.TrimPrefix(messages, "[")+`}`)))
	}
	if saved := save(string(opened.Messages)); !strings.Contains(saved, `\"firstKeptEntryId\":\"a\"`) {
		t.Errorf("the messages are not recognized: %s", saved)
	}
	saved := save(strings.Replace(string(opened.Messages), "I weigh them.", "I weigh.", 1))
	for _, signature := range []string{`\"thinkingSignature\":\"s1\"`, `\"textSignature\":\"m1\"`, `\"thoughtSignature\":\"s2\"`} {
		if !strings.Contains(saved, signature) {
			t.Errorf("%s is not in the saved session:\n%s", signature, saved)
		}
	}
}

package core_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// TestRecordings validates recorded requests: nothing that a provider has accepted is reported as rejected, and repair leaves tolerated
// violations unchanged.
func TestRecordings(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(sessions.Dir(t), "api_recordings", "*.jsonl"))
	formats := map[string]string{"anthropic": "anthropic", "gemini": "gemini", "openai_chat": "openai-chat", "openai_responses": "openai-responses"}
	tolerated := 0
	for _, file := range files {
		format := ""
		for prefix, name := range formats {
			if strings.HasPrefix(filepath.Base(file), prefix) {
				format = name
			}
		}
		src, err := os.ReadFile(file)
		if err != nil || format == "" {
			t.Fatalf("%s: format %q, %v", file, format, err)
		}
		for i, line := range bytes.Split(bytes.TrimSpace(src), []byte("\n")) {
			var rec struct {
				URI      string
				Request  map[string]json.RawMessage
				Response json.RawMessage
			}
			if err := json.Unmarshal(line, &rec); err != nil {
				t.Fatal(err)
			}
			format := format
			if strings.HasPrefix(rec.URI, sessions.Mistral) {
				format = "mistral"
			}
			list := rec.Request[map[string]string{"gemini": "contents", "openai-responses": "input"}[format]]
			if list == nil {
				list = rec.Request["messages"]
			}
			if bytes.Contains(rec.Response, []byte(`"error": {`)) || len(list) == 0 || list[0] != '[' {
				continue
			}
			a := call(t, "validate", `{"policy":{"format":"`+format+`"},"messages":`+string(list)+`}`)
			if a.Error != nil || !a.Valid {
				t.Errorf("%s, request %d: %+v %+v", filepath.Base(file), i, a.Error, a.Violations)
			}
			tolerated += len(a.Violations)
			if bad := judge.Valid(format, list); len(bad) > 0 {
				t.Errorf("%s, request %d: the judge says %s", filepath.Base(file), i, bad[0])
			}
			if r := call(t, "repair", `{"policy":{"format":"`+format+`"},"messages":`+string(list)+`}`); !bytes.Equal(r.Messages, list) {
				t.Errorf("%s, request %d: repaired to %.300s", filepath.Base(file), i, r.Messages)
			}
		}
	}
	if tolerated == 0 {
		t.Error("no recording breaks a rule")
	}
}

package core_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// A prompt that is a list stays whole when a result next to it is removed.
func TestPydanticPromptBesideResults(t *testing.T) {
	prompt := `{"content":["look at this",{"url":"https://example.org/a.png","kind":"image-url"}],"part_kind":"user-prompt"}`
	orphan := func(id string) string {
		return `{"tool_name":"read","content":"x","tool_call_id":"` + id + `","part_kind":"tool-return"}`
	}
	for name, parts := range map[string][]string{
		"before":       {orphan("c1"), prompt},
		"after":        {prompt, orphan("c1")},
		"on both ends": {orphan("c1"), prompt, orphan("c2")},
	} {
		t.Run(name, func(t *testing.T) {
			messages := `[{"parts":[` + strings.Join(parts, ",") + `],"kind":"request"},{"parts":[{"content":"A cat.","part_kind":"text"}],"kind":"response"}]`
			a := call(t, "repair", `{"policy":{"format":"pydantic-ai"},"messages":`+messages+`}`)
			if !json.Valid(a.Messages) || !strings.Contains(string(a.Messages), prompt) || strings.Contains(string(a.Messages), "tool-return") {
				t.Errorf("%s", a.Messages)
			}
		})
	}
}

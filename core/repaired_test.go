package core_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestRepairedIsOfTheInput: a message that is inserted next to the digest to alternate roles is not a violation of the input, and
// report.repaired doesn't count it. The input's own violations are counted, with or without a digest.
func TestRepairedIsOfTheInput(t *testing.T) {
	turns := func(n int, format string) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(format, i, strings.Repeat("It reads the settings and checks each of them. ", 20), i, i, i))
		}
		return strings.Join(list, ",")
	}
	const chat = `{"role":"user","content":"What does part %d do?"},{"role":"assistant","content":"%s Part %d of %d, %d."}`
	const gemini = `{"role":"user","parts":[{"text":"What does part %d do?"}]},{"role":"model","parts":[{"text":"%s Part %d of %d, %d."}]}`
	const last = `,{"role":"user","content":"And all of them?"}`
	for _, test := range []struct {
		name, format, messages string
		want                   int
	}{
		{"a clean chat", "anthropic", turns(60, chat) + last, 0},
		{"a clean chat", "openai-chat", turns(60, chat) + last, 0},
		{"a clean chat", "plain", turns(60, chat) + last, 0},
		{"a clean chat", "gemini", turns(60, gemini) + `,{"role":"user","parts":[{"text":"And all of them?"}]}`, 0},
		{"a call without a result near the end", "anthropic", turns(60, chat) +
			`,{"role":"user","content":"Read it."},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]}` + last, 1},
		{"half an emoji at the end", "anthropic", turns(60, chat) + `,{"role":"user","content":"And all of them? \ud83d"}`, 1},
		{"an empty text in what is folded", "anthropic", `{"role":"user","content":"Hello."},{"role":"assistant","content":[{"type":"text","text":""},{"type":"text","text":"Hello."}]},` + turns(60, chat) + last, 1},
	} {
		a := call(t, "plan", fmt.Sprintf(`{"policy":{"format":%q,"window":{"tokens":10000,"reserve":0},"summary":{"mode":"local"}},"messages":[%s]}`, test.format, test.messages))
		if !a.Report.Changed || a.Report.Folded == 0 {
			t.Errorf("%s, %s: nothing was folded: %s", test.format, test.name, a.Report.Reason)
		}
		if a.Report.Repaired != test.want {
			t.Errorf("%s, %s: %d repaired, want %d", test.format, test.name, a.Report.Repaired, test.want)
		}
	}
}

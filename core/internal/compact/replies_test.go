package compact

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
)

// conversationOf returns a conversation in ctxfold's own format. Each line of text is a message: one by the user (U),
// one by the assistant (A), a tool call (C) or the result of the call (R).
func conversationOf(t *testing.T, text string) string {
	t.Helper()
	quote := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var messages []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		who, said, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch who {
		case "U":
			messages = append(messages, `{"role":"user","content":`+quote(said)+`}`)
		case "A":
			messages = append(messages, `{"role":"assistant","content":`+quote(said)+`}`)
		case "C":
			name, arguments, _ := strings.Cut(said, " ")
			messages = append(messages, `{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"`+name+`","arguments":`+arguments+`}]}`)
		case "R":
			messages = append(messages, `{"role":"tool_result","tool_call_id":"c","tool_name":"x","content":"`+said+`"}`)
		default:
			t.Fatalf("no message: %s", line)
		}
	}
	return "[" + strings.Join(messages, ",\n") + `,{"role":"assistant","content":"` + strings.Repeat("… ", 3000) + `"},{"role":"user","content":"ok"}]`
}

// The summaries in testdata/replies.txt, of conversations in several languages, are accepted or rejected as the file
// says. The lines of accepted summaries that contradict a rule are removed.
func TestReplies(t *testing.T) {
	data, err := os.ReadFile("testdata/replies.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, conversation := range strings.Split("\n"+string(data), "\n== ")[1:] {
		title, rest, _ := strings.Cut(conversation, "\n")
		replies := strings.Split(rest, "\n-- ")
		src := conversationOf(t, replies[0])
		for _, reply := range replies[1:] {
			name, text, _ := strings.Cut(reply, "\n")
			name, expected, _ := strings.Cut(name, " => ")
			expected, gone, denies := strings.Cut(expected, "; gone: ")
			t.Run(title+"/"+name, func(t *testing.T) {
				asked := 0
				r, _ := answers(t, "native", `{"window":{"tokens":3000000},"passes":[{"pass":"fold","keep_tokens":1}]}`+force, src, func(api.SummaryRequest) api.Summary {
					asked++
					return api.Summary{Text: text}
				})
				switch s := r.report.Summary; {
				case expected == "" || denies:
					if s.Source != api.SourceModel || s.Fault != "" || asked != 1 {
						t.Errorf("rejected: %+v after %d requests", s, asked)
					}
				case s.Source != api.SourceLocal || s.Fault != api.SummaryFault(expected) || asked != 2:
					t.Errorf("not rejected as %s: %+v after %d requests", expected, s, asked)
				}
				if out := output(r); denies && strings.Contains(out, gone) {
					t.Errorf("%q is still in %s", gone, out)
				}
			})
		}
	}
}

package digest_test

import (
	"strings"
	"testing"
)

// A result that shares a message with the user's next words belongs to the turn of its call.
func TestResultsBeforeTheNextRequest(t *testing.T) {
	for format, messages := range map[string]string{
		"anthropic": `[
{"role":"user","content":"Heat the kiln to 900 degrees."},
{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"git commit -m 'Heat zone 7'"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"[main 9f8e7d6] Heat zone 7\n 1 file changed"},{"type":"text","text":"Stop. Cool the lamp instead."}]},
{"role":"assistant","content":"The lamp has 40 degrees."}]`,
		"gemini": `[
{"role":"user","parts":[{"text":"Heat the kiln to 900 degrees."}]},
{"role":"model","parts":[{"functionCall":{"name":"run_shell_command","args":{"command":"git commit -m 'Heat zone 7'"}}}]},
{"role":"user","parts":[{"functionResponse":{"name":"run_shell_command","response":{"output":"[main 9f8e7d6] Heat zone 7\n 1 file changed"}}},{"text":"Stop. Cool the lamp instead."}]},
{"role":"model","parts":[{"text":"The lamp has 40 degrees."}]}]`,
	} {
		tr, seq := read(t, format, messages)
		text := localOf(tr, seq, 4000)
		deed, request := strings.Index(text, "committed “Heat zone 7”"), strings.Index(text, "[2] user: Stop.")
		if deed < 0 || request < deed {
			t.Errorf("%s: the commit is not told in the turn that made it:\n%s", format, text)
		}
	}
}

// Text that an agent program writes in the assistant's name is not an answer.
func TestStubsAreNoAnswers(t *testing.T) {
	for _, stub := range []string{"No response requested.", "(no content)", "API Error: 529 overloaded"} {
		messages := `[
{"role":"user","content":"Can the kiln heat two zones at once?"},
{"role":"assistant","content":"No. The relay of kiln/zones.go carries 40 ampere, which is one zone."},
{"role":"user","content":"<command-name>/exit</command-name>\n<command-args></command-args>"},
{"role":"assistant","content":"` + stub + `"},
{"role":"user","content":"Then heat zone 7."},
{"role":"assistant","content":"Zone 7 has 900 degrees."}`
		wants(t, logOf(t, messages+"]", 4000), []string{"assistant: No. The relay of kiln/zones.go carries 40 ampere"}, []string{stub})
		text := logOf(t, messages+","+ranAs("1", "", "make kiln", "ok")+"]", 4000)
		wants(t, text, []string{"answer: No. The relay of kiln/zones.go carries 40 ampere"}, []string{stub})
	}
}

package digest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// The user's words may also be in a tool result, in every format whose results are separate.
func TestAskedInResults(t *testing.T) {
	const result = `User has answered your questions: "Which database?"="Postgres". You can now continue with the user's answers in mind.`
	const args = `{"questions":[{"question":"Which database?","options":[{"label":"Postgres"},{"label":"SQLite"}]}]}`
	for format, src := range map[string]string{
		"native": `[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"AskUserQuestion","arguments":` + args + `}]},
			{"role":"tool_result","tool_call_id":"1","tool_name":"AskUserQuestion","content":` + quoted(result) + `}]`,
		"anthropic": `[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"AskUserQuestion","input":` + args + `}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":` + quoted(result) + `}]}]`,
		"openai-chat": `[{"role":"user","content":"Go."},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"AskUserQuestion","arguments":` + quoted(args) + `}}]},
			{"role":"tool","tool_call_id":"1","content":` + quoted(result) + `}]`,
		"openai-responses": `[{"role":"user","content":"Go."},{"type":"function_call","call_id":"1","name":"AskUserQuestion","arguments":` + quoted(args) + `},
			{"type":"function_call_output","call_id":"1","output":` + quoted(result) + `}]`,
		"ai-sdk-ui": `[{"id":"a","role":"user","parts":[{"type":"text","text":"Go."}]},{"id":"b","role":"assistant","parts":[{"type":"tool-AskUserQuestion","toolCallId":"1","state":"output-available","input":` + args + `,"output":` + quoted(result) + `}]}]`,
		"gemini": `[{"role":"user","parts":[{"text":"Go."}]},{"role":"model","parts":[{"functionCall":{"name":"AskUserQuestion","args":` + args + `}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"AskUserQuestion","response":{"output":` + quoted(result) + `}}}]}]`,
	} {
		tr, seq := read(t, format, src)
		last := len(seq) - 1
		got, want := digest.RequestIn(tr, last), "asked: Which database? - answered: Postgres"
		if got != want {
			t.Errorf("%s: %q", format, got)
		}
		if got := digest.UserWords(tr, last); got != "Postgres" {
			t.Errorf("%s: the words are %q", format, got)
		}
		var l digest.Ledger
		if l.Add(tr, seq); len(l.Requests) != 1 || l.Requests[0] != want {
			t.Errorf("%s: %q", format, l.Requests)
		}
	}
}

func TestAskedInRefusals(t *testing.T) {
	const text = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nNever touch the vendor folder."
	src := `[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Edit","input":{"file_path":"vendor/a.go"}},{"type":"tool_use","id":"2","name":"Bash","input":{"command":"cat log"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":` + quoted(text) + `},{"type":"tool_result","tool_use_id":"2","content":` + quoted(text) + `}]}]`
	tr, seq := read(t, "anthropic", src)
	digest.MarkOutputs(tr, len(seq), true)
	if got := digest.RequestIn(tr, 2); got != "refused: Edit vendor/a.go - said: Never touch the vendor folder." {
		t.Errorf("%q: output that repeats a refusal is no refusal where refusals are errors", got)
	}
	var l digest.Ledger
	l.Add(tr, seq)
	if len(l.Standing) != 1 || l.Standing[0] != "Never touch the vendor folder." {
		t.Errorf("the rules are %q", l.Standing)
	}
}

// The text after the call of a skill, or after a user's command, is the skill's and not the user's.
func TestPastedSkills(t *testing.T) {
	skill := "You are a dispatcher. Do NOT explore, read or grep. " + strings.Repeat("Never answer yourself. ", 30)
	for name, src := range map[string]string{
		"in the message of the result": `[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Skill","input":{"skill":"x"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"Launching skill: x"},{"type":"text","text":` + quoted(skill) + `}]}]`,
		"in the next message": `[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Skill","input":{"skill":"x"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"Launching skill: x"}]},{"role":"user","content":` + quoted(skill) + `}]`,
		"of a command": `[{"role":"user","content":"Go."},{"role":"user","content":"<command-message>x</command-message>\n<command-name>/x</command-name>"},{"role":"user","content":` + quoted(skill) + `}]`,
	} {
		tr, seq := read(t, "anthropic", src)
		if got := digest.Requests(tr, seq); len(got) != 1 || got[0] != "Go." {
			t.Errorf("%s: %q", name, got)
		}
	}
	tr, seq := read(t, "anthropic", `[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Read","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"},{"type":"text","text":"Stop, use red."}]}]`)
	if got := digest.Requests(tr, seq); len(got) != 2 {
		t.Errorf("what the user says after another tool: %q", got)
	}
}

// textAgent returns the session of an agent that writes its calls as text. call spells a command, and output spells its
// output and its exit code.
func textAgent(call func(command string) string, output func(text string, exit int) string) string {
	messages := []string{`{"role":"system","content":"You can run commands."}`, `{"role":"user","content":"<pr_description>\nThe parser drops commas.\n</pr_description>\nFix it."}`}
	for _, turn := range []struct {
		command, text string
		exit          int
	}{
		{"cat parser.go", "package parser", 0}, {"sed -i s/a/b/ parser.go", "", 0}, {"go test ./parser", "FAIL: TestComma: got 1, want 2", 1}, {"go vet ./...", "", 0},
	} {
		messages = append(messages, `{"role":"assistant","content":`+quoted("THOUGHT: one step.\n\n"+call(turn.command))+`}`, `{"role":"user","content":`+quoted(output(turn.text, turn.exit))+`}`)
	}
	return "[" + strings.Join(messages, ",") + "]"
}

func TestTextAgents(t *testing.T) {
	fence := func(command string) string { return "```bash\n" + command + "\n```" }
	for name, src := range map[string]string{
		"mini-swe-agent": textAgent(fence, func(text string, exit int) string {
			return fmt.Sprintf("<returncode>%d</returncode>\n<output>\n%s\n</output>", exit, text)
		}),
		"OpenHands": textAgent(func(command string) string {
			return "<function=execute_bash>\n<parameter=command>\n" + command + "\n</parameter>\n</function>"
		}, func(text string, exit int) string {
			return fmt.Sprintf("EXECUTION RESULT of [execute_bash]:\n%s\n[The command completed with exit code %d.]", text, exit)
		}),
		"SWE-agent": textAgent(func(command string) string { return "```\n" + command + "\n```" }, func(text string, exit int) string {
			if exit > 0 {
				text += fmt.Sprintf("\nexit status %d", exit)
			}
			return text + "\n(Open file: n/a)\n(Current directory: /repo)\nbash-$"
		}),
		"ReAct": textAgent(func(command string) string { return "Action: bash\nAction Input: " + command }, func(text string, exit int) string {
			return fmt.Sprintf("Observation: %s\nexit code: %d", text, exit)
		}),
		"a label of its own": textAgent(fence, func(text string, exit int) string {
			return fmt.Sprintf("### SHELL: %s\nexit code: %d", text, exit)
		}),
	} {
		tr, seq := read(t, "openai-chat", src)
		digest.MarkOutputs(tr, len(seq), true)
		for i := range seq {
			if output := tr.Messages[i].Role == transcript.User && i > 1; tr.Messages[i].Output != output || output && (digest.RequestIn(tr, i) != "" || tr.HasUserText(i)) {
				t.Errorf("%s: message %d: output %t, asked %q", name, i, tr.Messages[i].Output, digest.RequestIn(tr, i))
			}
		}
		var l digest.Ledger
		l.Add(tr, seq)
		if !strings.Contains(l.Task, "The parser drops commas.") || len(l.Requests) > 0 {
			t.Errorf("%s: task %q, requests %q", name, l.Task, l.Requests)
		}
		if len(l.Commands) != 4 || l.Commands[2].Command != "go test ./parser" || l.Commands[2].Exit != "1" {
			t.Errorf("%s: commands %q", name, l.Commands)
		}
		if len(l.Modified) != 1 || l.Modified[0] != "parser.go" || len(l.Errors) != 1 || !strings.Contains(l.Errors[0].Text, "TestComma") {
			t.Errorf("%s: modified %q, errors %q", name, l.Modified, l.Errors)
		}
		if digest.Chats(tr, seq, "", &digest.Ledger{}) {
			t.Errorf("%s: taken for a chat", name)
		}
		if text := digest.Flatten(tr, seq[2:], 0); strings.Contains(text, "» you:") {
			t.Errorf("%s: output is signed as the user's in %s", name, text)
		}
		groups := tr.Groups(seq)
		for i := 2; i < len(seq); i += 2 {
			if groups[i] != groups[i+1] || groups[i] == groups[i-1] {
				t.Errorf("%s: a call and its output are not a group: %v", name, groups)
				break
			}
		}
		digest.MarkOutputs(tr, len(seq), false)
		if tr.Outputs || !tr.HasUserText(3) {
			t.Errorf("%s: the marks stay", name)
		}
	}
}

// A chat about code is not a session of such an agent, however often the user pastes output.
func TestChatsAreNoTextAgents(t *testing.T) {
	src := `[{"role":"user","content":"How do I list files?"},{"role":"assistant","content":"Like this:\n` + "```bash\\nls\\n```" + `"},
		{"role":"user","content":"<output>\na.go\n</output>\nand now?"},{"role":"assistant","content":"Fine."},{"role":"user","content":"And sorted by time?"},
		{"role":"assistant","content":"` + "```bash\\nls -t\\n```" + `"},{"role":"user","content":"Thanks."},{"role":"assistant","content":"ok"},{"role":"user","content":"One more thing."}]`
	tr, seq := read(t, "openai-chat", src)
	if digest.MarkOutputs(tr, len(seq), true); tr.Outputs {
		t.Error("a chat is taken for an agent")
	}
}

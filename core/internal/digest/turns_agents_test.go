package digest_test

import (
	"strings"
	"testing"
)

const agentCall = `{"role":"assistant","content":[{"type":"text","text":"Two agents do this."},{"type":"tool_call","id":"NUMBER","name":"Task","arguments":{"description":"NAME","prompt":"Move each shelf of the kiln in kiln/shelves.go to its new place and say what you moved."}}]},{"role":"tool_result","tool_call_id":"NUMBER","tool_name":"Task","content":"Async agent launched successfully.\nagentId: a7f9e8 (internal ID. Use to resume later if needed.)\nThe agent is working in the background. You will be notified automatically when it completes.\noutput_file: /tmp/tasks/a7f9e8.output\nTo check progress before completion, use Read or Bash tail on the output file."}`

// What an agent in the background came to is in the notice at its end. What the call returned only says that it began.
func TestReportsOfAgentsInTheBackground(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Move the shelves of the kiln."},
`+strings.NewReplacer("NUMBER", "1", "NAME", "Move the shelves").Replace(agentCall)+`,
{"role":"user","content":"<task-notification>\n<task-id>a7f9e8</task-id>\n<status>completed</status>\n<summary>Agent \"Move the shelves\" completed</summary>\n<result>I could not move shelf 4: all tools that edit files were denied. Shelves 1 to 3 are in kiln/shelves.go as asked.</result>\n</task-notification>"},
{"role":"assistant","content":"I move shelf 4 myself."},
{"role":"user","content":"<subagent_notification>{\"agent_id\":\"b2\",\"status\":{\"completed\":\"The fan of kiln/fan.go needs 40 watts, twice as much as the old one, and its plate has to be exchanged in spring by somebody who knows how the old one was fixed.\"}}</subagent_notification>"},
{"role":"assistant","content":"The fan needs a new plate."},
{"role":"user","content":"<task-notification>\n<task-id>c3</task-id>\n<summary>Background command \"make kiln\" completed (exit code 0)</summary>\n</task-notification>"},
{"role":"assistant","content":"The build passed, and kiln/shelves.go is committed."},
{"role":"user","content":"Thanks. And the fan?"},
{"role":"assistant","content":"Later."}]`, 6000)
	wants(t, text, []string{"(in the background)", "a subagent (Move the shelves) reported: I could not move shelf 4: all tools that edit files were denied.",
		"a subagent reported: The fan of kiln/fan.go needs 40 watts"},
		[]string{"output_file", "To check progress", "task-notification", "Background command"})
}

// "This one" is the file that the assistant has just looked at.
func TestThisOneHasAName(t *testing.T) {
	read := func(id, path string) string {
		return `{"role":"assistant","content":[{"type":"tool_call","id":"` + id + `","name":"read","arguments":{"path":"` + path + `"}}]},{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"read","content":"package kiln"}`
	}
	text := logOf(t, `[
{"role":"user","content":"Which tests of the kiln can run side by side?"},
`+read("1", "kiln/door_test.go")+`,
{"role":"assistant","content":[{"type":"text","text":"This one changes its folder with Chdir('/tmp'), so it stays alone."},{"type":"tool_call","id":"2","name":"read","arguments":{"path":"kiln/fan_test.go"}}]},{"role":"tool_result","tool_call_id":"2","tool_name":"read","content":"package kiln"},
{"role":"assistant","content":[{"type":"text","text":"Confirmed, it calls `+"`Setenv`"+` twice. Skip that one."},{"type":"tool_call","id":"3","name":"bash","arguments":{"command":"go test ./kiln"}}]},{"role":"tool_result","tool_call_id":"3","tool_name":"bash","content":"ok kiln 0.2s"},
{"role":"user","content":"And the rest?"},
{"role":"assistant","content":"The rest can."}]`, 6000)
	wants(t, text, []string{"assistant: door_test.go: This one changes its folder", "assistant: fan_test.go: Confirmed, it calls `Setenv` twice. Skip that one."}, nil)
}

package digest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// called returns a call and its result in Anthropic's format.
func called(id, tool, args, result string) string {
	return fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"%s","name":"%s","input":%s}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"%[1]s","content":%[4]s}]}`,
		id, tool, args, quoted(result))
}

func TestRunningWork(t *testing.T) {
	const (
		shell  = "Command running in background with ID: b6u5kq9dp. Output is being written to: /tmp/tasks/b6u5kq9dp.output. You will be notified when it completes. To check interim output, use Read on that file path."
		agent  = "Async agent launched successfully.\nagentId: aa67f4f (internal ID - do not mention to user. Use SendMessage with to: 'aa67f4f' to continue this agent.)\nThe agent is working in the background. You will be notified automatically when it completes.\noutput_file: /tmp/aa67f4f.output\n"
		wakeup = "Next wakeup scheduled for 19:54:00 (in 3624s). Nothing more to do this turn."
		codex  = "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 4242\nOriginal token count: 0\nOutput:\nBuilding...\n"
	)
	bash := called("1", "Bash", `{"command":"npm run dev","run_in_background":true,"description":"Start it"}`, shell)
	task := called("1", "Agent", `{"description":"Scan styles","prompt":"Do it."}`, agent)
	exec := called("1", "exec_command", `{"cmd":"npm run build"}`, codex)
	notice := func(id, status string) string {
		return `{"role":"user","content":` + quoted("<task-notification>\n<task-id>"+id+"</task-id>\n<status>"+status+"</status>\n<summary>Background command</summary>\n</task-notification>") + `}`
	}
	const isShell = "shell b6u5kq9dp: npm run dev (output: /tmp/tasks/b6u5kq9dp.output)"
	for _, c := range []struct {
		name     string
		messages []string
		want     []string
	}{
		{"a shell", []string{bash}, []string{isShell}},
		{"a shell that is read", []string{bash, called("2", "BashOutput", `{"bash_id":"b6u5kq9dp"}`, "<status>running</status>\n<stdout>completed 3 of 4</stdout>")}, []string{isShell}},
		{"a shell whose file is read", []string{bash, called("2", "Read", `{"file_path":"/tmp/tasks/b6u5kq9dp.output"}`, "build completed")}, []string{isShell}},
		{"a shell that has ended", []string{bash, called("2", "TaskOutput", `{"task_id":"b6u5kq9dp"}`, "<status>completed</status>\n<exit_code>0</exit_code>")}, nil},
		{"a shell that was killed", []string{bash, called("2", "KillShell", `{"shell_id":"b6u5kq9dp"}`, `{"message":"Successfully killed shell: b6u5kq9dp (npm run dev)"}`)}, nil},
		{"a shell of which a notice tells", []string{bash, notice("b6u5kq9dp", "completed")}, nil}, {"of another", []string{bash, notice("b0", "completed")}, []string{isShell}},
		{"an agent", []string{task}, []string{"agent aa67f4f: Scan styles (output: /tmp/aa67f4f.output)"}}, {"an agent that has ended", []string{task, notice("aa67f4f", "failed")}, nil},
		{"an agent that has answered", []string{called("1", "Agent", `{"description":"x"}`, "Done.\nagentId: aa67f4f (use SendMessage to continue)")}, nil},
		{"a timer", []string{called("1", "ScheduleWakeup", `{"delaySeconds":3600,"reason":"look at CI","prompt":"go on"}`, wakeup)}, []string{"timer 19:54:00: look at CI"}},
		{"another timer", []string{called("1", "ScheduleWakeup", `{"reason":"x"}`, wakeup), called("2", "ScheduleWakeup", `{"reason":"y"}`, "Next wakeup scheduled for 20:00:00 (in 5s).")}, []string{"timer 20:00:00: y"}},
		{"no timer", []string{called("1", "ScheduleWakeup", `{"reason":"x"}`, wakeup), called("2", "ScheduleWakeup", `{"stop":true}`, "Loop stopped.")}, nil},
		{"sleep", []string{called("1", "Bash", `{"command":"sleep 300"}`, "Command running in background with ID: b2.")}, []string{"timer b2: sleep 300"}},
		{"Codex", []string{exec}, []string{"shell 4242: npm run build"}},
		{"Codex, still", []string{exec, called("2", "write_stdin", `{"session_id":4242,"chars":""}`, codex)}, []string{"shell 4242: npm run build"}},
		{"Codex, only a look", []string{called("1", "exec_command", `{"cmd":"gh run watch 7"}`, codex)}, []string{"shell 4242: gh run watch 7"}},
		{"Codex, a wait", []string{called("1", "exec_command", `{"cmd":"workmux wait loom"}`, codex), called("2", "write_stdin", `{"session_id":4242,"chars":""}`, codex)}, nil},
		{"Codex, over", []string{exec, called("2", "write_stdin", `{"session_id":4242,"chars":""}`, "Chunk ID: b\nProcess exited with code 0\nOutput:\nb2 is still running, status: running")}, nil},
		{"Codex, aborted", []string{exec, called("2", "write_stdin", `{"session_id":4242,"chars":""}`, "aborted by user after 29.7s")}, []string{"shell 4242: npm run build"}},
		{"Codex agent", []string{called("1", "spawn_agent", `{"message":"Review it"}`, `{"agent_id":"019ab-1","nickname":"Ada"}`)}, []string{"agent 019ab-1: Review it"}},
		{"Codex agent, waited for", []string{called("1", "spawn_agent", `{"message":"Review it"}`, `{"agent_id":"019ab-1"}`), called("2", "wait_agent", `{"targets":["019ab-1"]}`, `{"status":{"019ab-1":{"completed":"fine"}},"timed_out":false}`)}, nil},
		{"a job", []string{called("1", "deploy", `{"title":"To staging"}`, `{"job_id":"j-77","status":"pending"}`)}, []string{"task j-77: To staging"}},
		{"a job that is done", []string{called("1", "deploy", `{}`, `{"job_id":"j-77","status":"pending"}`), called("2", "status", `{"job_id":"j-77"}`, `{"status":"succeeded"}`)}, nil},
		{"an approval", []string{called("1", "deploy", `{"title":"To production"}`, `{"approval_id":"ap_9","message":"Approval is required; waiting for an operator"}`)}, []string{"approval ap_9: To production"}},
		{"an approval given", []string{called("1", "deploy", `{}`, `Approval required (approval_id: ap_9)`), called("2", "approval_status", `{"id":"ap_9"}`, `approved by an operator`)}, nil},
		{"what a file quotes", []string{called("1", "Read", `{"file_path":"notes.md"}`, shell)}, nil}, {"what a search finds", []string{called("1", "Grep", `{"pattern":"ID"}`, "a.md: "+shell)}, nil},
		{"a list of containers", []string{called("1", "Bash", `{"command":"docker ps"}`, "CONTAINER ID 12ab3 is running")}, nil},
	} {
		tr, seq := read(t, "anthropic", "["+strings.Join(c.messages, ",")+"]")
		var l digest.Ledger
		l.Add(tr, seq)
		var got []string
		for _, r := range l.Running {
			line := r.Kind + " " + r.ID
			if r.About != "" {
				line += ": " + r.About
			}
			if r.Output != "" {
				line += " (output: " + r.Output + ")"
			}
			got = append(got, line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		// Work that is over according to the remaining messages is not listed, however the fold divides them.
		if len(c.messages) > 1 {
			var l digest.Ledger
			l.Add(tr, seq[:2])
			l.Settle(tr, seq[2:])
			if len(c.want) == 0 && len(l.Running) > 0 {
				t.Errorf("%s: %q after what stays", c.name, l.Running)
			}
		}
	}
}

func TestUnloadedTools(t *testing.T) {
	for format, src := range map[string]string{
		"anthropic": `[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ToolSearch","input":{"query":"mail"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"tool_reference","tool_name":"mail_send"},{"type":"tool_reference","tool_name":"mail_read"}]}]}]`,
		"anthropic server": `[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"tool_search_tool_regex","input":{"query":"mail"}},
			{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"mail_send"},{"type":"tool_reference","tool_name":"mail_read"}]}}]}]`,
		"openai-chat": `[{"role":"user","content":"Go."},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"ToolSearch","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"1","content":` + quoted("<functions>\n<function>{\"description\":\"Sends\",\"name\":\"mail_send\",\"parameters\":{\"name\":\"no\"}}</function>\n<function>{\"name\":\"mail_read\"}</function>\n</functions>") + `}]`,
		"openai-responses": `[{"role":"user","content":"Go."},{"type":"tool_search_call","call_id":"1","execution":"client","arguments":{"goal":"mail"}},
			{"type":"tool_search_output","call_id":"1","execution":"client","status":"completed","tools":[{"type":"function","name":"mail_send","parameters":{"name":"no"}},{"type":"function","name":"mail_read"}]}]`,
	} {
		name, _, _ := strings.Cut(format, " ")
		tr, seq := read(t, name, src)
		var l digest.Ledger
		if l.Add(tr, seq); !slices.Equal(l.Unloaded, []string{"mail_send", "mail_read"}) {
			t.Errorf("%s: %q", format, l.Unloaded)
		}
		if l.Settle(tr, seq); len(l.Unloaded) > 0 {
			t.Errorf("%s: still %q, though what stays loads them again", format, l.Unloaded)
		}
	}
}

// An error that the remaining messages have overcome is not open.
func TestErrorsOvercomeInWhatStays(t *testing.T) {
	failed := `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Edit","input":{"file_path":"/kiln/ramp.go","old_string":"a","new_string":"b"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":"Found 2 matches of the string to replace"}]}`
	for name, c := range map[string]struct {
		stays string
		open  int
	}{
		"the edit succeeds":      {called("2", "Edit", `{"file_path":"/kiln/ramp.go","old_string":"aa","new_string":"b"}`, "ok"), 0},
		"another edit succeeds":  {called("2", "Edit", `{"file_path":"/kiln/lamp.go","old_string":"aa","new_string":"b"}`, "ok"), 1},
		"another edit fails too": {strings.ReplaceAll(strings.ReplaceAll(failed, "ramp", "lamp"), `"1"`, `"2"`), 1},
		"nothing":                {`{"role":"user","content":"And?"}`, 1},
		"two more requests":      {`{"role":"user","content":"Paint the door."},{"role":"assistant","content":"Done."},{"role":"user","content":"And the lamp."}`, 0},
	} {
		tr, seq := read(t, "anthropic", `[{"role":"user","content":"Make the ramp steeper."},`+failed+","+c.stays+"]")
		var l digest.Ledger
		l.Add(tr, seq[:3])
		if len(l.Errors) != 1 {
			t.Fatalf("%s: %v", name, l.Errors)
		}
		if l.SettleErrors(tr, seq[3:]); len(l.Errors) != c.open {
			t.Errorf("%s: %v", name, l.Errors)
		}
	}
}

// An error for an address is not open once another tool has fetched that address. It is open if nothing has fetched the
// address, and so is a failed push to it.
func TestErrorsOfFetchedAddresses(t *testing.T) {
	failed := func(id, tool, arguments string) string {
		return strings.Replace(called(id, tool, arguments, "403 Forbidden"), `"content":"403`, `"is_error":true,"content":"403`, 1)
	}
	const curl = `{"command":"curl -s https://kiln.example/notes/7"}`
	for name, c := range map[string]struct {
		calls string
		open  int
	}{
		"another program":   {failed("1", "WebFetch", `{"url":"https://kiln.example/notes/7/"}`) + "," + called("2", "Bash", curl, "The notes of kiln 7"), 0},
		"another tool":      {failed("1", "Bash", curl) + "," + called("2", "WebFetch", `{"url":"https://kiln.example/notes/7"}`, "The notes of kiln 7"), 0},
		"another address":   {failed("1", "Bash", curl) + "," + called("2", "WebFetch", `{"url":"https://kiln.example/notes/8"}`, "The notes of kiln 8"), 1},
		"nothing":           {failed("1", "Bash", curl), 1},
		"it fails again":    {failed("1", "Bash", curl) + "," + failed("2", "WebFetch", `{"url":"https://kiln.example/notes/7"}`), 2},
		"a push is no read": {failed("1", "Bash", `{"command":"git push https://kiln.example/notes/7"}`) + "," + called("2", "WebFetch", `{"url":"https://kiln.example/notes/7"}`, "ok"), 1},
	} {
		tr, seq := read(t, "anthropic", `[{"role":"user","content":"Read the notes."},`+c.calls+"]")
		var l digest.Ledger
		if l.Add(tr, seq); len(l.Errors) != c.open {
			t.Errorf("%s: %v", name, l.Errors)
		}
	}
	tr, seq := read(t, "anthropic", `[{"role":"user","content":"Read the notes."},`+failed("1", "Bash", curl)+`,`+called("2", "WebFetch", `{"url":"https://kiln.example/notes/7"}`, "The notes of kiln 7")+"]")
	var l digest.Ledger
	l.Add(tr, seq[:3])
	if l.SettleErrors(tr, seq[3:]); len(l.Errors) != 0 {
		t.Errorf("what stays has fetched it: %v", l.Errors)
	}
}

package digest

import (
	"slices"
	"strings"
	"testing"
)

func TestSpoken(t *testing.T) {
	long := strings.Repeat("more of it ", 50)
	for _, c := range []struct{ text, want string }{
		{"Fix the parser.", "Fix the parser."},
		{"/", ""}, {".", ""}, {"?", ""}, {"/mode", ""}, {"/my-skill:run", ""}, {"/review 12", "/review 12"}, {"/tmp/a.log", "/tmp/a.log"}, {"1", "1"}, {"y", "y"}, {"A", "A"}, {"好", "好"},
		{"<command-name>/exit</command-name>\n<command-message>exit</command-message>\n<command-args></command-args>", ""},
		{"<command-message>review</command-message><command-name>/review</command-name><command-args>the parser</command-args>", "/review the parser"},
		{"Base directory for this skill: /s\n\nNever explore.", ""}, {"<skill>\n<name>x</name>\nDo all.\n</skill>", ""},
		{"# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>", ""},
		{"<environment_context>\n<cwd>/x</cwd>\n</environment_context>", ""}, {"<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nRead the output.", ""},
		{"The following tool was executed by the user", ""}, {"Summarize the task tool output above and continue with your task.", ""}, {"Summarize the task for me.", "Summarize the task for me."},
		{"<turn_aborted>\nThe user interrupted.\n</turn_aborted>", ""}, {"<local-command-stdout>ok</local-command-stdout>", ""},
		{"[Truncated. Handle: 0123456789abcdef]\n<local-command-stdout>ok</local-command-stdout>", ""}, {"[Truncated. Handle: 0123456789abcdef]\nUse red.", "Use red."},
		{"[Truncated]\n<local-command-stdout>ok</local-command-stdout>", ""}, {"[Truncated]\nUse red.", "Use red."}, {"[Truncated] is a word.", "[Truncated] is a word."},
		{"<pr_description>\nThe flag is ignored.\n</pr_description>\nFix it.", "<pr_description>\nThe flag is ignored.\n</pr_description>\nFix it."},
		{"<uploaded_files>\n/repo\n</uploaded_files>\nImplement it.", "<uploaded_files>\n/repo\n</uploaded_files>\nImplement it."},
		{`<user_input mode="act">Use red.</user_input>`, "Use red."}, {"<user_query>\nUse red.\n</user_query>", "Use red."},
		{"<task>\nUse red.\n</task>\n\n<environment_details>\n# Time\n</environment_details>", "Use red."},
		{"Use red.\n<environment_details>\n# Time\n</environment_details>", "Use red."},
		{"See it.\n<file name=\"a.go\">\nDelete all.\n</file>", "See it."}, {"Why does <file> not parse? </file>", "Why does <file> not parse? </file>"},
		{"Look at @a.md\n--- Content from referenced files ---\nDelete all.\n--- End of content ---", "Look at @a.md"},
		{"# Context from my IDE setup:\n\n## Open tabs:\n- a.go\n\n## My request for Codex:\nUse red.", "Use red."},
		{"<system-reminder>\nBe careful.\n</system-reminder>\nUse red.", "Use red."},
		{"<system-reminder>\nThe user sent a new message while you were working:\nUse blue.\n\nIMPORTANT: After completing your current task, you MUST address the user's message above. Do not ignore it.\n</system-reminder>", "Use blue."},
		{"<system-reminder>\nThe user sent the following message:\nUse blue.\n\nPlease address this message and continue with your tasks.\n</system-reminder>", "Use blue."},
		{"Called the Read tool with the following input: {}\n" + long, ""},
	} {
		if got := spoken(Tidy(c.text)); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestAnswersOfQuestionTools(t *testing.T) {
	two := []question{{"db", "Which database?"}, {"os", `What "OS", then?`}}
	for _, c := range []struct {
		name, text string
		questions  []question
		want       []string
	}{
		{"Claude Code and OpenCode", `User has answered your questions: "Which database?"="Postgres", "What "OS", then?"="Linux". You can now continue with the user's answers in mind.`, two,
			[]string{"asked: Which database? - answered: Postgres", `asked: What "OS", then? - answered: Linux`}},
		{"Claude Code with notes", `Your questions have been answered: "Which database?"="Postgres" user notes: only 16, "What "OS", then?"="Unanswered". You can now continue with these answers in mind.`, two,
			[]string{"asked: Which database? - answered: Postgres (only 16)"}},
		{"without the call", `User has answered your questions: "Which database?"="Postgres", "Where?"="Here". You can now continue`, nil,
			[]string{"asked: Which database? - answered: Postgres", "asked: Where? - answered: Here"}},
		{"Codex", `{"answers":{"db":{"answers":["Postgres","user_note: only 16"]},"os":{"answers":[]}}}`, two, []string{"asked: Which database? - answered: Postgres, only 16"}},
		{"Gemini CLI", `{"answers":{"0":"Postgres","1":"Linux"}}`, two, []string{"asked: Which database? - answered: Postgres", `asked: What "OS", then? - answered: Linux`}},
		{"VS Code", `{"answers":{"Which database?":{"selected":["Postgres"],"freeText":"only 16","skipped":false}}}`, two, []string{"asked: Which database? - answered: Postgres, only 16"}},
		{"JSON", `{"answer":"Postgres"}`, two[:1], []string{"asked: Which database? - answered: Postgres"}},
		{"Cline", "<answer>\nPostgres\n</answer>", two[:1], []string{"asked: Which database? - answered: Postgres"}},
		{"pi", "User selected: 1. Postgres", two[:1], []string{"asked: Which database? - answered: Postgres"}},
		{"plain", "Postgres, please", two[:1], []string{"asked: Which database? - answered: Postgres, please"}},
		{"nothing", "User cancelled the selection", two[:1], nil}, {"dismissed", "The user dismissed this question", two[:1], nil},
		{"no answers", `{"answers":{}}`, two, nil}, {"empty", "", two, nil},
	} {
		var got []string
		for _, a := range answersOf(c.text, c.questions) {
			got = append(got, a.text())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRefusalWords(t *testing.T) {
	const claude = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "
	for _, c := range []struct{ text, want string }{
		{claude + "STOP what you are doing and wait for the user to tell you how to proceed.", ""},
		{claude + "To tell you how to proceed, the user said:\nuse one function", "use one function"},
		{claude + "To tell you how to proceed, the user said:\nuse one function\n\nNote: The user's next message may contain a correction or preference.", "use one function"},
		{"The user rejected permission to use this specific tool call with the following feedback: not now", "not now"},
		{"The user rejected permission to use this specific tool call.", ""},
		{"The user denied this operation and provided the following feedback:\n<feedback>\nwrong file\n</feedback>", "wrong file"},
		{"The user approved this operation and provided the following context:\n<feedback>\nthen test\n</feedback>", "then test"},
		{"[write_to_file for 'a.go'] Result:\nThe user denied this operation and provided the following feedback:\n<feedback>\nwrong file\n</feedback>", "wrong file"},
		{"The user has declined to run this tool. DO NOT attempt to call this tool again.", ""},
		{"exec command rejected by user", ""},
		{"package a\n// The user doesn't want to: the user said: x", ""},
	} {
		if got := refusalWords(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	got := clarified("The user wants to clarify these questions.\n    Questions asked:\n- \"Which database?\"\n  Answer: Postgres\n- \"Where?\"\n  (No answer provided)")
	if len(got) != 1 || got[0].text() != "asked: Which database? - answered: Postgres" {
		t.Errorf("%q", got)
	}
}

func TestQueuedAtEnd(t *testing.T) {
	queued := "<system-reminder>\nThe user sent a new message while you were working:\nUse blue.\n\nIMPORTANT: After completing your current task\n</system-reminder>"
	for _, c := range []struct {
		text string
		want []string
	}{
		{"ok\n" + queued, []string{"Use blue."}}, {queued, []string{"Use blue."}}, {"ok\n" + queued + "\n\n<system-reminder>\nBe brief.\n</system-reminder>", []string{"Use blue."}},
		{"   12→" + queued, nil}, {"ok\n" + queued + "\nend of the file", nil}, {"ok", nil},
	} {
		if got := queuedAtEnd(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLeadOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"<returncode>0</returncode>", "<returncode>"}, {"Observation: 1", "Observation:"}, {"OUTPUT\nx", "OUTPUT"}, {"[tool a] x", "[tool a]"}, {"Fix the parser, and then: go", ""}, {"ok", ""},
		{"", ""}, {"Hello there\nmy friend", ""},
	} {
		if got := leadOf(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestCallsOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"THOUGHT: look\n\n```bash\ncat a.go\n```", "bash|cat a.go|"},
		{"THOUGHT: look\n\n```mswea_bash_command\ncat a.go\n```", "bash|cat a.go|"},
		{"```\nopen src/a.py 12\n```", "open_file||src/a.py"}, {"```\nls -F\n```", "bash|ls -F|"},
		{"It prints\n```\nx\n```\nwhich is wrong.", ""}, {"```go\nfunc f() {}\n```", ""},
		{"<execute_bash>\nls\n</execute_bash>", "bash|ls|"},
		{"<function=execute_bash>\n<parameter=command>\ngo test ./...\n</parameter>\n</function>", "execute_bash|go test ./...|"},
		{"<function=str_replace_editor>\n<parameter=command>view</parameter>\n<parameter=path>/a.go</parameter>\n</function>", "view_file||/a.go"},
		{"<function=str_replace_editor>\n<parameter=command>create</parameter>\n<parameter=path>/a.go</parameter>\n</function>", "str_replace_editor||/a.go"},
		{"<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.go\"}}\n</tool_call>", "read_file||a.go"},
		{"<invoke name=\"Bash\"><parameter name=\"command\">ls</parameter></invoke>", "Bash|ls|"},
		{"<execute_command>\n<command>npm test</command>\n<requires_approval>false</requires_approval>\n</execute_command>", "execute_command|npm test|"},
		{"<read_file>\n<path>src/a.ts</path>\n</read_file>", "read_file||src/a.ts"},
		{"Thought: x\nAction: search[the tower]", "search||"}, {"Action: bash\nAction Input: ls", "bash|ls|"},
		{"{\"tool_name\":\"execute_bash\",\"arguments\":{\"command\":\"pwd\"}}", "execute_bash|pwd|"},
		{"Nothing is called here.", ""},
	} {
		var got []string
		for _, call := range callsOf(c.text) {
			got = append(got, call.tool+"|"+call.command+"|"+call.path)
		}
		if strings.Join(got, ";") != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestAsksRange(t *testing.T) {
	for args, want := range map[string]bool{
		`{"file_path":"a"}`: false, `{"file_path":"a","offset":100,"limit":20}`: true, `{"file_path":"a","limit":20}`: true, `{"path":"a","offset":1}`: false, `{"path":"a","limit":null}`: false,
		`{"path":"a","view_range":[1,20]}`: true, `{"path":"a","start_line":4,"end_line":9}`: true, `{"files":[{"path":"a","line_ranges":["1-5"]}]}`: true, `{"files":[{"path":"a"}]}`: false,
		``: false, `"a"`: false, `{"path":"a","offset":0}`: false,
	} {
		if got := readsRange([]byte(args)); got != want {
			t.Errorf("%s: %t", args, got)
		}
	}
}

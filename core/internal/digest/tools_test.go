package digest_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// Each agent names the tools that change files, and their arguments, in its own way.
func TestEditsOfEachAgent(t *testing.T) {
	for name, call := range map[string]string{
		"Cline":         toolCall("1", "replace_in_file", `{"path":"src/ramp.go","diff":"------- SEARCH\nslope := 1\n=======\nslope := 9\n+++++++ REPLACE"}`, "The content was successfully saved to src/ramp.go."),
		"Roo Code":      toolCall("1", "apply_diff", `{"path":"src/ramp.go","diff":"<<<<<<< SEARCH\n:start_line:7\n-------\nslope := 1\n=======\nslope := 9\n>>>>>>> REPLACE"}`, "ok"),
		"goose":         toolCall("1", "developer__text_editor", `{"command":"str_replace","path":"src/ramp.go","old_str":"slope := 1","new_str":"slope := 9"}`, "ok"),
		"opencode":      toolCall("1", "apply_patch", `{"patchText":"*** Begin Patch\n*** Update File: src/ramp.go\n-slope := 1\n+slope := 9\n*** End Patch"}`, "ok"),
		"Copilot":       toolCall("1", "replace_string_in_file", `{"filePath":"src/ramp.go","oldString":"slope := 1","newString":"slope := 9"}`, "ok"),
		"SWE-agent":     toolCall("1", "edit", `{"search":"slope := 1","replace":"slope := 9"}`, `Text replaced.\n[File: src/ramp.go (9 lines total)]\n(Open file: src/ramp.go)\n(Current directory: /kiln)\nbash-$`),
		"OpenHands":     toolCall("1", "str_replace_editor", `{"command":"str_replace","path":"src/ramp.go","old_str":"slope := 1","new_str":"slope := 9"}`, "ok"),
		"a bare diff":   toolCall("1", "apply_diff", `{"path":"src/ramp.go","diff":"@@ -7 +7 @@\n-slope := 1\n+slope := 9\n"}`, "ok"),
		"Copilot, many": toolCall("1", "multi_replace_string_in_file", `{"replacements":[{"filePath":"src/ramp.go","oldString":"slope := 1","newString":"slope := 9"}]}`, "ok"),
	} {
		t.Run(name, func(t *testing.T) {
			text := logOf(t, `[{"role":"user","content":"Make the ramp of the kiln steeper."},`+call+`,{"role":"assistant","content":"It is steeper."}]`, 4000)
			wants(t, text, []string{"edited src/ramp.go: changes `slope := 1` to `slope := 9`", "src/ramp.go — edited in [1]"}, nil)
		})
	}
	for name, call := range map[string]string{
		"OpenHands, view": toolCall("1", "str_replace_editor", `{"command":"view","path":"src/ramp.go"}`, "package ramp"),
		"goose, view":     toolCall("1", "developer__text_editor", `{"path":"src/ramp.go","command":"view"}`, "package ramp"),
		"SWE-agent, not":  toolCall("1", "edit", `{"search":"slope := 1","replace":"slope := 9"}`, `Your proposed edit has introduced new syntax error(s).\n(Open file: src/ramp.go)\n(Current directory: /kiln)\nbash-$`),
	} {
		t.Run(name, func(t *testing.T) {
			text := logOf(t, `[{"role":"user","content":"Make the ramp of the kiln steeper."},`+call+`,{"role":"assistant","content":"It is as it was."}]`, 4000)
			wants(t, text, nil, []string{"edited", "modified-files"})
		})
	}
}

// The same holds for agents that write calls as text.
func TestTextEdits(t *testing.T) {
	const done = "The content was successfully saved."
	tag := func(name, inside string) string { return "<" + name + ">\n" + inside + "\n</" + name + ">" }
	open := "\n(Open file: src/ramp.go)\n(Current directory: /kiln)\nbash-$"
	for name, c := range map[string]struct{ call, output string }{
		"Cline":               {tag("replace_in_file", "<path>src/ramp.go</path>\n<diff>\n------- SEARCH\nslope := 1\n=======\nslope := 9\n+++++++ REPLACE\n</diff>"), "[replace_in_file for 'src/ramp.go'] Result:\n" + done},
		"OpenHands":           {"<function=str_replace_editor>\n<parameter=command>str_replace</parameter>\n<parameter=path>src/ramp.go</parameter>\n<parameter=old_str>slope := 1</parameter>\n<parameter=new_str>slope := 9</parameter>\n</function>", "EXECUTION RESULT of [str_replace_editor]:\n" + done},
		"SWE-agent, by text":  {"```\nedit \"slope := 1\" \"slope := 9\"\n```", "Text replaced." + open},
		"SWE-agent, by lines": {"```\nedit 7:7\nslope := 9\nend_of_edit\n```", "[File: src/ramp.go (9 lines total)]" + open},
	} {
		t.Run(name, func(t *testing.T) {
			src := `[{"role":"user","content":"Make the ramp of the kiln steeper."}`
			for _, m := range []string{"Let me look.\n" + tag("execute_command", "<command>ls</command>"), "[execute_command for 'ls'] Result:\nsrc" + open, c.call, c.output, c.call, c.output} {
				role := "assistant"
				if strings.Contains(m, "\n") && (strings.HasPrefix(m, "[") || strings.HasPrefix(m, "EXEC") || strings.HasPrefix(m, "Text")) {
					role = "user"
				}
				src += `,{"role":"` + role + `","content":` + strconv.Quote(m) + `}`
			}
			tr, seq := read(t, "openai-chat", src+`,{"role":"assistant","content":"It is steeper."}]`)
			digest.MarkOutputs(tr, len(seq), true)
			text := localOf(tr, seq, 4000)
			want := "edited src/ramp.go: changes `slope := 1` to `slope := 9`"
			if strings.HasSuffix(name, "lines") {
				want = "edited src/ramp.go: adds `slope := 9`"
			}
			wants(t, text, []string{want, "src/ramp.go — edited in [1]"}, []string{"SEARCH", "<path>", "Open file"})
		})
	}
}

// Text that agents write around the output of a command is not part of the output.
func TestOutputEnvelopes(t *testing.T) {
	for name, output := range map[string]string{
		"Gemini CLI": "Command: kilnctl heat\nDirectory: (root)\nOutput: zone 7 holds 900\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 26593",
		"SWE-agent":  "zone 7 holds 900\n(Open file: n/a)\n(Current directory: /kiln)\nbash-$",
		"OpenHands":  "zone 7 holds 900\n[The command completed with exit code 0.]\n[Current working directory: /kiln]\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code 0]",
	} {
		text := logOf(t, `[{"role":"user","content":"Heat zone 7 of the kiln."},`+toolCall("1", "bash", `{"command":"kilnctl heat"}`, strings.ReplaceAll(output, "\n", `\n`))+`,{"role":"assistant","content":"It is hot."}]`, 4000)
		if !strings.Contains(text, "ran `kilnctl heat` → zone 7 holds 900\n") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A command may change to a folder first. The files that it writes are listed with their whole path and with what
// happened to them.
func TestTextCommandsInFolders(t *testing.T) {
	src := `[{"role":"user","content":"Make the ramp of the kiln steeper."}`
	for _, command := range []string{"cd /kiln && cat > src/ramp.py <<'EOF'\nslope = 9\nEOF", "cd /kiln && ls", "cd /kiln && python src/ramp.py > /tmp/out.txt"} {
		src += `,{"role":"assistant","content":` + strconv.Quote("THOUGHT: One step.\n\n```bash\n"+command+"\n```") + `},{"role":"user","content":"<returncode>0</returncode>\n<output>\n</output>"}`
	}
	tr, seq := read(t, "openai-chat", src+`,{"role":"assistant","content":"It is steeper."}]`)
	digest.MarkOutputs(tr, len(seq), true)
	wants(t, localOf(tr, seq, 4000), []string{"<modified-files>\n/kiln/src/ramp.py — "}, []string{"changed before", "\nsrc/ramp.py", "out.txt —"})
}

// Agents that end their work with a call report the outcome in its arguments.
func TestClosingCalls(t *testing.T) {
	for name, call := range map[string]string{
		"Roo Code":  toolCall("2", "attempt_completion", `{"result":"The ramp rises by 8 degrees, and TestRamp passes."}`, "ok"),
		"OpenHands": toolCall("2", "finish", `{"message":"The ramp rises by 8 degrees, and TestRamp passes.","task_completed":"true"}`, "ok"),
	} {
		text := logOf(t, `[{"role":"user","content":"Make the ramp of the kiln steeper."},`+toolCall("1", "bash", `{"command":"go test ./ramp"}`, "ok")+`,`+call+`,
{"role":"user","content":"Now the lamp."},{"role":"assistant","content":"It is lit."}]`, 4000)
		if !strings.Contains(text, "answer: The ramp rises by 8 degrees, and TestRamp passes.") || strings.Contains(text, "called ") {
			t.Errorf("%s: %s", name, text)
		}
	}
	src := `[{"role":"user","content":"<task>\nMake the ramp of the kiln steeper.\n</task>"}`
	for _, m := range [][2]string{
		{"<read_file>\n<path>src/ramp.go</path>\n</read_file>", "[read_file for 'src/ramp.go'] Result:\npackage ramp"},
		{"<write_to_file>\n<path>src/ramp.py</path>\n<content>\nslope = 9\n</content>\n</write_to_file>", "[write_to_file for 'src/ramp.py'] Result:\nThe user denied this operation and provided the following feedback:\n<feedback>\nUse Go, not Python.\n</feedback>"},
		{"<attempt_completion>\n<result>\nThe ramp rises by 8 degrees, and TestRamp passes.\n</result>\n</attempt_completion>", "[attempt_completion] Result:\n<feedback>\nNow the lamp.\n</feedback>"},
		{"<read_file>\n<path>src/lamp.go</path>\n</read_file>", "[read_file for 'src/lamp.go'] Result:\npackage lamp"},
	} {
		src += `,{"role":"assistant","content":` + strconv.Quote(m[0]) + `},{"role":"user","content":` + strconv.Quote(m[1]) + `}`
	}
	tr, seq := read(t, "openai-chat", src+"]")
	digest.MarkOutputs(tr, len(seq), true)
	wants(t, localOf(tr, seq, 4000), []string{"answer: The ramp rises by 8 degrees, and TestRamp passes.", "Use Go, not Python.", "Now the lamp."}, []string{"ramp.py"})
}

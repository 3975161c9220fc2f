package digest_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// step is a call of a tool in a test, with its arguments.
type step struct{ tool, arguments, output string }

// edited returns an edit of a file.
func edited(path, old, now string) step {
	return step{"edit", `{"path":` + jsonText(path) + `,"oldText":` + jsonText(old) + `,"newText":` + jsonText(now) + `}`, "ok"}
}

func wrote(path, content string) step {
	return step{"write", `{"path":` + jsonText(path) + `,"content":` + jsonText(content) + `}`, "ok"}
}

func committed(subject string) step {
	return step{"bash", `{"command":` + jsonText("git commit -am '"+subject+"'") + `}`, "[main 1f2e3d4] " + subject + `\n 1 file changed, 1 insertion(+)`}
}

func jsonText(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// turnOf returns the messages of one turn.
func turnOf(asked string, steps ...step) string {
	var b strings.Builder
	b.WriteString(`{"role":"user","content":` + jsonText(asked) + `}`)
	for n, s := range steps {
		b.WriteString("," + toolCall(asked[:1]+strconv.Itoa(n), s.tool, s.arguments, s.output))
	}
	return b.String()
}

// The entry describes the net effect of the edits of a turn.
func TestEditsOfATurnTakenTogether(t *testing.T) {
	list := func(names ...string) string { return "\"lamps\": [\n\"" + strings.Join(names, "\",\n\"") + "\"\n]," }
	door := "if door.level > door.limit {\n\tdoor.level = door.limit\n}\n"
	for _, c := range []struct {
		name      string
		steps     []step
		want, not []string
	}{
		{"a list that is written twice and cleaned up", []step{
			edited("/kiln/kiln.json", list("hall", "cellar", "attic", "shed")+"\n\"fans\": 2,", list("hall", "cellar")+"\n\"lampsOutside\": [\n\"yard\"\n],\n\"fans\": 2,"),
			edited("/kiln/kiln.json", "\"lampsOutside\": [\n\"yard\"\n],", list("hall", "cellar", "yard")),
			edited("/kiln/kiln.json", list("hall", "cellar")+"\n"+list("hall", "cellar", "yard"), list("hall", "cellar", "yard")),
			edited("/kiln/kiln.json", "\"cellar\",\n\"yard\"", "\"cellar\",\n\"shed\",\n\"yard\""),
		}, []string{"adds yard; removes attic\n"}, []string{"lampsOutside", "adds lamps", "hall", "cellar"}},
		{"a line that moves down", []step{
			edited("/kiln/door.go", door+"fan.run()", "fan.run()\nfan.rest()"),
			edited("/kiln/door.go", "lamp.off()", "lamp.off()\n"+door),
		}, []string{"adds `fan.rest()`"}, []string{"door.level", "door.limit"}},
		{"a line that moves up", []step{
			edited("/kiln/door.go", "lamp.off()", "lamp.off()\n"+door),
			edited("/kiln/door.go", door+"fan.run()", "fan.run()\nfan.rest()"),
		}, []string{"adds `fan.rest()`"}, []string{"door.level", "door.limit"}},
		{"an attempt that is taken back", []step{
			edited("/kiln/door.go", "fan.run()", "fan.runSlowly()"),
			edited("/kiln/lamp.go", "lamp.on()", "lamp.blink()"),
			edited("/kiln/door.go", "fan.runSlowly()", "fan.run()"),
		}, []string{"changes `lamp.on()` to `lamp.blink()`"}, []string{"fan.run", "edited /kiln/door.go"}},
		{"a value that changes twice", []step{
			edited("/kiln/door.go", "const width = 7", "const width = 8"),
			edited("/kiln/door.go", "const width = 8", "const width = 9"),
		}, []string{"changes `const width = 7` to `const width = 9`"}, []string{"= 8"}},
		{"a new file that is edited", []step{
			wrote("/kiln/ramp.go", "package kiln\n\nfunc RampUp() {}\n\nfunc Soak() {}\n"),
			edited("/kiln/ramp.go", "func Soak() {}", "func CoolDown() {}"),
		}, []string{"wrote /kiln/ramp.go: defines RampUp, CoolDown"}, []string{"Soak", "edited /kiln/ramp.go:"}},
		{"a file that is written twice", []step{
			wrote("/kiln/ramp.go", "package kiln\n\nfunc RampUp() {}\n"),
			wrote("/kiln/ramp.go", "package kiln\n\nfunc CoolDown() {}\n"),
		}, []string{"wrote /kiln/ramp.go: defines CoolDown"}, []string{"RampUp"}},
		{"edits before and after a commit", []step{
			edited("/kiln/door.go", "const width = 7", "const width = 8"),
			committed("Widen the door"),
			edited("/kiln/door.go", "const height = 20", "const height = 21"),
		}, []string{"changes `const width = 7` to `const width = 8`\n  - committed “Widen the door”", "changes `const height = 20` to `const height = 21`"}, nil},
		{"short lines are common", []step{
			edited("/kiln/door.go", "return nil", "return errDoor"),
			edited("/kiln/door.go", "lamp.off()", "lamp.off()\nreturn nil"),
		}, []string{"changes `return nil` to `return errDoor`; adds `return nil`"}, nil},
		{"one of two equal lines is gone", []step{
			edited("/kiln/door.go", "lamp.off()\nfan.run()\nlamp.off()", "fan.run()\nlamp.off()"),
		}, []string{"removes `lamp.off()`"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := logOf(t, "["+turnOf("Improve the door of the kiln.", c.steps...)+"]", 4000)
			log, _, _ := strings.Cut(text, "# From files")
			wants(t, log, c.want, c.not)
		})
	}
}

// What the assistant says about an edit is kept if a later edit changes that edit.
func TestRemarkOfAnEditStays(t *testing.T) {
	text := logOf(t, `[{"role":"user","content":"Improve the door."},
`+toolCall("1", "edit", `{"path":"/kiln/door.go","old":"width := 7","new":"width := 8"}`, "ok")+`,
{"role":"assistant","content":[{"type":"text","text":"That fits the frame of `+"`oven_3`"+`."},{"type":"tool_call","id":"2","name":"edit","arguments":{"path":"/kiln/door.go","old":"width := 8","new":"width := 9"}}]},
{"role":"tool_result","tool_call_id":"2","tool_name":"edit","content":"ok"}]`, 4000)
	wants(t, text, []string{"changes `width := 7` to `width := 9` (assistant: That fits the frame of `oven_3`.)"}, nil)
}

// The list of changed files notes that a commit contains more files.
func TestCommitOfMoreFiles(t *testing.T) {
	commit := func(stat string) string {
		return logOf(t, "["+turnOf("Move the lamps to their rooms.", edited("/kiln/door.go", "a := 1", "a := 2"),
			step{"bash", `{"command":"node move.js && git commit -am 'Move the lamps'"}`, `[main 1f2e3d4] Move the lamps\n ` + stat})+"]", 4000)
	}
	text := commit("56 files changed, 133 insertions(+), 128 deletions(-)")
	wants(t, text, []string{"<modified-files>\n56 files in commit 1f2e3d4 of [1], not all of them named here\n"}, nil)
	var l digest.Ledger
	if digest.Body(digest.Message(text), &l); len(l.Modified) != 1 || l.Modified[0] != "/kiln/door.go" {
		t.Errorf("read back: %q", l.Modified)
	}
	wants(t, commit("1 file changed, 1 insertion(+)"), nil, []string{"not all of them"})
}

// A data file is described by its keys, and a short one by its values.
func TestDataFiles(t *testing.T) {
	lamp := "  {\n    \"name\": \"hall\",\n    \"watts\": 40,\n    \"rooms\": [\n      \"hall\",\n      \"stairs\"\n    ]\n  }"
	yaml := strings.Repeat("- name: hall\n  watts: 40\n  rooms:\n    - hall\n", 8)
	for name, c := range map[string]struct{ path, content, want string }{
		"JSON":  {"/kiln/lamps.json", "{\n\"lamps\": [\n" + strings.Repeat(lamp+",\n", 5) + lamp + "\n]\n}\n", "wrote /kiln/lamps.json: keys lamps, name, watts, rooms\n"},
		"YAML":  {"/kiln/lamps.yaml", yaml, "wrote /kiln/lamps.yaml: keys name, watts, rooms\n"},
		"short": {"/kiln/lamp.json", "{\n\"name\": \"hall\",\n\"watts\": 40\n}\n", "wrote /kiln/lamp.json: `\"name\": \"hall\",` `\"watts\": 40`\n"},
	} {
		t.Run(name, func(t *testing.T) {
			wants(t, logOf(t, "["+turnOf("Write down the lamps.", wrote(c.path, c.content))+"]", 4000), []string{c.want}, nil)
		})
	}
}

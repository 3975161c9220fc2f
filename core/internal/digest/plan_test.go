package digest_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// toolCall returns the messages for a call of a tool and its result, in the native format.
func toolCall(id, name, arguments, result string) string {
	return `{"role":"assistant","content":[{"type":"tool_call","id":"` + id + `","name":"` + name + `","arguments":` + arguments + `}]},` +
		`{"role":"tool_result","tool_call_id":"` + id + `","tool_name":"` + name + `","content":"` + result + `"}`
}

// planOf returns the text under the heading for the plan in a digest.
func planOf(text string) string {
	_, plan, _ := strings.Cut(text, "# Plan\n")
	return plan
}

// Regardless of the tool that keeps the plan, a digest lists the steps that are done, in progress and open, and says as
// of which turn.
func TestPlans(t *testing.T) {
	const want = "- [x] measure the loom\n- [~] oil the shuttle\n- [ ] weave the sample"
	for name, calls := range map[string]string{
		"Claude Code": toolCall("1", "TodoWrite", `{"todos":[{"content":"measure the loom","status":"completed","activeForm":"Measuring the loom"},{"content":"oil the shuttle","status":"in_progress","activeForm":"Oiling"},{"content":"weave the sample","status":"pending","activeForm":"Weaving"}]}`, "ok"),
		"Codex":       toolCall("1", "update_plan", `{"explanation":"Two are left.","plan":[{"step":"measure the loom","status":"completed"},{"step":"oil the shuttle","status":"in_progress"},{"step":"weave the sample","status":"pending"}]}`, "Plan updated"),
		"Gemini":      toolCall("1", "write_todos", `{"todos":[{"description":"measure the loom","status":"completed"},{"description":"oil the shuttle","status":"in_progress"},{"description":"weave the sample","status":"pending"}]}`, "ok"),
		"Goose":       toolCall("1", "todo__todo_write", `{"content":"# Loom\n- [x] measure the loom\n- [~] oil the shuttle\n- [ ] weave the sample"}`, "ok"),
		"Cline":       toolCall("1", "read_file", `{"path":"loom.md","task_progress":"- [x] measure the loom\n- [~] oil the shuttle\n- [ ] weave the sample"}`, "ok"),
		"one at a time": toolCall("1", "TaskCreate", `{"subject":"measure the loom","description":"All three of them.","activeForm":"Measuring"}`, "Task #1 created") + "," +
			toolCall("2", "TaskCreate", `{"subject":"oil the shuttle","description":"With the thin oil."}`, "Task #2 created") + "," +
			toolCall("3", "TaskCreate", `{"subject":"weave the sample","description":"Blue."}`, "Task #3 created") + "," +
			toolCall("4", "TaskCreate", `{"subject":"sell it","description":"No."}`, "Task #4 created") + "," +
			toolCall("5", "TaskUpdate", `{"taskId":"1","status":"completed"}`, "ok") + "," +
			toolCall("6", "TaskUpdate", `{"taskId":"2","status":"in_progress"}`, "ok") + "," +
			toolCall("7", "TaskUpdate", `{"taskId":"4","status":"deleted"}`, "ok"),
		"merged": toolCall("1", "todo_write", `{"merge":false,"todos":[{"id":"a","content":"measure the loom","status":"in_progress"},{"id":"b","content":"oil the shuttle","status":"pending"},{"id":"c","content":"weave the sample","status":"pending"}]}`, "ok") + "," +
			toolCall("2", "todo_write", `{"merge":true,"todos":[{"id":"a","status":"completed"},{"id":"b","status":"in_progress"}]}`, "ok"),
	} {
		text := logOf(t, `[{"role":"user","content":"Get the loom ready."},`+calls+`,{"role":"assistant","content":"The shuttle needs oil."},{"role":"user","content":"Fine, go on."}]`, 3000)
		if got := planOf(text); !strings.Contains(got, "as it was in [1]:\n"+want) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// A plan survives compactions until another one replaces it or its steps are done. If there is little room, the last
// steps take precedence.
func TestPlanStays(t *testing.T) {
	const begun = `{"todos":[{"content":"measure the loom","status":"completed"},{"content":"weave the sample","status":"pending"}]}`
	round := func(messages, prior string) string {
		tr, seq := read(t, "native", `[{"role":"user","content":"Go on with the loom."},`+messages+`]`)
		l := &digest.Ledger{}
		prior = digest.Body(prior, l)
		l.Add(tr, seq)
		return digest.Message(digest.NewExtract(tr, seq, prior, l).Digest(3000))
	}
	first := round(toolCall("1", "TodoWrite", begun, "ok"), "")
	second := round(toolCall("2", "bash", `{"command":"make cloth"}`, "ok"), first)
	if got := planOf(second); !strings.Contains(got, "as it was in [1]:\n- [x] measure the loom\n- [ ] weave the sample") {
		t.Errorf("after another compaction:\n%s", second)
	}
	if got := planOf(round(toolCall("3", "TaskUpdate", `{"taskId":"2","status":"completed"}`, "ok"), second)); !strings.Contains(got, "All steps of the assistant's list were done in [3]:") {
		t.Errorf("done:\n%s", got)
	}
	third := round(toolCall("4", "TodoWrite", strings.ReplaceAll(begun, "pending", "completed"), "ok"), second)
	if fourth := round(toolCall("5", "bash", `{"command":"make cloth"}`, "ok"), third); strings.Contains(fourth, "weave the sample") {
		t.Errorf("a plan that was done long ago is still told:\n%s", fourth)
	}
	many := `{"todos":[` + strings.Repeat(`{"content":"thread the needle of the long and narrow loom","status":"completed"},`, 40) + `{"content":"weave the sample","status":"pending"}]}`
	if got := planOf(round(toolCall("6", "TodoWrite", many, "ok"), "")); !strings.Contains(got, " steps before these\n") || !strings.Contains(got, "- [ ] weave the sample") {
		t.Errorf("of many points:\n%s", got)
	}
}

// A plan in the assistant's text is listed with its progress, in later digests as well, but not before work on it has
// begun or after it is finished.
func TestWrittenPlan(t *testing.T) {
	const plan = "The ramp is read twice.\n\n## Plan\n\n1. Cache the sensor in sensors.go\n   - one value per cycle\n2. **Shut the door** before the heater starts\n3. Document the lamp colours in README.md\n\nI begin with the sensor."
	start := `{"role":"user","content":"Repair the kiln."},
` + ranAs("1", strings.ReplaceAll(plan, "\n", `\n`), "cat sensors.go", "package kiln")
	cached := ranAs("2", "x", "git commit -m 'Cache the sensor value in sensors.go'", `[main 9f8e7d6] Cache the sensor value\n 2 files changed, 14 insertions(+)`)
	shut := ranAs("3", "x", "git commit -m 'Shut the door before the heater starts'", `[main 9f8e7d7] Shut the door\n 1 file changed, 4 insertions(+)`)
	told := "# Plan\nThe plan that the assistant wrote down ([x] done, as far as the record shows), in [1]:\n- [x] Cache the sensor in sensors.go\n- [ ] Shut the door before the heater starts\n- [ ] Document the lamp colours in README.md"
	first := logOf(t, "["+start+","+cached+"]", 4000)
	wants(t, first, []string{told}, []string{"assistant: Plan"})
	tr, seq := read(t, "native", "["+shut+"]")
	l := &digest.Ledger{}
	l.Add(tr, seq)
	wants(t, digest.NewExtract(tr, seq, first, l).Digest(4000), []string{strings.ReplaceAll(told, "- [ ] Shut", "- [x] Shut")}, nil)
	asked := `{"role":"user","content":"What is the weather at the kiln?"},{"role":"assistant","content":"It rains."}`
	for _, messages := range []string{start, start + "," + cached + "," + asked + "," + strings.ReplaceAll(asked, "weather", "wind")} {
		wants(t, logOf(t, "["+messages+"]", 4000), nil, []string{"# Plan"})
	}
}

// A finished list is not described if the messages that stay begin another list, either by a tool or in the assistant's
// text.
func TestFinishedPlanBeforeAnotherOne(t *testing.T) {
	done := toolCall("1", "TodoWrite", `{"todos":[{"content":"weave the sample","status":"completed"}]}`, "ok")
	for name, next := range map[string]string{
		"a new step": toolCall("2", "TaskCreate", `{"subject":"sell the cloth"}`, "ok"),
		"a text":     `{"role":"assistant","content":"- [ ] sell the cloth\n- [ ] oil the shuttle"}`,
		"none":       `{"role":"assistant","content":"The cloth is sold."}`,
	} {
		tr, seq := read(t, "native", `[{"role":"user","content":"Weave."},`+done+`,{"role":"assistant","content":"The sample is woven."},{"role":"user","content":"Go on."},`+next+`]`)
		l := &digest.Ledger{}
		l.Add(tr, seq)
		text := digest.NewExtract(tr, seq[:4], "", l).Digest(3000)
		if got := strings.Contains(text, "All steps of the assistant's list"); got != (name == "none") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

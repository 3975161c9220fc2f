package compact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
)

// instructed returns a session that begins with messages containing instructions, followed by several turns.
func instructed(first ...string) string {
	list := make([]string, 0, len(first)+24)
	for _, text := range first {
		list = append(list, fmt.Sprintf(`{"role":"user","content":%q}`, text))
	}
	for i := range 12 {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"request %d"}`, i), fmt.Sprintf(`{"role":"assistant","content":"%s"}`, strings.Repeat("an answer. ", 100)))
	}
	return "[" + strings.Join(append(list, `{"role":"user","content":"and now?"}`), ",") + "]"
}

func TestProjectInstructionsStay(t *testing.T) {
	agents := "# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\nUse tabs everywhere.\n</INSTRUCTIONS>"
	claude := "<system-reminder>\nAs you answer, you can use this context:\n# claudeMd\nContents of /repo/CLAUDE.md (project instructions):\n\nUse tabs everywhere.\n</system-reminder>\nBuild a parser."
	skill := "Base directory for this skill: /s/x\n\nUse tabs everywhere."
	for _, c := range []struct {
		name, params string
		first        []string
		stay         int
	}{
		{"AGENTS.md", ``, []string{agents}, 1}, {"shortened without an archive", ``, []string{"[Truncated]\n" + agents}, 1}, {"CLAUDE.md", ``, []string{claude}, 1}, {"a skill", ``, []string{skill}, 1},
		{"the newest of two", ``, []string{agents, agents}, 1}, {"both", ``, []string{agents, skill}, 2},
		{"switched off", `,"summary":{"mode":"local","project_instructions":0}`, []string{agents}, 0},
		{"too large", `,"summary":{"mode":"local","project_instructions":0.001}`, []string{agents}, 0},
		{"a published system", `,"preset":"turn-tail"`, []string{agents}, 0},
		{"a reminder without instructions", ``, []string{"<system-reminder>\nThe todo list is empty.\n</system-reminder>\nUse tabs everywhere."}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			window := 8000
			if c.params == "" {
				c.params = `,"summary":{"mode":"local"}`
			} else if strings.Contains(c.params, "preset") {
				c.params += `,"summary":{"mode":"local"}`
				window = 40000
			}
			src := instructed(c.first...)
			r := run(t, "openai-chat", fmt.Sprintf(`{"window":{"tokens":%d}`, window)+c.params+`,"passes":[{"pass":"fold","keep_tokens":300}]}`+force, src)
			if r.report.Folded == 0 {
				t.Fatalf("nothing is folded: %s", r.report.Reason)
			}
			if r.report.Instructions != c.stay || (r.report.InstructionTokens > 0) != (c.stay > 0) {
				t.Errorf("%d messages of %d tokens stay, want %d", r.report.Instructions, r.report.InstructionTokens, c.stay)
			}
			out := output(r)
			for _, text := range c.first {
				if whole := fmt.Sprintf("%q", text); c.stay > 0 && !strings.Contains(out, whole) {
					t.Errorf("%s is not in %s", whole, out)
				}
			}
			if strings.Contains(out, "<user-requests>\\n- # AGENTS.md") || strings.Contains(out, "[first] Base directory") {
				t.Errorf("instructions are among the requests: %s", out)
			}
			// A second compaction finds the digest behind them, with a state and without.
			again := run(t, "openai-chat", fmt.Sprintf(`{"window":{"tokens":%d}`, window)+c.params+`,"passes":[{"pass":"fold","keep_tokens":100}]}`+force,
				strings.TrimSuffix(out, "]")+`,{"role":"assistant","content":"`+strings.Repeat("more. ", 400)+`"},{"role":"user","content":"once more"}]`)
			if n := strings.Count(output(again), "[session digest"); window == 8000 && n != 1 {
				t.Errorf("%d digests after a second compaction", n)
			}
		})
	}
}

// An instruction file that is too large to stay is cut down to its rules. It can be restored, and isn't cut again in
// the next compaction.
func TestLargeProjectInstructionsKeepTheirRules(t *testing.T) {
	agents := "# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\n## History\n" + strings.Repeat("The project began as a script and grew over the years.\n", 300) +
		"## Rules\n- Never use spaces for indentation.\n</INSTRUCTIONS>"
	src := instructed(agents)
	const pol = `{"window":{"tokens":8000},"archive":"bodies","summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":300}]}`
	c := run(t, "openai-chat", pol, src)
	out := output(c)
	if c.report.Folded == 0 || c.report.Instructions != 1 || c.report.Truncated != 1 || !c.report.Fits {
		t.Fatalf("%+v", c.report)
	}
	if !strings.Contains(out, `"[Truncated. Handle: `) || !strings.Contains(out, `\n## Rules\n- Never use spaces for indentation.\n</INSTRUCTIONS>\n[… `) {
		t.Error(out)
	}
	var given []api.Kept
	for _, b := range c.bodies {
		given = append(given, api.Kept{Handle: b.Handle, Text: *b.Inline})
	}
	if back, left, err := Restore(input(t, "openai-chat", pol, out), given); err != nil || len(left) > 0 || output(back) != src {
		t.Errorf("%v %v", err, left)
	}
	again := run(t, "openai-chat", pol+force, strings.TrimSuffix(out, "]")+`,{"role":"assistant","content":"`+strings.Repeat("more. ", 400)+`"},{"role":"user","content":"once more"}]`)
	if again.report.Folded == 0 || again.report.Instructions != 1 || !strings.Contains(output(again), "Never use spaces") {
		t.Errorf("%+v\n%s", again.report, output(again))
	}
}

// Project instructions that stay raise the target, so that they take no room from the digest and the tail. They never
// raise it so far that the next compaction would be due soon. A target that the policy itself has stays as it is.
func TestProjectInstructionsRaiseTheTarget(t *testing.T) {
	agents := func(size int) string {
		return "# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\n" + strings.Repeat("Use tabs here. ", size/15) + "\n</INSTRUCTIONS>"
	}
	turns := func(size int) string {
		list := []string{fmt.Sprintf(`{"role":"user","content":%q}`, agents(size))}
		for i := range 120 {
			list = append(list, fmt.Sprintf(`{"role":"user","content":"request %d about file%d.go"}`, i, i*7), fmt.Sprintf(`{"role":"assistant","content":"The function f%d in file%d.go returns %d. %s"}`, i, i*7, i*31, strings.Repeat(fmt.Sprintf("It calls g%d before h%d. ", i*3, i*5), 8)))
		}
		return "[" + strings.Join(append(list, `{"role":"user","content":"and now?"}`), ",") + "]"
	}
	const limit, target = 5600, 3360 // of a window of 8,000
	for _, c := range []struct {
		name, params string
		size, most   int // of the instructions in bytes, and of the target in tokens
	}{
		{"a small file", `"summary":{"mode":"local"}`, 1500, target + 400},
		{"a large file", `"summary":{"mode":"local","project_instructions":0.4}`, 12000, (target + limit) / 2},
		{"a target of the policy", `"summary":{"mode":"local"},"gate":{"target":0.6}`, 1500, target},
		{"a compaction in the background", `"gate":{"start":0.7}`, 1500, target + 280},
		{"the layout of a published system", `"summary":{"mode":"local","style":"turn-tail","project_instructions":0.15}`, 1500, target},
	} {
		t.Run(c.name, func(t *testing.T) {
			pol := `{"window":{"tokens":8000},` + c.params + `}`
			r := run(t, "openai-chat", pol, turns(c.size))
			for replies := []api.Summary(nil); len(r.summary.Requests()) > 0; {
				for _, q := range r.summary.Requests() {
					replies = append(replies, api.Summary{ID: q.ID, Error: "down"})
				}
				r = run(t, "openai-chat", pol, turns(c.size), replies...)
			}
			if r.report.Folded == 0 || r.report.Instructions != 1 {
				t.Fatalf("%+v", r.report)
			}
			if got := r.Target(); got > c.most || got < c.most-30 {
				t.Errorf("the target is %d, want about %d", got, c.most)
			}
			if got := r.report.Tokens.After; got > max(r.Target(), limit*9/10) {
				t.Errorf("the result has %d tokens", got)
			}
			if again := run(t, "openai-chat", pol, output(r)); again.due || again.starts {
				t.Errorf("the next compaction is due at once, at %d tokens", again.report.Tokens.Before)
			}
		})
	}
	with, without := run(t, "openai-chat", `{"window":{"tokens":8000},"summary":{"mode":"local"}}`, turns(3000)), run(t, "openai-chat", `{"window":{"tokens":8000},"summary":{"mode":"local"}}`, turns(0))
	if a, b := with.report.Tokens.After-with.report.InstructionTokens, without.report.Tokens.After; a < b*9/10 {
		t.Errorf("%d tokens of the conversation are left next to instructions, %d without", a, b)
	}
}

// An agent that writes its calls as text keeps its task, and its newest call together with the output.
func TestTextAgentKeepsItsTask(t *testing.T) {
	list := []string{`{"role":"system","content":"You can run commands."}`, `{"role":"user","content":"<pr_description>\nThe parser drops commas.\n</pr_description>\nFix it."}`}
	for i := range 12 {
		list = append(list, fmt.Sprintf(`{"role":"assistant","content":%q}`, fmt.Sprintf("THOUGHT: look at it\n\n```bash\ncat part%d.go\n```", i)),
			fmt.Sprintf(`{"role":"user","content":%q}`, "<returncode>0</returncode>\n<output>\n"+strings.Repeat("a line of output\n", 80)+"</output>"))
	}
	src := "[" + strings.Join(list, ",") + "]"
	out := output(run(t, "openai-chat", `{"window":{"tokens":8000},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":700}]}`+force, src))
	if !strings.Contains(out, list[1]) {
		t.Errorf("the task is not kept as it was: %s", out)
	}
	if i := strings.Index(out, "[session digest"); i < 0 || !strings.Contains(out[i:], "part3.go") || strings.Contains(out[:max(i, 0)], "returncode") {
		t.Errorf("no digest with the commands: %s", out)
	}
	if !strings.Contains(out, list[len(list)-2]+","+list[len(list)-1]) {
		t.Errorf("the newest call and its output are apart: %s", out)
	}
}

// A result that reports running work isn't cleared before the work has ended. A cleared result that reports the end
// still counts.
func TestRunningWorkOutlivesClearing(t *testing.T) {
	call := func(id, tool, args, result string) string {
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_call","id":%q,"name":%q,"arguments":%s}]},{"role":"tool_result","tool_call_id":%[1]q,"tool_name":%[2]q,"content":%[4]q}`, id, tool, args, result)
	}
	start := func(id string) string {
		return call("start-"+id, "Bash", `{"command":"npm run `+id+`"}`, "Command running in background with ID: "+id+"1. Output is being written to: /tmp/"+id+"1.output. You will be notified when it completes.")
	}
	list := []string{`{"role":"user","content":"go"}`, start("dev"), start("old"), call("end", "TaskOutput", `{"task_id":"old1"}`, "<status>completed</status>\n"+strings.Repeat("output ", 50))}
	for i := range 12 {
		list = append(list, call(fmt.Sprint("r", i), "read", fmt.Sprintf(`{"path":"f%d.go"}`, i), strings.Repeat("a line ", 100)))
	}
	src := "[" + strings.Join(append(list, `{"role":"user","content":"and now?"}`), ",") + "]"
	cleared := output(run(t, "native", `{"passes":[{"pass":"clear","keep_recent":1}]}`+force, src))
	if !strings.Contains(cleared, "with ID: dev1") || strings.Contains(cleared, "with ID: old1") {
		t.Errorf("cleared to %s", cleared)
	}
	for _, in := range []string{src, cleared} {
		r := run(t, "native", `{"summary":{"mode":"local"},"passes":[{"pass":"clear","keep_recent":1},{"pass":"fold","keep_tokens":200,"boundary":"group"}]}`+force, in)
		if got := r.report.Running; len(got) != 1 || got[0].ID != "dev1" || got[0].Output != "/tmp/dev1.output" {
			t.Errorf("%+v runs", got)
		}
	}
}

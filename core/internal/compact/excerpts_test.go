package compact

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// excerpted returns a session with two long results, one of which contains a name that the path of a later call
// repeats, a short result, and a newest result.
func excerpted(t *testing.T) (policy, src string) {
	t.Helper()
	filler := strings.Repeat("nothing that anybody needs. ", 20)
	long := func(line string) string {
		return strings.Repeat(filler+`\n`, 4) + line + `\n` + strings.Repeat(filler+`\n`, 4)
	}
	src = reads("read a.go LONG-A", "bash ls 3-files", "read b.go LONG-B", "read lib/tax_table.go "+filler)
	src = strings.Replace(src, "LONG-A", long("see lib/tax_table.go:41 for rates"), 1)
	src = strings.Replace(src, "LONG-B", long("the end"), 1)
	return `{"window":{"tokens":2400,"reserve":1},"gate":{"ratio":1,"target":0.5},"archive":"bodies","passes":[{"pass":"clear","keep_recent":1,"excerpt":60}]}`, src
}

// A cleared result keeps the lines that later messages rely on. A result that would free little stays whole.
func TestClearLeavesExcerpts(t *testing.T) {
	pol, src := excerpted(t)
	c := run(t, "native", pol, src)
	out := output(c)
	if takenOut(c) != "clear@2 clear@6" || c.doc.Total > c.target {
		t.Fatalf("%s: %d tokens, target %d", takenOut(c), c.doc.Total, c.target)
	}
	if !strings.Contains(out, handles.ExcerptMarker[:len(handles.ExcerptMarker)-1]+". Handle: ") ||
		!strings.Contains(out, `]\nsee lib/tax_table.go:41 for rates"`) || !strings.Contains(out, "3-files") {
		t.Error(out)
	}
	freed := 0
	for _, a := range c.report.Actions {
		freed += a.Tokens
	}
	if c.report.Tokens.Before-c.doc.Total != freed {
		t.Errorf("the actions free %d tokens, the run %d", freed, c.report.Tokens.Before-c.doc.Total)
	}
	if again := run(t, "native", pol+force, out); again.report.Reason != api.ReasonNoProgress {
		t.Errorf("a second run says %s: %s", again.report.Reason, takenOut(again))
	}
	in := input(t, "native", pol, out)
	back, left, err := Restore(in, keptBodies(c))
	if err != nil || len(left) > 0 || output(back) != src {
		t.Errorf("%v %v\n%s\n%s", err, left, output(back), src)
	}
}

// If the target leaves no room, little stays.
func TestExcerptsHaveLittleRoomOverTheTarget(t *testing.T) {
	pol, src := excerpted(t)
	c := run(t, "native", strings.Replace(pol, `"target":0.5`, `"target":0.01`, 1), src)
	bare := run(t, "native", strings.Replace(strings.Replace(pol, `"target":0.5`, `"target":0.01`, 1), `,"excerpt":60`, "", 1), src)
	if more := c.doc.Total - bare.doc.Total; more > c.limit/32 {
		t.Errorf("%d tokens more than without, of a limit of %d", more, c.limit)
	}
}

// The excerpt of a read that an earlier compaction cleared doesn't count as the content of a file.
func TestNothingRestoredOfMarkers(t *testing.T) {
	pol, src := excerpted(t)
	for _, pol := range []string{pol, strings.Replace(pol, `,"excerpt":60`, "", 1)} {
		cleared := output(run(t, "native", pol, src))
		c := run(t, "native", `{"archive":"bodies","summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":10,"boundary":"group"},{"pass":"rehydrate"}]}`+force, cleared)
		if len(c.fold.Items) == 0 {
			t.Fatalf("%+v", c.report)
		}
		for _, a := range c.report.Actions {
			if a.Action == api.ActionRestore && a.Path != "lib/tax_table.go" {
				t.Errorf("%s is restored: %s", a.Path, output(c))
			}
		}
	}
}

// A cleared result in a tool loop that becomes text has an excerpt too.
func TestExcerptsInAClosedLoop(t *testing.T) {
	filler := strings.Repeat("nothing that anybody needs. ", 40)
	call := func(id, thinking, result string) string {
		return `,{"role":"assistant","content":[` + thinking + `{"type":"tool_use","id":"` + id + `","name":"Bash","input":{"command":"go test"}}]}` +
			`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"` + result + `"}]}`
	}
	src := `[{"role":"user","content":"Earlier. ` + strings.Repeat(filler, 4) + `"},{"role":"assistant","content":"Done."},{"role":"user","content":"Mend the rates."}` +
		call("t1", `{"type":"thinking","thinking":"hm","signature":"c2ln"},`, strings.Repeat(filler+`\n`, 3)+`the rate of table_seven is 3\n`+strings.Repeat(filler+`\n`, 3)) +
		call("t2", `{"type":"text","text":"So table_seven it is."},`, "ok") + `]`
	pol := `{"window":{"tokens":2400,"reserve":1},"gate":{"ratio":1,"target":0.5},"summary":{"mode":"local"},"archive":"bodies",` +
		`"passes":[{"pass":"clear","keep_recent":1,"excerpt":60},{"pass":"fold","keep_tokens":200}]}`
	c := run(t, "anthropic", pol, src)
	out := output(c)
	if c.report.Thinking == nil || c.report.Thinking.Closed == 0 {
		t.Fatalf("%+v\n%s", c.report, out)
	}
	if !strings.Contains(out, `the rate of table_seven is 3`) {
		t.Error(out)
	}
	back, left, err := Restore(input(t, "anthropic", pol, out), keptBodies(c))
	if err != nil || len(left) > 0 || output(back) != src {
		t.Errorf("%v %v\n%s\n%s", err, left, output(back), src)
	}
}

// The room that a fold leaves below the target holds the newest cleared results as a whole, unless the tail would exceed
// keep_tokens. The archive has no bodies of them, and everything can be restored.
func TestClearRestoresNewest(t *testing.T) {
	entry := func(name string) string {
		return "bash " + name + " " + name + "-says-" + strings.Repeat("all that this result says. ", 12)
	}
	src := reads(entry("one"), entry("two"), entry("three"), entry("four"), entry("five"))
	src = strings.Replace(src, `"content":"go"}`, `"content":"Plan it."},{"role":"assistant","content":[{"type":"text","text":"`+strings.Repeat("The plan is long. ", 500)+`"}]},{"role":"user","content":"go"}`, 1)
	for _, c := range []struct {
		keep  string
		whole []bool // whether the results one to four are whole
	}{
		{"1000", []bool{true, true, true, true}},
		{"480", []bool{false, false, true, true}},
	} {
		pol := `{"window":{"tokens":2600,"reserve":1},"gate":{"ratio":1,"target":0.9},"summary":{"mode":"local"},"archive":"bodies",` +
			`"passes":[{"pass":"clear","keep_recent":1,"excerpt":8},{"pass":"fold","keep_tokens":` + c.keep + `,"boundary":"group"}]}` + force
		run := run(t, "native", pol, src)
		out := output(run)
		if len(run.fold.Items) == 0 || run.doc.Total > run.target {
			t.Fatalf("%+v\n%s", run.report, out)
		}
		cleared := 0
		for i, name := range []string{"one", "two", "three", "four"} {
			whole := strings.Contains(out, name+"-says-all that this result says. all")
			if whole != c.whole[i] {
				t.Errorf("keep_tokens %s: %s is whole: %t\n%s", c.keep, name, whole, out)
			}
		}
		freed := 0
		for _, a := range run.report.Actions {
			freed += a.Tokens
			if a.Action == api.ActionClear {
				cleared++
			}
		}
		if run.report.Cleared != cleared || run.report.Tokens.Before-run.doc.Total != freed {
			t.Errorf("%d results cleared, %d actions; the actions free %d tokens, the run %d", run.report.Cleared, cleared, freed, run.report.Tokens.Before-run.doc.Total)
		}
		for _, body := range run.bodies {
			if body.What == api.BodyToolResult && !strings.Contains(out, body.Handle[:handles.Short]) {
				t.Errorf("the archive has the body of a result that stays: %+v", body)
			}
		}
		back, left, err := Restore(input(t, "native", pol, out), keptBodies(run))
		if err != nil || len(left) > 0 || output(back) != src {
			t.Errorf("%v %v\n%s\n%s", err, left, output(back), src)
		}
	}
}

package compact

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// excerpted is a session with two long results, of which the path of a later call repeats one name, a short one, and a newest one.
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

// Of a result that is cleared stays what later messages build on; one that would free little stays whole.
func TestClearLeavesExcerpts(t *testing.T) {
	pol, src := excerpted(t)
	c := run(t, "native", pol, src)
	out := output(c)
	if takenOut(c) != "clear@2 clear@6" || c.Total > c.Target {
		t.Fatalf("%s: %d tokens, target %d", takenOut(c), c.Total, c.Target)
	}
	if !strings.Contains(out, handles.ExcerptMarker[:len(handles.ExcerptMarker)-1]+". Handle: ") ||
		!strings.Contains(out, `]\nsee lib/tax_table.go:41 for rates"`) || !strings.Contains(out, "3-files") {
		t.Error(out)
	}
	freed := 0
	for _, a := range c.Report.Actions {
		freed += a.Tokens
	}
	if c.Report.Tokens.Before-c.Total != freed {
		t.Errorf("the actions free %d tokens, the run %d", freed, c.Report.Tokens.Before-c.Total)
	}
	if again := run(t, "native", pol+force, out); again.Report.Reason != api.ReasonNoProgress {
		t.Errorf("a second run says %s: %s", again.Report.Reason, takenOut(again))
	}
	in := input(t, "native", pol, out)
	var given []api.Kept
	for _, b := range c.Archive {
		given = append(given, api.Kept{Handle: b.Handle, Text: *b.Inline})
	}
	back, left, err := Restore(in, given)
	if err != nil || len(left) > 0 || output(back) != src {
		t.Errorf("%v %v\n%s\n%s", err, left, output(back), src)
	}
}

// Where the target leaves no room, little stays.
func TestExcerptsHaveLittleRoomOverTheTarget(t *testing.T) {
	pol, src := excerpted(t)
	c := run(t, "native", strings.Replace(pol, `"target":0.5`, `"target":0.01`, 1), src)
	bare := run(t, "native", strings.Replace(strings.Replace(pol, `"target":0.5`, `"target":0.01`, 1), `,"excerpt":60`, "", 1), src)
	if more := c.Total - bare.Total; more > c.Limit/32 {
		t.Errorf("%d tokens more than without, of a limit of %d", more, c.Limit)
	}
}

// What is left of a read that an earlier compaction has cleared is no content of a file.
func TestNothingRestoredOfMarkers(t *testing.T) {
	pol, src := excerpted(t)
	for _, pol := range []string{pol, strings.Replace(pol, `,"excerpt":60`, "", 1)} {
		cleared := output(run(t, "native", pol, src))
		c := run(t, "native", `{"archive":"bodies","summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":10,"boundary":"group"},{"pass":"rehydrate"}]}`+force, cleared)
		if len(c.Folded) == 0 {
			t.Fatalf("%+v", c.Report)
		}
		for _, a := range c.Report.Actions {
			if a.Action == api.ActionRestore && a.Path != "lib/tax_table.go" {
				t.Errorf("%s is restored: %s", a.Path, output(c))
			}
		}
	}
}

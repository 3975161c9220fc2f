package compact

import (
	"strings"
	"testing"
)

// The output of an agent program's own commands is cut to its beginning and end, because the user didn't write it.
// Undoing the compaction restores it. The newest message, and a request that only quotes the tag, stay unchanged.
func TestOutputsOfHarnessCommandsAreCut(t *testing.T) {
	long := `<local-command-stdout>\u001b[1mContext\u001b[22m of this session\n` + strings.Repeat(`\u001b[2mtools of the harness: 400 tokens\u001b[22m\n`, 60) + `</local-command-stdout>`
	src := func(first, last string) string {
		return `[{"role":"user","content":"bake"},{"role":"assistant","content":[{"type":"text","text":"Yes."}]},{"role":"user","content":"` + first +
			`"},{"role":"assistant","content":[{"type":"text","text":"Done."}]},{"role":"user","content":"` + last + `"}]`
	}
	const pol = `{"archive":"bodies","passes":[{"pass":"squeeze"}]}` + force
	c := run(t, "native", pol, src(long, "and now?"))
	out := output(c)
	if takenOut(c) != "truncate@2" || !strings.Contains(out, "[Truncated. Handle: ") || strings.Count(out, "tools of the harness") > 9 || !strings.Contains(out, "Context of this session") {
		t.Fatalf("%q: %s", takenOut(c), out)
	}
	back, left, err := Restore(input(t, "native", pol, out), keptBodies(c))
	if err != nil || len(left) > 0 || output(back) != src(long, "and now?") {
		t.Errorf("%v %v\n%s", err, left, output(back))
	}
	if c := run(t, "native", strings.Replace(pol, `"squeeze"`, `"squeeze","min_reclaim":100000`, 1), src(long, "and now?")); takenOut(c) != "" {
		t.Errorf("cut below min_reclaim: %q", takenOut(c))
	}
	if c := run(t, "native", strings.Replace(pol, `"squeeze"`, `"squeeze","min_reclaim":100`, 1), src(long, "and now?")); takenOut(c) != "truncate@2" {
		t.Errorf("the output alone frees more than min_reclaim: %q", takenOut(c))
	}
	for _, same := range []string{src("Why "+long+"?", "and now?"), src("why?", long), src(long+`\nNever delete the folder kiln.`, "and now?")} {
		if c := run(t, "native", pol, same); takenOut(c) != "" {
			t.Errorf("%q: %s", takenOut(c), output(c))
		}
	}
	if again := run(t, "native", pol, out); takenOut(again) != "" {
		t.Errorf("cut again: %q", takenOut(again))
	}
}

// The long output of a command that the user entered is neither a skill nor an instruction file, so it isn't kept as
// project instructions.
func TestOutputOfACommandIsNoInstructionFile(t *testing.T) {
	src := `[{"role":"user","content":"bake"},{"role":"assistant","content":[{"type":"text","text":"Yes."}]},{"role":"user","content":"<command-name>/context</command-name>"},` +
		`{"role":"user","content":"<local-command-stdout>` + strings.Repeat("tools of the harness: 400 tokens, read from CLAUDE.md. ", 40) + `</local-command-stdout>"},` +
		`{"role":"assistant","content":[{"type":"text","text":"Done."}]},{"role":"user","content":"and now?"}]`
	c := run(t, "native", `{"window":{"tokens":9000},"passes":[{"pass":"squeeze"}]}`+force, src)
	if takenOut(c) != "truncate@3" || c.report.Instructions != 0 {
		t.Errorf("%q, %d messages of instructions: %s", takenOut(c), c.report.Instructions, output(c))
	}
}

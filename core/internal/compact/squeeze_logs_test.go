package compact

import (
	"strconv"
	"strings"
	"testing"
)

// A log loses its middle only if the command succeeded and the model has answered since. Output that a command was
// asked to print stays, and so does a log that the model hasn't read. Undoing the compaction restores the log.
func TestLogsThatWereReadAreCut(t *testing.T) {
	const pol = `{"archive":"bodies","passes":[{"pass":"squeeze","keep_recent":2}]}` + force
	var log strings.Builder
	for i := range 200 {
		log.WriteString("[plugin-" + strconv.Itoa(i*i) + `] rewriting chunk ` + strconv.Itoa(i*7) + ` of the bundle\n`)
	}
	src := func(command, end, answer string) string {
		return `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"bash","arguments":{"command":"` + command + `"}}]},` +
			`{"role":"tool_result","tool_call_id":"1","tool_name":"bash","content":"` + log.String() + end + `"}` + answer + `]`
	}
	const answer = `,{"role":"assistant","content":[{"type":"text","text":"It is pushed."}]}`
	read := src("git push", "pushed", answer)
	c := run(t, "native", pol, read)
	if out := output(c); takenOut(c) != "squeeze@2" || !strings.Contains(out, "middle cut") || !strings.Contains(out, "lines left out]") || !strings.Contains(out, "pushed") {
		t.Fatalf("%q: %s", takenOut(c), out)
	}
	back, left, err := Restore(input(t, "native", pol, output(c)), keptBodies(c))
	if err != nil || len(left) > 0 || output(back) != read {
		t.Errorf("%v %v\n%s", err, left, output(back))
	}
	if c := run(t, "native", strings.Replace(pol, `"archive":"bodies",`, "", 1), read); takenOut(c) != "" {
		t.Errorf("without an archive: %q %s", takenOut(c), output(c))
	}
	for name, same := range map[string]string{
		"asked for":            src("cat log.txt", "pushed", answer),
		"asked for at the end": src("git add -A && git diff --cached", "pushed", answer),
		"a query":              src("docker exec db psql -c 'select 1'", "pushed", answer),
		"a plan":               src("terraform plan", "pushed", answer),
		"a difference":         src("gh pr diff 7", "pushed", answer),
		"a list of packages":   src("pip freeze", "pushed", answer),
		"a file elsewhere":     src("ssh kiln cat ramp.log", "pushed", answer),
		"what would be done":   src("make -n install", "pushed", answer),
		"not read yet":         src("git push", "pushed", ""),
		"failed":               src("git push", `Command exited with code 1`, answer),
	} {
		if c := run(t, "native", pol, same); takenOut(c) != "" {
			t.Errorf("%s: %q", name, takenOut(c))
		}
	}
}

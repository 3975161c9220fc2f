package digest_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

const (
	kilnRead = `{"role":"assistant","content":[{"type":"tool_call","id":"ID","name":"read","arguments":{"path":"/kiln/src/FILE"}}]},` +
		`{"role":"tool_result","tool_call_id":"ID","tool_name":"read","content":"OUT"}`
	kilnEdit = `{"role":"assistant","content":[{"type":"tool_call","id":"ID","name":"edit","arguments":{"path":"/kiln/src/FILE","oldText":"OLD","newText":"NEW"}}]},` +
		`{"role":"tool_result","tool_call_id":"ID","tool_name":"edit","content":"ok"}`
)

// Where everything is said about the turns and room is left, a digest shows what the files that were read say, as far as that still holds.
func TestDigestShowsFilesWhereThereIsRoom(t *testing.T) {
	fill := func(text string, parts ...string) string { return strings.NewReplacer(parts...).Replace(text) }
	code := `// The ramp slows down above 900 degrees because the glaze would blister.\n` + strings.Repeat(`x = x\n`, 60) + `\nconst soak = \"hold for 40 minutes\"\nconst fan = \"blow at 30 percent\"\n`
	messages := `[{"role":"user","content":"Why does the glaze blister?"},
` + fill(kilnRead, "ID", "1", "FILE", "ramp.go", "OUT", code) + `,
` + fill(kilnRead, "ID", "2", "FILE", "old.go", "OUT", `// The old kiln had three zones and no fan at all.\n`+strings.Repeat(`y = y\n`, 60)) + `,
` + fill(kilnEdit, "ID", "3", "FILE", "ramp.go", "OLD", `const soak = \"hold for 40 minutes\"`, "NEW", `const soak = \"hold for 55 minutes\"`) + `,
` + ranAs("4", "", "cat > /kiln/src/old.go <<EOF\\n// Nothing is left here.\\nEOF", "") + `,
{"role":"assistant","content":"The soak was too short: it is 55 minutes now."},
{"role":"user","content":"Thanks, and the fan?"}]`
	text := logOf(t, messages, 12000)
	_, shown, found := strings.Cut(text, "# From files that were read\n")
	if !found || !strings.HasPrefix(shown, "[1] /kiln/src/ramp.go:\n    // The ramp slows down above 900 degrees because the glaze would blister.\n") || !strings.Contains(shown, "blow at 30 percent") {
		t.Errorf("the file is not shown in\n%s", text)
	}
	for _, not := range []string{"hold for 40 minutes", "three zones"} {
		if strings.Contains(shown, not) {
			t.Errorf("%q no longer holds, but it is in\n%s", not, shown)
		}
	}
	if text := logOf(t, messages, 1500); strings.Contains(text, "From files") {
		t.Errorf("a file is shown where there is little room:\n%s", text)
	}
}

// An agent that writes its calls as text reads files too.
func TestDigestShowsFilesOfATextAgent(t *testing.T) {
	say := func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"},` }
	ran := func(script, output string) string {
		return say("assistant", "THOUGHT: on with it.\\n\\n```bash\\n"+script+"\\n```") + say("user", "<returncode>0</returncode>\\n<output>\\n"+output+"\\n</output>")
	}
	code := `// The ramp slows down above 900 degrees because the glaze would blister.\n` + strings.Repeat(`x = x\n`, 60) + `const fan = \"blow at 30 percent\"`
	messages := "[" + say("user", "Why does the glaze blister?") + ran("cat /kiln/src/ramp.go", code) + ran("cat /kiln/src/old.go", `// The old kiln had three zones.\n`+strings.Repeat(`y = y\n`, 60)) +
		ran("echo new > /kiln/src/old.go", "") + ran("ls /kiln", "src") + say("assistant", "The fan blows at 30 percent.") + `{"role":"user","content":"Thanks."}]`
	tr, seq := read(t, "native", messages)
	digest.MarkOutputs(tr, len(tr.Messages), true)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	text := digest.NewExtract(tr, seq, "", l).Digest(12000)
	_, shown, found := strings.Cut(text, "# From files that were read\n")
	if !found || !strings.Contains(shown, "/kiln/src/ramp.go:\n    // The ramp slows down above 900 degrees") || strings.Contains(shown, "three zones") {
		t.Errorf("ramp.go, and nothing of old.go, is to be shown in\n%s", text)
	}
}

package digest_test

import (
	"strings"
	"testing"
)

const mochaRun = `> kiln@1.0.0 pretest /kiln\n> pnpm run build\n\n> kiln@1.0.0 build /kiln\n> tsc\n\n> kiln@1.0.0 test /kiln\n> mocha\n\n  Kiln\n    ✔ keeps errors of the lamp in the tree\n    ✔ cannot be opened when it is hot (187ms)\n    LINES  35 passing (6s)\nMORE[50762:0408/150044.675360:ERROR:net/cert/trust.cc:807] Error parsing certificate:\nERROR: Failed parsing extensions\n`

// A run of mocha that failed names its failed tests and what the first of them asserted. One that passed has not failed,
// whatever the tested program logs.
func TestRunsOfMocha(t *testing.T) {
	const failing = `  1 failing\n  1) Kiln\n       lights the lamp:\n\n      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n'lamp 7' !== 'lamp 9'\n\n      + expected - actual\n`
	run := func(exit, lines, more string) string {
		output := `Exit code: ` + exit + `\nWall time: 13.5 seconds\nOutput:\n` + strings.NewReplacer("LINES", lines, "MORE", more).Replace(mochaRun)
		return logOf(t, `[{"role":"user","content":"Is the kiln's lamp right?"},`+ranAs("1", "x", "pnpm test", output)+`,{"role":"assistant","content":"See above."},{"role":"user","content":"Good."}]`, 4000)
	}
	wants(t, run("0", "", ""), []string{"→ 35 passing (6s)\n"}, []string{"Open errors", "ailed", "certificate", "[1]: `pnpm test` (runs `mocha`) → ["})
	wants(t, run("1", `1) lights the lamp\n`, failing), []string{"→ exit 1: lights the lamp: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 'lamp 7' !== 'lamp 9'\n"}, []string{"✔", "in the tree"})
	wants(t, run("1", "", ""), []string{"Error parsing certificate"}, []string{"✔", "in the tree"})
}

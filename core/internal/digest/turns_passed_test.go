package digest_test

import "testing"

// A check that failed and passed later in a script with several checks doesn't look as if it still failed.
func TestAFailedCheckPassesLaterWithOthers(t *testing.T) {
	const failed = `  × The formatter would have printed something else\nexit code: 1`
	const asked = `[{"role":"user","content":"Tidy the kiln."},`
	const over = `,{"role":"assistant","content":"It is tidy, in kiln/door.go."},{"role":"user","content":"Thanks. And the fan?"},{"role":"assistant","content":"Later."}]`
	passed := logOf(t, asked+ranAs("1", "x", "bun run lint", failed)+`,`+ranAs("2", "x", "bun run typecheck && bun run lint", `Checked 286 files\nexit code: 0`)+over, 6000)
	wants(t, passed, []string{"something else (passed later)"}, nil)
	for _, script := range []string{"bun run typecheck; bun run lint", "bun run typecheck || bun run lint"} {
		wants(t, logOf(t, asked+ranAs("1", "x", "bun run lint", failed)+`,`+ranAs("2", "x", script, `Checked 286 files\nexit code: 0`)+over, 6000), nil, []string{"(passed later)"})
	}
	wants(t, logOf(t, asked+ranAs("1", "x", "bun run lint", failed)+`,`+ranAs("2", "x", "bun run typecheck && bun run lint", failed)+over, 6000), nil, []string{"(passed later)"})
}

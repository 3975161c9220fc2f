package digest

import "testing"

// An option that makes a command print more doesn't make it one that only inspects something.
func TestKindsOfCommands(t *testing.T) {
	for script, want := range map[string]runKind{
		"go test -v ./kiln": checks, "pytest test_ramp.py -v": checks, "pytest -v": checks, "cargo test --release -v": checks, "docker run -v /kiln:/kiln lamp": alters,
		"psql -h zone7 -c 'delete from lamps'": alters, "node -v": looks, "npm --version": looks, "kiln help": looks, "timeout 9 node -v": looks, "command -v node": looks,
	} {
		if got := scriptKind(script); got != want {
			t.Errorf("%s: %d, not %d", script, got, want)
		}
	}
}

package digest_test

import "testing"

// Text that the assistant sends to another agent or to a tracker through the shell is quoted with its destination.
// Scripts, and text for git, are not quoted.
func TestPromptsThroughTheShell(t *testing.T) {
	const prose = "Move the log of each firing into its own folder. Do not push to main, and leave the branch as it is when you are done. Old logs in /kiln/old may be read, but nothing new is written there."
	const code = `import kiln\\nfor zone in kiln.zones:\\n    print(zone.name, zone.heat)\\n    if zone.heat > 900:\\n        zone.off()\\nkiln.log.write('a b c d e f g h i j k l m n o p q r s t u v w x y z')\\n`
	for name, c := range map[string]struct{ command, want, not string }{
		"a heredoc in a file": {"tmp=$(mktemp).md\\ncat > \\\"$tmp\\\" <<'EOF'\\n" + prose + "\\nEOF\\nloom add firing-logs -b -f \\\"$tmp\\\"", "told `loom add firing-logs`: Move the log of each firing into its own folder. Do not push to main", ""},
		"a quoted word":       {"loom send firing-logs \\\"" + prose + "\\\"", "told `loom send firing-logs`: Move the log of each firing", ""},
		"an issue":            {"gh issue comment 12 --body '" + prose + "'", "told `gh issue comment 12`: Move the log of each firing", ""},
		"a commit":            {"git commit -m '" + prose + "'", "committed “Move the log", "told `"},
		"a program":           {"python - <<'EOF'\\n" + code + "EOF", "", "told `"},
		"a failure":           {"loom send firing-logs \\\"" + prose + "\\\"; false", "", "told `"},
	} {
		output := "exit code: 0"
		if name == "a failure" {
			output = "no such worker\\nexit code: 1"
		}
		text := logOf(t, `[{"role":"user","content":"Let somebody sort the logs."},`+ranAs("1", "x", c.command, output)+`,{"role":"assistant","content":"The worker has begun with 12 logs."},{"role":"user","content":"Good."}]`, 4000)
		var not []string
		if c.not != "" {
			not = []string{c.not}
		}
		t.Run(name, func(t *testing.T) { wants(t, text, []string{c.want}, not) })
	}
}

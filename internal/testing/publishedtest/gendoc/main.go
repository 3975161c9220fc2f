// Command gendoc writes a page that lists the rows for all published systems, in one section per system. Its argument
// is the file to write.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/ctxfold/ctxfold/internal/testing/publishedtest"
)

const head = `# Published systems

For anyone who migrates from one of these systems, or wants to check that a preset behaves like it: each row is a fact about a published system.

With ` + "`wire_safe: false`" + ` a preset does exactly what the rows say. With ` + "`wire_safe: true`" + `, the default, it fixes what a row calls a defect.
Each row has a test, ` + "`TestSeeds/ROW`" + `, which runs natively, under wazero and in Node. ` + "`make generate`" + ` writes this page.
`

func main() {
	var b strings.Builder
	b.WriteString(head)
	section := ""
	for _, r := range publishedtest.Rows() {
		if system, _, _ := strings.Cut(r.ID, "."); system != section {
			section = system
			fmt.Fprintf(&b, "\n## %s: the preset `%s`\n\n| row | fact |\n|---|---|\n", system, r.Preset)
		}
		fact := r.Title
		if r.Test == nil {
			fact += " (not tested: " + r.Why + ")"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", r.ID, strings.ReplaceAll(fact, "|", `\|`))
	}
	if err := os.WriteFile(os.Args[1], []byte(b.String()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

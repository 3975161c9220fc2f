package digest_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

const guide = `# AGENTS.md instructions for /repo

<INSTRUCTIONS>
# Shop

The shop sells cheese. It was written in 2019 by three people who liked cheese a lot, and it has grown since.

## Layout

The code is in src, the tests are next to it.

` + "```" + `
src/
  cart/
  till/
` + "```" + `

## Rules

- Never push to main.
- Prices are integers, in cents.
- Use ` + "`make check`" + ` before each commit.

## History

In the beginning there was a script. Then came the cart, after it the till, and much later the loyalty programme that nobody uses.
</INSTRUCTIONS>
`

func TestProjectRules(t *testing.T) {
	all := digest.ProjectRules(guide, 10*len(guide))
	for line := range strings.Lines(guide) {
		if s := strings.TrimSpace(line); len(s) > 3 && !strings.Contains(all, s) {
			t.Errorf("with room for all, %q is missing", s)
		}
	}
	short := digest.ProjectRules(guide, 250)
	for _, want := range []string{"# AGENTS.md instructions for /repo\n", "<INSTRUCTIONS>\n", "</INSTRUCTIONS>\n", "## Rules\n- Never push to main.\n", "make check", "bytes left out"} {
		if !strings.Contains(short, want) {
			t.Errorf("%q is not in %q", want, short)
		}
	}
	for _, not := range []string{"## History", "In the beginning", "cheese a lot", "cart/"} {
		if strings.Contains(short, not) {
			t.Errorf("%q is in %q", not, short)
		}
	}
	for size := range len(guide) {
		got := digest.ProjectRules(guide, size)
		if len(got) > max(size, len(digest.LeftOut(len(guide)))) {
			t.Fatalf("%d bytes of at most %d: %q", len(got), size, got)
		}
		for line := range strings.Lines(got) {
			if line = strings.TrimSuffix(line, "\n"); !strings.Contains(guide, line) && !strings.HasPrefix(line, "[… ") {
				t.Fatalf("%q is no line of the file", line)
			}
		}
	}
}

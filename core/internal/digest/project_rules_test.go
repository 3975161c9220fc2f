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

const handbook = `# Handbook of the dairy

## Brine

Mix it as follows, every time:

1. Weigh the salt.
2. Always warm the water before the salt goes in.

   Cold water leaves grains behind.
3. Stir until it is clear.

## Titles

Write the title in the imperative.
Do not put the name of the shop in front unless the owner wants it.

## Visitors

People come on Sundays. They see the cellar and the copper kettles, and at the end they taste three kinds of cheese with bread.
There is a car park behind the barn, and a bus from the station twice a day, except on holidays and when it snows.
`

// Sections stay whole, and the note names those that are left out.
func TestProjectRulesKeepWholeSections(t *testing.T) {
	const brine = "## Brine\nMix it as follows, every time:\n1. Weigh the salt.\n2. Always warm the water before the salt goes in.\n   Cold water leaves grains behind.\n3. Stir until it is clear.\n"
	const titles = "## Titles\nWrite the title in the imperative.\nDo not put the name of the shop in front unless the owner wants it.\n"
	got := digest.ProjectRules(handbook, 440)
	for _, want := range []string{"# Handbook of the dairy\n", brine, titles, "bytes left out, also of: Visitors …]"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	for size := range len(handbook) {
		got := digest.ProjectRules(handbook, size)
		if len(got) > max(size, len(digest.LeftOut(len(handbook)))) {
			t.Fatalf("%d bytes of at most %d: %q", len(got), size, got)
		}
		if strings.Contains(got, "3. Stir") && !strings.Contains(got, "2. Always warm the water before the salt goes in.\n   Cold water leaves grains behind.\n") ||
			strings.Contains(got, "2. Always") && !strings.Contains(got, "follows, every time:\n1. Weigh the salt.\n") {
			t.Fatalf("an item without its neighbours: %q", got)
		}
	}
}

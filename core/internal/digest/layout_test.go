package digest

import (
	"strings"
	"testing"
)

func TestHeadingOf(t *testing.T) {
	for line, want := range map[string]int{
		"# Objective": objective, "## objective": objective, "# Plan:": plan, "### SHIPPED\n": shipped, "**Stuck:**": stuck, "**Carryover**:": carryover,
		"# People": people, "# About the user": about, "## Open Questions": questions, "# Decisions": rationale, "# Rationale": rationale,
		"# Plans and dates": plan, "# Preferences": guardrails, "# Notes": carryover, "# Topics": objective,
		"# Appendix": -1, "Plan": -1, " # Plan": -1, "- Plan": -1, "#": -1, "": -1, "PLAN:": plan, "Open questions:": questions, "Open questions: none": -1, "**bold** text": -1, "**": -1, "****": -1, "# " + strings.Repeat("x", 100): -1,
	} {
		if got, ok := headingOf(line, true); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v", line, got, ok)
		}
	}
}

// A digest keeps all of its lines when it continues in the other layout.
func TestLayoutsCarryOver(t *testing.T) {
	for _, from := range []*layout{sessionLayout, chatLayout} {
		for _, to := range []*layout{sessionLayout, chatLayout} {
			var b strings.Builder
			for _, i := range from.order {
				b.WriteString(from.headings[i] + "\n" + strings.Repeat("x", i+1) + "\n\n")
			}
			b.WriteString("# Another\nsomething else\n")
			text := to.moveText(splitSections(b.String()))
			all := strings.Join(text[:], "\n") + "\n"
			for i, s := range text {
				if s != "" && to.headings[i] == "" {
					t.Errorf("section %d has no heading but %q", i, s)
				}
			}
			for _, i := range from.order {
				if !strings.Contains("\n"+all, "\n"+strings.Repeat("x", i+1)+"\n") {
					t.Errorf("section %d of %s is lost", i, from.headings[i])
				}
			}
			if !strings.Contains(text[carryover], "# Another\nsomething else") {
				t.Errorf("an unknown heading is not carried over: %q", text[carryover])
			}
		}
	}
}

// Quoted lines in a digest are not mistaken for its headings.
func TestQuotesAreNoHeadings(t *testing.T) {
	text := splitSections("## Active\nSaid last: done.\n # Plan\n**Notes**\nmore\n\n# Plan\n1. go on")
	if text[active] != "Said last: done.\n # Plan\n**Notes**\nmore" || text[plan] != "1. go on" {
		t.Errorf("%q", text)
	}
	text = splitSections("**Plan**\n1. go on\n**Open questions:**\nwhen?")
	if text[plan] != "1. go on" || text[questions] != "when?" {
		t.Errorf("%q", text)
	}
}

package digest

import (
	"slices"
	"strings"
	"testing"
)

// Code that a user pastes without marking it is found, and the sentences around it are not part of it.
func TestCodeWithoutFences(t *testing.T) {
	const text = `can you make the dial rounder?
struct DialView: View {
    @State private var zone = 4

    var body: some View {
        VStack(spacing: 12) {
            Text("Zone \(zone)")
                .font(.title2)
            Stepper("Zone", value: $zone)
        }
    }
}
and it should show the zone in red.

kiln = Kiln(zones=4)
kiln.heat(zone)
print(kiln.zones)
def cool(kiln):
    """Cools it."""
    for zone in kiln.zones:
        zone.cool()
why does cool() do nothing
I tried the small kiln first.
Please keep the large one as it is, thanks.`
	var said strings.Builder
	at := 0
	for _, p := range codePassages(text) {
		said.WriteString(text[at:p[0]])
		at = p[1]
	}
	said.WriteString(text[at:])
	var lines []string
	for line := range strings.Lines(said.String()) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	want := []string{"can you make the dial rounder?", "and it should show the zone in red.", "why does cool() do nothing", "I tried the small kiln first.",
		"Please keep the large one as it is, thanks."}
	if !slices.Equal(lines, want) {
		t.Errorf("what is left: %q", lines)
	}
	for _, prose := range []string{
		"```go\nfunc main() {\n\theat(4)\n}\n```\n## Why\n* **zones** are counted from 0\n\"Zone 4\" is the last one",
		"case closed (finally)\nlet me know: thanks\nimport taxes: 5%", "private room: yes\npublic transport: bus 4\nfinal price: 30",
		"~~~\nfunc main() {\n\theat(4)\n}\n~~~", "Hello (again)\nThis is Ann.\nThanks", "Import the list\nExport it again\nReturn the key (the small one)\nLet me know", "Milk\nEggs\nBread",
		"1. Open the door.\n2. Close it.\n3. Wait.", "Name: Ann\nDate: 5 May\nGuests: 4", "Privately I think so.\nPublic holidays are fine.\nInternal doors too.",
	} {
		if found := codePassages(prose); found != nil {
			t.Errorf("%q: %v", prose, found)
		}
	}
}

// What a compiler says, what a program does wrong, and what it should have are no rules.
func TestStatementsAboutAProgram(t *testing.T) {
	coding := &readRoom{coding: true}
	for _, s := range []string{
		"Value of optional type 'Zone?' must be unwrapped to a value of type 'Zone'", "Initializer for conditional binding must have Optional type, not 'String'",
		"ModuleNotFoundError: No module named 'kiln.zones'", "not saving the last zone only", "The function heat() is defined but never called.", "zone should be",
		"I want something like this", "P0: Fix heat() not being called — 8 dials are lost.", "Fix the zone not updating.",
		"add edit and delete option", "i want small dials", "include switches also",
	} {
		if got := statements(s, coding); len(got) > 0 {
			t.Errorf("%q", got)
		}
	}
	for _, s := range []string{
		"Names of types must end in 'View', not 'Panel'.", "I want short answers.", "Always add a comment.", "Give every answer in French.", "Never use 'any'.",
		"Fix every failing test before you commit.", "Always fix the dials first.", "Fix lint errors without asking me.", "Use 'const' instead of 'let'.",
		"Use 'kebab-case' for file names, please.", "Call 'make lint' before each commit.", "Type hints must use 'list' and not 'List'.",
	} {
		if got := statements(s, coding); !slices.Equal(got, []string{s}) {
			t.Errorf("%q: %q", s, got)
		}
	}
	for _, s := range []string{
		"Warning: never push to main.", "Warning: do not delete the backups in /srv.", "Error: never swallow it.", "Hints are allowed but never solutions.",
		"Prices must be listed but never rounded.", "Not during lunch.", "Not using emojis, please.",
	} {
		if got := statements(s, new(readRoom)); !slices.Equal(got, []string{s}) {
			t.Errorf("%q: %q", s, got)
		}
	}
}

// Headings that an assistant writes with a picture and no Markdown mean nothing without the lines below them. A line with a value is none.
func TestPictureHeadings(t *testing.T) {
	for line, want := range map[string]bool{
		"✅ Step 2: Wire the dial": true, "🔧 Fix: Make the dial global": true, "🛠️ How to keep the zones": true, "💡 Zones: 48": false,
		"✅ The dial is wired now.": false, "Step 2: Wire the dial": false, "✅": false,
	} {
		if isPictureHeading(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}

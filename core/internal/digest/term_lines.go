package digest

import "strings"

// termLabels lists the labels of lines that list terms, in digests written by versions up to 0.2.
var termLabels = []string{"Paths:", "Links:", "Names:", "Numbers:", "Errors:"}

// withoutTerms returns a section's text without the lines in which old digests list terms.
func withoutTerms(text string) string {
	var b strings.Builder
next:
	for line := range strings.Lines(text) {
		for _, label := range termLabels {
			if strings.HasPrefix(line, label+" ") {
				continue next
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

package digest

import "strings"

// termLabels lists the labels of lines with terms in digests that were written by versions up to 0.2.
var termLabels = []string{"Paths:", "Links:", "Names:", "Numbers:", "Errors:"}

// withoutTerms returns a section's text without the lines with terms that old digests contain.
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

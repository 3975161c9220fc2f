package digest

import "strings"

// termLabels begin lines that list terms, in digests of versions up to 0.2.
var termLabels = []string{"Paths:", "Links:", "Names:", "Numbers:", "Errors:"}

// withoutTerms returns the text of a section without lines that list terms, as old digests have them.
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

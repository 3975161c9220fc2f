package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
)

// maxLevel is the number of levels of Markdown headings.
const maxLevel = 6

// Outline splits the text of a digest at its headings. Any wording counts, because models write their own headings.
func Outline(text string) []api.DigestSection {
	sections := []api.DigestSection{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			continue
		}
		if name, level := markedHeading(line); level > 0 {
			sections = append(sections, api.DigestSection{Heading: name, Level: level, Lines: []string{}})
			continue
		}
		if len(sections) == 0 {
			sections = append(sections, api.DigestSection{})
		}
		last := &sections[len(sections)-1]
		last.Lines = append(last.Lines, line)
	}
	return sections
}

// markedHeading returns the text and the level of a Markdown heading. The level is 0 if the line isn't a heading.
func markedHeading(line string) (name string, level int) {
	name = strings.TrimLeft(line, "#")
	if level = len(line) - len(name); level > maxLevel || !strings.HasPrefix(name, " ") {
		return "", 0
	}
	return strings.TrimSpace(name), level
}

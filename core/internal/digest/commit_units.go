package digest

import (
	"slices"
	"strings"
)

// commitOf returns the branch and the hash that git prints after a commit, with the counts of changes if git prints
// them. It returns "" if the output names no commit.
func commitOf(output string) string {
	for line := range strings.Lines(output[:min(len(output), lookResult)]) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") {
			if inside, after, found := strings.Cut(line[1:], "]"); found && len(inside) < 80 && strings.Contains(inside, " ") {
				_, after, _ = strings.Cut(output, after)
				if stat := statOf(after); stat != "" {
					inside += "; " + stat
				}
				return inside
			}
		}
	}
	return ""
}

// clearedStart is the beginning of the text that replaces a cleared tool result.
const clearedStart = "[Old tool result content cleared"

// knownOutput returns a script's output, or "" if the script makes a commit or pushes one and its
// output was cleared. Then the commit counts as made, as it does if git prints nothing.
func knownOutput(script, output string) string {
	if strings.HasPrefix(output, clearedStart) && (scriptKind(withoutFolder(script)) == commits || pushes(script)) {
		return ""
	}
	return output
}

// pushes reports whether a script contains a command that pushes commits.
func pushes(script string) (found bool) {
	if !strings.Contains(script, " push") {
		return false
	}
	eachCommand(script, func(words []string) {
		found = found || len(words) > 1 && words[0] == "git" && words[1] == "push" && !slices.Contains(words, "--dry-run") && !slices.Contains(words, "-n")
	}, func(string) {})
	return found
}

// statOf returns git's line with the numbers of changed files and lines, or "" if there is none near the beginning of
// the output.
func statOf(output string) string {
	for line := range strings.Lines(output[:min(len(output), lookResult)]) {
		if line = strings.TrimSpace(line); strings.Contains(line, "changed, ") && strings.Contains(line, " file") && len(line) < 100 {
			return line
		}
	}
	return ""
}

// pushOf returns the changed branches and tags that git push reports, as in "main -> main (3f2c1aa..90b1d7e)", a note
// that there was nothing to push, or "".
func pushOf(output string) string {
	var all []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Everything up-to-date") {
			return "nothing, as everything was up to date"
		}
		if name, found := strings.CutPrefix(line, "- [deleted]"); found && len(all) < mostHits {
			all = append(all, "- [deleted] "+strings.TrimSpace(name))
			continue
		}
		from, to, found := strings.Cut(line, " -> ")
		if !found || len(all) == mostHits || len(line) > 160 {
			continue
		}
		to, _, _ = strings.Cut(to, " ")
		if change := pushedRef(from, to); change != "" {
			all = append(all, change)
		}
	}
	return strings.Join(all, "; ")
}

// pushedRef returns the change of a branch or a tag that a line of git push reports. from and to are the texts on either
// side of its arrow. It returns "" for any other line.
func pushedRef(from, to string) string {
	words := strings.Fields(from)
	switch {
	case len(words) < 2 || strings.Contains(from, "|") || strings.Contains(from, "=>"):
	case strings.Contains(words[0], "..") || words[0] == "+":
		n := 0
		if words[0] == "+" && len(words) > 2 {
			n = 1
		}
		return words[len(words)-1] + " -> " + to + " (" + words[n] + ")"
	case words[0] == "*" && strings.Contains(from, "[new tag]"):
		return "new tag " + to
	case words[0] == "*":
		return "new branch " + to
	}
	return ""
}

// The maximum lengths, in bytes, of quotes from a commit message: the first line, and the whole quote.
const (
	quotedSubject = 160
	quotedMessage = 340
)

// commitMessage returns the message of the git commit in a script, on one line, or "" if there is none. It contains the
// subject and as much of the body as fits.
func commitMessage(script string) string { return shortMessage(messageIn(script)) }

// commitSubject returns the first line of the message of the git commit in a script, in at most quotedSubject bytes, or
// "" if there is none.
func commitSubject(script string) string {
	subject, _, _ := strings.Cut(messageIn(script), "\n")
	return clipWords(strings.TrimSpace(subject), quotedSubject)
}

// messageIn returns the message of the git commit in a script, or "".
func messageIn(script string) string {
	at := max(0, strings.Index(script, "commit")) // a script may quote a part of the word
	for _, option := range []string{messageFlags(script[at:]), " --message ", " --message=", " -m"} {
		n := strings.Index(script[at:], option)
		if n < 0 {
			continue
		}
		rest := strings.TrimLeft(script[at+n+len(option):], " ")
		if strings.HasPrefix(rest, "\"$(cat <<") { // a heredoc
			_, rest, _ = strings.Cut(rest, "\n")
			end := len(rest)
			for _, mark := range []string{"\nEOF", "\n)\""} {
				if n := strings.Index(rest, mark); n >= 0 {
					end = min(end, n)
				}
			}
			return strings.TrimSpace(rest[:end])
		}
		message, _ := shellWord(rest, 0)
		return strings.TrimSpace(message)
	}
	return ""
}

// messageFlags returns the first short options of git commit that end with the one for the message, as in " -qam ". It
// returns " -m " if there are none.
func messageFlags(script string) string {
	const option = " -m "
	for found := true; found; {
		if _, script, found = strings.Cut(script, option[:2]); found {
			rest := strings.TrimLeft(script, "aqsven")
			if strings.HasPrefix(rest, option[2:]) {
				return option[:2] + script[:len(script)-len(rest)] + option[2:]
			}
		}
	}
	return option
}

// shortMessage returns a commit message on one line. It contains the subject and as many of the following paragraphs
// and list items as fit.
func shortMessage(message string) string {
	subject, body, _ := strings.Cut(message, "\n")
	text := clipWords(strings.TrimSpace(subject), quotedSubject)
	for _, said := range bodyParts(withoutTrailers(body)) {
		if len(text)+len(said) > quotedMessage {
			break
		}
		text += joinOf(text) + said
	}
	return text
}

// bodyParts returns the paragraphs and list items in the body of a commit message, each on one line.
func bodyParts(body string) (parts []string) {
	open := false // whether the last part continues on the next line
	for line := range strings.Lines(body) {
		item, line := listItem(strings.TrimSpace(line))
		switch {
		case line == "":
			open = false
		case open && !item:
			parts[len(parts)-1] += " " + line
		default:
			parts, open = append(parts, line), true
		}
	}
	return parts
}

// withoutTrailers returns the body of a commit message without the lines at its end that name its authors and tools
// ("Signed-off-by: …", "Generated with …").
func withoutTrailers(body string) string {
	body = strings.TrimSpace(body)
	for {
		at := strings.LastIndexByte(body, '\n')
		line := body[at+1:]
		key, value, found := strings.Cut(line, ": ")
		if signed := found && strings.Contains(key, "-") && !strings.Contains(key, " ") && strings.Contains(value, "@"); !signed && !strings.Contains(line, "Generated with") {
			return body
		}
		body = strings.TrimSpace(body[:max(at, 0)])
	}
}

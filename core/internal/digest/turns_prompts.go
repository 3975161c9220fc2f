package digest

import "strings"

// Agents also write to others through the shell: a prompt for another agent, the text of an issue, a note in a tracker.
// Such text is a quoted word of a command, or a heredoc. Whoever continues the work needs to know what it says.

// leastPrompt is the minimum number of words in such text. mostPrompt is the maximum number of its bytes to read.
const (
	leastPrompt = 25
	mostPrompt  = mostReport
)

// prompt is text that a command passes to another program. to is the command.
type prompt struct{ to, text string }

// prompts adds the prose that a script passes to other programs to the current turn, as units; of each text it reads at
// most mostPrompt bytes. i is the index of the message with the script, and docs holds the script's heredocs.
func (r *turnReader) prompts(i int, script string, docs []string) {
	for _, p := range promptsIn(script, docs) {
		first := len(r.now().units)
		r.sent.add(p.text)
		proseUnits(trimRune(p.text[:min(len(p.text), mostPrompt)]), func(lead, text string, item int) {
			factor := ofReport
			switch len(r.now().units) {
			case first: // what it is about
				factor = ofDeed
			case first + 1:
				factor = ofTask
			}
			if !fewSpaces(text, 3) || unspacedText(text) {
				r.add(unit{kind: toldUnit, message: int32(i), lead: lead, source: promptVerb + p.to, text: text, item: item, factor: factor})
			}
		})
	}
}

// promptVerb begins the source of a unit that quotes what the assistant wrote to another program.
const promptVerb = "told "

// promptsIn returns the prose that the commands of a script pass to other programs. The heredocs belong to the commands
// in order, except for those of commits, which come first and are skipped. docs are the heredocs of the script.
func promptsIn(script string, docs []string) (all []prompt) {
	var takers []string
	eachCommand(script, func(words []string) {
		words, name := withoutLaunchers(words)
		if !writesTo(name, words) {
			return
		}
		to := codeQuote(Fence(callName(words, name)))
		takers = append(takers, to)
		for _, w := range words[1:] {
			if w = strings.NewReplacer(`\"`, `"`, "\\`", "`", `\$`, "$").Replace(w); isProse(w) {
				all = append(all, prompt{to, w})
			}
		}
	}, func(string) {})
	if len(takers) == 0 {
		return all
	}
	docs = docs[max(0, len(docs)-len(takers)):]
	for n, doc := range docs {
		doc = strings.TrimSuffix(doc, "\n")
		if doc = doc[:max(0, strings.LastIndexByte(doc, '\n'))]; isProse(doc) {
			all = append(all, prompt{takers[n], doc})
		}
	}
	return all
}

// posts lists programs that change the state of a remote service, but can also post text there, such as comments.
var posts = wordListOf("gh glab")

// writesTo reports whether a command may pass text to a reader. The description of a pull request doesn't count,
// because it repeats the work in the log.
func writesTo(name string, words []string) bool {
	switch {
	case posts.has(name):
		return len(words) > 1 && words[1] != "pr" && words[1] != "mr"
	case name == "git" || alterers.has(name) || interpreters.has(name) || runners.has(name):
		return false
	}
	return kindOfWords(words) > looks
}

// The limits for the name of a command: the number of words after the program, and the length of each in bytes.
const (
	mostCallWords = 3
	longestWord   = 48
)

// callName returns name, the program of a command, and the words after it, up to the first option or long argument and
// at most mostCallWords: "gh issue comment 12".
func callName(words []string, name string) string {
	for _, w := range words[1:min(len(words), 1+mostCallWords)] {
		if w == "" || w[0] == '-' || len(w) > longestWord || strings.ContainsAny(w, "\n$`") {
			break
		}
		name += " " + w
	}
	return name
}

// isProse reports whether text has enough words to be prose for a reader, and is not code, data or output.
func isProse(text string) bool {
	if fewSpaces(text, leastPrompt) && !unspacedText(text) || len(text) < leastPrompt {
		return false
	}
	lines, code := 0, 0
	for line := range strings.Lines(text[:min(len(text), mostPrompt)]) {
		if line = strings.TrimSpace(line); line != "" {
			lines++
			if codesBare(line) {
				code++
			}
		}
	}
	return code*3 <= lines
}

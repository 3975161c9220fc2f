package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

var refusalStart = startsOf(refusalStarts)

// refused returns the user's comment (words) on the refused call whose result is part n as an
// answer. If the user only postponed the call to clarify its questions, it returns the answers to
// these questions.
func refused(t *transcript.Transcript, n int32, words string) []answer {
	if strings.HasPrefix(words, "The user wants to clarify") {
		return clarified(words)
	}
	about := ToolName(t, int(n))
	if pair := t.Parts[n].Pair; pair >= 0 && about != "" {
		if on := clipLine(callSubject(t, &t.Parts[pair]), maxCommand/2); on != "" {
			about += " " + on
		}
	}
	if about == "" {
		return []answer{{words: words}}
	}
	return []answer{{"refused: " + about + " - said: ", words}}
}

// refusedBare reports whether the user refused, without a comment, the call whose result is part n.
func refusedBare(t *transcript.Transcript, n int32) bool {
	p := &t.Parts[n]
	if !p.Has(transcript.IsError) && t.Failures || p.Has(transcript.Cleared|transcript.Squeezed) || questionTools.hasTool(ToolName(t, int(n))) {
		return false
	}
	raw := t.Bytes(p.Body)
	if p.Body.IsZero() {
		raw = t.Bytes(p.Span)
	}
	if _, _, refusal := marksIn(raw); !refusal {
		return false
	}
	text := Tidy(ResultText(t, int(n)))
	return startsWithAny(text, refusalStarts) && !strings.HasPrefix(text, "The user approved") && refusalWords(text) == ""
}

// calledAs returns a description of a call on one line: the command in backticks, or the tool's name and the subject.
func calledAs(t *transcript.Transcript, call *transcript.Part) string {
	if useOfCall(t, call) == runs {
		return codeQuote(clipWords(clipLine(withoutDocs(commandOf(t, call)), maxCommand), maxCommand))
	}
	name := clipLine(t.Text(call.Name), maxName)
	if subject := clipLine(callSubject(t, call), maxCommand/2); subject != "" {
		name += " " + subject
	}
	return name
}

// callSubject returns the subject of a call: a file, a command, a description, an address, a query, a pattern, or "".
func callSubject(t *transcript.Transcript, call *transcript.Part) string {
	if path := Path(t, call); path != "" {
		return path
	}
	found, best := "", 3
	arguments(t, call, func(key, text string) {
		rank := 3
		switch is, _ := argumentOf(key); {
		case is == command:
			rank = 0
		case key == "description" || key == "title":
			rank = 1
		case key == "url" || key == "query" || key == "pattern":
			rank = 2
		}
		if rank < best {
			found, best = text, rank
		}
	})
	return found
}

// refusalStarts lists the beginnings of the results of calls that the user refused or commented on.
var refusalStarts = []string{"The user doesn't want to", "The user rejected", "The user denied", "The user approved", "The user declined", "User rejected",
	"User denied", "User declined", "Permission for this tool use was denied", "exec command rejected by user", "patch rejected by user", "Rejected by user",
	"Tool call rejected by user", "The tool call was rejected", "Error: The user", "[Request denied", "Execution denied by user"}

// refusalMarks lists phrases that precede the user's words in the result of a refused call.
var refusalMarks = []string{"the user said:", "with the following feedback:", "rejected permission with feedback:", "user said:", "user feedback:", "reason given by the user:",
	"user's reason:", "reason from user:", "rejected by user:", "denied by user:", "declined by user:", "with feedback:", "user's message:"}

// refusalEnds lists phrases that follow the user's words in the result of a refused call.
var refusalEnds = []string{"\n\nNote: The user's next message", "\n\n<environment_details>", "\n<environment_details>", "\n\n<system-reminder>", "\n<system-reminder>"}

// refusalWords returns the user's words in the result of a call that the user refused or commented on, or "".
func refusalWords(text string) string {
	start := text[:min(len(text), resultHead)]
	if isResultHead(start) { // Cline: [name for 'x'] Result:
		_, text, _ = strings.Cut(text, "\n")
		text = strings.TrimSpace(text)
		start = text[:min(len(text), resultHead)]
	}
	begins := startsWithAny(start, refusalStarts)
	if words := taggedWords(text); words != "" && (begins || strings.HasPrefix(start, "<feedback>") || strings.Contains(start, "<feedback>") && strings.Contains(start, "the user")) {
		return words
	}
	if !begins {
		return ""
	}
	low := strings.ToLower(start)
	for _, mark := range refusalMarks {
		if at := strings.Index(low, mark); at >= 0 && len(low) == len(start) {
			words := text[at+len(mark):]
			for _, end := range refusalEnds {
				words, _, _ = strings.Cut(words, end)
			}
			return cutWords(words)
		}
	}
	return ""
}

// taggedWords returns the user's words from the tags that Cline and its forks put around them, or "" if there are none.
func taggedWords(text string) string {
	for _, tag := range []string{"feedback", "answer", "user_message"} {
		if _, rest, found := strings.Cut(text, "<"+tag+">"); found {
			words, _, _ := strings.Cut(rest, "</"+tag+">")
			return cutWords(words)
		}
	}
	return ""
}

// queuedMarks lists phrases that precede a message sent by the user while the agent was working.
var queuedMarks = []string{"The user sent a new message while you were working", "The user sent the following message while you were working",
	"The user sent the following message"}

// queuedEnds lists phrases that follow such a message.
var queuedEnds = []string{"\n\nIMPORTANT: After completing", "\nIMPORTANT: After completing", "\n\nThis is how Claude Code surfaces", "\n\nPlease address this message",
	"\nPlease address this message"}

// queuedWords returns the user's message from a reminder that the harness wrote, or "" if the reminder contains none.
func queuedWords(reminder string) string {
	reminder = strings.TrimSpace(reminder)
	for _, mark := range queuedMarks {
		rest, found := strings.CutPrefix(reminder, mark)
		if !found {
			continue
		}
		rest = strings.TrimLeft(rest, ":. \n")
		for _, end := range queuedEnds {
			rest, _, _ = strings.Cut(rest, end)
		}
		return cutWords(rest)
	}
	return ""
}

const (
	reminderOpen = "<system-reminder>"
	reminderEnd  = "</system-reminder>"
)

// withoutReminders returns a result without its reminders and without trailing white space. A reminder starts at the
// beginning of a line and ends at the end of a line.
func withoutReminders(text string) string {
	var b strings.Builder
	rest := text
	for {
		before, after, found := strings.Cut(rest, "\n"+reminderOpen)
		at := strings.Index(after, reminderEnd)
		if !found || at < 0 {
			break
		}
		after = after[at+len(reminderEnd):]
		if end := strings.TrimLeft(after, " \r"); end != "" && end[0] != '\n' { // text that only quotes the tag
			break
		}
		b.WriteString(before)
		rest = after
	}
	b.WriteString(rest)
	return strings.TrimRight(b.String(), " \r\n")
}

// WithoutRepeatedReminders returns a result without the reminders at its end that are already in seen, and adds the
// others to seen. It keeps reminders that contain the user's words, and everything before a reminder that it keeps.
func WithoutRepeatedReminders(text string, seen *critbit.Map[struct{}]) string {
	for rest, repeated := text, true; ; {
		before, reminder, ok := lastReminder(rest)
		if !ok || strings.TrimSpace(before) == "" || queuedWords(inReminder(reminder)) != "" {
			return text
		}
		switch repeated = repeated && seen.Has(reminder); {
		case repeated:
			text = strings.TrimRight(before, " \r\n")
		default:
			seen.Add(reminder)
		}
		rest = before
	}
}

// queuedAtEnd returns the user's messages in the reminders at the end of a result. There are at most mostAnswers of
// them, oldest first.
func queuedAtEnd(text string) (words []string) {
	for len(words) < mostAnswers {
		before, reminder, ok := lastReminder(text)
		if !ok {
			break
		}
		if said := queuedWords(inReminder(reminder)); said != "" {
			words = append(words, said)
		}
		text = before
	}
	slices.Reverse(words)
	return words
}

// lastReminder returns the reminder at the end of a result and the text before it. ok is false if there is none. A
// reminder starts at the beginning of a line; a tag anywhere else is part of quoted text.
func lastReminder(text string) (before, reminder string, ok bool) {
	text = strings.TrimSpace(text)
	at := strings.LastIndex(text, reminderOpen)
	if !strings.HasSuffix(text, reminderEnd) || at < 0 || at > 0 && text[at-1] != '\n' {
		return "", "", false
	}
	return text[:at], text[at:], true
}

// inReminder returns the text of a reminder without its tags.
func inReminder(reminder string) string {
	return reminder[len(reminderOpen) : len(reminder)-len(reminderEnd)]
}

// interruptedMark begins the message that Claude Code writes when the user stops the assistant. interruptedNote follows a
// request in whose turn the assistant had done nothing by then, as it would otherwise seem to be carried out.
const (
	interruptedMark = "[Request interrupted"
	interruptedNote = " (not done: the user interrupted it)"
)

// interrupts reports whether message i says that the user stopped the assistant.
func interrupts(t *transcript.Transcript, i int) bool {
	text := t.Bytes(t.FirstText(i))
	return len(text) > len(interruptedMark) && string(text[1:len(interruptedMark)+1]) == interruptedMark
}

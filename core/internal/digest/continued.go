package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// continues is the beginning of the message with which an agent program resumes a session from its own summary.
// summaryStart precedes the summary in that message.
const (
	continues    = "This session is being continued from a previous conversation"
	summaryStart = "\nSummary:\n"
)

// summaryEnds lists the beginnings of the instructions that follow the summary.
var summaryEnds = []string{"If you need specific details from before compaction", "Please continue the conversation from where"}

// continuedIn calls see for each summary in message i with which an agent program replaced an earlier part of the
// session.
func continuedIn(t *transcript.Transcript, i int, see func(summary string)) {
	for _, p := range t.PartsOf(i) {
		if p.Kind != transcript.Text || p.Parent >= 0 || p.Has(transcript.Removed) || t.Messages[i].Role != transcript.User {
			continue
		}
		text := strings.TrimSpace(t.Text(p.Body))
		if !strings.HasPrefix(text, continues) {
			continue
		}
		_, text, _ = strings.Cut(text, "\n")
		if _, summary, found := strings.Cut("\n"+text, summaryStart); found {
			text = summary
		}
		for _, end := range summaryEnds {
			text, _, _ = strings.Cut(text, end)
		}
		see(trimRune(text[:min(len(text), lookText)]))
	}
}

// continued adds the summaries that an agent program wrote in message i to the current turn.
func (r *turnReader) continued(i int) {
	continuedIn(r.t, i, func(summary string) {
		unitsWithCode(summary, longCode, func(lead, text string, item int) {
			r.add(unit{kind: oldUnit, message: -1, lead: lead, text: text, item: item, factor: worthOfOld(lead, text, 0)})
		})
	})
}

// continued adds the summaries that agent programs wrote in messages. It must be called before the messages are read.
func (k *talk) continued(t *transcript.Transcript, messages []int32) {
	for _, i := range messages {
		continuedIn(t, int(i), func(summary string) { k.read(carryover, summary) })
	}
}

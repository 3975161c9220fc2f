package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// When an agent that worked in the background has ended, its program says so in a user message. The log quotes the report
// in that message: it is the result of the call that started the agent.

// backgroundNote follows a call that started an agent in the background. What the result says about that is no report.
const backgroundNote = " (in the background)"

// backgroundAgent is the name of the tool that counts as the source of such a report.
const backgroundAgent = "agent"

// notified adds the reports of agents whose end message i, a user message, announces.
func (r *turnReader) notified(i int) {
	for _, p := range r.t.OuterParts(&r.t.Messages[i]) {
		if p.Kind != transcript.Text {
			continue
		}
		text := r.t.Text(p.Body)
		for notice := range tagged(text, "task-notification") {
			report, found := innerText(notice, "result")
			if !found {
				continue // a notice about a command: another call shows its output
			}
			summary, _ := innerText(notice, "summary")
			r.reported(i, agentName(summary), report)
		}
		for notice := range tagged(text, "subagent_notification") {
			r.reported(i, "", textIn(notice))
		}
	}
}

// reported adds the report of an agent whose task has a name, which may be "". The beginning of a report says how the
// work went, and the first items of a long list show what the rest is like, so later items weigh less.
func (r *turnReader) reported(i int, name, report string) {
	first := len(r.now().units)
	r.report(i, backgroundAgent, report)
	units := r.now().units[first:]
	for n := range units {
		u := &units[n]
		if name != "" {
			u.source = backgroundAgent + "(" + Fence(clipLine(name, maxName)) + ")"
		}
		switch {
		case n == 0:
			u.factor = ofTask
		case u.item > shownItems:
			u.factor = ofReport / 4
		}
	}
}

// shownItems is the number of items of a list in a report that keep their weight.
const shownItems = 3

// agentName returns the name in the summary of a notice: that of the task in `Agent "Move the tests" completed`. It
// returns "" if there is none.
func agentName(summary string) string {
	_, rest, _ := strings.Cut(summary, `"`)
	name, _, found := strings.Cut(rest, `"`)
	if !found {
		return ""
	}
	return name
}

// reportLabelOf returns the label of a report by the agent that source names: "a subagent reported: ", with the name of its
// task if a notice said it.
func reportLabelOf(source string) string {
	if name, found := strings.CutPrefix(source, backgroundAgent+"("); found {
		return "a subagent (" + strings.TrimSuffix(name, ")") + ") reported: "
	}
	return reportLabel
}

// mostNotices is the maximum number of notices that are read from a message.
const mostNotices = 16

// tagged yields the texts between each pair of tags with the given name.
func tagged(text, tag string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for range mostNotices {
			inside, found := innerText(text, tag)
			if !found || !yield(inside) {
				return
			}
			_, text, _ = strings.Cut(text, "</"+tag+">")
		}
	}
}

// innerText returns the text between the first pair of tags with the given name, without white space around it. found is
// false if there is no such pair.
func innerText(text, tag string) (inside string, found bool) {
	_, after, opens := strings.Cut(text, "<"+tag+">")
	inside, _, closed := strings.Cut(after, "</"+tag+">")
	return strings.TrimSpace(inside), opens && closed
}

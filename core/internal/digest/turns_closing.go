package digest

import "github.com/ctxfold/ctxfold/core/internal/transcript"

// Some agents end their work with a call whose argument is their report to the user. closingTools lists the names of
// such tools, in the form that ToolKey returns, and closingKeys the names of such arguments.
var (
	closingTools = wordListOf("attemptcompletion finish taskdone taskcomplete completetask submit submitandexit submitresult submitanswer finalanswer finaloutput planmoderespond respond")
	closingKeys  = wordListOf("result message answer response summary output text final_answer")
)

// closes reports whether a part is a call in which an agent reports what it has done.
func closes(t *transcript.Transcript, p *transcript.Part) bool {
	return p.Kind == transcript.ToolCall && closingTools.hasTool(t.Name(p.Name))
}

// closingWords returns the report in the arguments of a call in message i. It returns "" if there is none.
func (r *turnReader) closingWords(i int) (words string) {
	hear := func(key, text string) {
		if closingKeys.has(key) {
			words = joinText(words, text)
		}
	}
	for _, p := range r.t.PartsOf(i) {
		if closes(r.t, &p) && !p.Has(transcript.Removed) {
			arguments(r.t, &p, hear)
		}
	}
	for _, c := range r.called {
		if closingTools.hasTool(c.tool) {
			for _, a := range c.given {
				hear(a.key, a.value)
			}
		}
	}
	return words
}

// turnContinues reports whether the assistant writes or does anything after message i and before the user's next words.
func turnContinues(t *transcript.Transcript, i int) bool {
	for n := i + 1; n < len(t.Messages); n++ {
		switch {
		case t.Messages[n].Role == transcript.Assistant:
			return true
		case RequestIn(t, n) != "":
			return false
		}
	}
	return false
}

// closingOf marks the last message of each turn in which the assistant writes something, unless a call follows it. It
// marks no message of a turn that continues after messages. messages are indexes of t, asked has the request in each of
// them, or "", and kept the texts that stay in the context. The result has one element per message.
func closingOf(t *transcript.Transcript, messages []int32, asked, kept []string) []bool {
	closing := make([]bool, len(messages))
	// Whether no message of the assistant follows in the turn.
	open := len(messages) == 0 || !turnContinues(t, int(messages[len(messages)-1]))
	for k := len(messages) - 1; k >= 0; k-- {
		i := int(messages[k])
		if t.Messages[i].Role == transcript.Assistant && open {
			closing[k] = assistantSpeaks(t, i)
			open = !closing[k] && !makesCalls(t, i)
		}
		open = open || asked[k] != "" || kept[k] != ""
	}
	return closing
}

// mostClosing is the maximum number of bytes to read from the closing messages of old turns. If there are more, the
// messages are sampled evenly.
const mostClosing = 1 << 18

// thin unmarks some of the old messages, evenly distributed, so that the marked ones have at most
// mostClosing bytes. closing has a mark for each message.
func thin(t *transcript.Transcript, old []int32, closing []bool) {
	size := func(k int) (sum int) {
		if closing[k] {
			for _, p := range t.PartsOf(int(old[k])) {
				if p.Kind == transcript.Text {
					sum += min(int(p.Size.Bytes), lookText)
				}
			}
		}
		return sum
	}
	all, seen, taken := 0, 0, 0
	for k := range old {
		all += size(k)
	}
	if all <= mostClosing {
		return
	}
	for k := range old {
		n := size(k)
		seen += n
		if closing[k] = closing[k] && taken+n <= mostClosing/1024*(seen/(all/1024)); closing[k] {
			taken += n
		}
	}
}

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

// closingWords returns the report in the arguments of a call in message i.
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

package verbatim

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

var agentLoopData = styles.AgentLoop

// agentLoop is the style of S4. Its digest is a user message, and its record labels each paragraph with the speaker.
var agentLoop = &Style{
	Data: agentLoopData, Kind: "user",
	Record: func(t *transcript.Transcript, messages []int32) (string, bool) {
		return Labelled(t, messages, styles.ProjectedText), true
	},
	Prompt: func(p *Prompt) string {
		return AgentLoopPrompt(p.Record, "", p.Template) // S4.40: the previous summary is not fed back
	},
	Instructions: always(styles.AgentLoopInstructions),
	Message:      func(body string) string { return agentLoopData.Header + "\n\n" + body },
	Failure:      func(_, _ bool, r api.Summary) string { return summaryFailure + r.Error },
	Empty:        summaryFailure + EmptySummary, Blank: true,
	Unseen: summaryFailure + NoVisible,
}

// The error messages of S4.37 for the cases in which there is no summary.
const (
	EmptySummary   = "empty summary generated"
	NoMessages     = "no messages to summarize"
	NoVisible      = "no agent-visible messages to summarize"
	summaryFailure = "failed to generate summary: "
)

// AgentLoopPrompt returns the prompt of a summary request: the record, the previous summary, and the instructions
// (S4.36). As in the published system, line ends are written as a backslash and an n, and a blank previous summary
// doesn't count as empty.
func AgentLoopPrompt(record, previous, template string) string {
	return styles.AgentLoopText(`\n`, record, previous, template)
}

// Labelled renders messages as the published system does, each tool result shortened to about max
// runes; see [styles.Labelled].
func Labelled(t *transcript.Transcript, messages []int32, max int) string {
	return styles.Labelled(t, messages, max, digest.RecordOptions{Exact: true})
}

// Package verbatim writes summary requests and digests exactly as the published systems do, including their mistakes:
// quoted conversation text is not fenced, for example. The texts and limits that ctxfold also uses are in digest/styles.
package verbatim

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Style describes how a published system requests summaries and turns them into digests.
type Style struct {
	// Data holds the style's texts and limits.
	Data *digest.Style
	// Record renders messages for the prompt. It returns false if the published system fails on one of the messages
	// (S2.21).
	Record func(t *transcript.Transcript, messages []int32) (string, bool)
	// Prompt returns the prompt for a request. Instructions returns the instructions in it if the policy has no prompt of its
	// own. OurInstructions returns the instructions that ctxfold uses with this style; nil means the same as Instructions.
	Prompt                        func(p *Prompt) string
	Instructions, OurInstructions func(round int) string
	// Thinking is the amount of thinking that the model should do, as most providers call it, such as "high"; ""
	// leaves it to the host.
	Thinking string
	// Message returns the text of the digest message.
	Message func(body string) string
	// Task finds the user's first request (S2.26). It is nil if the style doesn't need that request.
	Task func(t *transcript.Transcript) string
	// Failure returns the error message for a failed summary, which names the summary and the reason (S1.17).
	Failure func(split, prefix bool, r api.Summary) string
	// Empty is the error message for an empty summary; "" means that the style accepts empty summaries. If Blank is
	// set, a summary of white space counts as empty.
	Empty string
	Blank bool
	// Unseen is the error message if the model would see none of the messages (S4.37); "" means that the style sends
	// the request even then.
	Unseen string
	// Kind is the message kind that the application gives the digest message (S4.11), or "".
	Kind string
	// Unchecked means that the system folds even if earlier passes have freed enough (S3.46).
	Unchecked bool
	// Local returns a digest for the given number of messages if the model provides none; prior is the previous
	// digest. If Local is nil, the compaction fails in that case (S3.28).
	Local func(messages int, prior string) string
}

// Prompt describes a request for a summary.
type Prompt struct {
	digest.Prompt
	Split    bool // the cut divides a turn, and the request covers the beginning of that turn or the history before it
	HasPrior bool // there is a previous digest, even if it is empty
}

var all = []*Style{turnTail, checkpoint, windowBudget, agentLoop}

// ByName returns the style with the given name, or nil. The name "" is for policies without a style, which use
// ctxfold's own requests.
func ByName(name string) *Style {
	for _, s := range all {
		if s.Data.Name == name {
			return s
		}
	}
	d := styles.ByName(name)
	if d == nil {
		return nil
	}
	return &Style{Data: d, Instructions: always(digest.SessionInstructions), Prompt: func(p *Prompt) string {
		return d.Prompt(&p.Prompt)
	},
		Record: func(t *transcript.Transcript, messages []int32) (string, bool) {
			return d.Record(t, messages, digest.RecordOptions{}), true
		}}
}

// always returns a function that returns the same instructions, whatever the round.
func always(instructions string) func(round int) string {
	return func(int) string { return instructions }
}

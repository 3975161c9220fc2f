// Package styles asks for summaries and writes digests exactly as the published systems do: nothing is fenced, and what they do wrong
// it does too. What ctxfold shares with them, their texts and limits, is data of package digest.
package styles

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Style is how a published system asks for its summaries and what it makes of them.
type Style struct {
	// Data has the texts and limits of the style.
	Data *digest.Style
	// Record renders messages for the prompt; false is a message on which the system fails (S2.21).
	Record func(t *transcript.Transcript, messages []int32) (string, bool)
	// Prompt is the user text of a request, Ask what it asks for where the policy has no prompt of its own, and OurAsk what ctxfold
	// asks for in the style; nil is the same.
	Prompt      func(p *Prompt) string
	Ask, OurAsk func(round int) string
	// Thinking is how much the model is to think, in the words of most providers; "" leaves it to the host.
	Thinking string
	// Message is the text of the digest message.
	Message func(body string) string
	// Task finds the user's first request (S2.26); nil is a style that does not ask for it.
	Task func(t *transcript.Transcript) string
	// Failure says that a summary failed: which one, and why (S1.17).
	Failure func(split, prefix bool, r api.Summary) string
	// Empty says that the summary is empty; a style without it takes an empty one. With Blank white space is empty too.
	Empty string
	Blank bool
	// Unseen says that the model is sent none of the messages (S4.37); "" is a style that asks all the same.
	Unseen string
	// Kind is what the application calls the digest message (S4.11); "" is nothing.
	Kind string
	// Unchecked tells that the system folds although what went before has freed enough (S3.46).
	Unchecked bool
	// Local is the digest of so many messages where the model has none; a style without one fails then (S3.28).
	Local func(messages int, prior string) string
}

// Prompt is what a request asks for.
type Prompt struct {
	digest.Prompt
	Split    bool // a turn is cut, and this is about its beginning or about what was before it
	HasPrior bool // there is a digest so far, even if it is empty
}

var styles = []*Style{turnTail, checkpoint, windowBudget, agentLoop}

// ByName returns the style with a name, or nil. The name "" is that of a policy without a style, which asks as ctxfold does.
func ByName(name string) *Style {
	for _, s := range styles {
		if s.Data.Name == name {
			return s
		}
	}
	d := digest.StyleByName(name)
	if d == nil {
		return nil
	}
	return &Style{Data: d, Ask: always(digest.SessionAsk), Prompt: func(p *Prompt) string { return d.Prompt(&p.Prompt) },
		Record: func(t *transcript.Transcript, messages []int32) (string, bool) {
			return d.Record(t, messages, digest.RecordOptions{}), true
		}}
}

// always returns what is asked for in every round.
func always(ask string) func(round int) string { return func(int) string { return ask } }

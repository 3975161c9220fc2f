// Package styles asks for summaries and writes digests exactly as the published systems do: nothing is fenced, and their mistakes are
// repeated. The texts and limits that ctxfold shares with them are data in package digest.
package styles

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Style says how a published system asks for its summaries and what it makes of them.
type Style struct {
	// Data has the texts and limits of the style.
	Data *digest.Style
	// Record renders messages for the prompt; it returns false if the system fails on one of them (S2.21).
	Record func(t *transcript.Transcript, messages []int32) (string, bool)
	// Prompt is the user text of a request, Ask what it asks for if the policy has no prompt of its own, and OurAsk what ctxfold asks for
	// in this style; nil means the same as Ask.
	Prompt      func(p *Prompt) string
	Ask, OurAsk func(round int) string
	// Thinking is how much the model should think, in the terms of most providers; "" leaves it to the host.
	Thinking string
	// Message is the text of the digest message.
	Message func(body string) string
	// Task finds the user's first request (S2.26); nil if the style does not ask for it.
	Task func(t *transcript.Transcript) string
	// Failure returns the message for a failed summary: which one, and why (S1.17).
	Failure func(split, prefix bool, r api.Summary) string
	// Empty is the message for an empty summary; a style without it accepts one. With Blank, white space counts as empty.
	Empty string
	Blank bool
	// Unseen is the message if none of the messages are sent to the model (S4.37); a style without it asks all the same.
	Unseen string
	// Kind is the application's name for the digest message (S4.11), or "".
	Kind string
	// Unchecked says that the system folds even if earlier passes have freed enough (S3.46).
	Unchecked bool
	// Local returns the digest of a number of messages if the model provides none; without it the style fails in that case (S3.28).
	Local func(messages int, prior string) string
}

// Prompt describes a request for a summary.
type Prompt struct {
	digest.Prompt
	Split    bool // a turn is cut, and the request is about its beginning or about what precedes it
	HasPrior bool // there is a previous digest, even if it is empty
}

var styles = []*Style{turnTail, checkpoint, windowBudget, agentLoop}

// ByName returns the style with a name, or nil. The name "" is for policies without a style, which ask as ctxfold does.
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

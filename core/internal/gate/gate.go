// Package gate decides whether a compaction is due, and whether one should begin in the background.
//
// What a compaction does never enters this package.
package gate

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Due reports whether the policy's gate calls for a compaction, and the size that it is based on: total, an estimate, or a provider's count
// plus an estimate of what follows, if the policy wants that. A provider's count of a message before from is too large, and is ignored
// (S4.9). Cold says why the prompt cache is cold, if that is the only reason.
func Due(in view.Input, from, total int) (due bool, size tokens.Context, cold api.Cold) {
	size = tokens.Context{Tokens: total, Index: -1}
	if in.Policy.Gate.Usage {
		size = tokens.MeasureContext(in.Estimator, in.Transcript, from, in.N, total)
	}
	if in.Policy.Unbounded() || in.N == 0 {
		return false, size, ""
	}
	most := in.Policy.Gate.MaxToolResults
	due = in.Policy.Due(size.Tokens, in.N) || in.Policy.Background && in.Policy.Starts(size.Tokens, in.N)
	due = due || most > 0 && countResults(in, most) > most
	if !due && in.Policy.Chills(size.Tokens, in.N) {
		return true, size, in.Policy.Cold
	}
	return due, size, ""
}

// Starts reports whether to begin a background compaction of a transcript that has this many tokens by [Due] and isn't due: it is over
// gate.start, and has grown since the last attempt.
func Starts(in view.Input, tokens int) bool {
	p := in.Policy
	return p.Starts(tokens, in.N) && !p.Background && !p.OnlyKnown && (p.Tried == 0 || tokens >= p.Tried+p.Growth())
}

// Notice returns the text that tells the model that a compaction comes soon, for a transcript that has this many tokens by [Due] and isn't due. It
// is "" if it is too early for it, if the transcript has the text already since the last compaction, and while a tool call waits for its
// result, because no message may come between them.
func Notice(in view.Input, tokens int) string {
	t, text := in.Transcript, in.Policy.Gate.Notice
	if !in.Policy.Notifies(tokens) || in.N == 0 {
		return ""
	}
	last := in.N - 1
	for last > 0 && t.Messages[last].Role == transcript.Tool {
		last--
	}
	if t.OpenCalls(last) {
		return ""
	}
	for i := in.N - 1; i >= in.Known(); i-- {
		if authorship.IsNotice(t, i, text) {
			return ""
		}
	}
	return text
}

// countResults counts the tool results with a body of their own that are sent to the model, up to most+1.
func countResults(in view.Input, most int) (n int) {
	doc := &view.View{T: in.Transcript, F: in.Format}
	for i := in.N - 1; i >= 0 && n <= most; i-- {
		if doc.T.Hidden(i) {
			continue
		}
		msg := &doc.T.Messages[i]
		for part := msg.First; part < msg.First+msg.Count; part++ {
			if handles.OwnBody(doc, part) {
				n++
			}
		}
	}
	return n
}

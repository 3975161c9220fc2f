// Package gate decides whether a compaction is due, and whether one should begin in the background.
//
// The package doesn't know what a compaction does.
package gate

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Due reports whether the policy's gate calls for a compaction. size is the size on which the decision is based. This
// is total, which is an estimate, or, if the policy says so, a provider's count plus an estimate of the messages after
// it. A provider's count for a message before index from is ignored, because it is too large (S4.9). cold is the reason
// why the prompt cache is cold, if the compaction is due for that reason alone.
func Due(in view.Input, from, total int) (due bool, size tokens.Context, cold api.Cold) {
	size = tokens.Context{Tokens: total, Index: -1}
	if in.Policy.Gate.Usage {
		size = tokens.MeasureContext(in.Estimator, in.Transcript, from, in.N, total)
	}
	if in.Policy.HasNoLimit() || in.N == 0 {
		return false, size, ""
	}
	most := in.Policy.Gate.MaxToolResults
	due = in.Policy.IsOverGate(size.Tokens, in.N) || in.Policy.Background && in.Policy.IsOverStart(size.Tokens, in.N)
	due = due || most > 0 && countResults(in, most) > most
	if !due && in.Policy.ColdIsDue(size.Tokens, in.N) {
		return true, size, in.Policy.Cold
	}
	return due, size, ""
}

// StartsInBackground reports whether to begin a background compaction of a transcript that isn't due. It returns true
// if the transcript is over gate.start and has grown since the last attempt. tokens is its size according to [Due].
func StartsInBackground(in view.Input, tokens int) bool {
	p := in.Policy
	return p.IsOverStart(tokens, in.N) && !p.Background && !p.OnlyKnown &&
		(p.Tried == 0 || tokens >= p.Tried+p.RetryGrowth())
}

// NoticeText returns the text that tells the model that a compaction is near, given that the transcript isn't due.
// tokens is the size of the transcript according to [Due]. It returns "" if it is too early, if the transcript has
// contained the text since the last compaction, or if a tool call waits for its result, because no message may come
// between the two.
func NoticeText(in view.Input, tokens int) string {
	t, text := in.Transcript, in.Policy.Gate.Notice
	if !in.Policy.NoticeIsDue(tokens) || in.N == 0 {
		return ""
	}
	last := in.N - 1
	for last > 0 && t.Messages[last].Role == transcript.Tool {
		last--
	}
	if t.OpenCalls(last) {
		return ""
	}
	for i := in.N - 1; i >= in.KnownMessages(); i-- {
		if authorship.IsNotice(t, i, text) {
			return ""
		}
	}
	return text
}

// countResults returns the number of tool results that are sent to the model and have bodies of their own. It stops
// counting above most.
func countResults(in view.Input, most int) (n int) {
	doc := &view.View{T: in.Transcript, F: in.Format}
	for i := in.N - 1; i >= 0 && n <= most; i-- {
		if doc.T.IsUnsent(i) {
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

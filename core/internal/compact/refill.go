package compact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// refilled counts the messages after the first known ones, and their tokens by kind of content.
func refilled(doc *view.View, known int) *api.Refill {
	r := &api.Refill{Messages: doc.N - known}
	for i := known; i < doc.N; i++ {
		if doc.Items[i].Tokens == 0 { // the model doesn't get this message
			continue
		}
		r.Tokens += doc.Items[i].Tokens
		parts, rest := doc.T.PartsOf(i), doc.Items[i].Tokens
		for n := 0; n < len(parts); {
			end := n + 1
			for end < len(parts) && parts[end].Parent >= 0 { // parts of the preceding tool result
				end++
			}
			if to := kindOf(r, &doc.T.Messages[i], &parts[n]); to != nil {
				size := min(rest, doc.P.Parts(doc.T, parts[n:end]))
				*to += size
				rest -= size
			}
			n = end
		}
		r.Other += rest
	}
	return r
}

// kindOf returns the counter for the kind of a message's part, or nil if the part belongs to Other.
func kindOf(r *api.Refill, m *transcript.Message, p *transcript.Part) *int {
	switch p.Kind {
	case transcript.Text:
		switch {
		case p.Has(transcript.Said) || m.Role == transcript.User:
			return &r.User
		case m.Role == transcript.Assistant:
			return &r.Assistant
		}
	case transcript.Reasoning:
		return &r.Reasoning
	case transcript.ToolCall:
		return &r.ToolCalls
	case transcript.ToolResult:
		return &r.ToolResults
	case transcript.Image, transcript.Audio, transcript.File:
		return &r.Media
	}
	return nil
}

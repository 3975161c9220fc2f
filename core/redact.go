package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/redact"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// redact replaces the transcript of a due compaction with a copy from which the texts of the option redact have been
// removed. Kept messages are written from the original transcript. It returns counts of what was replaced, or nil if
// nothing was. If the messages can't be read any more without these texts, or become too large, r gets an error.
func (r *request) redact(in *view.Input) *api.ReportRedacted {
	if r.options.Redact == nil || len(r.options.Redact.Texts) == 0 || in.N == 0 {
		return nil
	}
	if r.resumed == nil && !r.policy.Force && !mustCompact(*in, r.profile.OutsideMessages(r.t)+r.tokens()) { // a plan that has been started is due
		return nil
	}
	for _, structure := range []bool{true, false} {
		by := redact.New(r.options.Redact.Texts, in.State.Redacted)
		src, origin := by.Apply(r.t.Src, r.t.List, structure)
		if origin == nil {
			return nil
		}
		if len(src) >= jsonspan.MaxSize {
			r.fail(&jsonspan.Error{Code: jsonspan.TooLarge,
				Message: "with its placeholders the transcript would be larger than 1 GiB"}, r.optionsAt)
			return nil
		}
		if t := r.reread(src, origin); t != nil {
			in.Transcript, in.State.Redacted = t, by.Known
			own := *r.policy // a request that extends the conversation would send the texts
			own.Summary.Prefix = false
			in.Policy = &own
			return &by.Counts
		}
	}
	r.fail(&jsonspan.Error{Code: api.CodeOutOfRange, At: "redact.texts",
		Message: "redact.texts replaces words of the wire format, so the messages can't be read any more"}, r.optionsAt)
	return nil
}

// reread reads the request's transcript again from src, a redacted copy. It returns nil if the redaction has changed
// the structure of the messages.
func (r *request) reread(src []byte, origin *transcript.Origin) *transcript.Transcript {
	s := jsonspan.New(src).At(r.t.Outer.Start)
	s.Weigh = r.t.Weigh
	t := r.format.Read(s)
	if s.Err() != nil || len(t.Messages) != len(r.t.Messages) || len(t.Parts) != len(r.t.Parts) {
		return nil
	}
	for i := range t.Messages {
		if a, b := &t.Messages[i], &r.t.Messages[i]; a.Role != b.Role || a.Count != b.Count || a.Variant != b.Variant {
			return nil
		}
	}
	for i := range t.Parts {
		if a, b := &t.Parts[i], &r.t.Parts[i]; a.Kind != b.Kind || a.Parent != b.Parent || a.Pair != b.Pair {
			return nil
		}
	}
	t.Origin, t.Reasoner, t.Input = origin, r.t.Reasoner, r.t.Input
	if t.Outer == t.List { // copy the content that the result of open, or a session, has in addition to its list
		t.System = r.t.System
	}
	return t
}

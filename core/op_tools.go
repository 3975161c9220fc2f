package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/overflow"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// classifyError determines why a model call failed, from the status, the error's text and the token counts. It returns
// nil if r has an error.
func classifyError(r *request) []byte {
	var a api.Failure
	if r.decode(operations.InArguments, &a); r.err != nil {
		return nil
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"status", a.Status}, {"window", a.Window}, {"usage.input_tokens", a.Usage.Input},
		{"usage.cache_read_tokens", a.Usage.CacheRead},
		{"usage.cache_write_tokens", a.Usage.CacheWrite}, {"usage.output_tokens", a.Usage.Output}} {
		if n.value < 0 || n.value > 1<<30 {
			r.fail(&policy.Error{Code: api.CodeOutOfRange, At: n.name,
				Message: n.name + " must be from 0 to 1,073,741,824"}, r.members[operations.InArguments].Start)
			return nil
		}
	}
	v := overflow.Classify(overflow.Failure{Status: a.Status, Text: a.Body, Provider: a.Provider, Model: a.Model,
		Current:      a.CurrentModel,
		FinishReason: a.FinishReason, Window: a.Window, Input: a.Usage.Input, CacheRead: a.Usage.CacheRead,
		CacheWrite: a.Usage.CacheWrite,
		Output:     a.Usage.Output})
	if a.Typed && v.Class == overflow.Provider {
		v.Class = overflow.Context
	}
	return encoded(api.Verdict{Class: v.Class, Overflow: v.Class == overflow.Context, Silent: v.Silent,
		Provider: v.Provider,
		Message:  v.Message, Used: v.Used, Limit: v.Limit}.MarshalEasyJSON)
}

// limitToolOutput shortens a tool's output before it enters the transcript. It returns nil if r has an error.
func limitToolOutput(r *request) []byte {
	l := passes.DefaultOutputLimits()
	a := api.LimitArguments{MaxLines: l.Lines, MaxBytes: l.Bytes, MaxChars: l.Runes, SpillChars: l.Spill,
		Mode: api.LimitMode(l.Mode)}
	if r.decode(operations.InArguments, &a); r.err != nil || !r.need(operations.InText) {
		return nil
	}
	text := r.text(operations.InText)
	if r.err != nil {
		return nil
	}
	l = passes.OutputLimits{Lines: a.MaxLines, Bytes: a.MaxBytes, Runes: a.MaxChars, Spill: a.SpillChars,
		Mode: string(a.Mode)}
	out := l.Limit(text, a.Place, a.SpillError)
	return encoded(api.LimitedOutput{Changed: out.Changed, Text: out.Text, KeepMedia: true,
		Spilled: out.Spilled, Handle: out.Handle}.MarshalEasyJSON)
}

package policy

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// ForModel returns the policy with the window and the tokenizer family of a model, if the policy names no model.
func (p *Policy) ForModel(model string) (*Policy, *Error) {
	if model == "" || p.Model != "" {
		return p, nil
	}
	q := *p
	q.Model = model
	q.know()
	return &q, q.check()
}

// With returns the policy with the options of one call applied. The path of an error is the path of an option.
func (p *Policy) With(o *api.Options) (*Policy, *Error) {
	if *o == (api.Options{}) {
		return p, nil
	}
	bad := func(at, message string) (*Policy, *Error) {
		return nil, &Error{Code: api.CodeOutOfRange, At: at, Message: at + " " + message}
	}
	q, err := p.ForModel(o.Model)
	if err != nil {
		err.At = "model"
		return nil, err
	}
	if q == p {
		own := *p
		q = &own
	}
	q.Force = o.Force
	if o.Answer != "" {
		if q.Answer = string(o.Answer); !slices.Contains(answers, q.Answer) {
			return bad("answer", answersAre)
		}
	}
	if o.Archive != nil {
		if q.Archive = string(*o.Archive); !slices.Contains(archives, q.Archive) {
			return bad("archive", archivesAre)
		}
	}
	if o.OpenCalls != "" {
		if q.OpenCalls = string(o.OpenCalls); !slices.Contains(openCalls, q.OpenCalls) {
			return bad("open_calls", openCallsAre)
		}
	}
	if s := o.Summary; s != nil {
		if s.Mode != "" {
			if q.Summary.Mode = string(s.Mode); !slices.Contains(modes, q.Summary.Mode) {
				return bad("summary.mode", modesAre)
			}
		}
		q.Summary.Text, q.Summary.Prefix = s.Text, s.Prefix
	}
	if q.Background = o.Background; o.Background {
		q.Summary.OnFailure = "keep"
	}
	switch {
	case !(o.Idle >= 0 && o.Idle <= maxIdle):
		return bad("idle", "must be from 0 to 1,000,000,000 seconds")
	case !slices.Contains(colds, o.Cold):
		return bad("cold", coldsAre)
	case o.Cold != "":
		q.Cold = o.Cold
	case q.Gate.Idle > 0 && o.Idle >= float64(q.Gate.Idle):
		q.Cold = api.ColdIdle
	}
	if o.Redact != nil {
		for i := range o.Redact.Texts {
			switch t := &o.Redact.Texts[i]; {
			case len(t.Text) < minRedacted && !t.Whole:
				return bad("redact.texts", "must have texts of at least 4 bytes, or with \"whole\"")
			case len(t.Placeholder) > maxPlaceholder:
				return bad("redact.texts", "must have placeholders of at most 100 bytes")
			}
		}
	}
	if q.Tried = o.Tried; o.Tried < 0 || o.Tried > MaxTokens {
		return bad("tried", "must be from 0 to 1,000,000,000 tokens")
	}
	if o.Window < 0 || o.Window > MaxTokens {
		return bad("window", "must be from 0 to 1,000,000,000 tokens")
	}
	if o.Window > 0 && (q.Window.Tokens == 0 || o.Window < q.Window.Tokens) {
		q.Window = Window{Tokens: o.Window, Reserve: q.reserve} // that of a model is for its whole window
	}
	if o.NoReserve {
		q.Window.Reserve = new(int)
	}
	if q.noRoom() {
		return bad("window", "leaves no room for the conversation after the policy's reserve")
	}
	if o.OnlyKnown {
		q.Passes, q.LastResort, q.OnlyKnown = nil, new(bool), true
	}
	if q.Auto() && o.Format != "" {
		q.Format = string(o.Format)
	}
	return q, nil
}

// Limits of the option redact, in bytes: shorter texts occur everywhere, and placeholders must not blow the messages up.
const (
	minRedacted    = 4
	maxPlaceholder = 100
)

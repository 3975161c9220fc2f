package policy

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// ForModel returns the policy with a model's window and tokenizer family, unless the policy names a model itself. p
// itself is never changed. It returns an error if the policy is invalid with that window.
func (p *Policy) ForModel(model string) (*Policy, *Error) {
	if model == "" || p.Model != "" {
		return p, nil
	}
	q := *p
	q.Model = model
	q.know()
	return &q, q.check()
}

// WithOptions returns the policy with one call's options applied. The path of an error is the path of the invalid
// option. Without options, the result is p itself. p is never changed.
func (p *Policy) WithOptions(o *api.Options) (*Policy, *Error) {
	if *o == (api.Options{}) {
		return p, nil
	}
	q, err := p.ForModel(o.Model)
	if err != nil {
		err.At = "model"
		return nil, err
	}
	own := *q
	q = &own
	for _, apply := range optionsOf {
		if at, problem := apply(q, o); problem != "" {
			return nil, &Error{Code: api.CodeOutOfRange, At: at, Message: at + " " + problem}
		}
	}
	return q, nil
}

// optionsOf lists the functions that apply groups of options to a policy, in the order in which they run. If an option
// is out of range, the functions return its name as at, and a description of the problem.
var optionsOf = []func(q *Policy, o *api.Options) (at, problem string){
	(*Policy).withChoices, (*Policy).withSummary, (*Policy).withCache, (*Policy).withRedact, (*Policy).withWindow,
}

// withChoices applies the options that accept only certain words as values. Its results are those of all functions in
// optionsOf.
func (p *Policy) withChoices(o *api.Options) (at, problem string) {
	p.Force = o.Force
	if o.Answer != "" {
		if p.Answer = string(o.Answer); !slices.Contains(answers, p.Answer) {
			return "answer", answersAre
		}
	}
	if o.Archive != nil {
		if p.Archive = string(*o.Archive); !slices.Contains(archives, p.Archive) {
			return "archive", archivesAre
		}
	}
	if o.OpenCalls != "" {
		if p.OpenCalls = string(o.OpenCalls); !slices.Contains(openCalls, p.OpenCalls) {
			return "open_calls", openCallsAre
		}
	}
	return "", ""
}

// withSummary applies the options for summaries. Its results are those of all functions in optionsOf.
func (p *Policy) withSummary(o *api.Options) (at, problem string) {
	if s := o.Summary; s != nil {
		if s.Mode != "" {
			if p.Summary.Mode = string(s.Mode); !slices.Contains(modes, p.Summary.Mode) {
				return "summary.mode", modesAre
			}
		}
		p.Summary.Text, p.Summary.Prefix = s.Text, s.Prefix
	}
	if p.Background = o.Background; o.Background {
		p.Summary.OnFailure = "keep"
	}
	return "", ""
}

// withCache applies the options about the prompt cache. Its results are those of all functions in optionsOf.
func (p *Policy) withCache(o *api.Options) (at, problem string) {
	switch {
	case !(o.Idle >= 0 && o.Idle <= maxIdle):
		return "idle", "must be from 0 to 1,000,000,000 seconds"
	case !slices.Contains(colds, o.Cold):
		return "cold", coldsAre
	case o.Cold != "":
		p.Cold = o.Cold
	case p.Gate.Idle > 0 && o.Idle >= float64(p.Gate.Idle):
		p.Cold = api.ColdIdle
	}
	return "", ""
}

// withRedact checks the texts to redact. Its results are those of all functions in optionsOf.
func (p *Policy) withRedact(o *api.Options) (at, problem string) {
	if o.Redact == nil {
		return "", ""
	}
	for i := range o.Redact.Texts {
		switch t := &o.Redact.Texts[i]; {
		case len(t.Text) < minRedacted && !t.Whole:
			return "redact.texts", "must have texts of at least 4 bytes, or with \"whole\""
		case len(t.Placeholder) > maxPlaceholder:
			return "redact.texts", "must have placeholders of at most 100 bytes"
		}
	}
	return "", ""
}

// withWindow applies the options that affect the available window, the passes and the format. Its results are those of
// all functions in optionsOf.
func (p *Policy) withWindow(o *api.Options) (at, problem string) {
	if p.Tried = o.Tried; outside(o.Tried, MaxTokens) {
		return "tried", inTokens
	}
	if outside(o.Window, MaxTokens) {
		return "window", inTokens
	}
	if o.Window > 0 && (p.Window.Tokens == 0 || o.Window < p.Window.Tokens) {
		p.Window = Window{Tokens: o.Window, Reserve: p.reserve} // the model's reserve applies to its whole window
	}
	if o.NoReserve {
		p.Window.Reserve = new(int)
	}
	if p.noRoom() {
		return "window", "leaves no room for the conversation after the policy's reserve"
	}
	if o.OnlyKnown {
		p.Passes, p.LastResort, p.OnlyKnown = nil, new(bool), true
	}
	if p.DetectsFormat() && o.Format != "" {
		p.Format = string(o.Format)
	}
	return "", ""
}

// Limits of the option redact, in bytes: shorter texts would match everywhere, and longer placeholders would inflate
// the messages.
const (
	minRedacted    = 4
	maxPlaceholder = 100
)

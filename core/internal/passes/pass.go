// Package passes contains everything that a policy can do to a transcript. Each pass has its own file and registers
// itself; other files hold shared code. A pass edits the view, and other packages repair the result.
//
// This package knows nothing about the JSON of wire formats, about how a run begins and ends, or about requests and
// answers.
package passes

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest/styles"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/report"
)

//go:generate sh ../../../internal/apigen/easyjson.sh -disallow_unknown_fields

// Pass is a pass with the parameters from a policy.
type Pass interface {
	policy.Step
	// Run edits the run's view. It must not modify the pass, which belongs to the policy and is used for other runs
	// too.
	Run(c Run)
}

// Completer is a pass that completes the previous pass, and therefore runs even if the target has been reached.
type Completer interface {
	// CompletesPrevious only marks the pass; it does nothing.
	CompletesPrevious()
}

// CompletesPrevious reports whether a pass is a [Completer].
func CompletesPrevious(p Pass) bool {
	_, completes := p.(Completer)
	return completes
}

// Filler is a pass that can restore content in the room that all passes leave below the target.
type Filler interface {
	// FillRoom runs after the last pass, once the result is valid.
	FillRoom(c Run)
}

// Placer is a pass that inserts messages in places other than the one for a digest.
type Placer interface {
	// InsertPlace returns the origin of these messages, and the last position in the input at which one of them can be,
	// or [Anywhere].
	InsertPlace() (of authorship.Origin, last int)
}

// Anywhere is the last position of messages that can be at any position.
const Anywhere = math.MaxInt

// Kind describes a pass to other packages, which know nothing else about it.
type Kind struct {
	Name   string      // as in a policy, such as "clear"
	Doc    string      // what the pass does, worded so that it can follow the name
	Make   func() Pass // returns the pass with unset parameters
	Params []Param     // its parameters, in the order in which they are documented
	// Markers replace content that the pass removes from messages. Messages are the messages that the pass writes.
	Markers  []handles.Marking
	Messages []*authorship.Message
	Counts   []report.Counter // its counters in the report

	defaults []byte // the JSON of the default parameters
}

// Param is a parameter of a pass: its key, its default value as JSON, and its meaning.
type Param struct{ Name, Default, Doc string }

// kinds holds the registered passes, sorted by name.
var kinds []Kind

// Register adds a pass, and declares its markers, messages and counters. It must be called from init.
func Register(k Kind) {
	k.defaults = append(k.defaults, '{')
	for _, p := range k.Params {
		if len(k.defaults) > 1 {
			k.defaults = append(k.defaults, ',')
		}
		k.defaults = append(append(append(k.defaults, '"'), p.Name...), `":`...)
		k.defaults = append(k.defaults, p.Default...)
	}
	k.defaults = append(k.defaults, '}')
	for _, m := range k.Markers {
		handles.Declare(m)
	}
	for _, m := range k.Messages {
		authorship.Declare(m)
	}
	for _, n := range k.Counts {
		report.DeclareCounter(n)
	}
	i := 0
	for i < len(kinds) && kinds[i].Name < k.Name {
		i++
	}
	kinds = slices.Insert(kinds, i, k)
}

// Kinds returns the registered passes, sorted by name.
func Kinds() []Kind { return kinds }

// Counters that several passes share.
var (
	cleared = report.Counter{Name: "cleared", Text: "tool results whose content was replaced with a marker",
		At: func(r *api.Report) *int { return &r.Cleared }}
	folded = report.Counter{Name: "folded", Text: "messages that the digest, or a line for each turn, replaces",
		At: func(r *api.Report) *int { return &r.Folded }}
	dropped = report.Counter{Name: "dropped", Text: "messages that were removed, and are only counted",
		At: func(r *api.Report) *int { return &r.Dropped }}
)

// Passes returns the names of all passes, sorted.
func Passes() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return names
}

// Resolve parses a whole policy: its preset, its style, and its passes with their parameters. The result can be used
// for any number of runs, and must not be modified. An error has the path of the invalid value.
func Resolve(src []byte) (*policy.Policy, *policy.Error) {
	p, err := policy.Resolve(src)
	if err != nil {
		return nil, err
	}
	switch s := p.Summary; {
	case s.Style != "" && styles.ByName(s.Style) == nil:
		return nil, &policy.Error{Code: api.CodeOutOfRange, At: "summary.style", Message: styles.Unknown(s.Style)}
	case s.Style == "" && s.Prompt != "":
		return nil, &policy.Error{Code: api.CodeOutOfRange, At: "summary.prompt",
			Message: "only a style has a prompt that can be replaced; use summary.instructions"}
	}
	steps, err := Steps(p)
	if err != nil {
		return nil, err
	}
	for i, step := range steps {
		p.Passes[i].Step = step
	}
	return p, nil
}

// Steps returns the passes of a policy, in order. It parses those that Resolve hasn't parsed. The error is that of the
// first pass which is unknown or has a wrong parameter. The passes of a policy are shared by runs, and must not be
// modified.
func Steps(p *policy.Policy) ([]Pass, *policy.Error) {
	steps := make([]Pass, 0, len(p.Passes))
	for i := range p.Passes {
		if step, ok := p.Passes[i].Step.(Pass); ok {
			steps = append(steps, step)
			continue
		}
		step, err := read(&p.Passes[i])
		if err != nil {
			err.At = "passes[" + strconv.Itoa(i) + "]" + err.At
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// read parses the parameters of a step. The paths in errors are relative to the step. It returns an error if there is
// no such pass, or if a parameter is unknown or out of range.
func read(step *policy.Pass) (Pass, *policy.Error) {
	for _, k := range kinds {
		if k.Name != step.Name {
			continue
		}
		pass := k.Make()
		err := policy.Decode(k.defaults, pass)
		if err == nil {
			err = policy.Decode(step.JSON, pass)
		}
		if err != nil {
			err.Message = "pass " + k.Name + ": " + policy.SuggestKey(err).Message
			return nil, err
		}
		if problem := pass.Check(); problem != "" {
			return nil, &policy.Error{Code: api.CodeOutOfRange, At: "." + strings.Fields(problem)[0],
				Message: "pass " + k.Name + ": " + problem}
		}
		return pass, nil
	}
	return nil, &policy.Error{Code: api.CodeUnknownPass, At: ".pass",
		Message: policy.UnknownName("pass", step.Name, Passes())}
}

// countRange returns the error message if n is not from 0 to 1<<30, and "" otherwise. name is the name of the
// parameter, and of says what it counts, for the message; it may be "".
func countRange(name string, n int, of string) string {
	if n < 0 || n > 1<<30 {
		return strings.TrimSpace(name + " must be from 0 to 1,073,741,824 " + of)
	}
	return ""
}

// tokensRange returns the error message if n, a number of tokens, is not from 0 to policy.MaxTokens, and "" otherwise.
// name is the name of the parameter.
func tokensRange(name string, n int) string {
	if n < 0 || n > policy.MaxTokens {
		return name + " must be from 0 to 1,000,000,000 tokens"
	}
	return ""
}

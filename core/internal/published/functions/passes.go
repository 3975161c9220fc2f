package functions

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Single passes are functions too. They run on the messages alone, whether or not compaction is due.
func init() {
	pass := func(name, pass string) {
		register(name, Messages, func(c *Call, dst []byte) ([]byte, *Error) {
			return c.run(dst, pass, c.Arguments, nil)
		})
	}
	pass("truncate_tool_results", "truncate")
	pass("collapse_turns", "collapse")
	pass("clear_stale_tool_results", "clear")
	fitted := func(name, pass string) {
		register(name, Messages, func(c *Call, dst []byte) ([]byte, *Error) {
			rest, budget, err := c.budget()
			if err != nil {
				return nil, err
			}
			return c.run(dst, pass, rest, &budget)
		})
	}
	fitted("drop_middle", "drop")
	fitted("keep_within_budget", "fit")
}

// budget returns the argument budget, in tokens, and the other arguments. rest is an object. It returns an error if the
// argument is missing, given twice, or out of range.
func (c *Call) budget() (rest []byte, budget int, err *Error) {
	missing := &Error{Code: "missing_field", Message: "the arguments have no \"budget\""}
	if c.Arguments == nil {
		return nil, 0, missing
	}
	found := false
	rest = []byte{'{'}
	s := jsonspan.New(c.Arguments)
	for key := range s.Members {
		from := s.KeyPos()
		name := string(key)
		value := s.Skip()
		if name != "budget" {
			if len(rest) > 1 {
				rest = append(rest, ',')
			}
			rest = append(rest, c.Arguments[from:value.End]...)
			continue
		}
		var whole bool
		if budget, whole = jsonspan.Int(c.Arguments, value.Span); found || !whole || budget < 0 {
			return nil, 0, outOfRange("budget", "must be from 0 to 999,999,999 tokens, once")
		}
		found = true
	}
	if s.Err() != nil {
		return nil, 0, s.Err()
	}
	if !found {
		return nil, 0, missing
	}
	return append(rest, '}'), budget, nil
}

// run runs one pass on the messages and appends the outcome. parameters is a JSON object or empty. budget is both the
// limit and the target of the run, in tokens; if it is nil, those of the policy apply. It returns an error if a
// parameter is wrong.
func (c *Call) run(dst []byte, pass string, parameters []byte, budget *int) ([]byte, *Error) {
	p := *c.Policy
	step := []byte(`{"pass":"` + pass + `"`)
	head := len(step)
	if body := strings.TrimSpace(string(parameters)); len(body) > 2 && strings.TrimSpace(body[1:len(body)-1]) != "" {
		step = append(append(step, ','), body[1:]...)
	} else {
		step = append(step, '}')
	}
	p.Passes = []policy.Pass{{Name: pass, JSON: step}}
	p.Force = true
	if budget != nil {
		none := 0
		p.Window = policy.Window{Tokens: *budget, Reserve: &none}
		p.Gate = policy.Gate{Ratio: 1, Target: 1}
	}
	r, err := hook.Compact(view.Input{Transcript: c.Transcript, Format: c.Format, Estimator: c.Estimator, Policy: &p,
		State: c.State, N: len(c.Transcript.Messages)})
	if err != nil {
		e := *err
		e.At = strings.TrimPrefix(strings.TrimPrefix(e.At, "passes[0]"), ".")
		if e.At == "" {
			e.Offset = max(0, e.Offset-head)
		}
		return nil, &e
	}
	dst = value(append(dst, `{"report":`...), api.Report(*r.Report()))
	switch p.Answer {
	case "report":
	case "edits":
		dst = r.Doc().AppendEdits(append(dst, `,"edits":`...))
	default:
		dst = r.Doc().AppendOuter(append(dst, `,"messages":`...))
	}
	return append(dst, '}'), nil
}

package compact

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/policy"
)

// pass is one kind of pass, with the parameters that a policy gave it.
type pass interface {
	policy.Unmarshaler
	// check finds parameters out of range; it answers with a text for people, or "".
	check() string
	// follows tells whether the pass completes the one before it, and so runs even when the target is reached.
	follows() bool
	run(c *Run)
}

// kinds are the registered passes: a name, and a pass with the parameters that count where a policy gives none.
var kinds []kind

type kind struct {
	name string
	make func() pass
}

func register(name string, make func() pass) {
	i := 0
	for i < len(kinds) && kinds[i].name < name {
		i++
	}
	kinds = append(kinds[:i:i], append([]kind{{name, make}}, kinds[i:]...)...)
}

// Passes lists the names of the passes.
func Passes() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// CheckPasses tells what is wrong with the passes and the style of a policy.
func CheckPasses(p *policy.Policy) *policy.Error {
	switch s := p.Summary; {
	case s.Style != "" && digest.StyleByName(s.Style) == nil:
		return &policy.Error{Code: policy.OutOfRange, At: "summary.style", Message: digest.NoStyle(s.Style)}
	case s.Style == "" && s.Prompt != "":
		return &policy.Error{Code: policy.OutOfRange, At: "summary.prompt", Message: "only a style has a prompt that can be replaced; use summary.instructions"}
	}
	_, err := parsePasses(p)
	return err
}

func parsePasses(p *policy.Policy) ([]pass, *policy.Error) {
	var passes []pass
next:
	for i, step := range p.Passes {
		at := "passes[" + strconv.Itoa(i) + "]"
		for _, k := range kinds {
			if k.name != step.Name {
				continue
			}
			pass := k.make()
			if err := policy.Decode(step.JSON, pass); err != nil {
				err.Message, err.At = "pass "+k.name+": "+policy.Suggest(err).Message, at
				return nil, err
			}
			if problem := pass.check(); problem != "" {
				return nil, &policy.Error{Code: policy.OutOfRange, At: at + "." + strings.Fields(problem)[0], Message: "pass " + k.name + ": " + problem}
			}
			passes = append(passes, pass)
			continue next
		}
		return nil, &policy.Error{Code: policy.UnknownPass, At: at + ".pass", Message: policy.Unknown("pass", step.Name, Passes())}
	}
	return passes, nil
}

// tokensRange is the complaint about a number of tokens out of range, or "".
func tokensRange(name string, n int) string {
	if n < 0 || n > policy.MaxTokens {
		return name + " must be from 0 to 1,000,000,000 tokens"
	}
	return ""
}

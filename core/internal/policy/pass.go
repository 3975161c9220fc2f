package policy

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/mailru/easyjson/jlexer"
	"github.com/mailru/easyjson/jwriter"
)

// Pass is one step of a policy: the name of a pass and its parameters as JSON. Each pass parses its own parameters,
// so adding a pass changes nothing here.
type Pass struct {
	Name string // of the pass, such as "fold"
	JSON []byte // the whole object as JSON, {"pass":NAME,…}
	Step Step   // the decoded step, set when the policy is resolved; read-only
}

// Step is a pass with its decoded parameters.
type Step interface {
	Unmarshaler
	// Check validates the parameters. It returns an error message for people, or "".
	Check() string
}

// UnmarshalEasyJSON reads a pass: an object with a member "pass".
func (p *Pass) UnmarshalEasyJSON(l *jlexer.Lexer) {
	raw := l.Raw()
	if !l.Ok() {
		return
	}
	p.JSON = append([]byte(nil), raw...)
	p.Name, p.Step = "", nil
	s := jsonspan.New(p.JSON)
	for key := range s.Members {
		if string(key) == "pass" {
			p.Name = jsonspan.Text(p.JSON, s.Text().Span)
		} else {
			s.Skip()
		}
	}
	if p.Name == "" {
		l.AddError(&jlexer.LexerError{Reason: `a pass must be an object with its name under "pass"`,
			Offset: l.GetPos()})
	}
}

// MarshalEasyJSON writes the object as it was read.
func (p Pass) MarshalEasyJSON(w *jwriter.Writer) { w.Raw(p.JSON, nil) }

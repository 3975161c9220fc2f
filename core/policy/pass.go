package policy

import (
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/mailru/easyjson/jlexer"
	"github.com/mailru/easyjson/jwriter"
)

// Pass is one step of a policy: the name of a pass, and its parameters as JSON. Each pass reads its own parameters, so
// that a new pass changes nothing here.
type Pass struct {
	Name string
	JSON []byte // the whole object, {"pass":NAME,…}
}

// UnmarshalEasyJSON reads an object with a member "pass".
func (p *Pass) UnmarshalEasyJSON(l *jlexer.Lexer) {
	raw := l.Raw()
	if !l.Ok() {
		return
	}
	p.JSON = append([]byte(nil), raw...)
	p.Name = ""
	s := jsonspan.New(p.JSON)
	for s.Object(); ; {
		key, ok := s.Key()
		if !ok {
			break
		}
		if string(key) == "pass" {
			p.Name = jsonspan.Text(p.JSON, s.Text().Span)
		} else {
			s.Skip()
		}
	}
	if p.Name == "" {
		l.AddError(&jlexer.LexerError{Reason: `a pass must be an object with its name under "pass"`, Offset: l.GetPos()})
	}
}

// MarshalEasyJSON writes the object as it was read.
func (p Pass) MarshalEasyJSON(w *jwriter.Writer) { w.Raw(p.JSON, nil) }

// Raw is a JSON value that is carried along as it is.
type Raw []byte

// UnmarshalEasyJSON keeps a copy of the value's bytes.
func (r *Raw) UnmarshalEasyJSON(l *jlexer.Lexer) { *r = append((*r)[:0], l.Raw()...) }

// MarshalEasyJSON writes the value as it was read, or null.
func (r Raw) MarshalEasyJSON(w *jwriter.Writer) {
	if len(r) == 0 {
		w.RawString("null")
		return
	}
	w.Raw(r, nil)
}

// IsDefined tells whether there is a value; easyjson asks for omitempty.
func (r Raw) IsDefined() bool { return len(r) > 0 }

package api

import (
	"github.com/mailru/easyjson/jlexer"
	"github.com/mailru/easyjson/jwriter"
)

// Raw is a JSON value that is carried along as it is.
type Raw []byte

// UnmarshalEasyJSON reads a value of any kind.
func (r *Raw) UnmarshalEasyJSON(l *jlexer.Lexer) { *r = append((*r)[:0], l.Raw()...) }

// MarshalEasyJSON writes the value as it came, and null where there is none.
func (r Raw) MarshalEasyJSON(w *jwriter.Writer) {
	if len(r) == 0 {
		w.RawString("null")
		return
	}
	w.Raw(r, nil)
}

// IsDefined tells whether there is a value, for omitempty.
func (r Raw) IsDefined() bool { return len(r) > 0 }

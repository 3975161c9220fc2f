package api

import (
	"bytes"
	"errors"

	"github.com/mailru/easyjson/jlexer"
)

// Of returns the body as JSON, to be stored under its handle. messages are the messages of the request that the byte
// ranges refer to.
func (b *Body) Of(messages []byte) ([]byte, error) {
	if b.Inline != nil {
		return []byte(*b.Inline), nil
	}
	messages = bytes.TrimLeft(messages, " \t\r\n")
	list := b.What == BodyFold || b.What == BodyChanges
	text := make([]byte, 0, b.Bytes)
	l := jlexer.Lexer{Data: b.Places}
	l.Delim('[')
	for n := 0; !l.IsDelim(']'); n++ {
		if list {
			text = append(text, "[,"[min(n, 1)])
		}
		if place := l.Raw(); len(place) > 0 && place[0] != '[' {
			text = append(text, place...)
		} else {
			p := jlexer.Lexer{Data: place}
			p.Delim('[')
			from := p.Int()
			p.WantComma()
			to := p.Int()
			p.WantComma()
			p.Delim(']')
			if p.Error() != nil || from < 0 || from > to || to > len(messages) {
				return nil, errors.New("the place of a body is outside the messages")
			}
			text = append(text, messages[from:to]...)
		}
		l.WantComma()
	}
	l.Delim(']')
	if list {
		text = append(text, ']')
	}
	return text, l.Error()
}

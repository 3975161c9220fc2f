package core

import "github.com/ctxfold/ctxfold/core/internal/jsonspan"

// Elements finds the elements of a JSON array, each as its first byte and the one behind it. Half a surrogate pair is no error here:
// operations say what is wrong with a message.
func Elements(text []byte) (spans [][2]int, err *Fault) {
	s := jsonspan.New(text)
	s.Lenient = true
	if s.Array() {
		for s.Elem() {
			m := s.Skip()
			spans = append(spans, [2]int{int(m.Start), int(m.End)})
		}
	}
	if s.End(); s.Err() != nil {
		e := s.Err()
		return nil, &Fault{Code: string(e.Code), Message: e.Message, Path: jsonspan.PathAt(text, e.Offset), Offset: e.Offset}
	}
	return spans, nil
}

// Fault is what is wrong with a text: a stable code, a text for people, and where, as a path and in bytes.
type Fault struct {
	Code, Message, Path string
	Offset              int
}

//go:build !ctxfold_no_files

package core

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/sessionfile"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// save writes messages into the session file from which they came. It returns how many bytes of the file are kept and
// the text that follows them, or nil if r has an error.
func save(r *request) []byte {
	if !r.need(operations.InFile) || !r.need(operations.InMessages) {
		return nil
	}
	file := []byte(r.text(operations.InFile))
	in := sessionfile.Saving{Src: r.src, Messages: r.elements()}
	if r.savedAt(&in); r.err != nil {
		return nil
	}
	saved, err := sessionfile.Save(file, in)
	if err != nil {
		if err.Code == api.CodeCannotSave {
			r.fail(err, r.members[operations.InMessages].Start)
			return nil
		}
		// The offset refers to the file, because escapes in the request's string shift it.
		r.fail(&jsonspan.Error{Code: err.Code,
			Message: err.Message + " (byte " + strconv.Itoa(err.Offset) + " of the file)"},
			r.members[operations.InFile].Start)
		return nil
	}
	dst := append(make([]byte, 0, len(saved.Text)+len(saved.Text)/4+64), `{"kind":`...)
	dst = append(jsonspan.AppendString(dst, saved.Kind), `,"kept":`...)
	dst = append(strconv.AppendInt(dst, int64(saved.Kept), 10), `,"text":`...)
	return append(jsonspan.AppendString(dst, saved.Text), '}')
}

// savedAt reads the size of the conversation in tokens and the time of the compaction, if the
// request contains them. The request fails if one of them is invalid.
func (r *request) savedAt(in *sessionfile.Saving) {
	if p := r.members[operations.InTokens]; r.err == nil && !p.IsZero() {
		n, ok := jsonspan.Int(r.src, p)
		if !ok || n < 0 || n > policy.MaxTokens {
			r.fail(&jsonspan.Error{Code: api.CodeOutOfRange,
				Message: "tokens must be a number from 0 to 1,000,000,000"}, p.Start)
		}
		in.Tokens = int64(n)
	}
	if p := r.members[operations.InTime]; r.err == nil && !p.IsZero() {
		if in.Time = r.text(operations.InTime); r.err == nil && sessionfile.Millis(in.Time) < 0 {
			r.fail(&jsonspan.Error{Code: api.CodeOutOfRange, Message: `time must be like "2026-03-01T10:00:00.000Z"`},
				p.Start)
		}
	}
}

// objectsIn returns the objects in the list at the scanner, which reports any other element as an error.
func objectsIn(s *jsonspan.Scanner) (spans []jsonspan.Span) {
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			s.Fail(jsonspan.WrongType, int(s.Pos()), "a message must be an object")
			break
		}
		spans = append(spans, s.Skip().Span)
	}
	return spans
}

// elements returns the messages of the request, which contains a list, a request body, or the
// result of open. The request fails if there are none, or if one isn't an object.
func (r *request) elements() (spans []jsonspan.Span) {
	s := jsonspan.New(r.src).At(r.members[operations.InMessages].Start)
	s.Lenient = true
	if s.Kind() == jsonspan.Object {
		for key := range s.Members {
			if wire.ListKey(string(key)) && s.Kind() == jsonspan.Array && spans == nil {
				spans = objectsIn(s)
			} else {
				s.Skip()
			}
		}
	} else {
		spans = objectsIn(s)
	}
	r.fail(s.Err(), 0)
	if r.err == nil && len(spans) == 0 {
		r.fail(&jsonspan.Error{Code: api.CodeNoMessages, Message: "the list of messages is empty"},
			r.members[operations.InMessages].Start)
	}
	return spans
}

//go:build !ctxfold_no_files

package core

import (
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sessionfile"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// sessionKind returns the kind of the session file that the request has in place of messages, and the wire format of
// that file's messages. Both are "" if it is not a session file. If the file consists of lines, the first one is the
// member's value, and the others follow it.
func (r *request) sessionKind() (kind, format string) {
	at := r.members[operations.InMessages].Start
	if at == 0 {
		return "", ""
	}
	s, end := jsonspan.New(r.src).At(at), len(r.src)
	if value := s.Skip().Span; s.Err() == nil && s.Kind() != jsonspan.Object {
		end = int(value.End)
	}
	if k := sessionfile.Detect(r.src[at:end]); k != nil {
		return k.Name, k.Format
	}
	return "", ""
}

// open extracts the live conversation from a session file and returns it as JSON, or nil if r has an error. Its request
// is the file itself.
func open(r *request) []byte {
	s, err := sessionfile.Open(r.src)
	if r.fail(err, 0); r.err != nil {
		return nil
	}
	dst := make([]byte, 0, len(s.Messages)+len(s.System)+512)
	str := func(key, value string) {
		dst = jsonspan.AppendString(append(append(dst, key...), ':'), value)
	}
	num := func(key string, n int64) {
		dst = strconv.AppendInt(append(append(dst, key...), ':'), n, 10)
	}
	str(`{"kind"`, s.Kind)
	str(`,"format"`, s.Format)
	str(`,"model"`, s.Model)
	str(`,"system"`, s.System)
	dst = append(dst, `,"usage":`...)
	if u := s.Usage; u != nil {
		num(`{"message"`, int64(u.Message))
		num(`,"input_tokens"`, u.Input)
		num(`,"cache_read_tokens"`, u.CacheRead)
		num(`,"cache_write_tokens"`, u.CacheWrite)
		num(`,"output_tokens"`, u.Output)
		num(`,"total_tokens"`, u.Total())
		if u.Least < u.Total() {
			num(`,"least_tokens"`, u.Least)
		}
		dst = append(dst, '}')
	} else {
		dst = append(dst, `null`...)
	}
	dst = append(dst, `,"skipped":[`...)
	for i, k := range s.Skipped {
		if i > 0 {
			dst = append(dst, ',')
		}
		str(`{"what"`, string(k.What))
		num(`,"count"`, int64(k.Count))
		dst = append(dst, '}')
	}
	dst = append(append(dst, `],"messages":`...), s.Messages...)
	return append(dst, '}')
}

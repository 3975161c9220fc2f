package compact

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Result is the outcome of a finished run: its bytes, its edits and its transcript. Each is computed once, on
// demand. It is shared by the response, by the session that continues with the result, and by the check of a
// restoration.
type Result struct {
	view  *view.View             // the document as the run left it
	bytes []byte                 // the whole input value, with the current list of messages; nil until it is written
	lent  bool                   // whether bytes belong to a response
	t     *transcript.Transcript // the result, read again; nil until it is needed
	err   *jsonspan.Error        // the error that occurred when the result was parsed
}

// Result returns the outcome of the run. It is never nil: if nothing was written, it has the document as it is.
func (c *Run) Result() *Result {
	if c.result.view == nil {
		c.result = Result{view: c.doc}
	}
	return &c.result
}

// Append appends the bytes of the result to a response. If they haven't been needed before, they are written directly
// to the response.
func (r *Result) Append(answer []byte) []byte {
	if r.bytes != nil {
		return append(answer, r.bytes...)
	}
	if size := r.room(); cap(answer)-len(answer) < size {
		answer = append(make([]byte, 0, len(answer)+size), answer...)
	}
	from := len(answer)
	answer = r.view.AppendOuter(answer)
	r.bytes, r.lent = answer[from:], true
	return answer
}

// AppendEdits appends the result in the form of edits, which refer to indexes in the input.
func (r *Result) AppendEdits(dst []byte) []byte { return r.view.AppendEdits(dst) }

// Transcript parses the result in the run's format, so that new content is linked to the messages before it. The caller
// owns the source of the transcript and may append to it; no response uses it. weigh is the automaton that weighs
// texts, or nil. All callers must pass the same one. It returns an error if the result can't be read, which would be a
// defect.
func (r *Result) Transcript(weigh *jsonspan.Automaton) (*transcript.Transcript, *jsonspan.Error) {
	if r.t != nil {
		return r.t, r.err
	}
	src := r.written()
	if r.lent {
		src = append(make([]byte, 0, len(src)+len(src)/32+64), src...)
	}
	s := jsonspan.New(src)
	s.Weigh = weigh
	r.t = r.view.F.Read(s)
	r.err = s.Err()
	return r.t, r.err
}

// listSize returns the size of the result's list of messages, in bytes.
func (r *Result) listSize() int {
	t := r.view.T
	return len(r.written()) - t.Outer.Len() + t.List.Len()
}

// written returns the bytes of the result. It writes them on the first call.
func (r *Result) written() []byte {
	if r.bytes == nil {
		r.bytes = r.view.AppendOuter(make([]byte, 0, r.room()))
	}
	return r.bytes
}

// room returns the number of bytes to reserve for the result, including some for text appended later.
func (r *Result) room() int {
	size := r.view.EstimateBytes()
	return size + size/32 + 64
}

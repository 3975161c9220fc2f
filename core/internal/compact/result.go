package compact

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Result is what a run that is over has made of its input: its bytes, its edits, and the transcript after it. Each is made when it is asked
// for first, and once: an answer, a session that continues with it and a check of it share them.
type Result struct {
	view  *view.View
	bytes []byte // the whole value that came in, with the list of messages as it is now; nil until it is written
	lent  bool   // bytes are in an answer
	t     *transcript.Transcript
	err   *jsonspan.Error // of reading it
}

// Result is what the run has made of its input.
func (c *Run) Result() *Result {
	if c.result.view == nil {
		c.result = Result{view: c.doc}
	}
	return &c.result
}

// Append appends the result's bytes to an answer. Where nobody has asked for them before, they are written right into it.
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

// AppendEdits appends the result as runs over the input's indexes.
func (r *Result) AppendEdits(dst []byte) []byte { return r.view.AppendEdits(dst) }

// Transcript is the result read again in the run's format: what is new in it is linked to what precedes it only then. Its source is the
// caller's to append to, and is in no answer. Texts are weighed by an automaton, if there is one; all who ask must mean the same one.
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

// listSize is how many bytes the list of messages has.
func (r *Result) listSize() int {
	t := r.view.T
	return len(r.written()) - t.Outer.Len() + t.List.Len()
}

// written is the result's bytes.
func (r *Result) written() []byte {
	if r.bytes == nil {
		r.bytes = r.view.AppendOuter(make([]byte, 0, r.room()))
	}
	return r.bytes
}

// room is how many bytes are set aside for the result: what is appended to it later has a little too.
func (r *Result) room() int {
	size := r.view.Size()
	return size + size/32 + 64
}

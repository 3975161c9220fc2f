package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// function runs one named step of a compaction and returns the response, or nil if r has an error. Without the
// published systems there are no functions, so each name is an error.
func function(r *request) []byte {
	if !r.need(operations.InName) {
		return nil
	}
	name := r.text(operations.InName)
	f := hook.FunctionByName(name)
	if r.err == nil && f == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFunction,
			Message: "there is no function \"" + name + "\"; info lists them"},
			r.members[operations.InName].Start)
	}
	if r.resolve(); r.err != nil {
		return nil
	}
	c := r.functionCall(f)
	if r.err != nil {
		return nil
	}
	out, err := f.Run(c, []byte(`{"result":`))
	if r.fail(err, r.members[operations.InArguments].Start); r.err != nil {
		return nil
	}
	return append(out, '}')
}

// functionCall returns the arguments that a request passes to a function. If one that the function needs is missing or
// invalid, r gets an error. The result is then nil.
func (r *request) functionCall(f *hook.Function) *hook.Call {
	c := &hook.Call{Policy: r.policy, Estimator: r.profile}
	if r.decode(operations.InState, &c.State); r.err != nil {
		return nil
	}
	if f.Needs&hook.Messages != 0 && !r.need(operations.InMessages) || f.Needs&hook.Text != 0 && !r.need(operations.InText) {
		return nil
	}
	if r.has(operations.InMessages) {
		r.readAny(r.members[operations.InMessages])
	}
	if r.t != nil {
		c.Format, c.Transcript = r.format, r.t
	}
	if r.has(operations.InText) {
		c.Text = r.text(operations.InText)
	}
	if args := r.members[operations.InArguments]; !args.IsZero() {
		if s := jsonspan.New(r.src).At(args.Start); s.Kind() != jsonspan.Object {
			r.fail(&jsonspan.Error{Code: jsonspan.WrongType, Message: "arguments must be an object"}, args.Start)
		}
		c.Arguments = args.Slice(r.src)
	}
	return c
}

// text returns the decoded text of a member. If the member is not a string, r gets an error and the result is "".
func (r *request) text(member operations.Member) string {
	s := jsonspan.New(r.src).At(r.members[member].Start)
	text := s.Text()
	if r.fail(s.Err(), 0); r.err != nil {
		return ""
	}
	return jsonspan.Text(r.src, text.Span)
}

// readAny reads the transcript at a span. Unlike read, it accepts an empty list, because the steps of a compaction do.
// If there are no messages from which to detect the format, the format is native.
func (r *request) readAny(list jsonspan.Span) {
	s := jsonspan.New(r.src).At(list.Start)
	if s.Kind() == jsonspan.Array && s.Array() && !s.Elem() && s.Err() == nil {
		next := *r.source
		if next.format == nil {
			next.format = wire.ByName("native")
		}
		next.t = &transcript.Transcript{Src: r.src, Outer: list, List: list}
		r.source = &next
		return
	}
	r.readAt(list.Start)
}

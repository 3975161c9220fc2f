package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/loop"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// loopStart starts a job and returns its first effects, or nil if r has an error.
func loopStart(r *request) []byte {
	var settings api.JobSettings
	if !r.need(operations.InSettings) {
		return nil
	}
	if r.decode(operations.InSettings, &settings); r.err != nil {
		return nil
	}
	if r.resolve(); r.err != nil {
		return nil
	}
	options := r.options
	if r.session != nil { // the session's own options apply anyway
		options = r.ownOptions()
		if settings.Operation != api.JobPlan {
			r.fail(&jsonspan.Error{Code: api.CodeOutOfRange, At: "operation",
				Message: "a session has no whole history: its operation is \"plan\""},
				r.members[operations.InSettings].Start)
			return nil
		}
	}
	p, err := loop.Start(&loopCore{r, r.policy}, settings, r.raw(operations.InPolicy), options,
		r.raw(operations.InState))
	return r.progress(p, err, operations.InSettings)
}

// loopEvent continues a job with an event and returns the next effects or the result. It returns nil if r has an error.
func loopEvent(r *request) []byte {
	var job loop.Job
	var event api.JobEvent
	if !r.need(operations.InJob) || !r.need(operations.InEvent) {
		return nil
	}
	if r.decode(operations.InEvent, &event); r.err != nil {
		return nil
	}
	if event.Now < 0 || event.Now > loop.MaxTime {
		r.fail(&jsonspan.Error{Code: api.CodeOutOfRange, At: "now",
			Message: "now must be the time in milliseconds since 1970"}, r.members[operations.InEvent].Start)
		return nil
	}
	if err := policy.Decode(r.members[operations.InJob].Slice(r.src), &job); err != nil {
		r.fail(&jsonspan.Error{Code: api.CodeJobMismatch, Offset: err.Offset,
			Message: "this is no job of this version: start another one"}, r.members[operations.InJob].Start)
		return nil
	}
	p := r.policy
	if r.session == nil {
		base, err := r.sessions.policy(job.Policy)
		if err == nil {
			p, err = base.WithOptions(&job.Options)
		}
		if err != nil {
			r.fail(&jsonspan.Error{Code: api.CodeJobMismatch,
				Message: "this is no job of this version: start another one"}, r.members[operations.InJob].Start)
			return nil
		}
	}
	next, err := loop.Continue(&loopCore{r, p}, &job, &event)
	return r.progress(next, err, operations.InEvent)
}

// raw returns the JSON value of a member, or nil if the request doesn't have it.
func (r *request) raw(member operations.Member) api.Raw {
	if p := r.members[member]; !p.IsZero() {
		return api.Raw(p.Slice(r.src))
	}
	return nil
}

// progress returns the response of a job as JSON. If err isn't nil, it records the error in r and
// returns nil. An offset relative to a path is resolved in member, the member of the request that
// the error is about; other offsets are absolute.
func (r *request) progress(p *api.JobProgress, err *jsonspan.Error, member operations.Member) []byte {
	switch {
	case err == nil:
		return encoded(p.MarshalEasyJSON)
	case err.Code == api.CodeJobMismatch:
		r.fail(err, r.members[operations.InJob].Start)
	case err.At != "":
		r.fail(err, r.members[member].Start)
	default:
		r.fail(err, 0)
	}
	return nil
}

// loopCore lets a job run operations on the messages of a request.
type loopCore struct {
	r      *request       // the request of the job
	policy *policy.Policy // the policy of the job
}

// Messages returns the messages of the request as they were sent, or those of its session as a JSON
// list.
func (c *loopCore) Messages() []byte {
	if c.r.session == nil || c.r.t == nil {
		return c.r.raw(operations.InMessages)
	}
	list := []byte{'['}
	for i := range c.r.t.Input {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, c.r.t.AsGiven(c.r.t.Messages[i].Span)...)
	}
	return append(list, ']')
}

// MessagesAt returns the offset of the messages in the request.
func (c *loopCore) MessagesAt() int { return int(c.r.members[operations.InMessages].Start) }

// PolicySettings returns what a job needs to know about the policy: whether a compaction may begin
// below the limit, in the background or because the prompt cache is cold; whether removed content
// is archived; and the model.
func (c *loopCore) PolicySettings() loop.PolicySettings {
	return loop.PolicySettings{Starts: c.policy.Gate.Start > 0, Chills: c.policy.Gate.Idle > 0,
		Stored: c.policy.Archive != "",
		Model:  c.policy.Model}
}

// Run runs an operation on the messages or the session of the request. Offsets of errors refer to the request. members
// are further members of the operation's request. It returns the operation's response.
func (c *loopCore) Run(op operations.Op, members ...loop.Member) ([]byte, *jsonspan.Error) {
	o := &operations.Operations[op]
	size := 2
	for _, m := range members {
		size += len(m.JSON) + 16
	}
	list := c.r.members[operations.InMessages]
	if o.Members.Has(operations.InMessages) {
		size += list.Len() + 16
	}
	src := append(make([]byte, 0, size), '{')
	add := func(member operations.Member, json []byte) int {
		if len(src) > 1 {
			src = append(src, ',')
		}
		src = append(jsonspan.AppendString(src, operations.MemberTable[member].Name), ':')
		src = append(src, json...)
		return len(src) - len(json)
	}
	for _, m := range members {
		if len(m.JSON) > 0 && string(m.JSON) != "{}" {
			add(m.Name, m.JSON)
		}
	}
	messagesAt := -1
	switch {
	case c.r.session != nil && o.Members.Has(operations.InSession):
		add(operations.InSession, c.r.raw(operations.InSession))
	case o.Members.Has(operations.InMessages) && !list.IsZero():
		messagesAt = add(operations.InMessages, list.Slice(c.r.src))
	}
	inner := newRequest(append(src, '}'), o, c.r.sessions)
	var answer []byte
	if inner.parse(); inner.err == nil {
		answer = inner.run(op)
	}
	if e := inner.err; e != nil {
		e.At = jsonspan.PathAt(inner.src, max(0, min(e.Offset, len(inner.src))))
		if messagesAt >= 0 && e.Offset >= messagesAt {
			e.Offset = min(e.Offset-messagesAt, list.Len()) + int(list.Start)
		} else {
			e.Offset = jsonspan.Find(c.r.src, 0, e.At)
		}
		return nil, e
	}
	return answer, nil
}

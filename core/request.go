package core

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// request is a request in progress: the spans of its members, and the source that was read from them. The first error
// ends it.
type request struct {
	src     []byte                               // the JSON of the request
	op      *operations.Operation                // the operation that was called
	members [operations.AllMembers]jsonspan.Span // the value of each member in src; zero if it isn't there

	sessions *Sessions // the open sessions
	session  *session  // the session that the request names, if any

	*source                 // everything that has been read so far
	err     *jsonspan.Error // the first error, or nil
}

// newRequest returns a request whose members have not been parsed yet.
func newRequest(src []byte, op *operations.Operation, sessions *Sessions) *request {
	return &request{src: src, op: op, sessions: sessions, source: new(source)}
}

// parse finds the members of a request. The transcript is read immediately if all members that affect how to read it
// come before it; otherwise it is skipped and read afterwards.
func (r *request) parse() {
	if r.op.Reads == operations.ReadsNothing {
		return
	}
	if r.op.Passes {
		again := *r
		if r.parseMembers(true); r.err == nil {
			return
		}
		*r = again
		r.source = new(source)
	}
	r.parseMembers(false)
}

// parseMembers finds the members. If pass is set, messages that can't be read yet are skipped without checking their
// syntax.
func (r *request) parseMembers(pass bool) {
	s := jsonspan.New(r.src)
	for s.Object(); ; {
		n, ok := r.nextMember(s)
		if !ok {
			break
		}
		if n == operations.InMessages && r.skipMessages(s, pass) {
			if r.err != nil {
				return
			}
			continue
		}
		r.members[n] = s.Skip().Span
		if n == operations.InOptions && r.policy != nil || n == operations.InState && r.guessed {
			r.source = new(source) // the member may change how the transcript has to be read
		}
	}
	s.End()
	if r.fail(s.Err(), 0); r.err == nil {
		r.readRest()
	}
}

// readRest reads everything that could only be read once all members were known: the session, or the settings and the
// transcript.
func (r *request) readRest() {
	switch {
	case r.has(operations.InSession):
		r.enter()
	case r.op.Reads == operations.ReadsAll:
		if r.resolve(); r.err == nil && r.t == nil && r.has(operations.InMessages) {
			r.readAt(r.members[operations.InMessages].Start)
		}
	}
}

// skipMessages moves the scanner over the messages, if they can be read now, or if pass allows skipping them without
// checking their syntax. Otherwise it doesn't move, and returns false.
func (r *request) skipMessages(s *jsonspan.Scanner, pass bool) (ok bool) {
	if r.takeEarly(s) {
		return true
	}
	if pass {
		s.Kind()
		r.members[operations.InMessages], ok = s.SkipUnchecked()
	}
	return ok
}

// takeEarly reads the transcript at the scanner and returns true if it can be read before the
// remaining members are known. Otherwise it returns false, and the scanner doesn't move.
func (r *request) takeEarly(s *jsonspan.Scanner) bool {
	s.Kind()
	before, start := *s, s.Pos()
	early := r.readEarly(s, start)
	if early == nil {
		*s = before
		return false
	}
	r.source, r.err = early.source, early.err
	r.members[operations.InMessages] = jsonspan.Span{Start: start, End: s.Pos()}
	return true
}

// nextMember reads the next key of a request. ok is false at the end, and after an error: if the
// operation has no such member, or if the key appears twice.
func (r *request) nextMember(s *jsonspan.Scanner) (n operations.Member, ok bool) {
	name, ok := s.Key()
	if !ok {
		return n, false
	}
	n, known := operations.MemberNamed(string(name))
	switch {
	case !known || !r.op.Members.Has(n):
		says := policy.MovedKeyHint(string(name))
		if says == "" || !r.op.Members.Has(operations.InOptions) {
			says = "a request of " + r.op.Name + " has no such key; it may have: " +
				strings.Join(r.op.Members.Names(), ", ")
		}
		s.Fail(api.CodeUnknownField, int(s.KeyPos()), says)
	case r.has(n):
		s.Fail(jsonspan.DuplicateKey, int(s.KeyPos()), "the key \""+operations.MemberTable[n].Name+"\" appears twice")
	default:
		return n, true
	}
	return n, false
}

// has reports whether the request contains the member n.
func (r *request) has(n operations.Member) bool { return !r.members[n].IsZero() }

// readEarly reads the transcript at the scanner before the members after it are known. It returns the request with
// the transcript, or with an error that the remaining members can't fix. It returns nil if the transcript can only be
// read once the whole request is known. The request itself stays unchanged.
func (r *request) readEarly(s *jsonspan.Scanner, start uint32) *request {
	early := *r
	early.members[operations.InMessages] = jsonspan.Span{Start: start, End: start + 1}
	var final bool
	switch reads := r.op.Reads; {
	case reads == operations.ReadsAll && r.has(operations.InPolicy):
		final = early.readByPolicy(s)
	case reads == operations.ReadsPlan && r.has(operations.InPlan) && r.has(operations.InSummaries):
		early.resume(s, true)
	case reads == operations.ReadsMemory && r.has(operations.InPolicy) && r.has(operations.InMemory):
		if early.resolve(); early.err == nil {
			early.recollect(s, nil)
		}
	}
	if !final && (early.err != nil || early.t == nil) { // the error is reported once the whole request has been read
		return nil
	}
	return &early
}

// readByPolicy reads the transcript at the scanner using only the policy. final means that nothing after the
// transcript can change the outcome; otherwise options or a state may still determine the format.
func (r *request) readByPolicy(s *jsonspan.Scanner) (final bool) {
	if r.resolve(); r.err != nil {
		return true
	}
	guessed := r.format == nil
	if r.read(s, reading{before: r.stateFormat()}); r.err != nil {
		return !guessed || r.has(operations.InOptions) && r.has(operations.InState)
	}
	return true
}

// fail records e, whose offset or path is relative to base, unless e is nil or an error has been recorded before.
func (r *request) fail(e *jsonspan.Error, base uint32) {
	if e != nil && r.err == nil {
		c := *e
		c.Offset += int(base)
		if c.At != "" {
			c.Offset = jsonspan.Find(r.src, int(base), c.At) + e.Offset
		}
		r.err = &c
	}
}

// need reports whether the request contains a required member, and records an error if it doesn't.
func (r *request) need(member operations.Member) bool {
	if member == operations.InMessages && r.err == nil && r.session != nil && !r.op.Grows {
		return true
	}
	if r.err == nil && r.members[member].IsZero() {
		r.err = &jsonspan.Error{Code: api.CodeMissingField,
			Message: "the request has no \"" + operations.MemberTable[member].Name + "\""}
	}
	return r.err == nil
}

// run runs the request's operation, op, and returns its response. It records an error if the operation needs a
// transcript and the request has none.
func (r *request) run(op operations.Op) []byte {
	if r.op.Transcript && !r.need(operations.InMessages) {
		return nil
	}
	return runs[op](r)
}

// bounded returns false and records an error for a policy without a limit, which would never compact: the program
// didn't set the window, or its model is unknown. A forced compaction doesn't need a limit.
func (r *request) bounded(forced bool) bool {
	if forced || r.err != nil || !r.policy.NeverDue() {
		return r.err == nil
	}
	says := "there is no context window, so nothing would ever be compacted"
	if model := r.policy.Model; model != "" && len(model) <= maxNamed {
		says = "the context window of the model \"" + model + "\" is unknown, so nothing would ever be compacted"
	}
	e := &jsonspan.Error{Code: api.CodeUnknownWindow, Message: says +
		`: set window.tokens in the policy, such as {"window":{"tokens":200000}}, or {"window":{"unlimited":true}} if there is no limit`}
	if !r.members[operations.InPolicy].IsZero() {
		e.At = "window.tokens"
	}
	r.fail(e, r.policyAt)
	return false
}

// maxNamed is the maximum length of a name that an error quotes, in bytes.
const maxNamed = 100

// decode decodes a member into v if the request has it.
func (r *request) decode(member operations.Member, v policy.Unmarshaler) {
	if p := r.members[member]; r.err == nil && !p.IsZero() {
		r.fail(policy.Decode(p.Slice(r.src), v), p.Start)
	}
}

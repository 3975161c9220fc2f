package core

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// request is a request on its way: the spans of its members, and what was read from them. The first error ends it.
type request struct {
	src     []byte
	op      *operations.Operation
	members [operations.AllMembers]jsonspan.Span

	sessions *Sessions
	session  *session // the one that the request names

	base      *policy.Policy // without the options
	policy    *policy.Policy // with them
	policyAt  uint32         // where the policy is
	options   api.Options
	optionsAt uint32 // where the options are
	model     string // what an answer of open has told, where the policy has none
	format    *wire.Format
	usageAt   jsonspan.Span // what the provider has counted, as an answer of open has told
	promptAt  jsonspan.Span // the system prompt, as an answer of open has told
	profile   *tokens.Profile
	t         *transcript.Transcript
	unweighed bool // the transcript is read without the estimator
	err       *jsonspan.Error

	resumed    *resumed // of a step
	remembered []memory // of a fit
	history    *history // of a fit
}

// parse finds the members of a request. The transcript is read on the way where its format is known by then, from the
// policy or the state; otherwise its end is found first, and it is read afterwards.
func (r *request) parse() {
	o := r.op
	if o.Reads == operations.ReadsNothing {
		return
	}
	s := jsonspan.New(r.src)
	var late uint32
	guess := false // the format of what was read is told by the messages alone
	for s.Object(); ; {
		name, ok := s.Key()
		if !ok {
			break
		}
		n, ok := operations.MemberNamed(string(name))
		if !ok || !o.Members.Has(n) {
			says := policy.Moved(string(name))
			if says == "" || !o.Members.Has(operations.InOptions) {
				says = "a request of " + o.Name + " has no such key; it may have: " + strings.Join(o.Members.Names(), ", ")
			}
			s.Fail(api.CodeUnknownField, int(s.KeyPos()), says)
			break
		}
		if !r.members[n].Zero() {
			s.Fail(jsonspan.DuplicateKey, int(s.KeyPos()), "the key \""+operations.MemberTable[n].Name+"\" appears twice")
			break
		}
		s.Kind()
		start := s.Pos()
		if n == operations.InMessages && !r.members[operations.InPolicy].Zero() && o.Reads == operations.ReadsAll {
			if r.resolve(); r.err == nil {
				before, format := *s, r.format
				guess = format == nil
				r.read(s)
				r.members[n] = jsonspan.Span{Start: start, End: s.Pos()}
				// Options and a state that follow may tell the format.
				if guess && r.err != nil && (r.members[operations.InOptions].Zero() || r.members[operations.InState].Zero()) {
					*s = before
					r.forget(int(n))
				}
			}
			if r.err != nil {
				return
			}
			if r.t != nil {
				continue
			}
		}
		if ahead := r.ahead(); n == operations.InMessages && ahead != nil {
			before := *s
			r.members[n] = jsonspan.Span{Start: start, End: start + 1}
			if ahead(s); r.err == nil && r.t != nil {
				r.members[n].End = s.Pos()
				continue
			}
			*s = before // what is wrong is told when all of the request is read
			r.forget(int(n))
		}
		if n == operations.InMessages {
			late = start
		}
		r.members[n] = s.Skip().Span
		if n == operations.InOptions && r.policy != nil || n == operations.InState && guess && r.t != nil { // they may say something else about what was read
			late = r.members[operations.InMessages].Start
			r.forget(len(r.members))
		}
	}
	s.End()
	if r.fail(s.Err(), 0); r.err != nil {
		return
	}
	if !r.members[operations.InSession].Zero() {
		r.enter()
		return
	}
	if o.Reads != operations.ReadsAll {
		return
	}
	if r.resolve(); r.err == nil && r.t == nil && !r.members[operations.InMessages].Zero() {
		r.readAt(late)
	}
}

// ahead is how a step and a fit read their transcript on the way, where all that says how precedes it; nil elsewhere.
func (r *request) ahead() func(s *jsonspan.Scanner) {
	there := func(n operations.Member) bool { return !r.members[n].Zero() }
	switch reads := r.op.Reads; {
	case reads == operations.ReadsPlan && there(operations.InPlan) && there(operations.InSummaries):
		return func(s *jsonspan.Scanner) { r.resume(s, true) }
	case reads == operations.ReadsMemory && there(operations.InPolicy) && there(operations.InMemory):
		return func(s *jsonspan.Scanner) {
			if r.resolve(); r.err == nil {
				r.recollect(s, nil)
			}
		}
	}
	return nil
}

// forget forgets what was read of the transcript and of the policy, and the member that holds it.
func (r *request) forget(member int) {
	r.base, r.policy, r.format, r.profile, r.t, r.model, r.err, r.resumed = nil, nil, nil, nil, nil, "", nil, nil
	r.remembered, r.history, r.unweighed = nil, nil, false
	r.options, r.optionsAt, r.usageAt = api.Options{}, 0, jsonspan.Span{}
	if member < len(r.members) {
		r.members[member] = jsonspan.Span{}
	}
}

// fail records an error whose offset counts from base.
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

// resolve reads the policy and the options.
func (r *request) resolve() {
	p := r.members[operations.InPolicy]
	if r.policy != nil || r.err != nil {
		return
	}
	var src []byte
	if !p.Zero() {
		src = p.Of(r.src)
	}
	if r.readOptions(); r.err == nil {
		r.resolvePolicy(src, p.Start)
	}
}

// readOptions reads the options: those of the session, and over them those of the request.
func (r *request) readOptions() {
	if r.session != nil {
		r.options = r.session.options.Clone()
	}
	if p := r.members[operations.InOptions]; !p.Zero() && r.err == nil {
		r.optionsAt = p.Start
		if err := policy.Decode(p.Of(r.src), &r.options); err != nil {
			r.fail(policy.SuggestOption(err), p.Start)
		}
	}
}

// resolvePolicy reads a policy that is at an offset. Nil is that of the session, if there is one, or the default one.
func (r *request) resolvePolicy(src []byte, base uint32) {
	if r.policyAt = base; src == nil && r.session != nil {
		r.base = r.session.base
	} else {
		p, err := r.sessions.policy(src)
		if r.fail(err, base); r.err != nil {
			return
		}
		r.base = p
	}
	p, err := r.base.With(&r.options)
	if r.fail(err, r.optionsAt); r.err != nil {
		return
	}
	r.policy = p
	if r.estimator(); r.err != nil {
		return
	}
	defer r.suit()
	if !p.Auto() {
		at := base
		if p.Format != r.base.Format {
			at = r.optionsAt
		}
		if r.format = wire.ByName(string(p.Format)); r.format == nil {
			r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, At: "format",
				Message: policy.Unknown("format", string(p.Format), wire.Names())}, at)
		} else if e := notHere(r.format, 0); e != nil {
			e.At = "format"
			r.fail(e, at)
		}
	}
}

// estimator is that of the policy, for the policy's model.
func (r *request) estimator() {
	if r.profile = tokens.ByName(r.policy.Estimator); r.profile == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownEstimator, At: "estimator",
			Message: policy.Unknown("estimator", r.policy.Estimator, tokens.Names())}, r.policyAt)
		return
	}
	r.profile = hook.Estimator(r.policy, r.profile).For(r.policy.Model)
}

// suit makes the estimator one for the models that are asked in the format, where the policy has none.
func (r *request) suit() {
	if r.format != nil && r.policy.Model == "" {
		r.profile = r.profile.For(r.format.Model)
	}
}

// readAt reads the transcript that is at an offset.
func (r *request) readAt(offset uint32) {
	r.readFrom(offset, r.stateFormat())
}

// readFrom is readAt for a conversation that was in a format before, or in none (nil).
func (r *request) readFrom(offset uint32, before *wire.Format) {
	r.readBehind(jsonspan.New(r.src).At(offset), before)
}

// read reads the transcript at the scanner, which follows it afterwards: a list of messages, a request body that holds one, or an answer of
// open.
func (r *request) read(s *jsonspan.Scanner) { r.readBehind(s, r.stateFormat()) }

// readBehind is read for a conversation that was in a format before, or in none (nil).
func (r *request) readBehind(s *jsonspan.Scanner, before *wire.Format) {
	if o := r.findOpened(s); o != nil {
		r.readOpened(s, o)
	} else if r.err == nil {
		r.readList(s, before)
	}
}

// readList reads a list of messages, or a request body.
func (r *request) readList(s *jsonspan.Scanner, before *wire.Format) {
	start, named := s.Pos(), r.format != nil
	if !named {
		d := s.At(s.Pos())
		found := wire.Detect(d)
		if r.fail(d.Err(), 0); r.err != nil {
			return
		}
		if r.format = settle(&found, before); r.format == nil {
			// A message without a role is a plainer thing to be told than "no format has these".
			r.fail(plainFault(s.At(s.Pos())), 0)
			r.fail(undetected(&found, int(s.Pos())), 0)
			return
		}
		if r.fail(notHere(r.format, start), 0); r.err != nil {
			return
		}
		r.suit()
	}
	if !r.unweighed {
		s.Weigh = r.profile.Automaton
	}
	r.t = r.format.Read(s)
	s.Weigh = nil
	r.askedOf()
	if r.fail(s.Err(), 0); r.err == nil {
		r.fail(unread(r.format, r.t, named, start), 0)
	}
}

// askedOf notes what the model wants that is asked.
func (r *request) askedOf() {
	model := r.policy.Model
	if model == "" && !r.t.Model.Zero() {
		model = r.t.Text(r.t.Model)
	}
	r.t.Reasoner = wire.Reasoner(model)
}

// stateFormat is the format that the state of the last compaction names, or what is remembered; nil where nothing does.
func (r *request) stateFormat() *wire.Format {
	for i := len(r.remembered) - 1; i >= 0; i-- {
		if f := wire.ByName(r.remembered[i].format); f != nil {
			return f
		}
	}
	var state api.State
	p := r.members[operations.InState]
	if p.Zero() || policy.Decode(p.Of(r.src), &state) != nil { // a broken state is reported where it is used
		return nil
	}
	return wire.ByName(string(state.Format))
}

// settle decides on the format of a conversation that was in the format before, or in none; nil where nothing tells. What was
// plain goes over to another format with the first sign of it, to the strictest where several are left.
func settle(found *wire.Detection, before *wire.Format) *wire.Format {
	if before != nil && found.May(before) {
		return before
	}
	if f := found.Sure(); f != nil || before == nil || before.Name != wire.Plain {
		return f
	}
	return found.Strictest()
}

// plainFault finds what is wrong with a transcript in any format: no list, a message that is no object or that has neither a
// role nor a type.
func plainFault(s *jsonspan.Scanner) *jsonspan.Error {
	switch s.Kind() {
	case jsonspan.Array:
	case jsonspan.Object:
		return nil
	default:
		return &jsonspan.Error{Code: jsonspan.WrongType, Offset: int(s.Pos()), Message: "messages must be a list of messages, or a request body"}
	}
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			return &jsonspan.Error{Code: jsonspan.WrongType, Offset: int(s.Pos()), Message: "a message must be an object"}
		}
		at, named := s.Pos(), false
		for s.Object(); ; {
			key, ok := s.Key()
			if !ok {
				break
			}
			named = named || string(key) == "role" || string(key) == "type"
			s.Skip()
		}
		if !named {
			return &jsonspan.Error{Code: api.CodeMissingRole, Offset: int(at), Message: "this message has no role"}
		}
	}
	return nil
}

// need reports a member that an operation cannot do without.
func (r *request) need(member operations.Member) bool {
	if member == operations.InMessages && r.err == nil && r.session != nil && !r.op.Grows {
		return true
	}
	if r.err == nil && r.members[member].Zero() {
		r.err = &jsonspan.Error{Code: api.CodeMissingField, Message: "the request has no \"" + operations.MemberTable[member].Name + "\""}
	}
	return r.err == nil
}

// bounded reports a policy without a limit, which would never compact: that of a program that forgot its window, or whose model is unknown.
// A compaction that is forced needs none.
func (r *request) bounded(forced bool) bool {
	if forced || r.err != nil || !r.policy.Aimless() {
		return r.err == nil
	}
	says := "there is no context window, so nothing would ever be compacted"
	if model := r.policy.Model; model != "" && len(model) <= maxNamed {
		says = "the context window of the model \"" + model + "\" is unknown, so nothing would ever be compacted"
	}
	e := &jsonspan.Error{Code: api.CodeUnknownWindow, Message: says +
		`: set window.tokens in the policy, such as {"window":{"tokens":200000}}, or {"window":{"unlimited":true}} if there is no limit`}
	if !r.members[operations.InPolicy].Zero() {
		e.At = "window.tokens"
	}
	r.fail(e, r.policyAt)
	return false
}

// maxNamed is the longest name that an error repeats, in bytes.
const maxNamed = 100

// decode reads a typed member, if it is there.
func (r *request) decode(member operations.Member, v policy.Unmarshaler) {
	if p := r.members[member]; r.err == nil && !p.Zero() {
		r.fail(policy.Decode(p.Of(r.src), v), p.Start)
	}
}

package core

import (
	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/tokens"
	"github.com/ctxfold/ctxfold/core/transcript"
	"github.com/ctxfold/ctxfold/core/wire"
)

// request is a request on its way: the spans of its members, and what was read from them. The first error ends it.
type request struct {
	src     []byte
	op      *op
	members [len(memberNames)]jsonspan.Span

	sessions *Sessions
	session  *session // the one that the request names

	policy    *policy.Policy
	policySrc []byte // the policy as it was sent
	policyAt  uint32 // where the policy stands
	model     string // what an answer of open has told, where the policy names none
	format    *wire.Format
	profile   *tokens.Profile
	t         *transcript.Transcript
	unweighed bool // the transcript is read without the estimator
	err       *jsonspan.Error

	remembered []memory // of a fit
	history    *history // of a fit
}

// members is a set of members, and how a request is read.
type members uint

const (
	unread members = 1 << (24 + iota) // the operation reads the transcript itself
	raw                               // the request is no object with members
	edits                             // the operation changes the records of the transcript
	grows                             // the messages are for the session
)

// The members of requests.
const (
	inPolicy = iota
	inState
	inPlan
	inSummaries
	inText
	inMessages
	inName
	inArguments
	inBodies
	inBody
	inSession
	inUsage
	inMemory
	inFile
	inTokens
	inTime
)

var memberNames = [...]string{"policy", "state", "plan", "summaries", "text", "messages", "name", "arguments", "bodies", "body", "session", "usage",
	"memory", "file", "tokens", "time"}

// parse finds the members of a request. The transcript is read on the way where its format is known by then, from the
// policy or the state; otherwise its end is found first, and it is read afterwards.
func (r *request) parse() {
	o := r.op
	if o.takes&raw != 0 {
		return
	}
	s := jsonspan.New(r.src)
	var late uint32
	for s.Object(); ; {
		name, ok := s.Key()
		if !ok {
			break
		}
		n := index(name)
		if n < 0 || o.takes>>n&1 == 0 {
			s.Fail(policy.UnknownField, int(s.KeyPos()), "a request of "+o.name+" has no such key; it may have: "+list(o.keys()))
			break
		}
		if !r.members[n].Zero() {
			s.Fail(jsonspan.DuplicateKey, int(s.KeyPos()), "the key \""+memberNames[n]+"\" stands twice")
			break
		}
		s.Kind()
		start := s.Pos()
		if n == inMessages && !r.members[inPolicy].Zero() && o.takes&unread == 0 {
			if r.resolve(); r.err == nil && (r.format != nil || !r.members[inState].Zero()) {
				r.read(s)
				r.members[n] = jsonspan.Span{Start: start, End: s.Pos()}
			}
			if r.err != nil {
				return
			}
			if r.t != nil {
				continue
			}
		}
		if n == inMessages {
			late = start
		}
		r.members[n] = s.Skip().Span
	}
	s.End()
	if r.fail(s.Err(), 0); r.err != nil {
		return
	}
	if !r.members[inSession].Zero() {
		r.enter()
		return
	}
	if o.takes&unread != 0 {
		return
	}
	if r.resolve(); r.err == nil && r.t == nil && !r.members[inMessages].Zero() {
		r.readAt(late)
	}
}

func index(name []byte) int {
	for i, m := range memberNames {
		if m == string(name) {
			return i
		}
	}
	return -1
}

// keys are the members that requests of the operation may have.
func (o *op) keys() (names []string) {
	for i, m := range memberNames {
		if o.takes>>i&1 == 1 {
			names = append(names, m)
		}
	}
	return names
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

// resolve reads the policy.
func (r *request) resolve() {
	p := r.members[inPolicy]
	if r.policy != nil || r.err != nil {
		return
	}
	var src []byte
	if !p.Zero() {
		src = p.Of(r.src)
	}
	r.resolvePolicy(src, p.Start)
}

func (r *request) resolvePolicy(src []byte, base uint32) {
	pol, err := r.sessions.policy(src)
	if r.fail(err, base); r.err != nil {
		return
	}
	r.policy, r.policySrc, r.policyAt = pol, src, base
	if r.estimator(); r.err != nil {
		return
	}
	defer r.suit()
	if !pol.Auto() {
		if r.format = wire.ByName(pol.Format); r.format == nil {
			r.fail(&jsonspan.Error{Code: policy.UnknownFormat, At: "format",
				Message: policy.Unknown("format", pol.Format, wire.Names())}, base)
		}
	}
}

// estimator is that of the policy, for the policy's model.
func (r *request) estimator() {
	if r.profile = tokens.ByName(r.policy.Estimator); r.profile == nil {
		r.fail(&jsonspan.Error{Code: policy.UnknownEstimator, At: "estimator",
			Message: policy.Unknown("estimator", r.policy.Estimator, tokens.Names())}, r.policyAt)
		return
	}
	if !r.policy.Safe() {
		r.profile = r.profile.Published()
	}
	r.profile = r.profile.For(r.policy.Model)
}

// suit makes the estimator one for the models that are asked in the format, where the policy names none.
func (r *request) suit() {
	if r.format != nil && r.policy.Model == "" {
		r.profile = r.profile.For(r.format.Model)
	}
}

// readAt reads the transcript that stands at an offset.
func (r *request) readAt(offset uint32) {
	r.readFrom(offset, r.stateFormat())
}

// readFrom is readAt for a conversation that was in a format before, or in none (nil).
func (r *request) readFrom(offset uint32, before *wire.Format) {
	r.readBehind(jsonspan.New(r.src).At(offset), before)
}

// read reads the transcript at the scanner, which stands behind it afterwards: a list of messages, a request body that holds
// one, or an answer of open.
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
	if r.format == nil {
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
		r.suit()
	}
	if !r.unweighed {
		s.Weigh = r.profile.Automaton
	}
	r.t = r.format.Read(s)
	s.Weigh = nil
	r.askedOf()
	r.fail(s.Err(), 0)
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
	var state compact.State
	p := r.members[inState]
	if p.Zero() || policy.Decode(p.Of(r.src), &state) != nil { // a broken state is reported where it is used
		return nil
	}
	return wire.ByName(state.Format)
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
			return &jsonspan.Error{Code: wire.MissingRole, Offset: int(at), Message: "this message has no role"}
		}
	}
	return nil
}

// need reports a member that an operation cannot do without.
func (r *request) need(member int) bool {
	if member == inMessages && r.err == nil && r.session != nil && r.op.takes&grows == 0 {
		return true
	}
	if r.err == nil && r.members[member].Zero() {
		r.err = &jsonspan.Error{Code: wire.MissingField, Message: "the request has no \"" + memberNames[member] + "\""}
	}
	return r.err == nil
}

// decode reads a typed member, if it is there.
func (r *request) decode(member int, v policy.Unmarshaler) {
	if p := r.members[member]; r.err == nil && !p.Zero() {
		r.fail(policy.Decode(p.Of(r.src), v), p.Start)
	}
}

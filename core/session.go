package core

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// Sessions are transcripts that are kept between calls, so that a live conversation isn't read again on each turn. The
// zero value contains no sessions. Sessions serve one call at a time.
//
// A session is only a cache: it holds messages that were sent, and a session opened with the same messages returns
// the same responses. It takes the bytes of its messages, up to a quarter more as spare capacity, and about 300 bytes
// per message.
type Sessions struct {
	open []*session // by id
	last int        // the last id that was assigned
	// The policy of the last request, as sent and resolved. It is cached because hosts usually send the same policy
	// again.
	policySent  []byte
	policyKnown *policy.Policy
}

// maxPolicy is the maximum size of a policy that is cached for the next request, in bytes.
const maxPolicy = 1 << 14

// policy resolves a policy. For the policy of the last request this takes only a comparison. The result must not be
// modified. It returns the error of an invalid policy.
func (l *Sessions) policy(src []byte) (*policy.Policy, *policy.Error) {
	if len(src) == 0 {
		src = []byte("{}") // a plan stores a missing policy like this
	}
	if l.policyKnown != nil && bytes.Equal(src, l.policySent) {
		return l.policyKnown, nil
	}
	p, err := passes.Resolve(src)
	if err == nil {
		err = hook.Check(p)
	}
	if err == nil && len(src) <= maxPolicy {
		l.policySent, l.policyKnown = append(l.policySent[:0], src...), p
	}
	return p, err
}

// session is a transcript to which messages can be appended, with the settings of its conversation.
type session struct {
	id      int                    // the number by which requests name it
	base    *policy.Policy         // without options
	policy  *policy.Policy         // with options
	raw     api.Raw                // the policy as it was sent
	options api.Options            // without usage, which belongs to one call
	model   string                 // the model named by a result of open, if the policy doesn't set one
	profile *tokens.Profile        // estimates its tokens
	state   api.State              // what the last compaction left
	format  *wire.Format           // nil until the policy or the messages determine it
	auto    bool                   // whether messages may still change the format
	t       *transcript.Transcript // nil until there are messages
	sum     int                    // tokens of the messages before index counted
	counted int                    // the number of messages that sum covers
	recount int                    // the value of t.Recounted when the sizes were last computed from scratch
	// The bytes that CoverageFrom counted as read and as missed in the messages before index glanced, and the session's
	// size when misread last examined it.
	read, missed, glanced, judged int

	recent [2]knownOptions // newest first
}

// knownOptions are options that a request had, with the settings that follow from them and from its session. They are
// cached because hosts usually send the same options again. There are two of them per session, because a job changes
// the options before it runs an operation, and usually in the same way.
type knownOptions struct {
	sent     []byte       // as they were sent; nil if there are none
	own      *api.Options // without those of the session; nil until they are needed
	format   *wire.Format // the session's format when the settings were worked out
	settings settings
}

// maxOptions is the maximum size of options that are cached for the next request, in bytes.
const maxOptions = 1 << 10

// knownOptions returns the cached options that are the same as those sent, or nil.
func (s *session) knownOptions(sent []byte) *knownOptions {
	if len(sent) == 0 {
		return nil
	}
	for i := range s.recent {
		if known := &s.recent[i]; known.format == s.format && bytes.Equal(known.sent, sent) {
			return known
		}
	}
	return nil
}

// cacheOptions caches the settings that follow from options, if there are options and they have at
// most maxOptions bytes.
func (s *session) cacheOptions(sent []byte, set settings) {
	if len(sent) == 0 || len(sent) > maxOptions {
		return
	}
	s.recent[1] = s.recent[0]
	s.recent[0] = knownOptions{sent: slices.Clone(sent), format: s.format, settings: set}
}

func (l *Sessions) find(id int) (int, bool) {
	return slices.BinarySearchFunc(l.open, id, func(s *session, id int) int { return cmp.Compare(s.id, id) })
}

func (l *Sessions) drop(s *session) {
	if i, found := l.find(s.id); found {
		l.open = slices.Delete(l.open, i, i+1)
	}
}

// enter finds the session that a request names, and makes the request use the session's settings.
// The request fails if there is no such session or it was opened for an estimator with other
// weights.
func (r *request) enter() {
	s := r.named()
	if s == nil {
		return
	}
	r.session = s
	next := *r.source
	if next.settings = r.sessionSettings(); r.err != nil {
		return
	}
	if next.profile.Automaton != nil && next.profile.Automaton != s.profile.Automaton {
		r.fail(&jsonspan.Error{Code: api.CodeOutOfRange, At: "estimator",
			Message: "the session was opened with another estimator or for a model of another family; open one with this policy"}, next.policyAt)
		return
	}
	if !r.op.Grows { // other operations don't need the current transcript
		next.readSession(s, r.op.Edits)
	}
	r.source = &next
}

// sessionSettings returns the settings of a request that names a session. Most requests have no
// options, empty ones, or the same as an earlier request; then the settings needn't be worked out
// again. They are zero if the request fails.
func (r *request) sessionSettings() settings {
	s, at := r.session, r.members[operations.InOptions]
	sent := at.Slice(r.src)
	if !r.has(operations.InPolicy) {
		if len(sent) == 0 || string(sent) == "{}" {
			return settings{base: s.base, policy: s.policy, profile: s.profile, format: s.format, model: s.model,
				options: s.options}
		}
		if known := s.knownOptions(sent); known != nil {
			set := known.settings
			set.optionsAt = at.Start
			return set
		}
	}
	if r.resolve(); r.err != nil {
		return settings{}
	}
	set := r.settings
	if r.adopt(&set, s.model); r.err != nil {
		return settings{}
	}
	set.format = s.format
	set.suit()
	if !r.has(operations.InPolicy) {
		s.cacheOptions(sent, set)
	}
	return set
}

// ownOptions returns the options of the request, without those of its session.
func (r *request) ownOptions() (o api.Options) {
	known := r.session.knownOptions(r.members[operations.InOptions].Slice(r.src))
	if known != nil && known.own != nil {
		return known.own.Clone()
	}
	if r.decode(operations.InOptions, &o); r.err == nil && known != nil {
		own := o.Clone()
		known.own = &own
	}
	return o
}

// named returns the session that a request names. If there is none, it records an error and returns nil.
func (r *request) named() *session {
	at := r.members[operations.InSession]
	id, err := strconv.Atoi(string(at.Slice(r.src)))
	if err != nil {
		r.fail(&jsonspan.Error{Code: jsonspan.WrongType,
			Message: "session must be the number that session_open returned"}, at.Start)
		return nil
	}
	i, found := r.sessions.find(id)
	switch {
	case !found:
		r.fail(&jsonspan.Error{Code: api.CodeSessionClosed,
			Message: "there is no open session " + strconv.Itoa(id) + "; open one with the messages that you have"},
			at.Start)
	case !r.op.Grows && r.has(operations.InMessages):
		r.fail(&jsonspan.Error{Code: api.CodeUnknownField,
			Message: "a request names its session or has its messages, not both"}, at.Start)
	default:
		return r.sessions.open[i]
	}
	return nil
}

// readSession uses the transcript of a session or, if edits says that the operation will edit it, a copy.
func (in *source) readSession(s *session, edits bool) {
	switch {
	case s.t == nil: // a conversation without messages
		if in.format == nil {
			in.format = wire.ByName(wire.Plain)
		}
		in.t = in.format.Read(jsonspan.New([]byte("[]")))
	case edits:
		in.t = s.format.Snapshot(s.t)
	default:
		in.t = s.t
	}
	in.noteReasoner()
}

// stateOf decodes the state of the request or, if it has none, copies that of the session.
func (r *request) stateOf(state *api.State) {
	if r.session != nil && r.members[operations.InState].IsZero() {
		*state = r.session.state
		return
	}
	r.decode(operations.InState, state)
}

// tokens returns the estimated size of the transcript's messages in tokens.
func (r *request) tokens() int {
	s := r.session
	if s == nil || s.t == nil || !r.profile.Equals(s.profile) {
		sum := 0
		for i := range r.t.Messages {
			sum += r.profile.Message(r.t, i)
		}
		return sum
	}
	return s.tokens()
}

// tokens returns the estimated size of the session's messages in tokens. It only estimates new messages.
func (s *session) tokens() int {
	if s.recount != s.t.Recounted {
		s.recount, s.sum, s.counted = s.t.Recounted, 0, 0
	}
	for ; s.counted < len(s.t.Messages); s.counted++ {
		s.sum += s.profile.Message(s.t, s.counted)
	}
	return s.sum
}

func sessionOpen(r *request) []byte {
	s := &session{base: r.base, policy: r.policy, profile: r.profile, format: r.format, model: r.model,
		options: r.options}
	s.options.Usage = nil
	if r.decode(operations.InState, &s.state); r.err != nil {
		return nil
	}
	s.raw = slices.Clone(api.Raw(r.members[operations.InPolicy].Slice(r.src)))
	if s.auto = r.policy.DetectsFormat(); s.auto && (r.t == nil || len(r.t.Messages) == 0) {
		s.format = wire.ByName(string(s.state.Format)) // an empty list determines no format
		if r.fail(notHere(s.format, r.members[operations.InState].Start), 0); r.err != nil {
			return nil
		}
		next := *r.source
		next.format = s.format
		next.suit()
		r.source, s.profile = &next, next.profile
	}
	if r.t != nil {
		raw := r.source
		r.correct(&s.state) // only the request's estimator: the session's own is corrected by its state
		if r.source = raw; r.err != nil {
			return nil
		}
	}
	s.take(r)
	r.sessions.last++
	s.id = r.sessions.last
	r.sessions.open = append(r.sessions.open, s)
	r.session = s
	return r.sessionInfo()
}

// take stores the request's transcript in the session, unless it has no messages.
func (s *session) take(r *request) {
	if r.t == nil || len(r.t.Messages) == 0 {
		return
	}
	s.format, s.t, s.profile = r.format, r.t, r.profile
	s.sum, s.counted = 0, 0
	s.read, s.missed, s.glanced, s.judged = 0, 0, 0, 0
	s.t.Rebase()
	s.t.AppendRead(len(s.t.Messages), len(s.t.Parts))
}

func sessionAppend(r *request) []byte {
	if !r.need(operations.InSession) || !r.need(operations.InMessages) {
		return nil
	}
	s, list := r.session, r.members[operations.InMessages]
	if s.t == nil {
		how := reading{before: r.stateFormat()}
		if s.auto { // a plain conversation may continue in another format
			next := *r.source
			next.format = nil
			r.source, how.before = &next, s.format
		}
		if r.read(jsonspan.New(r.src).At(list.Start), how); r.err == nil {
			s.take(r)
		}
		return r.sessionInfo()
	}
	b := list.Slice(r.src)
	if b[0] != '[' {
		r.fail(&jsonspan.Error{Code: jsonspan.WrongType, Message: "messages must be a list of the messages to append"},
			list.Start)
		return nil
	}
	inner := bytes.TrimSpace(b[1 : len(b)-1])
	if len(inner) > 0 {
		from := list.Start + uint32(bytes.Index(b, inner[:1]))
		if s.auto && s.format.Name == wire.Plain {
			if r.outgrow(b); r.err != nil {
				return nil
			}
		}
		before := int(s.t.List.End) - 1
		if r.fail(s.append(inner), from); r.err == nil {
			if e := s.unreadSince(); e != nil {
				r.takeBack(before, len(inner)+1)
				e.Offset = 0
				r.fail(e, list.Start)
			}
		}
	}
	return r.sessionInfo()
}

// takeBack reads a session again without the messages that were just appended: n bytes at offset at.
func (r *request) takeBack(at, n int) {
	s := r.session
	src := s.t.Src
	next, again := *r.source, *r
	next.format, next.profile = s.format, s.profile
	again.source = &next
	again.read(jsonspan.New(slices.Concat(src[:at], src[at+n:])), reading{before: s.format})
	if again.err == nil {
		r.source = again.source
		s.take(r)
	}
}

// outgrow switches a plain session to another format if the messages to append are in one, by reading the session
// again. On an error the session is unchanged.
func (r *request) outgrow(list []byte) {
	s := r.session
	d := jsonspan.New(list)
	found := wire.Detect(d)
	f := settle(&found, s.format)
	if f == nil {
		r.fail(undetected(&found, 0), r.members[operations.InMessages].Start)
		return
	}
	if r.fail(notHere(f, r.members[operations.InMessages].Start), 0); r.err != nil {
		return
	}
	if d.Err() != nil || f == s.format { // invalid JSON is reported when the list is read
		return
	}
	before := wire.Detect(jsonspan.New(s.t.Src))
	next, again := *r.source, *r
	next.format, next.profile = f, s.profile
	next.suit()
	again.source = &next
	if before.IsPossible(f) {
		again.read(jsonspan.New(s.t.Src), reading{before: r.stateFormat()})
	}
	if !before.IsPossible(f) || again.err != nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, Message: "these messages are in the format \"" + f.Name +
			"\", and the session's are not"}, r.members[operations.InMessages].Start)
		return
	}
	r.source = again.source
	s.take(r)
}

// append appends messages, which are JSON values separated by commas. If it returns an error, whose offset is relative
// to their start, the session is unchanged. The error has the code too_large if the session would have 1 GiB or more.
func (s *session) append(messages []byte) *jsonspan.Error {
	t := s.t
	if len(t.Src)+len(messages) >= jsonspan.MaxSize {
		return &jsonspan.Error{Code: jsonspan.TooLarge, Message: "the session would be larger than 1 GiB"}
	}
	at := t.List.End - 1
	tail := bytes.Clone(t.Src[at:])
	t.Src = append(append(append(t.Src[:at], ','), messages...), tail...)
	if err := s.format.Extend(t, at+1); err != nil {
		t.Src = append(t.Src[:at], tail...)
		err.Offset -= int(at) + 1
		return err
	}
	n := uint32(len(messages)) + 1
	t.List.End += n
	t.Outer.End += n
	if t.Model.Start >= at {
		t.Model.Start += n
		t.Model.End += n
	}
	return nil
}

func sessionClose(r *request) []byte {
	if !r.need(operations.InSession) {
		return nil
	}
	r.sessions.drop(r.session)
	return encoded(api.ClosedSession{Closed: r.session.id}.MarshalEasyJSON)
}

// sessionInfo returns the response that describes the session.
func (r *request) sessionInfo() []byte {
	s := r.session
	a := api.SessionInfo{Session: s.id}
	if s.format != nil {
		a.Format = api.Format(s.format.Name)
	}
	if s.t != nil {
		a.Messages = len(s.t.Messages)
		a.Tokens = s.profile.OutsideMessages(s.t) + s.tokens()
	}
	return encoded(a.MarshalEasyJSON)
}

// again reads the result of a compaction as a transcript, so that the session can continue with it.
func (r *request) again(c *compact.Run) *transcript.Transcript {
	var weigh *jsonspan.Automaton
	if r.session != nil {
		weigh = r.session.profile.Automaton
	}
	t, _ := c.Result().Transcript(weigh)
	return t
}

// continuesSession reports whether the request has a session that continues with the result and its state. A response
// that consists of a report leaves the session unchanged: the host does not get the result.
func (r *request) continuesSession() bool { return r.session != nil && r.policy.Answer != "report" }

// move makes the session continue with the result, as the host does. The response has already been written.
func (r *request) move(c *compact.Run) {
	if !r.continuesSession() || !c.Report().Changed {
		return
	}
	s := r.session
	t, err := c.Result().Transcript(s.profile.Automaton)
	was := s.t
	s.t, s.sum, s.counted, s.recount = t, 0, 0, t.Recounted
	if err != nil || len(t.Messages) == 0 { // no messages are left, or they can't be read again
		s.t = nil
		return
	}
	if t.Outer == t.List { // it lacks the content that is sent in addition to the list
		t.System = was.System
	}
	t.AppendRead(len(t.Messages), len(t.Parts))
}

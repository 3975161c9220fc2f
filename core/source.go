package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// settings say how messages are read and what is done with them: the policy, the options, and what follows from both.
type settings struct {
	base      *policy.Policy // without options
	policy    *policy.Policy // with options
	policyAt  uint32         // where the policy is
	options   api.Options
	optionsAt uint32          // where the options are
	model     string          // what an answer of open has told, where the policy has none
	format    *wire.Format    // nil where the messages have to tell
	profile   *tokens.Profile // the estimator
}

// source is what an operation works on: a transcript, and the settings that it was read by. It is not changed once it is the source of a
// request: what knows more makes another one.
type source struct {
	settings
	t        *transcript.Transcript
	usageAt  jsonspan.Span // what the provider has counted, as an answer of open has told
	promptAt jsonspan.Span // the system prompt, as an answer of open has told
	guessed  bool          // neither the policy nor a state has told the format

	resumed    *resumed // of a step
	remembered []memory // of a fit
	history    *history // of a fit: where the messages come from
}

// reading is how a transcript is read.
type reading struct {
	before    *wire.Format // that the conversation was in; nil for none
	unweighed bool         // without the estimator
}

// resolve makes the settings that the request's members policy and options say, once.
func (r *request) resolve() {
	if r.policy != nil || r.err != nil {
		return
	}
	var o api.Options
	if r.session != nil { // its options are under those of the request
		o = r.session.options.Clone()
	}
	at := r.members[operations.InOptions]
	if !at.Zero() {
		if err := policy.Decode(at.Of(r.src), &o); err != nil {
			r.fail(policy.SuggestOption(err), at.Start)
			return
		}
	}
	var src []byte
	if r.has(operations.InPolicy) {
		src = r.members[operations.InPolicy].Of(r.src)
	}
	if set := r.settingsOf(src, r.members[operations.InPolicy].Start, o, at.Start); r.err == nil {
		next := *r.source
		next.settings = set
		r.source = &next
	}
}

// settingsOf reads a policy that is at an offset, and applies options that are at another one. Nil is the policy of the session, if there is
// one, or the default one.
func (r *request) settingsOf(src []byte, at uint32, o api.Options, optionsAt uint32) (set settings) {
	set = settings{policyAt: at, options: o, optionsAt: optionsAt}
	if src == nil && r.session != nil {
		set.base = r.session.base
	} else {
		p, err := r.sessions.policy(src)
		if r.fail(err, at); r.err != nil {
			return set
		}
		set.base = p
	}
	p, err := set.base.With(&set.options)
	if r.fail(err, optionsAt); r.err != nil {
		return set
	}
	if set.policy = p; !r.estimateBy(&set) || p.Auto() {
		return set
	}
	if set.format = wire.ByName(string(p.Format)); set.format == nil {
		if p.Format != set.base.Format {
			at = optionsAt
		}
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, At: "format", Message: policy.Unknown("format", string(p.Format), wire.Names())}, at)
	} else if e := notHere(set.format, 0); e != nil {
		e.At = "format"
		r.fail(e, at)
	}
	set.suit()
	return set
}

// estimateBy gives settings the estimator of their policy, for the policy's model. It reports whether there is one.
func (r *request) estimateBy(set *settings) bool {
	profile := tokens.ByName(set.policy.Estimator)
	if profile == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownEstimator, At: "estimator",
			Message: policy.Unknown("estimator", set.policy.Estimator, tokens.Names())}, set.policyAt)
		return false
	}
	set.profile = hook.Estimator(set.policy, profile).For(set.policy.Model)
	return true
}

// suit chooses an estimator for the models of the format, if the policy has none.
func (set *settings) suit() {
	if set.format != nil && set.policy.Model == "" {
		set.profile = set.profile.For(set.format.Model)
	}
}

// adopt makes a model that the policy does not name count as if it did: its window, and its family of tokenizers.
func (r *request) adopt(set *settings, model string) {
	if model == "" || set.policy.Model != "" {
		return
	}
	p, err := set.base.ForModel(model)
	if r.fail(err, set.policyAt); r.err != nil {
		return
	}
	p, err = p.With(&set.options)
	if r.fail(err, set.optionsAt); r.err != nil {
		return
	}
	set.policy, set.model = p, model
	r.estimateBy(set)
}

// withProfile is the source with another estimator.
func (in *source) withProfile(p *tokens.Profile) *source {
	next := *in
	next.profile = p
	return &next
}

// withHistory is the source of a fit whose messages come from a history.
func (in *source) withHistory(h *history) *source {
	next := *in
	next.history = h
	return &next
}

// readAt reads the transcript at an offset.
func (r *request) readAt(offset uint32) {
	r.read(jsonspan.New(r.src).At(offset), reading{before: r.stateFormat()})
}

// read reads the transcript at the scanner: a list of messages, a request body that contains one, or an answer of open. The scanner is
// after it afterwards.
func (r *request) read(s *jsonspan.Scanner, how reading) {
	next := *r.source
	next.guessed = next.format == nil
	if o := r.findOpened(s); o != nil {
		r.readOpened(s, o, &next, how)
	} else if r.err == nil {
		r.readList(s, &next, how)
	}
	if r.err == nil {
		r.source = &next
	}
}

// readList reads a list of messages, or a request body, into a source.
func (r *request) readList(s *jsonspan.Scanner, in *source, how reading) {
	start, named := s.Pos(), in.format != nil
	if !named {
		d := s.At(s.Pos())
		found := wire.Detect(d)
		if r.fail(d.Err(), 0); r.err != nil {
			return
		}
		if in.format = settle(&found, how.before); in.format == nil {
			// That a message lacks a role is a clearer error than "no format has these".
			r.fail(plainFault(s.At(s.Pos())), 0)
			r.fail(undetected(&found, int(s.Pos())), 0)
			return
		}
		if r.fail(notHere(in.format, start), 0); r.err != nil {
			return
		}
		in.suit()
	}
	if !how.unweighed {
		s.Weigh = in.profile.Automaton
	}
	in.t = in.format.Read(s)
	s.Weigh = nil
	in.noteReasoner()
	if r.fail(s.Err(), 0); r.err == nil {
		r.fail(unread(in.format, in.t, named, start), 0)
	}
}

// noteReasoner notes in the transcript what reasoning the model wants back that is asked.
func (in *source) noteReasoner() {
	model := in.policy.Model
	if model == "" && !in.t.Model.Zero() {
		model = in.t.Text(in.t.Model)
	}
	in.t.Reasoner = wire.Reasoner(model)
}

// stateFormat returns the format that the state of the last compaction, or a remembered one, names; nil if neither does.
func (r *request) stateFormat() *wire.Format {
	for i := len(r.remembered) - 1; i >= 0; i-- {
		if f := wire.ByName(r.remembered[i].format); f != nil {
			return f
		}
	}
	var state api.State
	p := r.members[operations.InState]
	if p.Zero() || policy.Decode(p.Of(r.src), &state) != nil { // a broken state is reported when it is used
		return nil
	}
	return wire.ByName(string(state.Format))
}

// settle decides on the format of a conversation that had a format before, or none; nil if nothing shows it. A plain conversation switches
// to another format at its first sign, to the strictest if several are possible.
func settle(found *wire.Detection, before *wire.Format) *wire.Format {
	if before != nil && found.May(before) {
		return before
	}
	if f := found.Sure(); f != nil || before == nil || before.Name != wire.Plain {
		return f
	}
	return found.Strictest()
}

// plainFault finds what is wrong with a transcript in any format: it is no list, or a message is no object or has neither a role nor a
// type.
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
		for key := range s.Members {
			named = named || string(key) == "role" || string(key) == "type"
			s.Skip()
		}
		if !named {
			return &jsonspan.Error{Code: api.CodeMissingRole, Offset: int(at), Message: "this message has no role"}
		}
	}
	return nil
}

package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// settings determine how messages are read and processed. They are the policy, the options, and values derived from
// both.
type settings struct {
	base      *policy.Policy  // without options
	policy    *policy.Policy  // with options
	policyAt  uint32          // offset of the policy
	options   api.Options     // of the request
	optionsAt uint32          // offset of the options
	model     string          // the model named by a result of open, if the policy doesn't set one
	format    *wire.Format    // nil if the format must be detected
	profile   *tokens.Profile // the estimator
}

// source is the input of an operation: a transcript, and the settings with which it was read. A source doesn't change
// once a request refers to it; changes create a new source.
type source struct {
	settings
	t        *transcript.Transcript // the transcript; nil before it is read
	usageAt  jsonspan.Span          // the provider's count in a result of open
	promptAt jsonspan.Span          // the system prompt in a result of open
	guessed  bool                   // whether neither the policy nor a state has determined the format

	resumed    *resumed      // the plan that a step continues
	remembered []memoryEntry // the remembered compactions, for a fit
	// Whether the longest of them is applied, regardless of the text of the first message that it was made for.
	longest bool
	history *history // where the messages come from, for a fit
}

// input returns the input of a compaction of the transcript.
func (s *source) input(state api.State) view.Input {
	return view.Input{Transcript: s.t, Format: s.format, Estimator: s.profile, Policy: s.policy, State: state,
		N: len(s.t.Messages)}
}

// violations returns the places where messages, given in their order, break the rules of the format.
func (s *source) violations(t *transcript.Transcript) []wire.Violation {
	return s.format.Check(t, t.MessageIndexes(), s.policy.OpenCalls == "answer")
}

// reading determines how to read a transcript.
type reading struct {
	before    *wire.Format // earlier format of the conversation, or nil
	unweighed bool         // whether to read without estimating tokens
}

// resolve derives the settings from the request's policy and options. The request fails if one of
// them is invalid. Further calls do nothing.
func (r *request) resolve() {
	if r.policy != nil || r.err != nil {
		return
	}
	var o api.Options
	if r.session != nil { // options of the request override the session's
		o = r.session.options.Clone()
	}
	at := r.members[operations.InOptions]
	if !at.IsZero() {
		if err := policy.Decode(at.Slice(r.src), &o); err != nil {
			r.fail(policy.SuggestOption(err), at.Start)
			return
		}
	}
	var src []byte
	if r.has(operations.InPolicy) {
		src = r.members[operations.InPolicy].Slice(r.src)
	}
	if set := r.settingsOf(src, r.members[operations.InPolicy].Start, o, at.Start); r.err == nil {
		next := *r.source
		next.settings = set
		r.source = &next
	}
}

// settingsOf parses the policy src, which is at offset at, and applies the options o, which are at optionsAt. If src
// is nil, it uses the policy of the session or, without a session, the default policy.
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
	p, err := set.base.WithOptions(&set.options)
	if r.fail(err, optionsAt); r.err != nil {
		return set
	}
	if set.policy = p; !r.estimateBy(&set) || p.DetectsFormat() {
		return set
	}
	if set.format = wire.ByName(string(p.Format)); set.format == nil {
		if p.Format != set.base.Format {
			at = optionsAt
		}
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, At: "format",
			Message: policy.UnknownName("format", string(p.Format), wire.Names())}, at)
	} else if e := notHere(set.format, 0); e != nil {
		e.At = "format"
		r.fail(e, at)
	}
	set.suit()
	return set
}

// estimateBy sets the estimator that the policy names, for the policy's model. It returns false and records an error
// if there is no such estimator.
func (r *request) estimateBy(set *settings) bool {
	profile := tokens.ByName(set.policy.Estimator)
	if profile == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownEstimator, At: "estimator",
			Message: policy.UnknownName("estimator", set.policy.Estimator, tokens.Names())}, set.policyAt)
		return false
	}
	set.profile = hook.Estimator(set.policy, profile).For(set.policy.Model)
	return true
}

// suit adapts the estimator to the models that are usually called in the format, if the policy names no model.
func (set *settings) suit() {
	if set.format != nil && set.policy.Model == "" {
		set.profile = set.profile.For(set.format.Model)
	}
}

// adopt applies the context window and the tokenizer family of the model that an opened file names. It does nothing if
// the policy names a model, and the policy's own values take precedence.
func (r *request) adopt(set *settings, model string) {
	if model == "" || set.policy.Model != "" {
		return
	}
	p, err := set.base.ForModel(model)
	if r.fail(err, set.policyAt); r.err != nil {
		return
	}
	p, err = p.WithOptions(&set.options)
	if r.fail(err, set.optionsAt); r.err != nil {
		return
	}
	set.policy, set.model = p, model
	r.estimateBy(set)
}

// withProfile returns a copy of the source with another estimator.
func (in *source) withProfile(p *tokens.Profile) *source {
	next := *in
	next.profile = p
	return &next
}

// withHistory returns a copy of the source that records where the messages of a fit come from.
func (in *source) withHistory(h *history) *source {
	next := *in
	next.history = h
	return &next
}

// readAt reads the transcript that begins at an offset of the request, in bytes.
func (r *request) readAt(offset uint32) {
	r.read(jsonspan.New(r.src).At(offset), reading{before: r.stateFormat()})
}

// read reads the transcript at the scanner: a list of messages, a request body that contains one, or a result of
// open. Afterwards the scanner is after the transcript.
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

// readList reads a list of messages, or a request body that contains one, into in.
func (r *request) readList(s *jsonspan.Scanner, in *source, how reading) {
	start, named := s.Pos(), in.format != nil
	if !named {
		d := s.At(s.Pos())
		found := wire.Detect(d)
		if r.fail(d.Err(), 0); r.err != nil {
			return
		}
		if in.format = settle(&found, how.before); in.format == nil {
			// A missing role is a clearer error than an unknown format.
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

// noteReasoner records in the transcript whether the model requires reasoning to be sent back.
func (in *source) noteReasoner() {
	model := in.policy.Model
	if model == "" && !in.t.Model.IsZero() {
		model = in.t.Text(in.t.Model)
	}
	in.t.Reasoner = wire.IsReasoningModel(model)
}

// stateFormat returns the format named by the state of the last compaction or by a memory entry, or nil.
func (r *request) stateFormat() *wire.Format {
	for i := len(r.remembered) - 1; i >= 0; i-- {
		if f := wire.ByName(r.remembered[i].format); f != nil {
			return f
		}
	}
	var state api.State
	p := r.members[operations.InState]
	if p.IsZero() || policy.Decode(p.Slice(r.src), &state) != nil { // an invalid state is reported when it is used
		return nil
	}
	return wire.ByName(string(state.Format))
}

// settle decides on the format of a conversation; before is its earlier format, or nil. It returns nil if the format
// can't be determined. A plain conversation switches to another format at the first sign of it, and to the strictest
// format if several are possible.
func settle(found *wire.Detection, before *wire.Format) *wire.Format {
	if before != nil && found.IsPossible(before) {
		return before
	}
	if f := found.CertainFormat(); f != nil || before == nil || before.Name != wire.Plain {
		return f
	}
	return found.StrictestFormat()
}

// plainFault returns the error of a transcript that is invalid in any format: it isn't a list, or a message isn't an
// object or has neither a role nor a type. It returns nil if there is no such fault, and for an object, because that
// may be a request body.
func plainFault(s *jsonspan.Scanner) *jsonspan.Error {
	switch s.Kind() {
	case jsonspan.Array:
	case jsonspan.Object:
		return nil
	default:
		return &jsonspan.Error{Code: jsonspan.WrongType, Offset: int(s.Pos()),
			Message: "messages must be a list of messages, or a request body"}
	}
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			return &jsonspan.Error{Code: jsonspan.WrongType, Offset: int(s.Pos()),
				Message: "a message must be an object"}
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

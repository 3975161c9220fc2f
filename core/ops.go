// Package core is ctxfold without a host: every operation takes a JSON request and returns a JSON response
// (docs/reference/abi.md). It compiles natively and to WebAssembly, and both return the same bytes.
//
// Core and the packages below it never use the network, files, a clock, randomness or goroutines, and no output depends
// on the order of a map.
package core

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/gate"
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
	"github.com/mailru/easyjson/jwriter"
)

// Version is the module's semantic version.
const Version = "0.2.0"

// abi is the version of the ABI. It changes when a host written for the previous version would no longer work.
const abi = 2

// runs holds the implementations of the operations. Each processes a request and returns its response, or records an
// error in the request. operations.Operations lists the members that their requests may have.
var runs [len(operations.Operations)]func(r *request) []byte

func init() { // assigned here, not in the declaration, because info refers to the table
	runs = [...]func(r *request) []byte{
		operations.OpInfo: info, operations.OpDetect: detect, operations.OpEstimate: estimate, operations.OpCheck: check, operations.OpPlan: plan, operations.OpStep: step, operations.OpFit: fit,
		operations.OpPrints: prints, operations.OpValidate: validate, operations.OpRepair: repair, operations.OpConvert: convertTo, operations.OpRestore: restore, operations.OpDigests: digests, operations.OpRecall: recall,
		operations.OpSearch: searchBodies, operations.OpOpen: open, operations.OpSave: save, operations.OpSessionOpen: sessionOpen, operations.OpSessionAppend: sessionAppend,
		operations.OpSessionClose: sessionClose, operations.OpClassifyError: classifyError, operations.OpLimitToolOutput: limitToolOutput,
		operations.OpLoopStart: loopStart, operations.OpLoopEvent: loopEvent, operations.OpFunction: function,
	}
}

// Ops lists the operations of this build.
func Ops() []string {
	var names []string
	for i := range operations.Operations {
		if there(&operations.Operations[i]) && runs[i] != nil {
			names = append(names, operations.Operations[i].Name)
		}
	}
	return names
}

// there reports whether this build includes an operation.
func there(o *operations.Operation) bool { return !o.Full || hook.Linked != nil }

// Call runs an operation without a session on a JSON request and returns its JSON response. It never panics, whatever
// the request contains, and keeps no reference to the request.
func Call(name string, src []byte) []byte { return new(Sessions).Call(name, src) }

// Call runs an operation on a JSON request and returns its JSON response. It never panics, whatever the request
// contains, and keeps no reference to the request.
func (l *Sessions) Call(name string, src []byte) (answer []byte) {
	var r *request
	defer func() {
		if recover() != nil {
			if r != nil && r.session != nil {
				l.drop(r.session) // the state of the session is unknown now
			}
			answer = errorAnswer(nil, &jsonspan.Error{Code: api.CodeInternal, Message: "ctxfold failed on this request; nothing was changed"})
		}
	}()
	i := slices.IndexFunc(operations.Operations[:], func(o operations.Operation) bool { return o.Name == name })
	switch {
	case i < 0:
		return errorAnswer(nil, &jsonspan.Error{Code: api.CodeUnknownOp, Message: policy.UnknownName("operation", name, Ops())})
	case !there(&operations.Operations[i]):
		return errorAnswer(nil, &jsonspan.Error{Code: api.CodeNeedsFull, Message: "the operation \"" + name + "\" is in the full build: " + hook.Where})
	case runs[i] == nil:
		return errorAnswer(nil, elsewhere("the operation \""+name+"\"", 0))
	}
	r = newRequest(src, &operations.Operations[i], l)
	if r.parse(); r.err == nil {
		answer = r.run(operations.Op(i))
	}
	if r.err != nil {
		r.nameSession()
		return errorAnswer(src, r.err)
	}
	return answer
}

// encoded returns the output of marshal, the MarshalEasyJSON method of a value. It doesn't take an interface,
// because the linker would then also keep the unmarshalers of all types.
func encoded(marshal func(*jwriter.Writer)) []byte {
	w := jwriter.Writer{NoEscapeHTML: true, Flags: jwriter.NilSliceAsEmpty}
	marshal(&w)
	b, _ := w.BuildBytes() // cannot fail with generated marshalers
	return b
}

// info describes the module: what it was linked with, and its limits. It ignores the request.
func info(_ *request) []byte {
	a := api.Info{Name: "ctxfold", Version: Version, ABI: abi, Ops: named[api.Operation](Ops()), Estimators: named[api.Estimator](tokens.Names()),
		Passes: named[api.PassName](passes.Passes()), Functions: named[api.FunctionName](hook.FunctionNames()),
		Limits: api.Limits{Bytes: jsonspan.MaxSize, Depth: jsonspan.MaxDepth}}
	for _, f := range wire.LinkedFormats() {
		a.Formats = append(a.Formats, api.FormatInfo{Name: api.Format(f.Name), Doc: f.Doc})
	}
	for _, k := range passes.Kinds() {
		p := api.PassInfo{Name: api.PassName(k.Name), Doc: k.Doc}
		for _, param := range k.Params {
			p.Parameters = append(p.Parameters, api.Parameter{Name: param.Name, Default: api.Raw(param.Default), Doc: param.Doc})
		}
		for _, m := range k.Markers {
			p.Markers = append(p.Markers, m.Text)
		}
		for _, m := range k.Messages {
			p.Messages = append(p.Messages, m.Prefix)
		}
		for _, n := range k.Counts {
			p.Counters = append(p.Counters, api.Counter{Name: n.Name, Text: n.Text})
		}
		a.PassInfo = append(a.PassInfo, p)
	}
	for _, p := range policy.Presets() {
		a.Presets = append(a.Presets, api.PresetInfo{Name: api.Preset(p.Name), Doc: p.Doc, Policy: api.Raw(p.JSON)})
	}
	return encoded(a.MarshalEasyJSON)
}

// named converts strings to a named string type.
func named[T ~string](names []string) []T {
	var list []T
	for _, name := range names {
		list = append(list, T(name))
	}
	return list
}

// detect returns the formats that the messages may have, with the evidence. A result of open names its own format. If
// nothing fits, it says what the value resembles.
func detect(r *request) []byte {
	s := jsonspan.New(r.src).At(r.members[operations.InMessages].Start)
	if r.session != nil {
		s = jsonspan.New(r.t.Src)
	}
	var found wire.Detection
	if o := r.findOpened(s); o != nil {
		found.Guesses = []wire.Guess{{Format: o.format, Confidence: 1}} // the file determines the format
	} else if at := s.Pos(); r.err == nil {
		found = wire.Detect(s)
		if r.fail(s.Err(), 0); r.err == nil {
			r.fail(notHere(found.CertainFormat(), at), 0)
		}
		if r.err == nil && !readable(&found, s.At(at)) {
			if kind, format := r.sessionKind(); kind != "" {
				found.Resemble(&wire.Shape{Name: sessionFile(kind), Nearest: format})
			}
		}
	}
	if r.err != nil {
		return nil
	}
	a := api.Detection{}
	for _, g := range found.Guesses {
		a.Candidates = append(a.Candidates, api.Candidate{Format: api.Format(g.Format.Name), Confidence: round(g.Confidence), Evidence: g.Evidence})
	}
	if found.Shape != nil {
		a.Shape = found.Shape.Name
	}
	if found.CertainFormat() != nil {
		a.Format, a.Confidence = a.Candidates[0].Format, a.Candidates[0].Confidence
	}
	return encoded(a.MarshalEasyJSON)
}

// round rounds to three decimal places.
func round(f float64) float64 { return float64(int(float64(f*1000)+0.5)) / 1000 }

// estimate returns the size of a text, or of a transcript with each of its messages, in tokens. It returns nil if r has
// an error.
func estimate(r *request) []byte {
	a := api.Estimate{Source: r.profile.Source, Bound: r.profile.Bound, Estimator: api.Estimator(r.profile.Name), Family: api.Family(r.profile.Family)}
	if p := r.members[operations.InText]; !p.IsZero() {
		s := jsonspan.New(r.src).At(p.Start)
		s.Weigh = r.profile.Automaton
		text := s.Text()
		if r.fail(s.Err(), 0); r.err != nil {
			return nil
		}
		a.Tokens = r.profile.Measure(text.Measure)
		return encoded(a.MarshalEasyJSON)
	}
	if !r.need(operations.InMessages) {
		return nil
	}
	var state api.State
	if r.stateOf(&state); r.err != nil {
		return nil
	}
	if r.correct(&state); r.err != nil {
		return nil
	}
	a.Source, a.Bound = r.profile.Source, r.profile.Bound
	a.Format = api.Format(r.format.Name)
	a.Beside = r.profile.OutsideMessages(r.t)
	a.Tokens = a.Beside
	for i := range r.t.Messages {
		n := r.profile.Message(r.t, i)
		a.Messages = append(a.Messages, n)
		a.Tokens += n
	}
	return encoded(a.MarshalEasyJSON)
}

// check reports whether compaction is due, and why. If there is a provider's count, it also returns the state with the
// correction that follows from the count. It returns nil if r has an error.
func check(r *request) []byte {
	var state api.State
	if r.stateOf(&state); r.err != nil {
		return nil
	}
	if r.correct(&state); !r.bounded(r.options.Force) {
		return nil
	}
	a := api.Check{Source: r.profile.Source, Bound: r.profile.Bound, Limit: r.policy.Limit(), Window: r.policy.Window.Tokens,
		Format: api.Format(r.format.Name), Estimator: api.Estimator(r.profile.Name), Messages: len(r.t.Messages)}
	in := r.input(state)
	due, size, cold := hook.Due(in, r.profile.OutsideMessages(r.t)+r.tokens())
	if a.Due, a.Tokens = due, size.Tokens; size.Index >= 0 {
		a.Source, a.Bound = api.TokensMeasured, size.Bound
	}
	if r.options.Usage != nil || !r.usageAt.IsZero() {
		if a.State = encoded(state.MarshalEasyJSON); r.session != nil {
			r.session.state = state
		}
	}
	if a.Reason = r.dueReason(due, cold); a.Reason == api.ReasonCold {
		a.Cold = cold
	}
	if !a.Due && in.OverBytes() {
		a.Due, a.Reason = true, api.ReasonOverBytes
	}
	if !a.Due {
		a.Start, a.Notice = gate.StartsInBackground(in, a.Tokens), gate.NoticeText(in, a.Tokens)
	}
	if a.Window > 0 {
		a.Ratio = round(float64(a.Tokens) / float64(a.Window))
	}
	return encoded(a.MarshalEasyJSON)
}

// dueReason returns the reason why a compaction is due, or isn't.
func (r *request) dueReason(due bool, cold api.Cold) api.Reason {
	switch {
	case len(r.t.Messages) == 0:
		return api.ReasonUnderBudget
	case r.policy.HasNoLimit():
		return compact.NoLimitReason(r.policy)
	case cold != "":
		return api.ReasonCold
	case due:
		return "over_limit"
	}
	return api.ReasonUnderBudget
}

// validate lists the violations in a transcript, with their places in the request. A transcript that breaks only rules
// that the provider tolerates is valid.
func validate(r *request) []byte {
	a := api.Validation{Format: api.Format(r.format.Name), Messages: len(r.t.Messages)}
	if r.t.LoneBeside {
		a.Violations = append(a.Violations, r.loneBeside())
	}
	list := jsonspan.PathAt(r.t.Src, int(r.t.List.Start))
	if r.session != nil {
		list = strings.TrimSuffix("messages."+list, ".")
	}
	paths := wire.Paths{F: r.format, T: r.t}
	for _, v := range r.violations(r.t) {
		msg := &r.t.Messages[v.Message]
		at, path := msg.Span.Start, list+paths.Of(&v)
		switch {
		case v.Part >= 0:
			at = r.t.Parts[v.Part].Span.Start
		case v.Fix == wire.Replace:
			at = jsonspan.LoneSurrogates(r.t.Src, msg.Span)[0]
			path += strings.TrimPrefix(jsonspan.PathAt(r.t.Src, int(at)), jsonspan.PathAt(r.t.Src, int(msg.Span.Start)))
		}
		a.Violations = append(a.Violations, api.Violation{Rule: v.Rule, Message: int(v.Message), Path: path,
			Offset: int(at), Text: v.Text, Severity: v.Severity.Word(), Repair: v.Fix.Word()})
	}
	a.Valid = !slices.ContainsFunc(a.Violations, func(v api.Violation) bool { return v.Severity == api.SeverityRefused })
	return encoded(a.MarshalEasyJSON)
}

// loneBeside returns the violation of rule I8 (unpaired surrogates) in the request body outside its messages.
func (r *request) loneBeside() api.Violation {
	t := r.t
	lone := jsonspan.LoneSurrogates(t.Src, jsonspan.Span{Start: t.Outer.Start, End: t.List.Start})
	lone = append(lone, jsonspan.LoneSurrogates(t.Src, jsonspan.Span{Start: t.List.End, End: t.Outer.End})...)
	return api.Violation{Rule: "I8", Message: -1, Path: jsonspan.PathAt(t.Src, int(lone[0])), Offset: int(lone[0]), Text: wire.LoneText,
		Severity: api.SeverityRefused, Repair: api.RepairReplace}
}

func plan(r *request) []byte {
	p := api.Plan{Version: abi, Messages: len(r.t.Messages), Model: r.model, Options: r.planned()}
	if r.stateOf(&p.State); r.err != nil {
		return nil
	}
	if p.Correction = r.correct(&p.State); !r.bounded(r.options.Force) {
		return nil
	}
	p.Policy = api.Raw("{}")
	if m := r.members[operations.InPolicy]; !m.IsZero() {
		p.Policy = api.Raw(m.Slice(r.src))
	} else if r.session != nil && len(r.session.raw) > 0 {
		p.Policy = r.session.raw
	}
	return run(r, &p)
}

// planned returns the options to store in a plan, without usage, or nil if all of them have their default values.
func (r *request) planned() *api.Options {
	o := r.options
	if o.Usage = nil; o == (api.Options{}) {
		return nil
	}
	return &o
}

// resumed is the plan that a step operation continues, as read from the request.
type resumed struct {
	plan    api.Plan
	replies api.Summaries // the host's replies to the plan's requests
	format  *wire.Format  // the format named by the policy
}

// resume reads a plan and its transcript, which is at the scanner. early means that the members after the transcript
// haven't been read yet; a plan made by fit waits for all of them.
func (r *request) resume(s *jsonspan.Scanner, early bool) {
	next := new(resumed)
	p := &next.plan
	r.decode(operations.InPlan, p)
	if r.decode(operations.InSummaries, &next.replies); r.err != nil || early && p.Fit {
		return
	}
	at := r.members[operations.InPlan].Start
	if p.Version != abi {
		r.fail(&jsonspan.Error{Code: api.CodePlanMismatch, Message: "this plan was made by another version; plan again"}, at)
		return
	}
	var o api.Options
	optionsAt := r.optionsAt
	if p.Options != nil {
		o, optionsAt = *p.Options, uint32(jsonspan.Find(r.src, int(at), "options"))
	}
	in := *r.source
	if in.settings = r.settingsOf(p.Policy, uint32(jsonspan.Find(r.src, int(at), "policy")), o, optionsAt); r.err != nil {
		return
	}
	if in.policy.DetectsFormat() { // a session has determined the format already
		in.format = r.format
	}
	next.format = in.format
	before := wire.ByName(string(p.Format))
	if before == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, At: "format", Message: policy.UnknownName("format", string(p.Format), wire.Names())}, at)
		return
	}
	if r.fail(notHere(before, at), 0); r.err != nil {
		return
	}
	if before.Name != wire.Plain || !in.policy.DetectsFormat() { // newer messages may be in another format
		in.format = before
	}
	if r.adopt(&in.settings, p.Model); r.err != nil {
		return
	}
	in.suit()
	in.resumed = next
	r.source = &in
	switch {
	case p.Fit && r.session == nil:
		r.recollect(s, before)
	case r.session == nil:
		r.read(s, reading{before: before})
	}
}

// continues reports whether the transcript begins with the messages that a plan was made for.
func (r *request) continues(p *api.Plan) bool {
	return p.Messages > 0 && p.Messages <= len(r.t.Messages) && r.t.Fingerprint(p.Messages) == p.Fingerprint
}

func step(r *request) []byte {
	if !r.need(operations.InPlan) {
		return nil
	}
	if r.resumed == nil {
		r.resume(jsonspan.New(r.src).At(r.members[operations.InMessages].Start), false)
	}
	if r.err != nil {
		return nil
	}
	p := &r.resumed.plan
	if h := r.history; h != nil && h.others != nil && !r.continues(p) { // the plan was made with the longest entry
		if r.recollectLongest(wire.ByName(string(p.Format))); r.err != nil {
			return nil
		}
	}
	if r.session != nil && r.format != r.resumed.format || !r.continues(p) {
		r.fail(&jsonspan.Error{Code: api.CodePlanMismatch, Message: "the messages that the plan was made for have changed; plan again"}, r.members[operations.InPlan].Start)
		return nil
	}
	r.source = r.withProfile(r.profile.Correct(p.Correction))
	p.Replies = append(p.Replies, r.resumed.replies...)
	for _, id := range p.Asked {
		if !slices.ContainsFunc(p.Replies, func(a api.Summary) bool { return a.ID == id }) {
			p.Replies = append(p.Replies, api.Summary{ID: id, Error: "no answer"})
		}
	}
	p.Asked = nil
	return run(r, p)
}

// run compacts according to a plan and writes the response: the result, or the requests for summaries with the plan
// that continues once they exist. It returns nil if r has an error.
func run(r *request, p *api.Plan) []byte {
	in := r.input(p.State)
	in.N, in.Replies, in.Score, in.Recalled = p.Messages, p.Replies, r.score(), r.history != nil && r.history.given != nil
	in.Marked, in.Changing = r.history.marked(r.format), r.history.changingMessage(r.t)
	redacted := r.redact(&in)
	if r.err != nil {
		return nil
	}
	c, err := hook.Compact(in)
	if err != nil {
		r.fail(err, r.policyAt)
		return nil
	}
	c.Report().Redacted = redacted
	a := api.Planned{Report: api.Report(*c.Report())}
	if len(c.Summary().Requests()) > 0 {
		p.Format, p.Fingerprint = api.Format(r.format.Name), r.t.Fingerprint(p.Messages)
		for _, q := range c.Summary().Requests() {
			p.Asked = append(p.Asked, q.ID)
		}
		if c.Summary().Prefix() != nil {
			r.describePrefix(c)
		}
		a.Plan, a.Requests = encoded(p.MarshalEasyJSON), c.Summary().Requests()
		if h := r.history; h != nil {
			a.Known, a.KnownMessages = &h.known, h.replaced
			if a.Report.CutPoint > 0 && h.given != nil {
				a.Report.CutPoint = h.given[a.Report.CutPoint].in
			}
		}
		return encoded(a.MarshalEasyJSON)
	}
	if r.continuesSession() {
		r.session.state = *c.State()
	}
	a.State, a.Archive, a.Start = encoded(c.State().MarshalEasyJSON), c.ArchivedBodies(), c.StartsInBackground()
	if r.history != nil {
		r.history.finish(r, c, &a)
	}
	return r.appendResult(encoded(a.MarshalEasyJSON), c)
}

// appendResult adds the result to a response in the requested form, and makes the session continue with it.
func (r *request) appendResult(dst []byte, c *compact.Run) []byte {
	defer r.move(c)
	switch r.policy.Answer {
	case "report":
		return dst
	case "edits":
		dst = append(dst[:len(dst)-1], `,"edits":`...)
		if r.history != nil {
			return append(r.history.appendEdits(dst, c), '}')
		}
		return append(c.Result().AppendEdits(dst), '}')
	}
	return append(c.Result().Append(append(dst[:len(dst)-1], `,"messages":`...)), '}')
}

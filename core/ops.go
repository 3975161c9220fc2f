// Package core is ctxfold without a host: every operation takes a JSON request and gives a JSON answer (docs/ABI.md). It
// builds natively and to WebAssembly, and both give the same bytes.
//
// What never enters core and the packages below it: network, files, clock, randomness, goroutines, and the order of maps
// in any output.
package core

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/functions"
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/tokens"
	"github.com/ctxfold/ctxfold/core/wire"
	"github.com/mailru/easyjson/jwriter"
)

// Version is the module's semantic version.
const Version = "0.1.0"

// abi is the version of the ABI: it changes when a host that knows the old one would break.
const abi = 1

// op is an operation: it works on a request and appends its answer, or leaves an error in the request.
type op struct {
	name  string
	takes members
	run   func(r *request, dst []byte) []byte
}

var ops []op

func init() {
	const asked = 1<<inPolicy | 1<<inState | 1<<inMessages
	const usage = 1 << inUsage
	const either = asked | 1<<inSession // what takes messages takes a session in their stead
	ops = []op{                         // not in the declaration: info lists them
		{"info", raw, info},
		{"detect", 1<<inPolicy | 1<<inMessages | 1<<inSession | unread, detect},
		{"estimate", either | usage | 1<<inText, estimate},
		{"check", either | usage, check},
		{"plan", either | usage | edits, plan},
		{"step", 1<<inPlan | 1<<inSummaries | 1<<inMemory | 1<<inMessages | 1<<inSession | unread | edits, step},
		{"fit", 1<<inPolicy | 1<<inMemory | 1<<inMessages | usage | unread | edits, fit},
		{"prints", 1<<inPolicy | 1<<inMessages | unread, prints},
		{"validate", either | edits, validate},
		{"repair", either | edits, repair},
		{"restore", either | 1<<inBodies | edits, restore},
		{"recall", 1<<inPolicy | 1<<inArguments | 1<<inBody, recall},
		{"open", raw, open},
		{"save", 1<<inFile | 1<<inMessages | 1<<inTokens | 1<<inTime | unread, save},
		{"session_open", asked | usage, sessionOpen},
		{"session_append", 1<<inSession | 1<<inMessages | unread | grows, sessionAppend},
		{"session_close", 1<<inSession | unread, sessionClose},
		{"function", either | edits | 1<<inText | 1<<inName | 1<<inArguments | unread, function},
	}
}

// Ops lists the operations.
func Ops() []string {
	names := make([]string, len(ops))
	for i, o := range ops {
		names[i] = o.name
	}
	return names
}

// Call runs one operation that is about no session on a JSON request and returns its JSON answer. It never panics, whatever
// the request holds, and keeps no reference to it.
func Call(name string, src []byte) []byte { return new(Sessions).Call(name, src) }

// Call runs one operation on a JSON request and returns its JSON answer. It never panics, whatever the request holds, and
// keeps no reference to it.
func (l *Sessions) Call(name string, src []byte) (answer []byte) {
	var r *request
	defer func() {
		if recover() != nil {
			if r != nil && r.session != nil {
				l.drop(r.session) // nobody knows what it holds now
			}
			answer = appendError(nil, nil, &jsonspan.Error{Code: Internal, Message: "ctxfold failed on this request; nothing was changed"})
		}
	}()
	for _, o := range ops {
		if o.name != name {
			continue
		}
		r = &request{src: src, op: &o, sessions: l}
		r.parse()
		if r.err == nil {
			answer = o.run(r, nil)
		}
		if r.err != nil {
			return appendError(nil, src, r.err)
		}
		return answer
	}
	return appendError(nil, nil, &jsonspan.Error{Code: UnknownOp, Message: policy.Unknown("operation", name, Ops())})
}

// appendJSON appends what marshal, the MarshalEasyJSON of a value, writes. It is no interface, because the linker would then keep the
// readers of all types too.
func appendJSON(dst []byte, marshal func(*jwriter.Writer)) []byte {
	w := jwriter.Writer{NoEscapeHTML: true, Flags: jwriter.NilSliceAsEmpty}
	marshal(&w)
	b, _ := w.BuildBytes() // fails only where a custom marshaler does, and none of ours can
	if len(dst) == 0 {
		return b
	}
	return append(dst, b...)
}

func info(_ *request, dst []byte) []byte {
	a := Info{Name: "ctxfold", Version: Version, ABI: abi, Ops: Ops(), Estimators: tokens.Names(), Passes: compact.Passes(), Functions: functions.Names(),
		Limits: Limits{Bytes: jsonspan.MaxSize, Depth: jsonspan.MaxDepth}}
	for _, f := range wire.All() {
		a.Formats = append(a.Formats, Named{f.Name, f.Doc})
	}
	for _, p := range policy.Presets() {
		a.Presets = append(a.Presets, PresetInfo{p.Name, p.Doc, policy.Raw(p.JSON)})
	}
	return appendJSON(dst, a.MarshalEasyJSON)
}

func detect(r *request, dst []byte) []byte {
	if !r.need(inMessages) {
		return dst
	}
	s := jsonspan.New(r.src).At(r.members[inMessages].Start)
	if r.session != nil {
		s = jsonspan.New(r.t.Src)
	}
	var found wire.Detection
	if o := r.findOpened(s); o != nil {
		found.Guesses = []wire.Guess{{Format: o.format, Confidence: 1}} // the file has told
	} else if found = wire.Detect(s); r.err == nil {
		r.fail(s.Err(), 0)
	}
	if r.err != nil {
		return dst
	}
	a := Detected{}
	for _, g := range found.Guesses {
		a.Candidates = append(a.Candidates, Candidate{g.Format.Name, round(g.Confidence), g.Evidence})
	}
	if found.Shape != nil {
		a.Shape = found.Shape.Name
	}
	if found.Sure() != nil {
		a.Format, a.Confidence = a.Candidates[0].Format, a.Candidates[0].Confidence
	}
	return appendJSON(dst, a.MarshalEasyJSON)
}

// round keeps three digits, so that a number reads the same in every answer.
func round(f float64) float64 { return float64(int(f*1000+0.5)) / 1000 }

func estimate(r *request, dst []byte) []byte {
	a := Estimated{Source: r.profile.Source, Bound: r.profile.Bound, Estimator: r.profile.Name, Family: r.profile.Family}
	if p := r.members[inText]; !p.Zero() {
		s := jsonspan.New(r.src).At(p.Start)
		s.Weigh = r.profile.Automaton
		text := s.Text()
		if r.fail(s.Err(), 0); r.err != nil {
			return dst
		}
		a.Tokens = r.profile.Measure(text.Measure)
		return appendJSON(dst, a.MarshalEasyJSON)
	}
	if !r.need(inMessages) {
		return dst
	}
	var state compact.State
	if r.stateOf(&state); r.err != nil {
		return dst
	}
	if r.correct(&state); r.err != nil {
		return dst
	}
	a.Source, a.Bound = r.profile.Source, r.profile.Bound
	a.Format = r.format.Name
	a.Beside = r.profile.Beside(r.t)
	a.Tokens = a.Beside
	for i := range r.t.Messages {
		n := r.profile.Message(r.t, i)
		a.Messages = append(a.Messages, n)
		a.Tokens += n
	}
	return appendJSON(dst, a.MarshalEasyJSON)
}

func check(r *request, dst []byte) []byte {
	if !r.need(inMessages) {
		return dst
	}
	var state compact.State
	if r.stateOf(&state); r.err != nil {
		return dst
	}
	if r.correct(&state); r.err != nil {
		return dst
	}
	a := Checked{Source: r.profile.Source, Bound: r.profile.Bound, Limit: r.policy.Limit(), Window: r.policy.Window.Tokens,
		Format: r.format.Name, Estimator: r.profile.Name, Messages: len(r.t.Messages), Reason: compact.UnderBudget}
	due, size := compact.Due(compact.Input{Transcript: r.t, Format: r.format, Estimator: r.profile, Policy: r.policy,
		State: state, N: len(r.t.Messages)}, r.profile.Beside(r.t)+r.tokens())
	if a.Due, a.Tokens = due, size.Tokens; size.Index >= 0 {
		a.Source, a.Bound = tokens.Measured, size.Bound
	}
	if !r.members[inUsage].Zero() {
		if a.State = &state; r.session != nil {
			r.session.state = state
		}
	}
	switch {
	case a.Messages == 0:
	case r.policy.Unbounded():
		a.Reason = compact.UnknownWindow
	case a.Due:
		a.Reason = "over_limit"
	}
	if m := r.policy.MaxBytes; m > 0 && a.Messages > 0 && !a.Due && r.t.List.Len() > m {
		a.Due, a.Reason = true, "over_bytes"
	}
	if a.Window > 0 {
		a.Ratio = round(float64(a.Tokens) / float64(a.Window))
	}
	return appendJSON(dst, a.MarshalEasyJSON)
}

func validate(r *request, dst []byte) []byte {
	if !r.need(inMessages) {
		return dst
	}
	seq := make([]int32, len(r.t.Messages))
	for i := range seq {
		seq[i] = int32(i)
	}
	a := Validated{Format: r.format.Name, Messages: len(seq)}
	if r.t.LoneBeside {
		a.Violations = append(a.Violations, r.loneBeside())
	}
	list := jsonspan.PathAt(r.t.Src, int(r.t.List.Start))
	if r.session != nil {
		list = strings.TrimSuffix("messages."+list, ".")
	}
	paths := wire.Paths{F: r.format, T: r.t}
	for _, v := range r.format.Check(r.t, seq, r.policy.OpenCalls == "answer") {
		msg := &r.t.Messages[v.Message]
		at, path := msg.Span.Start, list+paths.Of(&v)
		switch {
		case v.Part >= 0:
			at = r.t.Parts[v.Part].Span.Start
		case v.Fix == wire.Replace:
			at = jsonspan.Lone(r.t.Src, msg.Span)[0]
			path += strings.TrimPrefix(jsonspan.PathAt(r.t.Src, int(at)), jsonspan.PathAt(r.t.Src, int(msg.Span.Start)))
		}
		a.Violations = append(a.Violations, Violation{Rule: v.Rule, Message: int(v.Message), Path: path,
			Offset: int(at), Text: v.Text, Severity: v.Severity.String(), Repair: v.Fix.String()})
	}
	a.Valid = !slices.ContainsFunc(a.Violations, func(v Violation) bool { return v.Severity == wire.Refused.String() })
	return appendJSON(dst, a.MarshalEasyJSON)
}

// loneBeside is the violation of I8 beside the list of messages.
func (r *request) loneBeside() Violation {
	t := r.t
	lone := jsonspan.Lone(t.Src, jsonspan.Span{Start: t.Outer.Start, End: t.List.Start})
	lone = append(lone, jsonspan.Lone(t.Src, jsonspan.Span{Start: t.List.End, End: t.Outer.End})...)
	return Violation{Rule: "I8", Message: -1, Path: jsonspan.PathAt(t.Src, int(lone[0])), Offset: int(lone[0]), Text: wire.LoneText,
		Severity: wire.Refused.String(), Repair: wire.Replace.String()}
}

func plan(r *request, dst []byte) []byte {
	if !r.need(inMessages) {
		return dst
	}
	p := Plan{Version: abi, Messages: len(r.t.Messages), Model: r.model}
	if r.stateOf(&p.State); r.err != nil {
		return dst
	}
	if p.Correction = r.correct(&p.State); r.err != nil {
		return dst
	}
	p.Policy = policy.Raw("{}")
	if m := r.members[inPolicy]; !m.Zero() {
		p.Policy = policy.Raw(m.Of(r.src))
	} else if r.session != nil && len(r.session.raw) > 0 {
		p.Policy = r.session.raw
	}
	return run(r, &p, dst)
}

func step(r *request, dst []byte) []byte {
	if !r.need(inMessages) || !r.need(inPlan) {
		return dst
	}
	var p Plan
	var replies Replies
	r.decode(inPlan, &p)
	if r.decode(inSummaries, &replies); r.err != nil {
		return dst
	}
	at := r.members[inPlan].Start
	if p.Version != abi {
		r.fail(&jsonspan.Error{Code: PlanMismatch, Message: "this plan is of another version; plan again"}, at)
		return dst
	}
	if r.resolvePolicy(p.Policy, uint32(jsonspan.Find(r.src, int(at), "policy"))); r.err != nil {
		return dst
	}
	format := r.format
	if r.format = wire.ByName(p.Format); r.format == nil {
		r.fail(&jsonspan.Error{Code: policy.UnknownFormat, At: "format", Message: policy.Unknown("format", p.Format, wire.Names())}, at)
		return dst
	}
	before := r.format
	if before.Name == wire.Plain && r.policy.Auto() { // what has come since may show another format
		r.format = format
	}
	r.adopt(p.Model)
	r.suit()
	switch {
	case r.err != nil:
	case p.Fit && r.session == nil:
		r.recollect(before)
	case r.session == nil:
		r.readFrom(r.members[inMessages].Start, before)
	}
	if r.err != nil {
		return dst
	}
	if r.session != nil && r.format != format || p.Messages < 1 || p.Messages > len(r.t.Messages) || r.t.Fingerprint(p.Messages) != p.Fingerprint {
		r.fail(&jsonspan.Error{Code: PlanMismatch, Message: "the messages that the plan was made for have changed; plan again"}, at)
		return dst
	}
	r.profile = r.profile.Correct(p.Correction)
	p.Replies = append(p.Replies, replies...)
	for _, id := range p.Asked {
		if !slices.ContainsFunc(p.Replies, func(a digest.Reply) bool { return a.ID == id }) {
			p.Replies = append(p.Replies, digest.Reply{ID: id, Error: "no answer"})
		}
	}
	p.Asked = nil
	return run(r, &p, dst)
}

// run compacts by a plan and writes what came of it.
func run(r *request, p *Plan, dst []byte) []byte {
	c, err := compact.Compact(compact.Input{Transcript: r.t, Format: r.format, Estimator: r.profile, Policy: r.policy,
		State: p.State, N: p.Messages, Replies: p.Replies})
	if err != nil {
		r.fail(err, r.policyAt)
		return dst
	}
	a := Planned{Report: c.Report}
	if len(c.Requests) > 0 {
		p.Format, p.Fingerprint = r.format.Name, r.t.Fingerprint(p.Messages)
		for _, q := range c.Requests {
			p.Asked = append(p.Asked, q.ID)
		}
		a.Plan, a.Requests = p, c.Requests
		if r.history != nil {
			a.Known = &r.history.known
		}
		return appendJSON(dst, a.MarshalEasyJSON)
	}
	if r.session != nil {
		r.session.state = c.State
	}
	r.move(c)
	a.State, a.Archive = &c.State, c.Archive
	if r.history != nil {
		r.history.finish(r, c, &a)
	}
	dst = appendJSON(dst, a.MarshalEasyJSON)
	return r.appendTranscript(dst, c)
}

// appendTranscript adds the transcript to an answer, an object, in the way that the policy asks for.
func (r *request) appendTranscript(dst []byte, c *compact.Run) []byte {
	switch r.policy.Answer {
	case "report":
		return dst
	case "edits":
		dst = append(dst[:len(dst)-1], `,"edits":`...)
		if r.history != nil {
			return append(r.history.appendEdits(dst, c, r.history.given, asIs), '}')
		}
		return append(c.AppendEdits(dst), '}')
	}
	out := make([]byte, 0, len(dst)+c.Size()+c.Size()/32+64)
	out = append(append(out, dst[:len(dst)-1]...), `,"messages":`...)
	return append(c.AppendOuter(out), '}')
}

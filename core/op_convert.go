//go:build !ctxfold_no_convert

package core

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/convert"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// convertTo rewrites a transcript in another wire format, and repairs violations of that format's rules, including
// tolerated ones. If both formats are the same, it changes nothing.
func convertTo(r *request) []byte {
	if !r.need(operations.InTo) {
		return nil
	}
	to := r.target()
	if r.err != nil {
		return nil
	}
	a := api.Converted{From: api.Format(r.format.Name), To: api.Format(to.Name)}
	in := r.input(api.State{})
	if to == r.format {
		c := compact.KeepUnchanged(in)
		a.Report, a.Valid = api.Report(*c.Report()), len(c.Report().Left) == 0
		dst := encoded(a.MarshalEasyJSON)
		return append(append(append(dst[:len(dst)-1], `,"messages":`...), r.t.Bytes(r.t.Outer)...), '}')
	}
	list := jsonspan.PathAt(r.t.Src, int(r.t.List.Start))
	if r.session != nil {
		list = strings.TrimSuffix("messages."+list, ".")
	}
	prompt := ""
	if !r.promptAt.IsZero() {
		prompt = jsonspan.Text(r.src, r.promptAt)
	}
	o := convert.Convert(r.t, r.format, to, list, prompt)
	s := jsonspan.New(o.Messages)
	s.Weigh = r.profile.Automaton
	t := to.Read(s)
	if err := s.Err(); err != nil { // each call and text may become a separate message
		r.fail(&jsonspan.Error{Code: err.Code,
			Message: "the messages in the format " + to.Name + " cannot be read: " + err.Message},
			r.members[operations.InMessages].Start)
		return nil
	}
	all := *r.policy
	all.Repair, all.Format = "all", to.Name
	in.Transcript, in.Format, in.Policy, in.N = t, to, &all, len(t.Messages)
	c := compact.Repair(in)
	a.Lost, a.Report, a.Valid, a.System = o.Lost, api.Report(*c.Report()), len(c.Report().Left) == 0, o.System
	dst := encoded(a.MarshalEasyJSON)
	return append(c.Result().Append(append(dst[:len(dst)-1], `,"messages":`...)), '}')
}

// target returns the format to which the transcript is converted. If there is no format with this name that can be
// written, r gets an error and the result is nil. Every format can be converted to itself.
func (r *request) target() *wire.Format {
	p := r.members[operations.InTo]
	s := jsonspan.New(r.src).At(p.Start)
	text := s.Text()
	if r.fail(s.Err(), 0); r.err != nil {
		return nil
	}
	name := jsonspan.Text(r.src, text.Span)
	f := wire.ByName(name)
	if f == nil || f != r.format && f.Convert == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, Offset: int(p.Start),
			Message: policy.UnknownName("format to write", name, targets())}, 0)
		return nil
	}
	return f
}

// targets returns the names of the formats to which a transcript can be converted.
func targets() (names []string) {
	for _, f := range wire.AllFormats() {
		if f.Convert != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

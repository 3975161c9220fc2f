package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Everything that ctxfold adds to a transcript is written from templates like those in Target, so each format specifies
// only how its messages differ.

// roleAndText is the message template that several formats share.
const roleAndText = `{"role":"%r","content":%t}`

// textMessage returns a Format.Message that fills a template: %t is the text, %r the role, and %# an id computed from
// the text. %?a, %?s and %?u begin text that is only for the assistant, the system or a user, %?A for everyone but
// the assistant, and %?o for everyone but the assistant and the system.
//
//go:noinline
func textMessage(template string) func(dst []byte, role transcript.Role, text string) []byte {
	instead := insteadOf(template)
	return func(dst []byte, role transcript.Role, text string) []byte { return instead(dst, role, text, nil) }
}

// insteadOf returns a Format.Instead, like textMessage. Its ids also depend on the replaced message. template is that
// of a message. The function appends the message that replaces old and has the given role and text.
//
//go:noinline
func insteadOf(template string) func(dst []byte, role transcript.Role, text string, old []byte) []byte {
	return func(dst []byte, role transcript.Role, text string, old []byte) []byte {
		var v Values
		v['t'], v['r'] = jsonspan.AppendString(nil, text), []byte(role.String())
		yes := []byte{}
		switch role {
		case transcript.Assistant:
			v['a'] = yes
		case transcript.System:
			v['s'], v['A'] = yes, yes
		case transcript.User:
			v['u'], v['A'], v['o'] = yes, yes, yes
		default:
			v['A'], v['o'] = yes, yes
		}
		if strings.Contains(template, "%#") {
			v['#'] = madeID(text, old)
		}
		return FillTemplate(dst, template, &v)
	}
}

// madeID returns an id that is computed from text and other bytes, so that the same messages get the same ids.
func madeID(text string, other []byte) []byte {
	var id transcript.Fingerprint
	id.Add([]byte(text))
	if other != nil {
		id.Add(other)
	}
	return []byte(id.String())
}

// appendMessageID begins a message with an id computed from text and other bytes.
func appendMessageID(dst []byte, text string, other []byte) []byte {
	return append(append(append(dst, `{"id":"ctxfold-`...), madeID(text, other)...), '"')
}

// bodyOf returns a Format.ResultBody that fills in a template with the text, %t.
func bodyOf(template string) func(dst []byte, t *transcript.Transcript, result int32, text string) ([]byte, transcript.Measure) {
	return func(dst []byte, _ *transcript.Transcript, _ int32, text string) ([]byte, transcript.Measure) {
		return FillTemplate(dst, template, &Values{'t': jsonspan.AppendString(nil, text)}), jsonspan.MeasureText(text)
	}
}

// answers holds the templates for a Format.Results.
type answers struct {
	// each is the result of one call: %i is the id of the call, %n its name, %q its name or "", %t the text, and %# an
	// id computed from the text and the call's id. %?l begins text for a legacy call, %?L text for any other call, and
	// %?m text for a call without an id.
	each string
	all  string // the message that holds the results, with %c for them; "" if each result is a separate message
	ids  bool   // a call without an id can't be answered
	kept bool   // a result in a wrong place is reused instead of writing a new one
	// snake reports whether the results of these calls are spelled with underscores. %?k begins text for that spelling,
	// and %?K text for the other one. snake may be nil.
	snake func(calls []Call) bool
}

// there is the value that makes a template include the text between %?x and %;.
var there = []byte{}

// resultValues returns the template values for the result of one call, except for the spelling and the computed id.
func resultValues(c Call, text string) *Values {
	v := Values{'i': c.ID, 'n': c.Name, 'q': c.Name, 't': jsonspan.AppendString(nil, text), 'L': there}
	if c.Name == nil {
		v['q'] = []byte(`""`)
	}
	if c.ID == nil {
		v['m'] = there
	}
	if c.Legacy {
		v['l'], v['L'] = there, nil
	}
	return &v
}

// results answers tool calls with text. It returns nil if one of them can't be answered.
func (a answers) results(dst []byte, calls []Call, text string) []byte {
	var list []byte
	for i, c := range calls {
		if a.ids && c.ID == nil {
			return nil
		}
		if i > 0 {
			list = append(list, ',')
		}
		if a.kept && c.Result != nil {
			list = append(list, c.Result...)
			continue
		}
		v := resultValues(c, text)
		if v['K'] = there; a.snake != nil && a.snake(calls) {
			v['k'], v['K'] = there, nil
		}
		if strings.Contains(a.each, "%#") {
			v['#'] = madeID(text, c.ID)
		}
		list = FillTemplate(list, a.each, v)
	}
	if a.all == "" {
		return append(dst, list...)
	}
	return FillTemplate(dst, a.all, &Values{'c': list})
}

// appendFailed appends a tool call, which is JSON, with text as its failed result. The members that the call has under
// keys are left out. begin is the JSON before the text: the new members, up to the key of the result.
func appendFailed(dst, call []byte, keys []string, begin, text string) []byte {
	dst = append(dst, '{')
	s := jsonspan.New(call)
	for key := range s.Members {
		start, kept := s.KeyPos(), indexOf(keys, key) < 0
		if end := s.Skip().End; kept {
			dst = append(append(dst, call[start:end]...), ',')
		}
	}
	return append(jsonspan.AppendString(append(dst, begin...), text), `,"isError":true}`...)
}

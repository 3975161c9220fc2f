// Package component implements the canonical ABI of wit/ctxfold.wit on top of the JSON of docs/reference/abi.md: it
// writes the arguments of functions into requests, and answers into results. It contains no logic: typed members are
// copied from the answer, everything else is passed on as JSON.
package component

import (
	"github.com/mailru/easyjson/jlexer"

	"github.com/ctxfold/ctxfold/api"
)

// Result is a function's result in the module's memory. It must stay alive until the host has read it.
type Result struct{ area }

// Address returns the address of the result, which the host reads.
func (r *Result) Address() uint32 { return r.address() }

// Bytes returns the result of the function call: a list of bytes.
func Bytes(answer []byte) *Result {
	r := new(Result)
	r.text(answer)
	return r
}

// Checked returns the result of the function check.
func Checked(answer []byte, request *Request) *Result {
	return result(answer, request, alignDouble, func(a *area) {
		var c api.Check
		c.UnmarshalEasyJSON(&jlexer.Lexer{Data: answer})
		a.bool(c.Due)
		a.bool(c.Start)
		enum(a, Reasons, c.Reason)
		a.count(c.Tokens)
		enum(a, Sources, c.Source)
		a.count(c.Bound)
		a.count(c.Limit)
		a.count(c.Window)
		a.double(c.Ratio)
		a.count(c.Messages)
		a.string(string(c.Format))
		a.string(string(c.Estimator))
		a.optional(c.State)
	})
}

// Printed returns the result of the function prints.
func Printed(answer []byte, request *Request) *Result {
	return result(answer, request, alignWord, func(a *area) {
		var p api.Prints
		p.UnmarshalEasyJSON(&jlexer.Lexer{Data: answer})
		a.string(string(p.Format))
		a.list(len(p.Prints), alignWord, func(items *area, i int) { items.string(p.Prints[i]) })
	})
}

// Outcome returns the result of the functions plan, step and fit.
func Outcome(answer []byte, request *Request) *Result {
	return result(answer, request, alignWord, func(a *area) {
		p := plannedOf(answer)
		pending := len(p.plan) > 0
		a.bool(pending)
		a.align(alignWord)
		if pending {
			a.text(p.plan)
			a.list(len(p.requests), alignDouble, func(items *area, i int) { items.request(&p.requests[i]) })
			a.report(p.report)
			return
		}
		a.optional(p.messages)
		a.optional(p.edits)
		a.report(p.report)
		a.optional(p.state)
		a.list(len(p.archive), alignWord, func(items *area, i int) { items.body(&p.archive[i]) })
		a.bool(p.start)
		if a.present(p.known >= 0, alignWord, 4) {
			a.count(p.known)
		}
		a.optional(p.memory)
	})
}

// result returns a result<T, error>, where T has the given alignment. write writes T if the answer isn't an error.
func result(answer []byte, request *Request, alignment int, write func(a *area)) *Result {
	r := new(Result)
	e := errorOf(answer)
	r.bool(e != nil)
	r.align(alignment)
	if e == nil {
		write(&r.area)
	} else {
		enum(&r.area, Codes, e.Code)
		r.string(e.Message)
		r.string(e.Path)
		argument, offset := request.locate(e)
		r.string(argument)
		r.count(offset)
	}
	return r
}

// errorOf returns the error in an answer, or nil. An error answer has no other members.
func errorOf(answer []byte) *api.Error {
	l := &jlexer.Lexer{Data: answer}
	if l.Delim('{'); l.IsDelim('}') || l.UnsafeFieldName(false) != "error" {
		return nil
	}
	var failed api.Failed
	failed.UnmarshalEasyJSON(&jlexer.Lexer{Data: answer})
	return &failed.Error
}

// planned is an api.Planned whose JSON points into the answer instead of copying it, because the messages may be large.
type planned struct {
	plan, report, state, memory, messages, edits []byte

	requests []SummaryRequest
	archive  []Body
	start    bool
	known    int // -1 if absent
}

// plannedOf reads the answer of plan, step or fit, without decoding the members that are passed on as JSON.
func plannedOf(answer []byte) *planned {
	p := &planned{known: -1}
	members(answer, func(name string, l *jlexer.Lexer) {
		switch name {
		case "plan":
			p.plan = l.Raw()
		case "requests":
			p.requests = elements(l, (*SummaryRequest).UnmarshalEasyJSON)
		case "report":
			p.report = l.Raw()
		case "state":
			p.state = l.Raw()
		case "archive":
			p.archive = elements(l, (*Body).UnmarshalEasyJSON)
		case "start":
			p.start = l.Bool()
		case "known":
			p.known = l.Int()
		case "memory":
			p.memory = l.Raw()
		case "messages":
			p.messages = l.Raw()
		case "edits":
			p.edits = l.Raw()
		default:
			l.SkipRecursive()
		}
	})
	return p
}

// members calls the function member for each member of an object. The function must read the value.
func members(object []byte, member func(name string, l *jlexer.Lexer)) {
	l := &jlexer.Lexer{Data: object}
	for l.Delim('{'); !l.IsDelim('}'); l.WantComma() {
		name := l.UnsafeFieldName(false)
		l.WantColon()
		member(name, l)
	}
}

// elements reads a list. It calls read to read each element.
func elements[T any](l *jlexer.Lexer, read func(*T, *jlexer.Lexer)) (list []T) {
	for l.Delim('['); !l.IsDelim(']'); l.WantComma() {
		var each T
		read(&each, l)
		list = append(list, each)
	}
	l.Delim(']')
	return list
}

func (a *area) request(s *SummaryRequest) {
	a.string(s.ID)
	enum(a, Scopes, s.Scope)
	a.string(s.System)
	a.string(s.Prompt)
	a.count(s.MaxOutputTokens)
	a.count(s.InputTokens)
	if a.present(s.Temperature != 0, alignDouble, 8) {
		a.double(s.Temperature)
	}
	a.optionalString(string(s.Thinking))
	a.optionalString(s.Lead)
}

func (a *area) body(b *Body) {
	a.string(b.Handle)
	a.string(string(b.What))
	a.word(uint32(int32(b.Message)))
	a.optionalString(b.Tool)
	a.count(b.Bytes)
	a.count(b.Tokens)
	a.optional(b.Places)
	body := ""
	if b.Inline != nil {
		body = *b.Inline
	}
	a.optionalString(body)
}

// report writes a report in the canonical ABI: the members that hosts decide by, and the whole report as JSON.
func (a *area) report(report []byte) {
	var reason api.Reason
	var changed, fits bool
	var tokens ReportTokens
	members(report, func(name string, l *jlexer.Lexer) {
		switch name {
		case "reason":
			reason = api.Reason(l.String())
		case "changed":
			changed = l.Bool()
		case "fits":
			fits = l.Bool()
		case "tokens":
			tokens.UnmarshalEasyJSON(l)
		default:
			l.SkipRecursive()
		}
	})
	a.align(alignWord)
	enum(a, Reasons, reason)
	a.bool(changed)
	a.bool(fits)
	a.count(tokens.Before)
	a.count(tokens.After)
	a.count(tokens.Limit)
	a.text(report)
}

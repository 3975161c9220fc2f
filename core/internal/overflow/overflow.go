// Package overflow determines why a model call failed: because the conversation doesn't fit into the context window,
// which a compaction and a retry may fix, or for another reason, which they can't fix. It also detects overflows that
// no error reports: a successful call whose usage exceeds the window.
//
// It doesn't know how a host calls its model, or what the host does about a failure.
package overflow

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Class is the reason why a call failed.
type Class = api.FailureClass

// The classes of failures, under the names that the tables of this package use.
const (
	None         = api.FailureNone
	Context      = api.FailureContext
	RateLimit    = api.FailureRateLimit
	OtherModel   = api.FailureOtherModel
	OutputLimit  = api.FailureOutputLimit
	PayloadLimit = api.FailurePayloadLimit
	Provider     = api.FailureProvider
)

// Failure is what is known about a model call, whether it failed or not. Every field is optional.
type Failure struct {
	Status int    // HTTP status code
	Text   string // the error's text, or the body of the response
	// Provider is a hint for ambiguous bodies: a provider name from the table, such as cerebras.
	Provider string
	// Model is the model that was called, and Current is the model in use now. If both are known and differ, the
	// failure says nothing about the conversation's window.
	Model, Current string
	FinishReason   string
	// Usage of a successful call, in tokens. Input excludes tokens read from or written to the cache.
	Input, CacheRead, CacheWrite, Output int
	Window                               int // the model's context window in tokens; 0 if unknown
}

// Verdict is the classification of a failure.
type Verdict struct {
	Class    Class  // why the call failed
	Silent   bool   // whether no error reported it
	Provider string // the provider whose wording was found; "" if none was
	Message  string // the provider's text without its JSON
	Used     int    // tokens of the request according to the provider; 0 if it doesn't say
	Limit    int    // the model's limit in tokens according to the provider; 0 if it doesn't say
}

// maxText is the number of bytes of text that are examined. Errors are short, while other responses may have any size.
const maxText = 16 << 10

// Classify returns why a call failed. The Verdict also has the provider's message and, if the error names them, the
// limit and the size of the request in tokens. Class is None if the error isn't known.
func Classify(f Failure) Verdict {
	v := Verdict{Class: None}
	if f.Model != "" && f.Current != "" && f.Model != f.Current {
		v.Class = OtherModel
		return v
	}
	v.Message = Message(f.Text)
	text := normal(f.Text)
	reason := normal(f.FinishReason)
	if f.Status < 400 && text == "" || f.Status >= 200 && f.Status < 300 {
		return silent(v, f, reason)
	}
	r := match(guards, text)
	if r != nil {
		v.Class, v.Provider = r.Class, r.Provider
	}
	switch {
	case r != nil && (f.Status == 429 || !namesContext(text)):
		return v
	case f.Status == 429:
		v.Class = RateLimit
		return v
	}
	for i := range table {
		r := &table[i]
		if used, limit, ok := r.find(text); ok {
			v.Class, v.Provider, v.Used, v.Limit = r.Class, r.Provider, used, limit
			return v
		}
	}
	return unnamed(v, f, text)
}

// namesContext reports whether text contains a code or phrase that can only mean that the context window is exceeded.
// Messages about token quotas also mention tokens and limits, but such words don't override it.
func namesContext(text string) bool {
	return strings.Contains(text, "context_length_exceeded") || strings.Contains(text, "context window")
}

// unnamed classifies an error whose text matches none of the rules.
func unnamed(v Verdict, f Failure, text string) Verdict {
	without := noBody(text) && (f.Status == 400 || f.Status == 413 || f.Status == 0)
	switch {
	case without && strings.EqualFold(f.Provider, "cerebras"): // Cerebras' wording for this case (from pi's list of providers)
		v.Class, v.Provider = Context, "cerebras"
	case f.Status == 413 || without && strings.HasPrefix(text, "413"):
		v.Class = PayloadLimit
	case v.Class == None && (text != "" || f.Status >= 400):
		v.Class = Provider
	}
	return v
}

// silent classifies a call that succeeded. reason is the finish reason in the form that classification uses. A call
// counts as an overflow if that reason says so or if it used more than the window, or all of it without an output.
func silent(v Verdict, f Failure, reason string) Verdict {
	used := f.Input + f.CacheRead + f.CacheWrite
	switch {
	case reason == "model_context_window_exceeded":
		v.Class, v.Provider = Context, "anthropic"
	case f.Window > 0 && used > f.Window:
		v.Class = Context
	case f.Window > 0 && f.Output == 0 && used >= f.Window-f.Window/100 &&
		(reason == "length" || reason == "max_tokens"):
		// The window was full before the first token of the response.
		v.Class = Context
	default:
		return v
	}
	v.Silent, v.Used, v.Limit = true, used, f.Window
	return v
}

// noBody reports whether text, in lower case, is what an SDK says of a response without a body:
// nothing or "(no body)", possibly after the status 400 or 413.
func noBody(text string) bool {
	for _, status := range []string{"400", "413"} {
		if rest, found := strings.CutPrefix(text, status); found {
			text = strings.TrimPrefix(strings.TrimSpace(rest), "status code")
			break
		}
	}
	text = strings.TrimSpace(text)
	return text == "" || text == "(no body)"
}

// normal returns text in the form that the patterns expect: in lower case, with plain apostrophes, and at most
// maxText bytes.
func normal(text string) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "’", "'")
}

// Message extracts the provider's text from the JSON of an error: the member error, if that is a
// string; otherwise the first string among error.message, error.detail and error.type; otherwise
// message; otherwise detail. If there is none of these, or it is empty, it returns the whole body.
// Of a body of more than maxText bytes it returns the beginning, unparsed.
func Message(body string) string {
	body = strings.TrimSpace(body)
	if len(body) > maxText {
		return body[:len(jsonspan.TrimRune([]byte(body[:maxText])))]
	}
	if text, found := extract([]byte(body)); found && text != "" {
		return text
	}
	return body
}

// errorTexts holds the texts of an error in JSON: error itself if it is a text (plain), message and detail next to
// error, and message, detail and type of the object under error (inner).
type errorTexts struct {
	plain, message, detail found
	inner                  [3]found // message, detail, type
}

func (e *errorTexts) member(s *jsonspan.Scanner, key string) {
	object := s.Kind() == jsonspan.Object
	switch {
	case key == "message":
		e.message.read(s)
	case key == "detail":
		e.detail.read(s)
	case key == "error" && !object:
		e.inner = [3]found{}
		e.plain.read(s)
	case key == "error":
		e.plain, e.inner = found{}, [3]found{}
		for key := range s.Members {
			if k := slices.Index(innerTexts, string(key)); k >= 0 {
				e.inner[k].read(s)
			} else {
				s.Skip()
			}
		}
	default:
		s.Skip()
	}
}

var innerTexts = []string{"message", "detail", "type"}

// extract returns the text of the error in a response body, which may be "". ok is false if the body isn't a JSON
// object, or has no such text.
func extract(src []byte) (text string, ok bool) {
	s := jsonspan.New(src)
	if s.Kind() != jsonspan.Object {
		return "", false
	}
	var e errorTexts
	for key := range s.Members {
		e.member(s, string(key))
	}
	s.End()
	if s.Err() != nil {
		return "", false
	}
	for _, f := range []found{e.plain, e.inner[0], e.inner[1], e.inner[2], e.message, e.detail} {
		if f.ok {
			return f.text, true
		}
	}
	return "", false
}

type found struct {
	text string // without white space around it
	ok   bool   // whether there is such a text; it may be empty
}

// read reads the text at the scanner. It skips any other value.
func (f *found) read(s *jsonspan.Scanner) {
	*f = found{}
	if s.Kind() == jsonspan.String {
		*f = found{strings.TrimSpace(jsonspan.Text(s.Src(), s.Text().Span)), true}
	} else {
		s.Skip()
	}
}

// Package functions gives names to single steps of a compaction: estimates, gates, cut points, truncations, texts of
// prompts. A host that has a loop of its own can call just the step that it needs; docs/FUNCTIONS.md lists them all.
//
// A family of functions is one file that registers them. What never enters this package: what a step does. That is in the
// room that it belongs to (tokens, policy, compact, digest), where Go programs call it directly; here arguments are read
// and results are written.
package functions

//go:generate sh ../generate.sh

import (
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/tokens"
	"github.com/ctxfold/ctxfold/core/transcript"
	"github.com/ctxfold/ctxfold/core/wire"
	"github.com/mailru/easyjson/jwriter"
)

// Error is what is wrong with the arguments: its offset, or its path At, counts in them.
type Error = jsonspan.Error

// UnknownFunction is the code of an error: there is no function of that name.
const UnknownFunction jsonspan.Code = "unknown_function"

// Call is one call of a function.
type Call struct {
	Policy    *policy.Policy
	Estimator *tokens.Profile
	State     compact.State
	// Format and Transcript are those of the messages. A list without any is a transcript too.
	Format     *wire.Format
	Transcript *transcript.Transcript
	Text       string
	Arguments  []byte // a JSON object, or nil
}

// Needs is what a call must have.
type Needs uint8

// What functions may need.
const (
	Messages Needs = 1 << iota
	Text
)

// Function is a named step. Run appends its result, a JSON value, to dst.
type Function struct {
	Name  string
	Needs Needs
	Run   func(c *Call, dst []byte) ([]byte, *Error)
}

// registered holds the functions, sorted by name: the order of files must not be seen in any answer.
var registered []Function

func register(name string, needs Needs, run func(c *Call, dst []byte) ([]byte, *Error)) {
	i := 0
	for i < len(registered) && registered[i].Name < name {
		i++
	}
	registered = slices.Insert(registered, i, Function{name, needs, run})
}

// ByName returns the function with a name, or nil.
func ByName(name string) *Function {
	for i := range registered {
		if registered[i].Name == name {
			return &registered[i]
		}
	}
	return nil
}

// Names lists the functions by name.
func Names() []string {
	names := make([]string, len(registered))
	for i, f := range registered {
		names[i] = f.Name
	}
	return names
}

// arguments reads the arguments into v, which holds the defaults.
func (c *Call) arguments(v policy.Unmarshaler) *Error {
	if c.Arguments == nil {
		return nil
	}
	return policy.Decode(c.Arguments, v)
}

// outOfRange is the error of an argument that makes no sense.
func outOfRange(argument, what string) *Error {
	return &Error{Code: policy.OutOfRange, At: argument, Message: argument + " " + what}
}

// number appends a number as a result.
func number(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// truth appends true or false as a result.
func truth(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// text appends a string as a result.
func text(dst []byte, s string) []byte { return jsonspan.AppendString(dst, s) }

// numbers appends a list of numbers as a result.
func numbers(dst []byte, list []int) []byte {
	dst = append(dst, '[')
	for i, n := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = number(dst, n)
	}
	return append(dst, ']')
}

// object appends a value of a type with easyjson code as a result.
func object(dst []byte, v interface{ MarshalEasyJSON(*jwriter.Writer) }) []byte {
	w := jwriter.Writer{NoEscapeHTML: true, Flags: jwriter.NilSliceAsEmpty}
	v.MarshalEasyJSON(&w)
	b, _ := w.BuildBytes() // fails only where a custom marshaler does, and none of ours can
	return append(dst, b...)
}

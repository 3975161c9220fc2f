// Package hook is the only connection between the main code and the published systems. Code that registers here is
// only in the full build: the module ctxfold-full.wasm, and Go programs that import core/full.
//
// What a published system does never enters this package.
package hook

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/gate"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Where describes where to find the full build, for error messages.
const Where = "ctxfold-full.wasm, and natively Go programs that import github.com/ctxfold/ctxfold/core/full"

// Published holds the parts of the published systems that other packages call. Only the full build
// has it.
type Published struct {
	Functions []Function // by name
	// What differs for a policy with wire_safe false: the adaptation of the policy, its estimator, its gate, and the
	// compaction.
	Suit      func(p *policy.Policy)                                // adapts the policy
	Estimator func(p *tokens.Profile) *tokens.Profile               // the estimator of an exact system, for the policy's one
	Due       func(in view.Input, total int) (bool, tokens.Context) // like [gate.Due], without a cold cache
	Compact   func(in view.Input) (*compact.Run, *policy.Error)     // runs the compaction; an error is one of the policy
}

// Linked is the full build's Published, or nil in other builds. An init function sets it.
var Linked *Published

// Check returns an error for a policy that this build can't follow. If the policy requests the
// exact behavior of a published system, Check adapts the policy to that system; any other policy
// stays unchanged.
func Check(p *policy.Policy) *policy.Error {
	switch {
	case p.IsWireSafe():
		return nil
	case Linked == nil:
		return &policy.Error{Code: api.CodeNeedsFull, At: "wire_safe",
			Message: "an exact published system needs the full build: " + Where}
	}
	Linked.Suit(p)
	return nil
}

// exact reports whether the code of the published systems handles a policy, which must have been checked.
func exact(p *policy.Policy) bool { return Linked != nil && !p.IsWireSafe() }

// Estimator returns the estimator e, adapted to a policy.
func Estimator(p *policy.Policy, e *tokens.Profile) *tokens.Profile {
	if exact(p) {
		return Linked.Estimator(e)
	}
	return e
}

// Due reports whether the policy's gate calls for a compaction; see [gate.Due]. total is the size
// of the messages in tokens. size is the size that the gate compared with its limit. cold is the
// reason why the prompt cache is cold, if the compaction is due for that reason alone; it is always
// "" for an exact system.
func Due(in view.Input, total int) (due bool, size tokens.Context, cold api.Cold) {
	if exact(in.Policy) {
		due, size = Linked.Due(in, total)
		return due, size, ""
	}
	return gate.Due(in, in.State.Messages, total)
}

// Compact compacts the input; see [compact.Compact]. It returns an error if the policy has an
// unknown pass or a pass with a wrong parameter.
func Compact(in view.Input) (*compact.Run, *policy.Error) {
	if exact(in.Policy) {
		in.Score = nil // published systems have no scores
		return Linked.Compact(in)
	}
	return compact.Compact(in)
}

// Call is one call of a function.
type Call struct {
	Policy    *policy.Policy  // the resolved policy of the request
	Estimator *tokens.Profile // measures tokens as the policy says
	State     api.State       // of the conversation; the zero value if there is none
	// Format and Transcript are those of the messages. An empty list is also a transcript.
	Format     *wire.Format
	Transcript *transcript.Transcript
	Text       string // the member "text" of the request; "" if there is none
	Arguments  []byte // a JSON object, or nil
}

// Needs is the set of members that a call must have.
type Needs uint8

// The requirements of functions.
const (
	Messages Needs = 1 << iota
	Text
)

// Function is a named step. Run appends its result, a JSON value, to dst.
type Function struct {
	Name  string // as in requests
	Needs Needs  // what its request must have
	Run   func(c *Call, dst []byte) ([]byte, *jsonspan.Error)
}

// FunctionByName returns the function with the given name, or nil.
func FunctionByName(name string) *Function {
	if Linked == nil {
		return nil
	}
	for i := range Linked.Functions {
		if Linked.Functions[i].Name == name {
			return &Linked.Functions[i]
		}
	}
	return nil
}

// FunctionNames returns the names of the functions, sorted, or nil in a build without the published systems.
func FunctionNames() []string {
	if Linked == nil {
		return nil
	}
	names := make([]string, len(Linked.Functions))
	for i, f := range Linked.Functions {
		names[i] = f.Name
	}
	return names
}

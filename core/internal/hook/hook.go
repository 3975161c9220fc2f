// Package hook is the one place where the main path meets the published systems. What hangs here is in the full build only: the
// module ctxfold-full.wasm, and Go programs that import core/full.
//
// What never enters this package: what a published system does.
package hook

import (
	"github.com/ctxfold/ctxfold/core/internal/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Where is where the full build is, for people.
const Where = "ctxfold-full.wasm, and natively Go programs that import github.com/ctxfold/ctxfold/core/full"

// Published is what the full build has of the published systems.
type Published struct {
	Functions []Function // by name
	// Run does a pass of a policy with wire_safe false as the published system does. It is false where that does what ours does.
	Run func(pass any, c *passes.Run) bool
	// Unchecked tells whether a pass runs although the ones before it have freed enough.
	Unchecked func(c *passes.Run) bool
}

// Linked is what is linked in, or nil. An init function sets it.
var Linked *Published

// For returns what the runs of a policy are done by, or nil where that is the main path alone.
func For(p *policy.Policy) *Published {
	if p.Safe() {
		return nil
	}
	return Linked
}

// Check refuses a policy that this build cannot follow.
func Check(p *policy.Policy) *policy.Error {
	if Linked != nil || p.Safe() {
		return nil
	}
	return &policy.Error{Code: api.CodeNeedsFull, At: "wire_safe",
		Message: "exact re-enactment of a published system is in the full build: " + Where}
}

// Call is one call of a function.
type Call struct {
	Policy    *policy.Policy
	Estimator *tokens.Profile
	State     api.State
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
	Run   func(c *Call, dst []byte) ([]byte, *jsonspan.Error)
}

// FunctionByName returns the function with a name, or nil.
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

// FunctionNames lists the functions by name.
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

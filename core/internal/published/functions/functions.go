// Package functions makes single steps of a compaction available by name: estimates, gates, cut points, truncations and
// prompts. A host with its own loop can call just the steps that it needs; docs/reference/functions.md lists them all.
//
// There is one file for each family of functions, which registers them. The steps are implemented in other packages
// (tokens, passes, digest, exact, styles); this package only reads arguments and writes results.
package functions

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Error is an error in the arguments. Its offset and its path At refer to the arguments.
type Error = jsonspan.Error

// Call is one call of a function by the host. The functions are its methods, or take it as their first argument.
type Call struct{ hook.Call }

// The types of package hook that declare functions.
type (
	Needs    = hook.Needs
	Function = hook.Function
)

// The inputs that a function can require.
const (
	Messages = hook.Messages
	Text     = hook.Text
)

// registered holds the functions, sorted by name, so that answers don't depend on the order in which files register
// them.
var registered []Function

func register(name string, needs Needs, run func(c *Call, dst []byte) ([]byte, *Error)) {
	i := 0
	for i < len(registered) && registered[i].Name < name {
		i++
	}
	registered = slices.Insert(registered, i, Function{Name: name, Needs: needs,
		Run: func(c *hook.Call, dst []byte) ([]byte, *Error) { return run(&Call{*c}, dst) }})
}

// All returns the functions, sorted by name.
func All() []Function { return registered }

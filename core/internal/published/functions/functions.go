// Package functions makes single steps of a compaction available by name: estimates, gates, cut points, truncations,
// texts of prompts. A host with its own loop can call just the step that it needs; docs/reference/functions.md lists
// them all.
//
// Each family of functions is one file that registers them. The steps themselves are in other packages (tokens, passes,
// digest, exact, styles); this package only reads arguments and writes results.
package functions

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Error is an error in the arguments: its offset, or its path At, is relative to them.
type Error = jsonspan.Error

// Call is one call of a function.
type Call struct{ hook.Call }

// The types that functions are made of.
type (
	Needs    = hook.Needs
	Function = hook.Function
)

// The requirements of functions.
const (
	Messages = hook.Messages
	Text     = hook.Text
)

// registered holds the functions, sorted by name, so that the order of files has no effect on any answer.
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

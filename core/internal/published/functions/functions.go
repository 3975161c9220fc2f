// Package functions gives names to single steps of a compaction: estimates, gates, cut points, truncations, texts of
// prompts. A host that has a loop of its own can call just the step that it needs; docs/reference/functions.md lists them all.
//
// A family of functions is one file that registers them. What never enters this package: what a step does. That is in the
// room that it belongs to (tokens, passes, digest, exact, styles); here arguments are read and results are written.
package functions

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Error is what is wrong with the arguments: its offset, or its path At, counts in them.
type Error = jsonspan.Error

// Call is one call of a function.
type Call struct{ hook.Call }

// What functions are made of.
type (
	Needs    = hook.Needs
	Function = hook.Function
)

// What functions may need.
const (
	Messages = hook.Messages
	Text     = hook.Text
)

// registered holds the functions, sorted by name: the order of files must not be seen in any answer.
var registered []Function

func register(name string, needs Needs, run func(c *Call, dst []byte) ([]byte, *Error)) {
	i := 0
	for i < len(registered) && registered[i].Name < name {
		i++
	}
	registered = slices.Insert(registered, i, Function{Name: name, Needs: needs,
		Run: func(c *hook.Call, dst []byte) ([]byte, *Error) { return run(&Call{*c}, dst) }})
}

// All lists the functions by name.
func All() []Function { return registered }

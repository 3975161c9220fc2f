// Package report collects what an operation has done: its actions, and the counters of passes, repairs and
// restorations. It never changes a document.
package report

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// Report is the report of an operation in progress. It counts what passes and repairs do; the answer contains it as it
// is at the end.
type Report api.Report

// AddAction records an action of a pass. It doubles the capacity of the list when necessary: append would reallocate
// large lists more often, and the memory of a module never shrinks.
func (r *Report) AddAction(a api.Action) {
	if n := len(r.Actions); n == cap(r.Actions) {
		r.Actions = slices.Grow(r.Actions, n+8)
	}
	r.Actions = append(r.Actions, a)
}

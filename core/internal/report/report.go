// Package report collects what an operation has done: its actions, and the counters of passes, repairs and
// restorations.
//
// Changes of the document never enter this package.
package report

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// Report is the report of one operation in progress.
type Report api.Report

// AddAction records an action of a pass. The capacity of the list doubles, because append would reallocate more often, and
// the memory of a module never shrinks.
func (r *Report) AddAction(a api.Action) {
	if n := len(r.Actions); n == cap(r.Actions) {
		r.Actions = slices.Grow(r.Actions, n+8)
	}
	r.Actions = append(r.Actions, a)
}

// Package report collects what an operation has done: its actions, and what passes, repairs and restorations have counted.
//
// What never enters this package: what is done to the document.
package report

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// Report is the report of one operation on its way.
type Report api.Report

// Act records what a pass did. The list doubles where append would reallocate more often: abandoned memory adds up, and the memory of a
// module never shrinks.
func (r *Report) Act(a api.Action) {
	if n := len(r.Actions); n == cap(r.Actions) {
		r.Actions = slices.Grow(r.Actions, n+8)
	}
	r.Actions = append(r.Actions, a)
}

package report

import "github.com/ctxfold/ctxfold/api"

// Counter is a number in the report that is increased by passes, by repairs or by a restoration.
type Counter struct {
	Name string                   // its key in the report, or in the report's Counts if the report has no such key
	Text string                   // a description of what is counted, for people
	At   func(r *api.Report) *int // its place in the report; nil if the report has no key for it
}

// counters are the counters that packages have declared.
var counters []Counter

// DeclareCounter registers a counter; repeated calls with the same name have no effect. Packages call it from init.
func DeclareCounter(n Counter) {
	for _, known := range counters {
		if known.Name == n.Name {
			return
		}
	}
	counters = append(counters, n)
}

func init() {
	DeclareCounter(Counter{"restored", "files put back after the fold", func(r *api.Report) *int {
		return &r.Restored
	}})
	DeclareCounter(Counter{"repaired", "violations in the input that were repaired", func(r *api.Report) *int {
		return &r.Repaired
	}})
}

// AddToCounter adds n to a counter that has no key of its own in the report.
func (r *Report) AddToCounter(name string, n int) {
	for i := range r.Counts {
		if r.Counts[i].Name == name {
			r.Counts[i].Count += n
			return
		}
	}
	r.Counts = append(r.Counts, api.PassCount{Name: name, Count: n})
}

// ResetCounters resets all counters of the report to zero.
func (r *Report) ResetCounters() {
	r.Counts = nil
	for _, n := range counters {
		if n.At != nil {
			*n.At((*api.Report)(r)) = 0
		}
	}
}

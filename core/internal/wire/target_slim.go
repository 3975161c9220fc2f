//go:build ctxfold_no_convert

package wire

// target returns nil: this build converts nothing, and templates that only conversions use are not linked.
func target(*Target) *Target { return nil }

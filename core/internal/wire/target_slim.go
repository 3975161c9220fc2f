//go:build ctxfold_no_convert

package wire

// target returns nil: this build converts nothing, and doesn't link templates that only conversions use.
func target(*Target) *Target { return nil }

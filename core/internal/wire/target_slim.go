//go:build ctxfold_no_convert

package wire

// target returns nil, because this build converts nothing; the linker then omits the templates that only conversions
// use.
func target(*Target) *Target { return nil }

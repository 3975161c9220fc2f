//go:build !ctxfold_no_convert

package wire

// target returns the templates unchanged, because this build converts to all formats.
func target(t *Target) *Target { return t }

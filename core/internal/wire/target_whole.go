//go:build !ctxfold_no_convert

package wire

// target is how a conversation is written in a format, where this build converts.
func target(t *Target) *Target { return t }

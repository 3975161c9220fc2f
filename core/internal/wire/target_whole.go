//go:build !ctxfold_no_convert

package wire

// target returns how a conversation is written in a format, in builds that convert.
func target(t *Target) *Target { return t }

//go:build ctxfold_no_convert

package core

// Only the whole build can convert.
var convertTo func(r *request, dst []byte) []byte

//go:build ctxfold_no_convert

package core

// Converting is in the whole build.
var convertTo func(r *request, dst []byte) []byte

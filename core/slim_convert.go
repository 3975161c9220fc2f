//go:build ctxfold_no_convert

package core

// convertTo is nil, because only the whole build can convert.
var convertTo func(r *request) []byte

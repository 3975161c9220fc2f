//go:build ctxfold_no_files

package core

// Session files are in the whole build.
var open, save func(r *request, dst []byte) []byte

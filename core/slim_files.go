//go:build ctxfold_no_files

package core

// Only the whole build can read and write session files.
var open, save func(r *request, dst []byte) []byte

//go:build ctxfold_no_files

package core

// open and save are nil, because only the whole build can read and write session files.
var open, save func(r *request, dst []byte) []byte

//go:build ctxfold_no_files

package core

// open and save are nil, because only the whole build can read and write session files.
var open, save func(r *request) []byte

// sessionKind recognizes no session file in this build. Both results are "".
func (*request) sessionKind() (kind, format string) { return "", "" }

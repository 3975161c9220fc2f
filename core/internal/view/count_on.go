//go:build ctxfold_count

package view

// Written counts the bytes of results that were written, in builds with the tag ctxfold_count.
var Written int

func wrote(n int) { Written += n }

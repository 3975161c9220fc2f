//go:build ctxfold_count

package view

// Written is the number of bytes of results written so far. It is counted only in builds with the tag ctxfold_count.
var Written int

func wrote(n int) { Written += n }

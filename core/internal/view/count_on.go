//go:build ctxfold_count

package view

// Written is the number of bytes of results that were written. Builds with the tag ctxfold_count count them.
var Written int

func wrote(n int) { Written += n }

//go:build ctxfold_count

package view

// Written is how many bytes of results were written: a build with the tag ctxfold_count counts them.
var Written int

func wrote(n int) { Written += n }

//go:build !ctxfold_count

package view

// wrote counts nothing; in builds with the tag ctxfold_count it does (count_on.go).
func wrote(int) {}

//go:build !ctxfold_count

package jsonspan

// count counts nothing; in builds with the tag ctxfold_count it does (count_on.go).
func (s *Scanner) count() {}

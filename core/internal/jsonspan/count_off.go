//go:build !ctxfold_count

package jsonspan

// count does nothing: see count_on.go.
func (s *Scanner) count() {}

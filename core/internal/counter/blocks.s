//go:build ctxfold_count

// A file of assembly allows a function without a body (blocks).

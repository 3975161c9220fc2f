//go:build !unix

package ctxfold

// syncDir does nothing: this system can't sync directories.
func syncDir(string) {}

//go:build !unix

package ctxfold

// syncDir does nothing: directories cannot be synced here.
func syncDir(string) {}

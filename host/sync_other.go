//go:build !unix

package host

// syncDir does nothing: directories cannot be synced here.
func syncDir(string) {}

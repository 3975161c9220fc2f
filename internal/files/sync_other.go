//go:build !unix

package files

// syncDir does nothing, because this system can't sync directories.
func syncDir(string) {}

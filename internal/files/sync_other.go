//go:build !unix

package files

// syncDir does nothing: this system can't sync directories.
func syncDir(string) {}

//go:build unix

package files

import "os"

// syncDir syncs a directory, so that the name of a new file survives a power failure on file systems that support
// that. The file itself must have been synced before.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

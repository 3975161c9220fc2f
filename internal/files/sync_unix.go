//go:build unix

package files

import "os"

// syncDir makes a new name in a directory survive a power failure, on file systems that support that; the file itself
// has been synced before.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

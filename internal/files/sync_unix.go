//go:build unix

package files

import "os"

// syncDir makes a new name in a directory survive a loss of power, on file systems that can; the file itself is synced already.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

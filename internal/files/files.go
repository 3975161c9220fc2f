// Package files writes and locks files for packages that keep them in a directory which several programs use at the same time.
package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrLocked is the error of Lock if somebody else has the lock.
var ErrLocked = errors.New("the file is locked")

// Old is how old the time of a file may get before a use renews it, or before the file counts as left by a program that was killed.
const Old = time.Hour

// newPrefix begins the names of files that are being written.
const newPrefix = "new-"

// Unfinished reports whether a file has the name under which this package and the one for Python write one before it gets its own.
func Unfinished(name string) bool {
	random, found := strings.CutPrefix(name, newPrefix)
	return found && random != "" && strings.Trim(random, "0123456789abcdefghijklmnopqrstuvwxyz_") == ""
}

// RemoveUnfinished removes the files that were left by programs that were killed while they wrote them.
func RemoveUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !Unfinished(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > Old {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// Replace leaves either the old file or the new one, whatever happens in between. With durable, that holds for a loss of power too, on file systems
// that can.
func Replace(path string, text []byte, durable bool) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), newPrefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(text); err == nil && durable {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil && durable {
		syncDir(filepath.Dir(path))
	}
	return err
}

// Package files writes and locks files in directories that several programs use at the same time.
package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrLocked is the error that Lock returns if another process has the lock.
var ErrLocked = errors.New("the file is locked")

// Old is the age from which a file is treated as old: when an old file is used, its modification
// time is renewed, and an old unfinished file was left by a program that was killed.
const Old = time.Hour

// newPrefix is the prefix of the names of unfinished files.
const newPrefix = "new-"

// Unfinished reports whether a file has one of the temporary names that this package and the Python package use while
// they write.
func Unfinished(name string) bool {
	random, found := strings.CutPrefix(name, newPrefix)
	return found && random != "" && strings.Trim(random, "0123456789abcdefghijklmnopqrstuvwxyz_") == ""
}

// RemoveUnfinished removes unfinished files that killed programs have left in a directory.
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

// Replace replaces a file atomically. If durable is true, the new content also survives a power failure, on file
// systems that support that.
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

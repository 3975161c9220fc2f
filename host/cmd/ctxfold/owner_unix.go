//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// links returns the number of a file's hard links.
func links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// keepOwner gives a new file the owner and the group of the old one, if they differ. It returns an error if that isn't
// allowed. It does nothing if the owner of the old file is unknown.
func keepOwner(f *os.File, old fs.FileInfo) error {
	s, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if now, ok := info.Sys().(*syscall.Stat_t); ok && now.Uid == s.Uid && now.Gid == s.Gid {
		return nil
	}
	return f.Chown(int(s.Uid), int(s.Gid))
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file safely, through symbolic links and into devices and pipes. A regular file is replaced
// atomically and keeps its mode and owner. A file with other hard links, or whose owner or folder doesn't allow
// replacing it, is overwritten in place.
func writeFile(name string, text []byte) error {
	target, err := followed(name)
	if err == nil {
		err = write(target, text)
	}
	if err == nil {
		return nil
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if target != "" && target != name {
		name += ", a link to " + target
	}
	return fmt.Errorf("cannot write %s: %w", name, err)
}

// write writes a file whose name isn't a symbolic link.
func write(target string, text []byte) error {
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replace(target, text, nil)
	case err != nil:
		return err
	case !info.Mode().IsRegular() || links(info) > 1:
		return overwrite(target, text, info.Mode())
	}
	err = replace(target, text, info)
	if errors.Is(err, fs.ErrPermission) {
		return overwrite(target, text, info.Mode())
	}
	return err
}

// maxLinks is the maximum length of a chain of symbolic links.
const maxLinks = 40

// followed follows a chain of symbolic links and returns the target, which need not exist. A chain of more than
// maxLinks links is an error.
func followed(name string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(name)
		if err != nil { // not a link, or does not exist
			return name, nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", errors.New("too many symbolic links")
}

func overwrite(name string, text []byte, mode fs.FileMode) error {
	flag := os.O_WRONLY
	if mode.IsRegular() {
		flag |= os.O_TRUNC
	}
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// replace replaces a file atomically. old describes the existing file; it is nil if there is none. If it fails, the old
// file stays.
func replace(name string, text []byte, old fs.FileInfo) error {
	tmp, err := temporary(name)
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	if err == nil && old != nil {
		if err = keepOwner(tmp, old); err == nil {
			err = tmp.Chmod(old.Mode().Perm() | old.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
		}
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// temporary creates a file next to another one, with the mode that new files get by default. The name has the process's
// id and a number; an existing file is never opened.
func temporary(name string) (*os.File, error) {
	for i := 0; ; i++ {
		f, err := os.OpenFile(fmt.Sprintf("%s.%d-%d.tmp", name, os.Getpid(), i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package files

import "errors"

// Lock fails: this system can't lock files.
func Lock(string) (unlock func() error, err error) { return nil, errors.ErrUnsupported }

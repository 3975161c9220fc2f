//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package files

import "errors"

// Lock always fails, because this system can't lock files.
func Lock(string) (unlock func() error, err error) { return nil, errors.ErrUnsupported }

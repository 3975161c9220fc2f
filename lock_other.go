//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package ctxfold

import "errors"

// lockFile fails: this system can't lock files.
func lockFile(string) (unlock func() error, err error) { return nil, errors.ErrUnsupported }

//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package ctxfold

import "errors"

// lockFile fails: files cannot be locked here.
func lockFile(string) (unlock func() error, err error) { return nil, errors.ErrUnsupported }

package ctxfold

import (
	"errors"
	"syscall"
)

// lockFile locks a file, which it makes where there is none, by opening it for nobody else. It fails with errLocked at once.
func lockFile(path string) (unlock func() error, err error) {
	const sharingViolation = syscall.Errno(32)
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	file, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, errLocked
	}
	if err != nil {
		return nil, err
	}
	return func() error { return syscall.CloseHandle(file) }, nil
}

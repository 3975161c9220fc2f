package files

import (
	"errors"
	"syscall"
)

// Lock locks a file, which it creates if needed, by opening it exclusively. If another process has locked the file,
// Lock doesn't wait, but returns ErrLocked.
func Lock(path string) (unlock func() error, err error) {
	const sharingViolation = syscall.Errno(32)
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	file, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return func() error { return syscall.CloseHandle(file) }, nil
}

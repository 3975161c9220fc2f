package ctxfold

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ctxfold/ctxfold/internal/files"
)

// Store keeps content that was removed from transcripts: cleared, truncated, archived and folded content, and
// oversized tool outputs. Its methods may be called from any number of goroutines.
type Store interface {
	// Put stores a body under its handle, the SHA-256 of the body in 64 hexadecimal digits. The body is UTF-8 text
	// and must not be modified. If the same body is already stored, Put does nothing. If a different valid body is
	// stored under the same first 16 digits, Put returns an error, such as [ErrCorrupt]; stored content that doesn't
	// match its handle is replaced. If Put returns an error, the body isn't stored.
	Put(ctx context.Context, handle string, body []byte) error

	// Get returns the body whose handle begins with the given digits. There are at least 16 of them, the number in a
	// transcript's markers, and they may be in upper case, because models copy them. Get returns [ErrNotFound] if there
	// is no such body.
	Get(ctx context.Context, handle string) ([]byte, error)
}

// MemoryStore is a [Store] in memory.
type MemoryStore struct {
	max    int // maximum of size; 0 means no limit
	mu     sync.Mutex
	size   int               // the total length of the bodies, in bytes
	bodies map[string][]byte // by the first digits of their handles
}

// NewMemoryStore returns a MemoryStore that holds at most max bytes in total; 0 means no limit.
func NewMemoryStore(max int) *MemoryStore {
	return &MemoryStore{max: max, bodies: map[string][]byte{}}
}

// Put stores a body. It fails with [ErrStoreFull] if there is no room, and with [ErrCorrupt] if a different body is
// stored under the handle.
func (s *MemoryStore) Put(_ context.Context, handle string, body []byte) error {
	key, err := storeKey(handle)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, found := s.bodies[key]
	if found {
		if stays, err := staysStored(key, stored, body); stays {
			return err
		}
	}
	size := s.size - len(stored) + len(body)
	if s.max > 0 && size > s.max {
		return fmt.Errorf("%w: %d of %d bytes are in use, and %d more are needed", ErrStoreFull, s.size, s.max, size-s.size)
	}
	s.bodies[key] = append([]byte(nil), body...)
	s.size = size
	return nil
}

// staysStored reports whether the content that is already stored under key stays there when body is written under the
// same key. It returns true if both are the same. If stored differs from body but also matches the key, it returns true
// and an error. Content that doesn't match the key is corrupt and must be replaced.
func staysStored(key string, stored, body []byte) (stays bool, err error) {
	if bytes.Equal(stored, body) {
		return true, nil
	}
	if holds(key, stored) {
		return true, fmt.Errorf("ctxfold: putting %s: %w", key, ErrCorrupt)
	}
	return false, nil
}

// Get returns the body, which the caller must not modify. It fails with [ErrNotFound] if there is none.
func (s *MemoryStore) Get(_ context.Context, handle string) ([]byte, error) {
	key, err := storeKey(handle)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	body, found := s.bodies[key]
	if !found {
		return nil, ErrNotFound
	}
	return body, nil
}

// Len returns the number of bodies and their total size in bytes.
func (s *MemoryStore) Len() (bodies, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies), s.size
}

// DirStore is a [Store] in a directory, with one file per body, named by the first 16 digits of the handle. Several
// programs may use the directory at the same time.
type DirStore struct{ dir string }

// NewDirStore returns a DirStore and creates its directory if needed (mode 0700, because transcripts are private). It
// removes incomplete files that programs left behind when they were killed more than an hour ago.
func NewDirStore(dir string) (*DirStore, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("ctxfold: opening the store: %w", err)
	}
	if err := files.RemoveUnfinished(dir); err != nil {
		return nil, fmt.Errorf("ctxfold: opening the store: %w", err)
	}
	return &DirStore{dir}, nil
}

// Path returns the path of a body's file. The file need not exist. It returns an error if handle isn't a handle.
func (s *DirStore) Path(handle string) (string, error) {
	key, err := storeKey(handle)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.dir, key), nil
}

// Put writes a body to a file. It writes to a temporary file first, so that readers never see an incomplete body. An
// existing file stays if it has the same body. If it has a different valid body, Put fails with [ErrCorrupt]; an
// invalid file is replaced.
func (s *DirStore) Put(_ context.Context, handle string, body []byte) error {
	path, err := s.Path(handle)
	if err != nil {
		return err
	}
	if stored, err := os.ReadFile(path); err == nil {
		if stays, err := staysStored(filepath.Base(path), stored, body); stays {
			return err
		}
	}
	return files.Replace(path, body, true)
}

// Get reads a body from its file. It fails with [ErrCorrupt] if the file doesn't match the handle. It fails with
// [ErrNotFound] if there is no such file.
func (s *DirStore) Get(_ context.Context, handle string) ([]byte, error) {
	path, err := s.Path(handle)
	if err != nil {
		return nil, err
	}
	body, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNotFound
	case err != nil:
		return nil, err
	case !holds(handle, body):
		return nil, fmt.Errorf("%s: %w", path, ErrCorrupt)
	}
	return body, nil
}

// holds reports whether a body matches a handle, or the first digits of a handle.
func holds(handle string, body []byte) bool {
	sum := sha256.Sum256(body)
	return strings.HasPrefix(hex.EncodeToString(sum[:]), strings.ToLower(handle))
}

// storeKey returns the key under which the stores of this package keep a body. It rejects anything that isn't a handle,
// because models make up handles and the key becomes a file name. The key is the first 16 digits, in lower case.
func storeKey(handle string) (string, error) {
	const short = 16 // digits of a handle in a marker
	handle = strings.ToLower(handle)
	if len(handle) < short || len(handle) > 64 || strings.Trim(handle, "0123456789abcdef") != "" {
		return "", fmt.Errorf("ctxfold: %q is not a handle: a handle has 16 to 64 hexadecimal digits", handle)
	}
	return handle[:short], nil
}

package ctxfold_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold"
)

func handleOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}

func TestStores(t *testing.T) {
	dir, err := ctxfold.NewDirStore(filepath.Join(t.TempDir(), "deeper", "store"))
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]ctxfold.Store{"memory": ctxfold.NewMemoryStore(0), "directory": dir} {
		t.Run(name, func(t *testing.T) {
			var wg sync.WaitGroup
			for i := range 50 {
				wg.Go(func() {
					body := fmt.Sprint("body ", i%20) // some twice, at the same time
					if err := s.Put(t.Context(), handleOf(body), []byte(body)); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			for i := range 20 {
				body := fmt.Sprint("body ", i)
				for _, digits := range []int{16, 30, 64} {
					got, err := s.Get(t.Context(), handleOf(body)[:digits])
					if err != nil || string(got) != body {
						t.Errorf("%d digits of %s: %q, %v", digits, body, got, err)
					}
				}
				if got, err := s.Get(t.Context(), strings.ToUpper(handleOf(body))); err != nil || string(got) != body {
					t.Errorf("upper case: %q, %v", got, err)
				}
			}
			if _, err := s.Get(t.Context(), handleOf("another")); !errors.Is(err, ctxfold.ErrNotFound) {
				t.Errorf("a body that is not there: %v", err)
			}
			for _, bad := range []string{"", "12345678", "../../../../../etc/passwd", strings.Repeat("a", 65), strings.Repeat("/", 16)} {
				if _, err := s.Get(t.Context(), bad); err == nil || errors.Is(err, ctxfold.ErrNotFound) {
					t.Errorf("get %q: %v", bad, err)
				}
				if err := s.Put(t.Context(), bad, nil); err == nil {
					t.Errorf("put %q: no error", bad)
				}
			}
		})
	}
	path, err := dir.Path(handleOf("body 0"))
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 20 {
		t.Errorf("%d files for 20 bodies, %v", len(left), err)
	}
}

func TestMemoryStoreIsBounded(t *testing.T) {
	s := ctxfold.NewMemoryStore(10)
	for _, tt := range []struct {
		body string
		full bool
	}{{"123456", false}, {"12345", true}, {"123456", false}, {"1234", false}, {"1", true}} {
		if err := s.Put(t.Context(), handleOf(tt.body), []byte(tt.body)); errors.Is(err, ctxfold.ErrStoreFull) != tt.full {
			t.Errorf("%q: %v", tt.body, err)
		}
	}
	if n, size := s.Len(); n != 2 || size != 10 {
		t.Errorf("%d bodies of %d bytes", n, size)
	}
}

// TestDirStoreOpensEarlierArchives reads directories as earlier versions have written them: a file for each body, by the first 16
// digits of its handle.
func TestDirStoreOpensEarlierArchives(t *testing.T) {
	files, err := filepath.Glob("testdata/versions/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives of earlier versions: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var saved struct{ Bodies map[string]string }
		if err := json.Unmarshal(text, &saved); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for name, body := range saved.Bodies {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := ctxfold.NewDirStore(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range saved.Bodies {
			if got, err := s.Get(t.Context(), handleOf(body)); err != nil || string(got) != body {
				t.Errorf("%s: %.100q, %v", file, got, err)
			}
		}
	}
}

// TestStoresRefuseOtherBodies stores other text under the handle of an existing body: both stores keep the body and report an error.
// Content that does not match its handle is replaced.
func TestStoresRefuseOtherBodies(t *testing.T) {
	dir, err := ctxfold.NewDirStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]ctxfold.Store{"memory": ctxfold.NewMemoryStore(100), "directory": dir} {
		t.Run(name, func(t *testing.T) {
			handle := handleOf("a body")
			put := func(body string) error { return s.Put(t.Context(), handle, []byte(body)) }
			if err := put("half"); err != nil { // a program may have been killed while it wrote
				t.Fatal(err)
			}
			if err := put("a body"); err != nil {
				t.Errorf("the body in place of what is none: %v", err)
			}
			if err := put("another body"); !errors.Is(err, ctxfold.ErrCorrupt) {
				t.Errorf("another body under the same handle: %v", err)
			}
			if err := put("a body"); err != nil {
				t.Errorf("the same body again: %v", err)
			}
			if got, err := s.Get(t.Context(), handle[:16]); err != nil || string(got) != "a body" {
				t.Errorf("the store has %q, %v", got, err)
			}
			if m, ok := s.(*ctxfold.MemoryStore); ok {
				if n, size := m.Len(); n != 1 || size != len("a body") {
					t.Errorf("%d bodies of %d bytes", n, size)
				}
			}
		})
	}
}

// TestDirStoreCleansUp opens a directory in which programs were killed while writing: their files are deleted once they are old.
func TestDirStoreCleansUp(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"new-1": 2 * time.Hour, "new-2": 0, handleOf("x")[:16]: 100 * time.Hour, "new.md": 100 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ctxfold.NewDirStore(dir); err != nil {
		t.Fatal(err)
	}
	var left []string
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		left = append(left, f.Name())
	}
	if want := []string{handleOf("x")[:16], "new-2", "new.md"}; !slices.Equal(left, want) {
		t.Errorf("the directory has %q, not %q", left, want)
	}
}

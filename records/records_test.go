package records_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold/records"
)

// Both kinds of records find the first key that has one, and forget the least recently used records.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	onDisk, err := records.NewDir(dir, 4000)
	if err != nil {
		t.Fatal(err)
	}
	for name, records := range map[string]records.Records{"memory": records.NewMemory(4000), "directory": onDisk} {
		t.Run(name, func(t *testing.T) {
			find := func(keys ...string) string {
				t.Helper()
				record, at, err := records.Find(t.Context(), keys)
				if err != nil {
					t.Fatal(err)
				}
				if record == nil {
					return ""
				}
				return fmt.Sprintf("%d %s", at, bytes.TrimRight(record, "."))
			}
			keep := func(text string, keys ...string) {
				t.Helper()
				record := []byte(text + string(bytes.Repeat([]byte("."), 400)))
				if err := records.Keep(t.Context(), keys, record); err != nil {
					t.Fatal(err)
				}
				copy(record, "changed by the caller")
			}
			if got := find("a", "b"); got != "" {
				t.Errorf("found %q where nothing is", got)
			}
			keep("one", "a", "b")
			keep("two", "c")
			for _, tt := range []struct {
				keys []string
				want string
			}{{[]string{"a"}, "0 one"}, {[]string{"x", "b", "c"}, "1 one"}, {[]string{"c", "a"}, "0 two"}, {nil, ""}} {
				if got := find(tt.keys...); got != tt.want {
					t.Errorf("%v: %q, want %q", tt.keys, got, tt.want)
				}
			}
			keep("three", "a")
			if a, b := find("a"), find("b"); a != "0 three" || b != "0 one" {
				t.Errorf("replaced: %q, %q", a, b)
			}
			for i := range 40 {
				keep("more", fmt.Sprint("m", i))
				if i%2 == 0 {
					find("c") // in use
				}
				if name == "directory" { // files have times, and the ones of a test are too near to each other
					old := time.Now().Add(time.Duration(i-100) * time.Second)
					if err := os.Chtimes(filepath.Join(dir, fmt.Sprintf("m%d.json", i)), old, old); err != nil && i < 39 {
						t.Fatal(err)
					}
				}
			}
			if find("m0") != "" || find("m39") == "" || find("c") == "" {
				t.Errorf("the first %q, the last %q, the one in use %q", find("m0"), find("m39"), find("c"))
			}
		})
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 5 || len(files) > 14 {
		t.Errorf("%d files are left: %v", len(files), err)
	}
	left := filepath.Join(dir, "new-123")
	for _, max := range []int64{4000, 0} {
		if err := os.WriteFile(left, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(left, old, old); err != nil {
			t.Fatal(err)
		}
		if _, err := records.NewDir(dir, max); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(left); !os.IsNotExist(err) {
			t.Errorf("at most %d bytes: what a killed program has left: %v", max, err)
		}
	}
	if _, err := records.NewDir(left+"/\x00", 0); err == nil {
		t.Error("no error for a directory that cannot be")
	}
}

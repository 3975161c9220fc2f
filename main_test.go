package ctxfold_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/ctxfold/ctxfold"
	_ "github.com/ctxfold/ctxfold/core/full"
	"github.com/ctxfold/ctxfold/host"
	"github.com/ctxfold/ctxfold/host/module"
)

// cache lets the tests compile the module once: the directory that CTXFOLD_CACHE names, so that the workers of a fuzz test
// share it, or one of this run.
var cache = os.Getenv("CTXFOLD_CACHE")

func TestMain(m *testing.M) {
	if cache != "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "ctxfold-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cache = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// open returns a Compactor over the module.
func open(t *testing.T, o host.Options) *ctxfold.Compactor {
	t.Helper()
	o.CacheDir = cache
	if o.Module == nil {
		o.Module = module.Wasm
	}
	c, err := host.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// native returns a Compactor over the code that is compiled into the tests.
func native(_ *testing.T, o ctxfold.Options) *ctxfold.Compactor { return ctxfold.New(o) }

// engines runs a test on both engines.
func engines(t *testing.T, test func(t *testing.T, c *ctxfold.Compactor)) {
	t.Run("module", func(t *testing.T) { test(t, open(t, host.Options{})) })
	t.Run("native", func(t *testing.T) { test(t, native(t, ctxfold.Options{})) })
}

// fullModule returns the module with the published systems: the file named by CTXFOLD_FULL, or the one built by make module-full.
func fullModule(t testing.TB) []byte {
	t.Helper()
	path := cmp.Or(os.Getenv("CTXFOLD_FULL"), "build/ctxfold-full.wasm")
	wasm, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		t.Skipf("there is no %s; make module-full builds it", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// The sample is a session of about 45,000 tokens; the policy gives it a window in which it must be folded.
var policy = ctxfold.RawPolicy(`{"window":{"tokens":32000}}`)

func sample(t *testing.T) json.RawMessage {
	t.Helper()
	text, err := os.ReadFile("testdata/sample.anthropic.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// unmodified fails the test if the bytes have changed by its end.
func unmodified(t *testing.T, text []byte) {
	t.Helper()
	before := bytes.Clone(text)
	t.Cleanup(func() {
		if !bytes.Equal(before, text) {
			t.Error("the caller's bytes were modified")
		}
	})
}

// compare reports the first difference between an answer and the expected one.
func compare(t *testing.T, fault string, got []byte, want string) {
	t.Helper()
	if string(got) == want {
		return
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	from := max(0, at-60)
	t.Errorf("%s: from byte %d on\ngot  …%.200s\nwant …%.200s", fault, at, got[from:], want[min(from, len(want)):])
}

package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/ctxfold/ctxfold/host"
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

func open(t *testing.T, o host.Options) *host.Compactor {
	t.Helper()
	o.CacheDir = cache
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

// engines runs a test on both engines.
func engines(t *testing.T, o host.Options, test func(t *testing.T, c *host.Compactor)) {
	for name, engine := range map[string]host.Engine{"module": host.EngineModule, "native": host.EngineNative} {
		t.Run(name, func(t *testing.T) {
			o.Engine = engine
			test(t, open(t, o))
		})
	}
}

// The sample is a session of about 45,000 tokens; the policy gives it a window in which it must be folded.
var policy = json.RawMessage(`{"window":{"tokens":32000}}`)

func sample(t *testing.T) json.RawMessage {
	t.Helper()
	text, err := os.ReadFile("../testdata/sample.anthropic.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// unmodified fails the test when the bytes are not the same at its end.
func unmodified(t *testing.T, text []byte) {
	t.Helper()
	before := bytes.Clone(text)
	t.Cleanup(func() {
		if !bytes.Equal(before, text) {
			t.Error("the caller's bytes were modified")
		}
	})
}

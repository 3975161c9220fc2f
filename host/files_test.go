package host_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/host"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// The module opens real session files with the same result as native code, all in one instance. The larger files make
// the module collect garbage in the middle of deep stacks.
func TestSessionFiles(t *testing.T) {
	c := open(t, host.Options{Instances: 1})
	opened := 0
	err := filepath.WalkDir(sessions.Dir(t), func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".jsonl" && ext != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) > 8<<20 {
			return err
		}
		module, err := c.Answer(t.Context(), "open", text)
		if err != nil {
			t.Errorf("%s: %v", d.Name(), err)
		} else if !bytes.Equal(module, core.Call("open", text)) {
			t.Errorf("%s: the module gives another answer than the core", d.Name())
		}
		opened++
		return nil
	})
	if err != nil || opened == 0 {
		t.Fatalf("%d files, %v", opened, err)
	}
}

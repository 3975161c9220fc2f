package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestSchemas checks that the schemas of docs/ are what the types say.
func TestSchemas(t *testing.T) {
	dir := t.TempDir()
	generate("../..", dir)
	for _, name := range []string{"api.schema.json", "policy.schema.json"} {
		made, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(filepath.Join("../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, kept) {
			t.Errorf("docs/%s is stale: run make generate", name)
		}
	}
}

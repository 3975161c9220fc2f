package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGenerated checks that the generated files are up to date with the types and the table of operations.
func TestGenerated(t *testing.T) {
	for name, made := range generate("../..") {
		kept, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, kept) {
			t.Errorf("%s is stale: run make generate", name)
		}
	}
}

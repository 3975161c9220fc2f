package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What is generated is what the types and the table of operations say.
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

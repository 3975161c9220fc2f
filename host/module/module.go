// Package module embeds ctxfold.wasm, for programs that do not load it from a file. It adds the size of the module to
// the program.
package module

import _ "embed"

// Wasm is the module for github.com/ctxfold/ctxfold/host. It must not be modified.
//
//go:embed ctxfold.wasm
var Wasm []byte

// Package module holds ctxfold.wasm, for programs that do not load it from a file: it makes them as much larger as it has bytes.
package module

import _ "embed"

// Wasm is the module, as github.com/ctxfold/ctxfold/host runs it. It must not be modified.
//
//go:embed ctxfold.wasm
var Wasm []byte

// Package module embeds ctxfold.wasm, for programs that do not load it from a file. The program grows by the size of the
// module.
package module

import _ "embed"

// Wasm is the module for github.com/ctxfold/ctxfold/host. It must not be modified.
//
//go:embed ctxfold.wasm
var Wasm []byte

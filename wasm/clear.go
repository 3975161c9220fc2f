//go:build wasip1 && ctxfold_clear

package main

import _ "unsafe" // for the name of clearFree

// clearFree collects garbage and clears the memory that no object is in: wasm/clear.patch adds it to the runtime.
//
//go:linkname clearFree runtime.clearFree
func clearFree()

//go:build wasip1 && ctxfold_clear

package main

import _ "unsafe" // for linkname

// clearFree collects garbage and zeroes the free memory. wasm/clear.patch adds it to the runtime.
//
//go:linkname clearFree runtime.clearFree
func clearFree()

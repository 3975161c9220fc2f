// Package runtimes runs the conformance vectors in WebAssembly runtimes, and writes the table of docs/reference/runtimes.md. It has nothing for
// programs. Its tests have the build tag runtimes, because the runtimes' libraries are large: `make test-runtimes` runs those that Go
// modules bring, `make test-runtimes-long` all of them.
package runtimes

// Package runtimes runs the conformance vectors in WebAssembly runtimes, and writes the table of
// docs/reference/runtimes.md. It contains only tests. They have the build tag runtimes, because the runtimes' libraries
// are large: `make test-runtimes` runs those that are Go modules, `make test-runtimes-long` all of them.
package runtimes

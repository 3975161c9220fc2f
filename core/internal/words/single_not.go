//go:build !wasm

package words

// single says that the program has only one thread; see single_wasm.go.
const single = false

//go:build wasip1

// Command wasm is the ctxfold module. It exports package core as the functions of docs/reference/abi.md, and nothing
// else.
//
// Go builds it as a WASI reactor; build.sh removes the imports and the start function. All calls are synchronous and
// single-threaded.
package main

//lint:file-ignore U1000 exports to the host have no caller in Go

import (
	"runtime"
	"unsafe"

	"github.com/ctxfold/ctxfold/core"
)

// live holds every buffer whose address the host has, by that address, so that the garbage collector doesn't free it.
// spare is the largest buffer that the host has freed. Reusing it lets one buffer serve all requests of similar size.
var (
	live  = map[uint32][]byte{}
	spare []byte
)

// large is the size above which alloc collects the garbage of earlier calls before it returns a buffer; otherwise the
// heap would grow to twice the size it needs. If spare is too small for the request, it is garbage too.
const large = 1 << 20 // bytes

//go:wasmexport ctxfold_alloc
func alloc(size uint32) uint32 {
	fits := uint32(cap(spare)) >= size && size > 0
	if size > large {
		if !fits {
			spare = nil
		}
		runtime.GC()
	}
	if !fits {
		return export(make([]byte, size, max(size, 1)))
	}
	b := spare[:size]
	spare = nil
	return export(b)
}

//go:wasmexport ctxfold_free
func free(ptr uint32) {
	b, ok := live[ptr]
	if !ok {
		return
	}
	delete(live, ptr)
	if cap(b) > cap(spare) {
		spare = b
	}
}

// sessions are the sessions that the host has opened in this instance.
var sessions core.Sessions

// init forces lazy tables, such as the weights of the default estimator, into the module's snapshot: creating them
// would take half of the time of the first call.
func init() {
	sessions.Call("estimate", []byte(`{"policy":{"estimator":"script"},"text":"Hello."}`))
	clearFree()
}

func export(b []byte) uint32 {
	p := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	live[p] = b
	return p
}

// call runs op on the request at ptr and returns the answer's address and length in one number, as address<<32 | length.
func call(op string, ptr, size uint32) uint64 {
	var request []byte // stays empty, which Call rejects, if the host did not allocate the request
	if b, ok := live[ptr]; ok && uint64(size) <= uint64(cap(b)) {
		request = b[:size]
	}
	answer := sessions.Call(op, request)
	return uint64(export(answer))<<32 | uint64(len(answer))
}

func main() {}

//go:build wasip1

// Command wasm is the ctxfold module: it exports the functions of docs/reference/abi.md over package core, and nothing
// else.
//
// Go builds it as a WASI reactor; build.sh removes the imports and the start function. All calls are synchronous and
// single-threaded.
package main

//lint:file-ignore U1000 what is exported to the host has no caller in Go

import (
	"runtime"
	"unsafe"

	"github.com/ctxfold/ctxfold/core"
)

// live holds every buffer whose address the host has, so that the garbage collector keeps it. The last freed request
// buffer is kept for reuse, so one buffer serves all calls of about the same size.
var (
	live  = map[uint32][]byte{}
	spare []byte
)

// Garbage of earlier calls is collected before a large request; otherwise the heap would grow to twice what it needs.
// If the buffer has to be allocated, it is collected right before that; if a buffer can be reused, only before a huge
// request, whose processing takes far longer than a collection.
const (
	large = 1 << 20 // bytes
	huge  = 8 << 20
)

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

// call runs op on the request at ptr and returns the answer's address and length as ptr<<32 | len.
func call(op string, ptr, size uint32) uint64 {
	var request []byte // stays empty, which is an error, unless the host allocated it
	if b, ok := live[ptr]; ok && uint64(size) <= uint64(cap(b)) {
		request = b[:size]
	}
	answer := sessions.Call(op, request)
	return uint64(export(answer))<<32 | uint64(len(answer))
}

func main() {}

//go:build wasip1

// Command wasm is the ctxfold module: the exports of docs/reference/abi.md over package core, and nothing else.
//
// Go builds it as a WASI reactor; build.sh takes the imports and the start from it. All calls are synchronous and
// single-threaded.
package main

//lint:file-ignore U1000 what is exported to the host has no caller in Go

import (
	"runtime"
	"unsafe"

	"github.com/ctxfold/ctxfold/core"
)

// live holds every buffer that the host knows by address, so that the garbage collector keeps it. The last freed
// request buffer is kept aside and used again: one buffer serves all calls of about the same size.
var (
	live  = map[uint32][]byte{}
	spare []byte
)

// What earlier calls have left behind is collected before a large request, or the heap would grow to twice of what it needs: at
// once if its buffer has to be made, and if the buffer is there before a huge one, compared with which a collection takes no time.
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

// sessions are those that the host has opened in this instance.
var sessions core.Sessions

// What is made when it is first asked for, such as the weights of the default estimator, is made before the module ships: it
// would take half of the time of the first answer.
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
	var request []byte // stays empty, and so an error, where the host has not allocated what it points at
	if b, ok := live[ptr]; ok && uint64(size) <= uint64(cap(b)) {
		request = b[:size]
	}
	answer := sessions.Call(op, request)
	return uint64(export(answer))<<32 | uint64(len(answer))
}

func main() {}

//go:build wasip1 && ctxfold_fault

package main

//lint:file-ignore U1000 exports to the host have no caller in Go

// fault recovers from a panic of the given kind, raised depth frames below, and returns 100 plus the kind. Kind 8
// overflows the stack by recursion. Only modules built for stress tests have this function (build.sh).
//
//go:wasmexport ctxfold_fault
func fault(kind, depth uint32) (answer uint32) {
	defer func() {
		if recover() != nil {
			answer = 100 + kind
		}
	}()
	return fail(kind, depth)
}

var nothing struct {
	list   []uint32
	object *uint32
	table  map[uint32]uint32
	any    any
}

//go:noinline
func fail(kind, depth uint32) uint32 {
	if depth > 0 {
		return fail(kind, depth-1) + 1
	}
	switch kind {
	case 0:
		panic("as it is written")
	case 1:
		return nothing.list[kind]
	case 2:
		return *nothing.object
	case 3:
		nothing.table[kind] = depth
	case 4:
		return kind / depth
	case 5:
		return nothing.any.(uint32)
	case 6:
		defer func() { nothing.list = nil }() // a function with a defer that does not recover
		return fail(1, 3)
	case 7:
		defer func() { panic("in a deferred function") }()
		panic("before it")
	case 8:
		return fail(kind, 1<<30)
	}
	return kind
}

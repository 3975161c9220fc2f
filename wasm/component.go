//go:build wasip1 && ctxfold_component

package main

//lint:file-ignore U1000 exports to the host have no caller in Go

import (
	"unsafe"

	"github.com/ctxfold/ctxfold/internal/operations"
	"github.com/ctxfold/ctxfold/wasm/component"
)

// This file exports the functions of wit/ctxfold.wit in the canonical ABI. Arguments are flattened: a string or list is
// passed as an address and a length. The host allocates its memory with cabi_realloc; the call hands it over to the
// module. A result stays in memory until the host calls the function's post-return.

// pageSize is the size of a page of WebAssembly memory, in bytes.
const pageSize = 64 << 10

//go:wasmimport wasi_snapshot_preview1 memory_size
func memorySize() uint32

// results contains the results that the host has not freed yet, by address.
var results = map[uint32]*component.Result{}

//go:wasmexport cabi_realloc
func reallocate(ptr, size, alignment, wanted uint32) uint32 {
	old, there := live[ptr]
	if there && uint64(wanted) <= uint64(cap(old)) {
		live[ptr] = old[:wanted]
		return ptr
	}
	if wanted == 0 {
		return alignment
	}
	fresh := alloc(wanted)
	if fresh%alignment != 0 { // tiny buffers may be unaligned
		free(fresh)
		words := make([]uint64, (wanted+7)/8)
		fresh = export(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), wanted))
	}
	if there {
		copy(live[fresh], old[:size])
		free(ptr)
	}
	return fresh
}

// take takes an argument out of live and returns its memory, or nil if the host did not allocate it.
func take(ptr, size uint32) []byte {
	b, known := live[ptr]
	if !known || uint64(size) > uint64(cap(b)) {
		return nil
	}
	delete(live, ptr)
	return b[:size]
}

func present(some, ptr, size uint32) []byte {
	if some == 0 {
		return nil
	}
	return take(ptr, size)
}

func keep(r *component.Result) uint32 {
	results[r.Address()] = r
	return r.Address()
}

func run(op operations.Op, r *component.Request) []byte { return sessions.Call(op.String(), r.JSON) }

//go:wasmexport ctxfold:ctxfold/engine@0.2.0#call
func componentCall(op, ptr, size uint32) uint32 {
	return keep(component.Bytes(sessions.Call(operations.Op(op).String(), take(ptr, size))))
}

//go:wasmexport ctxfold:ctxfold/engine@0.2.0#check
func componentCheck(policy, policyAt, policySize, options, optionsAt, optionsSize, state, stateAt, stateSize, messages, messagesSize uint32) uint32 {
	r := conversation(present(policy, policyAt, policySize), present(options, optionsAt, optionsSize), present(state, stateAt, stateSize), take(messages, messagesSize))
	return keep(component.Checked(run(operations.OpCheck, r), r))
}

//go:wasmexport ctxfold:ctxfold/engine@0.2.0#plan
func componentPlan(policy, policyAt, policySize, options, optionsAt, optionsSize, state, stateAt, stateSize, messages, messagesSize uint32) uint32 {
	r := conversation(present(policy, policyAt, policySize), present(options, optionsAt, optionsSize), present(state, stateAt, stateSize), take(messages, messagesSize))
	return keep(component.Outcome(run(operations.OpPlan, r), r))
}

func conversation(policy, options, state, messages []byte) *component.Request {
	return component.NewRequest(
		component.Argument{Member: operations.InPolicy, JSON: policy},
		component.Argument{Member: operations.InOptions, JSON: options},
		component.Argument{Member: operations.InState, JSON: state},
		component.Argument{Member: operations.InMessages, JSON: messages},
	)
}

//go:wasmexport ctxfold:ctxfold/engine@0.2.0#step
func componentStep(plan, planSize, summaries, summaryCount, memory, memoryCount, messages, messagesSize uint32) uint32 {
	r := component.NewRequest(
		component.Argument{Member: operations.InPlan, JSON: take(plan, planSize)},
		component.Argument{Member: operations.InSummaries, JSON: component.Summaries(summaries, summaryCount, take)},
		component.Argument{Member: operations.InMemory, JSON: component.JSONList(memory, memoryCount, take)},
		component.Argument{Member: operations.InMessages, JSON: take(messages, messagesSize)},
	)
	return keep(component.Outcome(run(operations.OpStep, r), r))
}

//go:wasmexport ctxfold:ctxfold/engine@0.2.0#fit
func componentFit(policy, policyAt, policySize, options, optionsAt, optionsSize, memory, memoryCount, messages, messagesSize uint32) uint32 {
	r := component.NewRequest(
		component.Argument{Member: operations.InPolicy, JSON: present(policy, policyAt, policySize)},
		component.Argument{Member: operations.InOptions, JSON: present(options, optionsAt, optionsSize)},
		component.Argument{Member: operations.InMemory, JSON: component.JSONList(memory, memoryCount, take)},
		component.Argument{Member: operations.InMessages, JSON: take(messages, messagesSize)},
	)
	return keep(component.Outcome(run(operations.OpFit, r), r))
}

//go:wasmexport ctxfold:ctxfold/engine@0.2.0#prints
func componentPrints(policy, policyAt, policySize, options, optionsAt, optionsSize, messages, messagesSize uint32) uint32 {
	r := conversation(present(policy, policyAt, policySize), present(options, optionsAt, optionsSize), nil, take(messages, messagesSize))
	return keep(component.Printed(run(operations.OpPrints, r), r))
}

//go:wasmexport ctxfold:ctxfold/engine@0.2.0#memory-bytes
func componentMemory() uint64 { return uint64(memorySize()) * pageSize }

//go:wasmexport cabi_post_ctxfold:ctxfold/engine@0.2.0#call
func afterCall(result uint32) { delete(results, result) }

//go:wasmexport cabi_post_ctxfold:ctxfold/engine@0.2.0#check
func afterCheck(result uint32) { delete(results, result) }

//go:wasmexport cabi_post_ctxfold:ctxfold/engine@0.2.0#plan
func afterPlan(result uint32) { delete(results, result) }

//go:wasmexport cabi_post_ctxfold:ctxfold/engine@0.2.0#step
func afterStep(result uint32) { delete(results, result) }

//go:wasmexport cabi_post_ctxfold:ctxfold/engine@0.2.0#fit
func afterFit(result uint32) { delete(results, result) }

//go:wasmexport cabi_post_ctxfold:ctxfold/engine@0.2.0#prints
func afterPrints(result uint32) { delete(results, result) }

//go:build runtimes && cgo

package runtimes

import (
	"errors"

	"github.com/bytecodealliance/wasmtime-go/v25"
	"github.com/wasmerio/wasmer-go/wasmer"
)

func init() {
	inGo["Wasmtime"] = ofWasmtime
	inGo["Wasmer"] = ofWasmer
}

// limit is the maximum memory of an instance in Wasmtime, in bytes.
const limit = 64 << 20

func ofWasmtime(wasm []byte) (func() (instance, error), error) {
	engine := wasmtime.NewEngine()
	module, err := wasmtime.NewModule(engine, wasm)
	if err != nil {
		return nil, err
	}
	return func() (instance, error) {
		store := wasmtime.NewStore(engine)
		store.Limiter(limit, -1, -1, -1, -1)
		i, err := wasmtime.NewInstance(store, module, nil)
		if err != nil {
			return nil, err
		}
		return exports{
			call: func(name string, args ...uint32) (uint64, error) {
				r, err := i.GetFunc(store, name).Call(store, values(args)...)
				return unsigned(r), err
			},
			memory: func() []byte { return i.GetExport(store, "memory").Memory().UnsafeData(store) },
			limit:  limit,
		}, nil
	}, nil
}

func ofWasmer(wasm []byte) (func() (instance, error), error) {
	store := wasmer.NewStore(wasmer.NewEngine())
	module, err := wasmer.NewModule(store, wasm)
	if err != nil {
		return nil, err
	}
	return func() (instance, error) {
		i, err := wasmer.NewInstance(module, wasmer.NewImportObject())
		if err != nil {
			return nil, err
		}
		memory, err := i.Exports.GetMemory("memory")
		if err != nil {
			return nil, err
		}
		return exports{
			call: func(name string, args ...uint32) (uint64, error) {
				f, err := i.Exports.GetFunction(name)
				if err != nil {
					return 0, errors.Join(err, errors.New(name))
				}
				r, err := f(values(args)...)
				return unsigned(r), err
			},
			memory: memory.Data,
		}, nil
	}, nil
}

// values converts arguments to the types that both runtimes of this file take.
func values(args []uint32) (list []any) {
	for _, a := range args {
		list = append(list, int32(a))
	}
	return list
}

// unsigned converts a result from the types that both runtimes of this file return.
func unsigned(r any) uint64 {
	switch v := r.(type) {
	case int32:
		return uint64(uint32(v))
	case int64:
		return uint64(v)
	}
	return 0
}

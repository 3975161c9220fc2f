//go:build runtimes

package runtimes

import (
	"bytes"
	"fmt"
	"time"
)

// result is what the process for a runtime prints.
type result struct {
	Passed     int      `json:"passed"`
	Failures   []string `json:"failures"`
	Load       float64  `json:"load"`       // time to compile and instantiate the module, in milliseconds
	Compaction float64  `json:"compaction"` // time for the last vector, in milliseconds
	Memory     int      `json:"memory"`     // memory of the instance after the last vector, in bytes
	Trapped    bool     `json:"trapped"`    // whether running out of memory ended in an error
	After      bool     `json:"after"`      // whether another instance still answered after that
}

// instance is an instance of the module in some runtime.
type instance interface {
	// Answer runs an operation. An error is a trap.
	Answer(op string, request []byte) ([]byte, error)
	// Memory returns the size of the instance's memory, in bytes.
	Memory() int
	// Exhaust requests more memory than the instance may have, and returns the resulting error.
	Exhaust() error
}

// runtime compiles a module and opens instances of it.
type runtime func(wasm []byte) (open func() (instance, error), err error)

// exports are the exports of an instance in a runtime that is linked into the test.
type exports struct {
	call   func(name string, args ...uint32) (uint64, error)
	memory func() []byte // returns a current view of the memory
	limit  uint32        // maximum size of the memory, in bytes; 0 means 4 GiB
}

// Answer calls an operation as described in docs/reference/abi.md, section Calls.
func (e exports) Answer(op string, request []byte) ([]byte, error) {
	p, err := e.call("ctxfold_alloc", uint32(len(request)))
	if err != nil {
		return nil, err
	}
	copy(e.memory()[uint32(p):], request)
	r, err := e.call("ctxfold_"+op, uint32(p), uint32(len(request)))
	if err != nil {
		return nil, err
	}
	from, size := uint32(r>>32), uint32(r)
	answer := bytes.Clone(e.memory()[from : from+size])
	for _, ptr := range []uint32{uint32(p), from} {
		if _, err := e.call("ctxfold_free", ptr); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

func (e exports) Memory() int { return len(e.memory()) }

func (e exports) Exhaust() error {
	_, err := e.call("ctxfold_alloc", e.limit-1)
	return err
}

// measure runs vectors in a runtime that is part of this process, and measures time and memory.
func measure(of runtime, wasm []byte, vectors []vector) (r result, err error) {
	start := time.Now()
	open, err := of(wasm)
	if err != nil {
		return r, err
	}
	engine, err := open()
	if err != nil {
		return r, err
	}
	milliseconds := func() float64 { return float64(time.Since(start).Microseconds()) / 1000 }
	r.Load = milliseconds()
	for i, v := range vectors {
		start = time.Now()
		answer, err := engine.Answer(v.op, v.request)
		if err != nil {
			return r, fmt.Errorf("vector %d, %s: %w", i, v.op, err)
		}
		r.Compaction = milliseconds()
		if bytes.Equal(answer, v.answer) {
			r.Passed++
		} else {
			r.Failures = append(r.Failures, fmt.Sprintf("vector %d, %s", i, v.op))
		}
	}
	r.Memory = engine.Memory()
	r.Trapped = engine.Exhaust() != nil
	if engine, err = open(); err != nil {
		return r, err
	}
	answer, err := engine.Answer("info", []byte("{}"))
	r.After = err == nil && len(answer) > 2
	return r, nil
}

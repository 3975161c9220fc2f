package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host"
)

// large returns a transcript of about size bytes.
func large(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`[{"role":"user","content":"start"}`)
	message := `,{"role":"assistant","content":"` + strings.Repeat("lorem ipsum ", 80) + `"},{"role":"user","content":"go on"}`
	for b.Len() < size {
		b.WriteString(message)
	}
	b.WriteString(`]`)
	return b.Bytes()
}

func estimateRequest(size int) []byte {
	return []byte(`{"policy":{"format":"openai-chat"},"messages":` + string(large(size)) + `}`)
}

func TestMemoryLimit(t *testing.T) {
	seen := &recorder{}
	c := open(t, host.Options{MemoryLimit: 24 << 20, Options: ctxfold.Options{Metrics: seen}})
	small := estimateRequest(1 << 10)
	for range 3 {
		_, err := c.Call(t.Context(), "estimate", estimateRequest(20<<20))
		if !errors.Is(err, ctxfold.ErrMemoryLimit) || !errors.Is(err, ctxfold.ErrTrap) {
			t.Fatalf("a call that needs too much: %v, want ErrMemoryLimit", err)
		}
		if n, _ := c.Idle(); n != 0 {
			t.Error("the instance was kept")
		}
		if _, err := c.Call(t.Context(), "estimate", small); err != nil {
			t.Fatalf("the call after it: %v", err)
		}
	}
	last := seen.operations[len(seen.operations)-1]
	if last.MemoryBytes == 0 || last.MemoryBytes > 24<<20 {
		t.Errorf("an instance of %d bytes", last.MemoryBytes)
	}
	if code := seen.operations[0].Code; code != ctxfold.CodeMemory {
		t.Errorf("metrics saw %q", code)
	}
}

// TestSwollenInstances makes two instances grow, and then makes small calls. Both are discarded,
// the one in use and the idle one, so that the pool keeps only the memory that small calls need. As
// long as some calls need a large memory, it stays.
func TestSwollenInstances(t *testing.T) {
	c := open(t, host.Options{Instances: 2})
	call := func(size int) uint32 {
		if _, err := c.Call(t.Context(), "estimate", estimateRequest(size)); err != nil {
			t.Fatal(err)
		}
		_, memory := c.Idle()
		return memory
	}
	const big, small = 24 << 20, 1 << 10
	swollen := call(big)
	if swollen < 32<<20 {
		t.Fatalf("a request of %d bytes took %d bytes of memory", big, swollen)
	}
	for i := range 200 {
		if i%50 == 49 {
			call(big)
		} else if memory := call(small); memory < swollen {
			t.Fatalf("call %d: an instance that is needed now and then went from %d to %d bytes", i, swollen, memory)
		}
	}
	back := c.engine.Aside()
	call(big)
	back()
	if n, memory := c.Idle(); n != 2 || memory < 2*swollen*9/10 {
		t.Fatalf("%d instances of %d bytes", n, memory)
	}
	for range 70 {
		call(small)
	}
	if n, memory := c.Idle(); n != 1 || memory > 16<<20 {
		t.Errorf("after small calls there are %d instances of %d bytes", n, memory)
	}
}

// After a thousand compactions of mixed sizes, an instance's memory is at most a tenth larger than after the first hundreds.
func TestMemoryOfMixedSizes(t *testing.T) {
	c := open(t, host.Options{Instances: 1})
	r := rand.New(rand.NewPCG(1, 2))
	policy := ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":1000}}`)
	settled := uint32(0)
	for i := range 1000 {
		n := 1 + r.IntN(1<<r.IntN(7)) // up to 64 pairs of messages, mostly few
		list := []byte(`[{"role":"user","content":"start"}`)
		for range n {
			list = fmt.Appendf(list, `,{"role":"assistant","content":"%s"},{"role":"user","content":"go on"}`, strings.Repeat("lorem ipsum ", r.IntN(300)))
		}
		if _, err := c.Compact(t.Context(), append(list, ']'), policy, nil); err != nil {
			t.Fatal(err)
		}
		switch _, memory := c.Idle(); {
		case i == 300:
			settled = memory
		case i > 300 && memory > settled+settled/10:
			t.Fatalf("call %d: the memory has grown from %d to %d bytes", i, settled, memory)
		}
	}
}

// waiting is a module with one page of memory: detect answers {}, and check answers {} once
// somebody has written into the memory at address 1024.
var waiting = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x10\x03\x60\x01\x7f\x01\x7f\x60\x01\x7f\x00\x60\x02\x7f\x7f\x01\x7e" + // types: alloc, free, an operation
	"\x03\x05\x04\x00\x01\x02\x02" +
	"\x05\x03\x01\x00\x01" +
	"\x07\x4a\x05" +
	"\x06memory\x02\x00" + "\x0dctxfold_alloc\x00\x00" + "\x0cctxfold_free\x00\x01" +
	"\x0ectxfold_detect\x00\x02" + "\x0dctxfold_check\x00\x03" +
	"\x0a\x29\x04" +
	"\x04\x00\x41\x10\x0b" + // alloc: always address 16
	"\x02\x00\x0b" +
	"\x09\x00\x42\x82\x80\x80\x80\x80\x01\x0b" + // detect: address 8, 2 bytes
	"\x15\x00\x03\x40\x41\x00\x2d\x00\x80\x08\x45\x0d\x00\x0b\x42\x82\x80\x80\x80\x80\x01\x0b" + // check: loops until the byte is not 0
	"\x0b\x08\x01\x00\x41\x08\x0b\x02{}")

// A call returns when its context ends, even if the module continues.
func TestCancelInside(t *testing.T) {
	// A collection would wait for the loop of the module, which Go can't preempt, and the test for the collection.
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for name, interrupt := range map[string]bool{"left to its work": false, "interrupted": true} {
		t.Run(name, func(t *testing.T) {
			c := open(t, host.Options{Instances: 1, Module: waiting, Interrupt: interrupt})
			memory := c.engine.Memory()
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				_, err := c.Call(ctx, "check", []byte("{}"))
				done <- err
			}()
			for n := 1; n > 0; n, _ = c.Idle() {
				time.Sleep(time.Millisecond)
			}
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
			if !interrupt { // the call would never end
				if n, _ := c.Idle(); n != 0 {
					t.Error("the instance is back while it works")
				}
				memory.WriteByte(1024, 1)
			}
			if answer, err := c.Call(t.Context(), "detect", []byte("{}")); err != nil || string(answer) != "{}" {
				t.Errorf("the call after it: %s, %v", answer, err)
			}
		})
	}
}

// With a single instance, a second call waits for it until its own context ends.
func TestWaiting(t *testing.T) { synctest.Test(t, waits) }

func waits(t *testing.T) {
	seen := &recorder{}
	c := open(t, host.Options{Instances: 1, Module: trapping, Options: ctxfold.Options{Metrics: seen}})
	release := c.Occupy()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Call(ctx, "detect", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	release()
	if _, err := c.Call(t.Context(), "detect", nil); err != nil {
		t.Error(err)
	}
	if o := seen.operations[0]; o.Code != ctxfold.CodeCanceled || o.Waited != 20*time.Millisecond || o.Took != 0 {
		t.Errorf("metrics saw %+v", o)
	}
}

func TestMetrics(t *testing.T) {
	messages := sample(t)
	for _, sandboxed := range []bool{true, false} {
		seen := &recorder{}
		c := native(t, ctxfold.Options{Metrics: seen})
		if sandboxed {
			c = open(t, host.Options{Options: ctxfold.Options{Metrics: seen}}).Compactor
		}
		r, err := c.Compact(t.Context(), messages, policy, ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
			return ctxfold.Summary{Text: summary}, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Call(t.Context(), "estimate", []byte(`{"text":1}`)); err == nil {
			t.Error("no error")
		}
		if n := len(seen.operations); n < 3 || seen.operations[0].Name != "loop_start" || seen.operations[n-2].Name != "loop_event" ||
			seen.operations[0].RequestBytes <= len(messages) || seen.operations[n-2].AnswerBytes <= len(r.Messages) ||
			seen.operations[0].Took <= 0 || seen.operations[n-1].Code != "wrong_type" {
			t.Errorf("operations: %+v", seen.operations)
		}
		if len(seen.summaries) == 0 || seen.summaries[0].Scope != "session" || seen.summaries[0].OutputBytes != len(summary) || seen.summaries[0].Failed {
			t.Errorf("summaries: %+v", seen.summaries)
		}
		if len(seen.compactions) != 1 || seen.compactions[0].Tokens != r.Report.Tokens {
			t.Errorf("compactions: %+v", seen.compactions)
		}
	}
}

// recorder stores the values that Metrics receives.
type recorder struct {
	mu          sync.Mutex
	operations  []ctxfold.OperationCall
	summaries   []ctxfold.SummaryCall
	compactions []ctxfold.Report
}

func (r *recorder) Operation(o ctxfold.OperationCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, o)
}

func (r *recorder) Summary(s ctxfold.SummaryCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summaries = append(r.summaries, s)
}

func (r *recorder) Compaction(c ctxfold.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.compactions = append(r.compactions, c)
}

func (r *recorder) Records(ctxfold.RecordsCall) {}

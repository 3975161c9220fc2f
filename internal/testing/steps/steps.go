// Package steps measures the cost of core's operations by the basic blocks that they run and the bytes that they
// allocate. Both numbers are the same on every machine, under any load, so a test can show that a cost is linear. In
// the standard library only allocations are counted, except in packages that are also instrumented.
package steps

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

const (
	program = "github.com/ctxfold/ctxfold/core/internal/counter"
	counted = "github.com/ctxfold/ctxfold/core/...,slices,strings,bytes,strconv,sort"
)

// Cost is the cost of one operation.
type Cost struct {
	Steps   uint64 // basic blocks
	Bytes   uint64 // allocated
	Read    uint64 // bytes of the request that were read; a byte counts each time it is read
	Written uint64 // bytes of results that were written
}

// Counter is a process that runs operations, one at a time, and counts their cost.
type Counter struct {
	mu  sync.Mutex
	in  *bufio.Writer
	out *bufio.Reader
}

// Build builds the program that a Counter runs.
func Build(path string) error {
	build := exec.Command("go", "build", "-tags=ctxfold_count", "-cover", "-covermode=count", "-coverpkg="+counted,
		"-ldflags=-w -checklinkname=0", "-o", path, program) // the program reads the runtime's counters
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building a program that counts: %w\n%s", err, out)
	}
	return nil
}

// Start starts a Counter, which ends with the test. It runs the program that CTXFOLD_COUNTER names; if that is not
// set, it builds one.
func Start(t testing.TB) *Counter {
	t.Helper()
	dir := t.TempDir()
	path := os.Getenv("CTXFOLD_COUNTER")
	if path == "" {
		path = filepath.Join(dir, "counter")
		if err := Build(path); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(path)
	c.Env = append(os.Environ(), "GOCOVERDIR="+dir)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("the program that counts: %v", err)
		}
	})
	counter := &Counter{in: bufio.NewWriter(in), out: bufio.NewReader(out)}
	counter.Call(t, "info", nil) // warm up what is only done once
	return counter
}

// Call runs an operation, and returns its cost and its answer.
func (c *Counter) Call(t testing.TB, op string, request []byte) (cost Cost, answer []byte) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range [][]byte{[]byte(op), request} {
		if err := binary.Write(c.in, binary.LittleEndian, uint32(len(text))); err != nil {
			t.Fatal(err)
		}
		if _, err := c.in.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.in.Flush(); err != nil {
		t.Fatal(err)
	}
	var head struct {
		Cost
		Size uint32
	}
	if err := binary.Read(c.out, binary.LittleEndian, &head); err != nil {
		t.Fatal(err)
	}
	answer = make([]byte, head.Size)
	if _, err := io.ReadFull(c.out, answer); err != nil {
		t.Fatal(err)
	}
	return head.Cost, answer
}

// Linear fails the test if the cost of an operation grows faster than its request from size n/4 to size n. A
// logarithmic factor is allowed, quadratic growth isn't. If additional work begins at a size in between, such as a
// compaction, the cost grows faster there, so an operation that fails is measured again at 4n and 16n. Linear returns
// the answer for size n.
func (c *Counter) Linear(t testing.TB, op string, n int, request func(n int) []byte) (answer []byte) {
	t.Helper()
	grows := func(from, to []byte) (string, bool) {
		quarter, _ := c.Call(t, op, from)
		var whole Cost
		whole, answer = c.Call(t, op, to)
		times := float64(len(to)) / float64(len(from))
		s, b := float64(whole.Steps)/float64(quarter.Steps), float64(whole.Bytes)/float64(quarter.Bytes)
		return fmt.Sprintf("%s: a request %.2f times as long takes %.2f times the steps (%d, %d) and allocates %.2f times the bytes (%d, %d)",
			op, times, s, quarter.Steps, whole.Steps, b, quarter.Bytes, whole.Bytes), s > 1.35*times || b > 2*times && whole.Bytes > 1<<20 // growing lists are reallocated
	}
	small := request(n / 4)
	c.Call(t, op, small) // warm up what is only done once
	var first []byte
	for size, last := n, ""; ; size *= 4 {
		large := request(size)
		text, steep := grows(small, large)
		if first == nil {
			first = answer
		}
		if !steep {
			return first
		}
		if last += "\n" + text; size > 4*n {
			t.Error(last)
			return first
		}
		small = large
	}
}

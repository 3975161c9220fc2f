//go:build ctxfold_count

// Command counter runs operations of core and counts their steps. It is built with counters (-cover
// -covermode=atomic, and the tag ctxfold_count) and controlled by package steps. A request is the name of an
// operation and its JSON. An answer has the number of steps, how many bytes were allocated, read from the request and
// written to the result, and then the operation's response.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/coverage"

	"github.com/ctxfold/ctxfold/core"
	_ "github.com/ctxfold/ctxfold/core/full"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		op, err := read(in)
		if errors.Is(err, io.EOF) {
			return
		}
		request, err2 := read(in)
		if err = errors.Join(err, err2); err == nil {
			err = answer(out, string(op), request)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func read(in io.Reader) ([]byte, error) {
	var size uint32
	if err := binary.Read(in, binary.LittleEndian, &size); err != nil {
		return nil, err
	}
	text := make([]byte, size)
	_, err := io.ReadFull(in, text)
	return text, err
}

func answer(out *bufio.Writer, op string, request []byte) error {
	var before, after runtime.MemStats
	jsonspan.Read(nil) // forgets what earlier calls have read
	view.Written = 0
	runtime.ReadMemStats(&before)
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	text := core.Call(op, request)
	steps, err := sum()
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	read, written := jsonspan.Read(request), view.Written
	for _, value := range []any{steps, after.TotalAlloc - before.TotalAlloc, uint64(read), uint64(written), uint32(len(text)), text} {
		if err := binary.Write(out, binary.LittleEndian, value); err != nil {
			return err
		}
	}
	return out.Flush()
}

// sum returns the sum of all counters, each of which belongs to a basic block. The format is that of
// internal/coverage, version 1.
func sum() (steps uint64, err error) {
	var text bytes.Buffer
	if err := coverage.WriteCounters(&text); err != nil {
		return 0, err
	}
	var head struct {
		Magic   [4]byte
		Version uint32
		Hash    [16]byte
		Flavor  uint8
		_       [7]byte
		// The only segment.
		Functions          uint64
		Strings, Arguments uint32
	}
	if err := binary.Read(&text, binary.LittleEndian, &head); err != nil {
		return 0, err
	}
	if head.Magic != [4]byte{0, 'c', 'w', 'm'} || head.Version != 1 || head.Flavor != 1 && head.Flavor != 2 {
		return 0, fmt.Errorf("the counters of this version of Go have another format: %+v", head)
	}
	text.Next(int(head.Strings) + int(head.Arguments))
	next := func() uint64 {
		var n uint64
		if head.Flavor == 1 {
			n = uint64(binary.LittleEndian.Uint32(text.Next(4)))
		} else if n, err = binary.ReadUvarint(&text); err != nil {
			return 0
		}
		return n
	}
	for range head.Functions {
		counters := next()
		next() // the package
		next() // the function
		for range counters {
			steps += next()
		}
	}
	return steps, err
}

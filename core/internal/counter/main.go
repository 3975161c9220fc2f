//go:build ctxfold_count

// Command counter runs operations of core and counts their steps. It is built with counters (-cover
// -covermode=count, and the tag ctxfold_count) and controlled by package steps. A request is the name of an
// operation and its JSON. An answer has the number of steps, how many bytes were allocated, read from the request and
// written to the result, and then the operation's response.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

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

// answer runs an operation, and writes the counts of its steps, allocated bytes, read bytes and written bytes, followed
// by the size of its answer and the answer, all in little-endian order. It returns an error if the program was built
// without -cover, or if out can't be written.
func answer(out *bufio.Writer, op string, request []byte) error {
	var before, after runtime.MemStats
	jsonspan.Read(nil) // forgets what earlier calls have read
	view.Written = 0
	counted := counters()
	runtime.ReadMemStats(&before)
	text := core.Call(op, request)
	runtime.ReadMemStats(&after)
	steps := since(counted, counters())
	if steps == 0 {
		return errors.New("no steps: the program is built without -cover, or this version of Go has other counters")
	}
	read, written := jsonspan.Read(request), view.Written
	for _, value := range []any{steps, after.TotalAlloc - before.TotalAlloc, uint64(read), uint64(written), uint32(len(text)), text} {
		if err := binary.Write(out, binary.LittleEndian, value); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Package host runs ctxfold in a sandbox: the WebAssembly module under wazero, the very bytes that browsers run, each instance
// with a memory of its own and a limit to it. What a transcript does to it cannot reach the program.
//
//	c, err := host.New(ctx, host.Options{Module: module.Wasm})
//	...
//	defer c.Close(ctx)
//	r, err := c.Fit(ctx, ctxfold.Input{Messages: history, Policy: policy}, summarizer)
//
// [New] gives the same [ctxfold.Compactor] that [ctxfold.New] gives over the code that is compiled into the program: all that it
// does is documented there, and the answers are the same bytes. The native one needs no time to start and is several times
// faster.
//
// The module comes from github.com/ctxfold/ctxfold/host/module, which embeds it, or from a file.
package host

import (
	"context"

	"github.com/ctxfold/ctxfold"
)

// Options configure the sandbox, and the Compactor over it.
type Options struct {
	// Module holds the bytes of the module: module.Wasm, or those of another build.
	Module []byte

	// CacheDir is a directory where wazero keeps the compiled module. Compiling takes about a second; from the cache it
	// takes about 50 milliseconds. Whoever may write there may run code in this program. Empty means no cache.
	CacheDir string

	// Instances is how many instances of the module may exist, and so how many operations run at the same time. Zero
	// means one for each CPU of the program (runtime.GOMAXPROCS).
	Instances int

	// MemoryLimit bounds the memory of each instance, in bytes; it is rounded down to whole pages of 64 KiB. A call that
	// needs more fails with [ctxfold.ErrMemoryLimit]. A call takes about three times the bytes of its request, and over many
	// calls an instance grows to nine times the largest one. An idle instance has a few MiB, at most 256: one
	// that has grown further is replaced. Zero means 4 GiB, the most that WebAssembly has.
	MemoryLimit uint64

	// Interrupt lets the end of a context stop the module in the middle of a call, so that the work of a cancelled call
	// costs nothing more. It makes every call about 3.5 times slower, because wazero then looks at the context in every
	// loop. Without it a cancelled call returns at once all the same, but its instance is busy until it is through.
	Interrupt bool

	// Options are those of the Compactor. Their Engine is not read; their Logger is reported traps too.
	ctxfold.Options
}

// New opens an [Engine] and makes a Compactor over it. Close the Compactor when it is no longer used.
func New(ctx context.Context, o Options) (*ctxfold.Compactor, error) {
	e, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	o.Options.Engine = e
	return ctxfold.New(o.Options), nil
}

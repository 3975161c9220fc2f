// Package host runs ctxfold in a sandbox: it runs the WebAssembly module under wazero, the same binary that browsers
// run. Each instance has its own, limited memory, so no transcript can affect the rest of the program.
//
//	c, err := host.New(ctx, host.Options{Module: module.Wasm})
//	...
//	defer c.Close(ctx)
//	r, err := c.Fit(ctx, ctxfold.Input{Messages: history, Policy: policy}, summarizer)
//
// [New] returns a [ctxfold.Compactor] with the same methods as the native one from [ctxfold.New], and byte-identical
// results. The native one, whose code is compiled into the program, starts immediately and is several times faster.
//
// The module comes from github.com/ctxfold/ctxfold/host/module, which embeds it, or from a file.
package host

import (
	"context"

	"github.com/ctxfold/ctxfold"
)

// Options configure the sandbox and its Compactor.
type Options struct {
	// Module holds the bytes of the module: module.Wasm, or the bytes of another build.
	Module []byte

	// CacheDir is a directory where wazero caches the compiled module. Compiling takes about a second; loading from the
	// cache takes about 50 milliseconds. Anyone who can write to it can run code in this program. Empty means no cache.
	CacheDir string

	// Instances is the maximum number of instances of the module. It limits the number of concurrent operations. Zero
	// means one per CPU of the program (runtime.GOMAXPROCS).
	Instances int

	// MemoryLimit bounds the memory of each instance, in bytes, rounded down to whole pages of 64 KiB. A call that
	// needs more fails with [ctxfold.ErrMemoryLimit]. A call needs about three times the size of its request, and over
	// many calls an instance grows to nine times the size of the largest request. An idle instance has a few MiB; if it
	// has more than 256 MiB, it is replaced. Zero means 4 GiB, the maximum of WebAssembly.
	MemoryLimit uint64

	// Interrupt stops the module in the middle of a call when the context ends, so that a cancelled call uses no more
	// CPU time. It makes every call about 3.5 times slower, because wazero then checks the context in every loop.
	// Without it a cancelled call still returns at once, but its instance stays busy until the work is done.
	Interrupt bool

	// Options configure the Compactor. Engine is ignored. Logger also receives traps.
	ctxfold.Options
}

// New opens an [Engine] and creates a Compactor that uses it. Close the Compactor when it is no longer needed. Closing
// it closes the engine, too. The errors are those of [Open].
func New(ctx context.Context, o Options) (*ctxfold.Compactor, error) {
	e, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	o.Options.Engine = e
	return ctxfold.New(o.Options), nil
}

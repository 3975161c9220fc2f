package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/core"
)

const (
	exportPrefix = "ctxfold_"
	exportAlloc  = exportPrefix + "alloc"
	exportFree   = exportPrefix + "free"

	// The memory of an instance never shrinks. If it has more bytes than this after a huge transcript, the instance is
	// replaced, which takes a few milliseconds.
	maxIdleMemory = 256 << 20

	// An instance with more than roomyMemory bytes is also replaced after calmCalls consecutive calls that each used at
	// most 1/calmShare of its memory for request and response, or during which it was idle.
	roomyMemory = 32 << 20
	calmCalls   = 64
	calmShare   = 32

	// maxMemory is the maximum size of a memory with 32-bit addresses, in bytes.
	maxMemory = 4 << 30
)

// Engine runs the WebAssembly module. It has the compiled module and a pool of instances, each of which serves one call at a time.
// Several Compactors may share an Engine; closing one of them closes the Engine.
type Engine struct {
	runtime  wazero.Runtime          // runs the instances
	compiled wazero.CompiledModule   // the compiled module
	cache    wazero.CompilationCache // the compiled code on disk; nil without a directory
	ops      map[string]bool         // the operations that the module exports
	log      *slog.Logger
	limit    uint64 // memory limit of each instance, in bytes

	// slots contains a token for every call in progress. Its capacity limits the number of instances.
	slots chan struct{}

	mu     sync.Mutex
	idle   []*instance // the instances that serve no call
	closed bool        // whether Close was called
}

// Open compiles the module and starts its first instance, so that a module that cannot start fails here rather than in
// the first call. It also fails if the cache directory cannot be used.
func Open(ctx context.Context, o Options) (*Engine, error) {
	e, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("ctxfold: %w", err)
	}
	return e, nil
}

// open compiles the module and starts its first instance, so that a module that isn't ctxfold's is reported at once. It
// returns an error for an invalid option, too.
func open(ctx context.Context, o Options) (_ *Engine, err error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if len(o.Module) == 0 {
		return nil, errors.New("no module: import github.com/ctxfold/ctxfold/host/module and pass module.Wasm, or read the module from a file")
	}
	if o.Instances < 0 {
		return nil, fmt.Errorf("the number of instances cannot be %d", o.Instances)
	}
	if o.Instances == 0 {
		o.Instances = runtime.GOMAXPROCS(0)
	}
	if o.MemoryLimit == 0 || o.MemoryLimit > maxMemory {
		o.MemoryLimit = maxMemory
	}
	m := &Engine{ops: map[string]bool{}, slots: make(chan struct{}, o.Instances), log: o.Logger}
	m.limit = o.MemoryLimit / pageSize * pageSize
	config := wazero.NewRuntimeConfig().WithCloseOnContextDone(o.Interrupt)
	if o.CacheDir != "" {
		if m.cache, err = wazero.NewCompilationCacheWithDir(o.CacheDir); err != nil {
			return nil, fmt.Errorf("opening the compile cache: %w", err)
		}
		config = config.WithCompilationCache(m.cache)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	defer func() {
		if err != nil {
			m.release(ctx)
		}
	}()

	compiling := experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	if m.compiled, err = m.runtime.CompileModule(compiling, o.Module); err != nil {
		return nil, fmt.Errorf("compiling the module: %w", err)
	}
	// The released module imports nothing; a plain reactor imports a clock and random bytes.
	if len(m.compiled.ImportedFunctions()) > 0 {
		if _, err = wasi_snapshot_preview1.Instantiate(ctx, m.runtime); err != nil {
			return nil, fmt.Errorf("providing WASI: %w", err)
		}
	}
	exports := m.compiled.ExportedFunctions()
	for _, name := range []string{exportAlloc, exportFree} {
		if exports[name] == nil {
			return nil, fmt.Errorf("the module does not export %s: is it ctxfold.wasm?", name)
		}
	}
	for name := range exports {
		if op, ok := strings.CutPrefix(name, exportPrefix); ok && name != exportAlloc && name != exportFree {
			m.ops[op] = true
		}
	}
	first, err := m.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	m.idle = append(m.idle, first)
	return m, nil
}

// Call runs op on an idle instance or a new one. If all slots are taken, it waits until a call in progress has ended.
// If ctx ends during the call, Call returns while the instance continues. The instance then returns to the pool, or is
// discarded if the runtime stops it. It returns an error if ctx ends, the module traps or the memory limit is reached;
// an error response of the core is an answer, not an error.
func (m *Engine) Call(ctx context.Context, op string, request []byte) ([]byte, ctxfold.Cost, error) {
	spent, answer, err := m.enter(ctx, op, request)
	if answer != nil || err != nil {
		return answer, spent, err
	}
	start := time.Now()
	in, err := m.take(ctx)
	spent.Waited += time.Since(start)
	if err != nil {
		<-m.slots
		return nil, spent, err
	}
	o := m.work(ctx, in, op, request, func() { m.put(ctx, in) })
	spent.Memory = o.memory
	return o.answer, spent, o.err
}

// enter takes a slot for a call. If the answer or error is known without an instance, it returns that and takes no
// slot.
func (m *Engine) enter(ctx context.Context, op string, request []byte) (spent ctxfold.Cost, answer []byte, err error) {
	if !m.ops[op] {
		answer, err = unknownOp(op)
		return spent, answer, err
	}
	if uint64(len(request)) > math.MaxUint32 {
		return spent, nil, fmt.Errorf("%w: its request has %d bytes", ctxfold.ErrMemoryLimit, len(request))
	}
	start := time.Now()
	select {
	case m.slots <- struct{}{}:
	case <-ctx.Done():
		err = ctx.Err()
	}
	spent.Waited = time.Since(start)
	return spent, nil, err
}

// outcome is the result of calling an instance.
type outcome struct {
	answer []byte // the response; nil if there is an error
	memory uint64 // size of the instance's memory, in bytes
	err    error
	// pending receives the outcome if ctx ended before the call did.
	pending <-chan outcome
}

// work runs op on an instance and then frees the slot. If the call fails, the instance is closed; otherwise keep is
// called, for example to return it to the pool. If ctx ends first, work returns at once, and the rest happens later.
func (m *Engine) work(ctx context.Context, in *instance, op string, request []byte, keep func()) outcome {
	done := make(chan outcome, 1)
	run := func() {
		answer, err := in.call(ctx, op, request)
		memory := uint64(in.module.Memory().Size())
		if err == nil {
			keep()
		} else {
			_ = in.module.Close(context.WithoutCancel(ctx))
			err = m.explain(ctx, in, op, len(request), err)
		}
		<-m.slots
		done <- outcome{answer: answer, memory: memory, err: err}
	}
	if ctx.Done() == nil {
		run()
	} else {
		go run()
	}
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
		return outcome{err: ctx.Err(), pending: done}
	}
}

// explain returns the error for a failed call of an instance. The error names the cause if it is known.
func (m *Engine) explain(ctx context.Context, in *instance, op string, size int, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	cause := ctxfold.ErrTrap
	if in.memory.refused {
		cause = ctxfold.ErrMemoryLimit
	}
	m.log.Warn("ctxfold: the module trapped", "op", op, "request_bytes", size, "error", err)
	return fmt.Errorf("ctxfold: %s: %w: %w", op, cause, err)
}

// unknownOp returns the response for an operation that the module lacks. If core has the operation, it returns an error
// with the reason. Otherwise package core writes the response, so that it equals the native engine's.
func unknownOp(op string) ([]byte, error) {
	if op == "function" {
		return nil, &ctxfold.Error{Code: "needs_full", Message: "single steps are in ctxfold-full.wasm; give its bytes as Options.Module"}
	}
	if slices.Contains(core.Ops(), op) {
		return nil, &ctxfold.Error{Code: "unknown_op", Message: "the module has another version and lacks the operation " + op}
	}
	return core.Call(op, nil), nil
}

func (m *Engine) take(ctx context.Context) (*instance, error) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, ctxfold.ErrClosed
	}
	if n := len(m.idle); n > 0 {
		in := m.idle[n-1]
		m.idle = m.idle[:n-1]
		m.mu.Unlock()
		return in, nil
	}
	m.mu.Unlock()
	return m.instantiate(ctx)
}

// put returns an instance to the idle ones, or closes it if its memory has grown too large. It also closes idle
// instances whose memory has been too large for several calls.
func (m *Engine) put(ctx context.Context, in *instance) {
	close := func(in *instance) { _ = in.module.Close(context.WithoutCancel(ctx)) }
	if in.swollen() {
		close(in)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.idle = slices.DeleteFunc(m.idle, func(other *instance) bool { // the other instances were idle during the call
		other.calm++
		if other.swollen() {
			close(other)
			return true
		}
		return false
	})
	m.idle = append(m.idle, in)
}

// swollen reports whether the instance has far more memory than it needs.
func (in *instance) swollen() bool {
	size := in.module.Memory().Size()
	return size > maxIdleMemory || size > roomyMemory && in.calm >= calmCalls
}

// Close waits for the calls in progress, because the memory of a running instance must not be freed. If ctx ends first,
// Close returns its error, and the engine stays open.
func (m *Engine) Close(ctx context.Context) error {
	if !m.setClosed(true) {
		return nil
	}
	held := 0
	defer func() {
		for range held {
			<-m.slots
		}
	}()
	for held < cap(m.slots) {
		select {
		case m.slots <- struct{}{}:
			held++
		case <-ctx.Done():
			m.setClosed(false)
			return ctx.Err()
		}
	}
	return m.release(context.WithoutCancel(ctx))
}

func (m *Engine) isClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// setClosed sets whether the engine is closed, and reports whether that changed anything.
func (m *Engine) setClosed(closed bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	changed := m.closed != closed
	m.closed = closed
	return changed
}

func (m *Engine) release(ctx context.Context) error {
	err := m.runtime.Close(ctx)
	if m.cache != nil {
		if cerr := m.cache.Close(ctx); err == nil {
			err = cerr
		}
	}
	return err
}

// instance is one running module with its own memory.
type instance struct {
	module api.Module
	memory *memory                 // its linear memory, which the host allocates
	alloc  api.Function            // the module's function that allocates a request
	free   api.Function            // the module's function that frees it
	ops    map[string]api.Function // the module's operations, by name
	calm   int                     // consecutive calls that used little of the memory, or during which the instance was idle
}

// instantiate starts an instance, whose memory can't grow over the limit. It returns an error if the module can't be
// started.
func (m *Engine) instantiate(ctx context.Context) (*instance, error) {
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	var own *memory
	allocator := experimental.MemoryAllocatorFunc(func(capacity, _ uint64) experimental.LinearMemory {
		own = newMemory(capacity, m.limit)
		return own
	})
	mod, err := m.runtime.InstantiateModule(experimental.WithMemoryAllocator(context.WithoutCancel(ctx), allocator), m.compiled, config)
	if err != nil {
		return nil, fmt.Errorf("ctxfold: starting the module: %w", err)
	}
	in := &instance{
		module: mod,
		memory: own,
		alloc:  mod.ExportedFunction(exportAlloc),
		free:   mod.ExportedFunction(exportFree),
		ops:    map[string]api.Function{},
	}
	for op := range m.ops {
		in.ops[op] = mod.ExportedFunction(exportPrefix + op)
	}
	return in, nil
}

// call calls the module as described in docs/reference/abi.md. After any error the instance must not be used again. It
// returns a copy of the response.
func (in *instance) call(ctx context.Context, op string, request []byte) ([]byte, error) {
	// The stack carries parameters in and results out, so one array serves all four calls without allocating.
	var stack [2]uint64
	stack[0] = uint64(len(request))
	if err := in.alloc.CallWithStack(ctx, stack[:]); err != nil {
		return nil, err
	}
	ptr := uint32(stack[0])
	if !in.module.Memory().Write(ptr, request) {
		return nil, fmt.Errorf("%s(%d) gave %#x, outside of the memory", exportAlloc, len(request), ptr)
	}
	stack[0], stack[1] = uint64(ptr), uint64(len(request))
	if err := in.ops[op].CallWithStack(ctx, stack[:]); err != nil {
		return nil, err
	}
	answerPtr, answerLen := uint32(stack[0]>>32), uint32(stack[0])
	view, ok := in.module.Memory().Read(answerPtr, answerLen)
	if !ok {
		return nil, fmt.Errorf("the answer at %#x of %d bytes is outside the memory", answerPtr, answerLen)
	}
	answer := bytes.Clone(view)
	if in.calm++; (len(request)+len(answer))*calmShare > int(in.module.Memory().Size()) {
		in.calm = 0
	}
	for _, p := range [...]uint32{ptr, answerPtr} {
		stack[0] = uint64(p)
		if err := in.free.CallWithStack(ctx, stack[:]); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

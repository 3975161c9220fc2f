package check

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/ctxfold/ctxfold/core"
)

var count = flag.Int("requests", 1000, "how many random requests each module gets; one under stress, whose name begins with stress, a tenth of them")

// TestSteps sends the vectors, the calls that CTXFOLD_CALLS has recorded, and random requests to each module in the folder that
// CTXFOLD_STEPS names, and natively: all answers are the same bytes. `make test-build` builds these modules.
func TestSteps(t *testing.T) {
	dir := os.Getenv("CTXFOLD_STEPS")
	if dir == "" {
		t.Skip("CTXFOLD_STEPS names no folder with modules; make test-build makes one")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.wasm"))
	if err != nil || len(files) == 0 {
		t.Fatal("there are no modules in ", dir, err)
	}
	cache := cacheOf(t)
	vectors := append(vectors(t), recorded(t)...)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".wasm"), func(t *testing.T) {
			wasm, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := compile(t, cache, wasm, maxPages)
			every, n := 1, *count
			if strings.HasPrefix(filepath.Base(file), "stress") {
				every, n = 10, n/10
			}
			var next, compared, changed atomic.Int64
			var workers sync.WaitGroup
			for range runtime.GOMAXPROCS(0) {
				workers.Go(func() {
					in := m.instance(t)
					for !t.Failed() {
						i := int(next.Add(1) - 1)
						var calls []call
						switch {
						case i < n:
							calls = requests(uint64(i))
						case (i-n)*every < len(vectors):
							calls = vectors[(i-n)*every : (i-n)*every+1]
						default:
							return
						}
						for _, c := range calls {
							if !m.has(c.op) {
								continue
							}
							if bytes.Contains(in.same(t, i, c), []byte(`"changed":true`)) {
								changed.Add(1)
							}
							compared.Add(1)
						}
					}
				})
			}
			workers.Wait()
			if changed.Load() < compared.Load()/5 && !t.Failed() {
				t.Error("fewer than a fifth of the calls have changed a conversation")
			}
			t.Logf("%d calls, of which %d have changed a conversation", compared.Load(), changed.Load())
		})
	}
}

// TestCallsAreChecked gives jumps.mjs the reactor that CTXFOLD_REACTOR names, with a return address changed: it tells that the call
// would be resumed in the wrong place.
func TestCallsAreChecked(t *testing.T) {
	name := os.Getenv("CTXFOLD_REACTOR")
	if name == "" {
		t.Skip("CTXFOLD_REACTOR names no reactor; make test-build builds one")
	}
	wasm, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	run := func() string {
		file := filepath.Join(t.TempDir(), "from.wasm")
		if err := os.WriteFile(file, wasm, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "node", "../tools/jumps.mjs", file, file+".out").CombinedOutput()
		if (err == nil) != (len(out) == 0) {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if out := run(); out != "" {
		t.Fatal("as Go has built it: ", out)
	}
	// i64.const of five bytes, i64.store, i32.const 0, call: the address has the number of the block in its low bits. One of 8,192 more
	// is that of no block, however large the function is.
	store := []byte{0x37, 3, 0, 0x41, 0, 0x10}
	// loop, blocks, local.get 0, br_table: the beginning of what jumps.mjs rewrites. Functions without that loop stay as Go has built them.
	jumps := regexp.MustCompile(`\x03\x40(\x02\x40)+\x20\x00\x0e`)
	var places []int // of such numbers, one in each function that has such a loop
	for body := range bodies(t, wasm) {
		loop := jumps.FindIndex(wasm[body[0]:body[1]])
		if loop == nil {
			continue
		}
		from := body[0] + loop[0]
		if n := bytes.Index(wasm[from:body[1]], store); n >= 6 && wasm[from+n-6] == 0x42 {
			places = append(places, from+n-4)
		}
	}
	if len(places) < 4 {
		t.Fatal("there are no calls to change")
	}
	for _, i := range []int{1, 2, 3} {
		block := &wasm[places[i*len(places)/4]]
		*block ^= 0x40
		if out := run(); !strings.Contains(out, "jumps.mjs: function ") {
			t.Errorf("the return address at %d is changed, and jumps.mjs does not tell: %s", places[i*len(places)/4]-1, out)
		}
		*block ^= 0x40
	}
}

// bodies yields the first offset of each function's body in a module, and the offset after it.
func bodies(t *testing.T, wasm []byte) func(yield func([2]int) bool) {
	number := func(at int) (n, next int) {
		v, size := binary.Uvarint(wasm[at:])
		if size <= 0 {
			t.Fatal("no number at ", at)
		}
		return int(v), at + size
	}
	return func(yield func([2]int) bool) {
		const code = 10 // the section with the bodies
		for at := 8; at < len(wasm); {
			id := wasm[at]
			size, from := number(at + 1)
			at = from + size
			if id != code {
				continue
			}
			count, next := number(from)
			for ; count > 0; count-- {
				size, body := number(next)
				next = body + size
				if !yield([2]int{body, next}) {
					return
				}
			}
		}
	}
}

// vectors are those of testdata/vectors, but for sessions, whose numbers tell the instances apart.
func vectors(t *testing.T) (calls []call) {
	files, err := filepath.Glob("../../testdata/vectors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no vectors", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var read []recording
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(file, err)
		}
		for _, v := range read {
			if !strings.HasPrefix(v.Op, "session_") {
				calls = append(calls, v.call())
			}
		}
	}
	return calls
}

// recording is a vector, or a line of the file that CTXFOLD_CALLS names.
type recording struct {
	Op      string  `json:"op"`
	Request *string `json:"request"`
	Base64  []byte  `json:"request_base64"`
}

func (v recording) call() call {
	if v.Request != nil {
		return call{v.Op, []byte(*v.Request)}
	}
	return call{v.Op, v.Base64}
}

// recorded are the calls of the file that CTXFOLD_CALLS names.
func recorded(t *testing.T) (calls []call) {
	name := os.Getenv("CTXFOLD_CALLS")
	if name == "" {
		return nil
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for r := bufio.NewReader(file); ; {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			var v recording
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(name, err)
			}
			calls = append(calls, v.call())
		}
		if errors.Is(err, io.EOF) {
			return calls
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// module is a compiled module that the tests call by its bare ABI.
type module struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

func compile(t *testing.T, cache wazero.CompilationCache, wasm []byte, pages uint32) *module {
	t.Helper()
	ctx := experimental.WithCompilationWorkers(t.Context(), runtime.GOMAXPROCS(0))
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache).WithMemoryLimitPages(pages))
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil { // for reactors
		t.Fatal(err)
	}
	compiled, err := r.CompileModule(ctx, wasm)
	if err != nil {
		t.Fatal(err)
	}
	return &module{r, compiled}
}

func (m *module) has(op string) bool { return m.compiled.ExportedFunctions()["ctxfold_"+op] != nil }

func (m *module) instance(t *testing.T) *instance {
	config := wazero.NewModuleConfig().WithName("").WithStderr(os.Stderr).WithStartFunctions("_initialize")
	made, err := m.runtime.InstantiateModule(t.Context(), m.compiled, config)
	if err != nil {
		t.Error("starting the module: ", err)
		return nil
	}
	return &instance{made}
}

type instance struct{ api.Module }

// same runs a call in the module and natively, reports where the answers differ, and returns the native one.
func (in *instance) same(t *testing.T, n int, c call) []byte {
	want := core.Call(c.op, bytes.Clone(c.request))
	if in == nil {
		return want
	}
	got, err := in.answer(t.Context(), c)
	if err != nil {
		t.Errorf("call %d: %s %.2000q: %v", n, c.op, c.request, err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("call %d: %s %.2000q\nnatively   %.2000s\nthe module %.2000s", n, c.op, c.request, want, got)
	}
	return want
}

func (in *instance) answer(ctx context.Context, c call) ([]byte, error) {
	run := func(name string, args ...uint64) (uint64, error) {
		out, err := in.ExportedFunction("ctxfold_"+name).Call(ctx, args...)
		if err != nil || len(out) == 0 {
			return 0, err
		}
		return out[0], nil
	}
	at, err := run("alloc", uint64(len(c.request)))
	if err != nil {
		return nil, err
	}
	if !in.Memory().Write(uint32(at), c.request) {
		return nil, fmt.Errorf("no memory at %d", at)
	}
	packed, err := run(c.op, at, uint64(len(c.request)))
	if err != nil {
		return nil, err
	}
	from := packed >> 32
	view, ok := in.Memory().Read(uint32(from), uint32(packed))
	if !ok {
		return nil, fmt.Errorf("no memory at %d", from)
	}
	answer := bytes.Clone(view)
	for _, p := range []uint64{at, from} {
		if _, err := run("free", p); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

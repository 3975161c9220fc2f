package check

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"

	shipped "github.com/ctxfold/ctxfold/host/module"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

var (
	soak     = flag.Int("soak", 400, "how many calls TestSoak makes in one instance")
	soakSeed = flag.Uint64("soak-seed", 0, "what the calls of TestSoak grow from: another number gives other calls")
)

// soaked makes the n-th calls of a soak: most conversations have few messages. One of 40 is large, and one of 400 has about 4 MB, after which
// the memory is large. With more of these, 100,000 calls would take longer than half an hour.
func soaked(r *rand.Rand, n uint64) []call {
	if r.IntN(40) > 0 {
		return requests(n)
	}
	messages := 100 << r.IntN(4)
	if r.IntN(10) == 0 {
		messages = 8000
	}
	formats := gen.Formats()
	return []call{sized(r, [...]string{"plan", "fit", "check", "validate", "repair"}[r.IntN(5)], formats[r.IntN(len(formats))], messages)}
}

// sized is a call on a conversation of some messages, each of about 500 bytes.
func sized(r *rand.Rand, op, format string, messages int) call {
	var parts [][]byte
	for _, m := range gen.New(r, gen.Options{Messages: messages}).Render(format, r) {
		parts = append(parts, m)
	}
	list := append(append([]byte("["), bytes.Join(parts, []byte(","))...), ']')
	text := fmt.Sprintf(`{"format":%q,"window":{"tokens":%d},"summary":{"mode":"local"},"archive":"bodies"}`, format, max(64, len(list)/8))
	if op == "validate" || op == "repair" {
		text = fmt.Sprintf(`{"format":%q}`, format)
	}
	return call{op, fmt.Appendf(nil, `{"policy":%s,"messages":%s}`, text, list)}
}

// soaking is the module that ships, or the one that CTXFOLD_SOAK names, in a memory of some pages at most.
func soaking(t *testing.T, cache wazero.CompilationCache, pages uint32) *module {
	t.Helper()
	wasm := shipped.Wasm
	if name := os.Getenv("CTXFOLD_SOAK"); name != "" {
		var err error
		if wasm, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return compile(t, cache, wasm, pages)
}

// cacheOf returns the folder of compiled modules that CTXFOLD_CACHE names, or one of this test.
func cacheOf(t *testing.T) wazero.CompilationCache {
	t.Helper()
	cache, err := wazero.NewCompilationCacheWithDir(cmp.Or(os.Getenv("CTXFOLD_CACHE"), t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

// TestSoak makes calls of mixed sizes and operations in all formats in one instance of the module that ships, or of the one that CTXFOLD_SOAK
// names, and natively: the same bytes, and a memory that is bounded by the largest request and answer.
func TestSoak(t *testing.T) {
	m := soaking(t, cacheOf(t), maxPages)
	in := m.instance(t)
	if in == nil {
		return
	}
	start := in.Memory().Size()
	r := rand.New(rand.NewPCG(31, *soakSeed))
	largest, made, counts := 0, 0, map[string]int{}
	for n := *soakSeed << 32; made < *soak && !t.Failed(); n++ {
		for _, c := range soaked(r, n) {
			if !m.has(c.op) {
				continue
			}
			answer := in.same(t, made, c)
			largest = max(largest, len(c.request)+len(answer))
			counts[c.op]++
			if made++; made%10_000 == 0 {
				t.Logf("%d calls", made)
			}
			if memory := in.Memory().Size(); int(memory) > room+most*largest {
				t.Fatalf("call %d: %d bytes of memory, started with %d, and the largest request and its answer have %d", made, memory, start, largest)
			}
		}
	}
	var ops []string
	for op, n := range counts {
		ops = append(ops, fmt.Sprintf("%s %d", op, n))
	}
	slices.Sort(ops)
	t.Logf("%d calls: %v; %d bytes of memory, started with %d; %.1f times the largest request and its answer, %d bytes", made, ops, in.Memory().Size(), start,
		float64(in.Memory().Size())/float64(largest), largest)
}

// What an instance needs at most, in bytes: room, and the largest request with its answer so many times.
const (
	room = 24 << 20
	most = 12
)

// TestCollectsBeforeItGrows makes one call, and three. What earlier calls leave is garbage, which is collected before the memory grows if it
// may be a third of the heap. A memory that is too small for what is needed ends the call.
func TestCollectsBeforeItGrows(t *testing.T) {
	cache := cacheOf(t)
	run := func(n int, most uint32) (pages uint32, err error) {
		r := rand.New(rand.NewPCG(31, 0))
		m := soaking(t, cache, most)
		in := m.instance(t)
		for range n {
			if _, err := in.answer(t.Context(), sized(r, "plan", "openai-chat", 8000)); err != nil {
				return 0, err
			}
		}
		return in.Memory().Size() >> 16, nil
	}
	one, err := run(1, maxPages)
	if err != nil {
		t.Fatal(err)
	}
	if three, err := run(3, maxPages); err != nil || three > one*3/2 {
		t.Errorf("three calls take %d pages, and one takes %d: %v", three, one, err)
	}
	if _, err := run(1, one/4); err == nil {
		t.Errorf("a call takes %d pages, and did with a quarter of them", one)
	}
}

const maxPages = 1 << 16 // of 64 KiB: all that a module may have

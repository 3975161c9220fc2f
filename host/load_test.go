package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host"
)

var compactions = flag.Int("compactions", 12, "how many compactions each of the 64 goroutines of TestLoad makes")

// loadCase is a conversation with its expected result, which is unique.
type loadCase struct {
	messages json.RawMessage
	result   json.RawMessage
}

// loadCases returns n short conversations with tools, all of which need a summary.
func loadCases(t *testing.T, n int, policy ctxfold.Policy, s ctxfold.Summarizer) []loadCase {
	t.Helper()
	c := native(t, ctxfold.Options{})
	cases := make([]loadCase, n)
	for i := range cases {
		messages := list(4+i%5, func(b *bytes.Buffer, k int) {
			fmt.Fprintf(b, `{"role":"user","content":"talk number %d, request %d"},`+callOf+","+resultOf+`,{"role":"assistant","content":"answer %d of %d"}`,
				i, k, fmt.Sprint("c", k), "read", fmt.Sprintf(`{"path":"%d/%d.go"}`, i, k), fmt.Sprint("c", k), strings.Repeat(fmt.Sprintf("line %d of %d ", k, i), 60), k, i)
		})
		r, err := c.Compact(t.Context(), json.RawMessage(messages), policy, s)
		if err != nil || !r.Changed || !bytes.Contains(r.Messages, []byte(fmt.Sprintf("The digest of number %d.", i))) {
			t.Fatalf("conversation %d: %v, %+v, %s", i, err, r.Report.Summary, r.Messages)
		}
		cases[i] = loadCase{json.RawMessage(messages), r.Messages}
	}
	return cases
}

// summaryOf returns the test model's summary of text, which names the conversation.
func summaryOf(text string) string {
	_, rest, _ := strings.Cut(text, "talk number ")
	number, _, _ := strings.Cut(rest, ",")
	return "# Objective\nThe digest of number " + number + "."
}

// Many goroutines share a small pool, while calls are cancelled, instances are lost and calls exceed the memory limit. Every answer belongs
// to its own request, and nothing is left behind. The long run makes 10,000 compactions in each goroutine.
func TestLoad(t *testing.T) {
	goroutines, each := 64, *compactions
	if testing.Short() {
		goroutines, each = 16, 6
	}
	policy := ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":600,"reserve":0},"summary":{"max_input_tokens":4000},"passes":[{"pass":"fold","keep_tokens":100}]}`)
	summarize := ctxfold.SummarizerFunc(func(_ context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
		return ctxfold.Summary{Text: summaryOf(q.Prompt)}, nil
	})
	cases := loadCases(t, 40, policy, summarize)
	huge := estimateRequest(20 << 20)
	goroutinesBefore := runtime.NumGoroutine()
	c := open(t, host.Options{MemoryLimit: 32 << 20})
	var done, cancelled, trapped, refused atomic.Int64
	var broken atomic.Int64
	work := func(r *rand.Rand, calls int) {
		for range calls {
			k := cases[r.IntN(len(cases))]
			ctx, cancel := context.Background(), context.CancelFunc(func() {})
			switch dice := r.IntN(400); {
			case dice < 2:
				switch _, err := c.Call(ctx, "estimate", huge); {
				case errors.Is(err, ctxfold.ErrMemoryLimit):
					refused.Add(1)
				case errors.Is(err, ctxfold.ErrTrap):
					trapped.Add(1)
				default:
					t.Errorf("a call that needs too much: %v", err)
				}
				continue
			case dice < 6:
				if c.Break() {
					broken.Add(1)
				}
			case dice < 80:
				ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(4_000_000)))
			}
			got, err := c.Compact(ctx, k.messages, policy, summarize)
			switch cancel(); {
			case err == nil && bytes.Equal(got.Messages, k.result):
				done.Add(1)
			case err == nil:
				t.Errorf("the answer of another request: %s instead of %s", got.Messages, k.result)
			case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
				cancelled.Add(1)
			case errors.Is(err, ctxfold.ErrTrap) && !errors.Is(err, ctxfold.ErrMemoryLimit):
				trapped.Add(1)
			default:
				t.Errorf("%v", err)
			}
		}
	}
	// The pool is warm after the first round, and must not grow afterwards.
	round := func(seed uint64, calls int) (heap uint64, instances int, memory uint32) {
		var wg sync.WaitGroup
		for i := range goroutines {
			wg.Go(func() { work(rand.New(rand.NewPCG(seed, uint64(i))), calls) })
		}
		wg.Wait()
		for try := 0; try < 120_000 && runtime.NumGoroutine() > goroutinesBefore+1; try++ { // calls that were given up continue after
			time.Sleep(10 * time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > goroutinesBefore+1 {
			t.Errorf("%d goroutines, %d before", n, goroutinesBefore)
		}
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		instances, memory = c.Idle()
		return stats.HeapAlloc, instances, memory
	}
	warm, _, _ := round(1, each/3)
	heap, instances, memory := round(2, each-each/3)
	if trapped.Load() > broken.Load() {
		t.Errorf("%d calls trapped, but only %d instances were broken", trapped.Load(), broken.Load())
	}
	if done.Load() == 0 || cancelled.Load() == 0 || !testing.Short() && (trapped.Load() == 0 || refused.Load() == 0) {
		t.Errorf("done %d, cancelled %d, trapped %d, refused %d: not all of it happened", done.Load(), cancelled.Load(), trapped.Load(), refused.Load())
	}
	if instances > runtime.GOMAXPROCS(0) || memory > uint32(instances)*32<<20 {
		t.Errorf("%d instances with %d bytes", instances, memory)
	}
	if heap > warm+16<<20 {
		t.Errorf("the heap grew from %d to %d bytes", warm, heap)
	}
	t.Logf("%d done, %d cancelled, %d of %d broken instances trapped, %d refused; %d instances with %d MiB; heap %d, then %d MiB",
		done.Load(), cancelled.Load(), trapped.Load(), broken.Load(), refused.Load(), instances, memory>>20, warm>>20, heap>>20)
}

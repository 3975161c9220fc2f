package records_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/records"
)

// trip is a chat that is too long for the policy small.
var (
	trip = json.RawMessage(`[{"role":"user","content":"What does a.txt say about the train?"},
		{"role":"assistant","content":"The train leaves at nine.` + strings.Repeat(" Nothing else happens in the village.", 200) + `"},
		{"role":"user","content":"Thanks. And the bus?"}]`)
	small = ctxfold.Policy{Format: api.FormatOpenAIChat, Window: ctxfold.Window{Tokens: 1000, Reserve: new(100)}}
)

const lease = 15 * time.Second

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Records store the compactions of Fit. A directory outlives the process, and several processes can share it.
func ExampleNewDir() {
	ctx := context.Background()
	dir := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(dir)
	in := ctxfold.Input{Messages: trip, Policy: small}
	for range 2 { // two processes
		c := ctxfold.New(ctxfold.Options{Records: must(records.NewDir(dir, 64<<20))})
		r := must(c.Fit(ctx, in, nil))
		fmt.Println(r.Changed, r.Known > 0)
	}
	// Output:
	// true false
	// false true
}

func ExampleDir() {
	dir := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(dir)
	shareRecords(must(records.NewDir(dir, 0)))
	// Output:
	// true false true
	// true the record
}

func ExampleNewMemory() {
	c := ctxfold.New(ctxfold.Options{Records: records.NewMemory(8 << 20)})
	fmt.Println(must(c.Fit(context.Background(), ctxfold.Input{Messages: trip, Policy: small}, nil)).Changed)
	// Output: true
}

// A failing store costs a compaction, and is reported.
func ExampleNewGuarded() {
	guarded := records.NewGuarded(nil, time.Second, func(call records.Call) { fmt.Println(call.Op, call.Err != nil) })
	record, _, err := guarded.Find(context.Background(), []string{strings.Repeat("ab", 32)})
	fmt.Println(record == nil, err)
	// Output:
	// find true
	// true <nil>
}

func ExampleGuarded() {
	shareRecords(records.NewGuarded(records.NewMemory(0), time.Second, func(records.Call) {}))
	// Output:
	// true false true
	// true the record
}

func ExampleMemory() {
	shareRecords(records.NewMemory(0))
	// Output:
	// true false true
	// true the record
}

// shareRecords does what two replicas do with one conversation: the one with the lease stores a record, and both find it.
func shareRecords(records records.Shared) {
	ctx := context.Background()
	keys := []string{strings.Repeat("ab", 32)}
	first := must(records.Lease(ctx, keys, "replica 1", lease))
	second := must(records.Lease(ctx, keys, "replica 2", lease))
	renewed := must(records.Renew(ctx, keys[0], "replica 1", lease))
	fmt.Println(first, second, renewed)
	kept := must(records.KeepLeased(ctx, keys[0], "replica 1", keys, []byte("the record")))
	if err := records.Release(ctx, keys[0], "replica 1"); err != nil {
		fmt.Println(err)
	}
	record, _, err := records.Find(ctx, keys)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(kept, string(record))
}

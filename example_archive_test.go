package ctxfold_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// Restore returns the messages as they came in.
func ExampleCompactor_Restore() {
	c := ctxfold.New(ctxfold.Options{})
	r, store := archived(c)
	back := must(c.Restore(context.Background(), ctxfold.Input{Messages: r.Messages, State: r.State, Policy: clearing}, store))
	fmt.Println(string(back.Messages) == string(trip), len(back.Markers))
	// Output: true 0
}

func ExampleCompactor_Markers() {
	c := ctxfold.New(ctxfold.Options{})
	r, _ := archived(c)
	for _, m := range must(c.Markers(context.Background(), ctxfold.Input{Messages: r.Messages, Policy: clearing})) {
		fmt.Println(m.What, m.Message, len(m.Handle))
	}
	// Output: tool_result 2 16
}

// Search finds removed messages by their words.
func ExampleCompactor_Search() {
	c := ctxfold.New(ctxfold.Options{})
	r, store := archived(c)
	in := ctxfold.Input{Messages: r.Messages, State: r.State, Policy: clearing}
	found := must(c.Search(context.Background(), in, store, ctxfold.SearchQuery{Text: "When does the train leave?", Limit: 1}))
	fmt.Println(strings.HasPrefix(found.Results[0].Snippet, "The train leaves at nine."))
	// Output: true
}

func ExampleCompactor_SearchBodies() {
	c := ctxfold.New(ctxfold.Options{})
	bodies := []api.Kept{{Text: `[{"role":"user","content":"The bus leaves at ten."}]`}}
	found := must(c.SearchBodies(context.Background(), bodies, ctxfold.SearchQuery{Text: "bus"}))
	fmt.Println(found.Results[0].Role, found.Results[0].Snippet)
	// Output: user The bus leaves at ten.
}

// RecallTool returns an element for a request's tools. The model calls it to get missing content, and Recall answers.
func ExampleCompactor_RecallTool() {
	c := ctxfold.New(ctxfold.Options{})
	tool := must(c.RecallTool(context.Background(), api.FormatOpenAIChat))
	fmt.Println(strings.Contains(string(tool), `"name":"recall"`))
	// Output: true
}

func ExampleCompactor_Recall() {
	ctx := context.Background()
	c := ctxfold.New(ctxfold.Options{})
	r, store := archived(c)
	handle := must(c.Markers(ctx, ctxfold.Input{Messages: r.Messages, Policy: clearing}))[0].Handle
	text := must(c.Recall(ctx, store, api.FormatOpenAIChat, json.RawMessage(`{"handle":"`+handle+`"}`)))
	fmt.Println(text[:25])
	// Output: The train leaves at nine.
}

// A tool prints more than the transcript should contain, so the whole output goes to the store.
func ExampleCompactor_LimitOutput() {
	c := ctxfold.New(ctxfold.Options{})
	store := ctxfold.NewMemoryStore(0)
	a := must(c.LimitOutput(context.Background(), strings.Repeat("a line\n", 100000), ctxfold.OutputLimits{}, store))
	bodies, _ := store.Len()
	fmt.Println(a.Spilled, bodies, len(a.Text) < 5000)
	// Output: true 1 true
}

func ExampleMemoryStore() {
	ctx := context.Background()
	store := ctxfold.NewMemoryStore(1 << 20) // at most 1 MiB
	if err := store.Put(ctx, "4c1f0e6a92b7d358", []byte("a body")); err != nil {
		fmt.Println(err)
	}
	body := must(store.Get(ctx, "4c1f0e6a92b7d358"))
	_, err := store.Get(ctx, "0000000000000000")
	bodies, bytes := store.Len()
	fmt.Println(string(body), bodies, bytes, err)
	// Output: a body 1 6 nothing is stored under this handle
}

func ExampleNewMemoryStore() {
	store := ctxfold.NewMemoryStore(4)
	fmt.Println(store.Put(context.Background(), "4c1f0e6a92b7d358", []byte("a body")))
	// Output: the store is full: 0 of 4 bytes are in use, and 6 more are needed
}

// A directory keeps a file for each handle, and checks it when it is read.
func ExampleDirStore() {
	ctx := context.Background()
	dir := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(dir)
	store := must(ctxfold.NewDirStore(filepath.Join(dir, "archive")))
	const handle = "771824de42287642fa0fbe0b568b80cc3290e29b7d3cd6efbc7b1b8eb1037b04"
	if err := store.Put(ctx, handle, []byte("a body")); err != nil {
		fmt.Println(err)
	}
	path := must(store.Path(handle))
	fmt.Println(string(must(store.Get(ctx, handle))), filepath.Base(path) != "")
	// Output: a body true
}

func ExampleNewDirStore() {
	dir := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(dir)
	store := must(ctxfold.NewDirStore(dir))
	c := ctxfold.New(ctxfold.Options{})
	r := must(c.CompactWith(context.Background(), ctxfold.Input{Messages: trip, Policy: small, Store: store}, nil))
	fmt.Println(len(r.Archive), len(must(os.ReadDir(dir))) > 0)
	// Output: 2 true
}

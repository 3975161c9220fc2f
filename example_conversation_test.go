package ctxfold_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// tripConversation begins a conversation with the trip chat.
func tripConversation(o ctxfold.ConversationOptions) *ctxfold.Conversation {
	o.Messages, o.Policy, o.Summarizer = trip, small, summarize
	return must(ctxfold.New(ctxfold.Options{}).Conversation(context.Background(), o))
}

func ExampleConversation_Append() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{})
	defer v.Close(ctx)
	err := v.Append(ctx, json.RawMessage(`[{"role":"assistant","content":"The bus leaves at ten."}]`))
	fmt.Println(v.Len(), err)
	// Output: 6 <nil>
}

// When the user goes back to an earlier message, the list is replaced.
func ExampleConversation_SetMessages() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{})
	defer v.Close(ctx)
	err := v.SetMessages(ctx, json.RawMessage(`[{"role":"user","content":"Hello"}]`))
	fmt.Println(v.Len(), err)
	// Output: 1 <nil>
}

func ExampleConversation_Check() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{})
	defer v.Close(ctx)
	fmt.Println(must(v.Check(ctx)).Due)
	// Output: true
}

func ExampleConversation_Messages() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{})
	defer v.Close(ctx)
	fmt.Println(count(v.Messages()))
	// Output: 5
}

func ExampleConversation_Len() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{})
	defer v.Close(ctx)
	fmt.Println(v.Len())
	// Output: 5
}

// Store the state with the messages, and pass both when the conversation is opened again.
func ExampleConversation_State() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{})
	must(v.Compact(ctx))
	messages, state := v.Messages(), v.State()
	v.Close(ctx)

	again := must(ctxfold.New(ctxfold.Options{}).Conversation(ctx, ctxfold.ConversationOptions{Messages: messages, State: state, Policy: small}))
	defer again.Close(ctx)
	fmt.Println(must(again.Check(ctx)).Due)
	// Output: false
}

func ExampleConversation_Close() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{})
	v.Close(ctx) // frees its instance; the Compactor stays open
	fmt.Println(errors.Is(v.Append(ctx, trip), ctxfold.ErrClosed))
	// Output: true
}

// Before a call the conversation is compacted if its prompt cache has expired.
func ExampleConversation_BeforeTurn() {
	ctx := context.Background()
	policy := ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":3000,"reserve":100},"gate":{"ratio":0.9,"target":0.3,"idle":300}}`)
	v := must(ctxfold.New(ctxfold.Options{}).Conversation(ctx, ctxfold.ConversationOptions{Messages: trip, Policy: policy}))
	defer v.Close(ctx)
	r := must(v.BeforeTurn(ctx, ctxfold.NextCall{Idle: time.Hour}))
	fmt.Println(r.Changed, r.Report.Cold)
	// Output: true idle
}

func ExampleConversation_AfterTurn() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{})
	defer v.Close(ctx)
	fmt.Println(must(v.AfterTurn(ctx)).Reason)
	// Output: compacted
}

func ExampleConversation_Compact() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{})
	defer v.Close(ctx)
	r := must(v.Compact(ctx)) // the user asked for it
	fmt.Println(r.Changed)
	// Output: true
}

// If the provider reports that the conversation does not fit, Call compacts it and calls once more.
func ExampleConversation_Call() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{})
	defer v.Close(ctx)
	calls := 0
	outcome := must(v.Call(ctx, func(_ context.Context, messages json.RawMessage) (api.Failure, error) {
		if calls++; calls == 1 {
			return api.Failure{Status: 400, Body: "prompt is too long: 1200 tokens > 1000 maximum"}, nil
		}
		return api.Failure{Status: 200}, nil
	}))
	fmt.Println(calls, outcome.Verdict.Overflow, outcome.Compacted.Changed)
	// Output: 2 false true
}

func ExampleConversation_Restore() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{Store: ctxfold.NewMemoryStore(0)})
	defer v.Close(ctx)
	before := len(v.Messages())
	must(v.Compact(ctx))
	after := len(v.Messages())
	must(v.Restore(ctx))
	fmt.Println(after < before, len(v.Messages()) == before)
	// Output: true true
}

func ExampleConversation_Search() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{Store: ctxfold.NewMemoryStore(0)})
	defer v.Close(ctx)
	must(v.Compact(ctx))
	found := must(v.Search(ctx, ctxfold.SearchQuery{Text: "train", Limit: 1}))
	fmt.Println(len(found.Results))
	// Output: 1
}

func ExampleConversation_Recall() {
	ctx := context.Background()
	v := tripConversation(ctxfold.ConversationOptions{Store: ctxfold.NewMemoryStore(0)})
	defer v.Close(ctx)
	must(v.Compact(ctx))
	text := must(v.Recall(ctx, json.RawMessage(`{"query":"train"}`))) // the arguments of the model's call
	fmt.Println(len(text) > 0)
	// Output: true
}

// A journal has an event for the start and the end of each compaction.
func ExampleMemoryJournal() {
	ctx := context.Background()
	journal := new(ctxfold.MemoryJournal)
	v := tripConversation(ctxfold.ConversationOptions{ID: "trip", Journal: journal})
	defer v.Close(ctx)
	must(v.AfterTurn(ctx))
	for _, e := range must(journal.Events(ctx, "trip")) {
		fmt.Println(e.Type, e.Trigger, e.MessagesBefore)
	}
	// Output:
	// compaction_start auto 5
	// compaction_end auto 5
}

func ExampleNewFileJournal() {
	ctx := context.Background()
	dir := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(dir)
	journal := ctxfold.NewFileJournal(filepath.Join(dir, "journal.jsonl"))
	err := journal.Append(ctx, ctxfold.Event{Type: ctxfold.EventStart, Conversation: "trip", Trigger: ctxfold.TriggerManual})
	fmt.Println(len(must(journal.Events(ctx, "trip"))), err)
	// Output: 1 <nil>
}

func ExampleFileJournal() {
	ctx := context.Background()
	dir := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(dir)
	v := tripConversation(ctxfold.ConversationOptions{ID: "trip", Journal: ctxfold.NewFileJournal(filepath.Join(dir, "journal.jsonl"))})
	defer v.Close(ctx)
	must(v.AfterTurn(ctx))
	fmt.Println(len(must(ctxfold.NewFileJournal(filepath.Join(dir, "journal.jsonl")).Events(ctx, "trip"))))
	// Output: 2
}

// Auto reports whether a compaction began automatically.
func ExampleEvent_Auto() {
	fmt.Println(ctxfold.Event{Trigger: ctxfold.TriggerAuto}.Auto(), ctxfold.Event{Trigger: ctxfold.TriggerManual}.Auto())
	// Output: true false
}

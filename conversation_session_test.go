package ctxfold_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/host"
)

// A conversation that grows message by message and loses its instance on the way is compacted to
// the same result as one that got all messages at once, and continues with the result.
func TestConversationIsItsMessages(t *testing.T) {
	var messages []json.RawMessage
	if err := json.Unmarshal(sample(t), &messages); err != nil {
		t.Fatal(err)
	}
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		ctx := t.Context()
		first, _ := json.Marshal(messages[:3])
		v := begin(t, c, ctxfold.ConversationOptions{Messages: first, Policy: policy, Format: "anthropic"})
		for i, m := range messages[3:] {
			if err := v.Append(ctx, json.RawMessage("[ "+string(m)+"\n]")); err != nil {
				t.Fatal(err)
			}
			if i%40 == 7 {
				v.Lose()
			}
		}
		in := ctxfold.Input{Messages: v.Messages(), Policy: policy, Format: "anthropic"}
		got, err := v.Check(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.Check(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Raw) != string(want.Raw) || !got.Due {
			t.Errorf("check: %s, want %s", got.Raw, want.Raw)
		}
		result, err := v.AfterTurn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := c.CompactWith(ctx, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if string(result.Messages) != string(whole.Messages) || string(v.Messages()) != string(whole.Messages) ||
			string(v.State()) != string(whole.State) {
			t.Error("the result is not that of the messages at once")
		}
		v.Lose()
		if again, err := v.Compact(ctx); err != nil || again.Changed || string(v.Messages()) != string(whole.Messages) {
			t.Errorf("nothing new, and yet %v, %+v", err, again)
		}
	})
}

func TestConversationErrors(t *testing.T) {
	const user = `{"role":"user","content":"Hello."}`
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		ctx := t.Context()
		for _, tt := range []struct {
			name, first, more string
			code              api.Code
			offset            int
		}{
			{"no list", `{"messages":[]}`, "", "wrong_type", 0},
			{"no JSON", ` [` + user + `,,]`, "", "invalid_json", 3 + len(user)},
			{"a message without a role", "[\n" + user + " , {}]", "", "missing_role", 5 + len(user)},
			{"a broken append", "", ` [ ` + user, "truncated_json", 3 + len(user)},
			{"an append with a fault", "[" + user + "]", "[" + user + ",\n {\"content\":1}]", "missing_role", 4 + len(user)},
		} {
			var fault *ctxfold.Error
			v, err := c.Conversation(ctx, ctxfold.ConversationOptions{Format: "openai-chat", Messages: json.RawMessage(tt.first)})
			if err == nil {
				before := v.Messages()
				if err = v.Append(ctx, json.RawMessage(tt.more)); !bytes.Equal(before, v.Messages()) {
					t.Errorf("%s: the conversation was changed", tt.name)
				}
				v.Close(ctx)
			}
			if !errors.As(err, &fault) || fault.Code != tt.code || fault.Offset != tt.offset || fault.Input != "messages" {
				t.Errorf("%s: %#v, want %s at %d", tt.name, err, tt.code, tt.offset)
			}
		}
		var fault *ctxfold.Error
		v := begin(t, c, ctxfold.ConversationOptions{Format: "openai-chat", Policy: ctxfold.Policy{Window: ctxfold.Window{Tokens: 9000}}})
		if r, err := v.AfterTurn(ctx); err != nil || r != nil && r.Changed {
			t.Errorf("no messages: %+v, %v", r, err)
		}
		if err := v.Append(ctx, json.RawMessage("["+user+"]")); err != nil {
			t.Fatal(err)
		}
		if err := v.SetMessages(ctx, json.RawMessage(`[{"content":"x"}]`)); !errors.As(err, &fault) || string(v.Messages()) != "["+user+"]" {
			t.Errorf("other messages with a fault: %v, %s", err, v.Messages())
		}
		if err := v.SetMessages(ctx, json.RawMessage("["+user+" , "+user+"]")); err != nil || v.Len() != 2 {
			t.Errorf("other messages: %v, %s", err, v.Messages())
		}
		if check, err := v.Check(ctx); err != nil || check.Messages != 2 {
			t.Errorf("other messages: %v, %+v", err, check)
		}
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		if err := v.Append(canceled, json.RawMessage("["+user+"]")); !errors.Is(err, context.Canceled) || v.Len() != 2 {
			t.Errorf("a cancelled append: %v", err)
		}
		v.Close(ctx)
		if _, err := v.Check(ctx); !errors.Is(err, ctxfold.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	})
}

// Removed content is in the store, the model's output is streamed, and messages that arrive in the meantime stay after the digest.
func TestConversationArchiveAndDeltas(t *testing.T) {
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		ctx := t.Context()
		store := ctxfold.NewMemoryStore(0)
		var v *ctxfold.Conversation
		var mu sync.Mutex
		var seen strings.Builder
		last := json.RawMessage(`[{"role":"user","content":"And one more thing."}]`)
		appended := false
		v = begin(t, c, ctxfold.ConversationOptions{
			Messages: sample(t), Policy: policy, Format: "anthropic", Store: store,
			OnDelta: func(d ctxfold.SummaryDelta) {
				mu.Lock()
				defer mu.Unlock()
				seen.WriteString(d.Text)
			},
			Summarizer: ctxfold.StreamSummarizerFunc(func(ctx context.Context, _ ctxfold.Request, delta func(string)) (ctxfold.Summary, error) {
				delta(summary)
				mu.Lock()
				defer mu.Unlock()
				if !appended {
					appended = true
					if err := v.Append(ctx, last); err != nil {
						t.Error(err)
					}
					v.Lose()
				}
				return ctxfold.Summary{Text: summary}, nil
			}),
		})
		before := v.Messages()
		r, err := v.AfterTurn(ctx)
		if err != nil || !r.Changed || r.Report.Summary.Source != "model" {
			t.Fatalf("%v, %+v", err, r)
		}
		if !strings.Contains(seen.String(), summary) {
			t.Errorf("the deltas were %q", seen.String())
		}
		if bodies, _ := store.Len(); bodies == 0 || len(r.Archive) != bodies {
			t.Errorf("%d bodies are stored, the archive lists %d", bodies, len(r.Archive))
		}
		if !bytes.HasSuffix(v.Messages(), last[1:]) {
			t.Errorf("what came in the meantime is not the end: %s", v.Messages()[v.Len()-200:])
		}
		tokens := r.Report.Tokens.After
		restored, err := v.Restore(ctx)
		if err != nil || !restored.Report.Changed || !restored.Valid {
			t.Fatalf("%v, %+v", err, restored)
		}
		whole := append(append(bytes.Clone(before[:len(before)-1]), ','), last[1:]...)
		if !bytes.Equal(v.Messages(), whole) {
			t.Errorf("%d bytes were restored, there were %d", len(v.Messages()), len(whole))
		}
		if check, err := v.Check(ctx); err != nil || check.Tokens <= tokens {
			t.Errorf("the session has not gone on with what was restored: %v, %+v", err, check)
		}
	})
}

// If the store fails, the conversation stays unchanged and usable.
func TestConversationStoreFails(t *testing.T) {
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		o := ctxfold.ConversationOptions{Messages: sample(t), Policy: policy, Store: fullStore{}, Journal: new(ctxfold.MemoryJournal)}
		v := begin(t, c, o)
		before := v.Messages()
		check, err := v.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.AfterTurn(t.Context()); !errors.Is(err, ctxfold.ErrStore) {
			t.Errorf("error: %v", err)
		}
		after, err := v.Check(t.Context())
		if err != nil || !bytes.Equal(after.Raw, check.Raw) || !bytes.Equal(v.Messages(), before) || len(v.State()) > 0 {
			t.Errorf("the conversation is another one: %v", err)
		}
		if list := events(t, o); len(list) != 2 || list[1].Error == "" {
			t.Errorf("events: %+v", list)
		}
	})
}

// If an instance's memory is at its limit, another instance replaces it, and the conversation continues.
func TestConversationOutgrowsAnInstance(t *testing.T) {
	c := open(t, host.Options{MemoryLimit: 24 << 20})
	ctx := t.Context()
	v := begin(t, c, ctxfold.ConversationOptions{Format: "openai-chat", Policy: ctxfold.Policy{Window: ctxfold.Window{Unlimited: true}}})
	turn := json.RawMessage(`[{"role":"user","content":"` + strings.Repeat("Read the file again. ", 5000) + `"},{"role":"assistant","content":"Done."}]`)
	appended := 0
	var err error
	for ; appended < 1000 && err == nil; appended++ {
		err = v.Append(ctx, turn)
	}
	if !errors.Is(err, ctxfold.ErrMemoryLimit) || v.Len() != 2*(appended-1) {
		t.Fatalf("after %d turns: %v, %d messages", appended, err, v.Len())
	}
	if err := v.SetMessages(ctx, turn); err != nil {
		t.Fatal(err)
	}
	if check, err := v.Check(ctx); err != nil || check.Messages != 2 {
		t.Errorf("%v, %+v", err, check)
	}
}

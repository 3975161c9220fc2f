package host_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/ctxfold/ctxfold/host"
)

// A live conversation that grows message by message, loses its instance on the way and is compacted comes out as the same
// messages do at once, and goes on with the result.
func TestLive(t *testing.T) {
	var messages []json.RawMessage
	if err := json.Unmarshal(sample(t), &messages); err != nil {
		t.Fatal(err)
	}
	engines(t, host.Options{}, func(t *testing.T, c *host.Compactor) {
		ctx := t.Context()
		first, _ := json.Marshal(messages[:3])
		l, err := c.Live(ctx, host.Input{Messages: first, Policy: policy, Format: "anthropic"})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close(ctx)
		for i, m := range messages[3:] {
			if err := l.Append(ctx, json.RawMessage("[ "+string(m)+"\n]")); err != nil {
				t.Fatal(err)
			}
			if i%40 == 7 {
				l.Lose()
			}
		}
		all := l.Messages()
		in := host.Input{Messages: all, Policy: policy, Format: "anthropic"}
		got, err := l.Check(ctx)
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
		var fault *host.Error
		if err := l.Append(ctx, json.RawMessage(`[{"content":"x"}]`)); !errors.As(err, &fault) || fault.Code != "missing_role" {
			t.Errorf("a message with a fault: %v", err)
		}
		result, err := l.Compact(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := c.CompactWith(ctx, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if string(result.Messages) != string(whole.Messages) || string(l.Messages()) != string(whole.Messages) ||
			string(l.State()) != string(whole.State) {
			t.Error("the result is not that of the messages at once")
		}
		l.Lose()
		again, err := l.Compact(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if again.Changed || string(l.Messages()) != string(whole.Messages) {
			t.Errorf("nothing new, and yet %s", again.Reason)
		}
	})
}

func TestLiveFromNothing(t *testing.T) {
	engines(t, host.Options{}, func(t *testing.T, c *host.Compactor) {
		ctx := t.Context()
		l, err := c.Live(ctx, host.Input{Format: "openai-chat"})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close(ctx)
		var fault *host.Error
		if _, err := l.Check(ctx); !errors.As(err, &fault) || fault.Code != "no_messages" {
			t.Errorf("no messages: %v", err)
		}
		if err := l.Append(ctx, json.RawMessage(`[{"role":"user","content":"Hello."}]`)); err != nil {
			t.Fatal(err)
		}
		if got := string(l.Messages()); got != `[{"role":"user","content":"Hello."}]` {
			t.Error(got)
		}
		if _, err := c.Live(ctx, host.Input{Messages: json.RawMessage(`{"messages":[]}`)}); err == nil {
			t.Error("a request body was taken for a list")
		}
	})
}

package ctxfold_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// talking is an app with a Conversation, and said is every message of that conversation.
type talking struct {
	*writer
	c       *ctxfold.Compactor
	v       *ctxfold.Conversation
	store   *ctxfold.MemoryStore
	m       *model
	said    []string
	changed int
}

// open opens a conversation with the given messages and state.
func (l *talking) open(messages, state json.RawMessage) (err error) {
	policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":3000,"reserve":200},"archive":"places"}`, l.format)
	l.v, err = l.c.Conversation(context.Background(), ctxfold.ConversationOptions{Messages: messages, State: state, Policy: ctxfold.RawPolicy(policy),
		Store: l.store, Summarizer: l.m})
	return err
}

// does performs one action of the app's user, and then a turn. It returns a description of what is
// wrong, or "".
func (l *talking) does(kind string, r *rand.Rand) (wrong string) {
	ctx := context.Background()
	list := func() []json.RawMessage {
		var messages []json.RawMessage
		_ = json.Unmarshal(l.v.Messages(), &messages)
		return messages
	}
	// change replaces the newest n messages, unless a compaction has changed them.
	change := func(n int, with ...string) error {
		live := list()
		if n > len(live) || !slices.Equal(texts(live[len(live)-n:]), l.said[len(l.said)-n:]) {
			return nil
		}
		l.said = append(slices.Clone(l.said[:len(l.said)-n]), with...)
		return l.v.SetMessages(ctx, json.RawMessage("["+strings.Join(append(texts(live[:len(live)-n]), with...), ",")+"]"))
	}
	var err error
	switch kind {
	case "edit", "delete": // the newest turn is another one, or gone
		n := len(l.said) - 1
		for n > 0 && !strings.HasPrefix(l.said[n], `{"role":"user","content":"`) {
			n--
		}
		switch {
		case n < 0:
		case kind == "edit":
			err = change(len(l.said)-n, l.user(r))
		default:
			err = change(len(l.said) - n)
		}
	case "reload":
		messages, state := l.v.Messages(), l.v.State()
		_ = l.v.Close(ctx)
		err = l.open(messages, state)
	case "compact":
		var done *ctxfold.Result
		if done, err = l.v.Compact(ctx); err == nil && done.Changed {
			l.changed++
		}
	case "restore":
		var back *api.Restored
		if back, err = l.v.Restore(ctx); err == nil && string(l.v.Messages()) != "["+strings.Join(l.said, ",")+"]" {
			return fmt.Sprintf("what was restored is not what was said: %v", back.Markers)
		}
	}
	if err != nil {
		return err.Error()
	}
	turn := []string{l.user(r)}
	if live := list(); len(live) > 0 && strings.Contains(string(live[len(live)-1]), `"role":"user"`) {
		turn = nil // the question is there
	}
	turn = append(turn, l.rest(r)...)
	l.said = append(l.said, turn...)
	if err := l.v.Append(ctx, json.RawMessage("["+strings.Join(turn, ",")+"]")); err != nil {
		return err.Error()
	}
	calls := l.m.calls.Load()
	done, err := l.v.AfterTurn(ctx)
	if err != nil {
		return err.Error()
	}
	most := int32(0)
	if done.Changed {
		l.changed++
		most = int32(2 + done.Report.Tokens.Before/1000)
		if done.Report.Tokens.After > 2800 && done.Report.Over == nil {
			return fmt.Sprintf("%d tokens are left", done.Report.Tokens.After)
		}
	}
	if n := l.m.calls.Load() - calls; n > most {
		return fmt.Sprintf("%d calls of the model", n)
	}
	if bad := judge.Valid(l.format, l.v.Messages()); len(bad) > 0 {
		return fmt.Sprintf("invalid: %v", bad)
	}
	back, err := l.c.Restore(ctx, ctxfold.Input{Messages: l.v.Messages(), State: l.v.State(), Format: api.Format(l.format)}, l.store)
	if err != nil {
		return err.Error()
	}
	if want := "[" + strings.Join(l.said, ",") + "]"; string(back.Messages) != want {
		return fmt.Sprintf("it does not come back: …%s", differs(back.Messages, []byte(want)))
	}
	return ""
}

// TestRandomConversations simulates random users of live conversations, who edit and delete the
// newest messages, compact and restore by hand, and load the conversation again with its state. No
// message may be lost. SEED and SEEDS are as in TestRandomApps.
func TestRandomConversations(t *testing.T) {
	kinds := []string{"go on", "go on", "go on", "go on", "edit", "delete", "reload", "compact", "restore"}
	from, seeds := drawn()
	changed := 0
	for n := range seeds {
		seed := from + uint64(n)
		r := rand.New(rand.NewPCG(seed, 3))
		l := &talking{writer: &writer{format: []string{"openai-chat", "anthropic"}[seed%2]}, c: native(t, ctxfold.Options{}), store: ctxfold.NewMemoryStore(0), m: &model{}}
		if err := l.open(nil, nil); err != nil {
			t.Fatal(err)
		}
		var did []string
		for range 60 {
			did = append(did, kinds[r.IntN(len(kinds))])
			if wrong := l.does(did[len(did)-1], r); wrong != "" {
				t.Fatalf("SEED=%d, %s: %s\nafter %v", seed, l.format, wrong, did)
			}
		}
		if err := l.v.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		changed += l.changed
	}
	if changed < 3*seeds {
		t.Errorf("%d compactions in %d conversations", changed, seeds)
	}
	t.Logf("%d compactions in %d conversations", changed, seeds)
}

package ctxfold_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// long returns 240 messages in a wire format.
func long(t *testing.T, format string) []json.RawMessage {
	t.Helper()
	for n := 240; ; n += 60 {
		list := gen.New(rand.New(rand.NewPCG(7, 7)), gen.Options{Messages: n}).Render(format, rand.New(rand.NewPCG(1, 1)))
		if len(list) >= 240 {
			return list[:240]
		}
	}
}

func listing(messages []json.RawMessage) json.RawMessage {
	return append(append([]byte{'['}, bytes.Join(asBytes(messages), []byte{','})...), ']')
}

func asBytes(messages []json.RawMessage) [][]byte {
	out := make([][]byte, len(messages))
	for i, m := range messages {
		out[i] = m
	}
	return out
}

func tightPolicy(format string) ctxfold.Policy {
	return ctxfold.RawPolicy(fmt.Sprintf(`{"format":%q,"window":{"tokens":2400,"reserve":200},"thinking":"adaptive","summary":{"mode":"local","max_output_tokens":300}}`, format))
}

// compactsOften appends 240 messages to a conversation, which is compacted 17 times on the way.
func compactsOften(t *testing.T, v *ctxfold.Conversation, list []json.RawMessage) (compactions int) {
	t.Helper()
	for from := 0; from < len(list); from += 14 {
		if err := v.Append(t.Context(), listing(list[from:min(from+14, len(list))])); err != nil {
			t.Fatal(err)
		}
		r, err := v.Compact(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Changed {
			compactions++
		}
	}
	return compactions
}

// TestRestoreFollowsHandles restores a conversation that was compacted 17 times, in each wire format: all messages are back, byte for
// byte, in the session and as a list, with the state and without it, and nothing is left. The conversation can then be compacted and
// restored again.
func TestRestoreFollowsHandles(t *testing.T) {
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		engine := 0
		if strings.HasSuffix(t.Name(), "/native") {
			engine = 1
		}
		for i, format := range gen.Formats() {
			if !trials.Covers(i, engine, 4) { // in make test one format of four runs in each engine; core's own test has all formats
				continue
			}
			list := long(t, format)
			store := ctxfold.NewMemoryStore(0)
			v := begin(t, c, ctxfold.ConversationOptions{Policy: tightPolicy(format), Format: api.Format(format), Store: store})
			if n := compactsOften(t, v, list); n < 15 {
				t.Errorf("%s: %d compactions", format, n)
			}
			in := ctxfold.Input{Messages: v.Messages(), State: v.State(), Policy: ctxfold.RawPolicy(fmt.Sprintf(`{"format":%q}`, format))}
			for name, in := range map[string]ctxfold.Input{"state": in, "no state": {Messages: in.Messages, Policy: in.Policy}, "edits": {Messages: in.Messages, State: in.State, Policy: in.Policy, ReturnEdits: true}} {
				r, err := c.Restore(t.Context(), in, store)
				if err != nil {
					t.Fatal(err)
				}
				var out []json.RawMessage
				if in.ReturnEdits {
					var old []json.RawMessage
					if err = json.Unmarshal(in.Messages, &old); err == nil {
						out, err = ctxfold.ApplyEdits(old, r.Edits, func(m json.RawMessage) (json.RawMessage, error) { return m, nil })
					}
				} else {
					err = json.Unmarshal(r.Messages, &out)
				}
				if err != nil || !bytes.Equal(listing(out), listing(list)) || len(r.Markers) > 0 {
					t.Errorf("%s with %s: %d of %d messages are back, %d handles are left, %v", format, name, len(out), len(list), len(r.Markers), err)
				}
			}
			for range 2 {
				r, err := v.Restore(t.Context())
				if err != nil || !bytes.Equal(v.Messages(), listing(list)) || len(r.Markers) > 0 {
					t.Errorf("%s: %d of %d messages are back in the session, %v", format, v.Len(), len(list), err)
				}
				if r, err := v.Compact(t.Context()); err != nil || !r.Changed {
					t.Errorf("%s: %v", format, err)
				}
			}
		}
	})
}

// liar is a store that returns a wrong body for every handle for which lie returns true.
type liar struct {
	ctxfold.Store
	lie func(handle string) bool
}

func (l liar) Get(ctx context.Context, handle string) ([]byte, error) {
	body, err := l.Store.Get(ctx, handle)
	if err == nil && l.lie(handle) {
		body = []byte(`["` + strings.Repeat(`[Truncated. Handle: `+handle[:16]+`]`, 3) + `"]`)
	}
	return body, err
}

// TestRestoreFromHostileStore restores from stores that lose bodies, return wrong ones, or fail: existing content is restored, missing
// content is named, and the restoration ends.
func TestRestoreFromHostileStore(t *testing.T) {
	c := native(t, ctxfold.Options{})
	list := long(t, "anthropic")
	store := ctxfold.NewMemoryStore(0)
	v := begin(t, c, ctxfold.ConversationOptions{Policy: tightPolicy("anthropic"), Format: "anthropic", Store: store})
	compactsOften(t, v, list)
	in := ctxfold.Input{Messages: v.Messages(), State: v.State()}
	for n := range 16 {
		lies := liar{store, func(handle string) bool { return handle[0] == "0123456789abcdef"[n] }}
		r, err := c.Restore(t.Context(), in, lies)
		if err != nil {
			t.Fatal(err)
		}
		var out []json.RawMessage
		if err := json.Unmarshal(r.Messages, &out); err != nil {
			t.Fatal(err)
		}
		corrupt := 0
		for _, m := range r.Markers {
			if m.Fault == "corrupt" {
				corrupt++
			}
		}
		// A message that two handles lead to is found by the other one if the body of one is wrong.
		if whole := bytes.Equal(listing(out), listing(list)); !whole && corrupt == 0 || corrupt == 0 && len(r.Markers) > 0 {
			t.Errorf("lies about %x…: whole %t, and left are %+v", n, whole, r.Markers)
		}
	}
}

// TestDirStoreRepairs stores bodies whose files are empty, wrong or truncated: the files are rewritten, and Get rejects them before that.
func TestDirStoreRepairs(t *testing.T) {
	s, err := ctxfold.NewDirStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`"what was taken out"`)
	handle := handleOf(string(body))
	path, err := s.Path(handle)
	if err != nil {
		t.Fatal(err)
	}
	for _, there := range []string{"", `"another body"`, string(body[:7]), string(body) + " "} {
		if err := os.WriteFile(path, []byte(there), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, h := range []string{handle, handle[:16]} {
			if got, err := s.Get(t.Context(), h); !errors.Is(err, ctxfold.ErrCorrupt) || got != nil {
				t.Errorf("%q is believed: %q, %v", there, got, err)
			}
		}
		if err := s.Put(t.Context(), handle, body); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(t.Context(), handle); err != nil || !bytes.Equal(got, body) {
			t.Errorf("after Put over %q: %q, %v", there, got, err)
		}
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(path)
	if err := s.Put(t.Context(), handle, body); err != nil {
		t.Errorf("a body that is there already: %v", err)
	}
	if after, _ := os.Stat(path); !os.SameFile(before, after) {
		t.Error("a body that is there was written again")
	}
}

package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/host"
)

// talk is a conversation of n long messages and a short one.
func talk(n int) json.RawMessage {
	var list []map[string]string
	for i := range n {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		list = append(list, map[string]string{"role": role, "content": fmt.Sprint(i, strings.Repeat(" word", 2000))})
	}
	src, err := json.Marshal(append(list, map[string]string{"role": "user", "content": "And now?"}))
	if err != nil {
		panic(err)
	}
	return src
}

func newConversation(c *host.Compactor) *host.Conversation {
	return &host.Conversation{Compactor: c, ID: "c1", Journal: new(host.MemoryJournal),
		Policy: json.RawMessage(`{"format":"openai-chat","window":{"tokens":20000}}`)}
}

func events(t *testing.T, v *host.Conversation) []host.Event {
	t.Helper()
	list, err := v.Journal.Events(t.Context(), v.ID)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAfterTurn(t *testing.T) {
	engines(t, host.Options{}, func(t *testing.T, c *host.Compactor) {
		v := newConversation(c)
		short, long := talk(2), talk(12)
		r, err := v.AfterTurn(t.Context(), short)
		if err != nil || r.Changed || len(events(t, v)) != 0 {
			t.Fatalf("not due: %v, %+v", err, events(t, v))
		}
		v.BeforeCompact = func(_ context.Context, e host.Event) bool { return e.MessagesBefore != 13 }
		if r, err = v.AfterTurn(t.Context(), long); err != nil || r.Changed || r.Reason != host.ReasonSkipped || len(events(t, v)) != 0 {
			t.Fatalf("skipped: %v, %+v", err, r)
		}
		v.BeforeCompact = nil
		var told host.Event
		v.AfterCompact = func(_ context.Context, e host.Event, r *host.Result) {
			if told = e; !r.Changed {
				t.Error("the result is another one")
			}
		}
		if r, err = v.AfterTurn(t.Context(), long); err != nil || !r.Changed || !bytes.Equal(v.State, r.State) {
			t.Fatal(err, r)
		}
		list := events(t, v)
		if len(list) != 2 || list[0].Type != host.EventStart || !list[0].Auto() || list[0].TokensBefore == 0 || !reflect.DeepEqual(list[1], told) {
			t.Fatalf("events: %+v", list)
		}
		end := list[1]
		gone := 0
		for _, r := range end.Removed {
			gone += r[1] - r[0]
		}
		if end.Type != host.EventEnd || end.MessagesBefore != 13 || gone == 0 || end.MessagesAfter != 13-gone+1 || end.TokensAfter >= end.TokensBefore {
			t.Errorf("end: %+v", end)
		}
	})
}

func TestFailedCompactionIsAnEvent(t *testing.T) {
	c := open(t, host.Options{Engine: host.EngineNative})
	v := newConversation(c)
	v.Policy = json.RawMessage(`{"window":{"tokens":20000},"wire_safe":false,"preset":"agent-loop","format":"native"}`)
	v.Summarizer = host.SummarizerFunc(func(context.Context, host.Request) (host.Summary, error) { return host.Summary{}, errors.New("boom") })
	if _, err := v.Compact(t.Context(), talk(12)); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("error: %v", err)
	}
	if list := events(t, v); len(list) != 2 || !strings.Contains(list[1].Error, "boom") || list[1].MessagesAfter != 13 || list[1].Auto() {
		t.Errorf("events: %+v", list)
	}
}

// apiError is an error of a client of a provider.
type apiError struct{ f host.Failure }

func (e apiError) Error() string         { return "the provider refuses" }
func (e apiError) Failure() host.Failure { return e.f }

func TestCallRetriesOnce(t *testing.T) {
	overflow := apiError{host.Failure{Status: 400, Body: `{"error":{"message":"prompt is too long: 24011 tokens > 16000 maximum"}}`}}
	for _, s := range []struct {
		name    string
		answers []any // an error or a Failure, for each call
		calls   int
		want    error // of the outcome
		folded  bool
	}{
		{"fits", []any{nil}, 1, nil, false},
		{"overflow, then fits", []any{overflow, nil}, 2, nil, true},
		{"overflow twice", []any{overflow, overflow, nil}, 2, host.ErrStillOverflow, true},
		{"plain text", []any{errors.New("400 This model's maximum context length is 16000 tokens"), nil}, 2, nil, true},
		{"silent", []any{host.Failure{Usage: host.CallUsage{Input: 21000}, Window: 20000}, nil}, 2, nil, true},
		{"rate limit", []any{apiError{host.Failure{Status: 429, Body: "too many tokens"}}, nil}, 1, errAny, false},
		{"another model", []any{apiError{host.Failure{Status: 400, Body: "prompt is too long", Model: "a", CurrentModel: "b"}}, nil}, 1, errAny, false},
	} {
		t.Run(s.name, func(t *testing.T) {
			engines(t, host.Options{}, func(t *testing.T, c *host.Compactor) {
				v := newConversation(c)
				messages := talk(8) // not due
				calls := 0
				o, err := v.Call(t.Context(), messages, func(_ context.Context, sent json.RawMessage) (host.Failure, error) {
					calls++
					if (calls == 1) != bytes.Equal(sent, messages) {
						t.Errorf("call %d was given other messages", calls)
					}
					switch a := s.answers[calls-1].(type) {
					case error:
						return host.Failure{}, a
					case host.Failure:
						return a, nil
					}
					return host.Failure{Status: 200}, nil
				})
				if calls != s.calls || (o.Compacted != nil) != s.folded || bytes.Equal(o.Messages, messages) == s.folded {
					t.Errorf("%d calls, compacted %v", calls, o.Compacted)
				}
				switch {
				case s.want == nil && err != nil, s.want == errAny && err == nil, s.want == host.ErrStillOverflow && !errors.Is(err, s.want):
					t.Errorf("error: %v", err)
				}
				if list := events(t, v); s.folded && (len(list) != 2 || list[1].Trigger != host.TriggerRecovery) || !s.folded && len(list) > 0 {
					t.Errorf("events: %+v", list)
				}
			})
		})
	}
}

var errAny = errors.New("any error")

func TestFileJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	j := host.NewFileJournal(path)
	if list, err := j.Events(t.Context(), "a"); err != nil || len(list) != 0 {
		t.Fatal(err, list)
	}
	want := host.Event{Type: host.EventEnd, Conversation: "a", Trigger: host.TriggerAuto, Removed: [][2]int{{1, 4}}}
	for _, e := range []host.Event{want, {Conversation: "b"}, {Type: host.EventStart, Conversation: "a"}} {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"type":"unfini`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	list, err := j.Events(t.Context(), "a")
	if err != nil || len(list) != 2 || !reflect.DeepEqual(list[0], want) {
		t.Errorf("%v, %+v", err, list)
	}
}

// brokenStore keeps nothing.
type brokenStore struct{ host.Store }

func (brokenStore) Put(context.Context, string, []byte) error { return errors.New("no room") }

func TestLimitOutput(t *testing.T) {
	engines(t, host.Options{}, func(t *testing.T, c *host.Compactor) {
		dir, err := host.NewDirStore(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat("line of output\n", 20000)
		out, err := c.LimitOutput(t.Context(), text, host.OutputLimits{}, dir)
		if err != nil || !out.Spilled || !strings.Contains(out.Text, "SHA256: "+out.Handle) {
			t.Fatalf("%v, %+v", err, out)
		}
		path, err := dir.Path(out.Handle)
		if err != nil || !strings.Contains(out.Text, "Saved to: "+path) {
			t.Errorf("%v, %q", err, out.Text)
		}
		if kept, err := dir.Get(t.Context(), out.Handle); err != nil || string(kept) != text {
			t.Errorf("%v: %d bytes were kept", err, len(kept))
		}
		for _, store := range []host.Store{nil, brokenStore{}} {
			out, err := c.LimitOutput(t.Context(), text, host.OutputLimits{}, store)
			if err != nil || out.Spilled || !out.Changed || out.Handle != "" || strings.Contains(out.Text, "no room") != (store != nil) || len(out.Text) > 60000 {
				t.Errorf("%v, %.100q", err, out.Text)
			}
		}
		if out, err := c.LimitOutput(t.Context(), "short", host.OutputLimits{}, dir); err != nil || out.Changed || out.Text != "short" {
			t.Errorf("%v, %+v", err, out)
		}
		if out, err := c.LimitOutput(t.Context(), text, host.OutputLimits{Lines: -1, Bytes: -1, Chars: -1, SpillChars: -1}, dir); err != nil || out.Changed {
			t.Errorf("%v: an output without limits was changed", err)
		}
	})
}

package ctxfold_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// talk returns n long messages and a short one.
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

func chat(messages json.RawMessage) ctxfold.ConversationOptions {
	return ctxfold.ConversationOptions{ID: "c1", Journal: new(ctxfold.MemoryJournal), Messages: messages,
		Policy: ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":20000}}`)}
}

func begin(t *testing.T, c *ctxfold.Compactor, o ctxfold.ConversationOptions) *ctxfold.Conversation {
	t.Helper()
	v, err := c.Conversation(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close(context.Background()) })
	return v
}

func events(t *testing.T, o ctxfold.ConversationOptions) []ctxfold.Event {
	t.Helper()
	list, err := o.Journal.Events(t.Context(), o.ID)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAfterTurn(t *testing.T) {
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		o := chat(talk(2))
		skip := true
		o.BeforeCompact = func(context.Context, ctxfold.Event) ctxfold.CompactDecision {
			return ctxfold.CompactDecision{Cancel: skip}
		}
		var told ctxfold.Event
		o.AfterCompact = func(_ context.Context, e ctxfold.Event, r *ctxfold.Result) {
			if told = e; !r.Changed {
				t.Error("the result is another one")
			}
		}
		v := begin(t, c, o)
		r, err := v.AfterTurn(t.Context())
		if err != nil || r.Changed || len(events(t, o)) != 0 {
			t.Fatalf("not due: %v, %+v", err, events(t, o))
		}
		if err := v.Append(t.Context(), talk(9)); err != nil || v.Len() != 13 {
			t.Fatalf("%v, %d messages", err, v.Len())
		}
		all := v.Messages()
		if r, err = v.AfterTurn(t.Context()); err != nil || r.Changed || r.Reason != ctxfold.ReasonSkipped || len(events(t, o)) != 0 {
			t.Fatalf("skipped: %v, %+v", err, r)
		}
		skip = false
		if r, err = v.AfterTurn(t.Context()); err != nil || !r.Changed || !bytes.Equal(v.State(), r.State) || !bytes.Equal(v.Messages(), r.Messages) {
			t.Fatal(err, r)
		}
		list := events(t, o)
		if len(list) != 2 || list[0].Type != ctxfold.EventStart || !list[0].Auto() || list[0].TokensBefore == 0 || !reflect.DeepEqual(list[1], told) {
			t.Fatalf("events: %+v", list)
		}
		end := list[1]
		gone := 0
		for _, r := range end.Removed {
			gone += r[1] - r[0]
		}
		if end.Type != ctxfold.EventEnd || end.MessagesBefore != 13 || gone == 0 || end.MessagesAfter != 13-gone+1 || end.TokensAfter >= end.TokensBefore {
			t.Errorf("end: %+v", end)
		}
		if own := edited(t, all, r.Edits); !bytes.Equal(own, r.Messages) {
			t.Errorf("the edits make other messages: %.300s, want %.300s", own, r.Messages)
		}
	})
}

// edited returns a list of messages after edits.
func edited(t *testing.T, messages, edits json.RawMessage) json.RawMessage {
	t.Helper()
	var list []json.RawMessage
	if err := json.Unmarshal(messages, &list); err != nil {
		t.Fatal(err)
	}
	list, err := ctxfold.ApplyEdits(list, edits, func(m json.RawMessage) (json.RawMessage, error) { return m, nil })
	if err != nil {
		t.Fatal(err)
	}
	return append(append([]byte("["), bytes.Join(raws(list), []byte(","))...), ']')
}

func raws(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}

func TestFailedCompactionIsAnEvent(t *testing.T) {
	c := native(t, ctxfold.Options{})
	o := chat(talk(12))
	o.Policy = ctxfold.RawPolicy(`{"window":{"tokens":20000},"wire_safe":false,"preset":"agent-loop","format":"native"}`)
	o.Summarizer = ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
		return ctxfold.Summary{}, errors.New("boom")
	})
	v := begin(t, c, o)
	if _, err := v.Compact(t.Context()); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("error: %v", err)
	}
	if list := events(t, o); len(list) != 2 || !strings.Contains(list[1].Error, "boom") || list[1].MessagesAfter != 13 || list[1].Auto() {
		t.Errorf("events: %+v", list)
	}
}

func TestBeforeCompact(t *testing.T) {
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		for _, compact := range []func(v *ctxfold.Conversation) (*ctxfold.Result, error){
			func(v *ctxfold.Conversation) (*ctxfold.Result, error) { return v.AfterTurn(t.Context()) },
			func(v *ctxfold.Conversation) (*ctxfold.Result, error) { return v.Compact(t.Context()) },
		} {
			o := chat(talk(12))
			o.Summarizer = ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
				t.Error("the summarizer was asked")
				return ctxfold.Summary{}, nil
			})
			o.BeforeCompact = func(context.Context, ctxfold.Event) ctxfold.CompactDecision {
				return ctxfold.CompactDecision{Cancel: true, Reason: "not while a tool runs"}
			}
			v := begin(t, c, o)
			if r, err := compact(v); err != nil || r.Changed || r.Reason != "not while a tool runs" {
				t.Errorf("cancelled: %v, %+v", err, r)
			}
			o.BeforeCompact = func(_ context.Context, start ctxfold.Event) ctxfold.CompactDecision {
				return ctxfold.CompactDecision{Summary: fmt.Sprintf("What the caller knows \"of\" %d messages.", start.MessagesBefore)}
			}
			v = begin(t, c, o)
			r, err := compact(v)
			if err != nil || !r.Changed || r.Report.Summary.Source != "host" {
				t.Fatalf("%v, %+v", err, r)
			}
			if !bytes.Contains(r.Messages, []byte(`What the caller knows \"of\" 13 messages.`)) {
				t.Errorf("the summary is not in %.300s", r.Messages)
			}
		}
	})
}

// apiError is an error of a client of a provider.
type apiError struct{ f api.Failure }

func (e apiError) Error() string        { return "the provider refuses" }
func (e apiError) Failure() api.Failure { return e.f }

func TestCallRetriesOnce(t *testing.T) {
	overflow := apiError{api.Failure{Status: 400, Body: `{"error":{"message":"prompt is too long: 24011 tokens > 16000 maximum"}}`}}
	for _, s := range []struct {
		name    string
		answers []any // an error or a Failure, for each call
		calls   int
		want    error // of the outcome
		folded  bool
	}{
		{"fits", []any{nil}, 1, nil, false},
		{"overflow, then fits", []any{overflow, nil}, 2, nil, true},
		{"overflow twice", []any{overflow, overflow, nil}, 2, ctxfold.ErrStillOverflow, true},
		{"plain text", []any{errors.New("400 This model's maximum context length is 16000 tokens"), nil}, 2, nil, true},
		{"silent", []any{api.Failure{Usage: api.FailureUsage{Input: 21000}, Window: 20000}, nil}, 2, nil, true},
		{"rate limit", []any{apiError{api.Failure{Status: 429, Body: "too many tokens"}}, nil}, 1, errAny, false},
		{"another model", []any{apiError{api.Failure{Status: 400, Body: "prompt is too long", Model: "a", CurrentModel: "b"}}, nil}, 1, errAny, false},
	} {
		t.Run(s.name, func(t *testing.T) {
			engines(t, func(t *testing.T, c *ctxfold.Compactor) {
				messages := talk(8) // not due
				options := chat(messages)
				calls := 0
				o, err := begin(t, c, options).Call(t.Context(), func(_ context.Context, sent json.RawMessage) (api.Failure, error) {
					calls++
					if (calls == 1) != bytes.Equal(sent, messages) {
						t.Errorf("call %d was given other messages", calls)
					}
					switch a := s.answers[calls-1].(type) {
					case error:
						return api.Failure{}, a
					case api.Failure:
						return a, nil
					}
					return api.Failure{Status: 200}, nil
				})
				if calls != s.calls || (o.Compacted != nil) != s.folded || bytes.Equal(o.Messages, messages) == s.folded {
					t.Errorf("%d calls, compacted %v", calls, o.Compacted)
				}
				switch {
				case s.want == nil && err != nil, s.want == errAny && err == nil, s.want == ctxfold.ErrStillOverflow && !errors.Is(err, s.want):
					t.Errorf("error: %v", err)
				}
				if list := events(t, options); s.folded && (len(list) != 2 || list[1].Trigger != ctxfold.TriggerRecovery) || !s.folded && len(list) > 0 {
					t.Errorf("events: %+v", list)
				}
			})
		})
	}
}

var errAny = errors.New("any error")

// A provider may reject the result of a compaction, without any number that would explain why.
func TestCallBehindACompaction(t *testing.T) {
	for name, refusal := range map[string]string{
		"no number": "context_length_exceeded", "the window that is known": "prompt is too long: 20001 tokens > 20000 maximum",
	} {
		t.Run(name, func(t *testing.T) {
			engines(t, func(t *testing.T, c *ctxfold.Compactor) {
				v := begin(t, c, chat(talk(12)))
				made, err := v.Compact(t.Context())
				if err != nil || !made.Changed {
					t.Fatal(made, err)
				}
				var sizes []int
				o, err := v.Call(t.Context(), func(_ context.Context, sent json.RawMessage) (api.Failure, error) {
					if sizes = append(sizes, len(sent)); len(sizes) == 1 {
						return api.Failure{Status: 400, Body: refusal}, errAny
					}
					return api.Failure{Status: 200}, nil
				})
				if err != nil || o.Compacted == nil || len(sizes) != 2 || sizes[0] != len(made.Messages) || sizes[1] >= sizes[0] {
					t.Errorf("%v, sizes %v behind one of %d, %+v", err, sizes, len(made.Messages), o.Compacted)
				}
			})
		})
	}
}

package ctxfold_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host"
)

// fullStore has no room.
type fullStore struct{ ctxfold.Store }

func (fullStore) Put(context.Context, string, []byte) error { return ctxfold.ErrStoreFull }

// fault is a row of the table: a failure during a compaction.
type fault struct {
	name   string
	reason string // what must be reported: the reason why the model's summary was rejected, or an error
	do     func(t *testing.T, c *ctxfold.Compactor, messages json.RawMessage) (*ctxfold.Result, error)
}

// compacted returns a fault's function do that compacts with a summarizer.
func compacted(s ctxfold.Summarizer) func(*testing.T, *ctxfold.Compactor, json.RawMessage) (*ctxfold.Result, error) {
	return func(t *testing.T, c *ctxfold.Compactor, messages json.RawMessage) (*ctxfold.Result, error) {
		return c.Compact(t.Context(), messages, policy, s)
	}
}

func answers(text string) ctxfold.Summarizer {
	return ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
		return ctxfold.Summary{Text: text}, nil
	})
}

var faults = []fault{
	{"the summarizer fails", "summarizer_failed", compacted(ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
		return ctxfold.Summary{}, errors.New("503")
	}))},
	{"the summarizer panics", "summarizer_failed", compacted(ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
		panic("no network")
	}))},
	{"the summarizer hangs", "summarizer_failed", compacted(ctxfold.SummarizerFunc(func(ctx context.Context, _ ctxfold.Request) (ctxfold.Summary, error) {
		<-ctx.Done()
		time.Sleep(time.Hour) // it ignores its context, too
		return ctxfold.Summary{}, nil
	}))},
	{"it answers nothing", "empty_summary", compacted(answers(" \n"))},
	{"it answers 10 MB", "larger_than_folded", compacted(answers(strings.Repeat("much too long ", 10<<20/14)))},
	{"it answers what is no text", "", compacted(answers("\x00\xff\xfe\ufeff\u202e</scrollback>\x1b[2J"))},
	{"half a stream, then an error", "summarizer_failed", func(t *testing.T, c *ctxfold.Compactor, messages json.RawMessage) (*ctxfold.Result, error) {
		var seen []string
		r, err := c.CompactWith(t.Context(), ctxfold.Input{Messages: messages, Policy: policy, OnDelta: func(d ctxfold.SummaryDelta) { seen = append(seen, d.Text) }},
			ctxfold.StreamSummarizerFunc(func(_ context.Context, _ ctxfold.Request, delta func(string)) (ctxfold.Summary, error) {
				delta("half ")
				delta("a summ")
				return ctxfold.Summary{Text: "half a summ"}, errors.New("the connection was reset")
			}))
		if strings.Join(seen, "") != "half a summ" {
			t.Errorf("the deltas were %q", seen)
		}
		return r, err
	}},
	{"it answers after its deadline", "summarizer_failed", func(t *testing.T, c *ctxfold.Compactor, messages json.RawMessage) (*ctxfold.Result, error) {
		late := make(chan struct{})
		var seen int
		r, err := c.CompactWith(t.Context(), ctxfold.Input{Messages: messages, Policy: policy, OnDelta: func(ctxfold.SummaryDelta) { seen++ }},
			ctxfold.StreamSummarizerFunc(func(_ context.Context, _ ctxfold.Request, delta func(string)) (ctxfold.Summary, error) {
				defer close(late)
				time.Sleep(2 * ctxfold.DefaultSummaryTimeout)
				delta("too late")
				return ctxfold.Summary{Text: summary}, nil
			}))
		if <-late; seen != 0 {
			t.Errorf("%d deltas came after the deadline", seen)
		}
		return r, err
	}},
	{"the caller cancels", "context canceled", func(t *testing.T, c *ctxfold.Compactor, messages json.RawMessage) (*ctxfold.Result, error) {
		ctx, cancel := context.WithCancel(t.Context())
		return c.Compact(ctx, messages, policy, ctxfold.SummarizerFunc(func(ctx context.Context, _ ctxfold.Request) (ctxfold.Summary, error) {
			cancel()
			<-ctx.Done()
			return ctxfold.Summary{}, ctx.Err()
		}))
	}},
	{"the caller's deadline passes", "context deadline exceeded", func(t *testing.T, c *ctxfold.Compactor, messages json.RawMessage) (*ctxfold.Result, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return c.Compact(ctx, messages, policy, ctxfold.SummarizerFunc(func(ctx context.Context, _ ctxfold.Request) (ctxfold.Summary, error) {
			<-ctx.Done()
			return ctxfold.Summary{}, ctx.Err()
		}))
	}},
	{"the store is full", "the store failed, and nothing was changed", func(t *testing.T, c *ctxfold.Compactor, messages json.RawMessage) (*ctxfold.Result, error) {
		return c.CompactWith(t.Context(), ctxfold.Input{Messages: messages, Policy: policy, Store: fullStore{}}, answers(summary))
	}},
	{"the store panics", "the store failed, and nothing was changed", func(t *testing.T, c *ctxfold.Compactor, messages json.RawMessage) (*ctxfold.Result, error) {
		return c.CompactWith(t.Context(), ctxfold.Input{Messages: messages, Policy: policy, Store: struct{ ctxfold.Store }{}}, answers(summary))
	}},
}

// faultTable collects the rows that the tests below print.
type faultTable struct {
	rows bytes.Buffer
	w    *tabwriter.Writer
}

func newFaultTable() *faultTable {
	f := &faultTable{}
	f.w = tabwriter.NewWriter(&f.rows, 0, 0, 2, ' ', 0)
	fmt.Fprintln(f.w, "fault\tmessages lost\tusable after\treported")
	return f
}

func (f *faultTable) row(name string, lost int, usable bool, reason string) {
	fmt.Fprintf(f.w, "%s\t%d\t%t\t%s\n", name, lost, usable, reason)
}

func (f *faultTable) print(t *testing.T) {
	f.w.Flush()
	t.Logf("\n%s", &f.rows)
}

// lost counts the messages that are neither in the result nor reported as folded or cleared. It
// returns -1 if the caller's own bytes were changed, and 0 without a result.
func lost(t *testing.T, before, messages json.RawMessage, r *ctxfold.Result) (n int) {
	t.Helper()
	if !bytes.Equal(before, messages) {
		return -1 // the caller's own bytes were changed
	}
	if r == nil {
		return 0
	}
	var in, out []json.RawMessage
	body := func(text json.RawMessage, list *[]json.RawMessage) {
		var b struct{ Messages []json.RawMessage }
		if json.Unmarshal(text, list) != nil {
			if err := json.Unmarshal(text, &b); err != nil {
				t.Fatal(err)
			}
			*list = b.Messages
		}
	}
	body(messages, &in)
	body(r.Messages, &out)
	folded := map[int]bool{}
	for _, a := range r.Report.Actions {
		folded[a.Message] = true // folded into a digest that is there, or cleared
	}
	kept := map[string]int{}
	for _, m := range out {
		kept[string(m)]++
	}
	for i, m := range in {
		if folded[i] {
			continue
		}
		if kept[string(m)]--; kept[string(m)] < 0 {
			n++
		}
	}
	return n
}

// usable reports whether a compactor still works.
func usable(c *ctxfold.Compactor, messages json.RawMessage) bool {
	r, err := c.Compact(context.Background(), messages, policy, nil)
	return err == nil && r.Changed
}

// Whatever fails, no message is lost, the compactor continues to work, and the reason is reported.
func TestFaults(t *testing.T) {
	messages := sample(t)
	before := bytes.Clone(messages)
	table := newFaultTable()
	defer table.print(t)
	c := native(t, ctxfold.Options{})
	for _, f := range faults {
		synctest.Test(t, func(t *testing.T) {
			r, err := f.do(t, c, messages)
			reason := ""
			switch {
			case err != nil:
				if reason = err.Error(); !strings.Contains(reason, f.reason) || r != nil {
					t.Errorf("%s: %v", f.name, err)
				}
			default:
				if reason = string(r.Report.Summary.Fault); reason != f.reason && f.reason != "" || !r.Changed {
					t.Errorf("%s: %s, %+v", f.name, r.Reason, r.Report.Summary)
				}
				if reason == "" {
					reason = "taken, fenced"
				}
				if v, err := c.Validate(context.Background(), ctxfold.Input{Messages: r.Messages}); err != nil || !v.Valid {
					t.Errorf("%s: the result is not valid: %v", f.name, err)
				}
			}
			n, ok := lost(t, before, messages, r), usable(c, messages)
			if n != 0 || !ok {
				t.Errorf("%s: %d messages lost, usable after: %t", f.name, n, ok)
			}
			table.row(f.name, n, ok, reason)
			time.Sleep(24 * time.Hour) // the hanging calls end before their bubble
		})
	}
}

// A module that traps costs an instance and nothing else.
func TestFaultOfTheModule(t *testing.T) {
	messages := sample(t)
	before := bytes.Clone(messages)
	table := newFaultTable()
	defer table.print(t)
	c := open(t, host.Options{MemoryLimit: 24 << 20})
	huge := json.RawMessage(`[{"role":"user","content":"` + strings.Repeat("x", 24<<20) + `"}]`)
	r, err := c.Compact(t.Context(), huge, ctxfold.RawPolicy(`{"format":"anthropic","window":{"tokens":1000}}`), nil)
	if err == nil || r != nil {
		t.Fatalf("a transcript as large as the memory: %v", err)
	}
	n, ok := lost(t, before, messages, nil), usable(c, messages)
	if n != 0 || !ok {
		t.Errorf("%d messages lost, usable after: %t", n, ok)
	}
	reason, _, _ := strings.Cut(err.Error(), "\n")
	table.row("the module runs out of memory and traps", n, ok, reason)
}

// Ten consecutive compactions, with new turns in between, keep the first task and the newest messages.
func TestTenCompactions(t *testing.T) {
	table := newFaultTable()
	defer table.print(t)
	c := native(t, ctxfold.Options{})
	for name, s := range map[string]ctxfold.Summarizer{"with a model": answers(summary), "without a model": nil} {
		store := ctxfold.NewMemoryStore(0)
		var list []json.RawMessage
		var state json.RawMessage
		p := ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":4000,"reserve":400}}`)
		gone, compactions, n := 0, 0, 0
		for ; compactions < 10 && n < 2000; n++ {
			turn := []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"role":"user","content":"Request %d: %s"}`, n, strings.Repeat("please ", 40))),
				json.RawMessage(fmt.Sprintf(`{"role":"assistant","content":"Done %d. %s"}`, n, strings.Repeat("It went well. ", 40)))}
			list = append(list, turn...)
			in, _ := json.Marshal(list)
			r, err := c.CompactWith(t.Context(), ctxfold.Input{Messages: in, Policy: p, State: state, Store: store}, s)
			if err != nil {
				t.Fatal(err)
			}
			if state = r.State; r.Changed {
				compactions++
				gone += lost(t, in, in, r)
				if err := json.Unmarshal(r.Messages, &list); err != nil {
					t.Fatal(err)
				}
				if !bytes.Contains(r.Messages, turn[0]) || !bytes.Contains(r.Messages, turn[1]) {
					t.Errorf("%s: the newest turn is gone", name)
				}
			}
		}
		// Restoring all folds one after the other returns every message of the conversation.
		all, _ := json.Marshal(list)
		for range 12 {
			r, err := c.Restore(t.Context(), ctxfold.Input{Messages: all, Policy: p}, store)
			if err != nil {
				t.Fatal(err)
			}
			if all = r.Messages; len(r.Markers) == 0 && !r.Report.Changed {
				break
			}
		}
		for i := range n {
			if !bytes.Contains(all, fmt.Appendf(nil, `"Request %d: `, i)) || !bytes.Contains(all, fmt.Appendf(nil, `"Done %d. `, i)) {
				gone++
			}
		}
		if gone != 0 || compactions != 10 {
			t.Errorf("%s: %d messages lost in %d compactions", name, gone, compactions)
		}
		table.row("ten compactions in a row, "+name, gone, true, fmt.Sprintf("%d turns, every one restored from the store", n))
	}
}

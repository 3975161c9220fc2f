package ctxfold_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
	"github.com/ctxfold/ctxfold/records"
)

// backgroundPolicy has a window for about 35 turns, ten of them between gate.start and the limit.
const backgroundPolicy = `{"format":"openai-chat","window":{"tokens":30000},"gate":{"start":0.7,"target":0.5},"passes":[{"pass":"fold","keep_tokens":8000}]}`

const (
	turnTime = 5 * time.Second
	slowTime = 20 * time.Second
)

// backgroundTurns returns the number of turns in a loop.
func backgroundTurns() int { return trials.Count(80, 80, 200) }

// slow is a model that takes its time to summarize.
type slow struct {
	calls, running, most, cancelled atomic.Int32
	fails                           func(call int32) bool
}

func (m *slow) Summarize(ctx context.Context, _ ctxfold.Request) (ctxfold.Summary, error) {
	call := m.calls.Add(1)
	n := m.running.Add(1)
	defer m.running.Add(-1)
	m.most.Store(max(m.most.Load(), n))
	select {
	case <-time.After(slowTime):
	case <-ctx.Done():
		m.cancelled.Add(1)
		return ctxfold.Summary{}, ctx.Err()
	}
	if m.fails != nil && m.fails(call) {
		return ctxfold.Summary{}, errors.New("the model is away")
	}
	return ctxfold.Summary{Text: "## Goal\nEvery file is to be read and counted, as the user has asked for.\n\n## Progress\nWritten by the model: the files up to here were read.", FinishReason: "stop"}, nil
}

// trouble describes events in a loop besides turns.
type trouble struct {
	model func(call int32) bool // whether a call of the model fails; nil means that none does
	edits int                   // the user goes back three turns in one of this many; 0: never
	abort int                   // one of this many calls is cancelled and made again; 0: none
	ends  int                   // the process ends after this many turns; 0: never
	waits bool                  // turns may wait at the limit, for example in a new process
	least int                   // the least number of compactions in 200 turns
}

// compactions returns the least number of compactions in a loop of backgroundTurns turns.
func (x trouble) compactions() int { return x.least * backgroundTurns() / 200 }

var troubles = map[string]trouble{
	"nothing":                         {least: 8},
	"every second summary fails":      {model: func(call int32) bool { return call%2 == 0 }, least: 8},
	"no summary for 60 turns":         {model: func(call int32) bool { return call > 3 && call < 12 }, waits: true, least: 5},
	"the user edits":                  {edits: 6, least: 5},
	"calls are aborted":               {abort: 3, least: 8},
	"the process ends":                {ends: 7, least: 6, waits: true},
	"the process ends, and all fails": {ends: 9, waits: true, model: func(int32) bool { return true }, least: 2},
}

// loop is an app over all turns, with its messages and the number of times that the user went back.
type loop struct {
	list  []string
	edits int
}

// turn adds the user's message of a turn, after going back three turns if x requires that.
func (l *loop) turn(i int, x trouble) (edited bool) {
	if x.edits > 0 && i%x.edits == x.edits-1 && len(l.list) > 16 {
		l.list = l.list[:len(l.list)-12]
		l.edits++
		edited = true
	}
	l.list = append(l.list, fmt.Sprintf(`{"role":"user","content":"Turn %d of edit %d, please."}`, i, l.edits))
	return edited
}

func (l *loop) answer(i int) { l.list = append(l.list, chatTurn(i+1000*l.edits, 0, false)[1:]...) }

func (l *loop) json() json.RawMessage { return json.RawMessage("[" + strings.Join(l.list, ",") + "]") }

// whole checks that Restore returns the history from the sent messages, the state and the store.
func whole(t *testing.T, c *ctxfold.Compactor, sent, state, history json.RawMessage, store ctxfold.Store) {
	t.Helper()
	r, err := c.Restore(context.Background(), ctxfold.Input{Messages: sent, State: state, Policy: ctxfold.RawPolicy(`{"format":"openai-chat"}`)}, store)
	if err != nil {
		t.Fatal(err)
	}
	if string(r.Messages) != string(history) {
		t.Errorf("restored: %.300s, want %.300s", r.Messages, history)
	}
}

// fits checks the sent messages: they are valid, not too large, and end with the newest messages of the history byte for byte.
func (l *loop) fits(t *testing.T, turn int, sent json.RawMessage, tokens int) {
	t.Helper()
	if bad := judge.Valid("openai-chat", sent); len(bad) > 0 {
		t.Fatalf("turn %d: what is sent is not valid: %v", turn, bad)
	}
	tail := strings.Join(l.list[max(0, len(l.list)-13):], ",")
	if !strings.HasSuffix(string(sent), tail+"]") {
		t.Fatalf("turn %d: the newest messages are not as they were", turn)
	}
	if tokens > 30000 {
		t.Fatalf("turn %d: %d tokens are sent", turn, tokens)
	}
}

// No turn of a history waits for a summary, whatever happens, and nothing is lost.
func TestFitInBackground(t *testing.T) {
	for name, x := range troubles {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				records, store := records.NewMemory(0), ctxfold.NewMemoryStore(0)
				c := ctxfold.New(ctxfold.Options{Records: records})
				m := &slow{fails: x.model}
				l, compactions, before, waited := &loop{}, 0, "", 0
				var last *ctxfold.Result
				for i := range backgroundTurns() {
					l.turn(i, x)
					if x.ends > 0 && i%x.ends == x.ends-1 {
						if err := c.Close(t.Context()); err != nil {
							t.Fatal(err)
						}
						synctest.Wait()
						c = ctxfold.New(ctxfold.Options{Records: records})
					}
					in := ctxfold.Input{Messages: l.json(), Policy: ctxfold.RawPolicy(backgroundPolicy), Store: store}
					if x.abort > 0 && i%x.abort == 0 {
						ctx, cancel := context.WithCancel(t.Context())
						cancel()
						if _, err := c.Fit(ctx, in, m); !errors.Is(err, context.Canceled) {
							t.Fatalf("aborted: %v", err)
						}
					}
					start := time.Now()
					ctx, over := context.WithCancel(t.Context())
					r, err := c.Fit(ctx, in, m)
					over()
					if err != nil {
						t.Fatal(err)
					}
					clear(in.Messages) // the app may reuse its bytes
					if took := time.Since(start); took > 0 {
						if waited++; !x.waits {
							t.Errorf("turn %d waits %v", i, took)
						}
					}
					l.fits(t, i, r.Messages, r.Report.Tokens.After)
					if front := string(r.Messages[:min(len(r.Messages), 2000)]); len(front) == 2000 && front != before {
						compactions++
						before = front
					}
					last = r
					time.Sleep(turnTime)
					l.answer(i)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if m.most.Load() > 1 {
					t.Errorf("%d summaries at once", m.most.Load())
				}
				if compactions < x.compactions() {
					t.Errorf("%d compactions, want at least %d", compactions, x.compactions())
				}
				if n := m.cancelled.Load(); x.edits > 0 && n > 0 { // edits change later messages
					t.Errorf("%d compactions were cancelled", n)
				}
				whole(t, c, last.Messages, last.State, json.RawMessage("["+strings.Join(l.list[:len(l.list)-3], ",")+"]"), store)
				t.Logf("%d compactions, %d summaries, %d cancelled, %d turns waited", compactions, m.calls.Load(), m.cancelled.Load(), waited)
			})
		})
	}
}

// No turn of a conversation waits for a summary, and nothing is lost.
func TestConversationInBackground(t *testing.T) {
	for name, x := range troubles {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, journal := ctxfold.NewMemoryStore(0), new(ctxfold.MemoryJournal)
				m := &slow{fails: x.model}
				c := ctxfold.New(ctxfold.Options{})
				o := ctxfold.ConversationOptions{ID: "c", Policy: ctxfold.RawPolicy(backgroundPolicy), Summarizer: m, Store: store, Journal: journal}
				v := begin(t, c, o)
				l, waited := &loop{}, 0
				for i := range backgroundTurns() {
					edited := l.turn(i, x)
					switch {
					case x.ends > 0 && i%x.ends == x.ends-1:
						o.Messages, o.State = v.Messages(), v.State()
						if err := v.Close(t.Context()); err != nil {
							t.Fatal(err)
						}
						v = begin(t, c, o)
						fallthrough
					default:
						if err := v.Append(t.Context(), json.RawMessage("["+l.list[len(l.list)-1]+"]")); err != nil {
							t.Fatal(err)
						}
					case edited: // the edit applies to the messages that the conversation has now
						var now []json.RawMessage
						if err := json.Unmarshal(v.Messages(), &now); err != nil {
							t.Fatal(err)
						}
						now = append(now[:len(now)-12:len(now)-12], json.RawMessage(l.list[len(l.list)-1]))
						if err := v.SetMessages(t.Context(), listing(now)); err != nil {
							t.Fatal(err)
						}
					}
					time.Sleep(turnTime)
					l.answer(i)
					if err := v.Append(t.Context(), json.RawMessage("["+strings.Join(l.list[len(l.list)-3:], ",")+"]")); err != nil {
						t.Fatal(err)
					}
					if x.abort > 0 && i%x.abort == 0 {
						ctx, cancel := context.WithCancel(t.Context())
						cancel()
						if _, err := v.AfterTurn(ctx); err == nil {
							t.Fatal("aborted, and no error")
						}
					}
					start := time.Now()
					ctx, over := context.WithCancel(t.Context())
					r, err := v.AfterTurn(ctx)
					over()
					if err != nil {
						t.Fatal(err)
					}
					if r.BackgroundDone == nil && r.Changed && !x.waits {
						t.Errorf("turn %d was due", i)
					}
					if took := time.Since(start); took > 0 {
						if waited++; !x.waits {
							t.Errorf("turn %d waits %v", i, took)
						}
					}
					check, err := v.Check(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					l.fits(t, i, v.Messages(), check.Tokens)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if m.most.Load() > 1 {
					t.Errorf("%d summaries at once", m.most.Load())
				}
				list, _ := journal.Events(t.Context(), "c")
				compactions := 0
				for _, e := range list {
					if e.Type == ctxfold.EventEnd && e.Reason == api.ReasonCompacted {
						compactions++
					}
				}
				if compactions < x.compactions() {
					t.Errorf("%d compactions, want at least %d", compactions, x.compactions())
				}
				whole(t, c, v.Messages(), v.State(), l.json(), store)
				if restored, err := v.Restore(t.Context()); err != nil || string(v.Messages()) != string(l.json()) {
					t.Errorf("%v, %v", err, restored.Markers)
				}
				v.Close(t.Context())
				t.Logf("%d compactions, %d summaries, %d cancelled, %d turns waited", compactions, m.calls.Load(), m.cancelled.Load(), waited)
			})
		})
	}
}

// A turn at the limit waits for the background compaction, but not longer. A forced compaction replaces the background one.
func TestLimitWaitsForTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := &slow{}, styles["whole history"]
		c := ctxfold.New(ctxfold.Options{})
		fit := func(in ctxfold.Input) (*ctxfold.Result, time.Duration) {
			t.Helper()
			in.Policy = ctxfold.RawPolicy(backgroundPolicy)
			start := time.Now()
			r, err := c.Fit(t.Context(), in, m)
			if err != nil {
				t.Fatal(err)
			}
			return r, time.Since(start)
		}
		if r, _ := fit(ctxfold.Input{Messages: s.history(28, 1, 0)}); r.Changed || r.BackgroundDone == nil {
			t.Fatalf("over gate.start: %+v", r.Report)
		}
		time.Sleep(15 * time.Second)
		r, took := fit(ctxfold.Input{Messages: s.history(40, 1, 0)})
		if took != 5*time.Second || r.Known == 0 || m.calls.Load() != 1 {
			t.Errorf("at the limit: %v, %d calls, %+v", took, m.calls.Load(), r.Report)
		}
		other := func(i int) json.RawMessage {
			return json.RawMessage(strings.ReplaceAll(string(s.history(i, 1, 0)), "Request 0", "Another"))
		}
		if r, _ := fit(ctxfold.Input{Messages: other(28)}); r.BackgroundDone == nil {
			t.Fatalf("another conversation over gate.start: %+v", r.Report)
		}
		synctest.Wait()
		if r, took := fit(ctxfold.Input{Messages: other(28), Force: true}); !r.Changed || took != slowTime || m.cancelled.Load() != 1 {
			t.Errorf("forced: %v, %d cancelled, %+v", took, m.cancelled.Load(), r.Report)
		}
	})
}

// Conversations that begin alike do not cancel each other's compactions.
func TestForksInBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := &slow{}, styles["whole history"]
		c := ctxfold.New(ctxfold.Options{})
		for i := range 3 {
			h := strings.Replace(string(s.history(28, 1, 0)), "Request 9:", fmt.Sprintf("Fork %d:", i), 1)
			r, err := c.Fit(t.Context(), ctxfold.Input{Messages: json.RawMessage(h), Policy: ctxfold.RawPolicy(backgroundPolicy)}, m)
			if err != nil || r.BackgroundDone == nil {
				t.Fatal(err, r.Report)
			}
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		if m.calls.Load() != 3 || m.cancelled.Load() != 0 {
			t.Errorf("%d calls, %d cancelled", m.calls.Load(), m.cancelled.Load())
		}
	})
}

// No background compaction runs without gate.start, without a model, or if removed content would be lost.
func TestNoBackground(t *testing.T) {
	for _, policy := range []string{
		`{"window":{"tokens":30000}}`,
		`{"window":{"tokens":30000},"gate":{"start":0.7},"summary":{"mode":"local"}}`,
		`{"window":{"tokens":30000},"gate":{"start":0.7},"archive":"places"}`,
	} {
		c, m := ctxfold.New(ctxfold.Options{}), &slow{}
		for i := range 33 {
			r, err := c.Fit(t.Context(), ctxfold.Input{Messages: styles["whole history"].history(i, 1, 0), Policy: ctxfold.RawPolicy(policy)}, m)
			if err != nil || r.BackgroundDone != nil || m.calls.Load() > 0 {
				t.Fatal(i, err)
			}
		}
	}
}

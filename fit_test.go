package ctxfold_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/records"
)

const fitTurns = 60

// fitPolicy has a window for about eight of the turns below.
const fitPolicy = `{"window":{"tokens":6000,"reserve":500}}`

// model writes summaries, and counts them. It fails while down is set.
type model struct {
	calls atomic.Int32
	down  atomic.Pointer[ctxfold.BusyError]
	took  time.Duration
}

func (m *model) Summarize(_ context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
	m.calls.Add(1)
	time.Sleep(m.took)
	if err := m.down.Load(); err != nil {
		return ctxfold.Summary{}, err
	}
	return ctxfold.Summary{Text: "## Goal\nEvery file is to be read and counted, as the user has asked for.\n\n## Progress\nWritten by the model: the files up to here were read.", FinishReason: "stop"}, nil
}

// style is the way in which an app passes its history.
type style struct {
	format string
	// turn returns the messages of turn i as the app passes them in call number now.
	turn func(i, now int, newest bool) []string
	// before and after return the text before and after the list in a request body.
	before, after func(now int) string
}

func words(i int) string {
	return fmt.Sprintf("File %d. ", i) + strings.Repeat("It has lines and words. ", 100)
}

func none(int) string { return "" }

var styles = map[string]style{
	"whole history": {"openai-chat", chatTurn, none, none},
	"marks that move": {"anthropic", func(i, _ int, newest bool) []string {
		mark := ""
		if newest {
			mark = `,"cache_control":{"type":"ephemeral"}`
		}
		return claudeTurn(i, mark)
	}, none, none},
	"metadata and ids that change": {"ai-sdk", func(i, now int, _ bool) []string {
		meta := fmt.Sprintf(`"id":"m%d","providerOptions":{"mastra":{"createdAt":%d}}`, now, now)
		return []string{fmt.Sprintf(`{"role":"user",%s,"content":[{"type":"text","text":"Request %d: read file %d."}]}`, meta, i, i),
			fmt.Sprintf(`{"role":"assistant",%s,"content":[{"type":"tool-call","toolCallId":"c%d","toolName":"read","input":{"path":"%d.txt"}}]}`, meta, i, i),
			fmt.Sprintf(`{"role":"tool",%s,"content":[{"type":"tool-result","toolCallId":"c%d","toolName":"read","output":{"type":"text","value":%q}}]}`, meta, i, words(i)),
			fmt.Sprintf(`{"role":"assistant",%s,"content":[{"type":"text","text":"File %d is read."}]}`, meta, i)}
	}, none, none},
	"a clock in the system message": {"openai-chat", chatTurn,
		func(now int) string {
			return fmt.Sprintf(`[{"role":"system","content":"You read files. It is 10:%02d:%02d."},`, now/60, now%60)
		}, none},
	"a clock in the system prompt": {"anthropic", func(i, _ int, _ bool) []string { return claudeTurn(i, "") },
		func(now int) string { return fmt.Sprintf(`{"model":"any","system":"It is 10:%02d.","messages":[`, now) },
		func(int) string { return `],"max_tokens":100}` }},
}

func chatTurn(i, _ int, _ bool) []string {
	return []string{fmt.Sprintf(`{"role":"user","content":"Request %d: read file %d."}`, i, i),
		fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"%d.txt\"}"}}]}`, i, i),
		fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`, i, words(i)),
		fmt.Sprintf(`{"role":"assistant","content":"File %d is read."}`, i)}
}

func claudeTurn(i int, mark string) []string {
	return []string{fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"Request %d: read file %d."}]}`, i, i),
		fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"c%d","name":"read","input":{"path":"%d.txt"}}]}`, i, i),
		fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":%q%s}]}`, i, words(i), mark),
		fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"File %d is read."}]}`, i)}
}

// history returns the app's history before a model call in a turn: whole turns, and the beginning of the newest one.
func (s style) history(turns, newest, now int) json.RawMessage {
	var list []string
	for i := range turns {
		list = append(list, s.turn(i, now, false)...)
	}
	if newest > 0 {
		list = append(list, s.turn(turns, now, true)[:newest]...)
	}
	before, after := s.before(now), s.after(now)
	if before == "" {
		before = "["
	}
	if after == "" {
		after = "]"
	}
	return json.RawMessage(before + strings.Join(list, ",") + after)
}

// listOf returns the list of messages in the result of Fit.
func listOf(t testing.TB, text json.RawMessage) json.RawMessage {
	t.Helper()
	if text[0] == '[' {
		return text
	}
	var body struct{ Messages json.RawMessage }
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatal(err)
	}
	return body.Messages
}

// counts are the costs of a loop.
type counts struct{ compactions, calls int }

// near reports whether counts differ from others by at most one compaction.
func (c counts) near(of counts) bool {
	return c.compactions >= of.compactions-1 && c.compactions <= of.compactions+1 && c.calls <= of.calls+2
}

// conversed returns the costs of the same turns in a [ctxfold.Conversation].
func conversed(t testing.TB, c *ctxfold.Compactor, s style) (n counts) {
	t.Helper()
	m := &model{}
	v, err := c.Conversation(t.Context(), ctxfold.ConversationOptions{Format: api.Format(s.format), Policy: ctxfold.RawPolicy(fitPolicy), Summarizer: m})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close(t.Context())
	for i := range fitTurns {
		if err := v.Append(t.Context(), json.RawMessage("["+strings.Join(s.turn(i, 0, false), ",")+"]")); err != nil {
			t.Fatal(err)
		}
		r, err := v.AfterTurn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Changed {
			n.compactions++
		}
	}
	n.calls = int(m.calls.Load())
	return n
}

// looped calls a model twice in each turn, using Fit, and checks the sent messages.
func looped(t testing.TB, s style, turns []int, fit func(history json.RawMessage) *ctxfold.Result) (n counts) {
	t.Helper()
	for _, i := range turns {
		for step, newest := range []int{1, 3} {
			now := 2*i + step
			r := fit(s.history(i, newest, now))
			if r.Changed {
				n.compactions++
			}
			sent := listOf(t, r.Messages)
			if bad := judge.Valid(s.format, sent); len(bad) > 0 {
				t.Fatalf("turn %d: what is sent is not valid: %v", i, bad)
			}
			if len(sent) > 4*6000 {
				t.Fatalf("turn %d: %d bytes are sent", i, len(sent))
			}
			if last := s.turn(i, now, true)[newest-1]; !strings.HasSuffix(string(sent), last+"]") {
				t.Fatalf("turn %d: the newest message is not as it was: %.200s", i, sent[max(0, len(sent)-200):])
			}
		}
	}
	return n
}

func upTo(n int) (turns []int) {
	for i := range n {
		turns = append(turns, i)
	}
	return turns
}

// An app that passes its whole history each turn, whatever it changes in it, has the same costs as a conversation.
func TestFitLoops(t *testing.T) {
	for name, s := range styles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := native(t, ctxfold.Options{})
			want := conversed(t, c, s)
			m := &model{}
			got := looped(t, s, upTo(fitTurns), func(history json.RawMessage) *ctxfold.Result {
				r, err := c.Fit(t.Context(), ctxfold.Input{Messages: history, Policy: ctxfold.RawPolicy(fitPolicy), Format: api.Format(s.format)}, m)
				if err != nil {
					t.Fatal(err)
				}
				return r
			})
			got.calls = int(m.calls.Load())
			if want.compactions < 3 || !got.near(want) {
				t.Errorf("%+v, where a conversation takes %+v", got, want)
			}
			t.Logf("%+v, a conversation %+v", got, want)
		})
	}
}

// fitted calls Fit as an app does, and fails the test on an error.
func fitted(t testing.TB, c *ctxfold.Compactor, in ctxfold.Input, s ctxfold.Summarizer) *ctxfold.Result {
	t.Helper()
	if in.Policy.Raw == nil {
		in.Policy = ctxfold.RawPolicy(fitPolicy)
	}
	r, err := c.Fit(t.Context(), in, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// An app may continue from the sent messages, after each call or after some.
func TestFitGoesOn(t *testing.T) {
	s := styles["whole history"]
	c := native(t, ctxfold.Options{})
	want := conversed(t, c, s)
	for name, whole := range map[string]int{"always": fitTurns + 1, "but for each fifth turn": 5} {
		c, m, got := native(t, ctxfold.Options{}), &model{}, counts{}
		var list []string
		for i := range fitTurns {
			turn := s.turn(i, 0, false)
			if i%whole == 0 { // the app has loaded its history again
				list = nil
				for k := range i {
					list = append(list, s.turn(k, 0, false)...)
				}
			}
			list = append(list, turn[0])
			r := fitted(t, c, ctxfold.Input{Messages: json.RawMessage("[" + strings.Join(list, ",") + "]"), Format: api.Format(s.format)}, m)
			if r.Changed {
				got.compactions++
			}
			sent := string(r.Messages)
			list = append([]string{strings.TrimSuffix(sent[1:], "]")}, turn[1:]...)
			if bad := judge.Valid(s.format, r.Messages); len(bad) > 0 || len(sent) > 4*6000 {
				t.Fatalf("turn %d: %d bytes, %v", i, len(sent), bad)
			}
		}
		if got.calls = int(m.calls.Load()); !got.near(want) {
			t.Errorf("%s: %+v, where a conversation takes %+v", name, got, want)
		}
	}
}

// If a user goes back to an earlier turn and continues differently, compactions of the turns before it are found.
func TestFitOfAnEditedHistory(t *testing.T) {
	s := styles["whole history"]
	c, m := native(t, ctxfold.Options{}), &model{}
	fit := func(h json.RawMessage) *ctxfold.Result {
		return fitted(t, c, ctxfold.Input{Messages: h, Format: api.Format(s.format)}, m)
	}
	looped(t, s, upTo(30), fit)
	before := m.calls.Load()
	edited := strings.Replace(string(s.history(29, 1, 0)), "Request 29: read file 29.", "Request 29: do something else.", 1)
	r := fit(json.RawMessage(edited))
	if r.Changed || r.Known == 0 || m.calls.Load() != before || !strings.Contains(string(r.Messages), "do something else") {
		t.Errorf("edited behind the last compaction: %+v", r.Report)
	}
	edited = strings.Replace(string(s.history(30, 1, 0)), "Request 2: read file 2.", "Request 2: leave file 2.", 1)
	if r := fit(json.RawMessage(edited)); !r.Changed || r.Known != 0 {
		t.Errorf("edited before the first compaction: known %d, %+v", r.Known, r.Report)
	}
}

// Concurrent calls for one history compact it once; calls for other histories do not wait.
func TestFitAtTheSameTime(t *testing.T) {
	synctest.Test(t, fitAtTheSameTime)
}

func fitAtTheSameTime(t *testing.T) {
	s := styles["whole history"]
	c, m := native(t, ctxfold.Options{}), &model{took: 50 * time.Millisecond}
	var changed atomic.Int32
	var wg sync.WaitGroup
	for i := range 12 {
		history := s.history(12, 1+2*(i%2), 0) // every second history continues the others
		wg.Go(func() {
			if i%2 == 1 {
				time.Sleep(20 * time.Millisecond)
			}
			r, err := c.Fit(t.Context(), ctxfold.Input{Messages: history, Policy: ctxfold.RawPolicy(fitPolicy), Format: api.Format(s.format)}, m)
			if err != nil {
				t.Error(err)
			} else if r.Changed {
				changed.Add(1)
			}
		})
	}
	wg.Wait()
	alone := &model{}
	fitted(t, native(t, ctxfold.Options{}), ctxfold.Input{Messages: s.history(12, 1, 0), Format: api.Format(s.format)}, alone)
	if changed.Load() != 1 || m.calls.Load() != alone.calls.Load() {
		t.Errorf("%d compactions with %d calls, and not one with %d", changed.Load(), m.calls.Load(), alone.calls.Load())
	}
	waiting, cancel := context.WithCancel(t.Context())
	hung := make(chan struct{})
	go c.Fit(t.Context(), ctxfold.Input{Messages: s.history(30, 1, 0), Policy: ctxfold.RawPolicy(fitPolicy), Format: api.Format(s.format)}, ctxfold.SummarizerFunc(
		func(ctx context.Context, _ ctxfold.Request) (ctxfold.Summary, error) {
			select {
			case hung <- struct{}{}:
			case <-waiting.Done():
			}
			<-waiting.Done()
			return ctxfold.Summary{}, errors.New("no")
		}))
	<-hung
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := c.Fit(ctx, ctxfold.Input{Messages: s.history(30, 1, 0), Policy: ctxfold.RawPolicy(fitPolicy), Format: api.Format(s.format)}, m); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that waits for another: %v", err)
	}
	cancel()
}

// Another program continues with the same records. Lost or broken records cost a compaction.
func TestFitRecords(t *testing.T) {
	s, dir := styles["marks that move"], t.TempDir()
	start := func() *ctxfold.Compactor {
		records, err := records.NewDir(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		return native(t, ctxfold.Options{Records: records})
	}
	want := conversed(t, start(), s)
	m, total := &model{}, counts{}
	for i := range fitTurns {
		c := start()
		total.compactions += looped(t, s, []int{i}, func(h json.RawMessage) *ctxfold.Result {
			return fitted(t, c, ctxfold.Input{Messages: h, Format: api.Format(s.format)}, m)
		}).compactions
	}
	if total.calls = int(m.calls.Load()); !total.near(want) {
		t.Errorf("%+v with a start in each turn, where a conversation takes %+v", total, want)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for i, f := range files {
		text := [][]byte{nil, []byte("{"), []byte(`{"version":2,"entry":{"version":1}}`), []byte(`{"version":1}`)}[i%4]
		if err := os.WriteFile(filepath.Join(dir, f.Name()), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := ctxfold.Input{Messages: s.history(fitTurns, 1, 0), Format: api.Format(s.format)}
	if r := fitted(t, start(), in, m); !r.Changed || r.Known != 0 {
		t.Errorf("broken records: %+v", r.Report)
	}
	failing := native(t, ctxfold.Options{Records: brokenRecords{}})
	for range 2 {
		if r := fitted(t, failing, in, m); !r.Changed {
			t.Errorf("records that fail: %+v", r.Report)
		}
	}
}

type brokenRecords struct{}

func (brokenRecords) Find(context.Context, []string) ([]byte, int, error) { panic("the disk is gone") }
func (brokenRecords) Keep(context.Context, []string, []byte) error {
	return errors.New("the disk is gone")
}

// Compactions that are remembered for one owner are not used for another.
func TestFitOwners(t *testing.T) {
	s := styles["whole history"]
	c, m := native(t, ctxfold.Options{}), &model{}
	for _, tt := range []struct {
		owner   string
		changed bool
	}{{"", true}, {"", false}, {"a", true}, {"b", true}, {"a", false}, {"", false}} {
		if r := fitted(t, c, ctxfold.Input{Messages: s.history(12, 1, 0), Format: api.Format(s.format), Owner: tt.owner}, m); r.Changed != tt.changed {
			t.Errorf("owner %q: changed %v", tt.owner, r.Changed)
		}
	}
}

// A busy model is called rarely and costs no message. Once it answers again, and not before the
// wait is over, the digest that was made without it is made again, from the messages themselves.
func TestFitMakesDigestsAnew(t *testing.T) {
	for name, newRecords := range map[string]func() records.Records{
		"memory": func() records.Records { return records.NewMemory(0) },
		"directory": func() records.Records {
			records, err := records.NewDir(t.TempDir(), 0)
			if err != nil {
				t.Fatal(err)
			}
			return records
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := styles["whole history"]
			c := native(t, ctxfold.Options{Records: newRecords()})
			now := time.Now()
			c.SetClock(func() time.Time { return now })
			m := &model{}
			turns := 12
			fit := func(more int) (r *ctxfold.Result, calls int) {
				t.Helper()
				turns += more
				before := m.calls.Load()
				r = fitted(t, c, ctxfold.Input{Messages: s.history(turns, 1, 0), Format: api.Format(s.format)}, m)
				return r, int(m.calls.Load() - before)
			}
			written := func(r *ctxfold.Result) bool { return strings.Contains(string(r.Messages), "Written by the model") }

			m.down.Store(&ctxfold.BusyError{RetryAfter: time.Millisecond, Err: errors.New("429")})
			r, calls := fit(0)
			if !r.Changed || r.Report.Summary.Source != "local" || calls > ctxfold.DefaultSummaryConcurrency+1 {
				t.Fatalf("while the model is busy: %+v after %d calls", r.Report.Summary, calls)
			}
			sent := string(r.Messages)
			for range 5 { // the model is not called within the minute
				if r, calls = fit(0); r.Changed || calls != 0 || string(r.Messages) != sent {
					t.Fatalf("a call at once: changed %v, %d calls", r.Changed, calls)
				}
			}
			now = now.Add(67 * time.Second) // a tenth is random
			if r, calls = fit(0); r.Changed || calls == 0 || calls > ctxfold.DefaultSummaryConcurrency+1 || string(r.Messages) != sent {
				t.Fatalf("still busy a minute later: changed %v, %d calls", r.Changed, calls)
			}
			now = now.Add(67 * time.Second) // the second wait is two minutes
			if r, calls = fit(0); r.Changed || calls != 0 {
				t.Fatalf("two minutes later: changed %v, %d calls", r.Changed, calls)
			}
			m.down.Store(nil)
			now = now.Add(67 * time.Second)
			r, calls = fit(1)
			if !r.Changed || calls == 0 || !written(r) || r.Report.Summary.Source != "model" {
				t.Fatalf("when the model answers again: changed %v, %d calls, %+v", r.Changed, calls, r.Report.Summary)
			}
			now = now.Add(time.Hour)
			if r, calls = fit(0); r.Changed || calls != 0 || !written(r) {
				t.Errorf("after that: changed %v, %d calls", r.Changed, calls)
			}

			// A compaction that is due does not wait, and does not build on the local digest.
			m.down.Store(&ctxfold.BusyError{RetryAfter: time.Millisecond, Err: errors.New("429")})
			for r.Report.Summary.Source != "local" {
				r, _ = fit(1)
			}
			m.down.Store(nil)
			for r, calls = fit(1); !r.Changed; r, calls = fit(1) {
				if calls > 0 {
					t.Fatal("the model was asked before it was time")
				}
			}
			if calls == 0 || !written(r) || r.Report.Summary.Source != "model" {
				t.Errorf("a compaction that is due: %d calls, %+v", calls, r.Report.Summary)
			}
			// An app that continues from the result no longer has the messages to make the digest
			// again.
			m.down.Store(&ctxfold.BusyError{RetryAfter: time.Millisecond, Err: errors.New("429")})
			for r.Report.Summary.Source != "local" {
				r, _ = fit(1)
			}
			m.down.Store(nil)
			now = now.Add(2 * time.Hour)
			before := m.calls.Load()
			if r = fitted(t, c, ctxfold.Input{Messages: r.Messages, Format: api.Format(s.format)}, m); r.Changed || m.calls.Load() != before {
				t.Errorf("going on from a digest without a model: changed %v", r.Changed)
			}
		})
	}
}

// If the policy accepts only the model's digest, a failing model is not called in each call of Fit
// either.
func TestFitPauses(t *testing.T) {
	s, m := styles["whole history"], &model{}
	c := native(t, ctxfold.Options{})
	now := time.Now()
	c.SetClock(func() time.Time { return now })
	m.down.Store(&ctxfold.BusyError{RetryAfter: time.Millisecond, Err: errors.New("429")})
	policy := ctxfold.RawPolicy(`{"preset":"checkpoint","window":{"tokens":6000,"reserve":500},"last_resort":false}`)
	for turns, want := range []int{3, 0, 0, 0} {
		if turns == 3 { // a minute later the model is called again
			now, want = now.Add(67*time.Second), 3
		}
		before := m.calls.Load()
		r := fitted(t, c, ctxfold.Input{Messages: s.history(20+turns, 1, 0), Format: api.Format(s.format), Policy: policy}, m)
		if n := int(m.calls.Load() - before); r.Changed || r.Reason != "summary_failed" || n != want {
			t.Fatalf("call %d: changed %v, %s, %d calls", turns, r.Changed, r.Reason, n)
		}
	}
	m.down.Store(nil)
	now = now.Add(3 * time.Minute)
	if r := fitted(t, c, ctxfold.Input{Messages: s.history(24, 1, 0), Format: api.Format(s.format), Policy: policy}, m); !r.Changed || r.Report.Summary.Source != "model" {
		t.Errorf("when the model answers again: %+v", r.Report)
	}
}

// If a provider rejects the sent messages, Fit sends fewer: for the window that the provider named,
// or for less than was estimated.
func TestFitForced(t *testing.T) {
	s := styles["whole history"]
	for name, tt := range map[string]struct {
		policy string
		limit  int
		most   int // the most tokens that Fit may send then
	}{
		"a window that nobody knew":   {`{"window":{"unlimited":true}}`, 5000, 5000},
		"no window at all":            {`{"window":{"unlimited":true}}`, 0, 5500},
		"a smaller window":            {fitPolicy, 4000, 4000},
		"a larger window":             {fitPolicy, 100000, 5500},
		"smaller than the reserve":    {fitPolicy, 400, 5500},
		"behind a compaction just so": {fitPolicy, 0, 5500},
	} {
		t.Run(name, func(t *testing.T) {
			c, m := native(t, ctxfold.Options{}), &model{}
			in := ctxfold.Input{Messages: s.history(12, 1, 0), Format: api.Format(s.format), Policy: ctxfold.RawPolicy(tt.policy)}
			refused := fitted(t, c, in, m)
			again := in
			again.Force, again.Limit = true, tt.limit
			r := fitted(t, c, again, m)
			if !r.Changed || len(r.Messages) >= len(refused.Messages) || r.Report.Tokens.After > tt.most {
				t.Fatalf("changed %v: %d bytes after %d, %+v", r.Changed, len(r.Messages), len(refused.Messages), r.Report.Tokens)
			}
			if got := recovered(t, c, in, m, refused, tt.limit); got != string(r.Messages) {
				t.Errorf("a conversation goes on with %d bytes: %.300s", len(got), got)
			}
			calls := m.calls.Load()
			if next := fitted(t, c, in, m); next.Changed || string(next.Messages) != string(r.Messages) || m.calls.Load() != calls {
				t.Errorf("what was forced is not remembered: changed %v", next.Changed)
			}
		})
	}
}

// recovered returns what a [ctxfold.Conversation] sends after the messages that Fit sent before were rejected.
func recovered(t *testing.T, c *ctxfold.Compactor, in ctxfold.Input, m ctxfold.Summarizer, before *ctxfold.Result, limit int) string {
	t.Helper()
	v, err := c.Conversation(t.Context(), ctxfold.ConversationOptions{Format: in.Format, Policy: in.Policy, Summarizer: m, Messages: before.Messages, State: before.State})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close(t.Context())
	calls := 0
	o, err := v.Call(t.Context(), func(context.Context, json.RawMessage) (api.Failure, error) {
		if calls++; calls > 1 {
			return api.Failure{Status: 200}, nil
		}
		text := "prompt is too long"
		if limit > 0 {
			text = fmt.Sprintf("prompt is too long: 1000000 tokens > %d maximum", limit)
		}
		return api.Failure{Status: 400, Body: text}, errors.New("refused")
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(o.Messages)
}

// Recollect never compacts, whatever is due.
func TestRecollect(t *testing.T) {
	s := styles["a clock in the system prompt"]
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		m := &model{}
		in := ctxfold.Input{Messages: s.history(12, 1, 0), Format: api.Format(s.format), Policy: ctxfold.RawPolicy(fitPolicy)}
		if r, err := c.Recollect(t.Context(), in); err != nil || r.Known != 0 || string(r.Messages) != string(in.Messages) {
			t.Fatalf("nothing is known: %v, %+v", err, r)
		}
		sent := fitted(t, c, in, m)
		calls := m.calls.Load()
		in.Messages = s.history(40, 1, 1)
		r, err := c.Recollect(t.Context(), in)
		if err != nil || r.Changed || r.Known <= 0 || r.Known > 12*4+1 || m.calls.Load() != calls {
			t.Fatalf("%v, %+v", err, r)
		}
		known, whole := string(listOf(t, sent.Messages)), string(listOf(t, in.Messages))
		if got := string(listOf(t, r.Messages)); !strings.HasPrefix(got, known[:len(known)-1]) || !strings.HasSuffix(got, whole[len(whole)/2:]) {
			t.Errorf("it is not what is known and the rest: %.300s", got)
		}
		if r := fitted(t, c, in, m); !r.Changed {
			t.Error("and Fit does not compact")
		}
	})
}

// Kept messages are the program's own values, also when a remembered compaction is applied.
func TestFitEdits(t *testing.T) {
	s := styles["whole history"]
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		store := ctxfold.NewMemoryStore(0)
		for turns := 2; turns < 40; turns += 3 {
			in := ctxfold.Input{Messages: s.history(turns, 1, 0), Format: api.Format(s.format), Policy: ctxfold.RawPolicy(fitPolicy), Store: store}
			r := fitted(t, c, in, nil)
			in.ReturnEdits = true
			edited := fitted(t, c, in, nil)
			var list []json.RawMessage
			if err := json.Unmarshal(in.Messages, &list); err != nil {
				t.Fatal(err)
			}
			list, err := ctxfold.ApplyEdits(list, edited.Edits, func(m json.RawMessage) (json.RawMessage, error) { return m, nil })
			if err != nil {
				t.Fatal(err)
			}
			if got := "[" + string(bytes.Join(raws(list), []byte(","))) + "]"; got != string(r.Messages) {
				t.Fatalf("%d turns: edits make %.300s", turns, got)
			}
		}
		if n, _ := store.Len(); n == 0 {
			t.Error("nothing was stored")
		}
		full := ctxfold.Input{Messages: s.history(41, 1, 0), Format: api.Format(s.format), Policy: ctxfold.RawPolicy(fitPolicy), Store: ctxfold.NewMemoryStore(1), Owner: "another"}
		if _, err := c.Fit(t.Context(), full, nil); !errors.Is(err, ctxfold.ErrStoreFull) {
			t.Errorf("a store that is full: %v", err)
		}
		full.Store = store
		if r := fitted(t, c, full, nil); !r.Changed {
			t.Error("what could not be stored was remembered")
		}
	})
}

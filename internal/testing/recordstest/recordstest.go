// Package recordstest is the test suite for implementations of [records.Shared]. It tests records, leases and races
// for them, and whole conversations with several replicas that die, are suspended, or cannot reach the store. Each
// test runs in a bubble of fake time (testing/synctest), so that no lease ends before a test lets time pass.
package recordstest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/records"
)

// Backend is the implementation of records under test.
type Backend struct {
	// Connect returns a new connection to it, as for another replica.
	Connect func() records.Shared
	// Pass makes all leases in the store end earlier by d. It is nil if the store uses the program's clock.
	Pass func(d time.Duration)
}

// pass lets time pass, in the program and in the store.
func (s Backend) pass(d time.Duration) {
	time.Sleep(d)
	if s.Pass != nil {
		s.Pass(d)
	}
}

// Test runs all tests, each with an empty store that open returns.
func Test(t *testing.T, open func(t *testing.T) Backend) {
	for name, test := range map[string]func(*testing.T, Backend){
		"records":                        stored,
		"one lease at a time":            race,
		"leases of beginnings":           beginnings,
		"a lease expires":                expiry,
		"a lease is renewed":             renewed,
		"a late holder replaces nothing": conflict,
		"keeping and taking over":        takeover,
		"a call that is canceled":        canceled,
		"many replicas, one compaction":  once,
		"a replica dies":                 death,
		"a replica is suspended":         suspended,
		"the store fails":                failing,
		"the store hangs":                hanging,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test(t, open(t))
			})
		})
	}
}

// key returns a key in the form that Fit uses.
func key(parts ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(parts...)))
	return hex.EncodeToString(sum[:])
}

func keys(from, to int) (list []string) {
	for i := from; i >= to; i-- {
		list = append(list, key("k", i))
	}
	return list
}

func found(t testing.TB, r records.Records, keys ...string) string {
	t.Helper()
	record, at, err := r.Find(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	if record == nil {
		return ""
	}
	return fmt.Sprintf("%d %.40s", at, record)
}

func must(t testing.TB, want bool) func(got bool, err error) {
	return func(got bool, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Fatalf("%v, %v; want %v", got, err, want)
		}
	}
}

// lasting is the duration of leases that only end if a test lets time pass, because no call of a real store takes
// that long.
const lasting = 20 * time.Minute

func stored(t *testing.T, s Backend) {
	one, other := s.Connect(), s.Connect()
	keep := func(r records.Records, text string, keys ...string) {
		t.Helper()
		record := []byte(text)
		if err := r.Keep(t.Context(), keys, record); err != nil {
			t.Fatal(err)
		}
		copy(record, "changed by the caller")
	}
	if got := found(t, one, keys(3, 0)...); got != "" {
		t.Errorf("found %q where nothing is", got)
	}
	if got := found(t, one); got != "" {
		t.Errorf("found %q without a key", got)
	}
	keep(one, "first", key("a"), key("b"))
	keep(other, "second", key("c"), key("c")) // the same key twice
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{key("a")}, "0 first"},
		{[]string{key("x"), key("b"), key("c")}, "1 first"},
		{[]string{key("c"), key("a")}, "0 second"},
		{[]string{key("x"), key("y")}, ""},
		{append(keys(3000, 1), key("b")), "3000 first"},
		{append(append(keys(70, 1), key("c")), key("b")), "70 second"},
	} {
		for _, r := range []records.Records{one, other} {
			if got := found(t, r, tt.keys...); got != tt.want {
				t.Errorf("%d keys: %q, want %q", len(tt.keys), got, tt.want)
			}
		}
	}
	keep(other, "third", key("a"))
	if a, b := found(t, one, key("a")), found(t, one, key("b")); a != "0 third" || b != "0 first" {
		t.Errorf("replaced: %q, %q", a, b)
	}
	large := bytes.Repeat([]byte("\x00\xff'\"\\%s "), 1<<18) // 2 MiB of data that isn't text
	if err := one.Keep(t.Context(), []string{key("large")}, large); err != nil {
		t.Fatal(err)
	}
	if got, _, err := other.Find(t.Context(), []string{key("large")}); err != nil || !bytes.Equal(got, large) {
		t.Errorf("a large record: %d bytes, %v", len(got), err)
	}
}

func race(t *testing.T, s Backend) {
	replicas := []records.Shared{s.Connect(), s.Connect(), s.Connect()}
	for round := range 20 {
		var granted atomic.Int32
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				ok, err := replicas[i%3].Lease(t.Context(), []string{key("race", round)}, fmt.Sprint("holder", i), lasting)
				if err != nil {
					t.Error(err)
				} else if ok {
					granted.Add(1)
				}
			})
		}
		wg.Wait()
		if n := granted.Load(); n != 1 {
			t.Fatalf("%d of 12 got the lease", n)
		}
	}
}

func beginnings(t *testing.T, s Backend) {
	one, other := s.Connect(), s.Connect()
	must(t, true)(one.Lease(t.Context(), keys(5, 1), "a", lasting))
	must(t, false)(other.Lease(t.Context(), keys(5, 1), "b", lasting))
	must(t, false)(other.Lease(t.Context(), keys(3000, 1), "b", lasting)) // a longer history than the leased one
	must(t, true)(other.Lease(t.Context(), []string{key("else")}, "b", lasting))
	must(t, true)(other.Lease(t.Context(), keys(4, 1), "c", lasting)) // a shorter history than the leased one
	// A replica that waits has no leases.
	must(t, true)(one.Lease(t.Context(), []string{keys(3000, 3000)[0]}, "d", lasting))
	// Only the holder can release a lease.
	if err := other.Release(t.Context(), key("k", 5), "b"); err != nil {
		t.Fatal(err)
	}
	must(t, false)(other.Lease(t.Context(), keys(5, 5), "b", lasting))
	if err := one.Release(t.Context(), key("k", 5), "a"); err != nil {
		t.Fatal(err)
	}
	must(t, true)(other.Lease(t.Context(), keys(5, 5), "b", lasting))
	if err := one.Release(t.Context(), key("never"), "a"); err != nil {
		t.Errorf("a lease that is not there: %v", err)
	}
}

func expiry(t *testing.T, s Backend) {
	one, other := s.Connect(), s.Connect()
	must(t, true)(one.Lease(t.Context(), keys(5, 1), "a", lasting))
	s.pass(lasting - time.Minute)
	must(t, false)(other.Lease(t.Context(), keys(6, 1), "b", lasting))
	s.pass(time.Minute)
	must(t, false)(one.Renew(t.Context(), key("k", 5), "a", lasting))
	must(t, false)(one.KeepLeased(t.Context(), key("k", 5), "a", []string{key("r")}, []byte("late")))
	must(t, true)(other.Lease(t.Context(), keys(6, 1), "b", lasting))
	must(t, true)(other.Lease(t.Context(), keys(5, 1), "b", lasting))
	must(t, false)(one.Renew(t.Context(), key("k", 5), "a", lasting))
	if err := one.Release(t.Context(), key("k", 5), "a"); err != nil {
		t.Fatal(err)
	}
	must(t, true)(other.Renew(t.Context(), key("k", 5), "b", lasting))
	if got := found(t, other, key("r")); got != "" {
		t.Errorf("kept without a lease: %q", got)
	}
}

func renewed(t *testing.T, s Backend) {
	one, other := s.Connect(), s.Connect()
	must(t, true)(one.Lease(t.Context(), keys(1, 1), "a", lasting))
	for range 10 {
		s.pass(lasting / 7)
		must(t, true)(one.Renew(t.Context(), key("k", 1), "a", lasting))
		must(t, false)(other.Lease(t.Context(), keys(1, 1), "b", lasting))
	}
	must(t, true)(one.KeepLeased(t.Context(), key("k", 1), "a", []string{key("r"), key("s")}, []byte("kept")))
	if r, s := found(t, other, key("r")), found(t, other, key("s")); r != "0 kept" || s != "0 kept" {
		t.Errorf("%q, %q", r, s)
	}
	must(t, true)(one.Renew(t.Context(), key("k", 1), "a", lasting))
}

func conflict(t *testing.T, s Backend) {
	one, other := s.Connect(), s.Connect()
	must(t, true)(one.Lease(t.Context(), keys(1, 1), "a", lasting))
	s.pass(lasting)
	must(t, true)(other.Lease(t.Context(), keys(1, 1), "b", lasting))
	var wg sync.WaitGroup
	for i := range 20 {
		holder, r := "a", one
		if i%2 == 1 {
			holder, r = "b", other
		}
		wg.Go(func() {
			must(t, holder == "b")(r.KeepLeased(t.Context(), key("k", 1), holder, []string{key("r")}, []byte("of "+holder)))
		})
	}
	wg.Wait()
	if got := found(t, one, key("r")); got != "0 of b" {
		t.Error(got)
	}
}

// takeover tests a holder that stores a record at about the moment when its lease ends. The record that the next
// holder has found must not change afterwards.
func takeover(t *testing.T, s Backend) {
	one, other := s.Connect(), s.Connect()
	kept := 0
	for i := range 30 {
		lock, record := key("lock", i), key("record", i)
		must(t, true)(one.Lease(t.Context(), []string{lock}, "a", lasting))
		did := make(chan bool)
		go func() {
			// The times are a moment before the end, the end itself, and a moment after it.
			time.Sleep(lasting + time.Duration(i%3-1)*time.Second)
			ok, err := one.KeepLeased(t.Context(), lock, "a", []string{record}, []byte("of a"))
			if err != nil {
				t.Error(err)
			}
			did <- ok
		}()
		s.pass(lasting)
		for {
			ok, err := other.Lease(t.Context(), []string{lock}, "b", lasting)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				break
			}
		}
		before := found(t, other, record)
		ok := <-did
		if after := found(t, other, record); after != before || ok != (after != "") {
			t.Fatalf("round %d: %q, then %q; kept: %v", i, before, after, ok)
		}
		if ok {
			kept++
		}
	}
	t.Logf("%d of 30 kept", kept)
}

func canceled(t *testing.T, s Backend) {
	r := s.Connect()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = r.Lease(ctx, keys(1, 1), "a", lasting)
	_, _, _ = r.Find(ctx, keys(1, 1))
	_ = r.Keep(ctx, keys(1, 1), []byte("x"))
	if err := r.Keep(t.Context(), keys(2, 2), []byte("y")); err != nil || found(t, r, keys(2, 2)...) != "0 y" {
		t.Errorf("afterwards: %v", err)
	}
}

// policy has a window that fits about eight of the turns below.
const policy = `{"window":{"tokens":6000,"reserve":500}}`

// history returns a history with the given number of turns and, after them, the next request.
func history(name string, turns int) []byte {
	var list []string
	for i := range turns {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"%s, request %d."},{"role":"assistant","content":"File %d. %s"}`, name, i, i,
			strings.Repeat("It has lines and words. ", 100)))
	}
	return fmt.Appendf(nil, `[%s,{"role":"user","content":"%s, request %d."}]`, strings.Join(list, ","), name, turns)
}

// model is a summarizer that never writes the same summary twice.
type model struct {
	calls atomic.Int32
	took  time.Duration
	until chan struct{} // if not nil, each call waits until it is closed
}

func (m *model) Summarize(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
	n := m.calls.Add(1)
	time.Sleep(m.took)
	if m.until != nil {
		<-m.until
	}
	return ctxfold.Summary{Text: fmt.Sprintf("## Goal\nRead and count every file, as the user has asked.\n\n## Progress\nIn summary %d: the files were read.", n), FinishReason: "stop"}, nil
}

// replica returns a replica whose leases outlast the test.
func replica(r records.Records) *ctxfold.Compactor {
	return ctxfold.New(ctxfold.Options{Records: r, Lease: lasting, RecordsTimeout: lasting})
}

// hasty returns a replica with short leases.
func hasty(r records.Records) *ctxfold.Compactor {
	return ctxfold.New(ctxfold.Options{Records: r, Lease: short, RecordsTimeout: lasting})
}

// short is the duration of a lease that may end during a test without a call of pass.
const short = 10 * time.Second

func fit(t testing.TB, c *ctxfold.Compactor, m *model, messages []byte) *ctxfold.Result {
	r, err := c.Fit(t.Context(), ctxfold.Input{Messages: messages, Policy: ctxfold.RawPolicy(policy), Format: "openai-chat"}, m)
	if err != nil {
		t.Error(err)
		return &ctxfold.Result{}
	}
	if len(r.Messages) > 4*6000 {
		t.Errorf("%d bytes are sent", len(r.Messages))
	}
	return r
}

// alone returns the number of model calls and the number of compactions that a single replica needs for the given
// turns.
func alone(t testing.TB, turns ...int) (calls, compactions int) {
	m := &model{}
	c := replica(nil)
	for _, n := range turns {
		if fit(t, c, m, history("alone", n)).Changed {
			compactions++
		}
	}
	return int(m.calls.Load()), compactions
}

// once tests that concurrent requests to several replicas lead to one compaction, and that all replicas send its
// result.
func once(t *testing.T, s Backend) {
	calls, _ := alone(t, 12)
	m := &model{took: 100 * time.Millisecond}
	var replicas []*ctxfold.Compactor
	for range 4 {
		replicas = append(replicas, replica(s.Connect()))
	}
	var mu sync.Mutex
	var sent [][]byte
	var changed int
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			r := fit(t, replicas[i%len(replicas)], m, history("once", 12))
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, r.Messages)
			if r.Changed {
				changed++
			}
		})
	}
	wg.Wait()
	if changed != 1 || int(m.calls.Load()) != calls {
		t.Errorf("%d compactions with %d calls, and not one with %d", changed, m.calls.Load(), calls)
	}
	if slices.ContainsFunc(sent, func(s []byte) bool { return !bytes.Equal(s, sent[0]) }) {
		t.Error("not all send the same")
	}
	// Turns that are spread over the replicas need as many compactions as turns of a single replica.
	turns := []int{13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}
	_, want := alone(t, append([]int{12}, turns...)...)
	for i, n := range turns {
		if fit(t, replicas[i%len(replicas)], m, history("once", n)).Changed {
			changed++
		}
	}
	if changed != want || want < 3 {
		t.Errorf("%d compactions, where one replica makes %d", changed, want)
	}
}

// faulty is a replica's connection to the store that can fail.
type faulty struct {
	records.Shared
	hang, fail, noRenewal atomic.Bool
	refused               chan struct{} // if not nil, closed as soon as a lease is refused
	once                  sync.Once
}

func (f *faulty) fault(ctx context.Context) error {
	switch {
	case f.hang.Load():
		<-ctx.Done()
		return ctx.Err()
	case f.fail.Load():
		return fmt.Errorf("connection refused")
	}
	return nil
}

func (f *faulty) Find(ctx context.Context, keys []string) ([]byte, int, error) {
	if err := f.fault(ctx); err != nil {
		return nil, 0, err
	}
	return f.Shared.Find(ctx, keys)
}

func (f *faulty) Keep(ctx context.Context, keys []string, record []byte) error {
	if err := f.fault(ctx); err != nil {
		return err
	}
	return f.Shared.Keep(ctx, keys, record)
}

func (f *faulty) Lease(ctx context.Context, keys []string, holder string, ttl time.Duration) (bool, error) {
	if err := f.fault(ctx); err != nil {
		return false, err
	}
	granted, err := f.Shared.Lease(ctx, keys, holder, ttl)
	if !granted && err == nil && f.refused != nil {
		f.once.Do(func() { close(f.refused) })
	}
	return granted, err
}

func (f *faulty) Renew(ctx context.Context, key, holder string, ttl time.Duration) (bool, error) {
	if f.noRenewal.Load() {
		return true, nil
	}
	if err := f.fault(ctx); err != nil {
		return false, err
	}
	return f.Shared.Renew(ctx, key, holder, ttl)
}

func (f *faulty) Release(ctx context.Context, key, holder string) error {
	if err := f.fault(ctx); err != nil {
		return err
	}
	return f.Shared.Release(ctx, key, holder)
}

func (f *faulty) KeepLeased(ctx context.Context, key, holder string, keys []string, record []byte) (bool, error) {
	if err := f.fault(ctx); err != nil {
		return false, err
	}
	return f.Shared.KeepLeased(ctx, key, holder, keys, record)
}

// death tests a replica that dies during a compaction: another replica waits until its lease ends, and then repeats the compaction.
func death(t *testing.T, s Backend) {
	dying := &faulty{Shared: s.Connect()}
	asked, buried := make(chan struct{}), make(chan struct{})
	ctx, kill := context.WithCancel(t.Context())
	go func() {
		defer close(buried)
		_, _ = hasty(dying).Fit(ctx, ctxfold.Input{Messages: history("death", 12), Policy: ctxfold.RawPolicy(policy), Format: "openai-chat"},
			ctxfold.SummarizerFunc(func(ctx context.Context, _ ctxfold.Request) (ctxfold.Summary, error) {
				select {
				case asked <- struct{}{}:
				case <-ctx.Done():
				}
				<-ctx.Done()
				return ctxfold.Summary{}, ctx.Err()
			}))
	}()
	<-asked
	dying.fail.Store(true)
	kill()
	<-buried
	calls, _ := alone(t, 12)
	m := &model{}
	r := s.expired(t, m, history("death", 12))
	runtime.KeepAlive(dying) // in a directory store, a lease ends only with its program, which is still running here
	if !r.Changed || int(m.calls.Load()) != calls {
		t.Errorf("%v with %d calls", r.Reason, m.calls.Load())
	}
}

// expired calls Fit on a new replica, which has to wait for another replica's short lease. As soon as it waits,
// expired lets that lease end.
func (s Backend) expired(t *testing.T, m *model, messages []byte) *ctxfold.Result {
	waiting := &faulty{Shared: s.Connect(), refused: make(chan struct{})}
	done := make(chan *ctxfold.Result)
	go func() { done <- fit(t, replica(waiting), m, messages) }()
	<-waiting.refused
	s.pass(short)
	return <-done
}

// suspended tests a replica that is suspended for longer than its lease. It must return the result that another replica has made in the
// meantime.
func suspended(t *testing.T, s Backend) {
	slow := &faulty{Shared: s.Connect()}
	slow.noRenewal.Store(true)
	late := make(chan *ctxfold.Result)
	m := &model{until: make(chan struct{})}
	go func() { late <- fit(t, hasty(slow), m, history("suspended", 12)) }()
	for m.calls.Load() == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	first := s.expired(t, &model{}, history("suspended", 12))
	close(m.until)
	second := <-late
	if !first.Changed || second.Changed || !bytes.Equal(first.Messages, second.Messages) {
		t.Errorf("%s and %s; the same is sent: %v", first.Reason, second.Reason, bytes.Equal(first.Messages, second.Messages))
	}
	if third := fit(t, replica(s.Connect()), m, history("suspended", 12)); third.Changed || !bytes.Equal(first.Messages, third.Messages) {
		t.Errorf("a third replica: %s", third.Reason)
	}
}

// failing tests a store that fails. Each replica then continues with the records in its memory. When the store works
// again, all replicas find the compactions made in the meantime.
func failing(t *testing.T, s Backend) {
	outage(t, s, func(f *faulty, down bool) { f.fail.Store(down) })
}

// hanging tests a store that doesn't respond. Some turns then take as long as the timeout for one call.
func hanging(t *testing.T, s Backend) {
	outage(t, s, func(f *faulty, down bool) { f.hang.Store(down) })
}

func outage(t *testing.T, s Backend, set func(f *faulty, down bool)) {
	turns := []int{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}
	_, want := alone(t, turns...)
	links := []*faulty{{Shared: s.Connect()}, {Shared: s.Connect()}}
	replicas := []*ctxfold.Compactor{replica(links[0]), replica(links[1])}
	m := &model{}
	compactions := 0
	turn := func(i, n int) {
		if fit(t, replicas[i%2], m, history("outage", n)).Changed {
			compactions++
		}
	}
	for i, n := range turns[:4] {
		turn(i, n)
	}
	for _, link := range links {
		set(link, true)
	}
	for i, n := range turns[4:] {
		turn(i, n)
	}
	// During an outage each replica makes its own compactions.
	if compactions < want || compactions > 2*want {
		t.Errorf("%d compactions, where one replica with a store makes %d", compactions, want)
	}
	for _, link := range links {
		set(link, false)
	}
	last := turns[len(turns)-1]
	for range 2 { // wait out the pause in which replicas don't call a store that failed
		time.Sleep(3200 * time.Millisecond)
		for i := range replicas {
			turn(i, last)
		}
		if r := fit(t, replica(s.Connect()), m, history("outage", last)); !r.Changed {
			return
		}
	}
	t.Error("what was made without the store did not get there")
}

// Each calls each method of a store once. The test fails if a call does.
func Each(t *testing.T, r records.Shared) {
	t.Helper()
	must(t, true)(r.Lease(t.Context(), keys(5, 1), "a", lasting))
	must(t, true)(r.Renew(t.Context(), key("k", 5), "a", lasting))
	must(t, true)(r.KeepLeased(t.Context(), key("k", 5), "a", keys(5, 4), []byte("one")))
	if err := r.Keep(t.Context(), keys(3, 3), []byte("two")); err != nil {
		t.Fatal(err)
	}
	if err := r.Release(t.Context(), key("k", 5), "a"); err != nil {
		t.Fatal(err)
	}
	if one, two := found(t, r, keys(4, 1)...), found(t, r, keys(3, 1)...); one != "0 one" || two != "0 two" {
		t.Errorf("%q, %q", one, two)
	}
}

// Line is a connection to a server that can be cut, can hang, and can be repaired, like a Link of package servers.
type Line interface {
	Cut()
	Hang()
	Mend()
	At() string
}

// hurried is a store whose calls are abandoned almost immediately while late is set.
type hurried struct {
	records.Shared
	late atomic.Bool
}

func (h *hurried) Find(ctx context.Context, keys []string) ([]byte, int, error) {
	if h.late.Load() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
	}
	return h.Shared.Find(ctx, keys)
}

// TestLine serves turns of conversations over a real connection that is cut, hangs, and is repaired.
func TestLine(t *testing.T, line Line, connect func(address string) records.Shared) {
	records := &hurried{Shared: connect(line.At())}
	c := replica(records)
	m := &model{}
	turn := func(name string, n int) bool {
		t.Helper()
		return fit(t, c, m, history(name, n)).Changed
	}
	// After a failure the store is not called for three seconds.
	const pause = 3200 * time.Millisecond
	if !turn("cut", 12) || turn("cut", 12) {
		t.Error("compacted twice, or not at all")
	}
	line.Cut()
	if turn("cut", 12) || !turn("meanwhile", 12) || turn("meanwhile", 12) {
		t.Error("cut: what the replica knows itself is compacted again, or nothing is")
	}
	line.Mend()
	time.Sleep(pause)
	if turn("cut", 12) || turn("meanwhile", 12) {
		t.Error("mended: compacted again")
	}
	another := replica(connect(line.At()))
	if r := fit(t, another, m, history("meanwhile", 12)); r.Changed {
		t.Error("repaired: another replica compacts the same history again")
	}
	line.Hang()
	records.late.Store(true)
	for range 2 {
		if turn("cut", 12) {
			t.Error("hanging: compacted again")
		}
	}
	records.late.Store(false)
	line.Mend()
	time.Sleep(pause)
	if turn("cut", 12) {
		t.Error("mended again: compacted again")
	}
}

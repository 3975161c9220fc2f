package ctxfold

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/guard"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// job executes the effects that a job of core requests. The job in core makes all decisions (docs/inside/loop.md).
type job struct {
	c         *Compactor
	s         Summarizer // nil if there is no model
	store     Store      // nil keeps nothing
	count     func(context.Context, json.RawMessage) (int, error)
	onDelta   func(SummaryDelta)
	owner     string
	remembers bool            // whether the job has records and leases, and may start background jobs
	messages  json.RawMessage // the whole history
	carry     carrier

	start    time.Time // start of the job by the monotonic clock
	began    time.Time // start of the job by the Compactor's clock
	asked    map[int]*asked
	answers  chan api.EffectResult
	over     chan struct{}
	leases   map[string]*holding // the leases that the job holds, by key
	blocked  *holding            // the lease in this process that the job waits for, if any
	cause    error               // why a store failed
	behind   *background         // this job's entry among the background jobs, if it runs in the background
	begun    *background         // the background job that this job started
	turn     *turn               // the conversation turn that this job belongs to, if any
	lastHead []member            // the members of a background job's first request
}

// carrier runs one operation of a job in the core. If needed is true, it adds the conversation's messages or its
// session to the request.
type carrier func(ctx context.Context, op operations.Op, needed bool, members ...member) (*progress, error)

// progress is an [api.JobProgress] that also decodes the result.
//
//easyjson:json
type progress struct {
	Job           api.Raw         `json:"job"`
	NeedsMessages bool            `json:"needs_messages"`
	Effects       []api.Effect    `json:"effects"`
	Failure       *api.JobFailure `json:"failure"`
	Check         *api.Check      `json:"check"`
	Notes         *api.TurnNotes  `json:"notes"`
	Result        *api.Planned    `json:"result"`
}

// over returns a carrier for jobs that work on the given messages.
func (c *Compactor) over(messages json.RawMessage) carrier {
	return func(ctx context.Context, op operations.Op, needed bool, members ...member) (p *progress, err error) {
		if needed {
			members = append(members, messagesMember(messages))
		}
		p = new(progress)
		_, err = c.do(ctx, op, p, newEnvelope(members...))
		return p, err
	}
}

// settings returns the job settings that describe the host's capabilities and the Compactor's limits.
func (j *job) settings(next NextCall) api.JobSettings {
	s := api.JobSettings{Owner: j.owner, Model: next.Model, Provider: next.Provider, Concurrency: min(j.c.concurrency, maxConcurrency), StoreTimeout: -1,
		SummaryTimeout: milliseconds(j.c.timeout), Lease: min(max(milliseconds(j.c.leaseTime), shortestLease), longestLease),
		Can: []api.EffectName{api.EffectWait, api.EffectEmit, api.EffectCancel}}
	if j.s != nil {
		s.Can = append(s.Can, api.EffectAsk)
		prefix, ok := j.s.(PrefixSummarizer)
		s.Prefix = ok && prefix.SummarizesPrefix()
	}
	if j.store != nil {
		s.Can = append(s.Can, api.EffectPut)
	}
	if j.count != nil {
		s.Can = append(s.Can, api.EffectCount)
	}
	if j.turn != nil {
		s.Can = append(s.Can, api.EffectEnter, api.EffectBefore, api.EffectBegin, api.EffectStop)
	}
	if j.remembers {
		s.Can = append(s.Can, api.EffectLoad, api.EffectSave, api.EffectLease, api.EffectRelease)
		if j.s != nil {
			s.Can = append(s.Can, api.EffectBegin, api.EffectStop)
			s.Running = j.c.background.running(j.owner)
		}
	}
	return s
}

// Limits of the job settings: the maximum number of concurrent requests, and times in milliseconds.
const (
	maxConcurrency              = 64
	longestTimeout              = 86_400_000
	shortestLease, longestLease = 100, 3_600_000
)

// milliseconds converts a time limit to milliseconds; -1 means no limit.
func milliseconds(d time.Duration) int64 {
	if d < 0 || d.Milliseconds() > longestTimeout {
		return -1
	}
	return max(1, d.Milliseconds())
}

// now returns the time in milliseconds since 1970. During a job it advances with the monotonic clock, so setting the
// system clock doesn't affect the job.
func (j *job) now() int64 { return j.began.Add(time.Since(j.start)).UnixMilli() }

// run runs a job and returns the result of its operation; nil for a background job that had nothing to do, and for a
// turn that compacted nothing.
func (j *job) run(ctx context.Context, settings api.JobSettings, head ...member) (*api.Planned, error) {
	j.start, j.began, j.lastHead = time.Now(), j.c.now(), head
	j.asked, j.answers, j.over, j.leases = map[int]*asked{}, make(chan api.EffectResult), make(chan struct{}), map[string]*holding{}
	settings.Now, settings.Seed = j.now(), rand.Uint32()
	defer j.end(ctx)
	p, err := j.carry(ctx, operations.OpLoopStart, true, append(head, member{operations.InSettings, marshal(&settings)})...)
	for err == nil && p.Job != nil {
		var event api.JobEvent
		if event.Results, err = j.execute(ctx, p.Effects); err != nil {
			return nil, err
		}
		event.Now = j.now()
		p, err = j.carry(ctx, operations.OpLoopEvent, p.NeedsMessages, member{operations.InJob, p.Job}, member{operations.InEvent, marshal(&event)})
	}
	if err != nil {
		return nil, err
	}
	for i := range p.Effects {
		if _, _, err := j.effect(context.WithoutCancel(ctx), &p.Effects[i]); err != nil {
			return nil, err
		}
	}
	switch {
	case p.Failure != nil:
		return nil, j.failed(p.Failure)
	case p.Result == nil:
		return nil, nil
	}
	j.c.metrics.Compaction(p.Result.Report)
	return p.Result, nil
}

// end cancels pending effects and releases the leases of an abandoned job.
func (j *job) end(ctx context.Context) {
	close(j.over)
	for _, a := range j.asked {
		a.stop()
	}
	for key, h := range j.leases {
		j.release(context.WithoutCancel(ctx), key, h.holder)
	}
}

// failed converts the failure of a job to an error.
func (j *job) failed(f *api.JobFailure) error {
	if f.Code == api.FailureStore && j.cause != nil {
		return fmt.Errorf("ctxfold: %w: %w", ErrStore, j.cause)
	}
	return &Error{Code: api.Code(f.Code), Message: f.Message, Path: f.Path, Input: root(f.Path), Offset: f.Offset}
}

// result converts the answer of a finished job to a Result.
func (j *job) result(a *api.Planned, err error) (*Result, error) {
	if err != nil {
		return nil, err
	}
	r := resultOf(a)
	if j.begun != nil {
		r.BackgroundDone = j.begun.over
	}
	return r, nil
}

func resultOf(a *api.Planned) *Result {
	return &Result{Messages: a.Messages, Edits: a.Edits, State: a.State, Report: a.Report, Changed: a.Report.Changed, Reason: a.Report.Reason,
		Archive: a.Archive, Known: a.KnownMessages}
}

// execute executes the effects that the job requests. It returns as soon as there are results, or without results when the requested wait
// is over. It fails only if ctx ends, a function of the program fails, or an answer breaks the ABI.
func (j *job) execute(ctx context.Context, effects []api.Effect) (results []api.EffectResult, err error) {
	var wait *api.Effect
	for i := range effects {
		e := &effects[i]
		if e.Effect == api.EffectWait {
			wait = e
			continue
		}
		r, answered, err := j.effect(ctx, e)
		if err != nil {
			return nil, err
		}
		if answered {
			r.ID = e.ID
			results = append(results, r)
		}
	}
	if len(results) > 0 {
		return results, nil
	}
	return j.await(ctx, wait)
}

// await waits for a response from the model, for the time wait.Until, or for the end of the lease that blocks the job,
// whichever comes first. It returns all responses that have arrived, which may be none, and fails only if ctx ends. If
// wait is nil, it only waits for responses.
func (j *job) await(ctx context.Context, wait *api.Effect) ([]api.EffectResult, error) {
	var timer <-chan time.Time
	var ended <-chan struct{}
	if wait != nil {
		timer = time.After(time.Duration(max(0, wait.Until-j.now())) * time.Millisecond)
		if wait.Key != "" && j.blocked != nil {
			ended = j.blocked.ended
		}
	}
	var results []api.EffectResult
	select {
	case r := <-j.answers:
		results = j.take(results, r)
	case <-timer:
	case <-ended:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for { // more responses may have arrived
		select {
		case r := <-j.answers:
			results = j.take(results, r)
			continue
		default:
		}
		return results, ctx.Err()
	}
}

func (j *job) take(results []api.EffectResult, r api.EffectResult) []api.EffectResult {
	if a := j.asked[r.ID]; a != nil {
		delete(j.asked, r.ID)
		a.stop()
	}
	return append(results, r)
}

// effect executes any effect except a wait. If answered is true, r is its result; otherwise the result comes later,
// or never. An error ends the job; failures that the job can handle are in r.
func (j *job) effect(ctx context.Context, e *api.Effect) (r api.EffectResult, answered bool, err error) {
	switch e.Effect {
	case api.EffectLoad:
		r, err = j.load(ctx, e)
	case api.EffectSave:
		r = j.save(ctx, e)
	case api.EffectLease:
		r, err = j.lease(ctx, e)
	case api.EffectPut:
		r, err = j.put(ctx, e)
	case api.EffectCount:
		if err = contain("CountTokens", func() (err error) { r.Tokens, err = j.count(ctx, json.RawMessage(e.Messages)); return err }); err != nil {
			err = fmt.Errorf("ctxfold: counting tokens: %w", err)
		}
	case api.EffectEnter:
		err = j.turn.enter(ctx)
	case api.EffectBefore:
		r, err = j.turn.before(ctx, e.Beginning)
	case api.EffectAsk:
		return r, false, j.ask(ctx, e)
	case api.EffectCancel:
		if a := j.asked[e.Target]; a != nil {
			delete(j.asked, e.Target)
			a.stop()
		}
	case api.EffectRelease:
		j.release(context.WithoutCancel(ctx), e.Keys[0], e.Holder)
	case api.EffectBegin:
		j.begin(ctx, e)
	case api.EffectStop:
		if b := j.c.background.find(e.Target); b != nil {
			b.cancel()
		}
	case api.EffectEmit:
		j.c.log.Warn("ctxfold: "+string(e.Notice.Name), "message", e.Notice.Message)
	}
	return r, e.ID != 0, err
}

func (j *job) load(ctx context.Context, e *api.Effect) (r api.EffectResult, err error) {
	record, at, err := j.c.records.Find(ctx, e.Keys)
	if record != nil {
		text := string(record)
		r.Record, r.At = &text, at
	}
	return r, err
}

// save saves a record even if ctx has been cancelled, because the compaction has already been paid for.
func (j *job) save(ctx context.Context, e *api.Effect) (r api.EffectResult) {
	ctx = context.WithoutCancel(ctx)
	if e.Holder == "" {
		return api.EffectResult{Done: j.c.records.Keep(ctx, e.Keys, []byte(e.Record)) == nil}
	}
	r.Done, _ = j.c.records.KeepLeased(ctx, e.Lease, e.Holder, e.Keys, []byte(e.Record))
	return r
}

// lease acquires or renews a lease for the job. r.Done reports whether the job holds it.
func (j *job) lease(ctx context.Context, e *api.Effect) (r api.EffectResult, err error) {
	key, ttl := e.Keys[0], time.Duration(e.TTL)*time.Millisecond
	if h := j.leases[key]; h != nil && h.holder == e.Holder {
		r.Done, err = j.c.records.Renew(ctx, key, e.Holder, ttl)
		return r, err
	}
	if j.behind != nil {
		j.c.background.leases(j.behind, e.Keys)
	}
	if r.Done, err = j.c.records.Lease(ctx, e.Keys, e.Holder, ttl); err != nil {
		return r, err
	}
	if r.Done {
		j.blocked, j.leases[key] = nil, j.c.leases.grant(key, e.Holder)
	} else {
		j.blocked = j.c.leases.find(e.Keys)
	}
	return r, nil
}

func (j *job) release(ctx context.Context, key, holder string) {
	_ = j.c.records.Release(ctx, key, holder)
	if h := j.leases[key]; h != nil && h.holder == holder {
		delete(j.leases, key)
		j.c.leases.end(key, h)
	}
}

// put stores a body. r.Error is the error of the store, if it failed; err is set only if ctx has
// ended or the effect can't be decoded.
func (j *job) put(ctx context.Context, e *api.Effect) (r api.EffectResult, err error) {
	var body string
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return r, fmt.Errorf("ctxfold: the answer breaks the ABI: %w", err)
	}
	err = guard.Call(ctx, func() error { return j.store.Put(ctx, e.Handle, []byte(body)) })
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err != nil {
		j.c.log.Warn("ctxfold: a body could not be stored", "bytes", len(body), "error", err)
		j.cause, r.Error = err, err.Error()
	}
	return r, nil
}

// begin starts a background job for the same messages, unless one is running already. The job outlives the call and
// saves its result for later calls.
func (j *job) begin(ctx context.Context, e *api.Effect) {
	if j.turn != nil {
		j.turn.begin(ctx, e)
		return
	}
	if e.Target != 0 {
		j.begun = j.c.background.find(e.Target)
		return
	}
	messages := bytes.Clone(j.messages) // the caller may modify its bytes
	work := &job{c: j.c, s: j.s, store: j.store, onDelta: j.onDelta, remembers: true, messages: messages, carry: j.c.over(messages)}
	settings, head := *e.Settings, slices.Clone(j.lastHead)
	j.c.background.begin(ctx, j.owner, e.Keys, func(b *background) { j.begun, work.behind = b, b }, func(ctx context.Context) {
		if _, err := work.run(ctx, settings, head...); err != nil && ctx.Err() == nil {
			j.c.log.Warn("ctxfold: a compaction in the background could not be made", "error", err)
		}
		if h := work.blocked; h != nil { // the job that holds the lease makes the compaction
			select {
			case <-h.ended:
			case <-ctx.Done():
			}
		}
	})
}

// background is a job that runs in the background.
type background struct {
	id     int
	owner  string
	keys   []string // the keys of the last lease that the job requested; nil for a conversation
	cancel context.CancelFunc
	over   chan struct{} // closed when the job has ended
}

// backgrounds is the set of running background jobs.
type backgrounds struct {
	mu   sync.Mutex
	last int // the last id that was assigned
	all  []*background
}

// begin runs work in a goroutine that outlives ctx. Before that, it calls ready with the entry of the new job.
func (l *backgrounds) begin(ctx context.Context, owner string, keys []string, ready func(*background), work func(context.Context)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	b := &background{id: l.last, owner: owner, keys: keys, cancel: cancel, over: make(chan struct{})}
	l.all = append(l.all, b)
	ready(b)
	go func() {
		work(ctx)
		cancel()
		l.mu.Lock()
		l.all = slices.DeleteFunc(l.all, func(other *background) bool { return other == b })
		l.mu.Unlock()
		close(b.over)
	}()
}

// leases records the keys of the lease that b has requested.
func (l *backgrounds) leases(b *background, keys []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b.keys = keys
}

// running returns the background jobs of an owner, except those of conversations. A job without a lease isn't among
// them.
func (l *backgrounds) running(owner string) (list []api.RunningJob) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.all {
		if b.owner == owner && len(b.keys) > 0 {
			list = append(list, api.RunningJob{ID: b.id, Keys: b.keys})
		}
	}
	return list
}

// find returns the background job with the given id, or nil if it has ended.
func (l *backgrounds) find(id int) *background {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.all {
		if b.id == id {
			return b
		}
	}
	return nil
}

// cancel cancels all background jobs.
func (l *backgrounds) cancel() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.all {
		b.cancel()
	}
}

// holdings are the leases that jobs in this process hold. They let a waiting job notice immediately that a lease has
// ended.
type holdings struct {
	mu  sync.Mutex
	all map[string]*holding // by key
}

type holding struct {
	holder string
	ended  chan struct{} // closed when the lease is released
}

func (l *holdings) grant(key, holder string) *holding {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := &holding{holder: holder, ended: make(chan struct{})}
	if l.all == nil {
		l.all = map[string]*holding{}
	}
	l.all[key] = h
	return h
}

// find returns a lease on one of the given keys, or nil.
func (l *holdings) find(keys []string) *holding {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range keys {
		if h := l.all[key]; h != nil {
			return h
		}
	}
	return nil
}

func (l *holdings) end(key string, h *holding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all[key] == h {
		delete(l.all, key)
	}
	close(h.ended)
}

package core_test

import (
	"cmp"
	"container/heap"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
)

// world is the environment of the jobs in a simulation: time, a store of records and one of bodies, leases, a model, and replicas that
// crash. All of it is determined by a seed.
type world struct {
	core    jobCore
	now     int64
	random  *rand.Rand
	faults  faults
	queue   occasions
	count   int
	records map[string]savedRecord
	leases  map[string]simulatedLease
	bodies  map[string]string
	saves   int
	made    int             // saves of a compaction
	begun   int             // jobs in the background
	stopped int             // of those
	adopted int             // results that a kept conversation has continued with
	forgets bool            // records keep only some compactions
	waited  int             // waits for somebody else's lease
	jobs    []*simulatedJob // all that were started
	asked   int             // requests that the model was asked
	down    int64           // until when the model answers nobody
	waiting map[string][]func()
	notices map[api.NoticeName]int
	refused bool           // to store a body: what was removed is only in a result
	stalls  map[*int]int64 // until when a replica does nothing
	options string         // more options of the jobs that start, as JSON
	wrong   string         // the first invariant that did not hold
}

// faults are the failures, in percent of all effects of a kind.
type faults struct {
	loads, saves, leases, puts, silence, asks, busy, incomplete, slow, duplicates, clock int
}

type savedRecord struct {
	text     string
	revision int
}

type simulatedLease struct {
	holder string
	until  int64
}

type occasion struct {
	at    int64
	order int
	do    func()
}

type occasions []occasion

func (q occasions) Len() int { return len(q) }
func (q occasions) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q occasions) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *occasions) Push(x any)   { *q = append(*q, x.(occasion)) }
func (q *occasions) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func newWorld(seed uint64, f faults) *world {
	return &world{core: wholeCore{}, now: 1_700_000_000_000, random: rand.New(rand.NewPCG(seed, 0)), faults: f, records: map[string]savedRecord{},
		leases: map[string]simulatedLease{}, bodies: map[string]string{}, waiting: map[string][]func(){}, notices: map[api.NoticeName]int{},
		stalls: map[*int]int64{}}
}

// calm reports whether nothing fails, apart from crashes and a model that is down.
func (w *world) calm() bool { return w.faults == (faults{}) }

// fails reports at random whether something fails.
func (w *world) fails(percent int) bool { return w.random.IntN(100) < percent }

func (w *world) after(delay int64, do func()) {
	w.count++
	heap.Push(&w.queue, occasion{w.now + max(0, delay), w.count, do})
}

// run processes events until there are none left, or the time is over.
func (w *world) run(until int64) {
	for len(w.queue) > 0 && w.queue[0].at <= until && w.wrong == "" {
		next := heap.Pop(&w.queue).(occasion)
		w.now = max(w.now, next.at)
		next.do()
	}
	w.now = max(w.now, until)
}

// stall suspends a replica after a delay. resumed waits until it is not suspended.
func (w *world) stall(replica *int, number int) {
	w.after(int64(number)*20, func() { w.stalls[replica] = w.now + int64(number)*60 })
}

func (w *world) resumed(replica *int) {
	for w.stalls[replica] > w.now && w.wrong == "" {
		w.run(w.stalls[replica])
	}
}

func (w *world) violated(format string, of ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, of...)
	}
}

// simulatedJob is a job with the host that carries it.
type simulatedJob struct {
	w         *world
	name      string
	replica   *int // how often the replica has crashed
	crashes   int
	messages  string
	policy    string
	settings  api.JobSettings
	job       api.Raw
	flights   map[int]api.EffectName // all effects that have a result
	open      map[int]bool           // those of them without a result so far
	wait      int                    // counts the waits; only the last one counts
	asked     map[string]int         // how often each request was asked since the job has looked for records or started over
	asking    string                 // the newest request, until the last one that is in flight has an answer
	events    int
	began     int64
	holder    string
	leaseKey  string
	free      bool // it may compact without a lease
	lost      int  // leases
	done      bool
	dead      bool
	asks      int
	result    map[string]json.RawMessage
	failure   *api.JobFailure
	cancelled bool
	stopped   bool     // in the background, by another job
	adopts    bool     // its messages are what an earlier job sent, and more
	refuses   bool     // the host says it can do something, and cannot
	leased    []string // the keys of the newest lease that it has asked for
	then      func(*simulatedJob)
	kept      *keptApp // the conversation of a turn
	length    int      // number of its messages when the job was given them last
	needs     bool     // whether the next event must come with the messages
	entering  int      // the effect with which it wants to enter
}

// allEffects lists the effects that a complete host executes.
var allEffects = []api.EffectName{api.EffectLoad, api.EffectSave, api.EffectLease, api.EffectPut, api.EffectAsk, api.EffectWait, api.EffectBegin,
	api.EffectStop, api.EffectEmit}

// start starts a job on a replica.
func (w *world) start(name string, replica *int, policy, messages string, settings api.JobSettings, then func(*simulatedJob)) *simulatedJob {
	j := &simulatedJob{w: w, name: name, replica: replica, crashes: *replica, policy: policy, messages: messages, settings: settings,
		flights: map[int]api.EffectName{}, open: map[int]bool{}, asked: map[string]int{}, began: w.now, then: then}
	w.jobs = append(w.jobs, j)
	if settings.Records == api.RecordsByOwner && w.random.IntN(2) == 0 { // a host that has the record at hand
		r := w.load(&api.Effect{Keys: []string{settings.Owner}})
		j.settings.Loaded = &r
	}
	for i, other := range w.jobs {
		if other.settings.Background && other.settings.Owner == settings.Owner && other.replica == replica && !other.done && !other.dead && len(other.leased) > 0 {
			j.settings.Running = append(j.settings.Running, api.RunningJob{ID: i + 1, Keys: other.leased})
		}
	}
	j.begin()
	return j
}

// begin makes the first call.
func (j *simulatedJob) begin() {
	w := j.w
	j.settings.Now, j.settings.Seed = w.now, w.random.Uint32()
	j.progress(w.core.start(j, j.grown()))
}

// grown returns the current messages.
func (j *simulatedJob) grown() string {
	if j.kept != nil {
		j.messages, j.length = "["+strings.Join(j.kept.texts(), ",")+"]", len(j.kept.list)
	}
	return j.messages
}

// event passes an event to the job.
func (j *simulatedJob) event(e api.JobEvent) {
	if *j.replica != j.crashes {
		j.dead = true
	}
	if j.done || j.dead || j.w.wrong != "" {
		return
	}
	if until := j.w.stalls[j.replica]; until > j.w.now {
		j.w.after(until-j.w.now, func() { j.event(e) })
		return
	}
	if j.events++; j.events > 5000 {
		j.w.violated("%s: a job does not end", j.name)
		return
	}
	for _, r := range e.Results {
		delete(j.open, r.ID)
	}
	e.Now = j.w.now
	if j.w.fails(j.w.faults.clock) {
		e.Now -= int64(j.w.random.IntN(10_000))
	}
	messages := ""
	if j.needs {
		messages = j.grown()
	}
	j.progress(j.w.core.event(j, &e, messages))
}

// progress executes the effects that a job requests.
func (j *simulatedJob) progress(p *api.JobProgress) {
	if p == nil {
		return
	}
	j.job, j.needs = p.Job, p.NeedsMessages
	if size := len(p.Job); size > 64*(len(j.messages)+4096) {
		j.w.violated("%s: a job of %d bytes for %d bytes of messages", j.name, size, len(j.messages))
	}
	if j.kept != nil && p.Notes != nil && j.settings.Turn.Moment != api.TurnBackground {
		j.kept.notes = p.Notes
	}
	wake := int64(0)
	for i := range p.Effects {
		e := &p.Effects[i]
		switch e.Effect {
		case api.EffectWait:
			wake = e.Until
			if e.Key != "" {
				j.w.waited++
				j.w.waiting[e.Key] = append(j.w.waiting[e.Key], j.awake())
			}
		case api.EffectCancel:
			delete(j.open, e.Target)
			switch j.flights[e.Target] {
			case "":
				j.w.violated("%s: effect %d is cancelled, which was not asked for", j.name, e.Target)
			case api.EffectLease: // it took too long, and the job does without
				j.free = true
			}
		default:
			if e.ID != 0 {
				j.flights[e.ID], j.open[e.ID] = e.Effect, true
			}
			j.execute(e)
		}
	}
	if p.Job == nil {
		j.end(p)
		return
	}
	j.wait++
	if wake == 0 {
		if len(j.open) == 0 {
			j.w.violated("%s: a job waits for nothing", j.name)
		}
		return
	}
	at := j.awake()
	j.w.after(wake-j.w.now+int64(j.w.random.IntN(50)), at)
}

// awake returns a function that calls the job again if it is still waiting in the same way.
func (j *simulatedJob) awake() func() {
	turn := j.wait
	return func() {
		if j.wait == turn || j.wait == turn+1 {
			j.event(api.JobEvent{})
		}
	}
}

func (j *simulatedJob) end(p *api.JobProgress) {
	j.done = true
	j.failure = p.Failure
	if len(p.Result) > 0 && string(p.Result) != "null" {
		if err := json.Unmarshal(p.Result, &j.result); err != nil {
			j.w.violated("%s: %v", j.name, err)
		}
	}
	if took := j.w.now - j.began; took > 30*60_000 {
		j.w.violated("%s: a job took %d s", j.name, took/1000)
	}
	if j.then != nil {
		j.then(j)
	}
}

// answer answers an effect after a delay, and sometimes never or twice.
func (j *simulatedJob) answer(e *api.Effect, delay int64, do func() api.EffectResult) {
	w, id := j.w, e.ID
	if w.fails(w.faults.silence) {
		j.free = j.free || e.Effect == api.EffectLease
		if w.fails(50) { // it happens, and nobody hears of it
			w.after(delay, func() { do() })
		}
		return
	}
	w.after(delay, func() {
		r := api.EffectResult{Refused: true}
		if !j.refuses || w.fails(50) {
			r = do()
		} else {
			j.free, w.refused = true, w.refused || e.Effect == api.EffectPut
		}
		if *j.replica != j.crashes {
			return
		}
		r.ID = id
		j.event(api.JobEvent{Results: []api.EffectResult{r}})
		if w.fails(w.faults.duplicates) {
			w.after(5, func() { j.event(api.JobEvent{Results: []api.EffectResult{r}}) })
		}
	})
}

func (w *world) delay() int64 {
	if w.fails(w.faults.slow) {
		return int64(w.random.IntN(60_000))
	}
	return int64(w.random.IntN(20))
}

// execute executes one effect.
func (j *simulatedJob) execute(e *api.Effect) {
	w := j.w
	if j.kept != nil && j.kept.execute(j, e) {
		return
	}
	switch e.Effect {
	case api.EffectLoad:
		clear(j.asked)
		j.answer(e, w.delay(), func() api.EffectResult { return w.load(e) })
	case api.EffectSave:
		if e.ID == 0 {
			w.after(w.delay(), func() { w.save(e) })
			return
		}
		j.answer(e, w.delay(), func() api.EffectResult {
			r := w.save(e)
			if !r.Done && r.Error == "" && e.Holder != "" {
				j.loses()
			}
			if l := w.leases[j.leaseKey]; r.Done && e.IfRevision == nil && strings.Contains(e.Record, `"entries":[{`) && j.leases() && j.lost < 2 &&
				w.now-j.began < 200_000 && (l.holder != j.holder || l.until <= w.now) {
				w.violated("%s: a compaction is saved without a lease", j.name)
			}
			return r
		})
	case api.EffectLease:
		if len(e.Keys) > 1 {
			j.leased = e.Keys
		}
		j.answer(e, w.delay(), func() api.EffectResult {
			r := w.lease(e)
			if !r.Done && e.Holder == j.holder {
				j.loses()
			}
			if r.Done {
				j.holder, j.leaseKey = e.Holder, e.Keys[0]
			} else if r.Error != "" {
				j.free = true
			}
			return r
		})
	case api.EffectRelease:
		w.release(e.Keys[0], e.Holder)
	case api.EffectPut:
		j.answer(e, w.delay(), func() api.EffectResult {
			if w.fails(w.faults.puts) {
				return api.EffectResult{Error: "the disk is full"}
			}
			w.bodies[e.Handle] = string(e.Body)
			return api.EffectResult{}
		})
	case api.EffectAsk:
		j.ask(e)
	case api.EffectCount:
		j.answer(e, w.delay(), func() api.EffectResult { return api.EffectResult{Tokens: j.count(e)} })
	case api.EffectStop:
		w.stopped++
		stopped := w.jobs[e.Target-1]
		stopped.stopped = true
		w.after(0, func() {
			stopped.cancelled = true
			stopped.event(api.JobEvent{Cancel: true})
		})
	case api.EffectBegin:
		if e.Target > 0 {
			other := w.jobs[e.Target-1]
			if !other.settings.Background {
				w.violated("%s: a job that compacts in the background is none", j.name)
			}
			if !other.done && !other.dead {
				return
			}
		}
		for _, r := range j.settings.Running {
			other := w.jobs[r.ID-1]
			if e.Target == 0 && j.holder == "" && !other.done && !other.dead && !other.stopped && slices.Contains(e.Keys, r.Keys[0]) {
				w.violated("%s: a second job begins to compact the history in the background", j.name)
			}
		}
		w.begun++
		s := *e.Settings
		w.start(j.name+" in the background", j.replica, j.policy, j.messages, s, nil)
	case api.EffectEmit:
		w.notices[e.Notice.Name]++
	default:
		w.violated("%s: the effect %q, which the host cannot execute", j.name, e.Effect)
	}
}

// count counts the tokens of the input after an effect's edits.
func (j *simulatedJob) count(e *api.Effect) (tokens int) {
	sent, _, err := edited(json.RawMessage(e.Edits), elements(j.messages))
	if err != nil {
		j.w.violated("%s: what cannot be counted: %s", j.name, e.Edits)
	}
	for _, m := range sent {
		tokens += len(m) / 4
	}
	return tokens
}

func (w *world) load(e *api.Effect) api.EffectResult {
	if w.fails(w.faults.loads) {
		return api.EffectResult{Error: "the store does not answer"}
	}
	for i, key := range e.Keys {
		if r, ok := w.records[key]; ok {
			return api.EffectResult{Record: &r.text, At: i, Revision: fmt.Sprint(r.revision)}
		}
	}
	return api.EffectResult{}
}

func (w *world) save(e *api.Effect) api.EffectResult {
	if w.fails(w.faults.saves) {
		return api.EffectResult{Error: "the store does not answer"}
	}
	if len(e.Keys) == 0 || e.Record == "" {
		w.violated("a save without keys or record")
	}
	if e.IfRevision != nil {
		now := ""
		if r, ok := w.records[e.Keys[0]]; ok {
			now = fmt.Sprint(r.revision)
		}
		if now != *e.IfRevision {
			return api.EffectResult{}
		}
	}
	if l := w.leases[e.Lease]; e.Holder != "" && (l.holder != e.Holder || l.until <= w.now) {
		return api.EffectResult{}
	}
	if e.IfRevision != nil {
		for _, print := range entryPrints(w.records[e.Keys[0]].text, false) {
			if !w.forgets && !slices.Contains(entryPrints(e.Record, true), print) {
				w.violated("the record of an owner loses a compaction")
			}
		}
	}
	w.saves++
	for _, key := range e.Keys {
		w.records[key] = savedRecord{e.Record, w.saves}
	}
	if strings.Contains(e.Record, `"entries":[{`) {
		w.made++
	}
	w.limited(e.Record)
	if len(e.Record) > 8<<20+1<<16 {
		w.violated("a record of %d bytes", len(e.Record))
	}
	return api.EffectResult{Done: true}
}

// storedRecord is what the world reads in a record.
type storedRecord struct {
	Entries []struct {
		Entry struct{ Print string }
		Tries int
	}
	Attempts, Calls []json.RawMessage
}

// limited checks that a record has no more items than the next job reads.
func (w *world) limited(record string) {
	var r storedRecord
	if json.Unmarshal([]byte(record), &r) != nil || len(r.Entries) > 64 || len(r.Attempts) > 16 || len(r.Calls) > 64 {
		w.violated("a record with %d compactions, %d attempts and %d calls: %.300s", len(r.Entries), len(r.Attempts), len(r.Calls), record)
	}
}

// entryPrints returns the prints of the messages that a record's entries have replaced. failed selects entries that were made while the
// model failed.
func entryPrints(record string, failed bool) (prints []string) {
	var r storedRecord
	_ = json.Unmarshal([]byte(record), &r) // without a record there are none
	for _, e := range r.Entries {
		if failed || e.Tries == 0 {
			prints = append(prints, e.Entry.Print)
		}
	}
	return prints
}

func (w *world) lease(e *api.Effect) api.EffectResult {
	if w.fails(w.faults.leases) {
		return api.EffectResult{Error: "the store does not answer"}
	}
	for at, key := range e.Keys {
		if l := w.leases[key]; l.until > w.now && l.holder != e.Holder {
			return api.EffectResult{At: at}
		}
	}
	w.leases[e.Keys[0]] = simulatedLease{e.Holder, w.now + e.TTL}
	return api.EffectResult{Done: true}
}

func (w *world) release(key, holder string) {
	if w.leases[key].holder != holder {
		return
	}
	delete(w.leases, key)
	for _, wake := range w.waiting[key] {
		w.after(0, wake)
	}
	delete(w.waiting, key)
}

// loses counts a lost lease, after which the job starts over.
func (j *simulatedJob) loses() {
	j.lost++
	clear(j.asked)
}

// leases reports whether the job compacts only with a lease.
func (j *simulatedJob) leases() bool {
	for _, e := range []api.EffectName{api.EffectLease, api.EffectWait, api.EffectSave} {
		if !slices.Contains(j.settings.Can, e) {
			return false
		}
	}
	return !j.free
}

// holds reports whether a job has a lease that has not ended.
func (j *simulatedJob) holds() bool {
	l := j.w.leases[j.leaseKey]
	return l.holder == j.holder && l.until > j.w.now
}

// beginsLike reports whether the histories of two jobs have a beginning in common, whatever the first message says.
// Otherwise neither job can use what the other makes, even if both ask the same: one compacts a list to which a
// remembered compaction is applied, the other the list that was sent then, from which its app continued.
func (j *simulatedJob) beginsLike(other *simulatedJob) bool {
	a, b := elements(j.messages), elements(other.messages)
	return a[0] == b[0] || len(a) > 1 && len(b) > 1 && a[1] == b[1]
}

// ask calls the model, which is slow, fails or returns nonsense as often as the faults say.
func (j *simulatedJob) ask(e *api.Effect) {
	w, request := j.w, string(e.Request)
	j.asks++
	w.asked++
	if w.calm() && len(w.stalls) == 0 && j.leases() && !j.holds() {
		w.violated("%s: the model is asked without a lease", j.name)
	}
	most := mostAsked
	if j.settings.Refused || j.settings.Refusal != nil { // once for the known window, and once for a smaller one
		most *= 2
	}
	if j.asked[request]++; j.asked[request] > most {
		w.violated("%s: the model is asked the same %d times", j.name, j.asked[request])
	}
	if most := cmp.Or(j.settings.Concurrency, 4); len(j.open) > most+1 { // and a renewal
		w.violated("%s: %d effects are executed at the same time", j.name, len(j.open))
	}
	if e.Deadline <= w.now-10_000 || e.Deadline > w.now+120_000+10_000 { // the clock may be wrong by ten seconds
		w.violated("%s: the model has %d ms", j.name, e.Deadline-w.now)
	}
	for _, other := range w.jobs {
		if other != j && !other.done && !other.dead && other.asking == request && other.settings.Owner == j.settings.Owner && other.settings.Operation == j.settings.Operation &&
			other.kept == nil && other.leases() && j.leases() && other.holds() && j.holds() && other.beginsLike(j) {
			w.violated("%s: another job with a lease asks the model the same", j.name)
		}
	}
	j.asking = request
	delay := int64(500 + w.random.IntN(20_000))
	j.answer(e, delay, func() api.EffectResult {
		j.asking = ""
		switch {
		case w.now < w.down || w.fails(w.faults.asks):
			return api.EffectResult{Error: "the model failed"}
		case w.fails(w.faults.busy):
			return api.EffectResult{Busy: true, After: int64(w.random.IntN(3)) * 1000, Error: "429"}
		case w.fails(w.faults.incomplete):
			return api.EffectResult{Incomplete: true, Error: "the stream ended"}
		case w.fails(w.faults.asks):
			return api.EffectResult{Summary: &api.Summary{Text: "?"}}
		}
		return api.EffectResult{Summary: &api.Summary{Text: "## Goal\nThe user builds a boat.\n\n## Progress\nThe hull is done, the mast is ordered.\n\n## Next\nPaint it."}}
	})
}

// mostAsked is how often a job asks the model the same while it is busy, before the job looks for records again or starts over.
const mostAsked = 3

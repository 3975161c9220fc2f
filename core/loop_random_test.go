package core_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
)

// schedule lists the actions of apps and the faults in the meantime. It is determined by a seed, and can be shortened action by action.
type schedule struct {
	seed    uint64
	policy  string
	records api.RecordKeys
	faults  faults
	can     []api.EffectName
	before  [2]int // messages that the conversations have at the beginning
	kept    bool   // the host keeps a conversation, instead of apps that keep their histories
	actions []action
}

// action is one action of an app, or one event in the world.
type action struct {
	what         string
	conversation int
	replica      int
	number       int // says what exactly
	gap          int64
}

func (a action) String() string {
	return fmt.Sprintf("%s(conversation %d, replica %d, %d) after %d ms", a.what, a.conversation, a.replica, a.number, a.gap)
}

// whats lists the possible actions; frequent ones are repeated.
var whats = []string{"turn", "turn", "turn", "turn", "turn", "turn", "twice", "edit", "delete", "regenerate", "branch", "volatile", "crash", "cancel", "down", "sleep", "refused", "compact"}

var schedulePolicies = []string{
	`{"window":{"tokens":1200},"archive":"bodies"}`,
	`{"window":{"tokens":1200},"gate":{"start":0.7}}`,
	`{"window":{"tokens":500},"archive":"bodies"}`, // too small for a request to the model
	`{"window":{"tokens":1200},"gate":{"idle":300},"summary":{"on_failure":"keep"}}`,
	`{"window":{"tokens":1200},"gate":{"start":0.7,"idle":300},"summary":{"request":"prefix"}}`,
}

// drawn draws a schedule.
func drawn(seed uint64) schedule {
	r := rand.New(rand.NewPCG(seed, 1))
	s := schedule{seed: seed, policy: schedulePolicies[r.IntN(len(schedulePolicies))], records: api.RecordsByPrefix}
	if r.IntN(2) == 0 {
		s.records = api.RecordsByOwner
	}
	if r.IntN(4) > 0 { // one in four is calm
		few := func() int {
			if r.IntN(2) == 0 {
				return 0
			}
			return r.IntN(30)
		}
		s.faults = faults{loads: few(), saves: few(), leases: few(), puts: few() / 3, silence: few() / 2, asks: few(), busy: few(), incomplete: few(),
			slow: few(), duplicates: few(), clock: few() / 3}
	}
	s.can = allEffects
	switch r.IntN(6) {
	case 0: // a host that counts
		s.can = append(slices.Clone(allEffects), api.EffectCount)
	case 1: // one that lacks something
		s.can = slices.DeleteFunc(slices.Clone(allEffects), func(api.EffectName) bool { return r.IntN(4) == 0 })
	}
	s.before = [2]int{2 * r.IntN(20), 2 * r.IntN(20)}
	whats := whats
	if s.kept = seed%3 == 2; s.kept {
		whats, s.can, s.faults.clock = whatsKept, keptEffects, 0
	}
	for range 6 + r.IntN(14) {
		a := action{what: whats[r.IntN(len(whats))], conversation: r.IntN(2), replica: r.IntN(2), number: r.IntN(1000), gap: int64(r.IntN(2000))}
		if a.what == "sleep" || r.IntN(8) == 0 {
			a.gap = int64(r.IntN(900_000))
		}
		s.actions = append(s.actions, a)
	}
	return s
}

// historyApp is an app that keeps the whole history of a conversation.
type historyApp struct {
	history []string // messages as JSON
	other   []string // another branch
	edited  bool
}

func message(role string, r *rand.Rand, about string) string {
	const says = "The hull needs paint and the mast needs rope before the boat may sail again. "
	return fmt.Sprintf(`{"role":%q,"content":%q}`, role, fmt.Sprintf("%s %d: %s", about, r.IntN(1_000_000), strings.Repeat(says, 1+r.IntN(5))))
}

// play plays a schedule, and returns the first invariant that did not hold.
func play(s schedule) (*world, string) {
	if s.kept {
		return playKept(s)
	}
	w := newWorld(s.seed, s.faults)
	calm := w.calm()
	var replicas [2]int
	apps := [2]*historyApp{{}, {}}
	for i, p := range apps {
		w.random = rand.New(rand.NewPCG(s.seed, 1<<32+uint64(i)))
		for range s.before[i] / 2 {
			p.history = append(p.history, message("user", w.random, "Question"), message("assistant", w.random, "Answer"))
		}
	}
	for n, a := range s.actions {
		w.run(w.now + a.gap)
		w.random = rand.New(rand.NewPCG(s.seed, uint64(a.number)+2)) // an action is the same without those before it
		p := apps[a.conversation]
		settings := api.JobSettings{Can: s.can, Records: s.records, Owner: fmt.Sprint("owner ", a.conversation), Prefix: true}
		name := fmt.Sprintf("action %d, %s", n, a.what)
		fit := func(replica int) *simulatedJob {
			return w.start(name, &replicas[replica], s.policy, "["+strings.Join(p.history, ",")+"]", settings, func(j *simulatedJob) { w.verify(j, calm) })
		}
		calls := 1
		switch a.what {
		case "crash":
			replicas[a.replica]++
			continue
		case "down":
			w.down = w.now + int64(a.number)*300
			continue
		case "sleep":
			continue
		case "edit":
			if len(p.history) == 0 {
				continue
			}
			at := a.number % len(p.history)
			role := "user"
			if strings.HasPrefix(p.history[at], `{"role":"assistant"`) {
				role = "assistant"
			}
			p.history, p.edited = slices.Clone(p.history), true
			p.history[at] = message(role, w.random, "Changed")
		case "delete":
			p.history = slices.Clone(p.history[:len(p.history)-len(p.history)/(2+a.number%4)/2*2])
		case "regenerate":
			if len(p.history) > 0 && strings.HasPrefix(p.history[len(p.history)-1], `{"role":"assistant"`) {
				p.history = slices.Clone(p.history[:len(p.history)-1])
			}
		case "branch":
			if p.other == nil {
				p.other = slices.Clone(p.history[:len(p.history)/2/2*2])
			}
			p.history, p.other = p.other, p.history
		case "twice":
			calls = 2
		case "compact":
			settings.Operation = api.JobPlan
		}
		if len(p.history)%2 == 0 {
			p.history = append(slices.Clone(p.history), message("user", w.random, "Question"))
		}
		switch {
		case a.what == "refused" && a.number%3 == 0: // the host has classified the error
			settings.Refused, settings.Limit = true, a.number%2*1000
		case a.what == "refused":
			settings.Refusal = &api.Failure{Status: 400, Body: "prompt is too long: 1400 tokens > 1000 maximum"}
		}
		var jobs []*simulatedJob
		for i := range calls {
			jobs = append(jobs, fit((a.replica+i)%2))
		}
		jobs[0].refuses = a.number%50 == 0
		if a.what == "cancel" {
			w.run(w.now + int64(a.number))
			jobs[0].cancelled = true
			jobs[0].event(api.JobEvent{Cancel: true})
		}
		for limit := w.now + 3_600_000; w.wrong == "" && w.now < limit; {
			w.run(w.now + 1000)
			if !slices.ContainsFunc(jobs, func(j *simulatedJob) bool { return !j.done && !j.dead && *j.replica == j.crashes }) {
				break
			}
		}
		for _, j := range jobs {
			if !j.done && *j.replica == j.crashes && w.wrong == "" {
				w.violated("%s: a job has no end", name)
			}
		}
		if calls == 2 && calm && !strings.Contains(s.policy, "start") && !jobs[0].refuses && len(s.can) == len(allEffects) && w.wrong == "" {
			if one, two := string(jobs[0].result["edits"]), string(jobs[1].result["edits"]); one != two {
				w.violated("%s: two calls for one history send %s and %s", name, one, two)
			}
			if jobs[0].asks > 0 && jobs[1].asks > 0 && w.down == 0 {
				w.violated("%s: two calls for one history both ask the model", name)
			}
		}
		if a.what == "volatile" { // what was sent is not kept
			p.history = slices.Clone(p.history[:len(p.history)-1])
			continue
		}
		for range 2 { // an agent does several things before it answers
			p.history = append(slices.Clone(p.history), message("assistant", w.random, "Answer"))
			if len(p.history)%2 == 0 {
				break
			}
		}
	}
	w.run(w.now + 3_600_000)
	for _, j := range w.jobs {
		if !j.done && *j.replica == j.crashes {
			w.violated("%s: a job has no end", j.name)
		}
	}
	if calm && w.wrong == "" {
		for key, l := range w.leases {
			if l.until > w.now {
				w.violated("the lease on %s was not released", key)
			}
		}
	}
	return w, w.wrong
}

// sent returns the messages that the result says to send, and whether they include the newest message of the history.
func (j *simulatedJob) sent() (sent []json.RawMessage, newest bool, err error) {
	var history []json.RawMessage
	if err := json.Unmarshal([]byte(j.messages), &history); err != nil {
		return nil, false, err
	}
	var edits []struct {
		Keep            []int
		Insert, Message json.RawMessage
		Set             *int
	}
	if err := json.Unmarshal(j.result["edits"], &edits); err != nil {
		return nil, false, err
	}
	for _, e := range edits {
		switch {
		case e.Keep != nil:
			sent = append(sent, history[e.Keep[0]:e.Keep[1]]...)
			newest = newest || e.Keep[1] == len(history)
		case e.Set != nil:
			sent = append(sent, e.Message)
			newest = newest || *e.Set == len(history)-1
		default:
			sent = append(sent, e.Insert)
		}
	}
	return sent, newest, nil
}

// verify checks the result of a job.
func (w *world) verify(j *simulatedJob, calm bool) {
	if f := j.failure; f != nil {
		switch {
		case f.Code == api.FailureCancelled && j.cancelled:
		case f.Code == api.FailureStore && !calm:
		case f.Code == api.FailureStill && j.settings.Refusal != nil:
		default:
			w.violated("%s: %s: %s", j.name, f.Code, f.Message)
		}
		return
	}
	if j.cancelled && !j.done {
		w.violated("%s: was cancelled, and has a result", j.name)
	}
	if j.settings.Background {
		return
	}
	var history []json.RawMessage
	if err := json.Unmarshal([]byte(j.messages), &history); err != nil {
		panic(err)
	}
	sent, newest, err := j.sent()
	if err != nil {
		w.violated("%s: %v in %s", j.name, err, j.result["edits"])
		return
	}
	if !newest {
		w.violated("%s: the newest message is not sent", j.name)
	}
	list, err := json.Marshal(sent)
	if err != nil {
		panic(err)
	}
	var valid struct {
		Valid      bool
		Violations json.RawMessage
	}
	if answer := w.call("validate", `"policy":{"format":"openai-chat"}`, `"messages":`+string(list)); json.Unmarshal(answer, &valid) != nil || !valid.Valid {
		w.violated("%s: what is sent is refused: %s", j.name, valid.Violations)
	}
	w.restores(j, string(list), history)
	var removed []struct{ Handle string }
	if !j.refuses && slices.Contains(j.settings.Can, api.EffectPut) && j.result["archive"] != nil && json.Unmarshal(j.result["archive"], &removed) == nil {
		for _, b := range removed {
			if _, stored := w.bodies[b.Handle]; !stored {
				w.violated("%s: the body %s was not stored", j.name, b.Handle)
			}
		}
	}
}

// restores checks that the sent messages and the stored bodies restore the whole history.
func (w *world) restores(j *simulatedJob, sent string, history []json.RawMessage) {
	if !strings.Contains(j.policy, "bodies") || w.refused || !slices.Contains(j.settings.Can, api.EffectPut) || w.fails(80) {
		return
	}
	var bodies []string
	for _, handle := range slices.Sorted(maps.Keys(w.bodies)) {
		bodies = append(bodies, fmt.Sprintf(`{"handle":%q,"body":%s}`, handle, w.bodies[handle]))
	}
	var whole struct{ Messages []json.RawMessage }
	answer := w.call("restore", `"policy":{"format":"openai-chat"}`, `"bodies":[`+strings.Join(bodies, ",")+`]`, `"messages":`+sent)
	if err := json.Unmarshal(answer, &whole); err != nil {
		w.violated("%s: %v", j.name, err)
	}
	if !slices.EqualFunc(whole.Messages, history, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		w.violated("%s: %d messages come back of %d, or others", j.name, len(whole.Messages), len(history))
	}
}

// shrink returns a schedule with as few actions as possible that fails in the same way.
func shrink(s schedule, wrong string) (schedule, string) {
	kind := func(wrong string) string {
		_, what, _ := strings.Cut(wrong, ": ")
		return what[:min(len(what), 20)]
	}
	for size := len(s.actions) / 2; size > 0; {
		shorter := false
		for at := 0; at+size <= len(s.actions); {
			try := s
			try.actions = slices.Delete(slices.Clone(s.actions), at, at+size)
			if _, now := play(try); now != "" && kind(now) == kind(wrong) {
				s, wrong, shorter = try, now, true
			} else {
				at += size
			}
		}
		if !shorter || size > len(s.actions) {
			size /= 2
		}
	}
	return s, wrong
}

// TestLoopSchedules plays schedules: apps that append, edit, delete, regenerate and branch, in two replicas that crash, with stores and
// models that fail, are slow or never answer. Whatever happens, every call ends with messages that the provider accepts, nothing is lost,
// and no job waits forever. With CTXFOLD_LONG it plays 100,000 schedules, or the number in CTXFOLD_SCHEDULES; with CTXFOLD_SEED=n only that
// one.
func TestLoopSchedules(t *testing.T) {
	seeds := uint64(150)
	if os.Getenv("CTXFOLD_LONG") != "" {
		seeds = 100_000
	} else if testing.Short() {
		seeds = 50
	}
	first := uint64(0)
	for name, number := range map[string]*uint64{"CTXFOLD_SCHEDULES": &seeds, "CTXFOLD_SEED": &first} {
		if text := os.Getenv(name); text != "" {
			if _, err := fmt.Sscan(text, number); err != nil {
				t.Fatal(name, err)
			}
		}
	}
	if os.Getenv("CTXFOLD_SEED") != "" {
		seeds = 1
	}
	played, events, asked, made, adopted, begun, stopped, waited := 0, 0, 0, 0, 0, 0, 0, 0
	notices := map[api.NoticeName]int{}
	for seed := first; seed < first+seeds; seed++ {
		s := drawn(seed)
		w, wrong := play(s)
		played++
		asked, made, adopted = asked+w.asked, made+w.made, adopted+w.adopted
		begun, stopped, waited = begun+w.begun, stopped+w.stopped, waited+w.waited
		for name, n := range w.notices {
			notices[name] += n
		}
		for _, j := range w.jobs {
			events += j.events
		}
		if wrong != "" {
			s, wrong := shrink(s, wrong)
			var list strings.Builder
			for i, a := range s.actions {
				fmt.Fprintf(&list, "\n  %d. %s", i, a)
			}
			t.Fatalf("seed %d: %s\npolicy %s, records by %s, can %v, %v messages before, faults %+v%s", seed, wrong, s.policy, s.records, s.can, s.before, s.faults, list.String())
		}
	}
	t.Logf("%d schedules, %d events, %d requests to the model, %d compactions saved, %d in kept conversations, %d begun in the background, %d of them stopped, %d waits for a lease, %v", played, events,
		asked, made, adopted, begun, stopped, waited, notices)
}

// TestLoopReplays: the same seed and the same events yield the same bytes.
func TestLoopReplays(t *testing.T) {
	for seed := range uint64(20) {
		a, wrong := play(drawn(seed))
		b, again := play(drawn(seed))
		if wrong != again || a.saves != b.saves || a.asked != b.asked || len(a.jobs) != len(b.jobs) {
			t.Fatal(seed, wrong, again)
		}
		for i := range a.jobs {
			if string(a.jobs[i].job) != string(b.jobs[i].job) || fmt.Sprint(a.jobs[i].result) != fmt.Sprint(b.jobs[i].result) {
				t.Fatal(seed, i)
			}
		}
	}
}

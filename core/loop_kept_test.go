package core_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
)

// keptMessage is a message of a conversation that its host keeps. Its origin is its index in the whole history, or -1 if a compaction wrote it.
type keptMessage struct {
	text   string
	origin int
}

// keptApp is an app with a Conversation: it keeps the sent messages, and a turn is a job. It is the simulated host of these jobs.
type keptApp struct {
	w          *world
	s          *schedule
	policy     string
	can        []api.EffectName
	replica    int // how often the process has crashed
	history    []string
	list       []keptMessage
	state      api.Raw
	notes      *api.TurnNotes
	edited     bool
	jobs       []*simulatedJob // those of this process
	entered    *simulatedJob
	queue      []*simulatedJob // they want to enter
	background *simulatedJob
}

// whatsKept lists the events in a conversation that its host keeps.
var whatsKept = []string{"turn", "turn", "turn", "turn", "before", "call", "forced", "refused", "twice", "during", "edit", "delete", "regenerate", "restore", "branch", "crash",
	"cancel", "down", "sleep", "stall"}

// keptEffects lists the effects that a host of a Conversation executes.
var keptEffects = []api.EffectName{api.EffectPut, api.EffectAsk, api.EffectWait, api.EffectBegin, api.EffectStop, api.EffectEmit, api.EffectCancel, api.EffectEnter,
	api.EffectBefore}

func (c *keptApp) append(text string) {
	c.history = append(slices.Clone(c.history), text)
	c.list = append(slices.Clone(c.list), keptMessage{text, len(c.history) - 1})
}

// texts are the messages of the list, as JSON.
func (c *keptApp) texts() []string {
	texts := make([]string, len(c.list))
	for i, m := range c.list {
		texts[i] = m.text
	}
	return texts
}

// turn starts a turn.
func (c *keptApp) turn(name string, moment api.TurnMoment, settings api.JobSettings) *simulatedJob {
	settings.Operation, settings.Can, settings.Prefix = api.JobPlan, c.can, true
	settings.Turn = &api.Turn{Moment: moment, Notes: c.notes, Edited: c.edited}
	if c.background != nil {
		settings.Turn.Running = slices.Index(c.w.jobs, c.background) + 1
	}
	c.edited = false
	return c.start(name, settings)
}

func (c *keptApp) start(name string, settings api.JobSettings) *simulatedJob {
	j := &simulatedJob{w: c.w, name: name, replica: &c.replica, crashes: c.replica, policy: c.policy, settings: settings, flights: map[int]api.EffectName{}, open: map[int]bool{}, asked: map[string]int{}, began: c.w.now,
		kept: c, then: c.end}
	c.w.jobs, c.jobs = append(c.w.jobs, j), append(c.jobs, j)
	j.begin()
	return j
}

// execute executes an effect that concerns the conversation. It returns false for other effects.
func (c *keptApp) execute(j *simulatedJob, e *api.Effect) bool {
	w := c.w
	switch e.Effect {
	case api.EffectEnter:
		j.entering = e.ID
		c.queue = append(c.queue, j)
		c.admit()
	case api.EffectBefore:
		if c.entered != j {
			w.violated("%s: a compaction begins without having entered", j.name)
		}
		j.result = nil
		r := api.EffectResult{ID: e.ID}
		switch w.random.IntN(12) {
		case 0:
			r.Skip = true
		case 1:
			r.Summary = &api.Summary{Text: "## Goal\nPaint the hull.\n\n## Done\nThe host knows it."}
		case 2:
			r.Score = &api.Score{Messages: []api.MessageScore{{Message: w.random.IntN(3), Score: float64(w.random.IntN(3) - 1)}}}
		}
		w.after(w.delay(), func() { j.event(api.JobEvent{Results: []api.EffectResult{r}}) })
	case api.EffectBegin:
		if c.background != nil || e.Settings == nil {
			return true
		}
		w.begun++
		s := *e.Settings
		s.Can = c.can
		c.background = c.start(j.name+" in the background", s)
		if c.background.done {
			c.background = nil
		}
	case api.EffectStop:
		w.stopped++
		w.after(0, func() { c.cancel(w.jobs[e.Target-1]) })
	default:
		return false
	}
	return true
}

func (c *keptApp) cancel(j *simulatedJob) {
	if j.done {
		return
	}
	j.cancelled = true
	c.queue = slices.DeleteFunc(c.queue, func(other *simulatedJob) bool { return other == j })
	j.event(api.JobEvent{Cancel: true})
}

// admit lets the next job enter, if none is in.
func (c *keptApp) admit() {
	for c.entered == nil && len(c.queue) > 0 {
		j := c.queue[0]
		c.queue = c.queue[1:]
		if j.done || j.dead || c.replica != j.crashes {
			continue
		}
		c.entered = j
		c.w.after(c.w.delay(), func() { j.event(api.JobEvent{Results: []api.EffectResult{{ID: j.entering}}}) })
	}
}

// end adopts the result of a job.
func (c *keptApp) end(j *simulatedJob) {
	w := c.w
	entered := c.entered == j
	switch f := j.failure; {
	case f == nil && j.result != nil:
		if !entered {
			w.violated("%s: a compaction was made without having entered", j.name)
		}
		c.adopt(j)
	case f == nil, f.Code == api.FailureCancelled && j.cancelled, f.Code == api.FailureStore && (!w.calm() || len(w.stalls) > 0):
	case (f.Code == api.FailureStill || f.Code == api.FailureNotFull) && j.settings.Refusal != nil:
	default:
		w.violated("%s: %s: %s", j.name, f.Code, f.Message)
	}
	if c.background == j {
		c.background = nil
	}
	if entered {
		c.entered = nil
		c.admit()
	}
}

// adopt continues the conversation with the result of a job, and checks it.
func (c *keptApp) adopt(j *simulatedJob) {
	w := c.w
	sent, was, err := edited(j.result["edits"], c.texts())
	if err != nil {
		w.violated("%s: %v in %s", j.name, err, j.result["edits"])
		return
	}
	var list []keptMessage
	for i, text := range sent {
		origin := -1
		if was[i] >= 0 {
			origin = c.list[was[i]].origin
		}
		list = append(list, keptMessage{text, origin})
	}
	list = append(list, c.list[j.length:]...)
	if len(list) == 0 || list[len(list)-1].origin != len(c.history)-1 {
		w.violated("%s: the newest message is lost", j.name)
	}
	c.list, c.state = list, api.Raw(j.result["state"])
	w.adopted++
	c.verify(j.name)
}

// verify checks that the list is valid, and that everything that is not in it comes back from the store.
func (c *keptApp) verify(name string) {
	w := c.w
	if refusal := w.core.refusal(w, c.texts()); refusal != "" {
		w.violated("%s: %s", name, refusal)
	}
	if !w.fails(70) {
		c.restored(name)
	}
}

// restored returns the whole history, restored from the list and the stored bodies.
func (c *keptApp) restored(name string) []string {
	w := c.w
	whole := w.core.restore(w, c.texts(), c.state)
	if !slices.Equal(whole, c.history) {
		w.violated("%s: %d messages come back of %d, or others", name, len(whole), len(c.history))
	}
	return whole
}

// settle cancels the background compaction, and lets running turns end, as a Conversation does before all messages are replaced.
func (c *keptApp) settle(name string) {
	c.w.resumed(&c.replica)
	if c.background != nil {
		c.cancel(c.background)
	}
	c.wait(name)
}

// wait lets all turns of the process end, but not the background.
func (c *keptApp) wait(name string) {
	w := c.w
	open := func(j *simulatedJob) bool { return !j.done && !j.dead && j.crashes == c.replica && j != c.background }
	for limit := w.now + 3_600_000; w.wrong == "" && w.now < limit && slices.ContainsFunc(c.jobs, open); {
		w.run(w.now + 1000)
	}
	if w.wrong == "" && slices.ContainsFunc(c.jobs, open) {
		w.violated("%s: a turn has no end", name)
	}
	c.jobs = slices.DeleteFunc(c.jobs, func(j *simulatedJob) bool { return !open(j) && j != c.background })
}

// crash ends the process. The app continues from its stored list and state.
func (c *keptApp) crash() {
	c.replica++
	c.jobs, c.queue, c.entered, c.background, c.notes = nil, nil, nil, nil, nil
}

// own is the index from which on all messages of the list are the app's own, unchanged.
func (c *keptApp) own() int {
	for i := len(c.list); i > 0; i-- {
		if m := c.list[i-1]; m.origin < 0 || m.text != c.history[m.origin] {
			return i
		}
	}
	return 0
}

// cut goes back to before the message at an index of the list.
func (c *keptApp) cut(at int) {
	c.history = slices.Clone(c.history[:c.list[at].origin])
	c.list = slices.Clone(c.list[:at])
	c.edited = true
}

// change lets the user or the app change the conversation otherwise than by appending.
func (c *keptApp) change(name string, a action) {
	c.settle(name)
	first := c.own()
	own := len(c.list) - first
	switch a.what {
	case "edit":
		if own == 0 {
			return
		}
		at := first + a.number%own
		role := "user"
		if strings.HasPrefix(c.list[at].text, `{"role":"assistant"`) {
			role = "assistant"
		}
		text := c.s.says(role, c.w.random, "Changed")
		c.list, c.history, c.edited = slices.Clone(c.list), slices.Clone(c.history), true
		c.list[at].text = text
		c.history[c.list[at].origin] = text
	case "delete":
		if own > 1 {
			c.cut(first + 1 + a.number%(own-1))
		}
	case "regenerate":
		if own > 0 && strings.HasPrefix(c.list[len(c.list)-1].text, `{"role":"assistant"`) {
			c.cut(len(c.list) - 1)
			c.append(c.s.says("assistant", c.w.random, "Another answer"))
		}
	case "restore", "branch":
		whole := c.restored(name)
		if c.w.wrong != "" {
			return
		}
		c.list, c.state, c.edited = nil, nil, true
		for i, m := range whole {
			c.list = append(c.list, keptMessage{m, i})
		}
		if a.what == "branch" && len(c.list) > 2 { // another one, from the middle
			c.cut(len(c.list) / 2 / 2 * 2)
		}
	}
}

// playKept plays a schedule in a conversation that its host keeps, and returns the first invariant that did not hold.
func playKept(s schedule) (*world, string) {
	w := s.world()
	c := &keptApp{w: w, s: &s, policy: s.policy, can: s.can}
	w.random = rand.New(rand.NewPCG(s.seed, 1<<32))
	for range s.before[0] / 2 {
		c.append(c.s.says("user", w.random, "Question"))
		c.append(c.s.says("assistant", w.random, "Answer"))
	}
	for n, a := range s.actions {
		w.run(w.now + a.gap)
		w.random = rand.New(rand.NewPCG(s.seed, uint64(a.number)+2))
		name := fmt.Sprintf("action %d, %s", n, a.what)
		c.act(name, a)
		if w.wrong != "" {
			break
		}
	}
	c.settle("the end")
	w.run(w.now + 3_600_000)
	if w.wrong == "" {
		c.restored("the end")
	}
	return w, w.wrong
}

// act performs one action of the app or of the world.
func (c *keptApp) act(name string, a action) {
	w := c.w
	w.resumed(&c.replica)
	settings := api.JobSettings{}
	switch a.what {
	case "crash":
		c.crash()
		return
	case "down":
		w.down = w.now + int64(a.number)*300
		return
	case "sleep":
		return
	case "stall":
		w.stall(&c.replica, a.number)
		return
	case "edit", "delete", "regenerate", "restore", "branch":
		c.change(name, a)
		return
	case "refused":
		if a.number%3 == 0 {
			settings.Refused, settings.Limit = true, a.number%2*c.s.limit()
		} else {
			settings.Refusal = c.s.refusal()
		}
	}
	c.append(c.s.says("user", w.random, "Question"))
	moment := map[string]api.TurnMoment{"before": api.TurnBefore, "call": api.TurnCall, "forced": api.TurnForced, "refused": api.TurnForced}[a.what]
	if moment == "" {
		moment = api.TurnAfter
	}
	if moment == api.TurnAfter {
		c.append(c.s.says("assistant", w.random, "Answer"))
	}
	j := c.turn(name, moment, settings)
	switch a.what {
	case "cancel":
		w.run(w.now + int64(a.number))
		c.cancel(j)
	case "during": // messages come while a summary is written
		w.run(w.now + int64(a.number))
		c.append(c.s.says("user", w.random, "Meanwhile"))
		c.append(c.s.says("assistant", w.random, "Answer"))
	case "twice":
		w.run(w.now + int64(a.number%100))
		c.turn(name+" again", api.TurnForced, api.JobSettings{})
	}
	c.wait(name)
	if moment != api.TurnAfter {
		c.append(c.s.says("assistant", w.random, "Answer"))
	}
}

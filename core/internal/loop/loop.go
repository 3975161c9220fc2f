// Package loop decides everything that a host does around the operations of core: which records are loaded and saved, when and by which
// job a compaction is made, when a model is called, called again or left alone, and how failures are handled. It is a protocol without
// I/O: a host starts a job, executes the effects that the job requests, and passes their results back as events, until the job has a
// result (docs/inside/loop.md).
//
// Time and randomness enter this package only in events and settings. Nothing in it outlives a call, and it never reads the contents of
// messages, which only the operations do. Between two events a job is JSON.
package loop

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/internal/operations"
)

//go:generate sh ../../../internal/apigen/easyjson.sh -disallow_unknown_fields

// Core is what a job needs from the rest of core, for the messages that came with the event.
type Core interface {
	// Run runs an operation, with the messages or the session if the operation needs them. The offset of an error
	// refers to the request, and its At is the path.
	Run(op operations.Op, members ...Member) ([]byte, *jsonspan.Error)
	// Messages returns the messages as JSON, or the list of a session's messages.
	Messages() []byte
	MessagesAt() int
	// Gate returns the policy's settings about compactions below the limit.
	Gate() Gate
}

// Member is a member of a request, with its value as JSON.
type Member struct {
	Name operations.Member
	JSON []byte
}

// Gate are the policy's settings for compactions below the limit.
type Gate struct {
	Starts bool // gate.start: a background compaction begins before it is due
	Chills bool // gate.idle: a compaction is made when the prompt cache is cold
	Stored bool // archive: removed content must be stored
	Model  string
}

// turn is one call of Start or Continue, in which a job takes its next step.
type turn struct {
	*Job
	core    Core
	effects []api.Effect
	result  api.Raw
	failure *api.JobFailure
	err     *jsonspan.Error // an error of an operation of core

	notes  *api.TurnNotes // for a turn that begins in this call
	loaded *loadedRecord  // the record of the owner, if it was loaded in this call
	known  *keys          // the keys of the history, computed on demand
	woken  bool           // whether the host called without results: a point in time was reached, or a lease has ended
}

// Start starts a job. options and state are those of the request; core runs the operations that the job needs.
func Start(core Core, settings api.JobSettings, policy api.Raw, options api.Options, state api.Raw) (*api.JobProgress, *jsonspan.Error) {
	if err := checkSettings(&settings); err != nil {
		return nil, err
	}
	t := &turn{core: core, Job: &Job{Version: Version, Settings: settings, Policy: policy, Options: options, State: state, Clock: settings.Now,
		Random: settings.Seed}}
	t.Settings.Now, t.Settings.Seed, t.Settings.Loaded, t.Settings.Running = 0, 0, nil, nil
	if t.prepare(); !t.ended() {
		t.behind(settings.Running)
	}
	switch {
	case t.ended():
	case settings.Turn != nil:
		t.beginTurn(settings.Turn)
	case settings.Loaded != nil && settings.Operation != api.JobPlan && !t.byPrefix() && t.can(api.EffectLoad):
		t.Phase = phaseLoading
		t.takeLoaded(flight{}, settings.Loaded)
	default:
		t.load()
	}
	return t.progress()
}

// Continue continues a job with an event.
func Continue(core Core, job *Job, event *api.JobEvent) (*api.JobProgress, *jsonspan.Error) {
	if err := job.check(); err != nil {
		return nil, err
	}
	t := &turn{core: core, Job: job, woken: len(event.Results) == 0}
	t.tell(event.Now)
	for i := range event.Results {
		if event.Results[i].ID > t.LastID || event.Results[i].ID < 1 {
			return nil, &jsonspan.Error{Code: api.CodeUnknownEffect, At: "results", Message: "the job has no effect with this id"}
		}
	}
	if event.Cancel {
		t.fail(api.FailureCancelled, "the job was cancelled")
		return t.progress()
	}
	for i := range event.Results {
		if r := &event.Results[i]; !t.ended() {
			if flight, ok := t.land(r.ID); ok {
				t.take(flight, r)
			}
		}
	}
	if !t.ended() {
		t.expire()
	}
	return t.progress()
}

// ended reports whether the job has ended.
func (t *turn) ended() bool { return t.result != nil || t.failure != nil || t.err != nil }

// tell sets the time. If the host's clock went back, all times of the job are moved back too, so that no wait becomes
// longer.
func (t *turn) tell(now int64) {
	if back := t.Clock - now; back > 0 {
		for i := range t.Flights {
			shift(&t.Flights[i].Deadline, back)
		}
		for i := range t.Questions {
			shift(&t.Questions[i].Deadline, back)
		}
		for _, at := range []*int64{&t.PausedUntil, &t.PollAt, &t.GiveUpAt, &t.RenewAt} {
			shift(at, back)
		}
	}
	t.Clock = now
}

// shift moves a time back unless it is zero.
func shift(at *int64, back int64) {
	if *at > 0 {
		*at = max(1, *at-back)
	}
}

// progress returns the job as JSON, and the effects for the host to execute.
func (t *turn) progress() (*api.JobProgress, *jsonspan.Error) {
	if t.err != nil {
		if t.LastID == 0 { // nothing was requested yet, so the error is an error of the request
			t.err.At = ""
			return nil, t.err
		}
		t.failure = &api.JobFailure{Code: api.FailureCode(t.err.Code), Message: t.err.Message, Path: t.err.At}
		if strings.HasPrefix(t.err.At, "messages") {
			t.failure.Offset = t.err.Offset - t.core.MessagesAt()
		}
	}
	if t.failure != nil {
		t.result = nil
	}
	p := &api.JobProgress{Result: t.result, Failure: t.failure, Notes: t.notes}
	if t.ended() {
		for _, f := range t.Flights {
			t.emit(api.Effect{Effect: api.EffectCancel, Target: f.ID})
		}
		t.release()
		if p.Effects = t.effects; t.failure == nil {
			p.Check = t.Check
		}
		return p, nil
	}
	if until := t.until(); until > 0 {
		t.emit(api.Effect{Effect: api.EffectWait, Until: until, Key: t.waitsFor()})
	}
	p.Effects, p.NeedsMessages = t.effects, t.needsMessages()
	p.Job = t.Job.text()
	return p, nil
}

// needsMessages reports whether the next event must include the messages.
func (t *turn) needsMessages() bool {
	switch t.Phase {
	case phaseStoring:
		return false
	case phaseSaving: // no messages are needed unless the job may have to start over
		return t.Then == thenLook || t.Holder != "" && t.byPrefix()
	}
	return true
}

// until returns the latest time at which the job must be called again; 0 means not before an effect has a result.
func (t *turn) until() (at int64) {
	sooner := func(other int64) {
		if other > 0 && (at == 0 || other < at) {
			at = other
		}
	}
	for _, f := range t.Flights {
		sooner(f.Deadline)
	}
	switch t.Phase {
	case phaseWaiting:
		sooner(t.PollAt)
	case phaseAsking:
		if t.PausedUntil > t.Clock {
			sooner(t.PausedUntil)
		}
	}
	if t.Holder != "" {
		sooner(t.RenewAt)
	}
	return at
}

// waitsFor returns the key of the lease that the job waits for; "" if it waits for none.
func (t *turn) waitsFor() string {
	if t.Phase == phaseWaiting {
		return t.WaitKey
	}
	return ""
}

// expire handles deadlines and other points in time that have passed.
func (t *turn) expire() {
	for i := 0; i < len(t.Flights); i++ {
		f := t.Flights[i]
		if f.Deadline == 0 || f.Deadline > t.Clock {
			continue
		}
		t.Flights = slices.Delete(t.Flights, i, i+1)
		i--
		t.emit(api.Effect{Effect: api.EffectCancel, Target: f.ID})
		t.take(f, &api.EffectResult{ID: f.ID, Error: "it took too long"})
		if t.ended() {
			return
		}
	}
	if t.Holder != "" && t.RenewAt <= t.Clock {
		t.renew()
	}
	switch {
	case t.Phase == phaseWaiting && (t.woken || t.PollAt <= t.Clock || t.GiveUpAt <= t.Clock):
		t.poll()
	case t.Phase == phaseAsking:
		t.ask()
	}
}

// take handles the result of an effect.
func (t *turn) take(f flight, r *api.EffectResult) {
	if r.Refused {
		t.without(f.Effect)
	}
	switch f.Effect {
	case api.EffectEnter:
		t.takeEntered(r)
	case api.EffectBefore:
		t.takeBefore(r)
	case api.EffectLoad:
		t.takeLoaded(f, r)
	case api.EffectLease:
		t.takeLease(f, r)
	case api.EffectCount:
		t.takeCount(r)
	case api.EffectAsk:
		t.takeSummary(f, r)
	case api.EffectPut:
		t.takeStored(r)
	case api.EffectSave:
		t.takeSaved(r)
	}
}

// emit requests an effect that has no result.
func (t *turn) emit(e api.Effect) { t.effects = append(t.effects, e) }

// launch requests an effect whose result the job waits for.
func (t *turn) launch(e api.Effect) int {
	t.LastID++
	e.ID = t.LastID
	t.Flights = append(t.Flights, flight{ID: e.ID, Effect: e.Effect, Deadline: e.Deadline})
	t.emit(e)
	return e.ID
}

// access is like launch, for an effect on a store, which has a deadline.
func (t *turn) access(e api.Effect) int {
	e.Deadline = t.deadline(t.Settings.StoreTimeout)
	return t.launch(e)
}

// flight returns the pending effect with the given id, which must exist.
func (t *turn) flight(id int) *flight {
	return &t.Flights[slices.IndexFunc(t.Flights, func(f flight) bool { return f.ID == id })]
}

// land removes a pending effect whose result has arrived. It returns false if the result is no longer needed.
func (t *turn) land(id int) (flight, bool) {
	for i, f := range t.Flights {
		if f.ID == id {
			t.Flights = slices.Delete(t.Flights, i, i+1)
			return f, true
		}
	}
	return flight{}, false
}

// can reports whether the host can execute effects of this kind.
func (t *turn) can(e api.EffectName) bool { return slices.Contains(t.Settings.Can, e) }

// without records that the host cannot execute effects of this kind, although its settings say so.
func (t *turn) without(e api.EffectName) {
	t.Settings.Can = slices.DeleteFunc(t.Settings.Can, func(other api.EffectName) bool { return other == e })
}

// fail ends the job without a result.
func (t *turn) fail(code api.FailureCode, message string) {
	if t.failure == nil {
		t.failure = &api.JobFailure{Code: code, Message: message}
	}
}

// notice adds a notice for the host's log.
func (t *turn) notice(name api.NoticeName, message string) {
	t.emit(api.Effect{Effect: api.EffectEmit, Notice: &api.JobNotice{Name: name, Message: message}})
}

// run runs an operation of core. It returns false if the operation failed; the job has then ended.
func (t *turn) run(op operations.Op, members ...Member) (answer, bool) {
	json, err := t.core.Run(op, members...)
	if err != nil {
		t.err = err
		return answer{}, false
	}
	return readAnswer(json), true
}

// Package loop decides everything that a host does around the operations of core: which records are loaded and saved,
// when and by which job a compaction is made, when a model is called, called again or left alone, and how failures are
// handled. It is a protocol without I/O: a host starts a job, executes the effects that the job requests, and passes
// their results back as events, until the job has a result (docs/inside/loop.md).
//
// Time and randomness enter this package only in events and settings. Nothing in it outlives a call, and it never reads
// the contents of messages; only the operations do. Between two events a job is JSON.
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
	// MessagesAt returns the byte offset of the messages in the request; 0 if it has none.
	MessagesAt() int
	// PolicySettings returns the policy's settings about compactions below the limit.
	PolicySettings() PolicySettings
}

// Member is a member of a request, with its value as JSON.
type Member struct {
	Name operations.Member // which member it is
	JSON []byte            // its value; empty for a member that is left out
}

// PolicySettings are the policy's settings for compactions below the limit.
type PolicySettings struct {
	Starts bool   // gate.start: a background compaction begins before it is due
	Chills bool   // gate.idle: a compaction is made when the prompt cache is cold
	Stored bool   // archive: removed content must be stored
	Model  string // the model that the policy names, or ""
}

// call is one call of Start or Continue, in which a job takes its next step.
type call struct {
	*Job
	core    Core            // runs the operations
	effects []api.Effect    // the effects that this call requests
	result  api.Raw         // the response for the host; nil unless the job is at its end
	failure *api.JobFailure // why the job ended without a result, or nil
	err     *jsonspan.Error // an error that an operation of core returned

	notes  *api.TurnNotes // for a turn that begins in this call
	loaded *loadedRecord  // the record of the owner, if it was loaded in this call
	known  *keys          // the keys of the history, computed on demand
	// Whether the host called without results, because a point in time was reached or a lease has ended.
	woken bool
}

// Start starts a job and returns its first effects. options and state are those of the request; core runs the
// operations that the job needs. It returns an error if a setting is out of range, or if an operation fails before
// anything was requested.
func Start(core Core, settings api.JobSettings, policy api.Raw, options api.Options,
	state api.Raw) (*api.JobProgress, *jsonspan.Error) {
	if err := checkSettings(&settings); err != nil {
		return nil, err
	}
	c := &call{core: core, Job: &Job{Version: Version, Settings: settings, Policy: policy, Options: options, State: state, Clock: settings.Now,
		Random: settings.Seed}}
	c.Settings.Now, c.Settings.Seed, c.Settings.Loaded, c.Settings.Running = 0, 0, nil, nil
	if c.prepareOptions(); !c.ended() {
		c.findBackgroundJob(settings.Running)
	}
	switch {
	case c.ended():
	case settings.Turn != nil:
		c.beginTurn(settings.Turn)
	case settings.Loaded != nil && settings.Operation != api.JobPlan && !c.byPrefix() && c.can(api.EffectLoad):
		c.Phase = phaseLoading
		c.takeLoaded(flight{}, settings.Loaded)
	default:
		c.loadRecords()
	}
	return c.progress()
}

// Continue continues a job with an event. It returns an error if the job is not one of this version, or if the event
// has the result of an effect that the job never requested. Failures of operations end the job; they are in the
// progress. If event has no results, the host calls because the time of a deadline has come.
func Continue(core Core, job *Job, event *api.JobEvent) (*api.JobProgress, *jsonspan.Error) {
	if err := job.validate(); err != nil {
		return nil, err
	}
	c := &call{core: core, Job: job, woken: len(event.Results) == 0}
	c.setClock(event.Now)
	for i := range event.Results {
		if event.Results[i].ID > c.LastID || event.Results[i].ID < 1 {
			return nil, &jsonspan.Error{Code: api.CodeUnknownEffect, At: "results",
				Message: "the job has no effect with this id"}
		}
	}
	if event.Cancel {
		c.fail(api.FailureCancelled, "the job was cancelled")
		return c.progress()
	}
	for i := range event.Results {
		if r := &event.Results[i]; !c.ended() {
			if flight, ok := c.removePending(r.ID); ok {
				c.takeResult(flight, r)
			}
		}
	}
	if !c.ended() {
		c.handleExpired()
	}
	return c.progress()
}

// ended reports whether the job has ended.
func (c *call) ended() bool { return c.result != nil || c.failure != nil || c.err != nil }

// setClock sets the time to now, in milliseconds since 1970. If the host's clock went back, all times of the job are
// moved back too, so that no wait becomes longer.
func (c *call) setClock(now int64) {
	if back := c.Clock - now; back > 0 {
		for i := range c.Flights {
			moveBack(&c.Flights[i].Deadline, back)
		}
		for i := range c.Questions {
			moveBack(&c.Questions[i].Deadline, back)
		}
		for _, at := range []*int64{&c.PausedUntil, &c.PollAt, &c.GiveUpAt, &c.RenewAt} {
			moveBack(at, back)
		}
	}
	c.Clock = now
}

// moveBack moves a time back unless it is zero.
func moveBack(at *int64, back int64) {
	if *at > 0 {
		*at = max(1, *at-back)
	}
}

// progress returns the effects for the host to execute, with the job as JSON or, at its end, with its result. An error
// of the job's first operation, before any effect was requested, is returned as such, because the request itself is
// wrong.
func (c *call) progress() (*api.JobProgress, *jsonspan.Error) {
	if c.err != nil {
		if c.LastID == 0 { // nothing was requested yet, so the error is an error of the request
			c.err.At = ""
			return nil, c.err
		}
		c.failure = &api.JobFailure{Code: api.FailureCode(c.err.Code), Message: c.err.Message, Path: c.err.At}
		if strings.HasPrefix(c.err.At, "messages") {
			c.failure.Offset = c.err.Offset - c.core.MessagesAt()
		}
	}
	if c.failure != nil {
		c.result = nil
	}
	p := &api.JobProgress{Result: c.result, Failure: c.failure, Notes: c.notes}
	if c.ended() {
		for _, f := range c.Flights {
			c.emit(api.Effect{Effect: api.EffectCancel, Target: f.ID})
		}
		c.releaseLease()
		if p.Effects = c.effects; c.failure == nil {
			p.Check = c.Check
		}
		return p, nil
	}
	if until := c.nextWakeUp(); until > 0 {
		c.emit(api.Effect{Effect: api.EffectWait, Until: until, Key: c.waitsFor()})
	}
	p.Effects, p.NeedsMessages = c.effects, c.needsMessages()
	p.Job = c.Job.toJSON()
	return p, nil
}

// needsMessages reports whether the next event must include the messages.
func (c *call) needsMessages() bool {
	switch c.Phase {
	case phaseStoring:
		return false
	case phaseSaving: // no messages are needed unless the job may have to start over
		return c.Then == thenLook || c.Holder != "" && c.byPrefix()
	}
	return true
}

// nextWakeUp returns the time by which the job must be called again; 0 means not before an effect has a result.
func (c *call) nextWakeUp() (at int64) {
	sooner := func(other int64) {
		if other > 0 && (at == 0 || other < at) {
			at = other
		}
	}
	for _, f := range c.Flights {
		sooner(f.Deadline)
	}
	switch c.Phase {
	case phaseWaiting:
		sooner(c.PollAt)
	case phaseAsking:
		if c.PausedUntil > c.Clock {
			sooner(c.PausedUntil)
		}
	}
	if c.Holder != "" {
		sooner(c.RenewAt)
	}
	return at
}

// waitsFor returns the key of the lease that the job waits for; "" if it waits for none.
func (c *call) waitsFor() string {
	if c.Phase == phaseWaiting {
		return c.WaitKey
	}
	return ""
}

// handleExpired handles deadlines and other points in time that have passed.
func (c *call) handleExpired() {
	for i := 0; i < len(c.Flights); i++ {
		f := c.Flights[i]
		if f.Deadline == 0 || f.Deadline > c.Clock {
			continue
		}
		c.Flights = slices.Delete(c.Flights, i, i+1)
		i--
		c.emit(api.Effect{Effect: api.EffectCancel, Target: f.ID})
		c.takeResult(f, &api.EffectResult{ID: f.ID, Error: "it took too long"})
		if c.ended() {
			return
		}
	}
	if c.Holder != "" && c.RenewAt <= c.Clock {
		c.renewLease()
	}
	switch {
	case c.Phase == phaseWaiting && (c.woken || c.PollAt <= c.Clock || c.GiveUpAt <= c.Clock):
		c.pollLease()
	case c.Phase == phaseAsking:
		c.askOpenQuestions()
	}
}

// takeResult handles the result of an effect. If the host refused the effect, the job doesn't request it again.
func (c *call) takeResult(f flight, r *api.EffectResult) {
	if r.Refused {
		c.disable(f.Effect)
	}
	switch f.Effect {
	case api.EffectEnter:
		c.takeEntered(r)
	case api.EffectBefore:
		c.takeBefore(r)
	case api.EffectLoad:
		c.takeLoaded(f, r)
	case api.EffectLease:
		c.takeLease(f, r)
	case api.EffectCount:
		c.takeCount(r)
	case api.EffectAsk:
		c.takeSummary(f, r)
	case api.EffectPut:
		c.takeStored(r)
	case api.EffectSave:
		c.takeSaved(r)
	}
}

// emit requests an effect that has no result.
func (c *call) emit(e api.Effect) { c.effects = append(c.effects, e) }

// launch requests an effect whose result the job waits for, and returns the effect's id.
func (c *call) launch(e api.Effect) int {
	c.LastID++
	e.ID = c.LastID
	c.Flights = append(c.Flights, flight{ID: e.ID, Effect: e.Effect, Deadline: e.Deadline})
	c.emit(e)
	return e.ID
}

// requestAccess is like launch, for effects on a store. These have a deadline.
func (c *call) requestAccess(e api.Effect) int {
	e.Deadline = c.deadline(c.Settings.StoreTimeout)
	return c.launch(e)
}

// pendingEffect returns the pending effect with the given id, which must exist.
func (c *call) pendingEffect(id int) *flight {
	return &c.Flights[slices.IndexFunc(c.Flights, func(f flight) bool { return f.ID == id })]
}

// removePending removes the pending effect with the given id, whose result has arrived, and returns
// it. It returns false if no such effect is pending, because its result is no longer needed.
func (c *call) removePending(id int) (flight, bool) {
	for i, f := range c.Flights {
		if f.ID == id {
			c.Flights = slices.Delete(c.Flights, i, i+1)
			return f, true
		}
	}
	return flight{}, false
}

// can reports whether the host can execute effects of this kind.
func (c *call) can(e api.EffectName) bool { return slices.Contains(c.Settings.Can, e) }

// disable records that the host cannot execute effects of this kind, although its settings say that it can.
func (c *call) disable(e api.EffectName) {
	c.Settings.Can = slices.DeleteFunc(c.Settings.Can, func(other api.EffectName) bool { return other == e })
}

// fail ends the job without a result. Only the first failure counts.
func (c *call) fail(code api.FailureCode, message string) {
	if c.failure == nil {
		c.failure = &api.JobFailure{Code: code, Message: message}
	}
}

// addNotice adds a notice for the host's log.
func (c *call) addNotice(name api.NoticeName, message string) {
	c.emit(api.Effect{Effect: api.EffectEmit, Notice: &api.JobNotice{Name: name, Message: message}})
}

// runCore runs an operation of core. It returns false if the operation failed; the job has then ended.
func (c *call) runCore(op operations.Op, members ...Member) (answer, bool) {
	json, err := c.core.Run(op, members...)
	if err != nil {
		c.err = err
		return answer{}, false
	}
	return readAnswer(json), true
}

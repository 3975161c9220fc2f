package loop

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// maxSaves is the maximum number of times that a job tries to merge its compaction into a record that other jobs change
// at the same time.
const maxSaves = 64

// takeCompaction decides what to do with the result of a compaction.
func (c *call) takeCompaction(a answer) {
	switch {
	case c.Repeats && (c.Failed || !a.changed) && c.Stale != nil:
		// The result of the previous compaction remains in use.
		c.Repeated = true
		again := *c.Stale
		again.Tries++
		again.Again = c.nextTry(again.Tries)
		c.addFound([]entry{again})
		c.saveAndContinue(nil, &record{Entries: []entry{again}}, thenLook)
	case c.Settings.Background && (c.Failed || !a.changed):
		nothing := c.failedAttempt(a)
		nothing.Tokens = a.before
		c.addNotice(api.NoticeBackgroundFailed,
			"a compaction in the background came to nothing: "+orElse(a.reason, "the model gave no summary"))
		c.saveAndContinue(a.withoutMemory(), &record{Attempts: []attempt{nothing}}, thenEnd)
	case c.wasRefused() && !a.changed:
		c.retryNarrower(a)
	default:
		c.storeAndSave(a)
	}
}

// retryNarrower handles a compaction that changed nothing although a provider had rejected the
// messages. By the estimate they fit in the known window, so the job tries a smaller one, once.
// After that, or without an estimate, the job ends with the unchanged messages if Settings.Refused
// is set, and otherwise fails.
func (c *call) retryNarrower(a answer) {
	switch done := c.Narrowed > 0 || a.before == 0; {
	case done && c.Settings.Refused:
		c.storeAndSave(a)
		return
	case done:
		c.fail(api.FailureStill, "the messages do not fit in the context window, and a compaction did not help")
		return
	}
	c.Narrowed = a.before
	c.lookAgain()
}

// wasRefused reports whether the job was started because a provider rejected the messages.
func (c *call) wasRefused() bool { return c.Settings.Refusal != nil || c.Settings.Refused }

// failedAttempt returns the attempt to record for a compaction that changed nothing. If the model returned no summary,
// the attempt includes the time of the next try.
func (c *call) failedAttempt(a answer) attempt {
	n := attempt{}
	if c.Settings.Operation == api.JobPlan {
		return n
	}
	if k := c.keysOf(); k != nil && len(k.later) > 0 {
		n.Messages, n.Print = len(k.later), k.later[len(k.later)-1]
	}
	if c.Failed || a.reason == string(api.ReasonSummaryFailed) {
		n.Tries = c.Tries + 1
		n.Again = c.nextTry(n.Tries)
	}
	return n
}

// nextTry returns the time at which to ask the model again after the given number of consecutive failures. The delay is
// one minute, doubled with each further failure up to an hour, or the delay that the model asked for if that is longer.
// It is extended at random by up to a tenth. The result is in milliseconds since 1970.
func (c *call) nextTry(tries int) int64 {
	wait := max(min(int64(firstPause)<<min(max(tries-1, 0), 10), longestPause), min(c.After, longestPause))
	return c.Clock + wait + c.random(wait/10+1)
}

// storeAndSave asks the host to store the content that a compaction has removed. The result is used only if all of it
// is stored.
func (c *call) storeAndSave(a answer) {
	c.prepareSave(a.withoutMemory(), c.newRecord(a), thenEnd)
	if c.ended() {
		return
	}
	if c.Settings.Background && c.Settings.Operation != api.JobPlan {
		n := c.failedAttempt(a)
		n.Tokens = a.before
		c.Nothing = &n
		if k := c.keysOf(); c.byPrefix() && k != nil {
			c.NothingKey = k.keyOf(n.Print)
		}
	}
	c.putBodies(a)
}

// putBodies asks the host to store the removed content that the response a lists in addition to its messages.
func (c *call) putBodies(a answer) {
	c.Phase = phaseStoring
	if c.can(api.EffectPut) {
		for _, body := range elementsOf(a.members.valueOf("archive")) {
			if m := readMembers(body); m.valueOf("body") != nil {
				c.requestAccess(api.Effect{Effect: api.EffectPut, Handle: textOf(m.valueOf("handle")),
					Body: m.valueOf("body")})
			}
		}
	}
	c.continueStored()
}

// takeStored handles the result of storing a body. If the body could not be stored, the job fails; if it has a failed
// attempt to record (Nothing), it saves that instead, so that the next compaction begins only after the history has
// grown.
func (c *call) takeStored(r *api.EffectResult) {
	switch message := "a body could not be stored, and nothing was changed: " + r.Error; {
	case c.Phase != phaseStoring:
	case r.Error == "":
		c.continueStored()
	case c.Nothing != nil: // the next compaction begins after the history has grown
		c.addNotice(api.NoticeBackgroundFailed, message)
		c.Answer, c.New = nil, &record{Attempts: []attempt{*c.Nothing}}
		c.SaveKeys = []string{c.NothingKey}
		c.saveNew()
	default:
		c.fail(api.FailureStore, message)
	}
}

// continueStored saves the record once all bodies are stored.
func (c *call) continueStored() {
	if c.Phase == phaseStoring && !slices.ContainsFunc(c.Flights, func(f flight) bool { return f.Effect == api.EffectPut }) {
		c.saveNew()
	}
}

// newRecord returns the record to save for a compaction, or nil.
func (c *call) newRecord(a answer) *record {
	memory := a.members.valueOf("memory")
	switch {
	case c.Settings.Operation == api.JobPlan || !c.can(api.EffectSave):
	case memory != nil:
		e := entry{Entry: memory}
		if c.Failed {
			e.Tries, e.Window, e.NoReserve = c.Tries+1, c.Window, c.NoReserve
			e.Again = c.nextTry(e.Tries)
		} else if c.Base != nil {
			e.Tries, e.Again, e.Window, e.NoReserve = c.Base.Tries, c.Base.Again, c.Base.Window, c.Base.NoReserve // the result contains the base's digest
		}
		return &record{Entries: []entry{e}}
	case c.Failed && !c.Paused: // without a summary, the policy keeps the transcript, so don't ask again at each call
		return &record{Attempts: []attempt{c.failedAttempt(a)}}
	}
	return nil
}

// saveAndContinue asks the host to save the record new, unless it is nil. After that, the job ends with the result a
// or, if the parameter then is thenLook, looks at the history again.
func (c *call) saveAndContinue(a api.Raw, new *record, then string) {
	if c.prepareSave(a, new, then); !c.ended() {
		c.saveNew()
	}
}

// finishWith ends the job with the result a and saves no compaction. It stores removed content, because a remembered
// compaction may have cut the current text of the first message.
func (c *call) finishWith(a answer) {
	if c.prepareSave(a.withoutMemory(), nil, thenEnd); !c.ended() {
		c.putBodies(a)
	}
}

// prepareSave determines what to save and under which keys, because later events may lack the messages. a is the answer
// with which the job ends, and then says what it does after saving.
func (c *call) prepareSave(a api.Raw, new *record, then string) {
	c.Answer, c.New, c.SaveKeys, c.Then, c.Saves = a, new, nil, then, 0
	if c.Settings.Operation == api.JobPlan || !c.can(api.EffectSave) {
		c.New = nil
		return
	}
	chills := c.core.PolicySettings().Chills && !c.Settings.Background && then == thenEnd
	if new == nil && !chills || !c.byPrefix() && !chills {
		return
	}
	k := c.keysOf()
	if k == nil || len(k.prints) == 0 {
		return
	}
	if c.byPrefix() && new != nil {
		c.prepareKeys(k, new)
	}
	if chills {
		c.saveCall(k)
	}
}

// saveCall adds the model's newest call, for the history with the given keys, to the record to save. If records are saved
// by prefix, it requests that the call is saved in a record of its own.
func (c *call) saveCall(k *keys) {
	call := use{Print: k.prints[len(k.prints)-1], Time: c.Clock, Model: c.Settings.Model, Provider: c.Settings.Provider}
	if c.byPrefix() { // losing a record of the model's calls only makes idle times less accurate
		only := record{Version: recordVersion, Calls: []use{call}}
		c.emit(api.Effect{Effect: api.EffectSave, Keys: useKeys([]string{k.keyOf(call.Print)}), Record: only.text()})
		return
	}
	if c.New == nil {
		c.New = &record{}
	}
	c.New.Calls = append(c.New.Calls, call)
}

// prepareKeys determines the keys under which a record is saved by prefix: those of its entries and attempts, and those
// of the compaction that it replaces.
func (c *call) prepareKeys(k *keys, new *record) {
	for i := range new.Entries {
		c.SaveKeys = append(c.SaveKeys, k.keysOfEntry(&new.Entries[i])...)
	}
	if c.replacesStale() {
		for _, print := range k.replacedPrints(c.Stale) {
			c.SaveKeys = append(c.SaveKeys, k.keyOf(print))
		}
	}
	for _, a := range new.Attempts {
		c.SaveKeys = append(c.SaveKeys, k.keyOf(a.Print))
	}
}

// replacesStale reports whether the new compaction replaces one during which the model failed. The old one must be
// removed, because it may replace more messages and would then be found first.
func (c *call) replacesStale() bool {
	return c.Stale != nil && c.New != nil && len(c.New.Entries) > 0 && c.Then == thenEnd
}

// saveNew saves the new entries and attempts. If records are kept by owner, it first loads the owner's record unless
// this call has done so, since other jobs may have changed it.
func (c *call) saveNew() {
	if c.New == nil {
		c.continueSaved()
		return
	}
	c.Phase = phaseSaving
	if !c.byPrefix() && c.loaded == nil {
		c.requestAccess(api.Effect{Effect: api.EffectLoad, Keys: []string{c.ownerKey()}})
		return
	}
	c.saveRecord()
}

// saveRecord asks the host to save the new entries and attempts. If records are kept by owner, they
// are first merged into the record that was loaded during this call.
func (c *call) saveRecord() {
	if !c.can(api.EffectSave) {
		c.continueSaved()
		return
	}
	e := api.Effect{Effect: api.EffectSave, Keys: c.SaveKeys}
	r := record{}
	if c.byPrefix() {
		if e.Holder = c.Holder; e.Holder != "" {
			e.Lease = c.LeaseKey
		}
	} else if c.loaded != nil {
		r, e.Keys = c.loaded.record, []string{c.ownerKey()}
		if c.replacesStale() {
			r.forget(c.Stale.print(), 1) // unless another job has replaced it in the meantime
		}
		e.IfRevision = &c.loaded.revision
	}
	r.merge(c.New)
	if most := c.Settings.Remembered; most > 0 {
		r.Entries = slices.Delete(r.Entries, 0, max(0, len(r.Entries)-most))
	}
	e.Record = r.text()
	c.requestAccess(e)
}

// takeSaved handles the result of saving a record. If others have changed the record meanwhile, it is loaded and saved
// again, at most maxSaves times; a job that holds a lease loses it instead.
func (c *call) takeSaved(r *api.EffectResult) {
	switch {
	case c.Phase != phaseSaving:
	case r.Error != "" || r.Refused:
		if c.recordsFailed(r, "saved") {
			c.continueSaved()
		}
	case r.Done:
		c.continueSaved()
	case c.byPrefix() && c.Holder != "":
		if c.loseLease(); c.Holder == "" && c.WithoutLease {
			c.saveRecord()
		}
	case !c.byPrefix() && c.Saves < maxSaves:
		c.Saves++
		c.loaded = nil
		c.saveNew()
	default:
		c.addNotice(api.NoticeRecordsFailed, "what is remembered cannot be saved: others change it all the time")
		c.continueSaved()
	}
}

// continueSaved ends the job once everything is saved, or looks at the history again.
func (c *call) continueSaved() {
	c.New = nil
	if c.Then == thenLook {
		c.lookAgain()
		return
	}
	c.end()
}

// end ends the job with its result. The result is null for a background job that had nothing to do.
func (c *call) end() {
	if c.result = c.Answer; c.result == nil {
		c.result = api.Raw("null")
	}
}

package loop

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
)

// maxSaves is how many times a job tries to merge its compaction into a record that other jobs change at the same
// time.
const maxSaves = 64

// made decides how to continue with the result of a compaction.
func (t *turn) made(a answer) {
	switch {
	case t.Repeats && (t.Failed || !a.changed) && t.Stale != nil:
		// The result of the previous attempt still counts.
		t.Repeated = true
		again := *t.Stale
		again.Tries++
		again.Again = t.later(again.Tries)
		t.addFound([]entry{again})
		t.store(nil, &record{Entries: []entry{again}}, thenLook)
	case t.Settings.Background && (t.Failed || !a.changed):
		nothing := t.nothing(a)
		nothing.Tokens = a.before
		t.notice(api.NoticeBackgroundFailed, "a compaction in the background came to nothing: "+orElse(a.reason, "the model gave no summary"))
		t.store(a.withoutMemory(), &record{Attempts: []attempt{nothing}}, thenEnd)
	case t.wasRefused() && !a.changed:
		t.narrow(a)
	default:
		t.put(a)
	}
}

// narrow continues after a compaction that changed nothing although a provider had rejected the messages. They fit
// into the known window, but only by the estimate, so the job tries a smaller window.
func (t *turn) narrow(a answer) {
	switch done := t.Narrowed > 0 || a.before == 0; {
	case done && t.Settings.Refused:
		t.put(a)
		return
	case done:
		t.fail(api.FailureStill, "the messages do not fit in the context window, and a compaction did not help")
		return
	}
	t.Narrowed = a.before
	t.again()
}

// wasRefused reports whether the job was started because a provider rejected the messages.
func (t *turn) wasRefused() bool { return t.Settings.Refusal != nil || t.Settings.Refused }

// nothing returns the attempt to record for a compaction that changed nothing, because the model returned no summary.
func (t *turn) nothing(a answer) attempt {
	n := attempt{}
	if t.Settings.Operation == api.JobPlan {
		return n
	}
	if k := t.keysOf(); k != nil && len(k.prints) > 0 {
		n.Messages, n.Print = len(k.prints), k.prints[len(k.prints)-1]
	}
	if t.Failed || a.reason == string(api.ReasonSummaryFailed) {
		n.Tries = t.Tries + 1
		n.Again = t.later(n.Tries)
	}
	return n
}

// later returns when to ask a model again that has failed tries times in a row: after a minute, which doubles with
// each failure up to an hour, or when the model said. The time is extended at random by up to a tenth.
func (t *turn) later(tries int) int64 {
	wait := max(min(int64(firstPause)<<min(max(tries-1, 0), 10), longestPause), min(t.After, longestPause))
	return t.Clock + wait + t.random(wait/10+1)
}

// put asks the host to store the content that a compaction has removed. The result is used only if all of it is stored.
func (t *turn) put(a answer) {
	t.prepareSave(a.withoutMemory(), t.remembered(a), thenEnd)
	if t.ended() {
		return
	}
	if t.Settings.Background && t.Settings.Operation != api.JobPlan {
		n := t.nothing(a)
		n.Tokens = a.before
		t.Nothing = &n
		if k := t.keysOf(); t.byPrefix() && k != nil {
			t.NothingKey = k.key(n.Print)
		}
	}
	t.Phase = phaseStoring
	if t.can(api.EffectPut) {
		for _, body := range elementsOf(a.members.of("archive")) {
			if m := readMembers(body); m.of("body") != nil {
				t.access(api.Effect{Effect: api.EffectPut, Handle: textOf(m.of("handle")), Body: m.of("body")})
			}
		}
	}
	t.stored()
}

// takeStored handles the result of storing a body.
func (t *turn) takeStored(r *api.EffectResult) {
	switch message := "a body could not be stored, and nothing was changed: " + r.Error; {
	case t.Phase != phaseStoring:
	case r.Error == "":
		t.stored()
	case t.Nothing != nil: // the next compaction begins when the history has grown
		t.notice(api.NoticeBackgroundFailed, message)
		t.Answer, t.New = nil, &record{Attempts: []attempt{*t.Nothing}}
		t.SaveKeys = []string{t.NothingKey}
		t.saveNew()
	default:
		t.fail(api.FailureStore, message)
	}
}

// stored continues once all bodies are stored.
func (t *turn) stored() {
	if t.Phase == phaseStoring && !slices.ContainsFunc(t.Flights, func(f flight) bool { return f.Effect == api.EffectPut }) {
		t.saveNew()
	}
}

// remembered returns the record to save for a compaction, or nil.
func (t *turn) remembered(a answer) *record {
	memory := a.members.of("memory")
	switch {
	case t.Settings.Operation == api.JobPlan || !t.can(api.EffectSave):
	case memory != nil:
		e := entry{Entry: memory}
		if t.Failed {
			e.Tries, e.Window, e.NoReserve = t.Tries+1, t.Window, t.NoReserve
			e.Again = t.later(e.Tries)
		} else if t.Base != nil {
			e.Tries, e.Again, e.Window, e.NoReserve = t.Base.Tries, t.Base.Again, t.Base.Window, t.Base.NoReserve // the result contains the base's digest
		}
		return &record{Entries: []entry{e}}
	case t.Failed && !t.Paused: // the policy keeps the transcript if there is no summary: don't ask the model again at each call
		return &record{Attempts: []attempt{t.nothing(a)}}
	}
	return nil
}

// store asks the host to save the record new, if there is one. After that, the job ends with the result a or, if then is thenLook, looks
// at the history again.
func (t *turn) store(a api.Raw, new *record, then string) {
	if t.prepareSave(a, new, then); !t.ended() {
		t.saveNew()
	}
}

// finish ends the job with the result a, and saves no record.
func (t *turn) finish(a answer) { t.store(a.withoutMemory(), nil, thenEnd) }

// prepareSave determines what to save and under which keys, because later events may come without the messages.
func (t *turn) prepareSave(a api.Raw, new *record, then string) {
	t.Answer, t.New, t.SaveKeys, t.Then, t.Saves = a, new, nil, then, 0
	if t.Settings.Operation == api.JobPlan || !t.can(api.EffectSave) {
		t.New = nil
		return
	}
	chills := t.core.Gate().Chills && !t.Settings.Background && then == thenEnd
	if new == nil && !chills || !t.byPrefix() && !chills {
		return
	}
	k := t.keysOf()
	if k == nil || len(k.prints) == 0 {
		return
	}
	if t.byPrefix() && new != nil {
		t.prepareKeys(k, new)
	}
	if !chills {
		return
	}
	call := use{Print: k.prints[len(k.prints)-1], Time: t.Clock, Model: t.Settings.Model, Provider: t.Settings.Provider}
	if t.byPrefix() { // losing a record of the model's calls only makes idle times less accurate
		only := record{Version: recordVersion, Calls: []use{call}}
		t.emit(api.Effect{Effect: api.EffectSave, Keys: useKeys([]string{k.key(call.Print)}), Record: only.text()})
		return
	}
	if t.New == nil {
		t.New = &record{}
	}
	t.New.Calls = append(t.New.Calls, call)
}

// prepareKeys determines the keys under which a record is saved by prefix: those of its entries and attempts, and those of the compaction
// that it replaces.
func (t *turn) prepareKeys(k *keys, new *record) {
	for i := range new.Entries {
		t.SaveKeys = append(t.SaveKeys, k.under(&new.Entries[i])...)
	}
	if t.replacesStale() {
		for _, print := range k.replaced(t.Stale) {
			t.SaveKeys = append(t.SaveKeys, k.key(print))
		}
	}
	for _, a := range new.Attempts {
		t.SaveKeys = append(t.SaveKeys, k.key(a.Print))
	}
}

// replacesStale reports whether the new compaction replaces one during which the model failed. The old one must be
// removed, because it may replace more messages and would then be found first.
func (t *turn) replacesStale() bool {
	return t.Stale != nil && t.New != nil && len(t.New.Entries) > 0 && t.Then == thenEnd
}

// saveNew saves the new entries and attempts. It first reloads each owner's record, since other jobs may have changed it.
func (t *turn) saveNew() {
	if t.New == nil {
		t.saved()
		return
	}
	t.Phase = phaseSaving
	if !t.byPrefix() && t.loaded == nil {
		t.access(api.Effect{Effect: api.EffectLoad, Keys: []string{t.ownerKey()}})
		return
	}
	t.save()
}

// save saves the new entries and attempts, merged into the record that was loaded during this call.
func (t *turn) save() {
	if !t.can(api.EffectSave) {
		t.saved()
		return
	}
	e := api.Effect{Effect: api.EffectSave, Keys: t.SaveKeys}
	r := record{}
	if t.byPrefix() {
		if e.Holder = t.Holder; e.Holder != "" {
			e.Lease = t.LeaseKey
		}
	} else if t.loaded != nil {
		r, e.Keys = t.loaded.record, []string{t.ownerKey()}
		if t.replacesStale() {
			r.forget(t.Stale.print(), 1) // unless another job has replaced it in the meantime
		}
		e.IfRevision = &t.loaded.revision
	}
	r.merge(t.New)
	if most := t.Settings.Remembered; most > 0 {
		r.Entries = slices.Delete(r.Entries, 0, max(0, len(r.Entries)-most))
	}
	e.Record = r.text()
	t.access(e)
}

// takeSaved handles the result of saving a record.
func (t *turn) takeSaved(r *api.EffectResult) {
	switch {
	case t.Phase != phaseSaving:
	case r.Error != "" || r.Refused:
		if t.recordsFailed(r, "saved") {
			t.saved()
		}
	case r.Done:
		t.saved()
	case t.byPrefix() && t.Holder != "":
		if t.lose(); t.Holder == "" && t.Free {
			t.save()
		}
	case !t.byPrefix() && t.Saves < maxSaves:
		t.Saves++
		t.loaded = nil
		t.saveNew()
	default:
		t.notice(api.NoticeRecordsFailed, "what is remembered cannot be saved: others change it all the time")
		t.saved()
	}
}

// saved continues once everything is saved.
func (t *turn) saved() {
	t.New = nil
	if t.Then == thenLook {
		t.again()
		return
	}
	t.end()
}

// end ends the job with its result. The result is null for a background job that had nothing to do.
func (t *turn) end() {
	if t.result = t.Answer; t.result == nil {
		t.result = api.Raw("null")
	}
}

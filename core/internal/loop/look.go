package loop

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// prepare sets the options with which the job runs its operations.
func (t *turn) prepare() {
	s, o := &t.Settings, &t.Options
	if !t.can(api.EffectWait) && t.can(api.EffectLease) {
		t.without(api.EffectLease) // without an effect to wait, it can't wait for other jobs' leases
	}
	if t.can(api.EffectPut) && o.Archive == nil {
		archive := api.ArchiveBodies
		o.Archive = &archive
	}
	summary := api.SummaryOptions{}
	if o.Summary != nil {
		summary = *o.Summary
	}
	if !t.can(api.EffectAsk) {
		if summary.Mode == "" {
			summary.Mode = api.SummaryLocal
		}
	} else if s.Prefix {
		summary.Prefix = true
	}
	if summary != (api.SummaryOptions{}) {
		o.Summary = &summary
	}
	o.Background = o.Background || s.Background
	if f := s.Refusal; f != nil {
		t.classify(f)
	} else if s.Refused {
		t.refused(s.Limit)
	}
}

// classify makes the job compact messages that a provider rejected because they were too long.
func (t *turn) classify(f *api.Failure) {
	verdict, ok := t.run(operations.OpClassifyError, Member{operations.InArguments, appendFailure(f)})
	if !ok {
		return
	}
	if string(verdict.members.of("overflow")) != "true" {
		t.fail(api.FailureNotFull, "the model call did not fail because the messages do not fit")
		return
	}
	t.refused(numberOf(verdict.members.of("limit_tokens")))
}

// refused makes the job compact regardless of the gate. limit is the window that a provider named, or 0.
func (t *turn) refused(limit int) {
	if t.Options.Force = true; limit == 0 {
		return
	}
	within := t.Options.Clone()
	within.Window = limit
	// If the policy's reserve doesn't fit in the provider's window, the known window is used instead.
	if _, err := t.core.Run(operations.OpCheck, t.policyMember(), Member{operations.InOptions, appendOptions(&within)}); err == nil {
		t.Options.Window = limit
	}
}

// load looks up remembered compactions under the history's keys, from the key at index t.At on.
func (t *turn) load() {
	t.loaded = nil
	if t.Settings.Operation == api.JobPlan || !t.can(api.EffectLoad) {
		t.look()
		return
	}
	list := []string{t.ownerKey()}
	if t.byPrefix() {
		k := t.keysOf()
		if k == nil {
			return
		}
		if list = k.all(t.At); len(list) == 0 {
			t.look()
			return
		}
	}
	t.Phase = phaseLoading
	t.access(api.Effect{Effect: api.EffectLoad, Keys: list})
}

// again starts the lookup over, because another job may have compacted the history in the meantime.
func (t *turn) again() {
	t.Base, t.Plan, t.Questions = nil, nil, nil
	if t.can(api.EffectLoad) { // otherwise what was found before the store failed remains
		t.Found, t.Attempts, t.At, t.Later, t.Seen = nil, nil, 0, false, ""
	}
	if t.Measured { // the model may have been called again since then
		t.Measured, t.Uses, t.Options.Idle, t.Options.Cold = false, false, 0, ""
	}
	t.recount(true)
	t.load()
}

func (t *turn) byPrefix() bool { return t.Settings.Records != api.RecordsByOwner }

// ownerKey returns the key of the owner's only record.
func (t *turn) ownerKey() string {
	if t.Settings.Owner == "" {
		return "default"
	}
	return t.Settings.Owner
}

// takeLoaded handles a loaded record. The lookup continues after a record that only says that the model failed. It
// also continues if the compaction in the record should be repeated, because the base of that compaction is under
// another key.
func (t *turn) takeLoaded(f flight, r *api.EffectResult) {
	if r.Error != "" || r.Refused {
		if !t.recordsFailed(r, "read") {
			return
		}
		t.without(api.EffectLoad)
		t.without(api.EffectSave)
		t.without(api.EffectLease)
	}
	found := loadedRecord{revision: r.Revision}
	if r.Record != nil {
		found.record = readRecord(*r.Record, t.Clock)
	}
	switch {
	case f.Uses:
		t.idle(found.record.Calls)
	case t.Phase == phaseSaving:
		t.loaded = &found
		t.save()
		return
	case t.Phase != phaseLoading || t.takeRecord(&found, r):
		return
	}
	if !t.ended() && !t.loadUses() {
		t.look()
	}
}

// takeRecord handles a record that was found. It returns true if there is more to look up.
func (t *turn) takeRecord(found *loadedRecord, r *api.EffectResult) bool {
	if r.Record != nil {
		f := transcript.Fingerprint(r.At)
		f.Add([]byte(t.Seen))
		f.Add([]byte(*r.Record))
		t.Seen = f.String()
	}
	if !t.byPrefix() {
		t.loaded, t.Found, t.Attempts = found, found.record.Entries, found.record.Attempts
		t.idle(found.record.Calls)
		return false
	}
	if t.Later {
		t.addFound(found.record.Entries)
		t.recount(len(found.record.Entries) > 0)
		return false
	}
	if r.Record == nil {
		t.At = maxKeys
		return false
	}
	t.At = min(t.At+max(0, min(r.At, maxKeys))+1, maxKeys)
	t.addFound(found.record.Entries)
	t.Attempts = append(t.Attempts, found.record.Attempts...)
	sound := slices.ContainsFunc(found.record.Entries, func(e entry) bool { return e.Tries == 0 })
	if sound || t.foundMost() {
		return false
	}
	t.load()
	return true
}

// addFound adds the entries found under a further key before those found so far. Of two entries for the same messages,
// which different keys may have, it keeps the better one. It reads each entry once, as entries may be large.
func (t *turn) addFound(entries []entry) {
	var prints []string
	for i := range t.Found {
		prints = append(prints, string(t.Found[i].print()))
	}
	for _, e := range slices.Backward(entries) {
		print := string(e.print())
		at := slices.Index(prints, print)
		switch {
		case at < 0:
			t.Found, prints = slices.Insert(t.Found, 0, e), slices.Insert(prints, 0, print)
		case t.Found[at].Tries > 0 && (e.Tries == 0 || e.Again > t.Found[at].Again):
			t.Found[at] = e
		}
	}
}

// foundMost reports whether nothing more needs to be looked up.
func (t *turn) foundMost() bool { return len(t.Found) >= maxEntries || len(t.Attempts) >= maxAttempts }

// further looks up entries for shorter beginnings of the history if none of those found can be used. For example, a
// digest that covers the newest user message can't be used once the messages after that one are gone. It returns true
// if the job waits for the lookup.
func (t *turn) further(a answer) bool {
	if a.known() >= 0 || len(t.Found) == 0 || t.foundMost() || !t.byPrefix() || !t.can(api.EffectLoad) {
		return false
	}
	if k := t.keysOf(); k == nil || t.At >= len(k.prints) {
		return false
	}
	t.recount(true)
	t.load()
	return true
}

// recount forgets the count of what is sent, if other messages are sent.
func (t *turn) recount(others bool) {
	if others && t.Counted {
		t.Counted, t.Options.Usage = false, nil
	}
}

// loadUses looks up when the model was last called, if that matters and isn't known yet. It returns true if the job
// waits for the lookup.
func (t *turn) loadUses() bool {
	if t.Uses || !t.byPrefix() || !t.can(api.EffectLoad) || !t.core.Gate().Chills || t.Options.Idle != 0 || t.Options.Cold != "" {
		return false
	}
	k := t.keysOf()
	if k == nil || len(k.prints) == 0 {
		return false
	}
	t.Uses = true
	id := t.access(api.Effect{Effect: api.EffectLoad, Keys: useKeys(k.all(0))})
	t.flight(id).Uses = true
	return true
}

// maxKeys is larger than the number of messages in any history.
const maxKeys = 1 << 28

// recordsFailed handles a failed access to the records; what is the kind of access. It returns false if the job can't
// continue without records.
func (t *turn) recordsFailed(r *api.EffectResult, what string) bool {
	if r.Refused {
		return true
	}
	if message := "what is remembered cannot be " + what + ": " + r.Error; t.Settings.RecordsRequired {
		t.fail(api.FailureRecords, message)
	} else {
		t.notice(api.NoticeRecordsFailed, message)
	}
	return t.failure == nil
}

// look runs the operation with the entries found, and continues according to its response.
func (t *turn) look() {
	if due := t.Due; due != nil {
		if t.Due = nil; t.Seen == t.DueSeen && t.DueSize > 0 && t.DueSize == len(t.core.Messages()) {
			t.decide(readAnswer(due))
			return
		}
	}
	t.Repeats, t.Stale, t.Window, t.NoReserve = false, nil, 0, false
	if t.counts() {
		return
	}
	o := t.options()
	attempt := t.attempt()
	if t.err != nil {
		return
	}
	if attempt != nil {
		o.Tried = attempt.Tokens
	}
	a, ok := t.answer(&o, t.Found)
	if !ok || t.further(a) {
		return
	}
	t.Window, t.NoReserve, t.Tries, t.Paused = o.Window, o.NoReserve, 0, false
	if attempt != nil {
		t.Tries, t.Paused = attempt.Tries, t.Clock < attempt.Again
	}
	t.decide(a)
}

// decide decides how to continue with a response: return it, make the compaction that is due, or repeat the compaction that was applied if
// the model failed during it. Before a compaction is made or begun, the job looks for those that were made for other texts of the first message.
func (t *turn) decide(a answer) {
	base := t.entry(a.known())
	stale := base != nil && base.Tries > 0 && t.replaces(base)
	if t.err != nil {
		return
	}
	if (a.due() || a.starts() && t.begins() && !t.Paused) && t.looksForLater() {
		t.loadLater(a)
		return
	}
	repeats := stale && t.Clock >= base.Again && t.can(api.EffectAsk) && !t.Repeated && !t.Options.Force
	switch {
	case t.Paused && t.Settings.Background:
		t.end()
	case repeats && !t.Paused && !a.due() && !t.begins():
		t.Repeats = true
		t.repeat(base)
	case !a.due() && t.wasRefused():
		t.narrow(a)
	case !a.due():
		if (a.starts() || repeats || t.Behind != 0) && t.begins() && !t.Paused {
			t.begin()
		}
		t.finish(a)
	case stale && a.asks() && !t.Paused:
		t.repeat(base)
	default:
		if !t.free() {
			t.keepDue(a)
		}
		t.make(a, base)
	}
}

// keepDue keeps a response for when the job looks again, in case nothing has changed until then.
func (t *turn) keepDue(a answer) {
	t.Due, t.DueSeen, t.DueSize = a.json, t.Seen, len(t.core.Messages())
}

// looksForLater reports whether records for other texts of the first message are still to be looked up before the compaction that is due is
// made. Many apps write into their first message what changes with each request: the date, what they have retrieved.
func (t *turn) looksForLater() bool {
	if t.Later || t.Settings.Operation == api.JobPlan || !t.byPrefix() || !t.can(api.EffectLoad) || t.foundMost() {
		return false
	}
	k := t.keysOf()
	return k != nil && len(k.later) > 1
}

func (t *turn) loadLater(a answer) {
	t.keepDue(a)
	t.Later, t.Phase = true, phaseLoading
	t.access(api.Effect{Effect: api.EffectLoad, Keys: t.keysOf().of(t.keysOf().later)})
}

// options returns the options of the job's operation. If a provider rejected messages that fit into the known window,
// they have a smaller window.
func (t *turn) options() api.Options {
	o := t.Options.Clone()
	if t.Narrowed > 0 {
		o.Window, o.NoReserve = max(1, t.Narrowed*7/10), true
	}
	return o
}

// answer runs the job's operation with the given memory entries.
func (t *turn) answer(o *api.Options, entries []entry) (answer, bool) {
	members := []Member{t.policyMember(), {operations.InOptions, appendOptions(o)}}
	if t.Settings.Operation == api.JobPlan {
		if len(t.State) > 0 {
			members = append(members, Member{operations.InState, t.State})
		}
		return t.run(operations.OpPlan, members...)
	}
	return t.run(operations.OpFit, append(members, memoryMember(entries))...)
}

// entry returns the found entry at an index, or nil.
func (t *turn) entry(index int) *entry {
	if index < 0 || index >= len(t.Found) {
		return nil
	}
	return &t.Found[index]
}

// replaces reports whether the history begins with the messages that an entry replaced. If it instead continues from
// the result, the original messages are missing, and the compaction can't be repeated.
func (t *turn) replaces(e *entry) bool {
	k := t.keysOf()
	return k != nil && len(k.replaced(e)) > 0
}

// attempt returns the newest failed attempt to compact a beginning of the history, or nil.
func (t *turn) attempt() (newest *attempt) {
	if len(t.Attempts) == 0 {
		return nil
	}
	k := t.keysOf()
	for i := range t.Attempts {
		a := &t.Attempts[i]
		if k != nil && isAt(k.prints, a.Messages, a.Print) && (newest == nil || a.Messages > newest.Messages) {
			newest = a
		}
	}
	return newest
}

// repeat repeats the compaction stale, during which the model failed, from the original messages.
func (t *turn) repeat(stale *entry) {
	o := t.options()
	o.Usage = nil // of what was sent with the result that is replaced
	o.Force, o.NoReserve = true, o.NoReserve || stale.NoReserve
	if stale.Window > 0 && (o.Window == 0 || stale.Window < o.Window) {
		o.Window = stale.Window
	}
	t.Tries, t.Window, t.NoReserve = stale.Tries, o.Window, o.NoReserve
	t.Stale = &entry{Entry: stale.Entry, Tries: stale.Tries, Again: stale.Again, Window: stale.Window, NoReserve: stale.NoReserve}
	sound := slices.DeleteFunc(slices.Clone(t.Found), func(e entry) bool { return e.Tries > 0 })
	a, ok := t.answer(&o, sound)
	if !ok {
		return
	}
	t.Found = sound
	t.make(a, t.entry(a.known()))
}

// counts requests the exact number of tokens to send, if the host can count them. It returns true if the job waits
// for the count.
func (t *turn) counts() bool {
	if !t.can(api.EffectCount) || t.Counted || t.Options.Usage != nil || t.Settings.Operation == api.JobPlan {
		return false
	}
	t.Counted = true
	o := t.Options.Clone()
	if o.Force, o.OnlyKnown = false, true; o.Answer != api.AnswerEdits {
		o.Answer = api.AnswerMessages
	}
	a, ok := t.answer(&o, t.Found)
	if !ok || t.further(a) {
		return true
	}
	t.Phase = phaseCounting
	t.access(api.Effect{Effect: api.EffectCount, Messages: a.members.of("messages"), Edits: a.members.of("edits")})
	return true
}

// takeCount handles an exact count. If counting failed, the job uses the estimate.
func (t *turn) takeCount(r *api.EffectResult) {
	if t.Phase != phaseCounting {
		return
	}
	if r.Error == "" && !r.Refused && r.Tokens > 0 {
		t.Options.Usage = &api.Usage{Message: -1, TotalTokens: min(r.Tokens, 1<<30), Exact: true}
	}
	t.look()
}

// longestIdle is the longest idle time that the options accept, in seconds.
const longestIdle = 1_000_000_000

// idle determines how long the conversation was idle, and whether another model is called now.
func (t *turn) idle(calls []use) {
	if len(calls) == 0 || !t.core.Gate().Chills || t.Options.Idle != 0 || t.Options.Cold != "" {
		return
	}
	k := t.keysOf()
	var last *use
	best := 0
	for i := range calls {
		if k == nil {
			return
		}
		if at := slices.Index(k.prints, calls[i].Print) + 1; at > best {
			best, last = at, &calls[i]
		}
	}
	if last == nil {
		return
	}
	t.Measured = true
	t.aged(last)
}

// aged records the time since the model was last called, and whether another model is called now.
func (t *turn) aged(last *use) {
	t.Options.Idle = min(float64(max(0, t.Clock-last.Time))/1000, longestIdle)
	switch differ := func(a, b string) bool { return a != "" && b != "" && a != b }; {
	case differ(t.Settings.Provider, last.Provider):
		t.Options.Cold = api.ColdProvider
	case differ(t.Settings.Model, last.Model):
		t.Options.Cold = api.ColdModel
	}
}

// volatile is how many of the newest messages are expected to differ in the next call, at most half of all messages.
const volatile = 4

// mark returns the print of the messages that a compaction replaces, the first cut ones. Other jobs can tell by it that this compaction
// is in progress.
func (k *keys) mark(cut int) string {
	n := len(k.later)
	switch {
	case cut > 0 && cut <= n:
		return k.later[cut-1]
	case n >= 2*volatile:
		return k.later[n-1-volatile]
	}
	return k.later[n-1]
}

func appendFailure(f *api.Failure) []byte {
	return marshal(f.MarshalEasyJSON)
}

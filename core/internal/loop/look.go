package loop

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// prepareOptions sets the options with which the job runs its operations.
func (c *call) prepareOptions() {
	s, o := &c.Settings, &c.Options
	if !c.can(api.EffectWait) && c.can(api.EffectLease) {
		c.disable(api.EffectLease) // without an effect to wait, it can't wait for other jobs' leases
	}
	if c.can(api.EffectPut) && o.Archive == nil {
		archive := api.ArchiveBodies
		o.Archive = &archive
	}
	summary := api.SummaryOptions{}
	if o.Summary != nil {
		summary = *o.Summary
	}
	if !c.can(api.EffectAsk) {
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
		c.classifyFailure(f)
	} else if s.Refused {
		c.forceCompaction(s.Limit)
	}
}

// classifyFailure makes the job compact messages that a provider rejected because they were too
// long. If that isn't why the provider rejected them, the job fails.
func (c *call) classifyFailure(f *api.Failure) {
	verdict, ok := c.runCore(operations.OpClassifyError, Member{operations.InArguments, appendFailure(f)})
	if !ok {
		return
	}
	if string(verdict.members.valueOf("overflow")) != "true" {
		c.fail(api.FailureNotFull, "the model call did not fail because the messages do not fit")
		return
	}
	c.forceCompaction(numberOf(verdict.members.valueOf("limit_tokens")))
}

// forceCompaction makes the job compact regardless of the gate. limit is the window that a provider named, or 0.
func (c *call) forceCompaction(limit int) {
	if c.Options.Force = true; limit == 0 {
		return
	}
	within := c.Options.Clone()
	within.Window = limit
	// If the policy's reserve doesn't fit in the provider's window, the known window is used instead.
	if _, err := c.core.Run(operations.OpCheck, c.policyMember(), Member{operations.InOptions, appendOptions(&within)}); err == nil {
		c.Options.Window = limit
	}
}

// loadRecords asks the host for the compactions that it remembers: under the history's keys, newest first, without the
// first c.At of them, or under the owner's key. If the job only plans, the host can't load, or no key is left, it asks for
// nothing, and the job continues with look.
func (c *call) loadRecords() {
	c.loaded = nil
	if c.Settings.Operation == api.JobPlan || !c.can(api.EffectLoad) {
		c.look()
		return
	}
	list := []string{c.ownerKey()}
	if c.byPrefix() {
		k := c.keysOf()
		if k == nil {
			return
		}
		prints := k.prints
		if c.LaterLoaded {
			prints = k.later
		}
		if list = k.keysFor(prints[:max(0, len(prints)-c.At)]); len(list) == 0 {
			c.look()
			return
		}
	}
	c.Phase = phaseLoading
	c.requestAccess(api.Effect{Effect: api.EffectLoad, Keys: list})
}

// lookAgain starts the lookup over, because another job may have compacted the history in the meantime.
func (c *call) lookAgain() {
	c.Base, c.Plan, c.Questions = nil, nil, nil
	if c.can(api.EffectLoad) { // otherwise the entries found before the store failed remain
		c.Found, c.Attempts, c.At, c.LaterLoaded, c.Seen = nil, nil, 0, false, ""
	}
	if c.Measured { // the model may have been called again since then
		c.Measured, c.Uses, c.Options.Idle, c.Options.Cold = false, false, 0, ""
	}
	c.forgetCount(true)
	c.loadRecords()
}

// byPrefix reports whether compactions are remembered under the prints of the history's beginnings, and not under its
// owner.
func (c *call) byPrefix() bool { return c.Settings.Records != api.RecordsByOwner }

// ownerKey returns the key of the owner's only record.
func (c *call) ownerKey() string {
	if c.Settings.Owner == "" {
		return "default"
	}
	return c.Settings.Owner
}

// takeLoaded handles a loaded record. The lookup continues after a record that contains only failures of the model. It
// also continues if the compaction in the record should be repeated, because the base of that compaction is under
// another key.
func (c *call) takeLoaded(f flight, r *api.EffectResult) {
	if r.Error != "" || r.Refused {
		if !c.recordsFailed(r, "read") {
			return
		}
		c.disable(api.EffectLoad)
		c.disable(api.EffectSave)
		c.disable(api.EffectLease)
	}
	found := loadedRecord{revision: r.Revision}
	if r.Record != nil {
		found.record = readRecord(*r.Record, c.Clock)
	}
	switch {
	case f.Uses:
		c.measureIdle(found.record.Calls)
	case c.Phase == phaseSaving:
		c.loaded = &found
		c.saveRecord()
		return
	case c.Phase != phaseLoading || c.takeRecord(&found, r):
		return
	}
	if !c.ended() && !c.loadUses() {
		c.look()
	}
}

// takeRecord handles the result of looking up a record, which may have found none. If there is more
// to look up, it requests that and returns true.
func (c *call) takeRecord(found *loadedRecord, r *api.EffectResult) bool {
	if r.Record != nil {
		f := transcript.Fingerprint(r.At)
		f.Add([]byte(c.Seen))
		f.Add([]byte(*r.Record))
		c.Seen = f.String()
	}
	if !c.byPrefix() {
		c.loaded, c.Found, c.Attempts = found, found.record.Entries, found.record.Attempts
		c.measureIdle(found.record.Calls)
		return false
	}
	if r.Record == nil {
		c.At = maxKeys
		return false
	}
	c.At = min(c.At+max(0, min(r.At, maxKeys))+1, maxKeys)
	c.addFound(found.record.Entries)
	c.forgetCount(c.LaterLoaded && len(found.record.Entries) > 0)
	c.Attempts = append(c.Attempts, found.record.Attempts...)
	sound := slices.ContainsFunc(found.record.Entries, func(e entry) bool { return e.Tries == 0 })
	if sound || c.foundMost() {
		return false
	}
	c.loadRecords()
	return true
}

// addFound adds the entries found under another key before those found so far. If two entries under different keys are
// for the same messages, it keeps the better one. It reads each entry once, because entries may be large.
func (c *call) addFound(entries []entry) {
	var prints []string
	for i := range c.Found {
		prints = append(prints, string(c.Found[i].print()))
	}
	for _, e := range slices.Backward(entries) {
		print := string(e.print())
		at := slices.Index(prints, print)
		switch {
		case at < 0:
			c.Found, prints = slices.Insert(c.Found, 0, e), slices.Insert(prints, 0, print)
		case c.Found[at].Tries > 0 && (e.Tries == 0 || e.Again > c.Found[at].Again):
			c.Found[at] = e
		}
	}
}

// foundMost reports whether the job has found as many entries or attempts as a record can hold.
func (c *call) foundMost() bool { return len(c.Found) >= maxEntries || len(c.Attempts) >= maxAttempts }

// loadShorter looks up entries for shorter beginnings of the history if none of those found can be used. For example, a
// digest that covers the newest user message can't be used once the messages after that one are gone. It returns true
// if the job waits for the lookup.
func (c *call) loadShorter(a answer) bool {
	if a.knownEntry() >= 0 || len(c.Found) == 0 || c.foundMost() || !c.byPrefix() || !c.can(api.EffectLoad) {
		return false
	}
	if k := c.keysOf(); k == nil || c.At >= len(k.prints) {
		return false
	}
	c.forgetCount(true)
	c.loadRecords()
	return true
}

// forgetCount discards the host's token count if others is true, which means that other messages will be sent.
func (c *call) forgetCount(others bool) {
	if others && c.Counted {
		c.Counted, c.Options.Usage = false, nil
	}
}

// loadUses looks up when the model was last called, if that matters and isn't known yet. It returns true if the job
// waits for the lookup.
func (c *call) loadUses() bool {
	if c.Uses || !c.byPrefix() || !c.can(api.EffectLoad) || !c.core.PolicySettings().Chills || c.Options.Idle != 0 || c.Options.Cold != "" {
		return false
	}
	k := c.keysOf()
	if k == nil || len(k.prints) == 0 {
		return false
	}
	c.Uses = true
	id := c.requestAccess(api.Effect{Effect: api.EffectLoad, Keys: useKeys(k.keysFor(k.prints))})
	c.pendingEffect(id).Uses = true
	return true
}

// maxKeys is an index beyond the last key of any history, and means that there is no more to look up.
const maxKeys = 1 << 28

// recordsFailed handles a failed access to the records. access says what failed, as in "read". It returns false if the
// job can't continue without records.
func (c *call) recordsFailed(r *api.EffectResult, access string) bool {
	if r.Refused {
		return true
	}
	if message := "what is remembered cannot be " + access + ": " + r.Error; c.Settings.RecordsRequired {
		c.fail(api.FailureRecords, message)
	} else {
		c.addNotice(api.NoticeRecordsFailed, message)
	}
	return c.failure == nil
}

// look runs the operation with the entries found, and continues according to its response. If the
// response in c.Due is still valid, look uses it instead.
func (c *call) look() {
	if due := c.Due; due != nil {
		if c.Due = nil; c.Seen == c.DueSeen && c.DueSize > 0 && c.DueSize == len(c.core.Messages()) {
			c.decide(readAnswer(due))
			return
		}
	}
	c.Repeats, c.Stale, c.Window, c.NoReserve = false, nil, 0, false
	if c.countTokens() {
		return
	}
	o := c.operationOptions()
	attempt := c.newestAttempt()
	if c.err != nil {
		return
	}
	if attempt != nil {
		o.Tried = attempt.Tokens
	}
	a, ok := c.runOperation(&o, c.Found)
	if !ok || c.loadShorter(a) {
		return
	}
	c.Window, c.NoReserve, c.Tries, c.Paused = o.Window, o.NoReserve, 0, false
	if attempt != nil {
		c.Tries, c.Paused = attempt.Tries, c.Clock < attempt.Again
	}
	c.decide(a)
}

// decide determines how to continue with a response: return it, make the compaction that is due, or repeat the
// compaction that was applied if the model failed during it. Before a compaction is made or begun, the job looks for
// those that were made for other texts of the first message.
func (c *call) decide(a answer) {
	base := c.foundEntry(a.knownEntry())
	stale := base != nil && base.Tries > 0 && c.replacesBeginning(base)
	if c.err != nil {
		return
	}
	if (a.compacts() || a.startsInBackground() && c.mayBeginInBackground() && !c.Paused) && c.looksForLater() {
		c.loadLater(a)
		return
	}
	repeats := stale && c.Clock >= base.Again && c.can(api.EffectAsk) && !c.Repeated && !c.Options.Force
	switch {
	case c.Paused && c.Settings.Background:
		c.end()
	case repeats && !c.Paused && !a.compacts() && !c.mayBeginInBackground():
		c.Repeats = true
		c.repeatStale(base)
	case !a.compacts() && c.wasRefused():
		c.retryNarrower(a)
	case !a.compacts():
		if (a.startsInBackground() || repeats || c.BackgroundID != 0) && c.mayBeginInBackground() && !c.Paused {
			c.beginInBackground()
		}
		c.finishWith(a)
	case stale && a.hasRequests() && !c.Paused && c.Clock >= base.Again:
		c.repeatStale(base)
	default:
		if !c.mayCompact() {
			c.keepDue(a)
		}
		if stale {
			c.Tries = max(c.Tries, base.Tries)
		}
		c.startCompaction(a, base)
	}
}

// keepDue keeps a response, in case nothing has changed when the job looks again.
func (c *call) keepDue(a answer) {
	c.Due, c.DueSeen, c.DueSize = a.json, c.Seen, len(c.core.Messages())
}

// looksForLater reports whether records for other texts of the first message must still be looked up before the due
// compaction is made. Many apps put text into their first message that changes with each request: the date, or what
// they have retrieved.
func (c *call) looksForLater() bool {
	if c.LaterLoaded || c.Settings.Operation == api.JobPlan || !c.byPrefix() || !c.can(api.EffectLoad) || c.foundMost() {
		return false
	}
	k := c.keysOf()
	return k != nil && len(k.later) > 1
}

// loadLater keeps the response a, and looks up the records for other texts of the first message.
func (c *call) loadLater(a answer) {
	c.keepDue(a)
	c.LaterLoaded, c.At = true, 0
	c.loadRecords()
}

// operationOptions returns the options of the job's operation. If a provider rejected messages that fit into the known
// window, they contain a smaller window.
func (c *call) operationOptions() api.Options {
	o := c.Options.Clone()
	if c.Narrowed > 0 {
		o.Window, o.NoReserve = max(1, c.Narrowed*7/10), true
	}
	return o
}

// runOperation runs the job's operation with the given memory entries. Like runCore, it returns false if the operation
// failed.
func (c *call) runOperation(o *api.Options, entries []entry) (answer, bool) {
	members := []Member{c.policyMember(), {operations.InOptions, appendOptions(o)}}
	if c.Settings.Operation == api.JobPlan {
		if len(c.State) > 0 {
			members = append(members, Member{operations.InState, c.State})
		}
		return c.runCore(operations.OpPlan, members...)
	}
	return c.runCore(operations.OpFit, append(members, memoryMember(entries))...)
}

// foundEntry returns the found entry at an index, or nil.
func (c *call) foundEntry(index int) *entry {
	if index < 0 || index >= len(c.Found) {
		return nil
	}
	return &c.Found[index]
}

// replacesBeginning reports whether the history begins with the messages that an entry replaced. If it instead
// continues from the result, the original messages are missing, and the compaction can't be repeated.
func (c *call) replacesBeginning(e *entry) bool {
	k := c.keysOf()
	return k != nil && len(k.replacedPrints(e)) > 0
}

// newestAttempt returns the newest failed attempt to compact a beginning of the history, or nil.
func (c *call) newestAttempt() (newest *attempt) {
	if len(c.Attempts) == 0 {
		return nil
	}
	k := c.keysOf()
	for i := range c.Attempts {
		a := &c.Attempts[i]
		if k != nil && isAt(k.later, a.Messages, a.Print) && (newest == nil || a.Messages > newest.Messages) {
			newest = a
		}
	}
	return newest
}

// repeatStale repeats the compaction stale, during which the model failed, from the original messages.
func (c *call) repeatStale(stale *entry) {
	o := c.operationOptions()
	o.Usage = nil // it counts what was sent with the result that is replaced
	o.Force, o.NoReserve = true, o.NoReserve || stale.NoReserve
	if stale.Window > 0 && (o.Window == 0 || stale.Window < o.Window) {
		o.Window = stale.Window
	}
	c.Tries, c.Window, c.NoReserve = stale.Tries, o.Window, o.NoReserve
	c.Stale = &entry{Entry: stale.Entry, Tries: stale.Tries, Again: stale.Again, Window: stale.Window, NoReserve: stale.NoReserve}
	sound := slices.DeleteFunc(slices.Clone(c.Found), func(e entry) bool { return e.Tries > 0 })
	a, ok := c.runOperation(&o, sound)
	if !ok {
		return
	}
	c.Found = sound
	c.startCompaction(a, c.foundEntry(a.knownEntry()))
}

// countTokens requests the exact number of tokens to send, if the host can count them. It returns true if the job waits
// for the count.
func (c *call) countTokens() bool {
	if !c.can(api.EffectCount) || c.Counted || c.Options.Usage != nil || c.Settings.Operation == api.JobPlan {
		return false
	}
	c.Counted = true
	o := c.Options.Clone()
	if o.Force, o.OnlyKnown = false, true; o.Answer != api.AnswerEdits {
		o.Answer = api.AnswerMessages
	}
	a, ok := c.runOperation(&o, c.Found)
	if !ok || c.loadShorter(a) {
		return true
	}
	c.Phase = phaseCounting
	c.requestAccess(api.Effect{Effect: api.EffectCount, Messages: a.members.valueOf("messages"), Edits: a.members.valueOf("edits")})
	return true
}

// takeCount handles an exact count. If counting failed, the job uses the estimate.
func (c *call) takeCount(r *api.EffectResult) {
	if c.Phase != phaseCounting {
		return
	}
	if r.Error == "" && !r.Refused && r.Tokens > 0 {
		c.Options.Usage = &api.Usage{Message: -1, TotalTokens: min(r.Tokens, 1<<30), Exact: true}
	}
	c.look()
}

// longestIdle is the longest idle time that the options accept, in seconds.
const longestIdle = 1_000_000_000

// measureIdle determines how long the conversation was idle, and whether another model is called
// now. Both are relative to the call in calls that covers the longest beginning of the history. It
// does nothing if there is no such call, if the policy doesn't need these values, or if the host
// has set one of them.
func (c *call) measureIdle(calls []use) {
	if len(calls) == 0 || !c.core.PolicySettings().Chills || c.Options.Idle != 0 || c.Options.Cold != "" {
		return
	}
	k := c.keysOf()
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
	c.Measured = true
	c.setIdle(last)
}

// setIdle records the time since the model was last called, and whether another model is called now.
func (c *call) setIdle(last *use) {
	c.Options.Idle = min(float64(max(0, c.Clock-last.Time))/1000, longestIdle)
	switch differ := func(a, b string) bool { return a != "" && b != "" && a != b }; {
	case differ(c.Settings.Provider, last.Provider):
		c.Options.Cold = api.ColdProvider
	case differ(c.Settings.Model, last.Model):
		c.Options.Cold = api.ColdModel
	}
}

// volatile is the number of newest messages that the next call may change, in histories of at least twice as many.
const volatile = 4

// leaseMark returns the print of the first cut messages, which a compaction replaces. If cut is 0, it returns the print
// of the history, without the volatile messages if there are enough others. prints are the prints of the history's
// beginnings, and must not be empty. Other jobs recognize by this print that the compaction is in progress.
func leaseMark(prints []string, cut int) string {
	n := len(prints)
	switch {
	case cut > 0 && cut <= n:
		return prints[cut-1]
	case n >= 2*volatile:
		return prints[n-1-volatile]
	}
	return prints[n-1]
}

package loop

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// The shortest and the longest time between two attempts to get a lease that another job holds, in milliseconds. Each
// wait is extended at random by up to half.
const firstPoll, longestPoll = 20, 1_000

// maxLost is how many times a job may lose its lease before it saves without one.
const maxLost = 3

// free reports whether a compaction may be made now.
func (t *turn) free() bool {
	return t.Holder != "" || t.Free || !t.can(api.EffectLease) || t.byPrefix() && !t.can(api.EffectSave) && t.Settings.Operation != api.JobPlan
}

// lease requests the lease for compacting the first cut messages of the history.
func (t *turn) lease(cut int) {
	if t.LeaseKey = handles.Handle([]byte("plan " + t.Settings.Owner)); t.Settings.Operation != api.JobPlan {
		k := t.keysOf()
		if k == nil {
			return
		}
		if len(k.prints) == 0 { // the result could not be found again without prints
			t.Free = true
			return
		}
		t.LeaseKey = k.key(k.mark(cut))
	}
	t.requestFirst()
}

// requestFirst requests the lease, which the job does not have yet. It names the keys of all beginnings of the
// history, because a job that already compacts one of them holds a lease on one of these keys.
func (t *turn) requestFirst() {
	list := []string{t.LeaseKey}
	if t.Settings.Operation != api.JobPlan {
		k := t.keysOf()
		if k == nil {
			return
		}
		list = append(list, k.of(k.later)...)
	}
	t.Phase = phaseLeasing
	t.request(list, false)
}

// request asks the host for a lease on the first key in list or, if renews is set, for its renewal.
func (t *turn) request(list []string, renews bool) {
	holder := t.Holder
	if !renews {
		holder = t.newHolder()
	}
	id := t.access(api.Effect{Effect: api.EffectLease, Keys: list, Holder: holder, TTL: t.Settings.Lease})
	f := t.flight(id)
	f.Renews, f.Holder = renews, holder
}

// newHolder returns a name for the holder of a lease. No other job has the same, because jobs differ in their seeds
// or in the time.
func (t *turn) newHolder() string {
	random := strconv.FormatInt(t.random(1<<32), 36) + strconv.FormatInt(t.random(1<<32), 36)
	return handles.Handle([]byte(strconv.FormatInt(t.Clock, 36) + " " + random + " " + t.LeaseKey))[:32]
}

// renew requests a renewal of the lease, unless one has been requested already.
func (t *turn) renew() {
	t.RenewAt = t.Clock + t.Settings.Lease/3
	for _, f := range t.Flights {
		if f.Renews {
			return
		}
	}
	t.request([]string{t.LeaseKey}, true)
}

// takeLease handles the result of requesting a lease.
func (t *turn) takeLease(f flight, r *api.EffectResult) {
	failed := r.Error != "" || r.Refused
	switch {
	case f.Renews:
		if t.Holder != "" && !failed && !r.Done && t.Phase != phaseStoring && t.Phase != phaseSaving { // otherwise saving will detect the loss
			t.lose()
		}
	case t.Phase != phaseLeasing:
	case failed:
		if t.recordsFailed(r, "leased") {
			t.Free = true
			t.again()
		}
	case r.Done:
		t.Holder, t.RenewAt = f.Holder, t.Clock+t.Settings.Lease/3
		t.Polls, t.GiveUpAt = 0, 0
		t.Behind = 0 // a background job without this lease ends by itself
		t.again()    // another job may have been faster
	case t.Settings.Background: // the job that holds the lease compacts the history
		t.end()
	default:
		t.await(r.At)
	}
}

// await waits until the lease may be available, because the other job's lease, on the key with index at, has ended or
// may have expired. It doesn't wait longer than a few rounds of summaries take.
func (t *turn) await(at int) {
	t.WaitKey = t.LeaseKey
	if k := t.keysOf(); at > 0 && t.Settings.Operation != api.JobPlan && k != nil && at <= len(k.prints) {
		t.WaitKey = k.key(k.later[len(k.later)-at])
	}
	if t.GiveUpAt == 0 {
		t.GiveUpAt = t.Clock + 2*max(t.Settings.SummaryTimeout, defaultSummaryTimeout) + 2*t.Settings.Lease
	}
	wait := min(int64(firstPoll)<<min(t.Polls, 10), longestPoll)
	t.Polls++
	t.PollAt = min(t.Clock+wait+t.random(wait/2+1), t.GiveUpAt)
	t.Phase = phaseWaiting
}

// poll requests the lease again, or gives up if it has waited too long.
func (t *turn) poll() {
	if t.Clock < t.GiveUpAt {
		t.requestFirst()
		return
	}
	t.Free = true
	t.again()
}

// lose starts the job over after it has lost its lease, because another job may have compacted the history in the
// meantime.
func (t *turn) lose() {
	t.Holder = ""
	if t.Lost++; t.Lost >= maxLost {
		t.Free = true // don't discard the work again
		return
	}
	t.notice(api.NoticeLeaseLost, "the lease ended during a compaction")
	for _, f := range t.Flights {
		t.emit(api.Effect{Effect: api.EffectCancel, Target: f.ID})
	}
	t.Flights, t.Answer, t.New = nil, nil, nil
	t.again()
}

// release releases the lease, if there is one. A pending request may still be granted; that lease expires unless it
// is released too.
func (t *turn) release() {
	for _, f := range t.Flights {
		if f.Effect == api.EffectLease && !f.Renews {
			t.emit(api.Effect{Effect: api.EffectRelease, Keys: []string{t.LeaseKey}, Holder: f.Holder})
		}
	}
	if t.Holder != "" {
		t.emit(api.Effect{Effect: api.EffectRelease, Keys: []string{t.LeaseKey}, Holder: t.Holder})
		t.Holder = ""
	}
}

package loop

import (
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// The shortest and the longest time between two attempts to get a lease that another job holds, in milliseconds. Each
// wait is extended at random by up to half.
const firstPoll, longestPoll = 20, 1_000

// maxLost is the number of times that a job may lose its lease before it saves without one.
const maxLost = 3

// free reports whether a compaction may be made now.
func (c *call) free() bool {
	return c.Holder != "" || c.Free || !c.can(api.EffectLease) || c.byPrefix() && !c.can(api.EffectSave) && c.Settings.Operation != api.JobPlan
}

// lease requests the lease for compacting the first cut messages of the history.
func (c *call) lease(cut int) {
	if c.LeaseKey = handles.Handle([]byte("plan " + c.Settings.Owner)); c.Settings.Operation != api.JobPlan {
		k := c.keysOf()
		if k == nil {
			return
		}
		if len(k.prints) == 0 { // the result could not be found again without prints
			c.Free = true
			return
		}
		c.LeaseKey = k.key(mark(c.identity(k), cut))
	}
	c.requestFirst()
}

// requestFirst requests the lease, which the job does not have yet.
func (c *call) requestFirst() {
	if list := c.leaseKeys(); list != nil {
		c.Phase = phaseLeasing
		c.request(list, false)
	}
}

// leaseKeys returns the keys for the request of the lease, or nil if the history could not be read. After the key to lease they are those
// of all beginnings of the history, because a job that already compacts one of them holds a lease on one of these keys. What a job makes
// that doesn't know whether the text of the first message changes applies to this text alone, and what the others make to any text.
func (c *call) leaseKeys() []string {
	if c.Settings.Operation == api.JobPlan {
		return []string{c.LeaseKey}
	}
	if k := c.keysOf(); k != nil {
		return k.all(c.LeaseKey)
	}
	return nil
}

// identity returns the prints by which other jobs recognize the compaction of this history. They don't have the text of the first message if
// that is known to change between requests.
func (c *call) identity(k *keys) []string {
	changes := func(e entry) bool {
		return slices.ContainsFunc(e.lists(), func(m members) bool {
			n := numberOf(m.of("messages"))
			return isAt(k.later, n, textOf(m.of("later"))) && (string(m.of("changing")) == "true" || !isAt(k.prints, n, textOf(m.of("print"))))
		})
	}
	if slices.ContainsFunc(c.Found, changes) {
		return k.later
	}
	return k.prints
}

// request asks the host for a lease on the first key in list or, if renews is set, for its renewal.
func (c *call) request(list []string, renews bool) {
	holder := c.Holder
	if !renews {
		holder = c.newHolder()
	}
	id := c.access(api.Effect{Effect: api.EffectLease, Keys: list, Holder: holder, TTL: c.Settings.Lease})
	f := c.flight(id)
	f.Renews, f.Holder = renews, holder
}

// newHolder returns a name for the holder of a lease. No other job has the same, because jobs differ in their seeds
// or in the time.
func (c *call) newHolder() string {
	random := strconv.FormatInt(c.random(1<<32), 36) + strconv.FormatInt(c.random(1<<32), 36)
	return handles.Handle([]byte(strconv.FormatInt(c.Clock, 36) + " " + random + " " + c.LeaseKey))[:32]
}

// renew requests a renewal of the lease, unless one has been requested already.
func (c *call) renew() {
	c.RenewAt = c.Clock + c.Settings.Lease/3
	for _, f := range c.Flights {
		if f.Renews {
			return
		}
	}
	c.request([]string{c.LeaseKey}, true)
}

// takeLease handles the result of requesting a lease.
func (c *call) takeLease(f flight, r *api.EffectResult) {
	failed := r.Error != "" || r.Refused
	switch {
	case f.Renews:
		if c.Holder != "" && !failed && !r.Done && c.Phase != phaseStoring && c.Phase != phaseSaving { // otherwise saving will detect the loss
			c.lose()
		}
	case c.Phase != phaseLeasing:
	case failed:
		if c.recordsFailed(r, "leased") {
			c.Free = true
			c.again()
		}
	case r.Done:
		c.Holder, c.RenewAt = f.Holder, c.Clock+c.Settings.Lease/3
		c.Polls, c.GiveUpAt = 0, 0
		c.Behind = 0 // a background job without this lease ends by itself
		c.again()    // another job may have been faster
	case c.Settings.Background: // the job that holds the lease compacts the history
		c.end()
	default:
		c.await(r.At)
	}
}

// await waits until the lease may be available, because the other job's lease, on the key with index at, has ended or
// may have expired. It doesn't wait longer than a few rounds of summaries take.
func (c *call) await(at int) {
	c.WaitKey = c.LeaseKey
	if list := c.leaseKeys(); at > 0 && at < len(list) {
		c.WaitKey = list[at]
	}
	if c.GiveUpAt == 0 {
		c.GiveUpAt = c.Clock + 2*max(c.Settings.SummaryTimeout, defaultSummaryTimeout) + 2*c.Settings.Lease
	}
	wait := min(int64(firstPoll)<<min(c.Polls, 10), longestPoll)
	c.Polls++
	c.PollAt = min(c.Clock+wait+c.random(wait/2+1), c.GiveUpAt)
	c.Phase = phaseWaiting
}

// poll requests the lease again, or gives up if it has waited too long.
func (c *call) poll() {
	if c.Clock < c.GiveUpAt {
		c.requestFirst()
		return
	}
	c.Free = true
	c.again()
}

// lose starts the job over after it has lost its lease, because another job may have compacted the history in the
// meantime.
func (c *call) lose() {
	c.Holder = ""
	if c.Lost++; c.Lost >= maxLost {
		c.Free = true // don't discard the work again
		return
	}
	c.notice(api.NoticeLeaseLost, "the lease ended during a compaction")
	for _, f := range c.Flights {
		c.emit(api.Effect{Effect: api.EffectCancel, Target: f.ID})
	}
	c.Flights, c.Answer, c.New = nil, nil, nil
	c.again()
}

// release releases the lease, if there is one. A pending request may still be granted; that lease expires unless it
// is released too.
func (c *call) release() {
	for _, f := range c.Flights {
		if f.Effect == api.EffectLease && !f.Renews {
			c.emit(api.Effect{Effect: api.EffectRelease, Keys: []string{c.LeaseKey}, Holder: f.Holder})
		}
	}
	if c.Holder != "" {
		c.emit(api.Effect{Effect: api.EffectRelease, Keys: []string{c.LeaseKey}, Holder: c.Holder})
		c.Holder = ""
	}
}

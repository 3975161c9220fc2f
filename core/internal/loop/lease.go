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

// mayCompact reports whether a compaction may start without requesting a lease first.
func (c *call) mayCompact() bool {
	return c.Holder != "" || c.WithoutLease || !c.can(api.EffectLease) ||
		c.byPrefix() && !c.can(api.EffectSave) && c.Settings.Operation != api.JobPlan
}

// leaseFor requests the lease for compacting the messages before index cut. The lease of a plan job is for all of the
// owner's plans, whatever cut is. If the history has no prints, no lease is requested and c.WithoutLease is set. If the history
// can't be read, nothing is requested.
func (c *call) leaseFor(cut int) {
	if c.LeaseKey = handles.Handle([]byte("plan " + c.Settings.Owner)); c.Settings.Operation != api.JobPlan {
		k := c.keysOf()
		if k == nil {
			return
		}
		if len(k.prints) == 0 { // the result could not be found again without prints
			c.WithoutLease = true
			return
		}
		c.LeaseKey = k.keyOf(leaseMark(c.identity(k), cut))
	}
	c.requestFirst()
}

// requestFirst requests the lease, which the job does not have yet. It does nothing if the history could not be read.
func (c *call) requestFirst() {
	if list := c.leaseKeys(); list != nil {
		c.Phase = phaseLeasing
		c.requestLease(list, false)
	}
}

// leaseKeys returns the keys for the request of the lease, or nil if the history could not be read. The first is the
// key to lease. The others are those of all beginnings of the history, because a job that already compacts one of them
// holds a lease on one of these keys. If a job doesn't know whether the text of the first message changes, its
// compaction applies only to this text; those of other jobs apply to any text.
func (c *call) leaseKeys() []string {
	if c.Settings.Operation == api.JobPlan {
		return []string{c.LeaseKey}
	}
	if k := c.keysOf(); k != nil {
		return k.all(c.LeaseKey)
	}
	return nil
}

// identity returns the prints by which other jobs recognize the compaction of this history. The prints omit the text of
// the first message if that text is known to change between requests.
func (c *call) identity(k *keys) []string {
	changes := func(e entry) bool {
		return slices.ContainsFunc(e.lists(), func(m members) bool {
			n := numberOf(m.valueOf("messages"))
			return isAt(k.later, n, textOf(m.valueOf("later"))) &&
				(string(m.valueOf("changing")) == "true" || !isAt(k.prints, n, textOf(m.valueOf("print"))))
		})
	}
	if slices.ContainsFunc(c.Found, changes) {
		return k.later
	}
	return k.prints
}

// requestLease asks the host for a lease on the first key in list or, if renews is set, for its renewal.
func (c *call) requestLease(list []string, renews bool) {
	holder := c.Holder
	if !renews {
		holder = c.newHolder()
	}
	id := c.requestAccess(api.Effect{Effect: api.EffectLease, Keys: list, Holder: holder, TTL: c.Settings.Lease})
	f := c.pendingEffect(id)
	f.Renews, f.Holder = renews, holder
}

// newHolder returns a name for the holder of a lease. No other job has the same name, because jobs differ in their
// seeds or in the time.
func (c *call) newHolder() string {
	random := strconv.FormatInt(c.random(1<<32), 36) + strconv.FormatInt(c.random(1<<32), 36)
	return handles.Handle([]byte(strconv.FormatInt(c.Clock, 36) + " " + random + " " + c.LeaseKey))[:32]
}

// renewLease requests a renewal of the lease, unless one has been requested already.
func (c *call) renewLease() {
	c.RenewAt = c.Clock + c.Settings.Lease/3
	for _, f := range c.Flights {
		if f.Renews {
			return
		}
	}
	c.requestLease([]string{c.LeaseKey}, true)
}

// takeLease handles the result of requesting a lease. f is the effect that requested it.
func (c *call) takeLease(f flight, r *api.EffectResult) {
	failed := r.Error != "" || r.Refused
	switch {
	case f.Renews:
		if c.Holder != "" && !failed && !r.Done && c.Phase != phaseStoring && c.Phase != phaseSaving { // otherwise saving will detect the loss
			c.loseLease()
		}
	case c.Phase != phaseLeasing:
	case failed:
		if c.recordsFailed(r, "leased") {
			c.WithoutLease = true
			c.lookAgain()
		}
	case r.Done:
		c.Holder, c.RenewAt = f.Holder, c.Clock+c.Settings.Lease/3
		c.Polls, c.GiveUpAt = 0, 0
		c.BackgroundID = 0 // a background job without this lease ends by itself
		c.lookAgain()      // another job may have been faster
	case c.Settings.Background: // the job that holds the lease compacts the history
		c.end()
	default:
		c.awaitLease(r.At)
	}
}

// awaitLease makes the job wait until the lease of another job, on the key at index at, has ended or may have expired.
// In total, the job waits no longer than a few rounds of summaries take.
func (c *call) awaitLease(at int) {
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

// pollLease requests the lease again, or gives up if it has waited too long.
func (c *call) pollLease() {
	if c.Clock < c.GiveUpAt {
		c.requestFirst()
		return
	}
	c.WithoutLease = true
	c.lookAgain()
}

// loseLease starts the job over after it has lost its lease, because another job may have compacted the history in the
// meantime. After maxLost losses, the job continues without a lease instead.
func (c *call) loseLease() {
	c.Holder = ""
	if c.Lost++; c.Lost >= maxLost {
		c.WithoutLease = true // don't discard the work again
		return
	}
	c.addNotice(api.NoticeLeaseLost, "the lease ended during a compaction")
	for _, f := range c.Flights {
		c.emit(api.Effect{Effect: api.EffectCancel, Target: f.ID})
	}
	c.Flights, c.Answer, c.New = nil, nil, nil
	c.lookAgain()
}

// releaseLease releases the lease, if there is one. A pending request may still be granted; that lease expires unless
// it is released too.
func (c *call) releaseLease() {
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

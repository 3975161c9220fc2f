package loop

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// mayBeginInBackground reports whether the job may start background compactions.
func (c *call) mayBeginInBackground() bool {
	set := c.core.PolicySettings()
	return set.Starts && c.can(api.EffectBegin) && c.can(api.EffectSave) && !c.Settings.Background &&
		(!set.Stored || c.can(api.EffectPut))
}

// beginInBackground asks the host to start a background job that compacts the history. If one is already running, its
// lease prevents a second compaction.
func (c *call) beginInBackground() {
	s := c.Settings
	s.Background, s.Refusal, s.Refused, s.Limit = true, nil, false, 0
	e := api.Effect{Effect: api.EffectBegin, Settings: &s, Target: c.BackgroundID}
	if k := c.keysOf(); k != nil && len(k.prints) > 0 && c.BackgroundID == 0 {
		e.Keys = k.all(k.keyOf(leaseMark(c.identity(k), 0)))
	}
	c.emit(e)
}

// countKeys returns the number of keys for which match returns true.
func countKeys(keys []string, match func(key string) bool) (n int) {
	for _, key := range keys {
		if match(key) {
			n++
		}
	}
	return n
}

// findBackgroundJob looks for a background job that already compacts this history. It stops the job if a forced
// compaction replaces it, or if the messages that the job replaces were edited. A history counts as edited, and not as
// another conversation with the same beginning, if at least half of its messages, including the first, are the same.
func (c *call) findBackgroundJob(running []api.RunningJob) {
	if len(running) == 0 || c.Settings.Operation == api.JobPlan || c.Settings.Background {
		return
	}
	k := c.keysOf()
	if k == nil {
		return
	}
	list := k.all("")
	sorting.Ordered(list)
	mine := func(key string) bool {
		_, found := slices.BinarySearch(list, key)
		return found
	}
	for _, r := range running {
		if len(r.Keys) == 0 {
			continue
		}
		replaced, whole := r.Keys[0], r.Keys[1:]
		same := countKeys(whole, mine)
		edited := !mine(later(replaced, whole)) && same < 2*len(k.prints) && 2*same >= len(whole)
		switch {
		case c.can(api.EffectStop) && (edited || mine(replaced) && c.Options.Force):
			c.emit(api.Effect{Effect: api.EffectStop, Target: r.ID})
		case mine(later(replaced, whole)):
			c.BackgroundID = r.ID
		}
	}
}

// later returns the key of the messages that a job replaces, in the variant that ignores the text of the first message.
// whole holds the keys of the job's history: the first half covers that text, the second half ignores it.
func later(replaced string, whole []string) string {
	if i := slices.Index(whole, replaced); i >= 0 && i < len(whole)/2 {
		return whole[i+len(whole)/2]
	}
	return replaced
}

package loop

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// begins reports whether the job may start background compactions.
func (t *turn) begins() bool {
	gate := t.core.Gate()
	return gate.Starts && t.can(api.EffectBegin) && t.can(api.EffectSave) && !t.Settings.Background && (!gate.Stored || t.can(api.EffectPut))
}

// begin asks the host to start a background job that compacts the history. If one is already running, its lease
// prevents a second compaction.
func (t *turn) begin() {
	s := t.Settings
	s.Background, s.Refusal, s.Refused, s.Limit = true, nil, false, 0
	e := api.Effect{Effect: api.EffectBegin, Settings: &s, Target: t.Behind}
	if k := t.keysOf(); k != nil && len(k.prints) > 0 && t.Behind == 0 {
		e.Keys = append([]string{k.key(k.mark(0))}, k.of(k.later)...)
	}
	t.emit(e)
}

// countIf returns for how many keys is returns true.
func countIf(keys []string, is func(key string) bool) (n int) {
	for _, key := range keys {
		if is(key) {
			n++
		}
	}
	return n
}

// behind looks for a background job that already compacts this history. It stops the job if a forced compaction
// replaces it, or if the messages that it replaces were edited. An edited history differs from another conversation
// with the same beginning in that at least half of the messages are the same.
func (t *turn) behind(running []api.RunningJob) {
	if len(running) == 0 || t.Settings.Operation == api.JobPlan || t.Settings.Background {
		return
	}
	k := t.keysOf()
	if k == nil {
		return
	}
	list := k.of(k.later)
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
		same := countIf(whole, mine)
		edited := !mine(replaced) && same < len(k.prints) && 2*same >= len(whole)
		switch {
		case t.can(api.EffectStop) && (edited || mine(replaced) && t.Options.Force):
			t.emit(api.Effect{Effect: api.EffectStop, Target: r.ID})
		case mine(replaced):
			t.Behind = r.ID
		}
	}
}

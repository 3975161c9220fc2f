package keep

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// scores holds the scores of parts and messages: how much they matter to the host.
type scores struct {
	room  int       // maximum size, in tokens, of the messages that high scores may keep
	parts []float64 // by part of the input
	stays []bool    // by message of the input: whether it stays because of its score
}

// ScoreParts stores the scores that a host has given, if given isn't nil. Messages with scores
// above 0 stay as long as they take at most room tokens.
func (k *Keeper) ScoreParts(given *api.Score, room int) {
	if given == nil {
		return
	}
	t := k.doc.T
	k.scores = &scores{room: room, parts: make([]float64, len(t.Parts)), stays: make([]bool, k.doc.N)}
	of := k.scores.parts
	messages := make([]float64, k.doc.N) // a message listed many times costs no more than a message listed once
	for _, s := range given.Messages {
		if s.Message >= 0 && s.Message < k.doc.N {
			messages[s.Message] = s.Score
		}
	}
	for i, score := range messages {
		m := &t.Messages[i]
		for n := m.First; n < m.First+m.Count; n++ {
			of[n] = score
		}
	}
	var calls critbit.Map[float64]
	for _, s := range given.Calls {
		calls.Set(s.ID, s.Score)
	}
	if calls.Len() > 0 {
		k.scoreCalls(&calls)
	}
}

// scoreCalls assigns scores to tool calls and their results. calls maps the ids of calls to scores.
func (k *Keeper) scoreCalls(calls *critbit.Map[float64]) {
	t, of := k.doc.T, k.scores.parts
	for n := range t.Parts {
		p := &t.Parts[n]
		if p.Kind != transcript.ToolCall || p.ID.IsZero() {
			continue
		}
		if score, known := calls.Get(t.Text(p.ID)); known {
			of[n] = score
			k.scoreResult(p.Pair, score)
		}
	}
}

// scoreResult gives a tool result, and the parts inside it, the score of its call. n is -1 if the call has no result.
func (k *Keeper) scoreResult(n int32, score float64) {
	if n < 0 {
		return
	}
	for i := range 1 + len(k.doc.T.InnerParts(int(n))) {
		k.scores.parts[int(n)+i] = score
	}
}

// ScoreOf returns the score of a part. It is 0 for a part that this run has written, and for all parts if the host
// has given no scores.
func (k *Keeper) ScoreOf(part int32) float64 {
	if k.scores == nil || int(part) >= len(k.scores.parts) {
		return 0
	}
	return k.scores.parts[part]
}

// HasScores reports whether the host has given scores.
func (k *Keeper) HasScores() bool { return k.scores != nil }

// StaysByScore reports whether a message stays because of its score.
func (k *Keeper) StaysByScore(m int32) bool {
	return k.scores != nil && int(m) < len(k.scores.stays) && k.scores.stays[m]
}

// valued is a group of items in which at least one has a score above 0.
type valued struct {
	from, end int     // half-open range of items
	score     float64 // the highest score of a part in the group
}

// pinScored pins the groups with the highest scores above 0 as long as there is room. Among equal scores, newer
// groups come first. If a group doesn't fit, smaller ones may still be pinned.
func (k *Keeper) pinScored() {
	if k.scores == nil {
		return
	}
	room := k.scores.room
	groups := k.valuedGroups()
	sorting.Stable(groups, func(a, b valued) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return b.from - a.from
	})
	for _, g := range groups {
		room -= k.pin(k.doc.Items[g.from:g.end], room)
	}
}

// pin pins a group of items unless those that are not pinned yet have more than room tokens. It returns the number of
// tokens that it has pinned. The result is 0 if it pins nothing.
func (k *Keeper) pin(items []view.Item, room int) (size int) {
	for i := range items {
		if !items[i].Pinned {
			size += items[i].Tokens
		}
	}
	if size > room {
		return 0
	}
	for i := range items {
		if m := items[i].Msg; !items[i].Pinned && int(m) < len(k.scores.stays) {
			items[i].Pinned, k.scores.stays[m] = true, true
		}
	}
	return size
}

// valuedGroups lists the groups of items with a score above 0. Messages that compactions have written have no score.
func (k *Keeper) valuedGroups() (list []valued) {
	groups := k.doc.T.Groups(k.doc.MessageOrder())[:len(k.doc.Items)] // without the messages after those of the plan
	for from, end := 0, 0; from < len(groups); from = end {
		score := 0.0
		for end = from; end < len(groups) && groups[end] == groups[from]; end++ {
			m := &k.doc.T.Messages[k.doc.Items[end].Msg]
			if int(m.First+m.Count) <= len(k.scores.parts) && m.Count > 0 && !k.authors.IsOwn(k.doc.Items[end].Msg) {
				score = max(score, slices.Max(k.scores.parts[m.First:m.First+m.Count]))
			}
		}
		if score > 0 {
			list = append(list, valued{from, end, score})
		}
	}
	return list
}

package core

import "github.com/ctxfold/ctxfold/api"

// score returns the option score with indexes that refer to the compacted transcript, or nil if the
// option is missing. A host knows only the indexes of its own list, whose beginning a fit may have
// replaced. Messages that no longer exist have no score.
func (r *request) score() *api.Score {
	s := r.options.Score
	if s == nil {
		return nil
	}
	h := r.history
	if h == nil || h.given == nil {
		return s
	}
	own, n := &api.Score{Calls: s.Calls}, h.source.Input
	now := make([]int, n) // by index in the given list: the index in the transcript plus one, or 0
	for i, p := range h.given {
		if p.in >= 0 && p.in < n && p.text == nil {
			now[p.in] = i + 1
		}
	}
	for _, m := range s.Messages {
		if m.Message >= 0 && m.Message < n && now[m.Message] > 0 {
			own.Messages = append(own.Messages, api.MessageScore{Message: now[m.Message] - 1, Score: m.Score})
		}
	}
	return own
}

package digest

// A rule that the user has revoked, or given another value, should not take room in a digest from what still applies. The
// list of standing instructions loses such a rule; this file recognizes it in what the user said, so that a chat's digest
// quotes it last.

// updates holds the standing instructions that revoke or change earlier ones.
type updates struct {
	list []*statement // in the order of the rules
	room readRoom     // buffers for a sentence
}

// updatesIn returns the statements in rules that revoke or change earlier ones.
func updatesIn(rules []string) (u updates) {
	for _, text := range rules {
		s := &statement{text: text, rating: rate(text, u.room.wordsOf(text, quotedIn(text)))}
		s.analyse()
		if s.revokes || s.changes || s.topic != "" {
			u.list = append(u.list, s)
		}
	}
	return u
}

// outdate reports whether one of the updates revokes or replaces what a sentence says. The sentence must be in none of
// the rules that still apply.
func (u *updates) outdate(sentence string) bool {
	if len(u.list) == 0 || len(sentence) > maxStatement || len(u.room.telltalesIn(sentence)) == 0 && !hasSigns(sentence) {
		return false
	}
	ws := u.room.wordsOf(sentence, quotedIn(sentence))
	if len(ws) == 0 {
		return false
	}
	old := &statement{text: sentence, rating: rate(sentence, ws)}
	if old.strength == none || old.revokes {
		return false
	}
	old.analyse()
	for _, s := range u.list {
		if s.revokes && s.revoked([]*statement{old}) == 0 || !s.revokes && s.replaces(old) {
			return true
		}
	}
	return false
}

package summary

import "github.com/ctxfold/ctxfold/core/internal/digest"

// standing is the block of what the user said about how to work, for a digest of so many tokens that represents gain tokens; "" where there
// is none. It has its share of the target and what the target leaves free besides, but never so much that the fold would gain nothing, nor
// more than half of the most that a digest may have, 0 where it may have any size.
func (w *Writer) standing(l *digest.Ledger, gain, budget, most int, chat bool) string {
	room := 3 * (gain - budget) / 4
	if w.target > 0 {
		room = min(room, max(w.StandingShare(), w.target-(w.doc.Total-gain)-budget))
	}
	if most > 0 {
		room = min(room, most/2)
	}
	if w.policy.StandingShare() == 0 {
		return ""
	}
	return w.StandingIn(l, room, chat)
}

// spare is how many tokens the user's requests may take next to a digest of so many tokens that represents gain tokens: half of what the
// target leaves free, so that files that are restored have room too. What no cue tells to be an instruction is among the requests.
func (w *Writer) spare(gain, digest int) int {
	if w.target == 0 {
		return 0
	}
	return max(0, min(gain-digest, w.target-(w.doc.Total-gain)-digest)/2)
}

// standingShare is what the policy gives standing instructions in any case, in tokens.
func (w *Writer) StandingShare() int { return int(float64(w.target) * w.policy.StandingShare()) }

// standingIn is the block of standing instructions in at most room tokens.
func (w *Writer) StandingIn(l *digest.Ledger, room int, chat bool) string {
	if len(l.Standing) == 0 || room <= 0 {
		return ""
	}
	write := l.StandingBlock
	if chat {
		write = l.ChatStandingBlock
	}
	size := w.doc.P.MaxUnits(room)
	text := write(size)
	for try := 0; try < 4 && w.doc.P.Text(text) > room; try++ { // an estimator that looks at the script may find more than its rate
		size = size * room / w.doc.P.Text(text) * 9 / 10
		text = write(size)
	}
	return text
}

package summary

import "github.com/ctxfold/ctxfold/core/internal/digest"

// standing returns the block of the user's standing instructions for a digest of budget tokens that replaces gain
// tokens, or "" if there are no instructions. The block gets its share of the target, and any room that the target
// leaves. It is limited so that the fold still frees something, and to half of most, the maximum size of a digest (0
// means no limit). chat selects the wording for conversations without tools.
func (w *Writer) standing(l *digest.Ledger, gain, budget, most int, chat bool) string {
	room := 3 * (gain - budget) / 4
	if w.target() > 0 {
		room = min(room, max(w.StandingShare(), w.target()-(w.doc.Total-gain)-budget))
	}
	if most > 0 {
		room = min(room, most/2)
	}
	if w.policy.StandingShare() == 0 {
		return ""
	}
	return w.StandingIn(l, room, chat)
}

// spare returns the number of tokens that the user's requests may take up in addition to a digest
// of the given size, which replaces gain tokens. It is half of what the target leaves free, so that
// restored files have room too, and 0 if there is no target. Requests may contain instructions that
// no cue word identifies.
func (w *Writer) spare(gain, digest int) int {
	if w.target() == 0 {
		return 0
	}
	return max(0, min(gain-digest, w.target()-(w.doc.Total-gain)-digest)/2)
}

// StandingShare returns the number of tokens that the policy always reserves for the user's standing instructions.
func (w *Writer) StandingShare() int { return int(float64(w.target()) * w.policy.StandingShare()) }

// StandingIn returns the block of standing instructions, in at most room tokens, or "" if there are none or none fits.
// chat selects the wording for conversations without tools.
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
	for try := 0; try < 4 && w.doc.P.Text(text) > room; try++ { // the text may have more tokens than the estimator's average rate predicts
		size = size * room / w.doc.P.Text(text) * 9 / 10
		text = write(size)
	}
	return text
}

package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// A request may stay in the context while the work on it is condensed, as the newest request does in a long turn. The work is an entry of its
// own all the same, with the beginning of the request, not a part of the entry before.

// mostKept is how much of a request that stays in the context is quoted, in bytes.
const mostKept = 200

// keptNote follows the beginning of a request that stays in the context.
const keptNote = " (this message is still in the conversation)"

// keptBefore returns, for each of some messages, the last request of the user between it and the one before that is not among them. What stays
// before the first message counts only if an earlier digest has turns, of which none is about it.
func keptBefore(t *transcript.Transcript, messages []int32, earlier []turn) []string {
	kept := make([]string, len(messages))
	from, unsure := int32(0), len(earlier) == 0
	for k, i := range messages {
		if t.Written(t.Messages[i].Span) { // it may replace what was there
			unsure = true
			continue
		}
		at := from // where message i is, or the one that it is a piece of
		for at < i && t.Messages[at].Span != t.Messages[i].Span {
			at++
		}
		for gap := at - 1; gap >= from && kept[k] == "" && !unsure; gap-- {
			if t.Messages[gap].Role == transcript.User {
				kept[k] = Asked(t, int(gap))
			}
		}
		if k == 0 && turnAbout(earlier, kept[k]) >= 0 {
			kept[k] = ""
		}
		from, unsure = at+1, false
	}
	return kept
}

// turnAbout returns the index of the last turn with a request, of which the turn may quote only the beginning; -1 if there is none.
func turnAbout(turns []turn, request string) int {
	if request == "" {
		return -1
	}
	request = Fence(Tidy(withoutPaste(request)))
	for n := len(turns) - 1; n >= 0; n-- {
		head, _, clipped := strings.Cut(turns[n].asked, clippedMark)
		if head = strings.TrimRight(head, " \n"); head != "" && (head == request || clipped && strings.HasPrefix(request, head)) {
			return n
		}
	}
	return -1
}

// resume removes from the requests of new messages the one that the earlier digest's last entry is about because it stayed in the context then.
func (k *turnLog) resume(asked []string) {
	if len(k.turns) == 0 {
		return
	}
	last := k.turns[len(k.turns)-1:]
	for n, a := range asked {
		if a == "" {
			continue
		}
		if last[0].kept && turnAbout(last, a) == 0 {
			last[0].asked, last[0].kept, asked[n] = withoutPaste(a), false, ""
		}
		return
	}
}

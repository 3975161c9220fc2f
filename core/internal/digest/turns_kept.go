package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// A request may stay in the context while the work on it is condensed. That happens to the newest request in a long
// turn. The work then still has an entry of its own, which quotes the beginning of the request, instead of becoming
// part of the previous entry.

// mostKept is the maximum number of bytes to quote from a request that stays in the context.
const mostKept = 200

// keptNote follows the beginning of a request that stays in the context.
const keptNote = " (this message is still in the conversation)"

// keptBeginning returns the beginning of a request that stays in the context. It doesn't end inside a pasted text. A
// request of at most mostKept bytes is returned whole.
func keptBeginning(asked string) string {
	if len(asked) <= mostKept {
		return asked
	}
	head := beginningOf(asked, mostKept)
	if at := strings.LastIndex(head, pastedOpen); at > 0 && !strings.Contains(head[at:], pastedEnd+"\n") {
		head = head[:at]
	}
	return strings.TrimRight(head, " \n") + " " + clippedMark
}

// keptBefore returns, for each message, the user's last request between the previous one in messages and this one. Such
// a request stays in the context. A request before the first message counts only if an earlier digest has turns, none
// of which is about the request.
func keptBefore(t *transcript.Transcript, messages []int32, earlier []turn) []string {
	kept := make([]string, len(messages))
	from, unsure := int32(0), len(earlier) == 0
	for k, i := range messages {
		if t.InArena(t.Messages[i].Span) { // the message may replace others, so its neighbours are unknown
			unsure = true
			continue
		}
		at := from // the index of message i, or of the message that contains it
		for at < i && t.Messages[at].Span != t.Messages[i].Span {
			at++
		}
		for gap := at - 1; gap >= from && kept[k] == "" && !unsure; gap-- {
			if t.Messages[gap].Role == transcript.User {
				kept[k] = RequestIn(t, int(gap))
			}
		}
		if k == 0 && turnAbout(earlier, kept[k]) >= 0 {
			kept[k] = ""
		}
		from, unsure = at+1, false
	}
	return kept
}

// turnAbout returns the index of the last turn with the given request, or -1. A turn may quote only the beginning of
// its request.
func turnAbout(turns []turn, request string) int {
	if request == "" {
		return -1
	}
	request = Fence(Tidy(withoutPaste(request)))
	for n := len(turns) - 1; n >= 0; n-- {
		head, _, clipped := strings.Cut(turns[n].request, clippedMark)
		if head = strings.TrimRight(head, " \n"); head != "" && (head == request || clipped && strings.HasPrefix(request, head)) {
			return n
		}
	}
	return -1
}

// resume removes from the requests of the new messages the one that the last entry of the earlier digest is about. That
// request had stayed in the context when the digest was written. asked has the requests, and is modified.
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
			last[0].request, last[0].kept, asked[n] = withoutPaste(a), false, ""
		}
		return
	}
}

package exact

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Defaults of the published systems S1 and S2.
const (
	keepRecentTokens = 20000 // S1.5: tokens of the tail
	KeepLast         = 10    // S2.6: messages in the tail
)

// oldDigest is the beginning of an assistant message that S2 recognises as its last summary (S2.14).
const oldDigest = "## Session Summary"

// FindCutPoint returns where the tail begins that fits in keep tokens: an index in sizes, or 0 if there is nothing to cut (S1.6 to S1.10).
// sizes are the tokens of the messages. The last message stays even if it alone is larger; a tail that would begin with tool results, which
// tool tells, begins after them. keep of 0 or less is keepRecentTokens.
func FindCutPoint(sizes []int, tool func(i int) bool, keep int) int {
	n := len(sizes)
	if n < passes.MinFolded {
		return 0
	}
	if keep <= 0 {
		keep = keepRecentTokens
	}
	cut, sum := 0, 0
	for i := n - 1; i >= 0; i-- {
		if sum += sizes[i]; sum > keep {
			cut = min(i+1, n-1)
			break
		}
	}
	for cut > 0 && cut < n && tool(cut) {
		cut++
	}
	if cut == n || cut < passes.MinFolded {
		return 0
	}
	return cut
}

// PlanSlice returns where the tail begins that holds at most keep tokens: the smallest index after which no more than these remain, moved
// forward past tool results, or 0 where all fits or nothing would be left (S3.13 to S3.18). Unlike FindCutPoint it does not keep a last
// message that is larger than keep.
func PlanSlice(sizes []int, tool func(i int) bool, keep int) int {
	total := 0
	for _, n := range sizes {
		total += n
	}
	if total <= keep {
		return 0
	}
	cut := 0
	for rest := total; cut < len(sizes) && rest > keep; cut++ {
		rest -= sizes[cut]
	}
	for cut < len(sizes) && tool(cut) {
		cut++
	}
	if cut == len(sizes) {
		return 0
	}
	return cut
}

// Selection is the part of a list of messages that S2 folds: those at [From, To). The first message and those from To on are kept; those
// between the first and From hold the last summary, which is Previous.
type Selection struct {
	From, To    int
	Previous    string
	HasPrevious bool
}

// SelectMessages chooses what is folded of the messages seq of t where the newest keep stay (S2.11 to S2.16). The first counts as the
// system's, whatever its role (S2.12). From and To are 0 if nothing is folded.
func SelectMessages(t *transcript.Transcript, seq []int32, keep int) Selection {
	n := len(seq)
	if n <= keep+1 {
		return Selection{}
	}
	s := Selection{From: 1, To: min(n, passes.AdjustBoundary(n, n-keep, func(i int) bool { return passes.IsTool(t, int(seq[i])) }))}
	if n > 1 && t.Messages[seq[1]].Role == transcript.Assistant && t.IsString(t.Messages[seq[1]].Content) {
		if text := t.Text(t.Messages[seq[1]].Content); strings.HasPrefix(text, oldDigest) {
			s.From, s.Previous, s.HasPrevious = 2, text, true
		}
	}
	if s.To <= s.From {
		s.From, s.To = 0, 0
	}
	return s
}

// SplitByTokens returns where the newest messages begin that fit in a budget of tokens: an index in sizes, which are the tokens of the
// messages. The last message stays even if it alone is larger; with a budget of 0 or less it stays alone. 0 is that all of them fit
// (S4.31).
func SplitByTokens(sizes []int, budget int) int {
	start := len(sizes)
	if start > 0 && budget <= 0 {
		return start - 1
	}
	for used := 0; start > 0; start-- {
		if used+sizes[start-1] > budget && start < len(sizes) {
			break
		}
		used += sizes[start-1]
	}
	return start
}

// SplitByCount returns where the newest keep of n messages begin; 0 if there are no more than these (S4.32).
func SplitByCount(n, keep int) int { return max(0, n-keep) }

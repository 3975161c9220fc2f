package exact

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Defaults from the published systems S1 and S2.
const (
	keepRecentTokens = 20000 // S1.5: tokens of the tail
	KeepLast         = 10    // S2.6: messages in the tail
)

// oldDigest is the beginning of the assistant messages that S2 treats as its previous summary (S2.14).
const oldDigest = "## Session Summary"

// FindCutPoint returns the index of the first message of the longest tail whose size is at most keep, in tokens, or 0
// if there is nothing to cut (S1.6 to S1.10). sizes holds the size of each message, in tokens. The last message stays
// even if it exceeds keep on its own. If the tail would begin with tool results, it begins after them; tool reports
// whether a message contains any. If keep is 0 or less, keepRecentTokens is used.
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

// PlanSlice returns the index of the first message of the longest tail of at most keep tokens,
// moved forward past tool results. It returns 0 if everything fits or if nothing would be left
// (S3.13 to S3.18). Unlike FindCutPoint it does not keep a last message that is larger than keep.
// sizes and tool are those of FindCutPoint.
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

// Selection is the part of a list of messages that S2 folds: messages [From, To). The first message and the messages
// from To on are kept. If From is above 1, the messages between the first and From contain the previous summary,
// whose text is Previous.
type Selection struct {
	From, To    int
	Previous    string
	HasPrevious bool // whether there is a previous summary; its text may be empty
}

// SelectMessages selects the messages to fold from seq, a list of messages of t, so that the newest keep messages stay
// (S2.11 to S2.16). The first message is treated as the system prompt, whatever its role (S2.12). From and To are 0 if
// nothing is folded.
func SelectMessages(t *transcript.Transcript, seq []int32, keep int) Selection {
	n := len(seq)
	if n <= keep+1 {
		return Selection{}
	}
	s := Selection{From: 1, To: min(n, passes.AdjustBoundary(n, n-keep, func(i int) bool {
		return passes.IsTool(t, int(seq[i]))
	}))}
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

// SplitByTokens returns the index of the first message of the longest tail that fits in a budget of tokens, or 0 if all
// messages fit. sizes holds the size of each message, in tokens. The last message stays even if it exceeds the budget
// on its own, and is the whole tail if the budget is 0 or less (S4.31).
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

// SplitByCount returns the index of the first message of the tail if n messages are cut so that the newest keep
// messages stay; 0 if n is at most keep (S4.32).
func SplitByCount(n, keep int) int { return max(0, n-keep) }

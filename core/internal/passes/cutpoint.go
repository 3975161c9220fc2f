package passes

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Numbers of the published systems S1 and S2.
const (
	KeepRecentTokens = 20000 // S1.5: what a tail may have where nothing else is said
	KeepLast         = 10    // S2.6: how many messages a tail has where nothing else is said
	MinFolded        = 2     // S1.9: fewer messages are not worth a summary
)

// OldDigest is how a message of the assistant begins that S2 takes for its last summary (S2.14).
const OldDigest = "## Session Summary"

// FindCutPoint is where the tail begins that fits in keep tokens: an index in sizes, or 0 where there is nothing to cut
// (S1.6 to S1.10). sizes are the tokens of the messages. The last message stays even if it alone is larger; a tail that
// would begin with tool results, which tool tells, begins behind them. keep of 0 or less is KeepRecentTokens.
func FindCutPoint(sizes []int, tool func(i int) bool, keep int) int {
	n := len(sizes)
	if n < MinFolded {
		return 0
	}
	if keep <= 0 {
		keep = KeepRecentTokens
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
	if cut == n || cut < MinFolded {
		return 0
	}
	return cut
}

// ForceCutPoint is where n messages are cut if they must be although all of them fit: before the last one that holds no
// tool results, or 0 where that would fold fewer than two (S1.13).
func ForceCutPoint(n int, tool func(i int) bool) int {
	for i := n - 1; i >= MinFolded; i-- {
		if !tool(i) {
			return i
		}
	}
	return 0
}

// PlanSlice is where the tail begins that holds at most keep tokens: the smallest index behind which no more than these
// remain, moved forward past tool results, or 0 where all fits or nothing would be left (S3.13 to S3.18). Unlike FindCutPoint it
// does not keep a last message that is larger than keep.
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

// LastUserTurn is the index of the last of n messages that begins a turn of the user, -1 where there is none (S3.19).
func LastUserTurn(n int, user func(i int) bool) int {
	for n--; n >= 0 && !user(n); n-- {
	}
	return n
}

// TurnStart is the index of the user's message that begins the turn of message cut, 0 where there is none (S1.12).
func TurnStart(cut int, user func(i int) bool) int {
	for i := cut; i > 0; i-- {
		if user(i) {
			return i
		}
	}
	return 0
}

// IsSplitTurn tells whether a cut before message cut of n parts a turn (S1.12).
func IsSplitTurn(n, cut int, user func(i int) bool) bool {
	return cut > 0 && cut < n && !user(cut) && TurnStart(cut, user) < cut
}

// AdjustBoundary takes a boundary back to the message whose tool calls the results at it answer (S2.13). A boundary
// outside of the n messages stays.
func AdjustBoundary(n, boundary int, tool func(i int) bool) int {
	for boundary > 1 && boundary < n && tool(boundary) {
		boundary--
	}
	return boundary
}

// Selection is what S2 folds of a list of messages: those at [From, To). The first message and those from To on are kept;
// those between the first and From hold the last summary, which is Previous.
type Selection struct {
	From, To    int
	Previous    string
	HasPrevious bool
}

// SelectMessages chooses what is folded of the messages seq of t where the newest keep stay (S2.11 to S2.16). The first
// counts as the system's, whatever its role (S2.12). From and To are 0 where nothing is folded.
func SelectMessages(t *transcript.Transcript, seq []int32, keep int) Selection {
	n := len(seq)
	if n <= keep+1 {
		return Selection{}
	}
	s := Selection{From: 1, To: min(n, AdjustBoundary(n, n-keep, func(i int) bool { return IsTool(t, int(seq[i])) }))}
	if n > 1 && t.Messages[seq[1]].Role == transcript.Assistant && t.IsString(t.Messages[seq[1]].Content) {
		if text := t.Text(t.Messages[seq[1]].Content); strings.HasPrefix(text, OldDigest) {
			s.From, s.Previous, s.HasPrevious = 2, text, true
		}
	}
	if s.To <= s.From {
		s.From, s.To = 0, 0
	}
	return s
}

// IsTool tells whether message i holds tool results: by its role or, in formats where the user's message brings them,
// because there is nothing else in it.
func IsTool(t *transcript.Transcript, i int) bool {
	m := &t.Messages[i]
	if m.Role != transcript.User || m.Variant != transcript.Plain {
		return m.Role == transcript.Tool
	}
	found := false
	for _, p := range t.PartsOf(i) {
		if p.Parent >= 0 || p.Has(transcript.Removed) {
			continue
		}
		if p.Kind != transcript.ToolResult {
			return false
		}
		found = true
	}
	return found
}

// IsUser tells whether message i begins a turn: it is the user's and brings more than tool results.
func IsUser(t *transcript.Transcript, i int) bool {
	m := &t.Messages[i]
	return m.Role == transcript.User && m.Variant == transcript.Plain && !IsTool(t, i)
}

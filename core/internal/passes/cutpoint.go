package passes

import "github.com/ctxfold/ctxfold/core/internal/transcript"

// MinFolded is the minimum number of messages that are worth a summary (S1.9).
const MinFolded = 2

// ForceCutPoint returns the index at which n messages are cut if they must be cut although all of them fit. The cut is
// before the last message without tool results; tool reports whether a message contains any. ForceCutPoint returns 0 if
// fewer than two messages would be folded (S1.13).
func ForceCutPoint(n int, tool func(i int) bool) int {
	for i := n - 1; i >= MinFolded; i-- {
		if !tool(i) {
			return i
		}
	}
	return 0
}

// LastUserTurn returns the index of the last of n messages that begins a user turn, or -1 if none does (S3.19).
func LastUserTurn(n int, user func(i int) bool) int {
	for n--; n >= 0 && !user(n); n-- {
	}
	return n
}

// TurnStart returns the index of the user message that begins the turn of message cut, or 0 if there is none (S1.12).
func TurnStart(cut int, user func(i int) bool) int {
	for i := cut; i > 0; i-- {
		if user(i) {
			return i
		}
	}
	return 0
}

// IsSplitTurn reports whether a cut before message cut of n splits a turn (S1.12). user reports
// whether a message begins a turn.
func IsSplitTurn(n, cut int, user func(i int) bool) bool {
	return cut > 0 && cut < n && !user(cut) && TurnStart(cut, user) < cut
}

// AdjustBoundary moves a boundary before a message with tool results back to the message with the calls (S2.13). A
// boundary outside the n messages isn't changed.
func AdjustBoundary(n, boundary int, tool func(i int) bool) int {
	for boundary > 1 && boundary < n && tool(boundary) {
		boundary--
	}
	return boundary
}

// IsTool reports whether message i contains tool results. This is so if its role says so or, in formats that put
// results into user messages, if it contains nothing else.
func IsTool(t *transcript.Transcript, i int) bool {
	m := &t.Messages[i]
	if m.Role != transcript.User || m.Variant != transcript.Plain {
		return m.Role == transcript.Tool
	}
	found := false
	for _, p := range t.OuterParts(m) {
		if p.Kind != transcript.ToolResult {
			return false
		}
		found = true
	}
	return found
}

// IsUser reports whether message i begins a turn, that is, is a user message with more than tool results.
func IsUser(t *transcript.Transcript, i int) bool {
	m := &t.Messages[i]
	return m.Role == transcript.User && m.Variant == transcript.Plain && !IsTool(t, i)
}

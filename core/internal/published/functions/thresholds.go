package functions

// Thresholds are the settings from which the published system S4 computes its limit. Numbers of 0 or less are unset.
type Thresholds struct {
	Auto         bool // if false, compaction is never due
	Window       int  // tokens
	Reserve      int  // tokens of the window to keep free; 16,384 if unset
	MaxTokens    int  // the limit if the window is unknown, or if the reserve leaves nothing of it
	MaxMessages  int  // the limit if there is no limit in tokens
	KeepTokens   int  // maximum size of the tail, in tokens
	KeepMessages int  // number of messages in the tail if KeepTokens is unset; 5 if unset
}

// DefaultThresholds returns S4's defaults (S4.1).
func DefaultThresholds() Thresholds {
	return Thresholds{Auto: true, Reserve: 16384, MaxTokens: 8000, MaxMessages: 50, KeepTokens: 20000, KeepMessages: 5}
}

// The sources that a limit can come from (S4.3).
const (
	FromWindow    = "context_window"
	FromMaxTokens = "max_tokens"
	FromNothing   = "none"
)

// Limit returns the number of tokens at which compaction is due, and the source of that limit; 0 means no limit (S4.3).
func (t Thresholds) Limit() (tokens int, source string) {
	if t.Window > 0 && t.Window > t.Reserved() {
		return t.Window - t.Reserved(), FromWindow
	}
	if t.MaxTokens > 0 {
		return t.MaxTokens, FromMaxTokens
	}
	return 0, FromNothing
}

// Reserved returns the effective reserve, in tokens (S4.3).
func (t Thresholds) Reserved() int {
	if t.Reserve <= 0 {
		return DefaultThresholds().Reserve
	}
	return t.Reserve
}

// Tail returns the maximum size of the tail, in tokens, which is at most half of the limit. 0 means that the tail is a
// number of messages instead (S4.5).
func (t Thresholds) Tail() int {
	keep := max(0, t.KeepTokens)
	if limit, _ := t.Limit(); limit/2 > 0 {
		keep = min(keep, limit/2)
	}
	return keep
}

// TailMessages returns the number of messages in the tail if Tail is 0 (S4.5).
func (t Thresholds) TailMessages() int {
	if t.KeepMessages <= 0 {
		return DefaultThresholds().KeepMessages
	}
	return t.KeepMessages
}

// Due reports whether a transcript of the given size in tokens and messages should be compacted (S4.2).
func (t Thresholds) Due(tokens, messages int) bool {
	if !t.Auto {
		return false
	}
	if limit, _ := t.Limit(); limit > 0 {
		return tokens >= limit
	}
	return t.MaxMessages > 0 && messages >= t.MaxMessages
}

package functions

// Thresholds are the numbers from which the published system S4 computes its limit. A number of 0 or less is unset.
type Thresholds struct {
	Auto         bool // whether compaction is ever due
	Window       int  // tokens
	Reserve      int  // tokens of the window that stay free; 0 or less is 16,384
	MaxTokens    int  // the limit where the window is unknown, or the reserve takes it all
	MaxMessages  int  // the limit if there is none in tokens
	KeepTokens   int  // how large a tail may be
	KeepMessages int  // how many messages it has where KeepTokens is none; 0 or less is 5
}

// DefaultThresholds returns those of S4.1.
func DefaultThresholds() Thresholds {
	return Thresholds{Auto: true, Reserve: 16384, MaxTokens: 8000, MaxMessages: 50, KeepTokens: 20000, KeepMessages: 5}
}

// Sources of a limit (S4.3).
const (
	FromWindow    = "context_window"
	FromMaxTokens = "max_tokens"
	FromNothing   = "none"
)

// Limit returns the number of tokens at which compaction is due, and where it is from; 0 is no limit (S4.3).
func (t Thresholds) Limit() (tokens int, source string) {
	if t.Window > 0 && t.Window > t.Reserved() {
		return t.Window - t.Reserved(), FromWindow
	}
	if t.MaxTokens > 0 {
		return t.MaxTokens, FromMaxTokens
	}
	return 0, FromNothing
}

// Reserved returns the reserve that counts, in tokens (S4.3).
func (t Thresholds) Reserved() int {
	if t.Reserve <= 0 {
		return DefaultThresholds().Reserve
	}
	return t.Reserve
}

// Tail returns how large a tail may be, in tokens: at most half of the limit; 0 is that messages are counted instead (S4.5).
func (t Thresholds) Tail() int {
	keep := max(0, t.KeepTokens)
	if limit, _ := t.Limit(); limit/2 > 0 {
		keep = min(keep, limit/2)
	}
	return keep
}

// TailMessages returns how many messages a tail has where Tail is 0 (S4.5).
func (t Thresholds) TailMessages() int {
	if t.KeepMessages <= 0 {
		return DefaultThresholds().KeepMessages
	}
	return t.KeepMessages
}

// Due reports whether a transcript should be compacted (S4.2).
func (t Thresholds) Due(tokens, messages int) bool {
	if !t.Auto {
		return false
	}
	if limit, _ := t.Limit(); limit > 0 {
		return tokens >= limit
	}
	return t.MaxMessages > 0 && messages >= t.MaxMessages
}

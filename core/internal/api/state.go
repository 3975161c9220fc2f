package api

// State is what a host keeps beside the conversation from one compaction to the next. A host stores it and changes nothing in it.
//
//easyjson:json
type State struct {
	Round  int    `json:"round"` // how many compactions there were
	Ledger Ledger `json:"ledger"`
	// Format is the wire format of the conversation. After a compaction little may be left to tell it by.
	Format Format `json:"format,omitempty"`
	// Messages, Fingerprint and Limit are of the result of the last compaction, and the limit in tokens that it was made for. While the
	// transcript is still just that, and need not be smaller now, there is nothing to do.
	Messages    int    `json:"messages,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Limit       int    `json:"limit,omitempty"`
	// Own names the messages of that result that compactions wrote, by a hash of role and text. No other message counts as one.
	Own []string `json:"own,omitempty"`
	// Archive is the handle of the last compaction's changes, from which restore goes back; absent where nothing was archived.
	Archive string `json:"archive,omitempty"`
	// Attempts breaks a loop of compactions that do not help.
	Attempts *Attempts `json:"attempts,omitempty"`
	// Streak is how many compactions came in turns right behind each other.
	Streak *Streak `json:"streak,omitempty"`
	// Calibration is what estimates have been compared with.
	Calibration *Calibration `json:"calibration,omitempty"`
}

// Ledger is what code, not a model, knows of the folded messages. It is carried from one compaction to the next in the
// state, and stands in every digest, from which it can be read back. All lists have the oldest first; a file that was
// modified is not listed as read.
type Ledger struct {
	Task     string   `json:"task,omitempty"`     // the user's first request
	Requests []string `json:"requests,omitempty"` // what the user asked for since
	// Standing is what the user said about how to work: rules, constraints and preferences, in sentences of their own.
	Standing []string        `json:"standing,omitempty"`
	Read     []string        `json:"read,omitempty"`     // files
	Modified []string        `json:"modified,omitempty"` // files
	Commands []LedgerCommand `json:"commands,omitempty"`
	Errors   []LedgerFailure `json:"errors,omitempty"` // what failed, and has not worked since
}

// LedgerCommand is a command that the agent or the user ran.
type LedgerCommand struct {
	Command string `json:"command"`
	Exit    string `json:"exit,omitempty"` // the exit code; "failed" where only that is known, absent where nothing is
}

// LedgerFailure is a tool call that failed.
type LedgerFailure struct {
	Tool string `json:"tool"`
	On   string `json:"on,omitempty"` // the file or the command
	Text string `json:"text,omitempty"`
}

// Attempts is what the state remembers of compactions that did not help, so that a conversation which cannot be made smaller
// is not compacted, and its model not asked, at every turn.
type Attempts struct {
	// Failed is how many compactions in a row gained nothing, or left the transcript over its limit.
	Failed int `json:"failed,omitempty"`
	// Gain is what the last compaction freed, and Tokens the size it left behind.
	Gain   int `json:"last_gain,omitempty"`
	Tokens int `json:"tokens,omitempty"`
}

// Streak counts compactions that came in turns right behind each other: with at most one new message of the user between two
// of them and, where there was none, at most two new messages of the assistant.
type Streak struct {
	Compactions int `json:"compactions"`
	// User and Assistant are how many messages of each the last input had.
	User      int `json:"user"`
	Assistant int `json:"assistant"`
}

// Calibration is what the estimates of a conversation have been compared with: pairs of an estimate and what the provider
// counted, the newest last. What a call sends that is not in the transcript (system prompt, tools) is in the count alone.
type Calibration struct {
	// Estimator is what the estimates are by. Another one does not use them.
	Estimator string `json:"estimator"`
	Estimated []int  `json:"estimated,omitempty"` // tokens
	Counted   []int  `json:"counted,omitempty"`   // tokens
}

// Correction is what makes the numbers of an estimator agree with those of a provider.
type Correction struct {
	Scale  int         `json:"scale"` // of all that is estimated, in 1/65,536
	Fixed  int         `json:"fixed"` // tokens that are not in the transcript
	Source TokenSource `json:"source"`
	Bound  int         `json:"bound"` // percent
}

package compact

import (
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/tokens"
)

// Report tells what a compaction did, or why it did nothing. All tokens are estimates by the report's estimator.
//
//easyjson:json
type Report struct {
	Reason  string `json:"reason"`
	Changed bool   `json:"changed"`
	// Fits tells whether the result has at most the limit's tokens, or there is no limit; Over by how much it does not.
	Fits bool    `json:"fits"`
	Over *Excess `json:"over,omitempty"`
	// Thrashing is there where compactions come in turns right behind each other.
	Thrashing *Thrashing `json:"thrashing,omitempty"`
	Preset    string     `json:"preset"`
	Format    string     `json:"format"`
	Estimator string     `json:"estimator"`
	Tokens    Tokens     `json:"tokens"`
	Messages  Count      `json:"messages"`
	Cleared   int        `json:"cleared"`   // tool results whose body was replaced by a marker
	Truncated int        `json:"truncated"` // texts of which the middle was taken out
	Folded    int        `json:"folded"`    // messages that the digest, or a line for each turn, stands for
	Dropped   int        `json:"dropped"`   // messages that were taken out, and are only counted
	Restored  int        `json:"restored"`  // files put back after the fold
	Repaired  int        `json:"repaired"`  // violations of the input that were mended
	Prefix    Prefix     `json:"stable_prefix"`
	// CutPoint is the index in the input's list where the tail begins that a fold has left; 0 where nothing was folded.
	CutPoint int      `json:"cut_point,omitempty"`
	Summary  Summary  `json:"summary"`
	Actions  []Action `json:"actions"`
	Bytes    *Sizes   `json:"bytes,omitempty"` // with max_bytes
	Cache    *Cache   `json:"cache,omitempty"` // of a result that is another transcript
	// Thinking is there where the transcript has thinking that its provider has signed.
	Thinking *Thinking `json:"thinking,omitempty"`
	// Left is what the provider would refuse in the messages of the answer, and no repair could mend: validate says the same of
	// them. Where they came back as they were, it is all that the provider would refuse in them. Without wire_safe, and where
	// nothing was due, nothing is checked.
	Left []Left `json:"left,omitempty"`
	// Decisions is the log, if the policy asks for it.
	Decisions []Decision `json:"decisions,omitempty"`
}

// Tokens are the sizes that a report is about. While summaries are wanted, After is without them.
type Tokens struct {
	Before int `json:"before"`
	After  int `json:"after"`
	Limit  int `json:"limit"`
	Window int `json:"window"`
	// Source is where the numbers come from: estimated, calibrated or measured; Bound is how far off they may be, in
	// percent (nine of ten are closer).
	Source string `json:"source"`
	Bound  int    `json:"bound"`
}

// Count is a number of messages.
type Count struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// Prefix is how much of the front is unchanged, which is what a provider's prompt cache can still use.
type Prefix struct {
	Messages int `json:"messages"`
	Bytes    int `json:"bytes"` // of the list, from its opening bracket
	Tokens   int `json:"tokens"`
}

// Summary tells where the digest came from: "none", "model", "host" (the policy brought it) or "local"; and what was wrong with the model's answer.
type Summary struct {
	Source string `json:"source"`
	Why    string `json:"why,omitempty"`
	// Score is the share of the facts of the folded messages that stand in the digest, from 0 to 1: paths, addresses,
	// identifiers, numbers and errors, as code finds them. Left out where no digest was written.
	Score float64 `json:"score,omitempty"`
}

// Left is a place where a rule is broken.
type Left struct {
	Rule    string `json:"rule"`
	Message int    `json:"message"` // index in the answer's list
	Text    string `json:"text"`    // what is wrong, for people
}

// Action is one thing that was done to one message, or to a run of them.
type Action struct {
	Action string `json:"action"` // what was done; docs/ABI.md lists the words
	Pass   string `json:"pass"`
	// Message is an index of the input's list, or -1 for a new message.
	Message int `json:"message"`
	// Tokens is what the action saved; negative for what it added.
	Tokens int    `json:"tokens"`
	Tool   string `json:"tool,omitempty"` // the tool whose result it was
	Path   string `json:"path,omitempty"` // the file that was restored
	Rule   string `json:"rule,omitempty"` // the rule that a repair mended
}

// State is what a host keeps beside the conversation from one compaction to the next.
//
//easyjson:json
type State struct {
	Round  int           `json:"round"` // how many compactions there were
	Ledger digest.Ledger `json:"ledger"`
	// Format is the wire format of the conversation. After a compaction little may be left to tell it by.
	Format string `json:"format,omitempty"`
	// The result of the last compaction, and the limit in tokens that it was made for. While the transcript is still just that,
	// and need not be smaller now, there is nothing to do.
	Messages    int    `json:"messages,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Limit       int    `json:"limit,omitempty"`
	// Own names the messages of that result that compactions wrote, by a hash of role and text. No other message counts as one.
	Own []string `json:"own,omitempty"`
	// Archive is the handle of the last compaction's changes, from which restore goes back; "" where nothing was archived.
	Archive string `json:"archive,omitempty"`
	// Attempts breaks a loop of compactions that do not help.
	Attempts *Attempts `json:"attempts,omitempty"`
	// Streak is how many compactions came in turns right behind each other.
	Streak *Streak `json:"streak,omitempty"`
	// Calibration is what estimates have been compared with.
	Calibration *tokens.Calibration `json:"calibration,omitempty"`
}

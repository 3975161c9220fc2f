package core

import (
	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/tokens"
)

//go:generate sh generate.sh

// Info is the answer of the operation info.
//
//easyjson:json
type Info struct {
	Name       string       `json:"name"`
	Version    string       `json:"version"`
	ABI        int          `json:"abi"`
	Ops        []string     `json:"ops"`
	Formats    []Named      `json:"formats"`
	Estimators []string     `json:"estimators"`
	Passes     []string     `json:"passes"`
	Functions  []string     `json:"functions"`
	Presets    []PresetInfo `json:"presets"`
	Limits     Limits       `json:"limits"`
}

// Named is a name with one line of explanation.
type Named struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// PresetInfo is a preset with the policy that it stands for.
type PresetInfo struct {
	Name   string     `json:"name"`
	Doc    string     `json:"doc"`
	Policy policy.Raw `json:"policy"`
}

// Limits are what a request may not go over.
type Limits struct {
	Bytes int `json:"bytes"` // of a request
	Depth int `json:"depth"` // of objects and arrays inside each other
}

// Detected is the answer of the operation detect: the likeliest format, "" if none fits.
//
//easyjson:json
type Detected struct {
	Format     string      `json:"format"`
	Confidence float64     `json:"confidence"`
	Candidates []Candidate `json:"candidates"`
	// Shape is what the messages look like where no format reads them; the only candidate is then the nearest format.
	Shape string `json:"shape,omitempty"`
}

// Candidate is a format that a transcript may be in.
type Candidate struct {
	Format     string   `json:"format"`
	Confidence float64  `json:"confidence"` // 0 to 1; all candidates together make 1, or less where something is unknown
	Evidence   []string `json:"evidence"`
}

// Estimated is the answer of the operation estimate, in tokens.
//
//easyjson:json
type Estimated struct {
	Tokens    int    `json:"tokens"`
	Source    string `json:"source"` // estimated, calibrated or measured
	Bound     int    `json:"bound"`  // percent: nine of ten are closer
	Estimator string `json:"estimator"`
	Family    string `json:"family,omitempty"` // of tokenizers, with script
	Format    string `json:"format,omitempty"`
	Messages  []int  `json:"messages,omitempty"` // of each message
	Beside    int    `json:"beside,omitempty"`   // system prompt and tools of a request body
}

// Checked is the answer of the operation check: whether compaction is due.
//
//easyjson:json
type Checked struct {
	Due       bool    `json:"due"`
	Reason    string  `json:"reason"` // over_limit, over_bytes, under_budget or unknown_window
	Tokens    int     `json:"tokens"`
	Source    string  `json:"source"` // of tokens, as in Estimated
	Bound     int     `json:"bound"`
	Limit     int     `json:"limit"`
	Window    int     `json:"window"`
	Ratio     float64 `json:"ratio"` // tokens / window; 0 with an unknown window
	Messages  int     `json:"messages"`
	Format    string  `json:"format"`
	Estimator string  `json:"estimator"`
	// State is the request's, with its usage taken in. Left out where the request has no usage.
	State *compact.State `json:"state,omitempty"`
}

// SessionInfo is the answer of the operations session_open and session_append: how the session stands.
//
//easyjson:json
type SessionInfo struct {
	Session  int    `json:"session"`  // its number, for requests
	Messages int    `json:"messages"` // how many it has
	Tokens   int    `json:"tokens"`   // of them and of what is sent beside them
	Format   string `json:"format"`   // "" as long as neither the policy nor messages tell it
}

// Closed is the answer of the operation session_close.
//
//easyjson:json
type Closed struct {
	Closed int `json:"closed"` // the number of the session
}

// Validated is the answer of the operation validate.
//
//easyjson:json
type Validated struct {
	Valid      bool        `json:"valid"` // no violation is refused
	Format     string      `json:"format"`
	Messages   int         `json:"messages"`
	Violations []Violation `json:"violations"`
}

// Violation is a rule that the transcript breaks.
type Violation struct {
	Rule    string `json:"rule"`
	Message int    `json:"message"` // index in the list
	Path    string `json:"path"`
	Offset  int    `json:"offset"` // bytes from the start of the request
	Text    string `json:"text"`
	// Severity is what the provider does: "refused" (it answers with an error) or "tolerated" (it answers).
	Severity string `json:"severity"`
	Repair   string `json:"repair"` // what repair does about it; of a tolerated one only where the policy wants it
}

// Repaired is the answer of the operation repair, but for the transcript, which is written behind it.
//
//easyjson:json
type Repaired struct {
	Valid  bool           `json:"valid"` // nothing is left that the provider would refuse
	Report compact.Report `json:"report"`
}

// Prints is the answer of the operation prints.
//
//easyjson:json
type Prints struct {
	Format string   `json:"format"`
	Prints []string `json:"prints"` // of the first one, two, … messages
}

// Memory is what a host remembers of a compaction that fit has made. What stood for the first messages of a history is in edits,
// as in an answer.
//
//easyjson:json
type Memory struct {
	Version      int           `json:"version"`
	Format       string        `json:"format"`
	Messages     int           `json:"messages"`      // how many messages of the history it stands for
	Print        string        `json:"print"`         // of these
	SentMessages int           `json:"sent_messages"` // how many messages were sent for them
	Sent         string        `json:"sent"`          // the print of these
	Edits        policy.Raw    `json:"edits"`
	State        compact.State `json:"state"`
}

// Planned is the answer of the operations plan, step and fit, but for the transcript, which is written behind it.
//
//easyjson:json
type Planned struct {
	Plan     *Plan            `json:"plan,omitempty"`
	Requests []digest.Request `json:"requests,omitempty"`
	Report   compact.Report   `json:"report"`
	State    *compact.State   `json:"state,omitempty"`
	// Archive lists the bodies that the host has to keep before it uses the result, if the policy asks for it.
	Archive []compact.Body `json:"archive,omitempty"`
	// Known is the index of the entry of memory that fit has used, or -1.
	Known *int `json:"known,omitempty"`
	// Memory is a Memory for the host to keep, if fit has compacted.
	Memory policy.Raw `json:"memory,omitempty"`
}

// Plan is what goes from plan to step, and from step to step. It is data: it can be shown, stored, and continued on
// another machine. It names the transcript by the number of its messages and a fingerprint; more messages may have come
// since.
//
//easyjson:json
type Plan struct {
	Version     int    `json:"version"`
	Messages    int    `json:"messages"`
	Fingerprint string `json:"fingerprint"`
	Format      string `json:"format"`
	// Model is what an answer of open has told of the messages, where the policy names none.
	Model   string         `json:"model,omitempty"`
	Policy  policy.Raw     `json:"policy"`
	State   compact.State  `json:"state"`
	Replies []digest.Reply `json:"replies,omitempty"`
	// Asked are the ids of the requests that wait for a reply. One that the next step does not answer counts as failed.
	Asked []string `json:"asked,omitempty"`
	// Fit tells that the plan is of fit: a step is given the same memory.
	Fit bool `json:"fit,omitempty"`
	// Correction makes the estimates agree with what the provider counted.
	Correction *tokens.Correction `json:"correction,omitempty"`
}

// Replies are the host's summaries.
//
//easyjson:json
type Replies []digest.Reply

// Bodies are what the host has kept.
//
//easyjson:json
type Bodies []compact.Given

// RestoredAnswer is the answer of the operation restore, but for the transcript, which is written behind it.
//
//easyjson:json
type RestoredAnswer struct {
	Report compact.Report `json:"report"`
	// Valid tells that the result breaks no rule of its format.
	Valid bool `json:"valid"`
	// Markers are what is left in the result that names a handle, and the changes of compactions that were not taken back.
	Markers []compact.Marker `json:"markers"`
	// State is the state that fits the result, where the request had one.
	State *compact.State `json:"state,omitempty"`
}

// NamedHandles is the answer of the operation restore for bodies without messages.
//
//easyjson:json
type NamedHandles struct {
	Handles []string `json:"handles"` // those that the bodies name
	Corrupt []string `json:"corrupt"` // those of bodies that are others than their handles say
}

// Recalled is the answer of the operation recall.
//
//easyjson:json
type Recalled struct {
	Tool   policy.Raw `json:"tool,omitempty"`   // the tool's definition, if there were no arguments
	Handle string     `json:"handle,omitempty"` // what the call asks for
	Text   *string    `json:"text,omitempty"`   // the answer to the call, if it is known
}

// RecallArguments are the arguments of a call of the tool.
type RecallArguments struct {
	Handle string
	Offset int
}

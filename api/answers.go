package api

// Error describes what is wrong with a request.
type Error struct {
	Code Code `json:"code"` // stable
	// Message is for people, and can change in any version.
	Message string `json:"message"`
	// Path locates the value in the request: member names after dots, indexes in brackets, names that aren't plain
	// words in brackets and quotes.
	Path   string `json:"path"`
	Offset int    `json:"offset"` // where that value is, in bytes from the start of the request
}

// Failed is the response of any operation that fails. Nothing was changed.
//
//easyjson:json
type Failed struct {
	Error Error `json:"error"` // the first error in the request
}

// Info is the result of the operation `info`: the version, the features and the limits of this module.
//
//easyjson:json
type Info struct {
	Name       string         `json:"name"`       // "ctxfold"
	Version    string         `json:"version"`    // semantic version
	ABI        int            `json:"abi"`        // increases when a host written for the previous ABI would break
	Ops        []Operation    `json:"ops"`        // the operations that this module has
	Formats    []FormatInfo   `json:"formats"`    // the wire formats, in the order of their names
	Estimators []Estimator    `json:"estimators"` // the token estimators that a policy can name
	Passes     []PassName     `json:"passes"`     // the passes that a policy can name
	PassInfo   []PassInfo     `json:"pass_info"`  // names, defaults and descriptions of the same passes
	Functions  []FunctionName `json:"functions"`  // functions of published systems, for the operation function; empty unless this is the full module
	Presets    []PresetInfo   `json:"presets"`    // the presets that a policy can name
	Limits     Limits         `json:"limits"`     // the largest request that the module accepts
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// FormatInfo is the name of a wire format with a one-line description.
type FormatInfo struct {
	Name Format `json:"name"` // the name that a policy gives as format
	Doc  string `json:"doc"`  // one line, in Markdown
}

// PassInfo describes a pass.
type PassInfo struct {
	Name       PassName    `json:"name"`       // the name that a policy gives to select the pass
	Doc        string      `json:"doc"`        // what the pass does, phrased to follow its name
	Parameters []Parameter `json:"parameters"` // the members of the pass in a policy; empty if it has none
	Markers    []string    `json:"markers"`    // the texts that replace removed content; with an archive each names a handle
	Messages   []string    `json:"messages"`   // how the messages that it inserts begin
	Counters   []Counter   `json:"counters"`   // the numbers that the pass adds to the report; empty if there are none
}

// Parameter is a parameter of a pass, with its default.
type Parameter struct {
	Name    string `json:"name"`    // the name of the member
	Default Raw    `json:"default"` // the value if a policy sets none
	Doc     string `json:"doc"`     // "" if the text of the previous parameter describes both
}

// Counter is a number that a pass accumulates. The report has it as a member of this name, or in counts.
type Counter struct {
	Name string `json:"name"` // its key in the report
	Text string `json:"text"` // what is counted, for people
}

// PresetInfo is a preset with its policy.
type PresetInfo struct {
	Name   Preset `json:"name"`               // the name that a policy gives as preset
	Doc    string `json:"doc"`                // what the preset is for, in one line
	Policy Raw    `json:"policy" is:"Policy"` // a Policy
}

// Limits are the limits of a request.
type Limits struct {
	Bytes int `json:"bytes"` // maximum size of a request
	Depth int `json:"depth"` // maximum number of nested objects and arrays
}

// Detection is the result of the operation `detect`.
//
//easyjson:json
type Detection struct {
	Format     Format      `json:"format" is:"Format|"` // the most likely, or "" if no candidate reaches a confidence of 0.75
	Confidence float64     `json:"confidence"`          // confidence in Format, from 0 to 1
	Candidates []Candidate `json:"candidates"`          // the most likely first
	// Shape describes the messages if no format can read them; the only candidate is then the nearest format.
	Shape string `json:"shape,omitempty"`
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// Candidate is a format that a transcript may be in.
type Candidate struct {
	Format     Format   `json:"format"`     // the wire format
	Confidence float64  `json:"confidence"` // from 0 to 1; those of all candidates add up to 1, or to less if no format fits well
	Evidence   []string `json:"evidence"`   // roles, keys or types that only this format has
}

// Estimate is the result of the operation `estimate`: the size of a transcript or a text, in tokens.
//
//easyjson:json
type Estimate struct {
	Tokens    int         `json:"tokens"`             // the estimated size
	Source    TokenSource `json:"source"`             // where the number of tokens comes from
	Bound     int         `json:"bound"`              // error bound in percent: nine of ten estimates are closer
	Estimator Estimator   `json:"estimator"`          // the estimator that was used
	Family    Family      `json:"family,omitempty"`   // family of tokenizers that the estimate is for; only with the estimator script
	Format    Format      `json:"format,omitempty"`   // wire format of a transcript
	Messages  []int       `json:"messages,omitempty"` // tokens of each message
	Beside    int         `json:"beside,omitempty"`   // tokens of the system prompt and tools of a request body, and of unseen content that usage has revealed
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// Check is the result of the operation `check`: whether compaction is due.
//
//easyjson:json
type Check struct {
	Due bool `json:"due"` // whether the transcript should be compacted now
	// Start asks the host to begin a compaction in the background (option background): it isn't due yet, but the size is over gate.start.
	Start bool `json:"start,omitempty"`
	// Notice is the policy's gate.notice, set if a compaction will come soon and the model has not been told yet. The
	// host appends it to the conversation as a user message before it calls the model.
	Notice string `json:"notice,omitempty"`
	// Cold is the reason why the prompt cache is cold, if compaction is due only because of that.
	Cold      Cold        `json:"cold,omitempty"`
	Reason    Reason      `json:"reason"`    // over_limit, over_bytes, cold, under_budget or unlimited
	Tokens    int         `json:"tokens"`    // the size of the transcript
	Source    TokenSource `json:"source"`    // where the number of tokens comes from
	Bound     int         `json:"bound"`     // error bound in percent: nine of ten estimates are closer
	Limit     int         `json:"limit"`     // compaction is due above this number of tokens
	Window    int         `json:"window"`    // context window, in tokens; 0 if it is unknown
	Ratio     float64     `json:"ratio"`     // tokens / window; 0 if the window is unknown
	Messages  int         `json:"messages"`  // the number of messages
	Format    Format      `json:"format"`    // the wire format of the messages
	Estimator Estimator   `json:"estimator"` // the estimator that was used
	// State is the request's State, updated with its usage. Absent if the request has no usage.
	State Raw `json:"state,omitempty" is:"State"`
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// Validation is the result of the operation `validate`: the rules of the wire format that a transcript breaks.
//
//easyjson:json
type Validation struct {
	Valid      bool        `json:"valid"`      // whether the provider would accept the transcript
	Format     Format      `json:"format"`     // the wire format whose rules were checked
	Messages   int         `json:"messages"`   // the number of messages
	Violations []Violation `json:"violations"` // empty if there are none
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// Violation is a rule that the transcript breaks.
type Violation struct {
	Rule    string `json:"rule"`    // its id in docs/guides/formats.md
	Message int    `json:"message"` // index in the list; -1 for anything outside it
	Path    string `json:"path"`    // path of the value, as in an Error
	Offset  int    `json:"offset"`  // bytes from the start of the request
	Text    string `json:"text"`    // what is wrong, for people
	// Severity is how the provider reacts to the violation.
	Severity Severity `json:"severity"`
	Repair   Repair   `json:"repair"` // how repair fixes it; tolerated violations only if the policy has `"repair":"all"`
}

// Planned is the result of the operations plan, step and fit. While summaries are pending, it has Plan and Requests;
// when the compaction is done, it has State and the transcript.
//
//easyjson:json
type Planned struct {
	Plan     Raw              `json:"plan,omitempty" is:"Plan"`   // a Plan, for the next step
	Requests []SummaryRequest `json:"requests,omitempty"`         // independent requests for the host's model
	Report   Report           `json:"report"`                     // what the compaction did, or why it did nothing
	State    Raw              `json:"state,omitempty" is:"State"` // a State, for the next compaction
	// Archive lists the removed bodies, if the policy or the options ask for it. The host must store them before it uses the result.
	Archive []Body `json:"archive,omitempty"`
	// Start asks the host to begin a compaction in the background (option background): it isn't due yet, but the size is over gate.start.
	Start bool `json:"start,omitempty"`
	// Known is the index of the memory entry that fit applied, or -1. Only fit sets it.
	Known *int `json:"known,omitempty"`
	// KnownMessages is the number of leading messages of the history that the entry replaced;
	// absent if the list continues from sent messages. Only fit sets it.
	KnownMessages int `json:"known_messages,omitempty"`
	// Memory is a MemoryEntry for the host to keep, if fit compacted.
	Memory Raw `json:"memory,omitempty" is:"MemoryEntry"`
	// Messages or Edits hold the result, depending on the option answer. They are written after all other members.
	// Messages have the shape of the input, a list or a request body. Edits are a list of Edit.
	Messages Raw `json:"messages,omitempty" is:"-"`
	Edits    Raw `json:"edits,omitempty" is:"-"`
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// Repaired is the result of the operation `repair`.
//
//easyjson:json
type Repaired struct {
	Valid  bool   `json:"valid"`  // whether the provider would accept the result
	Report Report `json:"report"` // which violations were repaired
	// Messages or Edits hold the result, depending on the option answer. They are written after all other members.
	// Messages have the shape of the input, a list or a request body. Edits are a list of Edit.
	Messages Raw `json:"messages,omitempty" is:"-"`
	Edits    Raw `json:"edits,omitempty" is:"-"`
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// Restored is the result of the operation `restore`.
//
//easyjson:json
type Restored struct {
	Report Report `json:"report"` // which content was put back
	// Valid reports whether the result breaks no rule of its format.
	Valid bool `json:"valid"`
	// Markers lists the markers in the result that still name a handle, and changes of compactions that could not be
	// undone.
	Markers []Marker `json:"markers"`
	// State is the State of the result, if the request had one.
	State Raw `json:"state,omitempty" is:"State"`
	// Messages or Edits hold the result, depending on the option answer. They are written after all other members.
	// Messages have the shape of the input, a list or a request body. Edits are a list of Edit.
	Messages Raw `json:"messages,omitempty" is:"-"`
	Edits    Raw `json:"edits,omitempty" is:"-"`
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// NamedHandles is the result of the operation `restore` if it is given bodies but no messages.
//
//easyjson:json
type NamedHandles struct {
	Handles []string `json:"handles"` // the handles that the bodies name
	Corrupt []string `json:"corrupt"` // the handles whose bodies don't match them
}

// Body is content that was removed from the transcript. The host stores it.
type Body struct {
	Handle string   `json:"handle"` // SHA-256 of the body, in 64 hexadecimal digits; markers name the first 16
	What   BodyKind `json:"what"`   // the kind of the content
	// Message is the index in the input list of the message that contained the body. For a fold it is the index of the
	// first folded message; for changes, that of the first message that only the body contains, or -1.
	Message int    `json:"message"`
	Tool    string `json:"tool,omitempty"` // the tool whose result this is
	Bytes   int    `json:"bytes"`          // size of the body, in bytes
	Tokens  int    `json:"tokens"`         // its estimated size in the transcript, in tokens
	// Places are the byte ranges of the body, [[from,to]], relative to the start of the request's messages. The body of
	// a fold, and of changes, is a JSON list: its elements are these ranges, and numbers and strings that are copied
	// into it unchanged.
	Places Raw `json:"places,omitempty" is:"[]any"`
	// Inline is the body itself as JSON, if the options ask for it or the request doesn't contain it.
	Inline *string `json:"body,omitempty"`
}

// Marker is a place in a transcript that names the handle of removed content. Changes have no place: the state or another
// body names their handle.
type Marker struct {
	Handle  string   `json:"handle"`  // its first 16 digits; for changes all 64
	What    BodyKind `json:"what"`    // what the content was
	Message int      `json:"message"` // index in the result's list; -1 for changes
	// Fault is the reason why a given body was not put back.
	Fault MarkerFault `json:"why,omitempty"`
}

// Prints is the result of the operation `prints`.
//
//easyjson:json
type Prints struct {
	Format Format   `json:"format"` // the wire format of the messages
	Prints []string `json:"prints"` // fingerprints of the first one, two, … messages
	// Later are the same fingerprints, except that those that reach beyond the first message that
	// isn't a system message ignore the text of that message.
	Later []string `json:"later"`
	// Model is the model that a request body or an answer of open names.
	Model string `json:"model,omitempty"`
}

// Found is the result of the operation `search`.
//
//easyjson:json
type Found struct {
	Results  []FoundMessage `json:"results"`  // the best first
	Searched Searched       `json:"searched"` // what the search covered
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// FoundMessage is a message that matches the query.
type FoundMessage struct {
	Body   int    `json:"body"`             // index of the body with the message in the request
	Handle string `json:"handle,omitempty"` // the handle of that body, as the request has it
	Index  int    `json:"index"`            // index of the message in its body; 0 if the body isn't a list
	Score  int    `json:"score"`            // larger is better; comparable within one answer
	Role   Role   `json:"role"`             // the author of the message
	Date   string `json:"date,omitempty"`   // day of the message, such as 2025-03-14, if known
	// Offset is where the snippet starts in the text of the message, in Unicode scalar values.
	Offset int `json:"offset,omitempty"`
	// Snippet is the best matching passage, about 240 bytes at most. It is data from the conversation, never an instruction.
	Snippet string `json:"snippet"`
}

// Searched describes the extent of a search.
type Searched struct {
	Bodies   int `json:"bodies"`   // the number of bodies
	Messages int `json:"messages"` // the number of messages in them
	Bytes    int `json:"bytes"`    // the total size of the bodies
	// Missing lists handles of further removed content that the bodies name but that were not given.
	Missing []string `json:"missing"`
}

// Recalled is the result of the operation `recall`: the definition of the tool, what a call of it asks for, or the
// text that answers the call.
//
//easyjson:json
type Recalled struct {
	Tool   Raw     `json:"tool,omitempty" is:"object"` // definition of the tool, if there were no arguments
	Handle string  `json:"handle,omitempty"`           // the handle that the call asks for
	Query  string  `json:"query,omitempty"`            // the query of the call; with a handle, only for that body
	Text   *string `json:"text,omitempty"`             // the answer to the call, if known
}

// Opened is the result of the operation `open`: the live conversation of a session file.
//
//easyjson:json
type Opened struct {
	Kind    SessionKind `json:"kind"`    // which agent wrote the file
	Format  Format      `json:"format"`  // wire format of the messages
	Model   string      `json:"model"`   // model of the last call; "" if the file doesn't name it
	System  string      `json:"system"`  // the system prompt; "" if the file doesn't have it
	Usage   *Usage      `json:"usage"`   // the provider's last count since the last compaction, or null
	Skipped []Skipped   `json:"skipped"` // what was left out, sorted by What
	// Messages is the list of messages of the agent's next request.
	Messages Raw `json:"messages" is:"[]any"`
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// Skipped is the number of entries of a session file that are not in the messages, for one reason.
type Skipped struct {
	What  SkipReason `json:"what"`  // why the entries were left out
	Count int        `json:"count"` // the number of entries
}

// Saved is the result of the operation `save`: the new file is the first Kept bytes of the old one, followed by Text.
//
//easyjson:json
type Saved struct {
	Kind SessionKind `json:"kind"` // which agent's format the file has
	Kept int         `json:"kept"` // bytes
	Text string      `json:"text"` // the rest of the new file
}

// Digests is the result of the operation `digests`.
//
//easyjson:json
type Digests struct {
	Format  Format   `json:"format"`  // the wire format of the messages
	Digests []Digest `json:"digests"` // in the order of the messages
}

// Digest is the content of a message that a compaction wrote.
type Digest struct {
	Message int        `json:"message"` // index of the message
	Kind    DigestKind `json:"kind"`    // what the message replaces
	// Own reports whether the message counts as written by a compaction: the state names it, or it has the role and the position that the
	// policy gives such messages. Otherwise it only looks like one; somebody may have repeated or forged it.
	Own    bool   `json:"own"`
	Round  int    `json:"round,omitempty"`  // number of compactions so far, if the message states it
	Handle string `json:"handle,omitempty"` // handle of the messages that it replaces, if they are archived
	Text   string `json:"text"`             // the digest's text, without its header, its handle and the lists that are kept in the ledger
	// Sections are the parts of text under its headings. Lines before the first heading are a section with the heading "".
	Sections []DigestSection `json:"sections"`
	Ledger   *Ledger         `json:"ledger,omitempty"` // the lists that code added
}

// DigestSection is a heading of a digest with the lines under it.
type DigestSection struct {
	Heading string   `json:"heading"` // without Markdown marks
	Level   int      `json:"level"`   // 1 to 6; 0 without a heading
	Lines   []string `json:"lines"`   // without empty lines
}

// SessionInfo is the result of the operations session_open and session_append: the size of the session.
//
//easyjson:json
type SessionInfo struct {
	Session  int    `json:"session"`             // number by which requests refer to the session
	Messages int    `json:"messages"`            // number of messages
	Tokens   int    `json:"tokens"`              // size of the messages, and of the system prompt and tools sent with them
	Format   Format `json:"format" is:"Format|"` // "" until the policy or the messages determine it
}

// ClosedSession is the result of the operation `session_close`.
//
//easyjson:json
type ClosedSession struct {
	Closed int `json:"closed"` // the number of the session
}

// FunctionResult is the result of the operation `function`.
//
//easyjson:json
type FunctionResult struct {
	Result Raw `json:"result"` // see docs/reference/functions.md
}

// Verdict is the result of the operation `classify_error`.
//
//easyjson:json
type Verdict struct {
	Class    FailureClass `json:"class"`                  // why the call failed; "none" if it succeeded or the failure is unknown
	Overflow bool         `json:"overflow"`               // whether a compaction and one retry may help
	Silent   bool         `json:"silent"`                 // whether the messages did not fit although the provider reported no error
	Provider string       `json:"provider,omitempty"`     // the provider whose wording was recognized; absent if none was
	Message  string       `json:"message"`                // the provider's message, taken from the JSON of the body; "" if there is none
	Used     int          `json:"used_tokens,omitempty"`  // size of the request in tokens, if the provider or the usage reveals it
	Limit    int          `json:"limit_tokens,omitempty"` // the limit in tokens, if the provider names it or, for a silent overflow, the window
}

// LimitedOutput is the result of the operation `limit_tool_output`.
//
//easyjson:json
type LimitedOutput struct {
	Changed   bool   `json:"changed"`          // whether Text differs from the given text
	Text      string `json:"text"`             // the text for the transcript
	KeepMedia bool   `json:"keep_media"`       // whether images and other media of the output stay
	Spilled   bool   `json:"spilled"`          // whether the text is a notice: the host keeps the whole output under its handle
	Handle    string `json:"handle,omitempty"` // handle of the whole output, if that is over the spill limit; also set if the host could not store it
}

// SummaryRequest asks the host's model for a summary.
//
//easyjson:json
type SummaryRequest struct {
	ID              string `json:"id"`                // return it with the summary
	Scope           Scope  `json:"scope"`             // which part of the conversation the summary covers
	System          string `json:"system"`            // the system prompt for the model
	Prompt          string `json:"prompt"`            // the user message for the model; it contains the fenced record of the session
	MaxOutputTokens int    `json:"max_output_tokens"` // maximum size of the summary, in tokens
	InputTokens     int    `json:"input_tokens"`      // estimate of `system` and `prompt`; never over `summary.max_input_tokens`
	// Temperature is the temperature for the model; if it is absent, the host decides.
	Temperature float64 `json:"temperature,omitempty"`
	// Thinking is the amount of thinking to ask of the model; if it is absent, the host decides.
	Thinking ThinkingEffort `json:"thinking,omitempty"`
	// Provider is a call of the provider's own compaction, if the policy has `summary.provider`.
	// Its result is returned as the `messages` of the Summary. System and Prompt are the fallback
	// for the model.
	Provider *ProviderRequest `json:"provider,omitempty"`
	// Conversation is present if the request is appended to the conversation: the host repeats its
	// last request with these changes to the messages and the body, which already contain System
	// and Prompt.
	Conversation *RequestConversation `json:"conversation,omitempty"`
	// Lead is text to show before a streamed summary. It is present only if two summaries are joined.
	Lead string `json:"lead,omitempty"`
}

// ProviderRequest is a call of a provider's own compaction. The host adds `model`, which should be the conversation's, and `max_tokens` if the
// API requires it.
type ProviderRequest struct {
	Format Format `json:"format"`           // format of the API: anthropic or openai-responses
	Path   string `json:"path"`             // path to POST to, relative to the address of the API: /v1/messages or /v1/responses/compact
	Beta   string `json:"beta,omitempty"`   // the value of the header anthropic-beta
	Body   Raw    `json:"body" is:"object"` // the request body, to which the host adds the members named above
}

// RequestConversation is a request for a summary that is appended to the conversation. It starts with what the provider was sent last, so the
// provider reads that from its prompt cache.
type RequestConversation struct {
	Edits Raw `json:"edits" is:"Edits"` // edits that turn the input messages into the messages to send, with the instruction last
	// Body is a JSON Merge Patch (RFC 7396) for the request body outside its messages: the limit of the answer, no tool calls, no streaming. A
	// host that streams the answer sets that itself.
	Body Raw `json:"body" is:"object"`
	// Sent is the whole request in the shape of the input: a request body, or a list. Hosts set it.
	Sent Raw `json:"-"`
}

// Edit is one run of the messages of a result, in output order. It has either Keep, or Insert, or Set and Message. Indexes refer to the input
// list.
type Edit struct {
	Keep    []int `json:"keep,omitempty"`    // [from, to]: the messages from the first index up to, but not including, the second
	Insert  Raw   `json:"insert,omitempty"`  // a new message
	Set     *int  `json:"set,omitempty"`     // index of a changed message
	Message Raw   `json:"message,omitempty"` // the changed message
}

// Edits turn the input messages into the result.
//
//easyjson:json
type Edits []Edit

// Converted is the result of the operation `convert`.
//
//easyjson:json
type Converted struct {
	From Format `json:"from"` // the format of the input
	To   Format `json:"to"`   // the format of the result
	// Valid reports whether the provider of the new format would accept the result.
	Valid bool `json:"valid"`
	// Lost lists everything that was not carried over, or only in another form, in the order of the messages.
	Lost []Loss `json:"lost"`
	// Report lists the repairs of the result; its message indexes refer to the result.
	Report Report `json:"report"`
	// System is the system prompt of a list of messages, if the new format keeps it outside the list: the value of the request's member for
	// it, in the shape of the format.
	System Raw `json:"system,omitempty" is:"any"`
	// Messages are written after all other members: a list for a list, a request body for a request body. If both formats are the same, they
	// are the input bytes.
	Messages Raw `json:"messages,omitempty" is:"-"`
	// Raw is the response as received, including members for which this version has no field. Hosts set it.
	Raw Raw `json:"-"`
}

// Loss is something that was not carried over into another wire format, or only in part.
type Loss struct {
	Message int         `json:"message"` // index in the input list; -1 for anything outside it
	Path    string      `json:"path"`    // path of the message or part
	Kind    LossKind    `json:"kind"`    // what was lost
	Reason  LossReason  `json:"reason"`  // why it was lost
	Instead LossInstead `json:"instead"` // what the result has in its place
	// Detail names what was lost: a member's key, a type or a tool. For an id or name that was changed, it is the new
	// one.
	Detail string `json:"detail,omitempty"`
	// Count is the number of messages or parts with metadata of this name; Message and Path locate the first. Absent
	// if it is one.
	Count int `json:"count,omitempty"`
}

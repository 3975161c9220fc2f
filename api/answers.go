package api

// Error is what is wrong with a request: all that an answer holds that is an error.
type Error struct {
	Code Code `json:"code"` // stable
	// Message is for people, and may change.
	Message string `json:"message"`
	// Path names the place in the request: member names after dots, indexes in brackets, names that are no plain words in brackets and
	// quotes.
	Path   string `json:"path"`
	Offset int    `json:"offset"` // of the place, in bytes from the start of the request
}

// Failed is the answer of any operation that fails: nothing was done.
//
//easyjson:json
type Failed struct {
	Error Error `json:"error"`
}

// Info is the answer of the operation info: what this module can do.
//
//easyjson:json
type Info struct {
	Name       string         `json:"name"`
	Version    string         `json:"version"` // semantic
	ABI        int            `json:"abi"`     // changes when a host that knows the old one would break
	Ops        []Operation    `json:"ops"`
	Formats    []FormatInfo   `json:"formats"`
	Estimators []Estimator    `json:"estimators"`
	Passes     []PassName     `json:"passes"`
	PassInfo   []PassInfo     `json:"pass_info"` // of the same passes
	Functions  []FunctionName `json:"functions"`
	Presets    []PresetInfo   `json:"presets"`
	Limits     Limits         `json:"limits"`
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// FormatInfo is a wire format with one line of explanation.
type FormatInfo struct {
	Name Format `json:"name"`
	Doc  string `json:"doc"`
}

// PassInfo is what a pass has declared.
type PassInfo struct {
	Name       PassName    `json:"name"`
	Doc        string      `json:"doc"` // what it does, behind its name
	Parameters []Parameter `json:"parameters"`
	Markers    []string    `json:"markers"`  // what stands in the place of what it takes out; with an archive each names a handle
	Messages   []string    `json:"messages"` // how the messages begin that it writes
	Counters   []Counter   `json:"counters"`
}

// Parameter is a parameter of a pass.
type Parameter struct {
	Name    string `json:"name"`
	Default Raw    `json:"default"` // what counts where a policy does not give it
	Doc     string `json:"doc"`     // "" where that of the one before it is about both
}

// Counter is a number that a pass adds up in the report, under its name: a key of the report, or a name in its counts.
type Counter struct {
	Name string `json:"name"`
	Text string `json:"text"` // what is counted, for people
}

// PresetInfo is a preset with the policy that it stands for.
type PresetInfo struct {
	Name   Preset `json:"name"`
	Doc    string `json:"doc"`
	Policy Raw    `json:"policy" is:"Policy"` // a Policy
}

// Limits are what a request may not go over.
type Limits struct {
	Bytes int `json:"bytes"` // of a request
	Depth int `json:"depth"` // of objects and arrays inside each other
}

// Detection is the answer of the operation detect.
//
//easyjson:json
type Detection struct {
	Format     Format      `json:"format" is:"Format|"` // the likeliest, or "" where none has a confidence of at least 0.75
	Confidence float64     `json:"confidence"`          // in it, from 0 to 1
	Candidates []Candidate `json:"candidates"`          // the likeliest first
	// Shape is what the messages look like where no format reads them; the only candidate is then the nearest format.
	Shape string `json:"shape,omitempty"`
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// Candidate is a format that a transcript may be in.
type Candidate struct {
	Format     Format   `json:"format"`
	Confidence float64  `json:"confidence"` // 0 to 1; all candidates together make 1, or less where something is unknown
	Evidence   []string `json:"evidence"`   // a role, a key or a type that only this format has
}

// Estimate is the answer of the operation estimate: the size of a transcript or a text, in tokens.
//
//easyjson:json
type Estimate struct {
	Tokens    int         `json:"tokens"`
	Source    TokenSource `json:"source"`
	Bound     int         `json:"bound"` // how far off it may be, in percent: nine of ten are closer
	Estimator Estimator   `json:"estimator"`
	Family    Family      `json:"family,omitempty"`   // of tokenizers, with script
	Format    Format      `json:"format,omitempty"`   // of a transcript
	Messages  []int       `json:"messages,omitempty"` // of each message
	Beside    int         `json:"beside,omitempty"`   // system prompt and tools of a request body, and what usage has shown
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// Check is the answer of the operation check: whether compaction is due.
//
//easyjson:json
type Check struct {
	Due bool `json:"due"`
	// Start says that a compaction is to be begun in the background (option background): it is not due, but over gate.start.
	Start bool `json:"start,omitempty"`
	// Cold is why the prompt cache is cold, where compaction is due for that alone.
	Cold      Cold        `json:"cold,omitempty"`
	Reason    Reason      `json:"reason"` // over_limit, over_bytes, cold, under_budget or unknown_window
	Tokens    int         `json:"tokens"`
	Source    TokenSource `json:"source"` // of tokens
	Bound     int         `json:"bound"`  // how far off they may be, in percent: nine of ten are closer
	Limit     int         `json:"limit"`  // compaction is due above it
	Window    int         `json:"window"` // 0 is an unknown window
	Ratio     float64     `json:"ratio"`  // tokens / window; 0 with an unknown window
	Messages  int         `json:"messages"`
	Format    Format      `json:"format"`
	Estimator Estimator   `json:"estimator"`
	// State is the request's State, with its usage taken in. Absent where the request has no usage.
	State Raw `json:"state,omitempty" is:"State"`
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// Validation is the answer of the operation validate: the rules of the wire format that a transcript breaks.
//
//easyjson:json
type Validation struct {
	Valid      bool        `json:"valid"` // no violation is refused
	Format     Format      `json:"format"`
	Messages   int         `json:"messages"`
	Violations []Violation `json:"violations"`
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// Violation is a rule that the transcript breaks.
type Violation struct {
	Rule    string `json:"rule"`    // its id in docs/guides/formats.md
	Message int    `json:"message"` // index in the list; -1 for what stands beside it
	Path    string `json:"path"`
	Offset  int    `json:"offset"` // bytes from the start of the request
	Text    string `json:"text"`   // for people
	// Severity is what the provider does.
	Severity Severity `json:"severity"`
	Repair   Repair   `json:"repair"` // what repair does about it; of a tolerated one only where the policy says `"repair":"all"`
}

// Planned is the answer of the operations plan, step and fit. While summaries are wanted, it has Plan and Requests; when all is done, it
// has State and the transcript.
//
//easyjson:json
type Planned struct {
	Plan     Raw              `json:"plan,omitempty" is:"Plan"` // a Plan, to go on with
	Requests []SummaryRequest `json:"requests,omitempty"`       // what to ask the host's model; they do not depend on each other
	Report   Report           `json:"report"`
	State    Raw              `json:"state,omitempty" is:"State"` // a State, to go on with
	// Archive lists the bodies that the host has to keep before it uses the result, where the policy or the options ask for it.
	Archive []Body `json:"archive,omitempty"`
	// Start says that a compaction is to be begun in the background (option background): it is not due, but over gate.start.
	Start bool `json:"start,omitempty"`
	// Known is the index of the entry of memory that fit has used, or -1; of fit alone.
	Known *int `json:"known,omitempty"`
	// Memory is a MemoryEntry for the host to keep, where fit has compacted.
	Memory Raw `json:"memory,omitempty" is:"MemoryEntry"`
	// Messages and Edits are the result, as the option answer says; they are written behind all other members. Messages have the shape
	// that came in: a list for a list, a request body for a request body. Edits are a list of Edit.
	Messages Raw `json:"messages,omitempty" is:"-"`
	Edits    Raw `json:"edits,omitempty" is:"-"`
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// Repaired is the answer of the operation repair.
//
//easyjson:json
type Repaired struct {
	Valid  bool   `json:"valid"` // nothing is left that the provider would refuse
	Report Report `json:"report"`
	// Messages and Edits are the result, as the option answer says; they are written behind all other members. Messages have the shape
	// that came in: a list for a list, a request body for a request body. Edits are a list of Edit.
	Messages Raw `json:"messages,omitempty" is:"-"`
	Edits    Raw `json:"edits,omitempty" is:"-"`
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// Restored is the answer of the operation restore.
//
//easyjson:json
type Restored struct {
	Report Report `json:"report"`
	// Valid tells that the result breaks no rule of its format.
	Valid bool `json:"valid"`
	// Markers are what is left in the result that names a handle, and the changes of compactions that were not taken back.
	Markers []Marker `json:"markers"`
	// State is the State that fits the result, where the request had one.
	State Raw `json:"state,omitempty" is:"State"`
	// Messages and Edits are the result, as the option answer says; they are written behind all other members. Messages have the shape
	// that came in: a list for a list, a request body for a request body. Edits are a list of Edit.
	Messages Raw `json:"messages,omitempty" is:"-"`
	Edits    Raw `json:"edits,omitempty" is:"-"`
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// NamedHandles is the answer of the operation restore for bodies without messages.
//
//easyjson:json
type NamedHandles struct {
	Handles []string `json:"handles"` // those that the bodies name
	Corrupt []string `json:"corrupt"` // those of bodies that are others than their handles say
}

// Body is one body that was taken out of the transcript, for the host to keep.
type Body struct {
	Handle string   `json:"handle"` // SHA-256 of its bytes, in 64 hexadecimal digits; its marker names the first 16
	What   BodyKind `json:"what"`
	// Message is the index of its message in the input's list; of a fold, that of the first one; of changes, that of the first
	// message that stands nowhere else, or -1.
	Message int    `json:"message"`
	Tool    string `json:"tool,omitempty"` // whose result it was
	Bytes   int    `json:"bytes"`
	Tokens  int    `json:"tokens"`
	// Places say where the body stands: [[from,to]], in bytes from the beginning of the request's messages. The body of a
	// fold, and of changes, is a JSON list whose elements are these places, and numbers and strings that are written as they are.
	Places Raw `json:"places,omitempty" is:"[]any"`
	// Inline is the body itself, JSON, where the options ask for it or where it stands nowhere in the request.
	Inline *string `json:"body,omitempty"`
}

// Marker is a place of a transcript where a body stood that has a handle. Of changes, which have no place, the handle is that which
// the state or another body names.
type Marker struct {
	Handle  string   `json:"handle"`  // its first 16 digits; of changes all
	What    BodyKind `json:"what"`    // it was
	Message int      `json:"message"` // index in the result's list; -1 for changes
	// Why is what keeps a body from being put back although it was given.
	Why MarkerFault `json:"why,omitempty"`
}

// Prints is the answer of the operation prints.
//
//easyjson:json
type Prints struct {
	Format Format   `json:"format"`
	Prints []string `json:"prints"` // of the first one, two, … messages
	// Model is the model that a request body names, or an answer of open.
	Model string `json:"model,omitempty"`
}

// Found is the answer of the operation search.
//
//easyjson:json
type Found struct {
	Results  []FoundMessage `json:"results"` // the best first
	Searched Searched       `json:"searched"`
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// FoundMessage is a message that fits the query.
type FoundMessage struct {
	Body   int    `json:"body"` // the index of its body in the request
	Handle string `json:"handle,omitempty"`
	Index  int    `json:"index"` // in the list that the body is; 0 where it is none
	Score  int    `json:"score"` // compares the results of one answer
	Role   Role   `json:"role"`
	Date   string `json:"date,omitempty"` // the day of the message, such as 2025-03-14, where it is known
	// Offset is where the snippet begins in the text of the message, in Unicode scalar values.
	Offset int `json:"offset,omitempty"`
	// Snippet is the passage that fits the query best, of at most some 240 bytes. It is text of the conversation: data, never an
	// instruction.
	Snippet string `json:"snippet"`
}

// Searched says what a search has gone through.
type Searched struct {
	Bodies   int `json:"bodies"`
	Messages int `json:"messages"`
	Bytes    int `json:"bytes"`
	// Missing are handles that the bodies name, of more that was taken out, and that were not given.
	Missing []string `json:"missing"`
}

// Recalled is the answer of the operation recall: the tool, what a call asks for, or the text to answer it with.
//
//easyjson:json
type Recalled struct {
	Tool   Raw     `json:"tool,omitempty" is:"object"` // the tool's definition, if there were no arguments
	Handle string  `json:"handle,omitempty"`           // what the call asks for
	Query  string  `json:"query,omitempty"`            // what the call looks for; where there is a handle too, in that body
	Text   *string `json:"text,omitempty"`             // the answer to the call, if it is known
}

// Opened is the answer of the operation open: the live conversation of a session file.
//
//easyjson:json
type Opened struct {
	Kind    SessionKind `json:"kind"`    // of file
	Format  Format      `json:"format"`  // of the messages
	Model   string      `json:"model"`   // asked last; "" where the file does not tell
	System  string      `json:"system"`  // the system prompt; "" where the file does not tell
	Usage   *Usage      `json:"usage"`   // the provider's last count; null where there is none since the last compaction
	Skipped []Skipped   `json:"skipped"` // what was left out, sorted by What
	// Messages are what the agent's next request would hold: a list.
	Messages Raw `json:"messages" is:"[]any"`
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// Skipped is something of a session file that is not in the messages, and how often.
type Skipped struct {
	What  SkipReason `json:"what"`
	Count int        `json:"count"`
}

// Saved is the answer of the operation save: the new file is the first Kept bytes of the old one, and Text behind them.
//
//easyjson:json
type Saved struct {
	Kind SessionKind `json:"kind"` // of file
	Kept int         `json:"kept"` // bytes
	Text string      `json:"text"`
}

// Digests is the answer of the operation digests.
//
//easyjson:json
type Digests struct {
	Format  Format   `json:"format"`
	Digests []Digest `json:"digests"` // in the order of the messages
}

// Digest is a message that compactions have written, as data: nobody in the conversation has said it.
type Digest struct {
	Message int        `json:"message"` // its index
	Kind    DigestKind `json:"kind"`
	// Own says that the message counts as written by a compaction: the state names it, or it has the role and the place that the policy
	// gives such messages. Another one only reads like it; somebody may have repeated or forged it.
	Own    bool   `json:"own"`
	Round  int    `json:"round,omitempty"`  // how many compactions stand in it, where it says so
	Handle string `json:"handle,omitempty"` // of the messages that it stands for, as it names it, where they are archived
	Text   string `json:"text"`             // without the header, the handle and the lists of the ledger
	// Sections are the parts of text under its headings. Lines before the first heading are a section whose heading is "".
	Sections []DigestSection `json:"sections"`
	Ledger   *Ledger         `json:"ledger,omitempty"` // the lists that code has added
}

// DigestSection is what stands under one heading of a digest.
type DigestSection struct {
	Heading string   `json:"heading"` // without its marks
	Level   int      `json:"level"`   // 1 to 6; 0 where there is no heading
	Lines   []string `json:"lines"`   // without empty ones
}

// SessionInfo is the answer of the operations session_open and session_append: how the session stands.
//
//easyjson:json
type SessionInfo struct {
	Session  int    `json:"session"`             // its number, for requests
	Messages int    `json:"messages"`            // how many it has
	Tokens   int    `json:"tokens"`              // of them and of what is sent beside them
	Format   Format `json:"format" is:"Format|"` // "" as long as neither the policy nor messages tell it
}

// ClosedSession is the answer of the operation session_close.
//
//easyjson:json
type ClosedSession struct {
	Closed int `json:"closed"` // the number of the session
}

// FunctionResult is the answer of the operation function.
//
//easyjson:json
type FunctionResult struct {
	Result Raw `json:"result"` // as docs/reference/functions.md says for each function
}

// Verdict is the answer of the operation classify_error.
//
//easyjson:json
type Verdict struct {
	Class    FailureClass `json:"class"`
	Overflow bool         `json:"overflow"` // a compaction and one retry may mend it
	Silent   bool         `json:"silent"`   // no error told of it
	Provider string       `json:"provider,omitempty"`
	Message  string       `json:"message"`
	Used     int          `json:"used_tokens,omitempty"`
	Limit    int          `json:"limit_tokens,omitempty"`
}

// LimitedOutput is the answer of the operation limit_tool_output.
//
//easyjson:json
type LimitedOutput struct {
	Changed   bool   `json:"changed"`
	Text      string `json:"text"`
	KeepMedia bool   `json:"keep_media"` // what stands beside the text stays
	Spilled   bool   `json:"spilled"`    // the text is a notice: the host keeps the whole output under its handle
	Handle    string `json:"handle,omitempty"`
}

// SummaryRequest asks the host's model for a summary.
type SummaryRequest struct {
	ID              string `json:"id"` // to be given back with the summary
	Scope           Scope  `json:"scope"`
	System          string `json:"system"`            // the system prompt for the model
	Prompt          string `json:"prompt"`            // the user message for the model; the record of the session is fenced in it
	MaxOutputTokens int    `json:"max_output_tokens"` // the most tokens that the summary may have
	InputTokens     int    `json:"input_tokens"`      // estimate of `system` and `prompt`; never over `summary.max_input_tokens`
	// Temperature is what the model is to be asked with; absent, the host decides.
	Temperature float64 `json:"temperature,omitempty"`
	// Thinking is how much the model is to think. Absent, the host decides.
	Thinking ThinkingEffort `json:"thinking,omitempty"`
	// Provider is how the provider of the conversation is asked to compact it by itself, with `summary.provider`. What it makes is the
	// reply's `messages`. System and Prompt are for the model, where it fails.
	Provider *ProviderRequest `json:"provider,omitempty"`
	// Conversation is there where the request stands behind the conversation: the host sends what it sent last with the edits and the body's
	// changes, and System and Prompt are in that already.
	Conversation *RequestConversation `json:"conversation,omitempty"`
	// Lead is what a host that shows the summary as it comes shows before it; only where two are joined.
	Lead string `json:"lead,omitempty"`
}

// ProviderRequest is a call of a provider's own compaction. The host adds `model`, and `max_tokens` where the API wants it: the model should be
// that of the conversation.
type ProviderRequest struct {
	Format Format `json:"format"`         // whose API it is: anthropic or openai-responses
	Path   string `json:"path"`           // POST, behind the address of the API: /v1/messages or /v1/responses/compact
	Beta   string `json:"beta,omitempty"` // the value of the header anthropic-beta
	Body   Raw    `json:"body" is:"object"`
}

// RequestConversation is a request for a summary that stands behind the conversation: its beginning is what the provider was sent last, so
// that it is read from the prompt cache.
type RequestConversation struct {
	Edits Raw `json:"edits" is:"Edits"` // what makes its messages of those that were given, with the instruction as the last
	// Body is what differs in the request body beside its messages, as a JSON Merge Patch (RFC 7396): the limit of the answer, no calls of
	// tools, no stream. A host that streams the answer sets that itself.
	Body Raw `json:"body" is:"object"`
	// Sent is the whole of it, in the shape that was given: a request body, or a list. Hosts set it.
	Sent Raw `json:"-"`
}

// Edit is one run of the messages of a result, in output order. It has either Keep, or Insert, or Set and Message. Indexes count in the
// list that came in.
type Edit struct {
	Keep    []int `json:"keep,omitempty"`    // [from, to]: the messages from the first index up to, not with, the second
	Insert  Raw   `json:"insert,omitempty"`  // a message that was not there
	Set     *int  `json:"set,omitempty"`     // index of a message that was changed
	Message Raw   `json:"message,omitempty"` // that message as it is now
}

// Edits are what makes a result of the messages that came in.
//
//easyjson:json
type Edits []Edit

// Converted is the answer of the operation convert.
//
//easyjson:json
type Converted struct {
	From Format `json:"from"` // the format that came in
	To   Format `json:"to"`
	// Valid tells that nothing is left that the provider of the new format would refuse.
	Valid bool `json:"valid"`
	// Lost lists what is not carried over as it was, in the order of the messages.
	Lost []Loss `json:"lost"`
	// Report says what a repair had to mend in the result: its messages are those of the result.
	Report Report `json:"report"`
	// System is the system prompt of a list of messages, where the new format has it beside the list: the value of the request's member
	// for it, in the shape of the format.
	System Raw `json:"system,omitempty" is:"any"`
	// Messages are written behind all other members: a list for a list, a request body for a request body. Where both formats are one,
	// they are the bytes that came in.
	Messages Raw `json:"messages,omitempty" is:"-"`
	// Raw is the whole answer as it came, for what this version has no field for. Hosts set it.
	Raw Raw `json:"-"`
}

// Loss is a thing that is not carried over into another wire format, or is but in part.
type Loss struct {
	Message int         `json:"message"` // index in the input's list; -1 for what stands beside it
	Path    string      `json:"path"`    // where its message or part stands
	Kind    LossKind    `json:"kind"`
	Reason  LossReason  `json:"reason"`
	Instead LossInstead `json:"instead"`
	// Detail names it: the key of a member, a type, a tool, the new id or name of one that was changed.
	Detail string `json:"detail,omitempty"`
	// Count is how many messages, or how many parts, have metadata of one name; the entry has the place of the first. Not there where it
	// is one.
	Count int `json:"count,omitempty"`
}

// Package operations is the table of operations: their names, what their requests may hold, and who reads it. core goes by it, package
// ctxfold names operations and members by it, and the exports of the module, the key table of docs/reference/abi.md and the types of requests in
// docs/api.schema.json and JavaScript are generated from it (internal/apigen).
package operations

// Op is an operation: an index of Operations.
type Op int

// The operations, in the order in which info lists them.
const (
	OpInfo Op = iota
	OpDetect
	OpEstimate
	OpCheck
	OpPlan
	OpStep
	OpFit
	OpPrints
	OpValidate
	OpRepair
	OpConvert
	OpRestore
	OpDigests
	OpRecall
	OpSearch
	OpOpen
	OpSave
	OpSessionOpen
	OpSessionAppend
	OpSessionClose
	OpClassifyError
	OpLimitToolOutput
	OpFunction
)

// String is the name of the operation.
func (o Op) String() string { return Operations[o].Name }

// Operation is a row of the table of operations.
type Operation struct {
	Name    string
	Doc     string  // what it does, in one line
	Members Members // what its request may have
	Needs   Members // what of it a request always has
	Answer  string  // the type of its answer, of package api; "A or B" where it is one of two
	// Typed is a member that is of another type here than MemberTable says.
	Typed MemberType
	Reads Reads // who reads its request
	// Edits tells that it changes the records of the transcript: in a session it works on a copy of them.
	Edits bool
	// Grows tells that the messages are for the session, beside which other requests have none.
	Grows bool
	// Full tells that it is in the full build only.
	Full bool
}

// MemberType is a type of a member, as MemberTable writes them.
type MemberType struct {
	Member Member
	Type   string
}

// Reads says who reads the members of a request.
type Reads uint8

// Who reads a request.
const (
	ReadsAll     Reads = iota // all members are read before the operation runs, the transcript among them
	ReadsPlan                 // its plan says how the transcript is read
	ReadsMemory               // what is remembered says how the transcript is read
	ReadsMembers              // the members are found; the operation reads the transcript itself
	ReadsNothing              // the operation reads its request itself
)

// Member is a member of requests: an index of MemberTable.
type Member uint8

// The members of requests, in the order in which errors list them.
const (
	InPolicy Member = iota
	InOptions
	InState
	InPlan
	InSummaries
	InText
	InMessages
	InName
	InArguments
	InBodies
	InBody
	InSession
	InMemory
	InFile
	InTokens
	InTime
	InFound
	InQuery
	InLimit
	InRoles
	InAfter
	InBefore
	InTo
	AllMembers int = iota
)

// Members is a set of members.
type Members uint32

// Of is the set of some members.
func Of(members ...Member) (set Members) {
	for _, m := range members {
		set |= 1 << m
	}
	return set
}

// Has tells whether a member is in the set.
func (s Members) Has(m Member) bool { return s>>m&1 == 1 }

// Names are the names of the members of the set.
func (s Members) Names() (names []string) {
	for m := range Member(AllMembers) {
		if s.Has(m) {
			names = append(names, MemberTable[m].Name)
		}
	}
	return names
}

// MemberRow says what a member of requests is.
type MemberRow struct {
	Name string
	Type string // of its value: of package api, of policies (Policy) or of JSON (string, integer, any), with [] before it a list
	Doc  string // in the Markdown of docs/reference/abi.md
}

// MemberTable has a row for each member.
var MemberTable = [AllMembers]MemberRow{
	InPolicy:    {"policy", "Policy", "what to do; see [Policy](policy.md). Put it **before** `messages`: then the transcript is read in one pass"},
	InOptions:   {"options", "Options", "what this one call wants, and what the host knows; see below. Put them before `messages` too"},
	InState:     {"state", "State", "what the last compaction of this conversation returned; leave it out the first time"},
	InPlan:      {"plan", "Plan", "the plan to go on with; the policy, the options and the state are in it"},
	InSummaries: {"summaries", "Summaries", "answers to the plan's requests: `[{\"id\",\"text\",\"finish_reason\"?,\"error\"?}]`, or `messages` for one with `provider`"},
	InText:      {"text", "string", "a text to work on, instead of `messages`"},
	InMessages:  {"messages", "any", "the transcript: an array of messages, a whole request body that holds one, or all that `open` has answered"},
	InName:      {"name", "FunctionName", "which function"},
	InArguments: {"arguments", "any", "arguments: an object; of `recall` also its text"},
	InBodies:    {"bodies", "Bodies", "what the host has kept: `[{\"handle\",\"body\"}]`; of `search` the handle may be missing, and the body may be any value"},
	InBody:      {"body", "any", "what the host has kept under the handle, or null"},
	InSession:   {"session", "integer", "the number of an open session, in the stead of `messages`"},
	InMemory:    {"memory", "[]MemoryEntry", "what earlier answers of `fit` had as `memory`: a list, in any order"},
	InFile:      {"file", "string", "a session file, as a text"},
	InTokens:    {"tokens", "integer", "how many tokens there were before the compaction"},
	InTime:      {"time", "string", "when the compaction was made, like `2026-03-01T10:00:00.000Z`"},
	InFound:     {"found", "Found", "what `search` has answered"},
	InQuery:     {"query", "string", "what to look for: a question, or words"},
	InLimit:     {"limit", "integer", "how many messages there may be, 1 to 100; 10 without it"},
	InRoles:     {"roles", "[]Role", "whose messages may be found; all without it"},
	InAfter:     {"after", "string", "the first day of messages that may be found: `2025-03-14`, `2025-03` or `2025`"},
	InBefore:    {"before", "string", "the last day of messages that may be found"},
	InTo:        {"to", "Format", "the wire format to write the messages in"},
}

// MemberNamed finds a member by its name.
func MemberNamed(name string) (Member, bool) {
	for m := range MemberTable {
		if MemberTable[m].Name == name {
			return Member(m), true
		}
	}
	return 0, false
}

// Sets of members that several operations have. What takes messages takes a session in their stead.
var (
	asked  = Of(InPolicy, InOptions, InState, InMessages)
	either = asked | Of(InSession)
)

// Operations is the table of operations.
var Operations = [...]Operation{
	OpInfo:     {Name: "info", Doc: "says what this module can do", Answer: "Info", Reads: ReadsNothing},
	OpDetect:   {Name: "detect", Doc: "finds the wire formats that a transcript may be in", Answer: "Detection", Members: Of(InPolicy, InMessages, InSession), Reads: ReadsMembers},
	OpEstimate: {Name: "estimate", Doc: "estimates the tokens of a transcript or a text", Answer: "Estimate", Members: either | Of(InText)},
	OpCheck:    {Name: "check", Doc: "tells whether compaction is due", Answer: "Check", Members: either},
	OpPlan:     {Name: "plan", Doc: "compacts, or asks for the summaries that this takes", Answer: "Planned", Members: either, Edits: true},
	OpStep:     {Name: "step", Doc: "goes on with a plan", Answer: "Planned", Members: Of(InPlan, InSummaries, InMemory, InMessages, InSession), Reads: ReadsPlan, Edits: true, Needs: Of(InPlan)},
	OpFit: {Name: "fit", Doc: "gives what to send for a whole history, compacted where that is due", Answer: "Planned",
		Members: Of(InPolicy, InOptions, InMemory, InMessages), Reads: ReadsMemory, Edits: true},
	OpPrints:   {Name: "prints", Doc: "gives the prints of the beginnings of a history", Answer: "Prints", Members: Of(InPolicy, InOptions, InMessages), Reads: ReadsMembers},
	OpValidate: {Name: "validate", Doc: "lists what the provider would refuse", Answer: "Validation", Members: either, Edits: true},
	OpRepair:   {Name: "repair", Doc: "mends what validate lists", Answer: "Repaired", Members: either, Edits: true},
	OpConvert: {Name: "convert", Doc: "writes a transcript in another wire format, and lists what that loses", Answer: "Converted",
		Members: Of(InPolicy, InOptions, InTo, InMessages, InSession), Needs: Of(InTo)},
	OpRestore: {Name: "restore", Doc: "puts bodies back that were taken out and archived", Answer: "Restored or NamedHandles", Members: either | Of(InBodies), Edits: true},
	OpDigests: {Name: "digests", Doc: "lists the messages that compactions have written, and what is in them", Answer: "Digests", Members: either},
	OpRecall: {Name: "recall", Doc: "defines and answers the tool with which a model asks for what was taken out", Answer: "Recalled",
		Members: Of(InPolicy, InOptions, InArguments, InBody, InFound)},
	OpSearch: {Name: "search", Doc: "finds messages in bodies by what they say", Answer: "Found",
		Members: Of(InQuery, InLimit, InRoles, InAfter, InBefore, InBodies), Reads: ReadsNothing, Needs: Of(InQuery, InBodies), Typed: MemberType{InBodies, "[]Searchable"}},
	OpOpen:            {Name: "open", Doc: "takes the live conversation out of the session file of a coding agent", Answer: "Opened", Reads: ReadsNothing},
	OpSave:            {Name: "save", Doc: "writes messages into the session file that they were opened from", Answer: "Saved", Members: Of(InFile, InMessages, InTokens, InTime), Reads: ReadsMembers, Needs: Of(InFile, InMessages)},
	OpSessionOpen:     {Name: "session_open", Doc: "opens a session: a transcript that stays in the instance", Answer: "SessionInfo", Members: asked},
	OpSessionAppend:   {Name: "session_append", Doc: "puts messages behind those of a session", Answer: "SessionInfo", Members: Of(InSession, InMessages), Reads: ReadsMembers, Grows: true, Needs: Of(InSession)},
	OpSessionClose:    {Name: "session_close", Doc: "gives the memory of a session back", Answer: "ClosedSession", Members: Of(InSession), Reads: ReadsMembers, Needs: Of(InSession)},
	OpClassifyError:   {Name: "classify_error", Doc: "says why a call of a model failed, and whether a compaction may mend it", Answer: "Verdict", Members: Of(InArguments), Reads: ReadsMembers, Needs: Of(InArguments), Typed: MemberType{InArguments, "Failure"}},
	OpLimitToolOutput: {Name: "limit_tool_output", Doc: "shortens a tool's output before it becomes a part of the transcript", Answer: "LimitedOutput", Members: Of(InText, InArguments), Reads: ReadsMembers, Needs: Of(InText), Typed: MemberType{InArguments, "LimitArguments"}},
	OpFunction: {Name: "function", Doc: "runs one step of a compaction by itself", Answer: "FunctionResult",
		Members: either | Of(InText, InName, InArguments), Reads: ReadsMembers, Edits: true, Full: true, Needs: Of(InName)},
}

// Package operations is the table of operations: their names, the members of their requests, and how these are read.
// core dispatches requests by this table, and package ctxfold takes names from it. internal/apigen generates from it
// the exports of the module, the key table of docs/reference/abi.md, and the types of requests in
// docs/api.schema.json and JavaScript.
package operations

// Op is an operation, as an index of Operations.
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
	OpLoopStart
	OpLoopEvent
	OpFunction
)

// String returns the name of the operation.
func (o Op) String() string { return Operations[o].Name }

// Operation is a row of the table of operations.
type Operation struct {
	Name    string
	Doc     string  // what it does, in one line, as a verb phrase
	Members Members // the members that its request may have
	Needs   Members // the required members
	// Transcript means that the request must have messages or the session that they are in.
	Transcript bool
	Answer     string // the type of its answer in package api; "A or B" if it is one of two
	// Typed is a member whose type in this operation differs from the one in MemberTable.
	Typed MemberType
	Reads Reads // how its request is read
	// Edits means that the operation changes the records of the transcript, so that it needs a copy of a session's
	// records.
	Edits bool
	// Passes means that the operation runs other operations, which read the messages.
	Passes bool
	// Grows means that the messages in the request are appended to the session. Other requests with a session have no
	// messages.
	Grows bool
	// Full means that only the full build has the operation.
	Full bool
}

// MemberType is the type of a member, in the notation of MemberTable.
type MemberType struct {
	Member Member
	Type   string
}

// Reads is the way in which the members of a request are read.
type Reads uint8

// The ways to read a request.
const (
	ReadsAll     Reads = iota // all members are read before the operation runs, including the transcript
	ReadsPlan                 // the plan determines how the transcript is read
	ReadsMemory               // the memory determines how the transcript is read
	ReadsMembers              // members are located only; the operation reads the transcript itself
	ReadsNothing              // the operation reads its request itself
)

// Member is a member of requests, as an index of MemberTable.
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
	InSettings
	InJob
	InEvent
	AllMembers int = iota
)

// Members is a set of members.
type Members uint32

// Of returns the set that consists of the given members.
func Of(members ...Member) (set Members) {
	for _, m := range members {
		set |= 1 << m
	}
	return set
}

// Has reports whether the set contains a member.
func (s Members) Has(m Member) bool { return s>>m&1 == 1 }

// Names returns the names of the members in the set.
func (s Members) Names() (names []string) {
	for m := range Member(AllMembers) {
		if s.Has(m) {
			names = append(names, MemberTable[m].Name)
		}
	}
	return names
}

// MemberRow is the row of MemberTable for one member of requests.
type MemberRow struct {
	Name string
	Type string // a type of package api, Policy, or a JSON type (string, integer, any); [] before it means a list
	Doc  string // Markdown, relative to docs/reference/abi.md
}

// MemberTable describes the members of requests.
var MemberTable = [AllMembers]MemberRow{
	InPolicy:    {"policy", "Policy", "what to do; see [Policy](policy.md). Put it **before** `messages`: then the transcript is read in one pass"},
	InOptions:   {"options", "Options", "the options of this call; see below. Put them before `messages` too"},
	InState:     {"state", "State", "the state that the last compaction of this conversation returned; absent the first time"},
	InPlan:      {"plan", "Plan", "the plan to continue; it contains the policy, the options and the state"},
	InSummaries: {"summaries", "Summaries", "answers to the requests of the plan: `[{\"id\",\"text\",\"finish_reason\"?,\"error\"?}]`, or `messages` for a request with `provider`"},
	InText:      {"text", "string", "a text, instead of `messages`"},
	InMessages:  {"messages", "any", "the transcript: an array of messages, a request body that contains one, or the whole answer of `open`"},
	InName:      {"name", "FunctionName", "the name of the function"},
	InArguments: {"arguments", "any", "an object of arguments; for `recall` also its text"},
	InBodies:    {"bodies", "Bodies", "archived content: `[{\"handle\",\"body\"}]`; for `search` the handle is optional, and the body can be any value"},
	InBody:      {"body", "any", "the archived content of the handle, or null"},
	InSession:   {"session", "integer", "the number of an open session, instead of `messages`"},
	InMemory:    {"memory", "[]MemoryEntry", "the `memory` entries of earlier answers of `fit`: a list, in any order"},
	InFile:      {"file", "string", "the text of a session file"},
	InTokens:    {"tokens", "integer", "tokens before the compaction"},
	InTime:      {"time", "string", "time of the compaction, like `2026-03-01T10:00:00.000Z`"},
	InFound:     {"found", "Found", "the answer of `search`"},
	InQuery:     {"query", "string", "a question or words to search for"},
	InLimit:     {"limit", "integer", "maximum number of results, 1 to 100; default 10"},
	InRoles:     {"roles", "[]Role", "roles of the messages to search; default all"},
	InAfter:     {"after", "string", "first day of the messages to search: `2025-03-14`, `2025-03` or `2025`"},
	InBefore:    {"before", "string", "last day of the messages to search"},
	InTo:        {"to", "Format", "the target wire format"},
	InSettings:  {"settings", "JobSettings", "what the job is for, what the host can do, and how long things may take"},
	InJob:       {"job", "any", "the job as the last answer had it"},
	InEvent:     {"event", "JobEvent", "what happened since: results of effects, or only the time"},
}

// MemberNamed returns the member with the given name; it returns false if there is none.
func MemberNamed(name string) (Member, bool) {
	for m := range MemberTable {
		if MemberTable[m].Name == name {
			return Member(m), true
		}
	}
	return 0, false
}

// These are sets of members that several operations have in common. Most operations that take messages also accept a
// session.
var (
	asked  = Of(InPolicy, InOptions, InState, InMessages)
	either = asked | Of(InSession)
)

// Operations is the table of operations.
var Operations = [...]Operation{
	OpInfo:     {Name: "info", Doc: "returns the features of this module", Answer: "Info", Reads: ReadsNothing},
	OpDetect:   {Name: "detect", Doc: "finds the wire formats that a transcript may be in", Answer: "Detection", Transcript: true, Members: Of(InPolicy, InMessages, InSession), Reads: ReadsMembers},
	OpEstimate: {Name: "estimate", Doc: "estimates the tokens of a transcript or a text", Answer: "Estimate", Members: either | Of(InText)},
	OpCheck:    {Name: "check", Doc: "reports whether compaction is due", Answer: "Check", Transcript: true, Members: either},
	OpPlan:     {Name: "plan", Doc: "compacts a transcript, or returns requests for the summaries that this needs", Answer: "Planned", Transcript: true, Members: either, Edits: true},
	OpStep:     {Name: "step", Doc: "continues a plan with summaries", Answer: "Planned", Transcript: true, Members: Of(InPlan, InSummaries, InMemory, InMessages, InSession), Reads: ReadsPlan, Edits: true, Needs: Of(InPlan)},
	OpFit: {Name: "fit", Doc: "returns what to send for a whole history, compacted if that is due", Answer: "Planned",
		Transcript: true, Members: Of(InPolicy, InOptions, InMemory, InMessages), Reads: ReadsMemory, Edits: true},
	OpPrints:   {Name: "prints", Doc: "returns the fingerprints of the prefixes of a history", Answer: "Prints", Transcript: true, Members: Of(InPolicy, InOptions, InMessages), Reads: ReadsMembers},
	OpValidate: {Name: "validate", Doc: "lists what the provider would refuse", Answer: "Validation", Transcript: true, Members: either, Edits: true},
	OpRepair:   {Name: "repair", Doc: "repairs what validate lists", Answer: "Repaired", Transcript: true, Members: either, Edits: true},
	OpConvert: {Name: "convert", Doc: "writes a transcript in another wire format, and lists what that loses", Answer: "Converted",
		Transcript: true, Members: Of(InPolicy, InOptions, InTo, InMessages, InSession), Needs: Of(InTo)},
	OpRestore: {Name: "restore", Doc: "puts archived content back", Answer: "Restored or NamedHandles", Members: either | Of(InBodies), Edits: true},
	OpDigests: {Name: "digests", Doc: "lists the messages that compactions wrote, with their contents", Answer: "Digests", Transcript: true, Members: either},
	OpRecall: {Name: "recall", Doc: "defines and answers the tool with which a model reads removed content", Answer: "Recalled",
		Members: Of(InPolicy, InOptions, InArguments, InBody, InFound)},
	OpSearch: {Name: "search", Doc: "searches archived messages", Answer: "Found",
		Members: Of(InQuery, InLimit, InRoles, InAfter, InBefore, InBodies), Reads: ReadsNothing, Needs: Of(InQuery, InBodies), Typed: MemberType{InBodies, "[]Searchable"}},
	OpOpen:            {Name: "open", Doc: "extracts the live conversation from the session file of a coding agent", Answer: "Opened", Reads: ReadsNothing},
	OpSave:            {Name: "save", Doc: "writes messages into the session file that they were opened from", Answer: "Saved", Members: Of(InFile, InMessages, InTokens, InTime), Reads: ReadsMembers, Needs: Of(InFile, InMessages)},
	OpSessionOpen:     {Name: "session_open", Doc: "opens a session: a transcript that stays in the instance", Answer: "SessionInfo", Members: asked},
	OpSessionAppend:   {Name: "session_append", Doc: "appends messages to a session", Answer: "SessionInfo", Members: Of(InSession, InMessages), Reads: ReadsMembers, Grows: true, Needs: Of(InSession)},
	OpSessionClose:    {Name: "session_close", Doc: "frees the memory of a session", Answer: "ClosedSession", Members: Of(InSession), Reads: ReadsMembers, Needs: Of(InSession)},
	OpClassifyError:   {Name: "classify_error", Doc: "classifies why a model call failed, and whether a compaction may help", Answer: "Verdict", Members: Of(InArguments), Reads: ReadsMembers, Needs: Of(InArguments), Typed: MemberType{InArguments, "Failure"}},
	OpLimitToolOutput: {Name: "limit_tool_output", Doc: "shortens a tool's output before it becomes part of the transcript", Answer: "LimitedOutput", Members: Of(InText, InArguments), Reads: ReadsMembers, Needs: Of(InText), Typed: MemberType{InArguments, "LimitArguments"}},
	OpLoopStart: {Name: "loop_start", Doc: "starts a job: a compaction with everything that a host does around it, as effects for the host to execute", Answer: "JobProgress",
		Transcript: true, Members: either | Of(InSettings), Reads: ReadsMembers, Passes: true, Needs: Of(InSettings)},
	OpLoopEvent: {Name: "loop_event", Doc: "continues a job with what came of its effects", Answer: "JobProgress",
		Members: Of(InJob, InEvent, InMessages, InSession), Reads: ReadsMembers, Passes: true, Needs: Of(InJob, InEvent)},
	OpFunction: {Name: "function", Doc: "runs a single step of a compaction", Answer: "FunctionResult",
		Members: either | Of(InText, InName, InArguments), Reads: ReadsMembers, Edits: true, Full: true, Needs: Of(InName)},
}

package wire

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Answers says where the results of a message's tool calls must be.
type Answers uint8

const (
	// NextMessages: in the messages directly after it, with nothing in between (OpenAI Chat).
	NextMessages Answers = iota
	// NextRun: in the next run of messages of one role, which count as one message (Anthropic).
	NextRun
	// OneMessage: all together in the next message (Gemini).
	OneMessage
	// BeforeUser: before the next user or system message (AI SDK).
	BeforeUser
	// Anywhere: anywhere after the call (OpenAI Responses).
	Anywhere
	// NewestOpen: anywhere after the call; only the newest message may have calls without results (ADK).
	NewestOpen
)

// Rules holds a format's parameters for the general checks. A string is the id of a rule; "" means that the format has
// no such rule.
type Rules struct {
	Unanswered string // a tool call needs a result
	Orphan     string // a tool result needs a call, in the right place
	Duplicate  string // ids are unique
	Empty      string // a message isn't empty
	BlankText  string // text is more than white space
	// BlankResult: a tool result must contain more than white space.
	BlankResult string
	First       string // after any system messages, the first message is a user message
	Alternate   string // roles alternate
	Role        string // a role must be one that the format knows
	Follow      string // an assistant message follows tool results; system messages follow user messages or each other
	Bound       string // signed reasoning is bound to what precedes it
	Server      string // a tool call that the provider runs itself has its result, in the same message or later

	Answers    Answers         // where tool results must be
	ResultRole transcript.Role // role of messages that hold tool results, for repairs that write one
	// A result must have the name of its call's tool, and may be paired by the name alone (G4).
	Named bool
	// Parallel calls may be spread over several messages, so the calls of several last messages may be open.
	Apart   bool
	Ordered bool // a result without id and name answers the oldest open call in the newest message
	// Through: system messages, and user messages that the model doesn't see, may come between a tool call and its
	// result; messages that aren't sent may be empty.
	Through bool
}

// refusedThinking is the rule of formats whose provider rejects signed thinking if the messages before it have changed.
// Other providers drop such thinking and don't require it.
const refusedThinking = "AN9"

// RefusesThinking reports whether the provider refuses signed thinking if the messages before it have changed.
func (r *Rules) RefusesThinking() bool { return r.Bound == refusedThinking }

// Fix says how repair fixes a violation. The constants are the repairs.
type Fix uint8

// The fixes. None is for violations that only the caller can fix.
const (
	None Fix = iota
	AddResult
	DropPart
	DropMessage
	RenameID
	AddUser
	MoveResult
	AddTurn
	WrapBody
	Sign
	DropCaller
	Replace
	AddReasoning
	FillBody
)

var fixNames = [...]api.Repair{api.RepairNone, api.RepairAddResult, api.RepairDropPart, api.RepairDropMessage,
	api.RepairRenameID, api.RepairAddUser,
	api.RepairMoveResult, api.RepairAddTurn, api.RepairWrapBody, api.RepairSign, api.RepairDropCaller,
	api.RepairReplace, api.RepairAddReasoning,
	api.RepairFillBody}

// Word returns the name of the fix in results.
func (f Fix) Word() api.Repair { return fixNames[f] }

// Violation is a place where a transcript breaks a rule.
type Violation struct {
	Rule    string // as in the table of rules
	Message int32  // index in the transcript's messages
	Part    int32  // index in its parts, or -1
	Text    string // for people
	Fix     Fix    // how a repair fixes it
	Case    Case   // the special case that it is, or General
	Severity
}

// Checker checks a sequence of messages: those of a transcript, or those that a pass has left.
type Checker struct {
	T          *transcript.Transcript // the transcript to which the messages belong
	F          *Format                // its format
	Seq        []int32                // indexes into T.Messages
	Violations []Violation            // those that were found
	closed     bool                   // whether open calls at the end are violations
	place      []int32                // for each message of T: its position in Seq, or -1
	run        []int32                // for each position: the number of its run, which consists of consecutive messages of one role
	lastInput  []int32                // for each position: the last position before it with a user or system message, or -1
	// For each position: the last position before it with a message that holds more than tool results, or -1.
	owner []int32
	// For each position: the last position before it with a system message, or with a user message that holds more than
	// tool results; or -1.
	lastSpoken []int32
}

// Check returns the violations in a sequence of messages of t, in order. Tool calls at the end that have no results
// yet are valid, because the host is about to answer them, unless closed is set.
func (f *Format) Check(t *transcript.Transcript, seq []int32, closed bool) []Violation {
	c := &Checker{T: t, F: f, Seq: seq, closed: closed}
	c.indexPositions()
	c.checkContents()
	c.checkPairs()
	c.checkIDs()
	c.checkOrder()
	if f.Extra != nil {
		f.Extra(c)
	}
	sorting.Stable(c.Violations, func(a, b Violation) int { return int(c.place[a.Message] - c.place[b.Message]) })
	return c.Violations
}

// indexPositions computes what the checks need to know about the positions in the sequence.
func (c *Checker) indexPositions() {
	n := len(c.Seq)
	c.place, c.run = make([]int32, len(c.T.Messages)), make([]int32, n)
	c.lastInput, c.owner, c.lastSpoken = make([]int32, n+1), make([]int32, n+1), make([]int32, n+1)
	for i := range c.place {
		c.place[i] = -1
	}
	c.owner[0], c.lastInput[0], c.lastSpoken[0] = -1, -1, -1
	last, run := transcript.System, int32(0)
	for i, m := range c.Seq {
		role := c.T.Messages[m].Role
		c.place[m] = int32(i)
		c.owner[i+1], c.lastInput[i+1], c.lastSpoken[i+1] = c.owner[i], c.lastInput[i], c.lastSpoken[i]
		if !c.hasOnlyResults(m) && !c.mayComeBetween(m) {
			c.owner[i+1] = int32(i)
		}
		if role == transcript.User || role == transcript.System {
			if c.lastInput[i+1] = int32(i); c.owner[i+1] == int32(i) {
				c.lastSpoken[i+1] = int32(i)
			}
		}
		if i > 0 && role != last {
			run++
		}
		last, c.run[i] = role, run
	}
}

// LoneText is the text of violations of rule I8.
const LoneText = "lone surrogate: half of a surrogate pair"

// Add records a violation of a rule, if the format has that rule. message and part are indexes into
// T.Messages and T.Parts; part may be -1. text describes the violation.
//
//go:noinline
func (c *Checker) Add(rule string, message, part int32, fix Fix, text string) {
	c.AddCase(rule, General, message, part, fix, text)
}

// AddCase is like Add, but for a special case of a violation, which the provider may tolerate. special is the case. An
// empty rule adds nothing, because the format doesn't have the rule.
//
//go:noinline
func (c *Checker) AddCase(rule string, special Case, message, part int32, fix Fix, text string) {
	if fix == DropPart && c.T.Parts[part].List == transcript.NoList {
		fix = DropMessage // the part is the whole message
	}
	if rule != "" {
		c.Violations = append(c.Violations, Violation{rule, message, part, text, fix, special, c.F.severity(rule, special)})
	}
}

// parts yields the parts of the sequence that are neither removed nor inside a tool result, with their indexes in
// T.Parts.
func (c *Checker) parts(yield func(n int32, p *transcript.Part) bool) {
	for _, m := range c.Seq {
		for n, p := range c.T.OuterParts(&c.T.Messages[m]) {
			if !yield(n, p) {
				return
			}
		}
	}
}

// checkContents checks that all roles are known, and that no message is empty or contains a lone surrogate.
func (c *Checker) checkContents() {
	for _, m := range c.Seq {
		msg := &c.T.Messages[m]
		if msg.Role == transcript.Other {
			c.Add(c.F.Rules.Role, m, -1, None, "the format does not know this role")
		}
		if msg.Lone {
			c.Add("I8", m, -1, Replace, LoneText)
		}
		filled, empty := c.checkFilled(msg)
		if !filled && msg.Variant == transcript.Plain && !(c.F.Rules.Through && msg.Unsent) {
			fix, says := DropMessage, "the message is empty"
			if c.F.missesMessage(c.T, m) { // dropping the message would lose the text
				fix, says = None, "the format reads no content of this message, which has text elsewhere"
			}
			c.AddCase(c.F.Rules.Empty, empty, m, -1, fix, says)
		}
	}
}

// checkFilled checks the texts of a message, and reports whether the message has content. If it has none, empty is the
// case of the violation.
func (c *Checker) checkFilled(msg *transcript.Message) (filled bool, empty Case) {
	empty = General
	for n := msg.First; n < msg.First+msg.Count; n++ {
		p := &c.T.Parts[n]
		if p.Has(transcript.Removed) {
			continue
		}
		fills, special := c.checkPart(n, p)
		filled = filled || fills && p.Parent < 0
		if special != General {
			empty = special
		}
	}
	return filled, empty
}

// checkPart checks that the part at index n of T.Parts isn't blank where blank texts are forbidden. content reports
// whether the part is content. If the part is a blank text, empty is the case of the violation for a message that
// contains nothing else.
func (c *Checker) checkPart(n int32, p *transcript.Part) (content bool, empty Case) {
	rules := &c.F.Rules
	if p.Kind != transcript.Text {
		if rules.BlankResult != "" && c.blankResult(n) {
			c.Add(rules.BlankResult, p.Msg, n, FillBody, "a tool result must not be empty")
		}
		return !besideContent(p), General
	}
	blank := p.Size.Bytes == 0 && !p.Has(transcript.Signed)
	if rules.BlankText != "" && !blank {
		blank = c.T.IsBlank(p.Body)
	}
	switch {
	case !blank:
		return true, General
	case p.Parent >= 0 && rules.BlankResult != "" && c.blankResult(p.Parent): // the result gets text
	case p.List == transcript.ContentList:
		c.AddCase(rules.BlankText, BlankText, p.Msg, n, DropPart, "a text must be more than white space")
		return false, BlankText
	case p.List == transcript.NoList:
		return false, EmptyString
	}
	return false, General
}

// besideContent reports whether a part only accompanies content: reasoning, an id or a cache breakpoint.
func besideContent(p *transcript.Part) bool {
	return p.List == transcript.Member && (p.Kind == transcript.Reasoning || p.Has(transcript.Stored)) ||
		p.Has(transcript.Mark)
}

// blankResult reports whether a part is a result of an application's tool that contains only white space.
func (c *Checker) blankResult(part int32) bool {
	p := &c.T.Parts[part]
	if p.Kind != transcript.ToolResult || p.Has(transcript.Edited|transcript.Server) || !c.T.IsArray(p.Body) {
		return false
	}
	for _, inner := range c.T.InnerParts(int(part)) {
		if !inner.Has(transcript.Removed) && (inner.Kind != transcript.Text || !c.T.IsBlank(inner.Body)) {
			return false
		}
	}
	return true
}

// checkPairs checks that every tool call has its result, that every result has its call, and that results are in the
// right place.
func (c *Checker) checkPairs() {
	for n, p := range c.parts {
		other := int32(-1)
		if p.Pair >= 0 && !c.T.Parts[p.Pair].Has(transcript.Removed) {
			other = c.place[c.T.Parts[p.Pair].Msg]
		}
		switch p.Kind {
		case transcript.ToolCall:
			c.checkCall(int(c.place[p.Msg]), n, other)
		case transcript.ToolResult:
			c.checkResult(int(c.place[p.Msg]), n, other)
		}
	}
}

// checkCall checks the tool call at index n of T.Parts. place is the position of its message, and result is the
// position of its result or -1.
func (c *Checker) checkCall(place int, n, result int32) {
	m, p := c.Seq[place], &c.T.Parts[n]
	switch role := c.T.Messages[m].Role; {
	case role != transcript.Assistant && role != transcript.Other:
		c.Add(c.F.Rules.Unanswered, m, n, DropPart, "only the assistant calls tools")
	case result >= 0 || c.mayBeOpen(place):
	case p.Has(transcript.Server):
		if c.closed || !c.mayComeLater(place, len(c.Seq)) {
			c.Add(c.F.Rules.Server, m, n, DropPart, "the provider's own tool call has no result")
		}
	case p.Has(transcript.ProviderOnly):
	default:
		fix := DropPart
		if c.isAnswerable(n) {
			fix = AddResult
		}
		c.Add(c.F.Rules.Unanswered, m, n, fix, "this tool call has no result")
	}
}

// isAnswerable reports whether a result can be written for the tool call at index n of T.Parts: the call must have been
// parsed and have an id or a name, and the format must be able to express a result.
func (c *Checker) isAnswerable(n int32) bool {
	p := &c.T.Parts[n]
	byName := (c.F.Rules.Named || p.List == transcript.Member) && !p.Name.IsZero()
	if p.ID.IsZero() && !byName || p.List == transcript.InvalidList {
		return false
	}
	return c.F.Results == nil || c.F.Results(nil, []Call{CallOf(c.T, n)}, "") != nil
}

// checkResult checks the tool result at index n of T.Parts. place is the position of its message, and call is the
// position of its call or -1.
func (c *Checker) checkResult(place int, n, call int32) {
	m, p := c.Seq[place], &c.T.Parts[n]
	switch {
	case p.Pair < 0 && p.Has(transcript.ProviderOnly): // its call is elsewhere
	case p.Pair < 0 && p.Has(transcript.Continues) && c.isPresent(p.Caller-1): // it continues the result before it
	case call < 0:
		c.Add(c.F.Rules.Orphan, m, n, DropPart, "this tool result answers no call")
	case p.Has(transcript.Server):
		if c.run[call] != c.run[place] && !c.mayComeLater(int(call), place) {
			c.Add(c.F.Rules.Server, m, n, DropPart, "another message is between this tool result and its call")
		}
	case !c.isAdjacent(call, int32(place)):
		special := General
		if c.run[place] == c.run[call]+1 {
			special = SplitTurn
		}
		c.AddCase(c.F.Rules.Orphan, special, m, n, MoveResult, "this tool result does not directly follow its call")
	}
}

// mayBeOpen reports whether the calls at a position may lack results. They may if only tool results follow or, if each
// call is a separate message, if they are in the assistant's last messages.
func (c *Checker) mayBeOpen(place int) bool {
	if c.F.Rules.Answers == Anywhere || c.F.Rules.Apart {
		last := c.owner[len(c.Seq)]
		return !c.closed && last >= 0 && c.run[place] == c.run[last]
	}
	return !c.closed && c.owner[len(c.Seq)] <= int32(place)
}

// mayComeLater reports whether the result of a call that the provider runs itself may still come, even after the last
// message. It may if nothing but tool results has followed the call (AN11).
func (c *Checker) mayComeLater(call, result int) bool {
	return call < result && int(c.lastSpoken[result]) < call
}

// hasOnlyResults reports whether a message contains only tool results and parts that belong to them.
func (c *Checker) hasOnlyResults(m int32) bool {
	if c.T.Messages[m].Role == transcript.Tool {
		return true
	}
	n := 0
	parts := c.T.PartsOf(int(m))
	for i := range parts {
		p := &parts[i]
		if p.Has(transcript.Removed|transcript.Mark) || p.Parent >= 0 {
			continue
		}
		if p.Kind != transcript.ToolResult {
			return false
		}
		n++
	}
	return n > 0
}

// mayComeBetween reports whether a message may be between a tool call and its result.
func (c *Checker) mayComeBetween(m int32) bool {
	msg := &c.T.Messages[m]
	return c.F.Rules.Through && (msg.Role == transcript.System || msg.Role == transcript.User && msg.Unsent)
}

// isAdjacent reports whether the message with the index result may contain the result of a call in the message with the
// index call, according to the Answers of the format's Rules.
func (c *Checker) isAdjacent(call, result int32) bool {
	switch c.F.Rules.Answers {
	case NextRun:
		return c.run[result] == c.run[call]+1
	case OneMessage:
		return result == call+1
	case BeforeUser:
		return call <= result && (call == result || c.lastInput[result] < call)
	case Anywhere, NewestOpen:
		return call < result
	}
	return call < result && c.owner[result] == call
}

// checkIDs checks that no two calls have the same id. Usually the hashes suffice to show that all ids differ; otherwise
// the calls are sorted by id, so that hostile ids cost no more than others.
func (c *Checker) checkIDs() {
	t := c.T
	var calls []int32
	var hashes []uint64
	for n, p := range c.parts {
		if p.Kind == transcript.ToolCall && !p.ID.IsZero() {
			calls = append(calls, n)
			hashes = append(hashes, t.HashID(p))
		}
	}
	slices.Sort(hashes) // sorted again for each check, which is fast
	if len(slices.Compact(hashes)) == len(calls) {
		return
	}
	byID := func(a, b int32) int {
		if d := t.CompareID(&t.Parts[a], &t.Parts[b]); d != 0 {
			return d
		}
		return int(c.place[t.Parts[a].Msg] - c.place[t.Parts[b].Msg])
	}
	sorting.Stable(calls, byID)
	for i := 1; i < len(calls); i++ {
		if last, p := &t.Parts[calls[i-1]], &t.Parts[calls[i]]; t.SameID(last, p) {
			c.checkDuplicate(calls[i], last, p)
		}
	}
}

// checkDuplicate adds a violation because call p, at index n of T.Parts, has the same id as the earlier call before.
func (c *Checker) checkDuplicate(n int32, before, p *transcript.Part) {
	special, fix := General, RenameID
	if c.run[c.place[before.Msg]] < c.run[c.place[p.Msg]] {
		special = ReusedID
	}
	if p.Has(transcript.Server) && p.Has(transcript.Signed) {
		fix = None // a new id would change text that the provider has signed
	}
	c.AddCase(c.F.Rules.Duplicate, special, p.Msg, n, fix, "another tool call before it has the same id")
}

// badID adds a violation for call p, at index n of T.Parts, whose id the provider doesn't accept. says is the text of
// the violation.
func (c *Checker) badID(rule string, n int32, p *transcript.Part, says string) {
	fix := RenameID
	if p.ID.IsZero() {
		fix = DropPart // nothing can answer it
	}
	c.Add(rule, p.Msg, n, fix, says)
}

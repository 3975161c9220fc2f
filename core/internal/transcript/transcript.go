// Package transcript represents a conversation as records over spans: messages, their parts, which tool result answers which tool call, and
// which messages belong together.
//
// A Transcript never copies what it describes. A record points to bytes of the source, or to text that a pass has written (the arena). Only
// package wire knows the JSON structure of those bytes.
package transcript

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Span and Measure are those of jsonspan.
type (
	Span    = jsonspan.Span
	Measure = jsonspan.Measure
)

// arenaBase is where the offsets of the arena begin; offsets of a source are smaller (jsonspan.MaxSize).
const arenaBase = jsonspan.MaxSize

// Role is who a message is from, whatever the wire format calls it.
type Role uint8

// The roles. Other is a role that the wire format does not know.
const (
	System Role = iota
	User
	Assistant
	Tool
	Other
)

var roleNames = [...]string{"system", "user", "assistant", "tool", "other"}

func (r Role) String() string { return roleNames[r] }

// Kind is what a part is.
type Kind uint8

// The kinds of parts. Opaque is a part whose type the wire format does not know, or one that only its provider reads.
const (
	Text Kind = iota
	Reasoning
	Image
	Audio
	File
	ToolCall
	ToolResult
	Opaque
)

var kindNames = [...]string{"text", "reasoning", "image", "audio", "file", "tool_call", "tool_result", "opaque"}

func (k Kind) String() string { return kindNames[k] }

// Flags say more about a part.
type Flags uint32

// The flags of parts.
const (
	IsError      Flags = 1 << iota // a tool result that reports a failure
	Signed                         // a part that its provider signed or encrypted: whole or absent
	Server                         // a tool call or result that the provider runs itself, paired inside one message
	JSONText                       // Body is a string that holds JSON (tool call arguments in OpenAI's formats)
	NotSent                        // never sent to the provider, so it costs nothing
	Removed                        // a pass took the part out of its message
	Edited                         // a pass replaced the body
	Cleared                        // the body is a marker that replaces a removed body, ours or found in the input
	ProviderOnly                   // it holds content that only its provider can read, so its message must stay
	Misshapen                      // a tool result whose Body doesn't have the shape that the wire format requires
	Bound                          // signed reasoning that its provider binds to the messages before it (AN9)
	Tied                           // reasoning that the provider has stored with the part after it: both stay or both are removed
	Legacy                         // spelled as in an older version of the format, or as its SDK does
	Step                           // a step of the assistant begins here: the message may be cut before this part
	Null                           // a tool call whose arguments are null
	Said                           // said by the user in the meantime, inside an assistant message (AM6)
	Required                       // reasoning that its message must have, if only as an empty text (OC9)
	Stored                         // the provider keeps the message under an id; a Member with it is that id, and no content
	Called                         // a tool call that a tool of the provider's made (AN11)
	Squeezed                       // a pass shortened the body, and its first line says so
	Mark                           // a cache breakpoint as a separate part: no content
	Continues                      // a tool result that more results of its call follow, or one of those
	Summary                        // the provider's own summary of everything before it, which is no longer sent to the model (AN12)
)

// Part is a piece of a message.
type Part struct {
	Kind   Kind
	List   int8 // which of the message's Lists holds the part; NoList or Member if none does
	Flags  Flags
	Msg    int32 // index of its message
	Parent int32 // index of the tool result that holds this part, or -1
	Pair   int32 // for a tool call its result and for a result its call, or -1
	Caller int32 // for a tool call made by a provider's tool: one more than the index of that tool's call; 0 for others
	Span   Span  // the whole part
	Body   Span  // the value of its text, arguments or result
	ID     Span  // the string that pairs call and result; zero if there is none
	Name   Span  // the string with the tool's name; zero if there is none
	Size   Measure
	NameSz Measure
	Data   uint32 // characters of base64 payload (image, file, audio)
	// Copy is one more than the index of another part of the message that has the same content and is removed with this one; 0 for none. The
	// part that counts is the first of such a chain. A copy shares the id of its tool call, and a copy with a Body gets the first one's
	// replacement.
	Copy int32
}

// Has reports whether the part has one of the flags.
func (p *Part) Has(f Flags) bool { return p.Flags&f != 0 }

// Media makes the part an image, audio or a file with this many characters of data, which are counted by kind instead
// of as text.
func (p *Part) Media(kind Kind, chars uint32) {
	p.Kind, p.Size, p.Data = kind, jsonspan.Measure{}, chars
}

// AnyHas reports whether one of some parts has one of the flags.
func AnyHas(parts []Part, f Flags) bool {
	for i := range parts {
		if parts[i].Has(f) {
			return true
		}
	}
	return false
}

// Lists of a message that hold parts.
const (
	ContentList = 0  // content, parts
	CallList    = 1  // invalid_tool_calls: calls that could not be read, which may have results nevertheless
	InvalidList = 2  // the calls as the provider's answer spelled them
	RawList     = 3  // the calls as they were streamed
	ChunkList   = 4  // the calls again, as they were streamed
	Lists       = 5  // the number of lists
	NoList      = -1 // the part is the whole content
	Member      = -2 // the part is a member of the message, key and value
	Inside      = -4 // the part is inside the preceding part that is in a list, and is removed with it
	Emptied     = -5 // the part is a string member of the message, which is set to an empty text if the part is removed
	Shared      = -3 // a tool result inside the part of its call: both have one span, and are removed together
)

// Variant says what a message is in wire formats whose messages have more than a role.
type Variant uint8

// The variants of messages.
const (
	Plain  Variant = iota
	Shell          // a command that the user ran, with its output
	Note           // an application's message of a type of its own
	Digest         // a digest of earlier messages
	Branch         // a digest of an abandoned branch
)

// Message is one element of the transcript's list.
type Message struct {
	Role     Role
	Span     Span    // the whole element
	RoleSpan Span    // the string with the role; zero if the format has none here
	Content  Span    // the value of its content; zero if there is none
	Lists    [2]Span // the arrays that hold its parts; zero if there is none
	First    int32   // its parts are Parts[First : First+Count]
	Count    int32
	Extra    Measure // fields outside of the parts that are sent and billed
	Variant  Variant
	Label    Span // of a variant: the command, the type of the note; zero if there is none
	Exit     Span // the exit code of a Shell, a number; zero if there is none
	OldCalls Span // a list of tool calls outside the content that is never sent (ai-sdk: toolCalls); zero if there is none
	Reasoned bool // a repair gave it empty reasoning (OC9)
	Lone     bool // it contains a lone surrogate
	Joined   bool // belongs with the message after it (a reasoning item and its item)
	Passing  bool // sent to the model only until the next user message (AN14)
	Unsent   bool // not sent to the model
	Nameless bool // it has no id, although messages need one
	Output   bool // a user message with the output of a call that the assistant wrote as text (digest.MarkOutputs)
	// Spelling is the spelling of the message among those of its format; 0 if there is only one.
	Spelling uint8
	// Meta is one more than the index in Metas of what an application stores with the message; 0 if there is nothing.
	Meta int32
}

// Meta is what an application stores with a message and does not send to the model (native format only).
type Meta struct {
	Loop    Span // the id of the loop that the message belongs to, a string; zero if there is none
	Turn    int  // index of its turn in the loop, from 0
	HasTurn bool
	Member  Span // the turn as a member of the message, key and value; zero if there is none
	Stamp   Span // when the message was made, as spelled; zero if unknown

	// Agent and User say whether the message is sent to the model and shown to the user; Unset counts as yes (S4.10).
	Agent, User Setting
	Label       Span // what the application calls the message, a string; zero if there is none (S4.11)
	Usage       Usage
	Stop        Span // why the model stopped, a string; zero if there is none
}

// Setting is a choice that may not have been made.
type Setting uint8

// The settings.
const (
	Unset Setting = iota
	On
	Off
)

// Usage is what a provider counted for the call that an assistant message answers, in tokens. Input excludes tokens read from or written to
// the cache. The zero Usage is none.
type Usage struct{ Input, Output, CacheRead, CacheWrite, Total int }

// Sum returns the tokens of the whole call: the provider's total if it has one, otherwise the sum of the parts (S4.8).
func (u Usage) Sum() int {
	if u.Total > 0 {
		return u.Total
	}
	return u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// Transcript is the messages of one conversation, in one wire format.
type Transcript struct {
	Src      []byte // what spans below arenaBase point into
	arena    []byte
	Outer    Span // the whole value: the list, or the request body
	List     Span // the array of messages
	Messages []Message
	Parts    []Part
	Metas    []Meta
	Input    int // how many of Messages are from the source

	// The other content of the request body that holds the list.
	System Measure // system prompt or instructions
	Tools  Measure // tool definitions, as compact JSON
	Model  Span    // the model's name, a string
	// Elsewhere means that the provider keeps a part of the conversation that the list only refers to.
	Elsewhere bool
	Unstored  bool // the provider is asked to keep nothing
	// Thinking is how the body asks the model to think, in the words of policies; "" if it doesn't say.
	Thinking api.ThinkingMode
	// Reasons means that an assistant message came with reasoning_content, so the others must have it too (OC9); Reasoner means that the
	// model requires it in all of them.
	Reasons, Reasoner bool
	// Marks means that some key has the prefix of cache breakpoint keys. Otherwise there are no breakpoints.
	Marks bool
	// LoneBeside means that there is a lone surrogate outside the list of messages.
	LoneBeside bool
	// Skipped is how many bytes, as compact JSON, of members of messages and parts were not read.
	Skipped int
	// Weigh weighs new text in the same way as the source.
	Weigh *jsonspan.Automaton
	// Named means that a tool result only answers a call with its name, and may be paired by that alone.
	Named bool
	// Ordered means that a tool result without id and name answers the oldest open call of the newest message.
	Ordered bool

	// Outputs means that some message is an Output: the assistant calls its tools in its texts.
	Outputs bool
	// Failures means that some tool result has IsError, so the format marks every failed result.
	Failures bool
	// Calls means that there are tool calls made by a provider's tool.
	Calls bool
	// Recounted is how often the cost of messages changed that had been read before.
	Recounted int
	Origin    *Origin // maps the source to what was given, if they differ; otherwise nil
	live      []int32 // the messages that are sent to the model until the next user message
	summary   int     // the newest message with the provider's own summary, or 0

	// For a transcript that grows:
	pairs  *pairer
	prints []Fingerprint // of the first one, two, … messages
}

// Clone returns a copy of the transcript's records over the same source, which can be changed independently. The transcript must not have
// been written to since it was read.
func (t *Transcript) Clone() *Transcript {
	c := *t
	c.Messages, c.Parts = slices.Clone(t.Messages), slices.Clone(t.Parts)
	c.pairs = nil
	return &c
}

// Grown adds the messages from index m and the parts from index p on, which were read after the existing ones. It pairs calls and results in
// time proportional to the new parts.
func (t *Transcript) Grown(m, p int) {
	if t.pairs == nil {
		t.pairs = newPairer(t, p)
	}
	t.pairs.order = nil
	t.pairs.link(p)
	t.Input = len(t.Messages)
	t.print()
}

// print computes the fingerprints of all messages in advance, so that Fingerprint need not read them again.
func (t *Transcript) print() {
	var f Fingerprint
	if n := len(t.prints); n > 0 {
		f = t.prints[n-1]
	}
	for i := len(t.prints); i < t.Input; i++ {
		f.Add(t.AsGiven(t.Messages[i].Span))
		t.prints = append(t.prints, f)
	}
}

// Bytes returns the bytes of a span, of the source or of the arena.
func (t *Transcript) Bytes(p Span) []byte {
	if p.Start >= arenaBase {
		return t.arena[p.Start-arenaBase : p.End-arenaBase]
	}
	return p.Of(t.Src)
}

// buf returns the bytes that a span points into, and the span relative to them.
func (t *Transcript) buf(p Span) ([]byte, Span) {
	if p.Start >= arenaBase {
		return t.arena, Span{Start: p.Start - arenaBase, End: p.End - arenaBase}
	}
	return t.Src, p
}

// Text returns the decoded text of a string.
func (t *Transcript) Text(p Span) string { return jsonspan.Text(t.buf(p)) }

// AppendText appends the decoded text of a string.
func (t *Transcript) AppendText(dst []byte, p Span) []byte {
	src, p := t.buf(p)
	return jsonspan.AppendText(dst, src, p)
}

// EqualText reports whether the decoded string equals text.
func (t *Transcript) EqualText(p Span, text string) bool {
	src, p := t.buf(p)
	return jsonspan.EqualText(src, p, text)
}

// Blank reports whether a string is empty or only white space.
func (t *Transcript) Blank(p Span) bool { return jsonspan.Blank(t.buf(p)) }

// IsString reports whether the value at a span is a string.
func (t *Transcript) IsString(p Span) bool { return !p.Zero() && t.Bytes(p)[0] == '"' }

// IsArray reports whether the value at a span is an array.
func (t *Transcript) IsArray(p Span) bool { return !p.Zero() && t.Bytes(p)[0] == '[' }

// PartsOf returns the parts of message i, including those inside tool results.
func (t *Transcript) PartsOf(i int) []Part {
	m := &t.Messages[i]
	return t.Parts[m.First : m.First+m.Count]
}

// Inner returns the parts inside the tool result at index p of Parts; they follow it.
func (t *Transcript) Inner(p int) []Part {
	end := p + 1
	for end < len(t.Parts) && t.Parts[end].Parent == int32(p) {
		end++
	}
	return t.Parts[p+1 : end]
}

// Piece adds a message with the parts of message m before part index end, and returns its index. It must only be read,
// not written, because its span is that of the whole message.
func (t *Transcript) Piece(m, end int32) int32 {
	msg := t.Messages[m]
	at, first := int32(len(t.Messages)), int32(len(t.Parts))
	shift := first - msg.First
	t.Parts = append(t.Parts, t.Parts[msg.First:end]...)
	for i := first; i < int32(len(t.Parts)); i++ {
		p := &t.Parts[i]
		p.Msg = at
		if p.Parent >= 0 {
			p.Parent += shift
		}
		if p.Pair >= msg.First && p.Pair < end {
			p.Pair += shift
		}
		if p.Caller > msg.First && p.Caller <= end {
			p.Caller += shift
		}
		if p.Copy > end {
			p.Copy = 0
		} else if p.Copy > 0 {
			p.Copy += shift
		}
	}
	msg.First, msg.Count = first, end-msg.First
	t.Messages = append(t.Messages, msg)
	return at
}

// Written reports whether a span is in the arena.
func (t *Transcript) Written(p Span) bool { return p.Start >= arenaBase }

// Write adds text to the arena and returns its span.
func (t *Transcript) Write(text []byte) Span {
	start := arenaBase + uint32(len(t.arena))
	t.arena = append(t.arena, text...)
	return Span{Start: start, End: start + uint32(len(text))}
}

// Adopt moves the records from message index m and part index p on, whose spans are relative to text, into the arena,
// together with text.
func (t *Transcript) Adopt(text []byte, m, p int) {
	t.shift(t.Write(text).Start, m, p)
}

// Rebase copies the bytes of the transcript into a new source and moves all records to their positions there.
func (t *Transcript) Rebase() {
	base := t.Outer.Start
	t.Src = append([]byte(nil), t.Bytes(t.Outer)...)
	t.shift(-base, 0, 0)
	for _, s := range []*Span{&t.Outer, &t.List, &t.Model} {
		if !s.Zero() {
			s.Start -= base
			s.End -= base
		}
	}
}

// shift moves the records from message index m and part index p on by a number of bytes, modulo 2³².
func (t *Transcript) shift(by uint32, m, p int) {
	move := func(s *Span) {
		if !s.Zero() {
			s.Start += by
			s.End += by
		}
	}
	for i := m; i < len(t.Messages); i++ {
		msg := &t.Messages[i]
		for _, s := range []*Span{&msg.Span, &msg.RoleSpan, &msg.Content, &msg.Lists[0], &msg.Lists[1], &msg.Label, &msg.Exit, &msg.OldCalls} {
			move(s)
		}
		if msg.Meta > 0 {
			meta := &t.Metas[msg.Meta-1]
			for _, s := range []*Span{&meta.Loop, &meta.Member, &meta.Stamp, &meta.Label, &meta.Stop} {
				move(s)
			}
		}
	}
	for i := p; i < len(t.Parts); i++ {
		part := &t.Parts[i]
		for _, s := range []*Span{&part.Span, &part.Body, &part.ID, &part.Name} {
			move(s)
		}
	}
}

// MetaOf returns what an application stores with message i.
func (t *Transcript) MetaOf(i int) Meta {
	if m := t.Messages[i].Meta; m > 0 {
		return t.Metas[m-1]
	}
	return Meta{}
}

// Hidden reports whether message i isn't sent to the model: because of its metadata (S4.10) or because the provider
// leaves it out.
func (t *Transcript) Hidden(i int) bool { return t.Messages[i].Unsent || t.MetaOf(i).Agent == Off }

// HasUserText reports whether message i contains something that a user said: a user message with more than tool results and empty texts, or
// an assistant message with a user text in it. Tool output in a user message doesn't count.
func (t *Transcript) HasUserText(i int) bool {
	if m := &t.Messages[i]; m.Role == Assistant {
		return t.LastSaid(i) >= 0
	} else if m.Role != User || m.Variant != Plain || m.Output {
		return false
	}
	parts := t.PartsOf(i)
	for i := range parts {
		if p := &parts[i]; p.Kind != ToolResult && p.Parent < 0 && !p.Has(Removed|Mark) && !(p.Kind == Text && p.Size.Bytes == 0) {
			return true
		}
	}
	return false
}

// LastSaid returns the part index of the user's newest words in assistant message i; -1 if there are none.
func (t *Transcript) LastSaid(i int) int32 {
	m := &t.Messages[i]
	for n := m.First + m.Count - 1; n >= m.First; n-- {
		if p := &t.Parts[n]; p.Has(Said) && !p.Has(Removed) {
			return n
		}
	}
	return -1
}

// Package transcript represents a conversation as records that point to its bytes: messages, their parts, the pairs of
// tool calls and results, and the groups of messages that belong together.
//
// A Transcript never copies what it describes. A record points to bytes of the source, or of the arena, which holds
// text that passes have written. Only package wire knows the JSON structure of those bytes.
package transcript

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Span and Measure are the types of package jsonspan.
type (
	Span    = jsonspan.Span
	Measure = jsonspan.Measure
)

// arenaBase is the first offset of the arena. The offsets of a source are smaller (jsonspan.MaxSize).
const arenaBase = jsonspan.MaxSize

// Role is the author of a message, independent of the wire format's name for it.
type Role uint8

// The roles. Other is for roles that the wire format doesn't define.
const (
	System Role = iota
	User
	Assistant
	Tool
	Other
)

var roleNames = [...]string{"system", "user", "assistant", "tool", "other"}

// String returns the name of the role, such as "assistant".
func (r Role) String() string { return roleNames[r] }

// Kind is the kind of a part.
type Kind uint8

// The kinds of parts. Opaque is a part whose type the wire format doesn't define, or a part that only its provider can
// read.
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

// String returns the name of the kind, such as "tool_call".
func (k Kind) String() string { return kindNames[k] }

// IsMedia reports whether parts of this kind hold an image, audio or a file.
func (k Kind) IsMedia() bool { return k == Image || k == Audio || k == File }

// Flags are a set of further properties of a part.
type Flags uint32

// The flags of parts.
const (
	IsError Flags = 1 << iota // a tool result that reports a failure
	// The provider has signed or encrypted the part: it must stay unchanged or be removed.
	Signed
	Server       // a tool call that the provider runs itself, or its result, paired inside one message
	JSONText     // Body is a string that holds JSON (tool call arguments in OpenAI's formats)
	NotSent      // never sent to the provider, so it costs no tokens
	Removed      // a pass took the part out of its message
	Edited       // a pass replaced the body
	Cleared      // the body is a marker that replaces a removed body, ours or found in the input
	ProviderOnly // content that only its provider can read, so its message must stay
	Misshapen    // a tool result whose Body doesn't have the form that the wire format requires
	Bound        // signed reasoning that its provider binds to the messages before it (AN9)
	// Reasoning that the provider has stored together with the following part: both stay or both are removed.
	Tied
	Legacy // in the form of an older version of the format, or of its SDK
	Step   // a step of the assistant begins here: the message may be cut before this part
	Null   // a tool call whose arguments are null
	// The user said it while the assistant was working; it is inside an assistant message (AM6).
	Said
	Required // reasoning that its message must have, even if its text is empty (OC9)
	// The provider stores the message under an id; a Member with this flag is that id, and has no content.
	Stored
	Called    // a tool call made by one of the provider's tools (AN11)
	Squeezed  // a pass shortened the body, and the body's first line says so
	Mark      // a cache breakpoint that is a part of its own, without content
	Continues // one of several results of the same call
	// The provider's own summary of everything before it, which is then no longer sent to the model (AN12).
	Summary
)

// Part is a piece of a message.
type Part struct {
	Kind   Kind  // what it is
	List   int8  // the index of the list that holds the part, or NoList, Member, Inside, Emptied or Shared
	Flags  Flags // its further properties
	Msg    int32 // index of its message
	Parent int32 // index of the tool result that holds this part, or -1
	// For a tool call, the index of its result, and for a result, the index of its call; -1 if there is none.
	Pair   int32
	Caller int32   // for a tool call made by a provider's tool, the index of that tool's call plus one; 0 for others
	Span   Span    // the whole part
	Body   Span    // the JSON value of its text, arguments or result
	ID     Span    // the id that pairs a call with its result, a JSON string; zero if there is none
	Name   Span    // the tool's name, a JSON string; zero if there is none
	Size   Measure // the measure of its text, arguments or result
	NameSz Measure // the measure of its name
	Data   uint32  // length of the base64 payload of an image, a file or audio, in characters
	// Copy is the index, plus one, of another part of the message that has the same content and is removed together
	// with this part; 0 if there is none. Such parts form a chain, of which only the first counts. A copy shares the id
	// of its tool call, and a copy with a Body gets the same replacement as the first.
	Copy int32
}

// Has reports whether the part has one of the flags.
func (p *Part) Has(f Flags) bool { return p.Flags&f != 0 }

// SetMedia turns the part into an image, audio or a file with a base64 payload of chars characters. Its tokens are then
// estimated by kind instead of as text.
//
//go:noinline
func (p *Part) SetMedia(kind Kind, chars uint32) {
	p.Kind, p.Size, p.Data = kind, jsonspan.Measure{}, chars
}

// AnyHas reports whether any of the parts has one of the flags.
func AnyHas(parts []Part, f Flags) bool {
	for i := range parts {
		if parts[i].Has(f) {
			return true
		}
	}
	return false
}

// The lists of a message that can hold parts, and other places of a part.
const (
	ContentList = 0  // the content or parts of the message
	CallList    = 1  // the tool calls of the message
	InvalidList = 2  // calls that could not be parsed, which may nevertheless have results
	RawList     = 3  // the calls once more, as the provider's response spells them
	ChunkList   = 4  // the calls once more, in streamed chunks
	Lists       = 5  // the number of lists
	NoList      = -1 // the part is the whole content
	Member      = -2 // the part is a member of the message, including its key
	Inside      = -4 // the part is inside the preceding part of a list, and is removed together with it
	Emptied     = -5 // the part is a string member of the message, which becomes "" when the part is removed
	Shared      = -3 // a tool result inside the part of its call: both have the same span and are removed together
)

// Variant distinguishes messages with the same role, in wire formats that have more kinds of messages than roles.
type Variant uint8

// The variants of messages.
const (
	Plain  Variant = iota // an ordinary message
	Shell                 // a command that the user ran, with its output
	Note                  // a message of an application-defined type
	Digest                // a digest of earlier messages
	Branch                // a digest of an abandoned branch
)

// Message is one element of the transcript's list.
type Message struct {
	Role     Role    // who speaks
	Span     Span    // the whole message
	RoleSpan Span    // the role, a string; zero if the message has none
	Content  Span    // the value of its content member; zero if there is none
	Lists    [2]Span // the arrays for ContentList and CallList; zero if there are none
	First    int32   // the message's parts are Parts[First : First+Count]
	Count    int32   // the number of parts
	Extra    Measure // members other than the parts that are sent and billed
	Variant  Variant // Plain for most messages
	Label    Span    // for a variant: the command, or the type of the note; zero if there is none
	Exit     Span    // the exit code of a Shell command, a number; zero if there is none
	// A list of tool calls outside the content that is never sent (ai-sdk: toolCalls); zero if there is none.
	OldCalls Span
	Reasoned bool // a repair gave it empty reasoning (OC9)
	Lone     bool // it contains a lone surrogate
	Joined   bool // must stay together with the next message (a reasoning item and the item after it)
	Passing  bool // only sent to the model until the next user message (AN14)
	Unsent   bool // not sent to the model
	Nameless bool // it lacks an id, although the wire format requires one
	Output   bool // a user message with the output of a call that the assistant wrote as text (digest.MarkOutputs)
	// Spelling distinguishes the spellings that a wire format allows for a message; 0 if there is only one.
	Spelling uint8
	// Meta is the index in Metas, plus one, of the data that the application stores with the message; 0 if there is
	// none.
	Meta int32
}

// Meta is what an application stores with a message without sending it to the model (native format only).
type Meta struct {
	Loop    Span // the id of the loop that the message belongs to, a string; zero if there is none
	Turn    int  // index of the message's turn in the loop, from 0
	HasTurn bool // whether Turn is set
	Member  Span // the member of the message that holds the turn, including its key; zero if there is none
	Stamp   Span // the time of the message, as the application spells it; zero if unknown

	// Agent determines whether the message is sent to the model, and User whether it is shown to the user. Unset
	// means yes (S4.10).
	Agent, User Setting
	Label       Span  // the application's label for the message, a string; zero if there is none (S4.11)
	Usage       Usage // the provider's counts for the call that wrote the message
	Stop        Span  // the reason why the model stopped, a string; zero if there is none
}

// Setting is a yes-or-no choice that can be left open.
type Setting uint8

// The settings.
const (
	Unset Setting = iota
	On
	Off
)

// Usage is the provider's token counts for the call that produced an assistant message. Input excludes tokens that were
// read from or written to the cache. The zero Usage means that there are no counts.
type Usage struct{ Input, Output, CacheRead, CacheWrite, Total int }

// TotalTokens returns the total number of tokens of the call: the provider's total if there is one, otherwise the sum
// of the counts (S4.8).
func (u Usage) TotalTokens() int {
	if u.Total > 0 {
		return u.Total
	}
	return u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// Transcript holds the messages of one conversation, in one wire format.
type Transcript struct {
	Src      []byte    // the bytes that spans below arenaBase point into
	arena    []byte    // the bytes that spans from arenaBase on point into
	Outer    Span      // the whole value: the list, or the request body
	List     Span      // the array of messages
	Messages []Message // in order; see Input
	Parts    []Part    // of all messages, in order
	Metas    []Meta    // what the native format stores with messages
	Input    int       // the number of Messages that come from the source; later ones were added by passes

	// The rest of the request body that contains the list.
	System Measure // system prompt or instructions
	Tools  Measure // tool definitions, as compact JSON
	Model  Span    // the model's name, a string
	// Elsewhere means that the provider stores a part of the conversation that the list only refers to.
	Elsewhere bool
	Unstored  bool // the request asks the provider to store nothing
	// Thinking is the thinking mode that the request body asks for, in the terms of policies; "" if the body doesn't
	// specify one.
	Thinking api.ThinkingMode
	// Reasons means that some assistant message has reasoning_content, so that all others must have it too (OC9).
	// Reasoner means that the model itself requires it in all of them.
	Reasons, Reasoner bool
	// Marks means that some key begins like the key of a cache breakpoint. If it is false, the transcript has no
	// breakpoints.
	Marks bool
	// LoneBeside means that the request body contains a lone surrogate outside the list of messages.
	LoneBeside bool
	// Skipped is the total size, in bytes of compact JSON, of those members of messages and parts that were not read.
	Skipped int
	// Weigh measures new text with the same weights as the source was measured with.
	Weigh *jsonspan.Automaton
	// Named means that a tool result answers only a call with the same name, and that the name alone can pair the two.
	Named bool
	// Ordered means that a tool result without an id and a name answers the oldest open call of the newest message.
	Ordered bool

	// Outputs means that some message has Output set: the assistant writes tool calls in its texts.
	Outputs bool
	// Failures means that some tool result has IsError, which implies that the format marks failed results.
	Failures bool
	// Calls means that some tool call was made by a provider's tool.
	Calls bool
	// Recounted is the number of times that the cost of a message changed after it was read.
	Recounted int
	Origin    *Origin    // maps the source to the host's bytes if they differ; otherwise nil
	live      []int32    // the messages that are only sent to the model until the next user message
	summary   int        // index of the newest message with the provider's own summary, or 0
	names     [16]string // the names that Name returned last, each in the place that its bytes determine

	// The following fields are for a transcript that grows.
	pairs  *pairer
	prints []Fingerprint // prints[n] is the fingerprint of the first n+1 messages
}

// Clone returns an independent copy of the transcript's records over the same source. Nothing may have been written to
// the arena since the transcript was read.
func (t *Transcript) Clone() *Transcript {
	c := *t
	c.Messages, c.Parts = slices.Clone(t.Messages), slices.Clone(t.Parts)
	c.pairs = nil
	return &c
}

// AppendRead completes the reading of new messages, which are already in Messages from index m on and in Parts from
// index p on. It pairs their calls and results, in time proportional to the new parts, and extends the fingerprints.
func (t *Transcript) AppendRead(m, p int) {
	if t.pairs == nil {
		t.pairs = newPairer(t, p)
	}
	t.pairs.order = nil
	t.pairs.link(p)
	t.Input = len(t.Messages)
	t.print()
}

// print computes the missing fingerprints in advance, so that Fingerprint doesn't have to read the messages again.
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

// Bytes returns the bytes of a span in the source or in the arena.
func (t *Transcript) Bytes(p Span) []byte {
	if p.Start >= arenaBase {
		return t.arena[p.Start-arenaBase : p.End-arenaBase]
	}
	return p.Slice(t.Src)
}

// buf returns the buffer that a span points into, and the span relative to it.
func (t *Transcript) buf(p Span) ([]byte, Span) {
	if p.Start >= arenaBase {
		return t.arena, Span{Start: p.Start - arenaBase, End: p.End - arenaBase}
	}
	return t.Src, p
}

// MessageIndexes returns the indexes of all messages.
func (t *Transcript) MessageIndexes() []int32 {
	all := make([]int32, len(t.Messages))
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// PartsOf returns the parts of message i, including the parts inside its tool results.
//
//go:noinline
func (t *Transcript) PartsOf(i int) []Part {
	m := &t.Messages[i]
	return t.Parts[m.First : m.First+m.Count]
}

// OuterParts yields the parts of a message that are neither removed nor inside a tool result, with their indexes.
func (t *Transcript) OuterParts(m *Message) func(yield func(n int32, p *Part) bool) {
	return func(yield func(n int32, p *Part) bool) {
		for n := m.First; n < m.First+m.Count; n++ {
			if p := &t.Parts[n]; p.Parent < 0 && !p.Has(Removed) && !yield(n, p) {
				return
			}
		}
	}
}

// InnerParts returns the parts inside the tool result at index p of Parts. They directly follow it.
func (t *Transcript) InnerParts(p int) []Part {
	end := p + 1
	for end < len(t.Parts) && t.Parts[end].Parent == int32(p) {
		end++
	}
	return t.Parts[p+1 : end]
}

// BeforePart adds a message that consists of the parts of message m before part index end, and returns its index. The
// message can only be read, not written to the output, because its span covers the whole of message m.
func (t *Transcript) BeforePart(m, end int32) int32 {
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

// InArena reports whether a span is in the arena.
func (t *Transcript) InArena(p Span) bool { return p.Start >= arenaBase }

// WriteToArena copies text to the arena and returns its span there.
func (t *Transcript) WriteToArena(text []byte) Span {
	start := arenaBase + uint32(len(t.arena))
	t.arena = append(t.arena, text...)
	return Span{Start: start, End: start + uint32(len(text))}
}

// MoveToArena copies text to the arena. The spans of the records from message index m and part index p on, which are
// relative to text, then point to the copy.
func (t *Transcript) MoveToArena(text []byte, m, p int) {
	t.shift(t.WriteToArena(text).Start, m, p)
}

// Rebase copies the transcript's bytes into a source that contains nothing else, and moves all spans accordingly.
func (t *Transcript) Rebase() {
	base := t.Outer.Start
	t.Src = append([]byte(nil), t.Bytes(t.Outer)...)
	t.shift(-base, 0, 0)
	for _, s := range []*Span{&t.Outer, &t.List, &t.Model} {
		if !s.IsZero() {
			s.Start -= base
			s.End -= base
		}
	}
}

// shift moves the spans of the records from message index m and part index p on by a number of bytes, modulo 2³².
func (t *Transcript) shift(by uint32, m, p int) {
	move := func(s *Span) {
		if !s.IsZero() {
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

// IsUnsent reports whether message i isn't sent to the model, because of its metadata (S4.10) or because the provider
// leaves it out.
func (t *Transcript) IsUnsent(i int) bool { return t.Messages[i].Unsent || t.MetaOf(i).Agent == Off }

// HasUserText reports whether message i contains something that the user wrote. That is so for a plain user message
// with more than tool results and empty texts, and for an assistant message that contains a text of the user. Tool
// output in a user message doesn't count.
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

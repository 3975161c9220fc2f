package tokens

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Unit is the unit in which an estimator measures text.
type Unit uint8

// The units of text: UTF-8 bytes, UTF-16 code units, Unicode scalar values, and weights.
const (
	Bytes  Unit = iota
	UTF16       // UTF-16 code units
	Runes       // Unicode scalar values
	Weight      // the weight that Automaton computes, in 1/WeightUnit tokens
)

// Profile describes an estimator: it multiplies units of text by Num/Den, and adds fixed numbers of tokens for what
// surrounds the text. All numbers are in tokens unless stated otherwise.
type Profile struct {
	Name string // as in a policy
	Doc  string // what it estimates, for the documentation
	Unit Unit   // what it counts
	// tokens = units × Num / Den, rounded up, or down if Floor is set.
	Num, Den uint64
	Floor    bool
	// PerMessage adds up the units of a whole message before dividing. Otherwise each text is divided and rounded
	// separately.
	PerMessage bool
	// Outer excludes the parts inside tool results.
	Outer bool
	// BareFields excludes the content of a message outside its parts, such as the type of a note or the text of an
	// error.
	BareFields bool
	// FreeNull excludes null arguments of tool calls (S3.8).
	FreeNull bool

	Framing [transcript.Other + 1]int // the framing of a message, by role
	// Block is the framing of a part, including parts inside tool results. A tool result that contains parts has no
	// framing itself.
	Block int
	Kinds [transcript.Opaque + 1]Cost // the cost of a part, by kind

	// Besides returns the measures of content outside a message's parts, each of which is divided and rounded
	// separately. It may be nil.
	Besides func(t *transcript.Transcript, message int) []transcript.Measure

	// Automaton computes the weights of texts if Unit is Weight.
	Automaton *jsonspan.Automaton
	// Family is the tokenizer family that the weights were fitted to.
	Family string

	// Correction is derived from providers' counts. Its Bound is the 90th percentile of the error, in percent, for
	// texts of a few thousand bytes. A Scale of 0 means no correction.
	api.Correction
}

// Cost is the cost of parts of one kind. The zero Cost counts the part's text and the name of its tool, and nothing
// else.
type Cost struct {
	Tokens         int    // a fixed cost, in tokens
	Units          uint64 // a fixed cost, in the profile's units, which is added before they are divided
	NoText, NoName bool   // whether the text costs nothing, and whether the name does
	// Spell measures the part's text as the program that the estimator imitates would write it. If it is nil, the text
	// is measured as it is in the source.
	Spell func(t *transcript.Transcript, part *transcript.Part) transcript.Measure
	// Unsized is the cost, in tokens, of an image whose size in pixels is unknown. Other images cost what their size
	// determines.
	Unsized int
	// Payload returns the tokens of a base64 payload with the given number of characters; 0 means that the payload is
	// not in the transcript.
	Payload func(base64 uint64) int
}

// Default is the name of the estimator for policies that don't set one.
const Default = "script"

// byRole returns a framing table with the same value for every role.
func byRole(message int) (f [transcript.Other + 1]int) {
	for r := range f {
		f[r] = message
	}
	return f
}

// kinds returns a cost table. call and result are the fixed costs for tool calls and tool results; image and file are
// the costs for such parts, and audio costs as much as a file. Parts of other kinds cost only their text.
func kinds(call, result int, image, file Cost) (k [transcript.Opaque + 1]Cost) {
	k[transcript.ToolCall].Tokens = call
	k[transcript.ToolResult].Tokens = result
	k[transcript.Image] = image
	k[transcript.File], k[transcript.Audio] = file, file
	return k
}

// byBytes returns a function that estimates the tokens of a payload: its size in bytes divided by per, but at least low
// and at most high.
func byBytes(per, low, high uint64) func(uint64) int {
	return func(base64 uint64) int { return int(min(max(base64*3/4/per, low), high)) }
}

// quarter counts one token per four bytes of a payload.
func quarter(base64 uint64) int { return int((base64*3/4 + 3) / 4) }

// or returns a function that returns the value unknown if the payload is not in the transcript, and otherwise the
// result of count.
func or(unknown int, count func(uint64) int) func(uint64) int {
	return func(base64 uint64) int {
		if base64 == 0 {
			return unknown
		}
		return count(base64)
	}
}

// profiles lists the estimators, in the order in which info lists them. The comment on each names the rows in the notes
// on published systems from which its numbers come. Where a row gives no number, the estimator uses that of the most
// similar row, so that nothing is free.
var profiles = []*Profile{
	{Name: "script", Doc: "weights of characters by the characters before them, fitted to real tokenizers",
		Unit: Weight, Num: 1, Den: jsonspan.WeightUnit, PerMessage: true, Framing: byRole(4), Block: 0,
		Kinds: kinds(8, 8, Cost{Unsized: 1200}, Cost{Payload: or(1200, quarter)})},
	{Name: "bytes4", Doc: "UTF-8 bytes / 4, rounded up", // the rule of thumb
		Unit: Bytes, Num: 1, Den: 4, Framing: byRole(4),
		Kinds: kinds(8, 8, Cost{Tokens: 1200}, Cost{Payload: or(1200, quarter)})},
	{Name: "layered", Doc: "UTF-8 bytes / 4, rounded up; an image by its bytes", // S0.33 to S0.36
		Unit: Bytes, Num: 1, Den: 4, BareFields: true, Framing: byRole(4),
		Kinds: kinds(8, 4, Cost{Payload: byBytes(750, 85, 16000)}, Cost{Payload: or(1200, quarter)})},
	{Name: "bytes", Doc: "a token for each UTF-8 byte, for a host that counts in bytes", // S0.7
		Unit: Bytes, Num: 1, Den: 1, BareFields: true, Framing: byRole(4),
		Kinds: kinds(8, 4, Cost{Payload: byBytes(750, 85, 16000)}, Cost{Payload: or(1200, quarter)})},
	{Name: "bytes4-floor", Doc: "UTF-8 bytes / 4, rounded down", // S1.1, S1.2
		Unit: Bytes, Num: 1, Den: 4, Floor: true,
		Kinds: kinds(0, 0, Cost{Tokens: 1200}, Cost{Payload: or(1200, quarter)})},
	{Name: "utf16-4", Doc: "UTF-16 code units / 4, rounded up", // S2.1 to S2.5
		Unit: UTF16, Num: 1, Den: 4, Framing: byRole(2),
		Kinds: kinds(0, 0, Cost{Tokens: 1200}, Cost{Payload: or(1200, quarter)})},
	{Name: "runes3.6", Doc: "Unicode scalar values / 3.6, rounded up", // S3.5 to S3.9
		Unit: Runes, Num: 10, Den: 36, PerMessage: true, FreeNull: true, Framing: byRole(4), Block: 2,
		Kinds: unnamedResults(kinds(6, 6, Cost{Tokens: 1024}, Cost{Payload: or(1024, quarter)}))}, // the 6 tokens cover the name
	{Name: "bytes4-message", Doc: "UTF-8 bytes / 4, each message rounded up", // S4.6
		Unit: Bytes, Num: 1, Den: 4, PerMessage: true,
		Kinds: spelledCalls(kinds(0, 0, Cost{Units: 4800}, Cost{Payload: or(1200, quarter)}))},
}

// spelledCalls returns a cost table in which arguments of tool calls are counted as a Go program spells them after
// decoding (jsonspan.AppendGo).
func spelledCalls(k [transcript.Opaque + 1]Cost) [transcript.Opaque + 1]Cost {
	k[transcript.ToolCall].Spell = func(t *transcript.Transcript, call *transcript.Part) transcript.Measure {
		return jsonspan.MeasureText(GoArguments(t, call))
	}
	return k
}

// unnamedResults returns a cost table in which the names of tools in tool results cost nothing.
func unnamedResults(k [transcript.Opaque + 1]Cost) [transcript.Opaque + 1]Cost {
	k[transcript.ToolResult].NoName = true
	return k
}

// ByName returns the estimator with the given name, or nil if there is none.
func ByName(name string) *Profile {
	for _, p := range profiles {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Names returns the names of the estimators, in the order in which info lists them.
func Names() []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Name
	}
	return names
}

// units returns the size of a text in the profile's unit.
func (p *Profile) units(m transcript.Measure) uint64 {
	switch p.Unit {
	case Bytes:
		return uint64(m.Bytes)
	case UTF16:
		return uint64(m.UTF16)
	case Runes:
		return uint64(m.Runes)
	default:
		return uint64(m.Weight)
	}
}

// divide converts units to tokens, rounded up, or down if Floor is set.
func (p *Profile) divide(units uint64) int {
	if p.Floor {
		return int(units * p.Num / p.Den)
	}
	return int((units*p.Num + p.Den - 1) / p.Den)
}

// scaled applies the correction's scale to a number of tokens. It rounds down because Anchor relies on that.
func (p *Profile) scaled(n int) int {
	if p.Scale == 0 || p.Scale == unscaled {
		return n
	}
	return int(uint64(n) * uint64(p.Scale) / unscaled)
}

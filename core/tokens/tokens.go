// Package tokens estimates how many tokens a transcript takes, without a tokenizer.
//
// An estimator is a Profile: a row of parameters over the measures that the scanner took while it read. What never
// enters this package: the JSON shapes of messages, and what an estimate is used for.
package tokens

import (
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// Unit is what a profile counts.
type Unit uint8

// The units of a text: UTF-8 bytes, UTF-16 code units, Unicode scalar values.
const (
	Bytes Unit = iota
	UTF16
	Runes
)

// Profile is an estimator: units of text are divided by Den/Num, and fixed numbers of tokens are added for what surrounds
// the text. All numbers are tokens unless said.
type Profile struct {
	Name string
	Doc  string
	Unit Unit
	// tokens = units × Num / Den, rounded up, or down where Floor is set.
	Num, Den uint64
	Floor    bool
	// PerMessage adds up the units of a whole message before it divides; otherwise each text is rounded by itself.
	PerMessage bool

	Framing  int // of a message
	Part     int // framing of a part, tool results and their inner parts included
	Call     int // envelope of a tool call
	Result   int // envelope of a tool result
	Image    int // an image, where ImageBytes does not apply
	File     int // a file or audio without a payload to go by
	PerBytes int // raw payload bytes that count as one token in files and audio; 0: File alone counts

	// Where ImageBytes is set, an image counts its raw payload bytes divided by it, at least ImageMin and at most ImageMax.
	ImageBytes, ImageMin, ImageMax int
	// BareFields leaves what a message holds beside its parts (the type of a note, an error's text) uncounted.
	BareFields bool
	// FreeNull leaves arguments of a tool call that are null uncounted (S3.8).
	FreeNull bool
}

// profiles are the estimators, in the order in which info lists them. Sources: bytes4 is ceil(bytes/4), the rule of
// thumb that S0.33 and S4.6 use, with S0.36's framing; layered is S0.33 to S0.36; utf16-4 is S2.1 and S2.2; runes3.6 is S3.5 and S3.6. What a seed
// gives no number for (images in utf16-4, files) takes the number of the nearest one that does, so that nothing is free.
var profiles = []*Profile{
	{Name: "bytes4", Doc: "UTF-8 bytes / 4, rounded up", Unit: Bytes, Num: 1, Den: 4,
		Framing: 4, Call: 8, Result: 8, Image: 1200, File: 1200, PerBytes: 4},
	{Name: "layered", Doc: "UTF-8 bytes / 4, rounded up; an image by its bytes", Unit: Bytes, Num: 1, Den: 4,
		Framing: 4, Call: 8, Result: 4, ImageBytes: 750, ImageMin: 85, ImageMax: 16000, File: 1200, PerBytes: 4, BareFields: true},
	{Name: "utf16-4", Doc: "UTF-16 code units / 4, rounded up", Unit: UTF16, Num: 1, Den: 4,
		Framing: 2, Image: 1200, File: 1200, PerBytes: 4},
	{Name: "runes3.6", Doc: "Unicode scalar values / 3.6, rounded up", Unit: Runes, Num: 10, Den: 36, PerMessage: true,
		Framing: 4, Part: 2, Call: 6, Result: 6, Image: 1024, File: 1024, PerBytes: 4, FreeNull: true},
}

// Default is the estimator of a policy that names none.
const Default = "bytes4"

// ByName returns the estimator with a name, or nil.
func ByName(name string) *Profile {
	for _, p := range profiles {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Names lists the estimators.
func Names() []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Name
	}
	return names
}

func (p *Profile) units(m transcript.Measure) uint64 {
	switch p.Unit {
	case Bytes:
		return uint64(m.Bytes)
	case UTF16:
		return uint64(m.UTF16)
	default:
		return uint64(m.Runes)
	}
}

func (p *Profile) divide(units uint64) int {
	if p.Floor {
		return int(units * p.Num / p.Den)
	}
	return int((units*p.Num + p.Den - 1) / p.Den)
}

// Measure estimates a measured text by itself, without framing, in tokens.
func (p *Profile) Measure(m transcript.Measure) int { return p.divide(p.units(m)) }

// Text estimates a text by itself, without framing, in tokens.
func (p *Profile) Text(text string) int { return p.Measure(jsonspan.MeasureText(text)) }

// MaxUnits is how many units of text at the most are estimated at up to the given tokens.
func (p *Profile) MaxUnits(tokens int) int {
	if tokens <= 0 {
		return 0
	}
	return int(uint64(tokens) * p.Den / p.Num)
}

// Message estimates message i of t in tokens: its parts that are not removed, their framing and its own.
func (p *Profile) Message(t *transcript.Transcript, i int) int {
	return p.Framing + p.sum(t.Messages[i].Extra, t.PartsOf(i))
}

// Parts estimates parts of a message by themselves, without the message's framing, in tokens.
func (p *Profile) Parts(parts []transcript.Part) int { return p.sum(transcript.Measure{}, parts) }

func (p *Profile) sum(extra transcript.Measure, parts []transcript.Part) int {
	total := 0
	var units uint64
	add := func(m transcript.Measure) {
		if p.PerMessage {
			units += p.units(m)
		} else {
			total += p.Measure(m)
		}
	}
	if !p.BareFields {
		add(extra)
	}
	for i := range parts {
		part := &parts[i]
		if part.Has(transcript.Removed | transcript.Free) {
			continue
		}
		total += p.Part
		if !p.FreeNull || !part.Has(transcript.Null) {
			add(part.Size)
		}
		switch part.Kind {
		case transcript.ToolCall:
			total += p.Call
			add(part.NameSz)
		case transcript.ToolResult:
			total += p.Result
			add(part.NameSz)
		case transcript.Image:
			if p.ImageBytes > 0 {
				total += min(max(int(uint64(part.Data)*3/4)/p.ImageBytes, p.ImageMin), p.ImageMax)
			} else {
				total += p.Image
			}
		case transcript.File, transcript.Audio:
			if part.Data > 0 && p.PerBytes > 0 {
				total += (int(part.Data)*3/4 + p.PerBytes - 1) / p.PerBytes
			} else {
				total += p.File
			}
		}
	}
	return total + p.divide(units)
}

// Beside estimates what a request body sends beside its messages: system prompt and tool definitions, in tokens.
func (p *Profile) Beside(t *transcript.Transcript) int {
	return p.Measure(t.System) + p.Measure(t.Tools)
}

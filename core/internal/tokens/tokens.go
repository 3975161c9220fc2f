// Package tokens estimates how many tokens a transcript takes, without a tokenizer.
//
// An estimator is a Profile: a table row of parameters that are applied to the measures that the scanner took while
// reading. The package knows neither the JSON structure of messages nor what estimates are used for.
package tokens

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Measure returns the estimate for a measured text by itself, without framing, in tokens.
func (p *Profile) Measure(m transcript.Measure) int { return p.scaled(p.divide(p.units(m))) }

// Text returns the estimate for text by itself, without framing, in tokens.
func (p *Profile) Text(text string) int {
	return p.Measure(p.measure(text))
}

// measure measures text, including its weight if the profile uses weights.
func (p *Profile) measure(text string) transcript.Measure {
	m := jsonspan.MeasureText(text)
	if p.Automaton != nil {
		m.Weight = p.Automaton.Weight([]byte(text))
	}
	return m
}

// ASCII returns the estimate, in tokens, for n ASCII characters that have not been written yet.
func (p *Profile) ASCII(n int) int {
	m := jsonspan.ASCII(uint32(n))
	m.Weight = uint32(n) * (jsonspan.WeightUnit / 4) // typical of English and code
	return p.Measure(m)
}

// MaxUnits returns the maximum number of units whose estimate is at most the given number of tokens. With the script
// estimator it is an approximate number of bytes. It returns 0 if tokens is not positive.
func (p *Profile) MaxUnits(tokens int) int {
	if tokens <= 0 {
		return 0
	}
	if p.Scale > unscaled {
		tokens = int(uint64(tokens) * unscaled / uint64(p.Scale))
	}
	if p.Unit == Weight {
		return 3 * tokens // roughly three bytes per token
	}
	return int(uint64(tokens) * p.Den / p.Num)
}

// NewMessage returns the estimate, in tokens, for a message with a single text that is not in the transcript yet.
func (p *Profile) NewMessage(role transcript.Role, text string) int {
	return p.scaled(p.Framing[role] + p.Block + p.divide(p.units(p.measure(text))))
}

// Message returns the estimate for message i of t, in tokens: the framing of the message, and the parts that are not
// removed with their framing. A message that is not sent to the model costs nothing.
func (p *Profile) Message(t *transcript.Transcript, i int) int {
	m := &t.Messages[i]
	if t.IsUnsent(i) {
		return 0 // not sent to the model
	}
	total := p.Framing[m.Role] + p.sum(t, false, m.Extra, t.PartsOf(i))
	if p.Besides != nil {
		for _, m := range p.Besides(t, i) {
			total += p.divide(p.units(m))
		}
	}
	return p.scaled(total)
}

// Parts returns the estimate for some parts of a message, in tokens, without the message's framing. All text is
// measured as spelled in the source.
func (p *Profile) Parts(t *transcript.Transcript, parts []transcript.Part) int {
	return p.scaled(p.sum(t, true, transcript.Measure{}, parts))
}

// sum returns the estimate for parts and for extra, the content of their message outside parts, in tokens, before the
// correction. With spelled, all text is measured as spelled in the source, even if the kind of part has another
// spelling.
func (p *Profile) sum(t *transcript.Transcript, spelled bool, extra transcript.Measure, parts []transcript.Part) int {
	total := 0
	var units uint64
	add := func(m transcript.Measure) {
		if p.PerMessage {
			units += p.units(m)
		} else {
			total += p.divide(p.units(m))
		}
	}
	if !p.BareFields {
		add(extra)
	}
	for i := range parts {
		part := &parts[i]
		if part.Has(transcript.Removed|transcript.NotSent) || p.Outer && part.Parent >= 0 {
			continue
		}
		k := &p.Kinds[part.Kind]
		units += k.Units
		total += k.Tokens
		if part.Kind != transcript.ToolResult || !holdsParts(parts[i+1:]) {
			total += p.Block
		}
		if !k.NoText && !(p.FreeNull && part.Has(transcript.Null)) {
			size := part.Size
			if k.Spell != nil && !spelled {
				size = k.Spell(t, part)
			}
			add(size)
		}
		if !k.NoName {
			add(part.NameSz)
		}
		if k.Unsized > 0 {
			total += p.image(t, part, k.Unsized)
		}
		if k.Payload != nil {
			total += k.Payload(uint64(part.Data))
		}
	}
	return total + p.divide(units)
}

// GoArguments returns the arguments of a tool call in the spelling of jsonspan.AppendGo, or nil if they are null.
func GoArguments(t *transcript.Transcript, call *transcript.Part) []byte {
	switch {
	case call.Body.IsZero() || string(t.Bytes(call.Body)) == "null":
		return nil
	case call.Has(transcript.JSONText):
		return jsonspan.AppendGo(nil, t.AppendText(nil, call.Body))
	}
	return jsonspan.AppendGo(nil, t.Bytes(call.Body))
}

// holdsParts reports whether a tool result contains parts that are not removed. next holds the parts that follow the
// tool result.
func holdsParts(next []transcript.Part) bool {
	for i := range next {
		if next[i].Parent < 0 {
			return false
		}
		if !next[i].Has(transcript.Removed) {
			return true
		}
	}
	return false
}

// OutsideMessages estimates, in tokens, what a request body sends in addition to the messages: the system prompt, the
// tool definitions, and the fixed amount of the correction.
func (p *Profile) OutsideMessages(t *transcript.Transcript) int {
	return p.Measure(t.System) + p.Measure(t.Tools) + p.Fixed
}

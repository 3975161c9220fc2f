package exact

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Estimator returns a copy of an estimator with the published system's defects: everything that the system forgets to
// count costs nothing.
func Estimator(p *tokens.Profile) *tokens.Profile {
	q := *p
	switch p.Name {
	case "bytes4-floor":
		q.BareFields, q.Outer = true, true
		q.Kinds = only(transcript.Text)
	case "utf16-4":
		q.BareFields, q.Outer, q.Besides = true, true, oldCalls
		q.Kinds = only(transcript.Text, transcript.ToolCall, transcript.ToolResult)
		q.Kinds[transcript.ToolCall].Spell, q.Kinds[transcript.ToolResult].Spell = stringified, stringified
		q.Kinds[transcript.ToolResult].NoName = true
	case "bytes4-message":
		q.BareFields = true
		q.Kinds[transcript.ToolResult].NoName = true
		q.Kinds[transcript.File], q.Kinds[transcript.Audio] = free, free
	}
	return &q
}

// free is the cost of parts that count as 0 tokens.
var free = tokens.Cost{NoText: true, NoName: true}

// only returns a cost table in which everything is free except the texts of the given kinds of parts.
func only(kinds ...transcript.Kind) (k [transcript.Opaque + 1]tokens.Cost) {
	for i := range k {
		k[i] = free
	}
	for _, kind := range kinds {
		k[kind] = tokens.Cost{}
	}
	return k
}

// stringified returns the measure of a part's body as JSON.stringify writes it, with quotes around strings. A missing
// body has the measure 0 (S2.2, S2.3).
func stringified(t *transcript.Transcript, part *transcript.Part) transcript.Measure {
	if part.Body.IsZero() {
		return transcript.Measure{}
	}
	return jsonspan.New(t.Bytes(part.Body)).Skip().Measure
}

// oldCalls returns the measures of the names and arguments of the tool calls that an older
// assistant message has outside its content, as a list [{"toolName","args"}] (S2.2). It returns nil
// if there are none.
func oldCalls(t *transcript.Transcript, message int) (sizes []transcript.Measure) {
	m := &t.Messages[message]
	if m.Role != transcript.Assistant || !t.IsArray(m.OldCalls) {
		return nil
	}
	s := jsonspan.New(t.Bytes(m.OldCalls))
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			s.Skip()
			continue
		}
		for key := range s.Members {
			switch {
			case string(key) == "args":
				sizes = append(sizes, s.Skip().Measure)
			case string(key) == "toolName" && s.Kind() == jsonspan.String:
				sizes = append(sizes, s.Text().Measure)
			default:
				s.Skip()
			}
		}
	}
	return sizes
}

// Anchor is a token count from the provider. It covers all messages up to and including the one at Index; later
// messages are estimated (S0.38).
type Anchor struct{ Tokens, Index int }

// Record returns the anchor after a model call whose response is the message at index. usage is the provider's count
// for the call, summed over all kinds of tokens. If usage is 0 or less, Record returns a, which may be nil.
func (a *Anchor) Record(usage, index int) *Anchor {
	if usage <= 0 {
		return a
	}
	return &Anchor{usage, index}
}

// Count returns the size of all messages, in tokens. If the anchor is nil or its index is out of range, the whole
// size is an estimate.
func (a *Anchor) Count(p *tokens.Profile, t *transcript.Transcript) int {
	sum, from := 0, 0
	if a != nil && a.Index >= 0 && a.Index < len(t.Messages) {
		sum, from = a.Tokens, a.Index+1
	}
	for m := from; m < len(t.Messages); m++ {
		sum += p.Message(t, m)
	}
	return sum
}

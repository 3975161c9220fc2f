package convert

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// readTurns splits the source into turns. Tool results are left out, because they are written with their calls.
func (c *conversion) readTurns() {
	// These are the formats in which each text and each call may be a separate message.
	r := turning{c: c, apart: c.from.Rules.Answers == wire.Anywhere || c.from.Rules.Apart}
	for i := range c.t.Messages {
		if c.isUnsent(int32(i)) {
			c.recordLoss(int32(i), -1, "message", api.LossNotSent, api.InsteadNothing, "")
			continue
		}
		r.message(int32(i))
	}
}

// turning splits messages into turns.
type turning struct {
	c         *conversion // gets the turns
	apart     bool        // the source writes one turn of the assistant as several messages
	continues bool        // the last turn is the assistant's, and the next message may continue it
	msg       int32       // index of the message that is being split
}

// start starts a turn, unless the last turn continues.
func (r *turning) start(role transcript.Role) {
	if role != transcript.Assistant || !r.continues {
		r.c.turns = append(r.c.turns, turn{role: role, msg: r.msg})
	}
	r.continues = role == transcript.Assistant && r.apart
}

// last returns the last turn.
func (r *turning) last() *turn { return &r.c.turns[len(r.c.turns)-1] }

// message adds message i to the turns. A message of the assistant continues the last turn if continues is set.
func (r *turning) message(i int32) {
	c, m := r.c, &r.c.t.Messages[i]
	r.msg = i
	c.loseMembers(i)
	role := r.role(m)
	if role != transcript.Assistant || !r.apart {
		r.continues = false
	}
	if role != transcript.Tool {
		r.start(role)
	}
	if m.Variant != transcript.Plain {
		c.variant(i)
	}
	for _, n := range c.spoken(m) {
		p := &c.t.Parts[n]
		r.step(p, role)
		if p.Has(transcript.Step|transcript.Said) && p.Kind == transcript.Opaque {
			continue
		}
		if part, ok := c.piece(n, role); ok {
			if role == transcript.Tool { // something other than a result
				r.start(transcript.User)
			}
			r.last().pieces = append(r.last().pieces, part)
		}
	}
}

// step starts a new turn if p is an assistant or system part that begins a step, or if the speaker changes to or from
// the user.
func (r *turning) step(p *transcript.Part, role transcript.Role) {
	if role != transcript.Assistant && role != transcript.System {
		return
	}
	said := p.Has(transcript.Said)
	if !p.Has(transcript.Step) && said == (r.last().role == transcript.User) {
		return
	}
	if r.continues = false; said {
		role = transcript.User
	}
	r.start(role)
}

// role returns the role for the turn of a message. A role that the source format doesn't define, and another name for
// the system role such as developer, is recorded as lost.
func (r *turning) role(m *transcript.Message) transcript.Role {
	c := r.c
	switch {
	case m.Role == transcript.Other:
		c.recordLoss(r.msg, -1, "message", api.LossRole, api.InsteadUser, c.roleName(m))
		return transcript.User
	case m.Role == transcript.System && !m.RoleSpan.IsZero() && !c.t.EqualText(m.RoleSpan, "system"):
		c.recordLoss(r.msg, -1, "message", api.LossRole, api.InsteadSystem, c.roleName(m))
	}
	return m.Role
}

// spoken returns the indexes of a message's parts that belong to a turn, in the order in which a model reads them.
// Reasoning outside the content comes first, and calls outside it come last, regardless of the order of the members.
func (c *conversion) spoken(m *transcript.Message) []int32 {
	said := c.order[:0]
	for rank := range 3 {
		for n := m.First; n < m.First+m.Count; n++ {
			if p := &c.t.Parts[n]; rankOf(p) == rank && p.Parent < 0 && !c.isSkipped(n) {
				said = append(said, n)
			}
		}
	}
	c.order = said
	return said
}

func rankOf(p *transcript.Part) int {
	switch {
	case p.List == transcript.Member && p.Kind == transcript.Reasoning:
		return 0
	case p.List >= transcript.CallList:
		return 2
	}
	return 1
}

func (c *conversion) roleName(m *transcript.Message) string {
	if m.RoleSpan.IsZero() {
		return ""
	}
	return c.t.Text(m.RoleSpan)
}

// isSkipped reports whether a part doesn't belong to any turn, because it is an id, which loseMembers deals with; a
// result, which is written with its call; or a call that repeats another part.
func (c *conversion) isSkipped(n int32) bool {
	p := &c.t.Parts[n]
	return p.Kind == transcript.ToolResult && !p.Has(transcript.Server) || c.copied != nil && c.copied[n] ||
		p.Kind == transcript.Opaque && p.List == transcript.Member && p.Has(transcript.Stored)
}

// text returns the decoded string at a span, or "" if there is no string.
func (c *conversion) text(p jsonspan.Span) string {
	if !c.t.IsString(p) && (p.IsZero() || p.Len() < 2) {
		return ""
	}
	return c.t.Text(p)
}

// piece returns a piece for part n. It returns false, after recording the loss, if the part can't be carried over.
func (c *conversion) piece(n int32, role transcript.Role) (piece, bool) {
	t, p := c.t, &c.t.Parts[n]
	none := piece{}
	switch {
	case p.Has(transcript.Mark):
		c.recordPartLoss(n, api.LossCacheMark, api.InsteadNothing, "")
		return none, false
	case p.Has(transcript.Server):
		c.recordPartLoss(n, api.LossServerTool, api.InsteadNothing, c.text(p.Name))
		return none, false
	}
	switch p.Kind {
	case transcript.Text:
		if p.Body.IsZero() || t.IsBlank(p.Body) {
			if p.Size.Bytes > 0 {
				c.recordPartLoss(n, api.LossEmpty, api.InsteadNothing, "")
			}
			return none, false
		}
		if p.Has(transcript.Summary) {
			c.recordPartLoss(n, api.LossProviderOnly, api.InsteadText, "")
		}
		return piece{transcript.Text, n, ""}, true
	case transcript.Reasoning:
		return c.reasoning(n, role)
	case transcript.ToolCall:
		if role != transcript.Assistant {
			c.recordPartLoss(n, api.LossRole, api.InsteadNothing, "")
			return none, false
		}
		return piece{transcript.ToolCall, n, ""}, true
	case transcript.Opaque:
		return c.opaque(n)
	}
	return piece{p.Kind, n, ""}, true
}

// reasoning returns a piece for reasoning, without its signature. It returns false if the target can't express
// reasoning.
func (c *conversion) reasoning(n int32, role transcript.Role) (piece, bool) {
	p := &c.t.Parts[n]
	signed := p.Has(transcript.Signed | transcript.Bound)
	switch {
	case p.Body.IsZero() || !c.t.IsString(p.Body) || c.t.IsBlank(p.Body):
		if signed || p.Size.Bytes > 0 {
			c.recordPartLoss(n, api.LossSigned, api.InsteadNothing, "")
		}
		return piece{}, false
	case role != transcript.Assistant || c.to.Reasoning == "" && !c.to.ReasoningBeside:
		why := api.LossNoPlace
		if signed {
			why = api.LossSigned
		}
		c.recordPartLoss(n, why, api.InsteadNothing, "")
		return piece{}, false
	case signed:
		c.recordPartLoss(n, api.LossSigned, api.InsteadUnsigned, "")
	}
	return piece{transcript.Reasoning, n, ""}, true
}

// opaque returns a piece for a part whose type only its provider knows. If the part has
// human-readable text, such as a refusal or an answer with citations, the piece consists of that
// text; otherwise opaque returns false. Both are recorded as a loss, since only the provider knows
// what else the part contains.
func (c *conversion) opaque(n int32) (piece, bool) {
	p := &c.t.Parts[n]
	b := c.t.Bytes(p.Span)
	if p.List == transcript.Member {
		b = append(append([]byte{'{'}, b...), '}')
	}
	said := saidIn(b, p.Has(transcript.NotSent))
	switch {
	case strings.TrimSpace(said) != "":
		c.recordPartLoss(n, api.LossOpaque, api.InsteadText, typeOf(b))
		return piece{transcript.Text, -1, said}, true
	case p.Has(transcript.NotSent):
		c.recordPartLoss(n, api.LossNotSent, api.InsteadNothing, typeOf(b))
	default:
		c.recordPartLoss(n, api.LossOpaque, api.InsteadNothing, typeOf(b))
	}
	return piece{}, false
}

// saidIn returns the human-readable text in an opaque part, given as JSON, or "". notSent means
// that the part is never sent to the provider.
func saidIn(b []byte, notSent bool) (said string) {
	textKey := "refusal"
	switch typ := typeOf(b); {
	case typ == "text-plain":
		textKey = "text"
	case typ == "structured-output" && !notSent:
		textKey = "raw"
	}
	s := jsonspan.New(b)
	if s.Kind() != jsonspan.Object {
		return ""
	}
	for key := range s.Members {
		switch name, kind := string(key), s.Kind(); {
		case kind == jsonspan.String && (name == "refusal" || name == textKey):
			said = jsonspan.Text(b, s.Text().Span)
		case kind == jsonspan.Object && (name == "citationsContent" || name == "citations"):
			said = citedTexts(b, s)
		default:
			s.Skip()
		}
	}
	return said
}

// citedTexts returns the texts of an answer with citations, {"content":[{"text":…}]}, as one text.
func citedTexts(b []byte, s *jsonspan.Scanner) string {
	var texts []string
	for key := range s.Members {
		if string(key) != "content" || s.Kind() != jsonspan.Array {
			s.Skip()
			continue
		}
		for s.Array(); s.Elem(); {
			texts = appendTexts(texts, b, s)
		}
	}
	return strings.Join(texts, "")
}

// appendTexts appends the text of the object at the scanner, {"text":…}.
func appendTexts(texts []string, b []byte, s *jsonspan.Scanner) []string {
	if s.Kind() != jsonspan.Object {
		s.Skip()
		return texts
	}
	for key := range s.Members {
		if string(key) == "text" && s.Kind() == jsonspan.String {
			texts = append(texts, jsonspan.Text(b, s.Text().Span))
		} else {
			s.Skip()
		}
	}
	return texts
}

// typeOf returns an opaque part's type, for reports. If the part has no type, it returns the key of the first member,
// or "" if it has no members or is no object.
func typeOf(b []byte) string {
	s := jsonspan.New(b)
	first := ""
	if s.Kind() != jsonspan.Object {
		return ""
	}
	for key := range s.Members {
		if string(key) == "type" && s.Kind() == jsonspan.String {
			return jsonspan.Text(b, s.Text().Span)
		}
		if first == "" {
			first = string(key)
		}
		s.Skip()
	}
	return first
}

// variant turns a message in ctxfold's own format that is more than a role and content (a command, a note, a digest)
// into the user's words.
func (c *conversion) variant(i int32) {
	m := &c.t.Messages[i]
	last := &c.turns[len(c.turns)-1]
	c.recordLoss(i, -1, "message", api.LossRole, api.InsteadUser, c.roleName(m))
	if m.Variant != transcript.Shell {
		return
	}
	text := "Ran a command:"
	if !m.Label.IsZero() {
		text = "Ran: " + c.t.Text(m.Label)
	}
	if !m.Exit.IsZero() {
		text += "\nExit code: " + string(c.t.Bytes(m.Exit))
	}
	last.pieces = append(last.pieces, piece{transcript.Text, -1, text})
}

package convert

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// message is the message being written.
type message struct {
	open      bool            // whether a message has been begun
	role      transcript.Role // its role
	parts     []byte          // separated by commas
	n         int             // number of parts
	texts     [][]byte        // the texts among the parts
	other     bool            // some of the parts are not text
	calls     []byte          // the tool calls, separated by commas
	reasoning [][]byte        // the texts of the reasoning
	images    []byte          // the images, separated by commas
	turns     int             // the number of the assistant's turns that it holds
	file      string          // a note that describes its first file
	called    bool            // it contains a call
}

// writeTurns writes all turns. Turns without pieces are left out. Whatever the system says before all other turns goes
// where the target has its system prompt.
func (c *conversion) writeTurns() {
	front := true // all turns so far are the system's
	for i := range c.turns {
		t := &c.turns[i]
		if len(t.pieces) == 0 {
			continue
		}
		switch t.role {
		case transcript.System:
			c.writeSystem(t, front)
		case transcript.User:
			front = false
			c.openMessage(transcript.User)
			for _, p := range t.pieces {
				c.addPiece(p, wire.ByUser)
			}
		case transcript.Assistant:
			front = false
			c.writeAssistant(t)
		}
	}
	c.closeMessage()
	if len(c.system) > 0 && c.to.System != "" { // the target has the system prompt in the list, at the front
		list := c.out
		c.out, c.n = nil, 0
		c.openMessage(transcript.System)
		c.addText(strings.Join(c.system, "\n\n"))
		c.closeMessage()
		if c.system = nil; len(list) > 0 {
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, list...)
	}
}

// writeSystem writes a system turn. If the target has system messages, the turn becomes one. Otherwise, if front is
// true (no one else has spoken before), it becomes part of the system prompt outside the list; if not, a user text.
func (c *conversion) writeSystem(t *turn, front bool) {
	var texts []string
	for _, p := range t.pieces {
		if p.kind == transcript.Text {
			texts = append(texts, c.textOf(p))
		} else {
			c.recordPartLoss(p.part, api.LossNoPlace, api.InsteadNothing, "")
		}
	}
	if len(texts) == 0 {
		return
	}
	text := strings.Join(texts, "\n\n")
	switch {
	case c.to.System != "" && !c.to.SystemFirst:
		c.closeMessage()
		c.openMessage(transcript.System)
		c.addText(text)
		c.closeMessage()
	case c.to.System != "" && front:
		if !c.current.open || c.current.role != transcript.System { // system messages at the front become one
			c.openMessage(transcript.System)
		}
		c.addText(text)
	case front:
		c.system = append(c.system, text)
	default:
		c.recordLoss(t.msg, -1, "message", api.LossSystemPlace, api.InsteadUser, "")
		c.openMessage(transcript.User)
		c.addText(text)
	}
}

// writeAssistant writes an assistant turn, followed by the results of its calls.
func (c *conversion) writeAssistant(t *turn) {
	c.openMessage(transcript.Assistant)
	if c.to.Step != "" {
		c.addPart([]byte(c.to.Step), true)
		c.current.turns++
	}
	inOrder := c.to.Items && c.to.Call != "" // whether calls are items among the other pieces
	calls := 0
	for _, p := range t.pieces {
		if p.kind == transcript.ToolCall {
			calls++
		}
		if p.kind != transcript.ToolCall || inOrder {
			c.addPiece(p, wire.ByAssistant)
		}
	}
	if calls == 0 {
		return
	}
	list := make([]int32, 0, calls)
	for _, p := range t.pieces {
		if p.kind != transcript.ToolCall {
			continue
		}
		if list = append(list, p.part); !inOrder {
			c.writeCall(p.part, len(list) == 1)
		}
	}
	c.writeResults(list)
}

// openMessage starts a message with the given role, unless the open message has the same role and the target requires
// that such messages are merged.
func (c *conversion) openMessage(role transcript.Role) {
	if c.current.open && c.current.role == role && (c.f.Rules.Alternate != "" || c.to.Step != "" && role == transcript.Assistant) {
		return
	}
	c.closeMessage()
	c.current.open, c.current.role = true, role
}

// closeMessage writes the open message, unless it is empty.
func (c *conversion) closeMessage() {
	m := &c.current
	if !m.open {
		return
	}
	if m.file != "" && len(m.texts) == 0 && c.to.Captioned {
		c.addText(m.file)
	}
	if m.n > m.turns || len(m.calls) > 0 || len(m.images) > 0 || len(m.reasoning) > 0 {
		template := [...]string{transcript.System: c.to.System, transcript.User: c.to.User,
			transcript.Assistant: c.to.Assistant}[m.role]
		v := wire.Values{'c': c.contentOf(m), 'k': m.calls, 'g': m.images, 'A': here}
		if m.called {
			v['a'], v['A'] = here, nil
		}
		if m.role == transcript.System {
			v['t'] = jsonspan.AppendString(nil, bytes.Join(m.texts, []byte("\n")))
		}
		if len(m.reasoning) > 0 {
			v['h'] = jsonspan.AppendString(nil, bytes.Join(m.reasoning, []byte("\n")))
		}
		c.emitMessage(template, &v)
	}
	*m = message{parts: m.parts[:0], texts: m.texts[:0], calls: nil}
}

// contentOf returns the content of a message, written as the target requires for the message's role.
func (c *conversion) contentOf(m *message) []byte {
	way := c.to.Content
	if m.role == transcript.Assistant && c.to.Said != wire.AsList {
		way = c.to.Said
	}
	switch {
	case m.n == 0 && c.to.Empty != "":
		return []byte(c.to.Empty)
	case way == wire.AsString || way == wire.AsEither && !m.other && (len(m.texts) == 1 || m.role == transcript.System):
		return jsonspan.AppendString(nil, bytes.Join(m.texts, []byte("\n")))
	case way == wire.AsEither || way == wire.AsBlock && m.n != 1:
		return append(append([]byte{'['}, m.parts...), ']')
	}
	return m.parts
}

// here is the value of template letters that only mark whether something is present.
var here = []byte{}

// emitMessage appends a message to the output by filling in a template.
func (c *conversion) emitMessage(template string, v *wire.Values) {
	if c.n++; c.n > 1 {
		c.out = append(c.out, ',')
	}
	c.setCounters(template, v)
	c.out = wire.FillTemplate(c.out, template, v)
}

// setCounters sets the values for the next number and the next date, if the template contains them.
func (c *conversion) setCounters(template string, v *wire.Values) {
	if strings.Contains(template, "%#") {
		c.number++
		v['#'] = strconv.AppendInt(nil, int64(c.number), 10)
	}
	if strings.Contains(template, "%@") {
		v['@'] = dateAfter(c.number)
	}
}

// dateAfter returns the time ms milliseconds after the beginning of 1970 as a JSON string. ms must be less than a
// month.
func dateAfter(ms int) []byte {
	out := []byte(`"1970-01-`)
	for _, field := range [...]struct {
		n, digits int
		end       byte
	}{{1 + ms/86_400_000, 2, 'T'}, {ms / 3_600_000 % 24, 2, ':'}, {ms / 60_000 % 60, 2, ':'}, {ms / 1000 % 60, 2, '.'},
		{ms % 1000, 3, 'Z'}} {
		digits := strconv.Itoa(field.n)
		out = append(append(append(out, "000"[:max(0, field.digits-len(digits))]...), digits...), field.end)
	}
	return append(out, '"')
}

// addPart adds a part to the open message. other is true if the part is not text.
func (c *conversion) addPart(part []byte, other bool) {
	m := &c.current
	if m.n++; m.n > 1 {
		m.parts = append(m.parts, ',')
	}
	m.parts = append(m.parts, part...)
	m.other = m.other || other
}

// addText adds text to the open message. If the target needs a separate message for each text of the assistant, addText
// also closes that message and opens the next one.
func (c *conversion) addText(text string) {
	v := wire.Values{'t': jsonspan.AppendString(nil, text)}
	template := c.to.Text
	if c.to.Spoken != "" && c.current.role == transcript.Assistant {
		template = c.to.Spoken
	}
	c.addPart(wire.FillTemplate(nil, template, &v), false)
	c.current.texts = append(c.current.texts, []byte(text))
	if c.to.Items && c.to.Said == wire.AsString && c.current.role == transcript.Assistant {
		c.closeMessage()
		c.openMessage(transcript.Assistant)
	}
}

// textOf returns the text of a piece. A piece without a part has its own text; otherwise it is the text of the part.
func (c *conversion) textOf(p piece) string {
	if p.part < 0 {
		return p.text
	}
	return c.t.Text(c.t.Parts[p.part].Body)
}

// addPiece adds a piece to the open message. place is where media of the piece would be; if the target has no such
// place for them, a text about them takes their place (see addMedia).
func (c *conversion) addPiece(p piece, place wire.MediaPlaces) {
	switch p.kind {
	case transcript.Text:
		c.addText(c.textOf(p))
	case transcript.Reasoning:
		if c.to.ReasoningBeside {
			c.current.reasoning = append(c.current.reasoning, []byte(c.textOf(p)))
			return
		}
		v := wire.Values{'t': jsonspan.AppendString(nil, c.textOf(p))}
		if c.to.ReasoningApart {
			c.closeMessage()
			c.emitMessage(c.to.Reasoning, &v)
			c.openMessage(transcript.Assistant)
			return
		}
		c.addPart(wire.FillTemplate(nil, c.to.Reasoning, &v), true)
	case transcript.ToolCall:
		c.writeCall(p.part, false)
	default:
		for _, m := range c.payloads(p.part) {
			c.addMedia(p, &m, place)
		}
	}
}

// addMedia adds one payload of a piece to the open message, or text about it if the target has no place for it.
func (c *conversion) addMedia(p piece, m *payload, place wire.MediaPlaces) {
	if m.text != "" {
		c.recordPartLoss(p.part, api.LossMediaType, api.InsteadText, m.mime)
		c.addText(m.text)
		return
	}
	part, ok := c.mediaFor(p.part, m, place)
	switch {
	case !ok:
		c.mediaMembers(p.part, m)
		c.recordPartLoss(p.part, c.refusalReason(p.kind, m, place), api.InsteadText, m.mime)
		c.addText(m.describe(p.kind))
	case c.to.Content == wire.AsString:
		if len(c.current.images) > 0 {
			c.current.images = append(c.current.images, ',')
		}
		c.current.images = append(c.current.images, part...)
	default:
		if c.addPart(part, true); p.kind == transcript.File && c.current.file == "" {
			c.current.file = m.describe(p.kind)
		}
	}
}

// mediaFor returns a payload in the target's form for the given place. It returns false if the target doesn't accept
// the payload there. n is the part of the payload.
func (c *conversion) mediaFor(n int32, m *payload, place wire.MediaPlaces) ([]byte, bool) {
	kind := c.t.Parts[n].Kind
	for i := range c.to.Media {
		form := &c.to.Media[i]
		word, ok := form.Accepts(kind, m.mime, m.data != "", place)
		if !ok || m.data == "" && m.url == "" {
			continue
		}
		template := form.Data
		if m.data == "" {
			template = form.URL
		}
		v := m.values(kind)
		v['x'] = []byte(word)
		c.setCounters(template, v)
		if m.name != "" && !strings.Contains(template, "%f") {
			c.recordPartLoss(n, api.LossName, api.InsteadNothing, m.name)
		}
		c.mediaMembers(n, m)
		return wire.FillTemplate(nil, template, v), true
	}
	return nil, false
}

// values returns the values that the templates need for a payload of the given kind.
func (m *payload) values(kind transcript.Kind) *wire.Values {
	v := wire.Values{'u': jsonspan.AppendString(nil, m.dataURL()), 'F': []byte(`"file"`),
		'M': []byte(`"application/octet-stream"`)}
	if kind == transcript.Image {
		v['M'] = []byte(`"image/*"`)
	}
	if m.mime != "" {
		v['m'], v['M'] = jsonspan.AppendString(nil, m.mime), nil
	}
	if m.name != "" {
		v['f'], v['F'] = jsonspan.AppendString(nil, m.name), nil
	}
	if m.data != "" {
		v['d'] = jsonspan.AppendString(nil, m.data)
	}
	return &v
}

// mediaMembers records as lost the members of payload m of part n that could not be interpreted.
func (c *conversion) mediaMembers(n int32, m *payload) {
	p := &c.t.Parts[n]
	if p.List == transcript.NoList && p.Span == c.t.Messages[p.Msg].Span {
		return // recorded with the message
	}
	for _, name := range m.lost {
		c.recordLoss(p.Msg, n, "member", lossReason(name), api.InsteadNothing, name)
	}
	m.lost = nil
}

// refusalReason returns the reason why the target doesn't accept a payload in a place.
func (c *conversion) refusalReason(kind transcript.Kind, m *payload, place wire.MediaPlaces) api.LossReason {
	if m.data == "" && m.url == "" {
		if m.stored != "" {
			return api.LossProviderOnly
		}
		return api.LossOpaque
	}
	for i := range c.to.Media {
		if form := &c.to.Media[i]; form.Kind == kind && form.In&place != 0 {
			if m.data == "" && form.URL == "" {
				return api.LossURL
			}
			return api.LossMediaType
		}
	}
	return api.LossNoPlace
}

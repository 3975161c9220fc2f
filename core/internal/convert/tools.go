package convert

import (
	"bytes"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// writeCall writes a tool call. Depending on the target, it is written into the open message, next to its content, or
// as a separate message; if the target has no tool calls, it becomes text. first is true for the first call of a turn.
// A call that the target stores together with its result is left to writeResults.
func (c *conversion) writeCall(n int32, first bool) {
	if c.to.Answered != "" && c.t.Parts[n].Pair >= 0 {
		return // writeResults writes it
	}
	if c.to.Call == "" {
		c.recordPartLoss(n, api.LossNoPlace, api.InsteadText, "")
		c.addText("[Tool call: " + c.toolName(n) + " " + string(c.argumentsOf(n)) + "]")
		return
	}
	v := c.callValues(n)
	part := wire.FillTemplate(nil, c.to.Call, v)
	if c.to.Sign && first {
		part = append(c.f.Sign(nil, nil), part[1:]...)
	}
	switch {
	case c.to.Items:
		c.closeMessage()
		c.emitMessage(c.to.Call, v)
		c.openMessage(transcript.Assistant)
	case c.to.CallsBeside:
		if len(c.current.calls) > 0 {
			c.current.calls = append(c.current.calls, ',')
		}
		c.current.calls = append(c.current.calls, part...)
	default:
		c.current.called = true
		c.addPart(part, true)
	}
}

// callValues returns the values that the templates of calls and results need for call n.
func (c *conversion) callValues(n int32) *wire.Values {
	name := c.toolName(n)
	if !c.to.ToolName.Accepts(name) {
		made := c.to.ToolName.Conform(name)
		if made == "" {
			made = "tool"
		}
		c.recordPartLoss(n, api.LossNameForm, api.InsteadChanged, made)
		name = made
	}
	v := &wire.Values{'n': jsonspan.AppendString(nil, name), 'N': jsonspan.AppendString(nil, "tool-"+name),
		'o': c.argumentsOf(n)}
	v['s'] = jsonspan.AppendString(nil, v['o'])
	if !c.to.NoID {
		v['i'] = jsonspan.AppendString(nil, c.ids[n])
	}
	return v
}

func (c *conversion) toolName(n int32) string {
	p := &c.t.Parts[n]
	if p.Name.IsZero() && p.Pair >= 0 {
		p = &c.t.Parts[p.Pair]
	}
	if p.Name.IsZero() {
		return "tool"
	}
	return c.t.Text(p.Name)
}

// argumentsDepth is the number of levels that a target may nest around a call's arguments. The depth limit for
// arguments is lower than that for messages by this number.
const argumentsDepth = 12

// argumentsOf returns the arguments of a call as a JSON object. If they are not an object, they are put into one; if they
// are missing or null, the object is empty.
func (c *conversion) argumentsOf(n int32) []byte {
	p := &c.t.Parts[n]
	if p.Body.IsZero() {
		return []byte("{}")
	}
	b := c.t.Bytes(p.Body)
	if string(b) == "null" {
		return []byte("{}")
	}
	said := b
	if b[0] == '"' {
		said = []byte(c.t.Text(p.Body))
		if !p.Has(transcript.JSONText) && !looksLikeObject(said) {
			c.recordPartLoss(n, api.LossArguments, api.InsteadWrapped, "")
			return wrapArguments(said)
		}
		if strings.TrimSpace(string(said)) == "" {
			return []byte("{}")
		}
	}
	if object := asObject(said); object != nil {
		return object
	}
	c.recordPartLoss(n, api.LossArguments, api.InsteadWrapped, "")
	return wrapArguments(said)
}

func looksLikeObject(b []byte) bool { return len(b) > 1 && b[0] == '{' && b[len(b)-1] == '}' }

func wrapArguments(text []byte) []byte {
	return append(jsonspan.AppendString([]byte(`{"input":`), text), '}')
}

// asObject returns the JSON object in text, in compact form. It returns nil if the text is not an object or is
// nested too deeply for a message.
func asObject(text []byte) []byte {
	if !isShallowJSON(text) || jsonspan.New(text).Kind() != jsonspan.Object {
		return nil
	}
	return jsonspan.AppendCompact(nil, text)
}

// isShallowJSON reports whether text is a single JSON value that is not nested too deeply for a message.
func isShallowJSON(text []byte) bool {
	s := jsonspan.New(text).Within(0, argumentsDepth)
	at := s.Skip()
	if s.Err() != nil {
		return false
	}
	for _, b := range text[at.End:] {
		if b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			return false
		}
	}
	return true
}

// outcome is the content of a tool result.
type outcome struct {
	texts []string // the result's texts, in order
	media []piece  // its images, files and audio
	value []byte   // the content as JSON, if it is a value other than a string or a list of parts
	fails bool     // whether the result is an error
}

// outcomeOf reads the tool result at part n. A result without content gives the zero outcome.
func (c *conversion) outcomeOf(n int32) (o outcome) {
	t, p := c.t, &c.t.Parts[n]
	o.fails = p.Has(transcript.IsError)
	inner := t.InnerParts(int(n))
	inside := false // the body is a list of parts
	for i := range inner {
		in := &inner[i]
		inside = inside || in.Span.Start >= p.Body.Start && in.Span.End <= p.Body.End
		c.addInnerPart(&o, in, n+1+int32(i), len(inner) == 1)
	}
	if inside || p.Body.IsZero() {
		return o
	}
	b := t.Bytes(p.Body)
	switch {
	case b[0] == '"':
		o.texts = append([]string{t.Text(p.Body)}, o.texts...)
	case b[0] == '[' && len(inner) == 0 && string(jsonspan.AppendCompact(nil, b)) == "[]", string(b) == "null":
	case b[0] == '{' && c.from.InnerMedia:
		o.setResponse(b)
	default:
		o.value = jsonspan.AppendCompact(nil, b)
	}
	return o
}

// addInnerPart adds p, the part at index n, which is inside a result, to the result's content. If the parameter only is
// true, the result contains no other part.
func (c *conversion) addInnerPart(o *outcome, p *transcript.Part, n int32, only bool) {
	t := c.t
	c.loseOtherMembers(p.Msg, n, p.Span, p.Kind, nil)
	switch {
	case p.Kind == transcript.Text && t.IsString(p.Body):
		o.texts = append(o.texts, t.Text(p.Body))
	case p.Kind.IsMedia():
		o.media = append(o.media, piece{p.Kind, n, ""})
	case !p.Body.IsZero() && p.Kind == transcript.Opaque:
		value := jsonspan.AppendCompact(nil, t.Bytes(p.Body))
		if only {
			o.value = value
		} else {
			o.texts = append(o.texts, string(value))
		}
	case p.Has(transcript.Mark):
		c.recordPartLoss(n, api.LossCacheMark, api.InsteadNothing, "")
	default:
		c.recordPartLoss(n, api.LossOpaque, api.InsteadNothing, typeOf(t.Bytes(p.Span)))
	}
}

// setResponse reads a response from a format in which responses must be objects. If the object has
// only an output or an error, the result is the value of that member. An empty object leaves the
// result unset.
func (o *outcome) setResponse(b []byte) {
	s := jsonspan.New(b)
	n := 0
	var only jsonspan.Value
	name := ""
	for key := range s.Members {
		name = string(key)
		only = s.Skip()
		n++
	}
	if n == 1 && (name == "output" || name == "error") {
		b = only.Slice(b)
	}
	if n > 0 {
		o.value = jsonspan.AppendCompact(nil, b)
	}
}

// resultValues returns the values that the templates need for a call and its result.
func (c *conversion) resultValues(call, result int32, o *outcome) *wire.Values {
	v := c.callValuesOf(call)
	c.setContent(o, v)
	if v['E'] = here; o.fails {
		v['E'] = nil
		v['e'] = []byte("true")
		if c.to.Outcome.Error == "" && c.to.Failed == "" && !strings.Contains(c.to.Result, "%?e") {
			c.recordPartLoss(result, api.LossErrorFlag, api.InsteadNothing, "")
		}
	}
	return v
}

// writeResults writes the results of calls, in order, followed by the media for which the target has no place in a
// result.
func (c *conversion) writeResults(calls []int32) {
	if c.to.Answered == "" && !c.to.ResultInside {
		c.closeMessage()
	}
	var gathered []byte
	for _, n := range calls {
		result := c.t.Parts[n].Pair
		if result < 0 || c.t.Parts[result].Kind != transcript.ToolResult {
			continue // the host has not answered the call yet
		}
		c.written[result] = true
		o := c.outcomeOf(result)
		if c.to.Call == "" {
			c.textResult(n, result, &o)
			continue
		}
		v := c.resultValues(n, result, &o)
		switch {
		case c.to.Answered != "" && o.fails:
			v['t'] = jsonspan.AppendString(nil, o.plainText())
			c.addPart(wire.FillTemplate(nil, c.to.Failed, v), true)
		case c.to.Answered != "":
			c.addPart(wire.FillTemplate(nil, c.to.Answered, v), true)
		case c.to.ResultInside:
			c.addPart(wire.FillTemplate(nil, c.to.Result, v), true)
		case c.to.Gathered == "":
			c.emitMessage(c.to.Result, v)
		case c.f.Rules.Alternate != "": // the user's next words go into the same message
			c.openMessage(transcript.User)
			c.addPart(wire.FillTemplate(nil, c.to.Result, v), true)
		default:
			if gathered != nil {
				gathered = append(gathered, ',')
			}
			gathered = wire.FillTemplate(gathered, c.to.Result, v)
		}
	}
	if gathered != nil {
		c.emitMessage(c.to.Gathered, &wire.Values{'c': gathered})
	}
	c.writeMediaAfter()
}

// writeMediaAfter writes the media that the target can't express in results into a user message after the results.
func (c *conversion) writeMediaAfter() {
	media := c.mediaAfter
	if len(media) == 0 {
		return
	}
	c.mediaAfter = nil
	c.openMessage(transcript.User)
	for _, p := range media {
		c.addPiece(p, wire.ByUser)
	}
}

// callValuesOf is like callValues, but for the call's result: it doesn't record again the losses that were recorded
// with the call.
func (c *conversion) callValuesOf(n int32) *wire.Values {
	if c.to.Answered != "" {
		return c.callValues(n)
	}
	lost := len(c.lost)
	v := c.callValues(n)
	c.lost = c.lost[:lost] // recorded with the call
	return v
}

// plainText returns the content of a result as plain text.
func (o *outcome) plainText() string {
	if o.value != nil {
		if o.value[0] == '"' {
			return jsonspan.Text(o.value, jsonspan.Span{End: uint32(len(o.value))})
		}
		return strings.Join(append([]string{string(o.value)}, o.texts...), "\n")
	}
	return strings.Join(o.texts, "\n")
}

// textResult writes a result as a user text, for targets without tool results. call is the part of the call. The text
// begins with "[Tool result: NAME]", and the result's media follow it. The report names the loss.
func (c *conversion) textResult(call, n int32, o *outcome) {
	c.recordPartLoss(n, api.LossNoPlace, api.InsteadText, "")
	c.openMessage(transcript.User)
	c.addText("[Tool result: " + c.toolName(call) + "]\n" + o.plainText())
	for _, p := range o.media {
		c.addPiece(p, wire.ByUser)
	}
}

// setContent sets the values in v for a result's content: %c and, if media are outside the content, %l.
func (c *conversion) setContent(o *outcome, v *wire.Values) {
	form := &c.to.Outcome
	media := c.resultMedia(o)
	switch {
	case len(media) > 0 && form.Beside:
		v['l'] = bytes.Join(media, []byte(","))
	case form.List != "" && (len(media) > 0 || len(o.texts) > 1):
		if parts := append(c.resultTexts(o), media...); len(parts) > 0 {
			v['c'] = wire.FillTemplate(nil, form.List, &wire.Values{'l': bytes.Join(parts, []byte(","))})
			return
		}
	}
	if template := c.valueTemplate(o); template != "" {
		v['c'] = wire.FillTemplate(nil, template, &wire.Values{'j': o.value})
		return
	}
	template := form.Text
	if o.fails && form.Error != "" {
		template = form.Error
	}
	text := jsonspan.AppendString(nil, o.plainText())
	if v['c'] = text; template != "" {
		v['c'] = wire.FillTemplate(nil, template, &wire.Values{'t': text})
	}
}

// resultMedia returns those media in a result that the target accepts in results. It turns other media into text parts
// or moves them to a message after the results.
func (c *conversion) resultMedia(o *outcome) (media [][]byte) {
	form := &c.to.Outcome
	for _, p := range o.media {
		for _, m := range c.payloads(p.part) {
			part, ok := c.mediaFor(p.part, &m, wire.InResult)
			switch {
			case ok && (form.List != "" || form.Beside):
				media = append(media, part)
			case m.text != "":
				c.recordPartLoss(p.part, api.LossMediaType, api.InsteadText, m.mime)
				o.texts = append(o.texts, m.text)
			case c.acceptsMedia(p.part, &m, wire.ByUser) && c.f.Rules.Follow == "" && c.to.Content != wire.AsString:
				c.recordPartLoss(p.part, api.LossNoPlace, api.InsteadMoved, m.mime)
				c.mediaAfter = append(c.mediaAfter, p)
			default:
				c.recordPartLoss(p.part, c.refusalReason(p.kind, &m, wire.InResult), api.InsteadText, m.mime)
				o.texts = append(o.texts, m.describe(p.kind))
			}
		}
	}
	return media
}

// resultTexts returns the texts of a result as parts in the target's form. Blank texts are left out.
func (c *conversion) resultTexts(o *outcome) (parts [][]byte) {
	texts := o.texts
	if o.value != nil {
		texts = []string{o.plainText()}
	}
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			parts = append(parts, wire.FillTemplate(nil, c.to.Outcome.Part,
				&wire.Values{'t': jsonspan.AppendString(nil, text)}))
		}
	}
	return parts
}

// valueTemplate returns the template for a result that is a JSON value, or "" if the result is written as text.
func (c *conversion) valueTemplate(o *outcome) string {
	form := &c.to.Outcome
	switch {
	case o.value == nil || o.value[0] == '"' || len(o.texts) > 0 || !isShallowJSON(o.value):
		return ""
	case o.fails && form.Failure != "":
		return form.Failure
	case o.value[0] == '{':
		return form.Object
	}
	return form.Array
}

// acceptsMedia reports whether the target accepts a payload in a place. It records no losses.
func (c *conversion) acceptsMedia(n int32, m *payload, place wire.MediaPlaces) bool {
	lost, names, number := len(c.lost), m.lost, c.number
	_, ok := c.mediaFor(n, m, place)
	c.lost, m.lost, c.number = c.lost[:lost], names, number
	return ok
}

// loseUnwritten records the loss of the results that were not written because their call is missing or was run by the
// provider's server.
func (c *conversion) loseUnwritten() {
	for n := range c.t.Parts {
		p := &c.t.Parts[n]
		if p.Kind != transcript.ToolResult || p.Has(transcript.Server) || p.Parent >= 0 || c.written[n] || c.isUnsent(p.Msg) {
			continue
		}
		why := api.LossOrphan
		if p.Pair >= 0 && c.t.Parts[p.Pair].Has(transcript.Server) {
			why = api.LossServerTool
		}
		id := ""
		if !p.ID.IsZero() {
			id = c.t.Text(p.ID)
		}
		c.recordPartLoss(int32(n), why, api.InsteadNothing, id)
	}
}

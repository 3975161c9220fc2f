package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// early holds those members of an item that have already been read. Their meaning depends on the type, so they can only
// be read early if the type comes first.
type early struct {
	// Index in Parts of the part that represents the item and is completed at its end; -1 if there is none.
	self    int
	content bool             // whether the texts of a reasoning item were read
	summary bool             // whether its summary was read
	output  bool             // whether a tool's output was read
	result  transcript.Part  // the body and its measure, if the output isn't a list of parts
	extra   jsonspan.Measure // the measure of the texts of a shell call's output that are not in result
}

// read reads the member at the reader. It returns false, without reading it, if the member must wait for the end of
// the item.
func (e *early) read(r *Reader, key int, f *frame) bool {
	typ, kind := r.shortText(&f[rpType]), r.Kind()
	if typ == "" {
		return false
	}
	item := r.items.itemOf(typ)
	switch {
	case item.kind == transcript.Reasoning:
		return kind == jsonspan.Array && e.readThoughts(r, key)
	case item.kind != transcript.ToolResult || key != rpOutput:
		return false
	case typ == "shell_call_output" && kind == jsonspan.Array:
		r.list(func(r *Reader) { shellOutput(r, &e.result, &e.extra) })
	case item.body != rpOutput:
		return false
	case kind == jsonspan.Array:
		self := e.part(r)
		r.list(func(r *Reader) { responsesPart(r, transcript.ContentList, self) })
	case r.items.kept && kind == jsonspan.Object && agentsOutputs(r.leadingType("type")):
		if !agentsOutput(r, e.part(r), &e.result) {
			return true // read again at the end, to measure it
		}
	default:
		return false
	}
	e.output = true
	return true
}

// readThoughts reads a list of a reasoning item: its summary or its texts. It reads the texts only
// after the summary, unless an SDK has stored the item, and the summary only before the texts. It
// returns false if it doesn't read the list.
func (e *early) readThoughts(r *Reader, key int) bool {
	switch {
	case key == rpSummary && !e.content:
		e.summary = true
	case key == rpContent && (e.summary || r.items.kept):
		e.content = true
	default:
		return false
	}
	e.part(r)
	r.list(reasoningPart)
	return true
}

// part returns the index of the part that represents the item. It adds the part if necessary.
func (e *early) part(r *Reader) int32 {
	if e.self < 0 {
		e.self = r.Add(transcript.Part{})
	}
	return int32(e.self)
}

// add adds the part that represents the item, or completes the existing one, and returns its index.
func (e *early) add(r *Reader, p transcript.Part) int32 {
	if e.self < 0 {
		return int32(r.Add(p))
	}
	was := &r.T.Parts[e.self]
	p.Msg, p.Pair = was.Msg, was.Pair
	*was = p
	return int32(e.self)
}

// addOpaque adds an opaque part that represents the item and contains no other parts.
func (e *early) addOpaque(r *Reader, p transcript.Part, output *field) {
	p.Kind, p.Size = transcript.Opaque, e.measureWhole(r, p.Size, output)
	if e.self >= 0 {
		r.T.Parts = r.T.Parts[:e.self+1]
	}
	e.add(r, p)
}

// measureWhole returns the measure of an item including its output. size is the measure of the item; if the output was
// read early, it isn't part of size yet.
func (e *early) measureWhole(r *Reader, size jsonspan.Measure, output *field) jsonspan.Measure {
	if e.output || e.self >= 0 {
		r.readAgain(output, func(r *Reader) { size = size.Add(r.Skip().Measure) })
	}
	return size
}

// reasoningPart reads a part of a summary or of the texts of reasoning.
func reasoningPart(r *Reader) { responsesPart(r, transcript.NoList, -1) }

// responsesReasoning adds a part for the encrypted content, and one for each readable text. If there is no readable
// text, the part for the encrypted content also represents the item.
func responsesReasoning(r *Reader, p transcript.Part, e *early, f *frame) {
	if r.items.kept && f[rpResult].Kind == jsonspan.Object {
		r.readAgain(&f[rpResult], func(r *Reader) { f[rpEncrypted] = r.encryptedIn() })
	}
	p.Size = encryptedSize(&f[rpEncrypted])
	f[rpEncrypted].setFlags(&p, transcript.Signed)
	f[rpID].setID(&p)
	first := int(e.add(r, p))
	if list := f[rpSummary]; list.Kind == jsonspan.Array && !e.summary {
		r.readAgain(&list, func(r *Reader) { r.list(reasoningPart) })
	}
	if list := f[rpContent]; list.Kind == jsonspan.Array && !e.content {
		r.readAgain(&list, func(r *Reader) { r.list(reasoningPart) })
	}
	for i := range r.T.Parts[first+1:] {
		if text := &r.T.Parts[first+1+i]; r.items.kept && text.Kind == transcript.Text {
			text.Kind = transcript.Reasoning
		}
	}
	if p.Has(transcript.Signed) { // the provider ignores it if the conversation before it has changed (OR9)
		for i := range r.T.Parts[first:] {
			r.T.Parts[first+i].Flags |= transcript.Bound
		}
	}
}

// responsesTool reads a tool call or result. Calls and results of tools that the provider runs, and
// results without an id, are opaque.
func responsesTool(r *Reader, m *transcript.Message, p transcript.Part, typ string, item *responsesItem, e *early,
	f *frame) {
	responsesNames(r, &p, typ, f)
	output := f[rpOutput]
	// A search that the provider runs needs no result, and neither does a result that names no call.
	search := r.items.kept && typ == "tool_search_call" && p.ID.IsZero()
	server := search || r.isText(&f[rpExecution], "server")
	if server {
		m.Role = transcript.Assistant
	}
	if server || p.ID.IsZero() && p.Kind == transcript.ToolResult {
		e.addOpaque(r, p, &output)
		return
	}
	if item.body > 0 {
		responsesBody(&p, typ, &f[item.body])
	}
	if p.Kind == transcript.ToolResult && r.isText(&f[rpStatus], "failed") {
		p.Flags |= transcript.IsError
	}
	responsesOutput(r, m, p, typ, item, e, output)
}

// responsesBody makes a member the body of a call or a result, unless the item lacks the member or it is null. typ is
// the item's type: the arguments of a function call are JSON in a string.
func responsesBody(p *transcript.Part, typ string, body *field) {
	if body.Kind == jsonspan.Invalid || body.Kind == jsonspan.Null {
		return
	}
	p.Body, p.Size = body.Span, body.Size
	if (typ == "function_call" || typ == "multi_agent_call") && body.Str() {
		p.Flags |= transcript.JSONText
	}
}

// responsesNames reads the name of the tool, and the id that a tool call and its result share. They go into p; typ is
// the item's type.
func responsesNames(r *Reader, p *transcript.Part, typ string, f *frame) {
	name, id := &f[rpName], &f[rpCallID]
	if typ == "multi_agent_call" {
		name = &f[rpAction]
	}
	if name.Str() {
		p.Name = name.Span
		if p.Kind == transcript.ToolCall {
			p.NameSz = name.Size
		}
	}
	switch {
	case id.Str():
	case typ == "local_shell_call_output" && f[rpID].Str():
		id = &f[rpID]
	case r.items.kept:
		id = &f[rpOtherID]
	}
	id.setID(p)
}

// responsesOutput adds a tool call or result together with the parts of its output, unless those have been read
// early.
func responsesOutput(r *Reader, m *transcript.Message, p transcript.Part, typ string, item *responsesItem, e *early,
	output field) {
	switch {
	case typ == "shell_call_output" && output.Kind == jsonspan.Array:
		if !e.output {
			r.readAgain(&output, func(r *Reader) { r.list(func(r *Reader) { shellOutput(r, &e.result, &e.extra) }) })
		}
		if m.Extra = m.Extra.Add(e.extra); e.result.Body.IsZero() {
			p.Size = e.measureWhole(r, p.Size, &output)
		} else {
			p.Body, p.Size = e.result.Body, e.result.Size
		}
	case typ == "computer_call_output" || typ == "computer_call_result":
		p.Size = jsonspan.Measure{}
		shot := transcript.Part{Kind: transcript.Image, List: transcript.NoList, Parent: int32(r.Add(p)),
			Span: output.Span, Data: output.Raw}
		r.Add(shot)
		return
	case e.output && output.Kind == jsonspan.Object:
		p.Body, p.Size = e.result.Body, e.result.Size
	case r.items.kept && item.body == rpOutput && output.Kind == jsonspan.Object:
		e.readAgentsOutput(r, &p, &output)
	case item.body == rpOutput && output.Kind == jsonspan.Array:
		if p.Size = (jsonspan.Measure{}); !e.output {
			self := e.add(r, p)
			r.readAgain(&output, func(r *Reader) {
				r.list(func(r *Reader) { responsesPart(r, transcript.ContentList, self) })
			})
			return
		}
	}
	e.add(r, p)
}

// readAgentsOutput reads, at the end of an item, a tool's output that is an object in the form of the Agents SDK. If an
// early attempt to read the output gave no result, its type is unknown, and it is only measured.
func (e *early) readAgentsOutput(r *Reader, p *transcript.Part, output *field) {
	known := e.self < 0
	self := e.part(r)
	r.readAgain(output, func(r *Reader) {
		switch {
		case !known:
			p.Size = r.Skip().Measure
		case agentsOutput(r, self, &e.result):
			p.Body, p.Size = e.result.Body, e.result.Size
		}
	})
}

var shellKeys = []string{"stdout", "stderr"}

// shellOutput reads the output of one command of a shell call. The longest text is the body of the result; the other
// texts are sent and billed as well, so they are added to extra.
func shellOutput(r *Reader, p *transcript.Part, extra *jsonspan.Measure) {
	if r.Kind() != jsonspan.Object {
		r.Fail(jsonspan.WrongType, int(r.Pos()), "the output of a command must be an object")
		return
	}
	f, _ := r.fields(shellKeys, nil)
	for _, text := range f[:len(shellKeys)] {
		switch {
		case !text.Str():
		case p.Body.IsZero():
			p.Body, p.Size = text.Span, text.Size
		case text.Size.Bytes > p.Size.Bytes:
			*extra = extra.Add(p.Size)
			p.Body, p.Size = text.Span, text.Size
		default:
			*extra = extra.Add(text.Size)
		}
	}
}

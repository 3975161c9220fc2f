package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	var items strings.Builder
	own := "list:input body:previous_response_id key:call_id key:encrypted_content model:gpt model:o1 model:o3 model:o4 model:codex"
	for _, name := range itemNames(responsesItems) {
		items.WriteString(" " + name)
		if name != "message" {
			own += " item:" + name
		}
	}
	Register(&Format{
		Name:    "openai-responses",
		Doc:     "OpenAI Responses: ResponseInputItem[], as a request body has it under input",
		List:    "input",
		Convert: target(&responsesTarget),
		Signs: Signs{
			Roles:    "system developer user assistant",
			Keys:     "content call_id encrypted_content name output summary",
			Types:    "input_text input_image input_file input_audio output_text refusal summary_text reasoning_text encrypted_content",
			Items:    items.String(),
			Decisive: "key:call_id",
			Own:      own + " type:input_text type:output_text type:input_image type:input_file type:summary_text type:reasoning_text",
		},
		ReadMessage: readResponses,
		Message:     textMessage(`{"type":"message","role":"%r","content":%?a%t%;%?A[{"type":"input_text","text":%t}]%;}`), // the assistant's long form needs an id
		ResultBody:  stringBody,
		Tool:        `{"type":"function","name":%n,"description":%d,"parameters":%p,"strict":false}`,
		TextPart:    `{"type":"input_text","text":%t}`,
		Results:     itemAnswers(responsesItems, false),
		FreshID:     "call_ctxfold_",
		Link:        linkResponses,
		Rules:       responsesRules,
		Extra:       checkResponses,
	})
}

// responsesRules are the rules of the API, which the Agents SDK has in common with it.
var responsesRules = Rules{
	Unanswered: "OR1", Orphan: "OR1", Duplicate: "OR1", Empty: "I3", Bound: "OR9",
	Answers: Anywhere, ResultRole: transcript.Tool,
}

const (
	rpType = iota
	rpRole
	rpContent
	rpID
	rpCallID
	rpName
	rpArguments
	rpInput
	rpOutput
	rpSummary
	rpEncrypted
	rpAction
	rpExecution
	rpOperation
	rpResult
	rpStatus
	rpOtherID
)

var responsesKeys = []string{
	"type", "role", "content", "id", "call_id", "name", "arguments", "input", "output", "summary", "encrypted_content",
	"action", "execution", "operation", "result", "status",
}

// itemDialect is the spelling of items: that of the API, or that in which an SDK stores them.
type itemDialect struct {
	keys  []string // of an item, in the order of the constants above
	parts []string // of a part, in the order of the constants below
	// item returns the description of a type of item. known is false if the dialect has no such type.
	item func(typ string) (item responsesItem, known bool)
	// kept means that an SDK has stored the items. An item may then contain what is a separate item in the API, and
	// providerData has the remaining members.
	kept bool
}

// itemOf returns the description of a type. An item of an unknown type is opaque.
func (d *itemDialect) itemOf(typ string) responsesItem {
	if item, known := d.item(typ); known {
		return item
	}
	return responsesItem{role: rsAssistant, kind: rsOpaque}
}

var responsesDialect = itemDialect{keys: responsesKeys, parts: responsesPartKeys,
	item: func(typ string) (responsesItem, bool) {
		item, known := responsesItems[typ]
		return item, known
	}}

// responsesItem describes a type of item: who wrote it, and what its members mean.
type responsesItem struct {
	role transcript.Role // who wrote it
	kind transcript.Kind // the kind of the part that represents it
	body int             // the key of a tool call's arguments or a tool result's text; 0 if the item has no text to show or clear
	id   usage           // the role of the item's own id
	// answer is the template of a call's result, as in answers. It is "" if text can't answer the call: a computer
	// call, for example, needs a screenshot.
	answer string
}

type usage uint8

const (
	idNeeded usage = iota // the item is invalid without its id
	// The item may be sent without its id. In that case, the provider requires nothing that it has stored with the
	// item.
	idOptional
)

const (
	rsAssistant = transcript.Assistant
	rsTool      = transcript.Tool
	rsSystem    = transcript.System
	rsCall      = transcript.ToolCall
	rsResult    = transcript.ToolResult
	rsOpaque    = transcript.Opaque
)

// functionAnswer is the template of a function's result. It also answers local shell calls, as in
// Codex.
const functionAnswer = `{"type":"function_call_output","call_id":%i,"output":%t}`

// itemNames returns the types of items, sorted.
func itemNames(items map[string]responsesItem) (names []string) {
	for name := range items {
		names = append(names, name)
	}
	sorting.Ordered(names)
	return names
}

// responsesItems are the known types of items. Any other item is opaque, and is taken for the assistant's unless it has
// a role.
var responsesItems = map[string]responsesItem{
	"message":          {rsAssistant, transcript.Text, 0, idOptional, ""},
	"reasoning":        {rsAssistant, transcript.Reasoning, 0, idNeeded, ""},
	"function_call":    {rsAssistant, rsCall, rpArguments, idOptional, functionAnswer},
	"local_shell_call": {rsAssistant, rsCall, rpAction, idOptional, functionAnswer},
	"custom_tool_call": {rsAssistant, rsCall, rpInput, idOptional,
		`{"type":"custom_tool_call_output","call_id":%i,"output":%t}`},
	"shell_call": {rsAssistant, rsCall, rpAction, idOptional,
		`{"type":"shell_call_output","call_id":%i,"output":[{"stdout":"","stderr":%t,"outcome":{"type":"exit","exit_code":1}}]}`},
	"apply_patch_call": {rsAssistant, rsCall, rpOperation, idOptional,
		`{"type":"apply_patch_call_output","call_id":%i,"status":"failed","output":%t}`},
	"tool_search_call": {rsAssistant, rsCall, rpArguments, idOptional,
		`{"type":"tool_search_output","call_id":%i,"execution":"client","status":"completed","tools":[]}`},
	"computer_call":           {rsAssistant, rsCall, rpAction, idNeeded, ""},
	"program":                 {rsAssistant, rsCall, 0, idNeeded, ""},
	"multi_agent_call":        {rsAssistant, rsCall, rpArguments, idNeeded, ""},
	"multi_agent_call_output": {rsTool, rsResult, rpOutput, idNeeded, ""},
	"agent_message":           {rsAssistant, transcript.Text, 0, idOptional, ""},
	"function_call_output":    {rsTool, rsResult, rpOutput, idNeeded, ""},
	"local_shell_call_output": {rsTool, rsResult, rpOutput, idNeeded, ""},
	"custom_tool_call_output": {rsTool, rsResult, rpOutput, idNeeded, ""},
	"shell_call_output":       {rsTool, rsResult, 0, idNeeded, ""},
	"apply_patch_call_output": {rsTool, rsResult, rpOutput, idNeeded, ""},
	"tool_search_output":      {rsTool, rsResult, 0, idNeeded, ""},
	"computer_call_output":    {rsTool, rsResult, 0, idNeeded, ""},
	"program_output":          {rsTool, rsResult, rpResult, idNeeded, ""},
	"web_search_call":         {rsAssistant, rsOpaque, 0, idOptional, ""},
	"file_search_call":        {rsAssistant, rsOpaque, 0, idNeeded, ""},
	"code_interpreter_call":   {rsAssistant, rsOpaque, 0, idNeeded, ""},
	"image_generation_call":   {rsAssistant, transcript.Image, 0, idNeeded, ""},
	"mcp_call":                {rsAssistant, rsOpaque, 0, idNeeded, ""},
	"mcp_list_tools":          {rsAssistant, rsOpaque, 0, idNeeded, ""},
	"mcp_approval_request":    {rsAssistant, rsOpaque, 0, idNeeded, ""},
	"mcp_approval_response":   {rsTool, rsOpaque, 0, idNeeded, ""},
	"compaction":              {rsAssistant, rsOpaque, 0, idNeeded, ""},
	"item_reference":          {rsAssistant, rsOpaque, 0, idNeeded, ""},
	"additional_tools":        {rsSystem, rsOpaque, 0, idNeeded, ""},
	"configuration_update":    {rsSystem, rsOpaque, 0, idNeeded, ""},
	"compaction_trigger":      {rsSystem, rsOpaque, 0, idNeeded, ""},
}

var responsesRoles = []roleName{
	{"system", transcript.System}, {"developer", transcript.System}, {"user", transcript.User},
	{"assistant", transcript.Assistant},
}

func readResponses(r *Reader, m *transcript.Message) {
	r.items = &responsesDialect
	readItem(r, m)
}

// readItem reads one item. A part that represents the whole item is in no list, and the item is removed with it. The
// meaning of a list (content, output, summary) depends on the item's type. If the type precedes the list, the list is
// read immediately (early); if the type comes later, the list is read again at the end. The content of an item that
// looks like a message, as most items of a chat do, is always read immediately.
func readItem(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	e := early{self: -1}
	fp, size := r.fields(r.items.keys, func(r *Reader, key int, f *frame) bool {
		if key == rpContent && r.Kind() == jsonspan.Array && seemsMessage(r, f) {
			m.Lists[transcript.ContentList] = r.list(responsesContentPart)
			return true
		}
		return m.Lists[transcript.ContentList].IsZero() && e.read(r, key, f)
	})
	f := *fp
	r.wantKind(&f[rpType], jsonspan.String, jsonspan.Null, "the type of an item must be a string")
	typ := responsesType(r, m, &f)
	if r.Err() != nil {
		return
	}
	item := r.items.itemOf(typ)
	if !m.Lists[transcript.ContentList].IsZero() && item.kind != transcript.Text { // the item only looked like a message
		r.T.Parts, m.Lists[transcript.ContentList] = r.T.Parts[:first], jsonspan.Span{}
		r.readAgain(&f[rpContent], func(r *Reader) { size = size.Add(r.Skip().Measure) })
	}
	m.Role = item.role
	if f[rpRole].Kind != jsonspan.Invalid {
		r.setRole(m, &f[rpRole], responsesRoles)
	}
	p := transcript.Part{Kind: item.kind, List: transcript.NoList, Parent: -1, Size: size}
	p.Span = jsonspan.Span{Start: m.Span.Start, End: r.Pos()}
	p.Name = f[rpType].Span
	hostedCall(r, m, &p, &item, &f)
	switch item.kind {
	case transcript.Text:
		responsesContent(r, m, &f[rpContent])
	case transcript.Reasoning:
		responsesReasoning(r, p, &e, &f)
	case transcript.ToolCall, transcript.ToolResult:
		responsesTool(r, m, p, typ, &item, &e, &f)
	case transcript.Image:
		p.Size, p.Data = jsonspan.Measure{}, f[rpResult].Raw
		r.Add(p)
	default:
		responsesOpaque(r, p, typ, &item, &f)
	}
	responsesID(r, m, first, &item, &f[rpID])
}

// seemsMessage reports whether an item looks like a message, judging by the members read so far.
func seemsMessage(r *Reader, f *frame) bool {
	return r.isText(&f[rpType], "message") || f[rpType].Kind == jsonspan.Invalid && f[rpRole].Kind != jsonspan.Invalid
}

// responsesID records that the provider has stored an item of the assistant, if the item has an id.
// The part at index first gets a flag if the item needs its id; otherwise a part is added for the
// id, which can be removed.
func responsesID(r *Reader, m *transcript.Message, first int, item *responsesItem, f *field) {
	switch {
	case m.Role != transcript.Assistant || !f.Str():
	case item.id == idNeeded:
		r.T.Parts[first].Flags |= transcript.Stored
	default:
		id := memberPart(transcript.Opaque, f)
		id.Flags, id.ID, id.Size = transcript.NotSent|transcript.Stored, f.Span, jsonspan.Measure{}
		r.Add(id)
	}
}

// responsesType returns the type of an item. An item without a type is a message if it has a role, otherwise a
// reference if it has an id. Anything else is an error, and the type is "".
func responsesType(r *Reader, m *transcript.Message, f *frame) string {
	typ := r.shortText(&f[rpType])
	switch {
	case typ != "" || r.Err() != nil:
		return typ
	case f[rpRole].Kind != jsonspan.Invalid:
		return "message"
	case f[rpID].Str():
		return "item_reference"
	}
	r.Fail(api.CodeMissingRole, int(m.Span.Start), "this item has neither a type nor a role")
	return ""
}

// hostedCall completes a call that the provider ran, such as a web search, if p comes from an item
// of the type hosted_tool_call that an SDK has stored. The name of the call is the type that the
// item has in the API.
func hostedCall(r *Reader, m *transcript.Message, p *transcript.Part, item *responsesItem, f *frame) {
	name := &f[rpName]
	if !r.items.kept || !r.isText(&f[rpType], "hosted_tool_call") || !name.Str() {
		return
	}
	p.Name = name.Span
	switch typ := r.shortText(name); {
	case typ == "mcp_approval_response":
		m.Role = transcript.Tool
	case strings.HasPrefix(typ, "web_search"):
		item.id = idOptional
	}
}

// responsesOpaque adds the part for an item that isn't read any further. p has what is known of it already, typ is its
// type, and item describes that type.
func responsesOpaque(r *Reader, p transcript.Part, typ string, item *responsesItem, f *frame) {
	if f[rpID].Str() {
		if p.ID = f[rpID].Span; item.id == idOptional {
			p.Size = sizeWithout(p.Size, &f[rpID], "id")
		}
	}
	switch typ {
	case "compaction":
		p.Flags, p.Size = transcript.ProviderOnly|transcript.Signed, encryptedSize(&f[rpEncrypted])
	case "item_reference":
		p.Flags = transcript.ProviderOnly
		r.T.Elsewhere = true
	}
	r.Add(p)
}

// sizeWithout returns the measure of an object without the member f, which is a string and has the
// given key. size is the measure with it.
func sizeWithout(size jsonspan.Measure, f *field, key string) jsonspan.Measure {
	gone := jsonspan.Str{Measure: f.Size,
		Escapes: f.Raw - f.Size.Bytes - 2}.JSON().Add(jsonspan.ASCII(uint32(len(key)) + 4))
	return jsonspan.Measure{
		Bytes: size.Bytes - gone.Bytes, Runes: size.Runes - gone.Runes, UTF16: size.UTF16 - gone.UTF16,
		Weight: size.Weight - gone.Weight,
	}
}

// encryptedSize estimates the size of the plain text as Codex does: three quarters of the length of
// the encrypted content, minus 650 bytes, but at least 0. It assumes that the text is ASCII. If f
// isn't a string, the size is zero.
func encryptedSize(f *field) jsonspan.Measure {
	if !f.Str() {
		return jsonspan.Measure{}
	}
	n := f.Size.Bytes
	return jsonspan.ASCII(n - n/4 - min(650, n-n/4))
}

func responsesContent(r *Reader, m *transcript.Message, content *field) {
	r.wantKind(content, jsonspan.String, jsonspan.Array, "content must be a string or a list of parts")
	m.Content = content.Span
	switch content.Kind {
	case jsonspan.String:
		r.Add(wholePart(transcript.Text, content))
	case jsonspan.Array:
		if m.Lists[transcript.ContentList].IsZero() {
			r.readAgain(content, func(r *Reader) { m.Lists[transcript.ContentList] = r.list(responsesContentPart) })
		}
	}
}

// responsesContentPart reads a part of a message's content.
func responsesContentPart(r *Reader) { responsesPart(r, transcript.ContentList, -1) }

const (
	rcType = iota
	rcText
	rcRefusal
	rcImage
	rcAudio
	rcFile
)

var responsesPartKeys = []string{"type", "text", "refusal", "image_url", "input_audio", "file_data"}

// responsesPart reads one part of a message, a summary or an output, and adds it to r.T. list is the list that holds
// it, and parent the index of the result that does, or -1. A part of an unknown type is opaque.
func responsesPart(r *Reader, list int8, parent int32) {
	p := transcript.Part{Kind: transcript.Opaque, List: list, Parent: parent}
	f, size := r.object(&p, "a part", r.items.parts, nil)
	p.Size = size
	switch r.shortText(&f[rcType]) {
	case "input_text", "output_text", "text":
		f[rcText].setText(&p, transcript.Text)
	case "summary_text", "reasoning_text":
		f[rcText].setText(&p, transcript.Reasoning)
	case "refusal":
		p.Size = f[rcRefusal].Size
	case "input_image", "image":
		p.SetMedia(transcript.Image, f[rcImage].Raw)
	case "input_audio", "audio":
		p.SetMedia(transcript.Audio, f[rcAudio].Raw)
	case "input_file", "file":
		p.SetMedia(transcript.File, f[rcFile].Raw)
	}
	r.Add(p)
}

// itemAnswers returns a function for Format.Results that answers each call with an item, as items specifies for the
// type of the call. If ids is set, only calls with an id can be answered. The function returns nil if it
// can't answer one of the calls.
func itemAnswers(items map[string]responsesItem, ids bool) func(dst []byte, calls []Call, text string) []byte {
	return func(dst []byte, calls []Call, text string) []byte {
		for i := range calls {
			answer := items[itemType(calls[i].Part)].answer
			if answer == "" || ids && calls[i].ID == nil {
				return nil
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = answers{each: answer}.results(dst, calls[i:i+1], text)
		}
		return dst
	}
}

// itemType returns the type of an item, given as JSON, or "" if it has none.
func itemType(item []byte) string {
	s := jsonspan.New(item)
	for key := range s.Members {
		if string(key) == "type" && s.Kind() == jsonspan.String {
			return jsonspan.Text(item, s.Text().Span)
		}
		s.Skip()
	}
	return ""
}

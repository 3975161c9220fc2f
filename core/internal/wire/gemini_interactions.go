//go:build !ctxfold_no_formats

package wire

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	const steps = "user_input model_output function_result thought code_execution_call code_execution_result google_search_call " +
		"google_search_result url_context_call url_context_result google_maps_call google_maps_result file_search_result " +
		"mcp_server_tool_call mcp_server_tool_result retrieval_call retrieval_result processing_call processing_result"
	Register(&Format{
		Name: "gemini-interactions", Model: "gemini",
		Doc:     "Google Gemini Interactions: Step[], as a request body has it under input",
		List:    "input",
		Convert: target(&interactionsTarget),
		Signs: Signs{
			Keys:    "content call_id name summary",
			Types:   "text image audio document video",
			Content: "list",
			Items:   steps + " function_call file_search_call",
			Own: "item:" + strings.ReplaceAll(steps, " ", " item:") +
				" body:system_instruction body:generation_config " +
				"body:previous_interaction_id model:gemini",
		},
		ReadMessage: readInteractions,
		Message:     textMessage(`{"type":"%?amodel_output%;%?Auser_input%;","content":[{"type":"text","text":%t}]}`),
		ResultBody:  stringBody,
		Tool:        `{"type":"function","name":%n,"description":%d,"parameters":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		Results:     answers{each: `{"type":"function_result","call_id":%i,%?n"name":%n,%;"is_error":true,"result":%t}`}.results,
		SystemApart: true,
		FreshID:     "call_ctxfold_",
		Link:        linkResponses,
		Rules: Rules{
			Unanswered: "GI1", Orphan: "GI1", Duplicate: "GI1", Empty: "GI2", Server: "GI5",
			Answers: Anywhere, ResultRole: transcript.Tool,
		},
		Extra: checkInteractions,
	})
}

const (
	giType = iota
	giContent
	giID
	giCallID
	giName
	giArguments
	giResult
	giSummary
	giSignature
	giError
)

var interactionsKeys = []string{"type", "content", "id", "call_id", "name", "arguments", "result", "summary",
	"signature", "is_error"}

// interactionsReading holds the state while one step is read.
type interactionsReading struct {
	inside
	p      transcript.Part // represents the step
	object transcript.Part // a result that is an object
}

// inner reads the value of the member key if that is a list of parts or the result of a call, and
// otherwise returns false.
func (s *interactionsReading) inner(r *Reader, m *transcript.Message, key int, f *frame) bool {
	kind := r.Kind()
	switch {
	case kind == jsonspan.Array && key == giContent:
		m.Lists[transcript.ContentList] = r.list(func(r *Reader) {
			interactionsPart(r, transcript.ContentList, -1, transcript.Text)
		})
	case kind == jsonspan.Array && key == giSummary:
		s.reserve(r)
		r.list(func(r *Reader) { interactionsPart(r, transcript.NoList, -1, transcript.Reasoning) })
	case key != giResult || !r.isText(&f[giType], "function_result"):
		return false
	case kind == jsonspan.Object:
		textOfObject(r, &s.object)
	default:
		s.reserve(r)
		s.list(r)
	}
	return true
}

// reserve adds the part that represents the step, as the parts inside must follow it.
func (s *interactionsReading) reserve(r *Reader) {
	if s.self < 0 {
		s.self = int32(r.Add(s.p))
	}
}

// readInteractions reads one step. A part that represents a whole step is in no list, and the step is removed with it.
// Calls and results of anything but functions belong to the provider's own tools.
func readInteractions(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	s := interactionsReading{p: transcript.Part{Kind: transcript.Opaque, List: transcript.NoList, Parent: -1}}
	s.self, s.part = -1, func(r *Reader, parent int32) {
		interactionsPart(r, transcript.ContentList, parent, transcript.Text)
	}
	p := &s.p
	p.Span.Start = m.Span.Start
	fp, size := r.fields(interactionsKeys, func(r *Reader, key int, f *frame) bool { return s.inner(r, m, key, f) })
	f := *fp
	r.wantKind(&f[giType], jsonspan.String, jsonspan.String, "the type of a step must be a string")
	typ := r.shortText(&f[giType])
	if typ == "" && r.Err() == nil {
		r.Fail(api.CodeMissingRole, int(m.Span.Start), "this step has no type")
	}
	if r.Err() != nil {
		return
	}
	m.Role = transcript.Assistant
	if typ == "user_input" || typ == "model_output" {
		if typ == "user_input" {
			m.Role = transcript.User
		}
		r.wantKind(&f[giContent], jsonspan.Array, jsonspan.Null, "content must be a list of parts")
		m.Content = f[giContent].Span
		return
	}
	p.Span.End, p.Name, p.Size = r.Pos(), f[giType].Span, size
	server := typ != "function_call" && typ != "function_result"
	interactionsStep(r, m, p, typ, server, &f, &s.object)
	if s.self >= 0 && p.Kind == transcript.ToolResult {
		p.Size = jsonspan.Measure{}
	}
	s.end(r, p, &f[giResult])
	for i := range r.T.Parts[first:] {
		r.T.Parts[first+i].Flags |= p.Flags & transcript.Tied
	}
}

// interactionsStep completes part p, which represents a step of type typ. server means that the step belongs to a
// tool of the provider. object is a result that is an object, if it has already been read.
func interactionsStep(r *Reader, m *transcript.Message, p *transcript.Part, typ string, server bool, f *frame,
	object *transcript.Part) {
	switch {
	case typ == "thought":
		p.Kind, p.Flags, p.Name, p.Size = transcript.Reasoning, transcript.Tied, jsonspan.Span{}, jsonspan.Measure{}
	case strings.HasSuffix(typ, "_call") && f[giID].Str():
		p.Kind, p.ID, p.Body, p.Size = transcript.ToolCall, f[giID].Span, f[giArguments].Span, f[giArguments].Size
		f[giName].setToolName(p)
	case strings.HasSuffix(typ, "_result"):
		p.Kind, p.Name = transcript.ToolResult, f[giName].Span
		f[giCallID].setID(p)
		if f[giError].Kind == jsonspan.True {
			p.Flags |= transcript.IsError
		}
		if !server {
			m.Role, p.Body, p.Size = transcript.Tool, f[giResult].Span, f[giResult].Size
			if f[giResult].Kind == jsonspan.Object {
				if object.Body.IsZero() { // the type comes after the object
					r.readAgain(&f[giResult], func(r *Reader) { textOfObject(r, object) })
				}
				p.Body, p.Size = object.Body, object.Size
			}
		}
	}
	if server && p.Kind != transcript.Reasoning {
		p.Flags |= transcript.Server
	}
	f[giSignature].setFlags(p, transcript.Signed)
}

var interactionsPartKeys = []string{"type", "text", "data"}

// interactionsPart reads one part of a step and adds it to r.T. list is the list that holds it, and parent the index of
// the result that does, or -1. text is the kind of part that its texts become.
func interactionsPart(r *Reader, list int8, parent int32, text transcript.Kind) {
	p := transcript.Part{Kind: transcript.Opaque, List: list, Parent: parent}
	f, size := r.object(&p, "a part", interactionsPartKeys, nil)
	p.Size = size
	switch typ := r.shortText(&f[0]); {
	case typ == "text" && f[1].Str():
		p.Kind, p.Body, p.Size = text, f[1].Span, f[1].Size
	case typ == "image":
		p.SetMedia(transcript.Image, f[2].Raw)
	case typ == "audio":
		p.SetMedia(transcript.Audio, f[2].Raw)
	case typ == "document" || typ == "video":
		p.SetMedia(transcript.File, f[2].Raw)
	}
	r.Add(p)
}

// checkInteractions reports violations of GI3 (a thought must be followed by another step of the model) and GI4 (a
// thought must be signed).
func checkInteractions(c *Checker) {
	followed := false
	for place := len(c.Seq) - 1; place >= 0; place-- {
		m := c.Seq[place]
		switch {
		case !isReasoning(c.T, int(m)):
			followed = c.T.Messages[m].Role == transcript.Assistant
		case !c.T.Parts[c.T.Messages[m].First].Has(transcript.Signed):
			c.Add("GI4", m, -1, DropMessage, "this thought has no signature")
		case !followed:
			c.Add("GI3", m, -1, DropMessage, "this thought has no step that follows it")
		}
	}
}

// interactionsTarget can't express reasoning, because it must be signed.
var interactionsTarget = Target{
	Tools:     `"tools":[%l]`,
	User:      `{"type":"user_input","content":[%c]}`,
	Assistant: `{"type":"model_output","content":[%c]}`,
	Apart:     `%t`, ApartKey: "system_instruction",
	Text: `{"type":"text","text":%t}`,
	Call: `{"type":"function_call","id":%i,"name":%n,"arguments":%o}`, Items: true,
	Result:  `{"type":"function_result","call_id":%i,"name":%n%?e,"is_error":true%;,"result":%c}`,
	Outcome: Outcome{Object: `%j`, List: `[%l]`, Part: `{"type":"text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, "image/", `{"type":"image","data":%d,"mime_type":%m}`, `{"type":"image","uri":%u%?m,"mime_type":%m%;}`, ByUser | ByAssistant | InResult},
		{transcript.Audio, "audio/", `{"type":"audio","data":%d,"mime_type":%m}`, `{"type":"audio","uri":%u%?m,"mime_type":%m%;}`, ByUser | ByAssistant | InResult},
		{transcript.File, "video/", `{"type":"video","data":%d,"mime_type":%m}`, `{"type":"video","uri":%u%?m,"mime_type":%m%;}`, ByUser | ByAssistant | InResult},
		{transcript.File, "application/pdf text/", `{"type":"document","data":%d,"mime_type":%m}`,
			`{"type":"document","uri":%u%?m,"mime_type":%m%;}`, ByUser | ByAssistant | InResult},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Max: 64, Marks: "_.:-"},
}

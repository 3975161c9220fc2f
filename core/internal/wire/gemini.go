package wire

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name: "gemini", Model: "gemini",
		Doc:     "Google Gemini: Content[], as a request body has it under contents",
		List:    "contents",
		Convert: target(&geminiTarget),
		Signs: Signs{
			Roles: "user model",
			Keys:  "parts",
			Own: "list:contents role:model part:untyped part:functionCall part:function_call part:functionResponse " +
				"part:function_response part:thoughtSignature part:thought_signature body:generationConfig body:systemInstruction model:gemini",
		},
		Parts:       "parts",
		ReadMessage: readGemini,
		Message:     textMessage(geminiText),
		ResultBody:  geminiResultBody,
		Tool:        `{"functionDeclarations":[{"name":%n,"description":%d,"parameters":%p}]}`,
		TextPart:    `{"text":%t}`,
		InnerMedia:  true,
		Results:     geminiAnswers.results,
		Sign:        geminiSign,
		Link:        linkContinued,
		SystemApart: true,
		FreshID:     "call_ctxfold_",
		Rules: Rules{
			Unanswered: "G4", Orphan: "G4", Duplicate: "I2", Empty: "G2", First: "G3", Alternate: "G3", Role: "G1",
			Answers: OneMessage, ResultRole: transcript.User, Named: true,
		},
		Extra: checkGemini,
	})
}

var geminiRoles = []roleName{{"user", transcript.User}, {"model", transcript.Assistant}}

var geminiMessageKeys = []string{"role", "parts"}

func readGemini(r *Reader, m *transcript.Message) {
	f := r.roleAndList(m, geminiMessageKeys, geminiPart)
	role, parts := f[0], f[1]
	// A message without a role is from the user.
	if m.Role = transcript.User; role.Kind != jsonspan.Invalid && role.Kind != jsonspan.Null {
		r.setRole(m, &role, geminiRoles)
	}
	r.wantKind(&parts, jsonspan.Array, jsonspan.Array, "parts must be a list")
	m.Content = parts.Span
}

const (
	gpText = iota
	gpThought
	gpSignature
	gpSignature2
	gpCall
	gpCall2
	gpResponse
	gpResponse2
	gpInline
	gpInline2
	gpFile
	gpFile2
)

// geminiPartKeys lists the keys of parts, each in both spellings that the API accepts.
var geminiPartKeys = []string{
	"text", "thought", "thoughtSignature", "thought_signature", "functionCall", "function_call", "functionResponse",
	"function_response", "inlineData", "inline_data", "fileData", "file_data",
}

// geminiPart reads one part: an object that is identified by one of many keys instead of a type.
func geminiPart(r *Reader) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: -1}
	self := -1
	f, size := r.object(&p, "a part", geminiPartKeys, func(r *Reader, key int, f *frame) bool {
		if key < gpCall || r.Kind() != jsonspan.Object {
			return false
		}
		switch key {
		case gpCall, gpCall2:
			geminiCall(r, &p)
		case gpResponse, gpResponse2:
			if self < 0 {
				self = r.Add(p) // the parts inside must follow it
			}
			geminiResponse(r, &p, self)
		default:
			geminiMedia(r, &p)
		}
		return true
	})
	switch {
	case p.Kind != transcript.Opaque:
	case f[gpText].Str():
		p.Kind, p.Body, p.Size = transcript.Text, f[gpText].Span, f[gpText].Size
		if f[gpThought].Kind == jsonspan.True {
			p.Kind = transcript.Reasoning
		}
	default:
		p.Size = size
	}
	for _, k := range []int{gpSignature, gpSignature2} {
		f[k].setFlags(&p, transcript.Signed)
	}
	r.addReserved(self, p)
}

var geminiCallKeys = []string{"id", "name", "args"}

func geminiCall(r *Reader, p *transcript.Part) {
	f, _ := r.fields(geminiCallKeys, nil)
	p.Kind = transcript.ToolCall
	geminiName(p, f)
	if args := &f[2]; args.Kind != jsonspan.Invalid && args.Kind != jsonspan.Null {
		p.Body, p.Size = args.Span, args.Size
	}
}

func geminiName(p *transcript.Part, f *frame) {
	if f[0].isFilled() {
		p.ID = f[0].Span
	}
	f[1].setToolName(p)
}

var geminiResponseKeys = []string{"id", "name", "response", "parts", "willContinue", "will_continue"}

// geminiResponse reads a function response. self is the index of the response in Parts, which the parts inside it
// follow. If the response is an object whose only member is text, that text is the body; otherwise the body is the
// whole response.
func geminiResponse(r *Reader, p *transcript.Part, self int) {
	f, _ := r.fields(geminiResponseKeys, func(r *Reader, key int, f *frame) bool {
		switch {
		case key == 2 && r.Kind() == jsonspan.Object:
			textOfObject(r, p)
		case key == 3 && r.Kind() == jsonspan.Array:
			r.list(func(r *Reader) { geminiInner(r, self) })
		default:
			return false
		}
		return true
	})
	p.Kind = transcript.ToolResult
	if f[4].Kind == jsonspan.True || f[5].Kind == jsonspan.True {
		p.Flags |= transcript.Continues
	}
	geminiName(p, f)
	if body := &f[2]; body.Kind != jsonspan.Object {
		p.Flags |= transcript.Misshapen
		p.Body, p.Size = body.Span, body.Size
	}
}

// textOfObject reads a result that is an object. text is true if the body is the value of its only member, a non-empty
// string; otherwise the body is the whole object. A member "error" marks the result as an error.
func textOfObject(r *Reader, p *transcript.Part) (text bool) {
	p.Body.Start = r.Pos()
	n, only := 0, jsonspan.Str{}
	size := jsonspan.ASCII(1)
	for key := range r.Members {
		if string(key) == "error" {
			p.Flags |= transcript.IsError
		}
		size = size.Add(jsonspan.ASCII(uint32(len(key)) + 4))
		if r.Kind() == jsonspan.String {
			value := r.Text()
			size = size.Add(value.JSON())
			if n == 0 {
				only = value
			}
		} else {
			size = size.Add(r.Skip().Measure)
		}
		n++
	}
	p.Body.End, p.Size = r.Pos(), size
	if n == 0 {
		p.Size = jsonspan.ASCII(2)
	}
	if n == 1 && only.Len() > 0 {
		p.Body, p.Size, text = only.Span, only.Measure, true
	}
	return text
}

// geminiInner reads a part inside a function response. Such a part can only be media. parent is the index of the
// response in r.T.Parts.
func geminiInner(r *Reader, parent int) {
	p := transcript.Part{Kind: transcript.Opaque, List: transcript.ContentList, Parent: int32(parent)}
	_, size := r.object(&p, "a part", geminiPartKeys, func(r *Reader, key int, f *frame) bool {
		if key < gpInline || r.Kind() != jsonspan.Object {
			return false
		}
		geminiMedia(r, &p)
		return true
	})
	if p.Kind == transcript.Opaque {
		p.Size = size
	}
	r.Add(p)
}

var geminiMediaKeys = []string{"mimeType", "mime_type", "data"}

// geminiMedia reads inline data or a reference to a file.
func geminiMedia(r *Reader, p *transcript.Part) {
	f, _ := r.fields(geminiMediaKeys, nil)
	mime := r.shortText(&f[0]) + r.shortText(&f[1])
	p.Kind, p.Data = transcript.File, f[2].Raw
	if strings.HasPrefix(mime, "image/") {
		p.Kind = transcript.Image
	} else if strings.HasPrefix(mime, "audio/") {
		p.Kind = transcript.Audio
	}
}

func geminiRole(role transcript.Role) string {
	if role == transcript.Assistant {
		return "model"
	}
	return "user"
}

// wrapParts writes {"role":…,"parts":[part]}.
func wrapParts(dst []byte, role transcript.Role, part []byte) []byte {
	dst = append(append(append(dst, `{"role":"`...), geminiRole(role)...), `","parts":[`...)
	return append(append(dst, part...), `]}`...)
}

// geminiResultBody writes the body of a result: the text itself if the body was text, and an object that contains it if
// the body was the whole response.
func geminiResultBody(dst []byte, t *transcript.Transcript, result int32, text string) ([]byte, transcript.Measure) {
	p := &t.Parts[result]
	size := jsonspan.MeasureText(text)
	if t.IsString(p.Body) && !p.Has(transcript.Misshapen) {
		return jsonspan.AppendString(dst, text), size
	}
	return append(jsonspan.AppendString(append(dst, `{"output":`...), text), '}'), size
}

const geminiText = `{"role":"%?amodel%;%?Auser%;","parts":[{"text":%t}]}`

// geminiAnswers writes a message with a response for each call: the existing response, which is moved from a wrong
// place, or an error (G4).
var geminiAnswers = answers{
	each: `{"%?KfunctionResponse%;%?kfunction_response%;":{%?i"id":%i,%;%?n"name":%n,%;"response":{"error":%t}}}`,
	all:  `{"role":"user","parts":[%c]}`, kept: true,
	snake: func(calls []Call) bool { return isSnakeCase(calls[0].Part) },
}

// isSnakeCase reports whether a part that is a call, given as JSON, is spelled with underscores.
func isSnakeCase(part []byte) bool {
	s := jsonspan.New(part)
	for key := range s.Members {
		if string(key) == "function_call" {
			return true
		}
		s.Skip()
	}
	return false
}

// geminiSign writes the opening brace of a function call, together with a placeholder signature that makes the
// validator accept the call.
func geminiSign(dst, part []byte) []byte {
	if isSnakeCase(part) {
		return append(dst, `{"thought_signature":"skip_thought_signature_validator",`...)
	}
	return append(dst, `{"thoughtSignature":"skip_thought_signature_validator",`...)
}

// geminiRules holds the ids of the rules that formats with Gemini's parts share; "" means that a format doesn't have
// the rule.
type geminiRules struct {
	empty  string // no part is empty
	order  string // responses are in the order of their calls
	sign   string // the first call of a turn is signed if other calls are
	object string // a response is an object
	begin  string // a message doesn't begin with an empty text
	last   int32  // the last position at which the current turn may begin
}

// checkGemini reports violations of G2 (nothing may be empty), G5 (responses must be in the order of their calls), G7
// (the first call of a turn must be signed) and G8 (a response must be an object).
func checkGemini(c *Checker) {
	c.geminiParts(&geminiRules{empty: "G2", order: "G5", sign: "G7", object: "G8", last: int32(len(c.Seq)) - 1})
}

func (c *Checker) geminiParts(rules *geminiRules) {
	g := geminiCheck{c, rules, c.signedFrom(rules.last), -1}
	for place, m := range c.Seq {
		if msg := &c.T.Messages[m]; !msg.Unsent && msg.Variant == transcript.Plain {
			g.checkMessage(place, msg)
		}
	}
}

// geminiCheck holds the state while parts are checked against geminiRules.
type geminiCheck struct {
	*Checker
	rules *geminiRules // the ids of the rules of the format
	loop  int          // the position of the user message that begins the current turn, as signedFrom returns it
	last  int32        // the newest call of the current turn that has had a response so far, or -1
}

// checkMessage checks a message at a position: the signature of its first call, its responses, and empty parts. The
// violations are added to g.
func (g *geminiCheck) checkMessage(place int, msg *transcript.Message) {
	m := g.Seq[place]
	if place == 0 || g.run[place] != g.run[place-1] {
		g.last = -1
	}
	calls, begins := 0, g.rules.begin != ""
	for n, p := range g.T.OuterParts(msg) {
		switch {
		case begins && p.Size.Bytes == 0 && (p.Kind == transcript.Text || p.Kind == transcript.Reasoning):
			g.Add(g.rules.begin, m, n, DropPart, "the first text is empty, so the whole event would not be sent")
		case p.Kind == transcript.ToolCall:
			if calls++; calls == 1 && place >= g.loop && !p.Has(transcript.Signed) {
				g.Add(g.rules.sign, m, n, Sign, "the other calls of this turn are signed, and this one is not")
			}
		case p.Kind == transcript.ToolResult:
			g.checkResponse(n, p)
		default:
			g.checkEmpty(n, p)
		}
		begins = false
	}
}

// checkEmpty checks that the part at index n of T.Parts, which is neither a call nor a response, isn't empty.
func (g *geminiCheck) checkEmpty(n int32, p *transcript.Part) {
	switch {
	case p.Has(transcript.Signed):
	case p.Kind == transcript.Text && p.Size.Bytes == 0:
		g.AddCase(g.rules.empty, BlankText, p.Msg, n, DropPart, "the part is empty")
	case p.Kind == transcript.Opaque && p.Size.Bytes <= 2:
		g.Add(g.rules.empty, p.Msg, n, DropPart, "the part is empty")
	}
}

// checkResponse checks the response at index n of T.Parts. The violations are added to g.
func (g *geminiCheck) checkResponse(n int32, p *transcript.Part) {
	if p.Has(transcript.Misshapen) && !p.Has(transcript.Edited) {
		if p.Body.IsZero() {
			g.Add(g.rules.object, p.Msg, n, DropPart, "the response is missing")
		} else {
			g.Add(g.rules.object, p.Msg, n, WrapBody, "the response must be an object")
		}
	}
	if p.Pair >= 0 && p.Pair < g.last && g.sameRun(g.T.Parts[p.Pair].Msg, g.T.Parts[g.last].Msg) {
		g.Add(g.rules.order, p.Msg, n, MoveResult, "the responses are not in the order of their calls")
	}
	g.last = max(g.last, p.Pair)
}

// sameRun reports whether two messages are in the same run of consecutive messages with one role.
func (c *Checker) sameRun(a, b int32) bool {
	return a == b || c.place[a] >= 0 && c.place[b] >= 0 && c.run[c.place[a]] == c.run[c.place[b]]
}

// signedFrom returns the position of the newest user message at or before last. The provider requires signatures after
// it. If no later message has a signed call, as with models that don't sign, it returns the end.
func (c *Checker) signedFrom(last int32) int {
	t := c.T
	signed := false
	for place := int(last); place >= 0; place-- {
		m := c.Seq[place]
		// If results may be in other messages, repair moves them to their calls, together with the other parts of their
		// message.
		away := c.F.Rules.Answers == NewestOpen &&
			slices.ContainsFunc(t.PartsOf(int(m)), func(p transcript.Part) bool {
				return p.Kind == transcript.ToolResult && p.Pair >= 0
			})
		if (t.HasUserText(int(m)) || t.Messages[m].Output) && !away || t.Messages[m].Variant == transcript.Digest {
			if signed {
				return place
			}
			break
		}
		for _, p := range t.PartsOf(int(c.Seq[place])) {
			signed = signed || p.Kind == transcript.ToolCall && p.Has(transcript.Signed) && !p.Has(transcript.Removed)
		}
	}
	return len(c.Seq)
}

// linkContinued joins the consecutive responses to a call (willContinue), from part index from on.
// The first response belongs to the call, and the others are kept or removed together with it.
func linkContinued(t *transcript.Transcript, from int) {
	var first critbit.Map[int32] // the response that others continue, by its id
	for i := from; i < len(t.Parts); i++ {
		p := &t.Parts[i]
		if p.Kind != transcript.ToolResult || p.ID.IsZero() || p.Pair >= 0 && !p.Has(transcript.Continues) {
			continue
		}
		if p.Pair >= 0 {
			if t.Parts[p.Pair].ID.IsZero() { // the call was found by its name
				continue
			}
			first.Set(t.Text(p.ID), int32(i))
			continue
		}
		before, ok := first.Get(t.Text(p.ID))
		if !ok {
			continue
		}
		p.Flags |= transcript.Continues
		p.Caller = t.Parts[before].Pair + 1
		for m := t.Parts[t.Parts[before].Pair].Msg; m < p.Msg; m++ {
			t.Messages[m].Joined = true
		}
	}
}

// geminiTarget signs the first call of a message, as the API requires for conversations that were begun with another
// model.
var geminiTarget = Target{
	Tools:     `"tools":[{"functionDeclarations":[%l]}]`,
	Tool:      `{"name":%n,"description":%d,"parametersJsonSchema":%p}`,
	User:      `{"role":"user","parts":[%c]}`,
	Assistant: `{"role":"model","parts":[%c]}`,
	Apart:     `{"parts":[{"text":%t}]}`, ApartKey: "systemInstruction",
	Text:      `{"text":%t}`,
	Reasoning: `{"text":%t,"thought":true}`,
	Call:      `{"functionCall":{"id":%i,"name":%n,"args":%o}}`, Sign: true,
	Result:   `{"functionResponse":{"id":%i,"name":%n,"response":%c%?l,"parts":[%l]%;}}`,
	Gathered: `{"role":"user","parts":[%c]}`,
	Outcome: Outcome{Text: `{"output":%t}`, Error: `{"error":%t}`, Object: `%j`, Array: `{"output":%j}`,
		Failure: `{"error":%j}`, Beside: true},
	Media: []MediaForm{
		{transcript.Image, "image/", `{"inlineData":{"mimeType":%m,"data":%d}}`, `{"fileData":{%?m"mimeType":%m,%;"fileUri":%u}}`,
			ByUser | ByAssistant | InResult},
		{transcript.Audio, "audio/", `{"inlineData":{"mimeType":%m,"data":%d}}`, `{"fileData":{%?m"mimeType":%m,%;"fileUri":%u}}`,
			ByUser | ByAssistant | InResult},
		{transcript.File, "application/pdf text/ video/ application/json", `{"inlineData":{"mimeType":%m,"data":%d}}`,
			`{"fileData":{%?m"mimeType":%m,%;"fileUri":%u}}`, ByUser | ByAssistant | InResult},
	},
	ID: NameForm{Marks: AnySign}, ToolName: NameForm{Max: 64, Marks: "_.:-"},
}

//go:build !ctxfold_no_formats

package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

func init() {
	Register(&Format{
		Name:    "ollama",
		Doc:     "Ollama chat: Message[], whose tool calls have no ids",
		List:    "messages",
		Convert: target(&ollamaTarget),
		Signs: Signs{
			Roles:   "system user assistant tool",
			Keys:    "content tool_calls tool_call_id",
			Content: "string",
			Shy:     true,
			Own:     "key:thinking key:images key:tool_name call:bare call:object body:keep_alive body:think",
		},
		ReadMessage: readOllama,
		Message:     textMessage(roleAndText),
		ResultBody:  stringBody,
		Tool:        `{"type":"function","function":{"name":%n,"description":%d,"parameters":%p}}`,
		Results:     answers{each: `{"role":"tool"%?n,"tool_name":%n%;%?i,"tool_call_id":%i%;,"content":%t}`}.results,
		Rules: Rules{
			Unanswered: "OL1", Orphan: "OL2", Empty: "OL3", Role: "OL4",
			Answers: NextMessages, ResultRole: transcript.Tool, Named: true, Ordered: true,
		},
		Extra: checkOllama,
	})
}

const (
	olRole = iota
	olContent
	olThinking
	olImages
	olCalls
	olToolName
	olCallID
)

var ollamaKeys = []string{"role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id"}

// readOllama reads a message. All its images are one part, because they are one member.
func readOllama(r *Reader, m *transcript.Message) {
	first := len(r.T.Parts)
	f, _ := r.fields(ollamaKeys, func(r *Reader, key int, f *frame) bool {
		if key != olCalls || r.Kind() != jsonspan.Array {
			return false
		}
		m.Lists[transcript.CallList] = r.list(openAIChatCall)
		return true
	})
	r.setRole(m, &f[olRole], mistralRoles)
	content := f[olContent]
	r.wantKind(&content, jsonspan.String, jsonspan.Null, "content must be a string; images go in \"images\"")
	m.Content = content.Span
	r.wantList(&f[olCalls], "tool_calls must be a list")
	r.wantList(&f[olImages], "images must be a list")
	if m.Role == transcript.Tool {
		r.addResult(m, first, contentResult(&content, &f[olCallID], &f[olToolName]))
	} else if content.Str() {
		r.Add(wholePart(transcript.Text, &content))
	}
	if f[olThinking].Str() {
		r.Add(memberPart(transcript.Reasoning, &f[olThinking]))
	}
	if images := &f[olImages]; images.Raw > uint32(len("[]")) {
		p := memberPart(transcript.Image, images)
		p.Size, p.Data = jsonspan.Measure{}, images.Raw
		r.Add(p)
	}
}

// checkOllama reports violations of OL5: the arguments of a tool call must be an object.
func checkOllama(c *Checker) {
	for n, p := range c.parts {
		if p.Kind == transcript.ToolCall && !p.Body.IsZero() && c.T.Bytes(p.Body)[0] != '{' {
			c.Add("OL5", p.Msg, n, None, "the arguments of a tool call must be an object")
		}
	}
}

var ollamaTarget = Target{
	Tools:     `"tools":[%l]`,
	System:    `{"role":"system","content":%c}`,
	User:      `{"role":"user","content":%c%?g,"images":[%g]%;}`,
	Assistant: `{"role":"assistant","content":%c%?h,"thinking":%h%;%?g,"images":[%g]%;%?k,"tool_calls":[%k]%;}`,
	Content:   AsString, Said: AsString, Empty: `""`,
	Text:            `%t`,
	ReasoningBeside: true,
	Call:            `{"function":{"name":%n,"arguments":%o}}`, CallsBeside: true, NoID: true,
	Result:   `{"role":"tool","tool_name":%n,"content":%c%?l,"images":[%l]%;}`,
	Outcome:  Outcome{Beside: true},
	Media:    []MediaForm{{transcript.Image, "image/png image/jpeg image/webp", `%d`, "", ByUser | ByAssistant | InResult}},
	ToolName: NameForm{Marks: AnySign},
}

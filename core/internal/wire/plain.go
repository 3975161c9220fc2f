package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Plain is the name of the format of messages that consist of a role and text. In most formats such messages look the
// same, so the rules of Plain are the strictest of all formats and of the chat templates of local models: a transcript
// that is valid here is valid wherever the application sends it. A conversation changes to another format as soon as it
// shows signs of that format.
const Plain = "plain"

func init() {
	Register(&Format{
		Name:    Plain,
		Doc:     "messages with a role and a text, and nothing else",
		List:    "messages",
		Convert: target(&plainTarget),
		Signs: Signs{
			Roles:   "system user assistant",
			Keys:    "content timestamp",
			Content: "string",
		},
		ReadMessage: readPlain,
		Message:     textMessage(roleAndText),
		ResultBody:  stringBody,
		Tool:        `{"name":%n,"description":%d,"parameters":%p}`,
		TextPart:    `{"type":"text","text":%t}`,
		SystemApart: true,
		Rules: Rules{
			Empty: "PL2", BlankText: "PL2", First: "PL3", Alternate: "PL3", Role: "PL1",
			Answers: NextMessages, ResultRole: transcript.Tool,
		},
	})
}

var plainRoles = []roleName{{"system", transcript.System}, {"user", transcript.User},
	{"assistant", transcript.Assistant}}

var plainMessage = []string{"role", "content"}

func readPlain(r *Reader, m *transcript.Message) {
	f, _ := r.fields(plainMessage, nil)
	role, content := f[0], f[1]
	r.setRole(m, &role, plainRoles)
	r.wantKind(&content, jsonspan.String, jsonspan.String,
		"content must be a string: set \"format\" where messages have more than a text")
	m.Content = content.Span
	if content.Str() {
		r.Add(wholePart(transcript.Text, &content))
	}
}

var plainTarget = Target{
	System:    `{"role":"system","content":%c}`,
	User:      `{"role":"user","content":%c}`,
	Assistant: `{"role":"assistant","content":%c}`,
	Content:   AsString, Said: AsString,
	Text:     `%t`,
	ToolName: NameForm{Marks: AnySign},
}

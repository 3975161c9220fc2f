//go:build !ctxfold_no_formats

package wire

import "github.com/ctxfold/ctxfold/core/internal/transcript"

// The rules are those of "validate and canonicalize a prompt" in the specification of the Prompt API; the names are
// also in @types/dom-chromium-ai 0.0.17. Tools are functions that the browser calls, so no message has a call.
func init() {
	Register(&Format{
		Name:    "prompt-api",
		Doc:     "the browser's Prompt API: LanguageModelMessage[], whose contents are lists of types and values",
		List:    "initialPrompts",
		Convert: target(&promptTarget),
		Signs: Signs{
			Roles:   "system user assistant",
			Keys:    "content",
			Types:   "text image audio",
			Content: "string list",
			Own:     "part:valued list:initialPrompts",
			// Calls and other roles may follow a part with a value.
			Decisive: "list:initialPrompts",
			Shy:      true, // strings alone are plain
			Closed:   true, // the browser refuses other types
		},
		ReadMessage: promptLayout.reader(),
		Message:     textMessage(`{"role":"%r","content":[{"type":"text","value":%t}]}`),
		ResultBody:  stringBody,
		Tool:        `{"name":%n,"description":%d,"inputSchema":%p}`,
		TextPart:    `{"type":"text","value":%t}`,
		SystemApart: true,
		Rules:       Rules{Empty: "PR1", Role: "PR2", Answers: NextMessages, ResultRole: transcript.Tool},
		Extra:       checkPrompt,
	})
}

const promptValue = 1

var promptLayout = layout{
	message: plainMessage,
	roles:   plainRoles,
	text:    true,
	tag:     "type",
	members: []string{"type", "value"},
	parts: []partForm{
		{name: "text", kind: transcript.Text, body: promptValue},
		{name: "image", kind: transcript.Image, body: promptValue},
		{name: "audio", kind: transcript.Audio, body: promptValue},
	},
}

// checkPrompt reports violations of PR3 (a system message must come first) and PR4 (the assistant can't send media).
func checkPrompt(c *Checker) {
	for place, m := range c.Seq {
		switch c.T.Messages[m].Role {
		case transcript.System:
			if place > 0 {
				c.Add("PR3", m, -1, None, "a system message must be the first message")
			}
		case transcript.Assistant:
			for i, p := range c.T.PartsOf(int(m)) {
				if p.Kind != transcript.Text && !p.Has(transcript.Removed) {
					c.Add("PR4", m, c.T.Messages[m].First+int32(i), DropPart, "the assistant's content must be text")
				}
			}
		}
	}
}

var promptTarget = Target{
	System:      `{"role":"system","content":[%c]}`,
	User:        `{"role":"user","content":[%c]}`,
	Assistant:   `{"role":"assistant","content":[%c]}`,
	Text:        `{"type":"text","value":%t}`,
	SystemFirst: true,
	ToolName:    NameForm{Marks: AnySign},
}

package wire

import "github.com/ctxfold/ctxfold/core/internal/transcript"

// responsesTarget can't express reasoning, because a reasoning item needs a provider's id.
var responsesTarget = Target{
	Tools:     `"tools":[%l]`,
	System:    `{"type":"message","role":"system","content":[%c]}`,
	User:      `{"type":"message","role":"user","content":[%c]}`,
	Assistant: `{"type":"message","role":"assistant","content":%c}`, Said: AsString,
	Text: `{"type":"input_text","text":%t}`,
	Call: `{"type":"function_call","call_id":%i,"name":%n,"arguments":%s}`, Items: true,
	Result:  `{"type":"function_call_output","call_id":%i,"output":%c}`,
	Outcome: Outcome{List: `[%l]`, Part: `{"type":"input_text","text":%t}`},
	Media: []MediaForm{
		{transcript.Image, images, `{"type":"input_image","image_url":%u}`, `{"type":"input_image","image_url":%u}`, ByUser | InResult},
		{transcript.File, "application/pdf", `{"type":"input_file","filename":%?f%f%;%?F%F%;,"file_data":%u}`, `{"type":"input_file","file_url":%u}`, ByUser | InResult},
	},
	ID: NameForm{Max: 64, Marks: AnySign}, ToolName: NameForm{Max: 64, Marks: "_-"},
}

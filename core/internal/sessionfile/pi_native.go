package sessionfile

import "github.com/ctxfold/ctxfold/core/internal/jsonspan"

// piRole describes how messages with one of pi's roles are converted to the native format. Members that its table
// doesn't list are copied.
type piRole struct {
	name    string // pi's role
	native  string // the role in the native format
	members rename // nil if the message stays unchanged
}

var piRoles = []piRole{
	{"user", "user", nil},
	{"assistant", "assistant", append(withoutKeys("api provider model usage stopReason responseId"), // what the provider reported about the call
		member{key: "content", to: "content", with: piParts}, member{key: "errorMessage", to: "error_message"})},
	{"toolResult", "tool_result", append(withoutKeys("details").withValue("role", `"tool_result"`), // details are only for the user interface
		member{key: "toolCallId", to: "tool_call_id"}, member{key: "toolName", to: "tool_name"},
		member{key: "isError", to: "is_error"})},
	{"bashExecution", "bash_execution", append(withoutKeys("excludeFromContext").withValue("role", `"bash_execution"`),
		member{key: "exitCode", to: "exit_code"}, member{key: "fullOutputPath", to: "full_output_path"})},
	{"custom", "custom", piNote},
	{"hookMessage", "custom", piNote}, // version 2 calls it custom
}

var piNote = append(withoutKeys("details").withValue("role", `"custom"`), member{key: "customType", to: "custom_type"})

// Conversions for entries that are messages themselves: their type becomes the role, and the links that form the tree
// are removed.
var (
	piSummary = piRole{"", "compaction_summary", append(
		withoutKeys("id parentId timestamp firstKeptEntryId firstKeptEntryIndex details fromHook usage systemMessage"),
		member{key: "type", to: "role", value: `"compaction_summary"`},
		member{key: "tokensBefore", to: "tokens_before"})}
	piBranch = piRole{"", "branch_summary", append(withoutKeys("id parentId timestamp details fromHook usage"),
		member{key: "type", to: "role", value: `"branch_summary"`}, member{key: "fromId", to: "from_id"})}
	piCustom = piRole{"", "custom", append(withoutKeys("id parentId timestamp details"),
		member{key: "type", to: "role", value: `"custom"`}, member{key: "customType", to: "custom_type"})}
)

var (
	piThinking = rename{
		{key: "type", to: "type", value: `"reasoning"`}, {key: "thinking", to: "text"},
		{key: "thinkingSignature", to: "signature"},
	}
	piText = rename{{key: "textSignature", to: "signature"}}
	piCall = rename{
		{key: "type", to: "type", value: `"tool_call"`}, {key: "thoughtSignature", to: "signature"},
		{key: "partialJson"}, // the arguments received so far, if the call was still streaming
	}
)

// piParts appends the content of a response with its parts in the native format. Images have the same form in both.
func piParts(dst, src []byte, content jsonspan.Span) []byte {
	return appendList(dst, src, content, func(dst, src []byte, part jsonspan.Span) []byte {
		switch typeOf(src, part) {
		case "thinking":
			return appendObject(dst, src, part, piThinking.conversionOf)
		case "text":
			return appendObject(dst, src, part, piText.conversionOf)
		case "toolCall":
			return appendObject(dst, src, part, piCall.conversionOf)
		}
		return append(dst, part.Slice(src)...)
	})
}

// piBack converts messages in the native format back to pi messages.
var piBack = []piRole{
	{"assistant", "assistant", rename{{key: "content", to: "content", with: piPartsBack}, {key: "error_message", to: "errorMessage"}}},
	{"toolResult", "tool_result", rename{
		{key: "role", to: "role", value: `"toolResult"`}, {key: "tool_call_id", to: "toolCallId"},
		{key: "tool_name", to: "toolName"},
		{key: "is_error", to: "isError"}, {key: "content", to: "content", with: piPartsBack},
	}},
	{"bashExecution", "bash_execution", rename{
		{key: "role", to: "role", value: `"bashExecution"`}, {key: "exit_code", to: "exitCode"},
		{key: "full_output_path", to: "fullOutputPath"},
	}},
	{"custom", "custom", rename{{key: "role", to: "role", value: `"custom"`}, {key: "custom_type", to: "customType"}}},
}

var (
	piThinkingBack = rename{
		{key: "type", to: "type", value: `"thinking"`}, {key: "text", to: "thinking"},
		{key: "signature", to: "thinkingSignature"},
	}
	piTextBack = rename{{key: "signature", to: "textSignature"}}
	piCallBack = rename{{key: "type", to: "type", value: `"toolCall"`}, {key: "signature", to: "thoughtSignature"}}
)

// appendPi appends a message, given in the native format, as a pi message.
func appendPi(dst, src []byte, message jsonspan.Span) []byte {
	role := find(src, message, "role")
	for i := range piBack {
		if b := &piBack[i]; jsonspan.EqualText(src, role, b.native) {
			return appendObject(dst, src, message, b.members.conversionOf)
		}
	}
	return append(dst, message.Slice(src)...)
}

// piPartsBack appends the content of a response or a tool result, which is always a list in pi.
func piPartsBack(dst, src []byte, content jsonspan.Span) []byte {
	switch src[content.Start] {
	case '"':
		return appendJSON(dst, src, `[{"type":"text","text":`, content, `}]`)
	case '[':
	default:
		return append(dst, "[]"...)
	}
	return appendList(dst, src, content, func(dst, src []byte, part jsonspan.Span) []byte {
		switch typeOf(src, part) {
		case "reasoning":
			return appendObject(dst, src, part, piThinkingBack.conversionOf)
		case "text":
			return appendObject(dst, src, part, piTextBack.conversionOf)
		case "tool_call":
			return appendObject(dst, src, part, piCallBack.conversionOf)
		}
		return append(dst, part.Slice(src)...)
	})
}

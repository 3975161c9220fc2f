package sessionfile

import "github.com/ctxfold/ctxfold/core/internal/jsonspan"

// piRole is a kind of pi message and the conversion of its members to the native format. Members that no table lists are copied.
type piRole struct {
	name    string // pi's role
	native  string
	members rename // nil: the message is the same
}

var piRoles = []piRole{
	{"user", "user", nil},
	{"assistant", "assistant", rename{
		{key: "content", to: "content", with: piParts}, {key: "errorMessage", to: "error_message"},
		// What the provider reported of the call; it is not part of the message.
		{key: "api"}, {key: "provider"}, {key: "model"}, {key: "usage"}, {key: "stopReason"}, {key: "responseId"},
	}},
	{"toolResult", "tool_result", rename{
		{key: "role", to: "role", value: `"tool_result"`}, {key: "toolCallId", to: "tool_call_id"},
		{key: "toolName", to: "tool_name"}, {key: "isError", to: "is_error"}, {key: "details"}, // for the user interface
	}},
	{"bashExecution", "bash_execution", rename{
		{key: "role", to: "role", value: `"bash_execution"`}, {key: "exitCode", to: "exit_code"},
		{key: "fullOutputPath", to: "full_output_path"}, {key: "excludeFromContext"},
	}},
	{"custom", "custom", piNote},
	{"hookMessage", "custom", piNote}, // what version 2 calls custom
}

var piNote = rename{
	{key: "role", to: "role", value: `"custom"`}, {key: "customType", to: "custom_type"}, {key: "details"},
}

// Entries that are messages themselves: their type becomes the role, and the tree is taken off.
var (
	piSummary = piRole{"", "compaction_summary", rename{
		{key: "type", to: "role", value: `"compaction_summary"`}, {key: "tokensBefore", to: "tokens_before"},
		{key: "id"}, {key: "parentId"}, {key: "timestamp"}, {key: "firstKeptEntryId"}, {key: "firstKeptEntryIndex"},
		{key: "details"}, {key: "fromHook"}, {key: "usage"}, {key: "systemMessage"},
	}}
	piBranch = piRole{"", "branch_summary", rename{
		{key: "type", to: "role", value: `"branch_summary"`}, {key: "fromId", to: "from_id"},
		{key: "id"}, {key: "parentId"}, {key: "timestamp"}, {key: "details"}, {key: "fromHook"}, {key: "usage"},
	}}
	piCustom = piRole{"", "custom", rename{
		{key: "type", to: "role", value: `"custom"`}, {key: "customType", to: "custom_type"},
		{key: "id"}, {key: "parentId"}, {key: "timestamp"}, {key: "details"},
	}}
)

var (
	piThinking = rename{
		{key: "type", to: "type", value: `"reasoning"`}, {key: "thinking", to: "text"},
		{key: "thinkingSignature", to: "signature"},
	}
	piCall = rename{
		{key: "type", to: "type", value: `"tool_call"`}, {key: "partialJson"}, // what had streamed in when it was written
	}
)

// piParts appends the content of an answer with its parts in the native format. Text and images are the same there.
func piParts(dst, src []byte, content jsonspan.Span) []byte {
	s := jsonspan.New(src).At(content.Start)
	s.Lenient = true
	if s.Kind() != jsonspan.Array {
		return append(dst, content.Of(src)...)
	}
	dst = append(dst, '[')
	first := len(dst)
	for s.Array(); s.Elem(); {
		if len(dst) > first {
			dst = append(dst, ',')
		}
		s.Kind()
		at, typ := s.Pos(), ""
		members(s, func(key []byte) bool {
			if string(key) == "type" {
				typ = word(s, "thinking", "toolCall")
				return true
			}
			return false
		})
		part := jsonspan.Span{Start: at, End: s.Pos()}
		switch typ {
		case "thinking":
			dst = appendObject(dst, src, part, piThinking.find)
		case "toolCall":
			dst = appendObject(dst, src, part, piCall.find)
		default:
			dst = append(dst, part.Of(src)...)
		}
	}
	return append(dst, ']')
}

// piBack converts the members of native messages back to pi messages.
var piBack = []piRole{
	{"assistant", "assistant", rename{{key: "content", to: "content", with: piPartsBack}, {key: "error_message", to: "errorMessage"}}},
	{"toolResult", "tool_result", rename{
		{key: "role", to: "role", value: `"toolResult"`}, {key: "tool_call_id", to: "toolCallId"}, {key: "tool_name", to: "toolName"},
		{key: "is_error", to: "isError"}, {key: "content", to: "content", with: piPartsBack},
	}},
	{"bashExecution", "bash_execution", rename{
		{key: "role", to: "role", value: `"bashExecution"`}, {key: "exit_code", to: "exitCode"}, {key: "full_output_path", to: "fullOutputPath"},
	}},
	{"custom", "custom", rename{{key: "role", to: "role", value: `"custom"`}, {key: "custom_type", to: "customType"}}},
}

var (
	piThinkingBack = rename{
		{key: "type", to: "type", value: `"thinking"`}, {key: "text", to: "thinking"}, {key: "signature", to: "thinkingSignature"},
	}
	piCallBack = rename{{key: "type", to: "type", value: `"toolCall"`}}
)

// appendPi appends a message in the native format as a message of pi.
func appendPi(dst, src []byte, message jsonspan.Span) []byte {
	role := find(src, message, "role")
	for i := range piBack {
		if b := &piBack[i]; jsonspan.EqualText(src, role, b.native) {
			return appendObject(dst, src, message, b.members.find)
		}
	}
	return append(dst, message.Of(src)...)
}

// piPartsBack appends the content of an answer or of a tool result: pi wants a list there.
func piPartsBack(dst, src []byte, content jsonspan.Span) []byte {
	s := scanner(src, content.Start)
	switch s.Kind() {
	case jsonspan.String:
		return append(append(append(dst, `[{"type":"text","text":`...), content.Of(src)...), "}]"...)
	case jsonspan.Array:
	default:
		return append(dst, "[]"...)
	}
	dst = append(dst, '[')
	first := len(dst)
	for s.Array(); s.Elem(); {
		if len(dst) > first {
			dst = append(dst, ',')
		}
		part := s.Skip().Span
		switch typ := find(src, part, "type"); {
		case jsonspan.EqualText(src, typ, "reasoning"):
			dst = appendObject(dst, src, part, piThinkingBack.find)
		case jsonspan.EqualText(src, typ, "tool_call"):
			dst = appendObject(dst, src, part, piCallBack.find)
		default:
			dst = append(dst, part.Of(src)...)
		}
	}
	return append(dst, ']')
}

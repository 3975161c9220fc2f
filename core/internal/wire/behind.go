package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// Behind describes how to append a request for a summary to a request body's conversation. Everything that the
// provider's prompt cache depends on stays: tools, system prompt and, if changing it loses the cache, the choice of
// tools.
type Behind struct {
	Limit  string // the member that limits the answer, in tokens; a dot precedes a member of an object
	Older  string // the older name of that member, which applies if a body has it
	None   string // the members that forbid tool calls, as JSON; "" if the API has none, or they would lose the cache
	Forced string // the same, for a body that forces a call; "" is None
	Choice string // the member that may force one
	Set    string // more members, as JSON
	Drop   string // members to remove
	Shaped string // the member that may request an answer other than text; then no summary is requested this way
}

// streamed are the members of a body that only affect how the answer is delivered.
const streamed = "stream stream_options"

// behinds are the formats whose providers have a prompt cache. At Anthropic a change of tool_choice loses the cache of all messages, so the
// instruction's words forbid calls, and an answer with one is rejected. Bedrock has no choice that forbids them.
var behinds = []struct {
	format string
	Behind
}{
	{"ai-sdk", Behind{Limit: "maxOutputTokens", None: `"toolChoice":"none"`, Shaped: "responseFormat"}},
	{"anthropic", Behind{Limit: "max_tokens", Forced: `"tool_choice":{"type":"none"}`, Choice: "tool_choice", Drop: streamed + " stop_sequences", Shaped: "output_config"}},
	{"bedrock-converse", Behind{Limit: "inferenceConfig.maxTokens", Forced: `"toolConfig":{"toolChoice":null}`, Choice: "toolConfig", Shaped: "outputConfig"}},
	{"gemini", Behind{Limit: "generationConfig.maxOutputTokens", None: `"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}`, Shaped: "generationConfig"}},
	{"mistral", Behind{Limit: "max_tokens", None: `"tool_choice":"none"`, Drop: streamed + " stop n", Shaped: "response_format"}},
	{"openai-chat", Behind{Limit: "max_completion_tokens", Older: "max_tokens", None: `"tool_choice":"none"`, Drop: streamed + " stop n prediction", Shaped: "response_format"}},
	{"openai-responses", Behind{Limit: "max_output_tokens", None: `"tool_choice":"none"`, Set: `"store":false`, Drop: streamed + " background", Shaped: "text"}},
}

// shapedBy are the values in a Shaped member if the answer isn't text.
var shapedBy = []string{"json_schema", "json_object", "jsonSchema", "application/json", `"json"`}

// Behind returns how the format asks for a summary after a conversation; nil if its providers have no prompt cache.
func (f *Format) Behind() *Behind {
	for i := range behinds {
		if behinds[i].format == f.Name {
			return &behinds[i].Behind
		}
	}
	return nil
}

// OnlyMarked reports whether the providers of the format cache only up to breakpoints that the app sets.
func (f *Format) OnlyMarked() bool { return f.SystemApart && f.Marks != 0 }

// AppendPatch appends the changes, as a JSON Merge Patch (RFC 7396), with which a body asks for a summary of at most tokens tokens. The
// body is JSON, or nil if there is only a list of messages. thinking adds the tokens that the model may use for thinking. It returns false
// if the body requests an answer other than text.
func (b *Behind) AppendPatch(dst, body []byte, tokens int) (patch []byte, thinking int, ok bool) {
	limit, tools := b.Limit, false
	none, drop := b.None, []string(nil)
	if body != nil {
		s := jsonspan.New(body)
		for key := range s.Members {
			name := string(key)
			value := s.Skip()
			text := value.Of(body)
			switch {
			case value.Kind == jsonspan.Null:
			case name == b.Shaped && containsAny(text, shapedBy):
				return dst, 0, false
			case name == b.Older:
				limit = name
			case name == "cachedContent": // its tools must not be named again
				none = ""
			case name == "tools":
				tools = len(text) > 2
			case name == "thinking" || name == "additionalModelRequestFields":
				thinking = max(thinking, budgetIn(text))
			case slices.Contains(strings.Fields(b.Drop), name):
				drop = append(drop, name)
			}
			if name == b.Choice && b.Forced != "" && containsAny(text, []string{`"any"`, `"tool"`}) && (name != "toolConfig" || bytes.Contains(text, []byte("toolChoice"))) {
				none, tools = b.Forced, true
			}
		}
	}
	dst = append(dst, '{')
	outer, inner, nested := strings.Cut(limit, ".")
	dst = append(append(append(dst, '"'), outer...), `":`...)
	if nested {
		dst = append(append(append(dst, `{"`...), inner...), `":`...)
	}
	dst = strconv.AppendInt(dst, int64(tokens+thinking), 10)
	if nested {
		dst = append(dst, '}')
	}
	if tools && none != "" {
		dst = append(append(dst, ','), none...)
	}
	if b.Set != "" && body != nil {
		dst = append(append(dst, ','), b.Set...)
	}
	for _, name := range drop {
		dst = append(append(append(dst, `,"`...), name...), `":null`...)
	}
	return append(dst, '}'), thinking, true
}

func containsAny(text []byte, words []string) bool {
	for _, w := range words {
		if bytes.Contains(text, []byte(w)) {
			return true
		}
	}
	return false
}

// budgetIn returns the number after budget_tokens in a text, or 0.
func budgetIn(text []byte) int {
	_, rest, found := bytes.Cut(text, []byte(`"budget_tokens"`))
	if !found {
		return 0
	}
	rest = bytes.TrimLeft(rest, ": \t\r\n")
	n := 0
	for n < len(rest) && n < 9 && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	budget, _ := strconv.Atoi(string(rest[:n]))
	return budget
}

// Joined returns a message, JSON, with one more text after its parts, for providers that want alternating roles; false if it has no place
// for one.
func (f *Format) Joined(message []byte, text string) (joined []byte, ok bool) {
	s := jsonspan.New(message)
	if s.Kind() != jsonspan.Object || f.TextPart == "" {
		return nil, false
	}
	quoted := string(jsonspan.AppendString(nil, text))
	part := strings.ReplaceAll(f.TextPart, "%t", quoted)
	for key := range s.Members {
		if string(key) != f.content() {
			s.Skip()
			continue
		}
		switch value := s.Skip(); value.Kind {
		case jsonspan.String:
			own := strings.ReplaceAll(f.TextPart, "%t", string(value.Of(message)))
			joined = append(append([]byte(nil), message[:value.Start]...), "["+own+","+part+"]"...)
			return append(joined, message[value.End:]...), true
		case jsonspan.Array:
			comma := ","
			if inner := bytes.TrimSpace(message[value.Start+1 : value.End-1]); len(inner) == 0 {
				comma = ""
			}
			joined = append(append([]byte(nil), message[:value.End-1]...), comma+part...)
			return append(joined, message[value.End-1:]...), true
		default:
			return nil, false
		}
	}
	return nil, false
}

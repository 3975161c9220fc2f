package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// PrefixForm describes how to append a request for a summary to a conversation's request body. It keeps everything that
// the provider's prompt cache depends on: the tools, the system prompt and, if changing it would invalidate the
// cache, a tool choice that forces no call.
type PrefixForm struct {
	Limit string // the member that limits the output, in tokens; a dot separates an object from its member
	Older string // the older name of that member, used if a body already has it
	// Members, as JSON, that forbid tool calls; "" if the API has none, or they would invalidate the cache.
	None   string
	Forced string // the same for a body that forces a tool call; "" means None
	Choice string // the member in which a body may force a tool call
	Set    string // further members to set, as JSON
	Drop   string // members to remove
	Shaped string // the member that may request output other than text; if it does, no summary is requested this way
}

// streamed lists the members of a body that only affect how the response is delivered.
const streamed = "stream stream_options"

// prefixForms lists the formats whose providers have a prompt cache. With Anthropic, changing tool_choice invalidates
// the cache of all messages, so the instruction itself forbids tool calls, and a response that makes one is rejected.
// Bedrock has no tool choice that forbids calls.
var prefixForms = []struct {
	format string
	PrefixForm
}{
	{"ai-sdk", PrefixForm{Limit: "maxOutputTokens", None: `"toolChoice":"none"`, Shaped: "responseFormat"}},
	{"anthropic", PrefixForm{Limit: "max_tokens", Forced: `"tool_choice":{"type":"none"}`, Choice: "tool_choice", Drop: streamed + " stop_sequences", Shaped: "output_config"}},
	{"bedrock-converse", PrefixForm{Limit: "inferenceConfig.maxTokens", Forced: `"toolConfig":{"toolChoice":null}`, Choice: "toolConfig", Shaped: "outputConfig"}},
	{"gemini", PrefixForm{Limit: "generationConfig.maxOutputTokens", None: `"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}`, Shaped: "generationConfig"}},
	{"mistral", PrefixForm{Limit: "max_tokens", None: `"tool_choice":"none"`, Drop: streamed + " stop n", Shaped: "response_format"}},
	{"openai-chat", PrefixForm{Limit: "max_completion_tokens", Older: "max_tokens", None: `"tool_choice":"none"`, Drop: streamed + " stop n prediction", Shaped: "response_format"}},
	{"openai-responses", PrefixForm{Limit: "max_output_tokens", None: `"tool_choice":"none"`, Set: `"store":false`, Drop: streamed + " background", Shaped: "text"}},
}

// shapedBy lists the values of a Shaped member that request output other than text.
var shapedBy = []string{"json_schema", "json_object", "jsonSchema", "application/json", `"json"`}

// PrefixForm describes how to append a request for a summary in this format. It returns nil if the format's providers
// have no prompt cache.
func (f *Format) PrefixForm() *PrefixForm {
	for i := range prefixForms {
		if prefixForms[i].format == f.Name {
			return &prefixForms[i].PrefixForm
		}
	}
	return nil
}

// OnlyMarked reports whether the format's providers cache only up to breakpoints that the app sets.
func (f *Format) OnlyMarked() bool { return f.SystemApart && f.Marks != 0 }

// prefixBody holds what AppendPatch needs to know about a request body.
type prefixBody struct {
	limit    string   // the member that limits the output
	none     string   // the members that forbid tools
	tools    bool     // whether there are tools
	drop     []string // members to remove
	thinking int      // output tokens reserved for thinking
}

// readBody reads a request body. It returns false if the body requests output other than text.
func (b *PrefixForm) readBody(r *prefixBody, body []byte) bool {
	s := jsonspan.New(body)
	for key := range s.Members {
		name := string(key)
		value := s.Skip()
		text := value.Slice(body)
		switch {
		case value.Kind == jsonspan.Null:
		case name == b.Shaped && containsAny(text, shapedBy):
			return false
		case name == b.Older:
			r.limit = name
		case name == "cachedContent": // its tools must not be named again
			r.none = ""
		case name == "tools":
			r.tools = len(text) > 2
		case name == "thinking" || name == "additionalModelRequestFields":
			r.thinking = max(r.thinking, budgetIn(text))
		case slices.Contains(strings.Fields(b.Drop), name):
			r.drop = append(r.drop, name)
		}
		if name == b.Choice && b.Forced != "" && forces(name, text) {
			r.none, r.tools = b.Forced, true
		}
	}
	return true
}

// forces reports whether a request's member makes the model call a tool. name is the member's key, and text its value
// as JSON.
func forces(name string, text []byte) bool {
	return containsAny(text, []string{`"any"`, `"tool"`}) &&
		(name != "toolConfig" || bytes.Contains(text, []byte("toolChoice")))
}

// AppendPatch appends a JSON Merge Patch (RFC 7396) that turns a body into a request for a summary of at most tokens
// tokens. body is JSON, or nil if there is only a list of messages. thinking is the number of output tokens that are
// reserved for thinking. ok is false if the body requests output other than text.
func (b *PrefixForm) AppendPatch(dst, body []byte, tokens int) (patch []byte, thinking int, ok bool) {
	r := prefixBody{limit: b.Limit, none: b.None}
	if body != nil && !b.readBody(&r, body) {
		return dst, 0, false
	}
	limit, none, tools, drop, thinking := r.limit, r.none, r.tools, r.drop, r.thinking
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

// budgetIn returns the number that follows budget_tokens in text, or 0.
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

// AppendToMessage returns a message, given as JSON, with another text appended to its parts, for providers that require
// alternating roles. ok is false if the message has no place for the text.
func (f *Format) AppendToMessage(message []byte, text string) (joined []byte, ok bool) {
	s := jsonspan.New(message)
	if s.Kind() != jsonspan.Object || f.TextPart == "" {
		return nil, false
	}
	quoted := string(jsonspan.AppendString(nil, text))
	part := strings.ReplaceAll(f.TextPart, "%t", quoted)
	for key := range s.Members {
		if string(key) != f.contentKey() {
			s.Skip()
			continue
		}
		switch value := s.Skip(); value.Kind {
		case jsonspan.String:
			own := strings.ReplaceAll(f.TextPart, "%t", string(value.Slice(message)))
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

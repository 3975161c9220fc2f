package judge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// The ways in which a provider checks signed thinking. A model with a thinking budget requires the thinking of an open
// tool loop, in the loop's first message or, if the model also thinks between calls, in its last. Newer models bind a
// thinking block to everything before it.
const (
	Manual      = "manual"
	Interleaved = "interleaved"
	Adaptive    = "adaptive"
	Off         = "off"
)

// thought is a content block of a message of any format, as the provider sees it.
type thought struct {
	role    string
	kind    string // thinking, call, result, other
	sig     string
	text    string // canonical JSON; "" for thinking
	summary bool   // the provider's own summary of everything before it
	server  bool   // from one of the provider's own tools
	begins  bool   // an assistant message begins here
}

// Thinking returns why a provider would reject the signed thinking in a list of messages or a request body. way is
// one of the ways above.
func Thinking(format, way string, body []byte) (bad []string) {
	beside, blocks := thoughts(format, body)
	switch way {
	case Adaptive:
		h := newPrefix(beside)
		last := ""
		for i, b := range blocks {
			if b.kind != "thinking" {
				h.add(b)
				continue
			}
			prefix, chain, _ := strings.Cut(b.sig, ".")
			if prefix != h.sum() {
				bad = append(bad, fmt.Sprintf("block %d: invalid `signature` in `thinking` block. The block is bound to a different conversation", i))
			} else if last != "" && chain != hash(last) {
				bad = append(bad, fmt.Sprintf("block %d: the `thinking` block that preceded this one when it was created is missing", i))
			}
			last = b.sig
		}
	case Manual, Interleaved:
		loop := blocks[spoken(blocks):]
		if !openLoop(loop) {
			return nil
		}
		begin := 0
		for i, b := range loop {
			if way == Interleaved && b.begins {
				begin = i
			}
		}
		for begin < len(loop) && loop[begin].role != "assistant" {
			begin++
		}
		if begin < len(loop) && loop[begin].kind != "thinking" {
			bad = append(bad, "expected `thinking` or `redacted_thinking`, but found `"+loop[begin].kind+"`")
		}
	case Off:
		for _, b := range blocks[spoken(blocks):] {
			if b.kind == "thinking" {
				bad = append(bad, "when `thinking` is disabled, an `assistant` message in the final position cannot contain `thinking`")
			}
		}
	}
	return bad
}

// Thoughts returns the number of signed thinking blocks.
func Thoughts(format string, body []byte) (n int) {
	_, blocks := thoughts(format, body)
	for _, b := range blocks {
		if b.kind == "thinking" {
			n++
		}
	}
	return n
}

// Unsigned is the prefix of the placeholders that Issue replaces with signatures. A number and an underscore follow it.
const Unsigned = "UNSIGNED_"

// Issue replaces the placeholders of thinking blocks in a list or a body with the signatures that the provider would
// have given. Each signature covers everything before its block.
func Issue(format string, body []byte) []byte {
	beside, blocks := thoughts(format, body)
	h := newPrefix(beside)
	last := ""
	for _, b := range blocks {
		if b.kind != "thinking" {
			h.add(b)
			continue
		}
		sig := Sign(h.sum(), last)
		if strings.HasPrefix(b.sig, Unsigned) {
			body = bytes.Replace(body, []byte(`"`+b.sig+`"`), []byte(`"`+sig+`"`), 1)
		} else {
			sig = b.sig
		}
		last = sig
	}
	return body
}

// Next returns the signature that a provider would give to thinking directly after the messages of a body.
func Next(format string, body []byte) string {
	beside, blocks := thoughts(format, body)
	h := newPrefix(beside)
	last := ""
	for _, b := range blocks {
		if b.kind == "thinking" {
			last = b.sig
		} else {
			h.add(b)
		}
	}
	return Sign(h.sum(), last)
}

// Sign returns the signature for thinking after a prefix. last is the signature of the previous thinking, or "".
func Sign(prefix, last string) string { return prefix + "." + hash(last) }

// spoken returns the index after the user's newest turn with a block other than a tool result.
func spoken(blocks []thought) int {
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].role == "user" && blocks[i].kind != "result" {
			for i++; i < len(blocks) && blocks[i].role == "user"; i++ {
			}
			return i
		}
	}
	return 0
}

// openLoop reports whether a tool loop is open, which means that the model will continue it.
func openLoop(loop []thought) bool {
	if len(loop) == 0 {
		return false
	}
	last := loop[len(loop)-1]
	return last.kind == "result" && !last.server || last.kind == "call"
}

// prefix collects the blocks before a thinking block, to compute its signature. It ignores thinking, and how
// consecutive blocks of one role are divided into messages.
type prefix struct {
	text []byte
	role string
}

func newPrefix(beside string) *prefix { return &prefix{text: []byte(beside)} }

func (p *prefix) add(b thought) {
	if b.summary {
		p.text, p.role = nil, ""
	}
	if b.role != p.role {
		p.text, p.role = append(p.text, "\n"+b.role+":"...), b.role
	}
	p.text = append(p.text, b.text...)
}

func (p *prefix) sum() string { return hash(string(p.text)) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// canonical returns a value as JSON with sorted keys. If the value is an object, its cache breakpoint is left out.
func canonical(v any) string {
	if m, ok := v.(map[string]any); ok {
		delete(m, "cache_control")
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// thoughts reads the blocks in a list or a body, in order. It also returns the rest of the body: the system prompt and
// the tools.
func thoughts(format string, body []byte) (beside string, blocks []thought) {
	var whole struct {
		System, Tools any
		Messages      json.RawMessage
	}
	list := body
	if json.Unmarshal(body, &whole) == nil {
		list = whole.Messages
		beside = canonical(whole.System) + canonical(whole.Tools)
	}
	var messages []map[string]any
	_ = json.Unmarshal(list, &messages)
	for _, m := range messages {
		role, _ := m["role"].(string)
		key := "content"
		if format == "ai-sdk-ui" {
			key = "parts"
		}
		parts, isList := m[key].([]any)
		if !isList {
			parts = []any{map[string]any{"type": "text", "text": m[key]}}
		}
		from := len(blocks)
		var results []thought // of a step; they belong to the next message
		flush := func() {
			blocks = append(blocks, results...)
			results = nil
		}
		for _, part := range parts {
			p, ok := part.(map[string]any)
			if !ok {
				continue
			}
			if p["type"] == "step-start" {
				flush()
				from = len(blocks)
				continue
			}
			speaker := role
			if p["type"] == "steering-message" { // the user's words, sent as a separate message
				flush()
				speaker = "user"
			}
			b, result := thoughtOf(speaker, p)
			if b.kind == "" {
				continue
			}
			b.begins = speaker == "assistant" && len(blocks) == from
			blocks = append(blocks, b)
			if speaker != role {
				from = len(blocks)
			}
			if result != nil {
				results = append(results, *result)
			}
		}
		flush()
	}
	return beside, blocks
}

// thoughtOf reads one part. If the part contains both a call and its result, the result is returned separately.
func thoughtOf(role string, p map[string]any) (b thought, result *thought) {
	if role == "tool" {
		role = "user"
	}
	typ, _ := p["type"].(string)
	state, _ := p["state"].(string)
	options := anthropicOptions(p)
	b = thought{role: role, kind: "other"}
	b.server = p["providerExecuted"] == true || typ == "server_tool_use" || typ == "mcp_tool_use"
	switch {
	case strings.HasPrefix(typ, "data-") || strings.HasPrefix(typ, "source-") || state == "input-streaming" ||
		strings.HasPrefix(typ, "tool-approval"):
		return thought{}, nil
	case typ == "thinking":
		b.sig, _ = p["signature"].(string)
	case typ == "redacted_thinking":
		b.sig, _ = p["data"].(string)
	case typ == "reasoning":
		if b.sig, _ = options["signature"].(string); b.sig == "" {
			return thought{}, nil // it is not sent
		}
	case typ == "tool_use" || typ == "tool-call" || b.server && !strings.HasSuffix(typ, "result"):
		b.kind = "call"
	case typ == "tool_result" || typ == "tool-result":
		b.kind = "result"
	case strings.HasSuffix(typ, "_tool_result"):
		b.kind, b.server = "result", true
	case typ == "dynamic-tool" || strings.HasPrefix(typ, "tool-"):
		b.kind = "call"
	}
	b.summary = typ == "compaction" || options["type"] == "compaction"
	if b.sig != "" {
		b.kind = "thinking"
		return b, nil
	}
	if state != "" && b.kind == "call" {
		if strings.HasPrefix(state, "output-") {
			result = &thought{role: "user", kind: "result", text: canonical([]any{p["toolCallId"], p["output"], p["errorText"], state}), server: b.server}
			if b.server {
				result.role = "assistant"
			}
		}
		b.text = canonical([]any{typ, p["toolName"], p["toolCallId"], p["input"]})
		return b, result
	}
	b.text = canonical(p)
	return b, nil
}

// anthropicOptions returns the options for Anthropic that a part has in the AI SDK's format.
func anthropicOptions(p map[string]any) map[string]any {
	for _, key := range []string{"providerOptions", "providerMetadata"} {
		if options, ok := p[key].(map[string]any); ok {
			if own, ok := options["anthropic"].(map[string]any); ok {
				return own
			}
		}
	}
	return nil
}

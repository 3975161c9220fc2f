// Package gen generates random conversations for property tests. Some are ordinary, others contain everything that is
// known to break compactors. A conversation is generated once, independent of wire formats, and can then be written
// in any of them.
package gen

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Call is a tool call with its outcome.
type Call struct {
	ID, Name, Path string
	Result         string
	Err            bool
	Image          bool   // whether the result also contains an image
	Signature      string // the reasoning signature, for formats that put it on the call
}

// Message is a message, independent of any wire format.
type Message struct {
	Role      string // system, user, assistant, results
	Texts     []string
	Reasoning string
	Signature string
	Image     bool
	Calls     []Call // of an assistant: its calls; of results: the calls answered here, in this order
}

// Conversation is a list of messages.
type Conversation []Message

// Options control how difficult a conversation is.
type Options struct {
	Messages int
	// Broken allows the conversation to have unanswered calls, misplaced results, duplicate ids and empty messages.
	Broken bool
}

var words = strings.Fields(`the parser fails on line 42 because buffer is nil when retry exceeds limit see internal/limiter/bucket.go
	and README.md 日本語のテキスト 😀 naïve "quoted" \backslash\ <tag> {json:1} тест عربى https://example.com/x?y=1 0x1f4a9 ERROR: exit 1`)

func text(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[r.IntN(len(words))])
		b.WriteByte(" \n\t "[r.IntN(4)])
	}
	return strings.TrimSpace(b.String())
}

func size(r *rand.Rand) int {
	switch r.IntN(10) {
	case 0:
		return 2000
	case 1, 2:
		return 400
	default:
		return 1 + r.IntN(80)
	}
}

var tools = []string{"read", "Read", "bash", "edit", "write_file", "grep", "web_fetch", "memory"}

// New generates a conversation.
func New(r *rand.Rand, o Options) Conversation {
	var c Conversation
	ids := 0
	id := func() string {
		ids++
		if o.Broken && ids > 1 && r.IntN(12) == 0 {
			return "call_" + strconv.Itoa(1+r.IntN(ids-1)) // an id that is already in use
		}
		if o.Broken && r.IntN(40) == 0 {
			return "bad id/" + strconv.Itoa(ids)
		}
		return "call_" + strconv.Itoa(ids)
	}
	if r.IntN(2) == 0 {
		c = append(c, Message{Role: "system", Texts: []string{text(r, 40)}})
	}
	if o.Broken && r.IntN(6) == 0 {
		c = append(c, Message{Role: "assistant", Texts: []string{"Hello, how can I help?"}})
	}
	c = append(c, Message{Role: "user", Texts: []string{text(r, size(r))}})
	for len(c) < o.Messages {
		if r.IntN(5) == 0 || c[len(c)-1].Role == "assistant" && len(c[len(c)-1].Calls) == 0 && r.IntN(3) > 0 {
			m := Message{Role: "user", Texts: []string{text(r, size(r))}, Image: r.IntN(12) == 0}
			if o.Broken && r.IntN(15) == 0 {
				m.Texts[0] = [...]string{"", " ", "\n\t"}[r.IntN(3)]
			}
			if r.IntN(8) == 0 {
				m.Texts = append(m.Texts, text(r, 30))
			}
			c = append(c, m)
			continue
		}
		m := Message{Role: "assistant"}
		if r.IntN(3) > 0 {
			m.Texts = append(m.Texts, text(r, size(r)))
		}
		if r.IntN(3) == 0 {
			m.Reasoning = text(r, size(r))
			if r.IntN(3) > 0 {
				m.Signature = "sig" + strconv.Itoa(r.IntN(1e6))
			}
		}
		for n := []int{0, 1, 1, 1, 2, 3}[r.IntN(6)]; n > 0; n-- {
			m.Calls = append(m.Calls, Call{ID: id(), Name: tools[r.IntN(len(tools))], Path: "src/f" + strconv.Itoa(r.IntN(9)) + ".go",
				Result: output(r, size(r)), Err: r.IntN(8) == 0, Image: r.IntN(20) == 0})
		}
		if len(m.Texts) == 0 && len(m.Calls) == 0 && !(o.Broken && r.IntN(3) == 0) {
			m.Texts = []string{text(r, 20)}
		}
		c = append(c, m)
		c = append(c, results(r, o, m.Calls)...)
		if o.Broken && r.IntN(25) == 0 {
			c = append(c, Message{Role: "results", Calls: []Call{{ID: "call_stray" + strconv.Itoa(len(c)), Name: "read", Result: "stray"}}})
		}
	}
	if o.Broken && r.IntN(3) == 0 { // results in wrong places
		i, j := r.IntN(len(c)), r.IntN(len(c))
		if c[i].Role == "results" {
			c[i], c[j] = c[j], c[i]
		}
	}
	if r.IntN(4) == 0 { // the host has not run the last call yet
		c = append(c, Message{Role: "assistant", Calls: []Call{{ID: id(), Name: "bash", Path: "x"}}})
	}
	return c
}

// results returns the results of calls, possibly shuffled, in one message or several.
func results(r *rand.Rand, o Options, calls []Call) []Message {
	if len(calls) == 0 {
		return nil
	}
	calls = append([]Call(nil), calls...)
	r.Shuffle(len(calls), func(i, j int) {
		if r.IntN(3) == 0 {
			calls[i], calls[j] = calls[j], calls[i]
		}
	})
	if o.Broken {
		switch r.IntN(12) {
		case 0:
			calls = calls[:len(calls)-1] // leave one call unanswered
		case 1:
			calls = append(calls, calls[0]) // answer one call twice
		}
	}
	if len(calls) > 1 && r.IntN(3) == 0 {
		return []Message{{Role: "results", Calls: calls[:1]}, {Role: "results", Calls: calls[1:]}}
	}
	if len(calls) == 0 {
		return nil
	}
	return []Message{{Role: "results", Calls: calls}}
}

// Formats returns the wire formats in which conversations can be written.
func Formats() []string {
	formats := []string{"openai-chat", "anthropic", "native", "openai-responses", "gemini", "ai-sdk", "ai-sdk-ui", "plain"}
	return append(formats, slices.Sorted(maps.Keys(writers))...)
}

// writers maps a format's name to the function that writes a conversation in that format. Formats in other files of
// this package add themselves.
var writers = map[string]func(add func(any), c Conversation, r *rand.Rand){}

type obj = map[string]any

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// Render writes the conversation in a wire format. r chooses randomly between equivalent forms.
func (c Conversation) Render(format string, r *rand.Rand) []json.RawMessage {
	var out []json.RawMessage
	add := func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		out = append(out, b)
	}
	if write := writers[format]; write != nil {
		write(add, c, r)
		return out
	}
	for i, m := range c {
		switch format {
		case "openai-chat":
			openaiChat(add, m, r)
		case "anthropic":
			anthropic(add, m, r)
		case "native":
			native(add, m, r)
		case "openai-responses":
			openaiResponses(add, m, i)
		case "gemini":
			gemini(add, m)
		case "ai-sdk":
			aiSDK(add, m, r)
		case "plain":
			plain(add, m)
		case "ai-sdk-ui":
			if i == 0 {
				aiSDKUI(add, c, r)
			}
		}
	}
	return out
}

func texts(m Message, typ string) []any {
	var parts []any
	for _, t := range m.Texts {
		parts = append(parts, obj{"type": typ, "text": t})
	}
	return parts
}

// content returns a message's content as a list of parts. If the content is a single text, it is sometimes returned as
// a string, which r decides.
func content(m Message, r *rand.Rand, parts []any) any {
	if len(m.Texts) == 1 && len(parts) == 1 && r.IntN(2) == 0 {
		return m.Texts[0]
	}
	if parts == nil {
		return []any{}
	}
	return parts
}

func args(c Call) obj { return obj{"path": c.Path} }

// plain writes the texts of a message without its other parts. It writes nothing for tool results.
func plain(add func(any), m Message) {
	if m.Role != "results" && len(m.Texts) > 0 {
		add(obj{"role": m.Role, "content": strings.Join(m.Texts, "\n")})
	}
}

func openaiChat(add func(any), m Message, r *rand.Rand) {
	if m.Role == "results" {
		for _, c := range m.Calls {
			add(obj{"role": "tool", "tool_call_id": c.ID, "content": c.Result})
		}
		return
	}
	parts := texts(m, "text")
	if m.Image {
		parts = append(parts, obj{"type": "image_url", "image_url": obj{"url": "data:image/png;base64," + png}})
	}
	v := obj{"role": m.Role, "content": content(m, r, parts)}
	if m.Role == "assistant" {
		if len(m.Texts) == 0 {
			v["content"] = nil
		} else if len(m.Texts) > 0 {
			v["content"] = strings.Join(m.Texts, "\n")
		}
		if m.Reasoning != "" {
			v["reasoning_content"] = m.Reasoning
		}
		var calls []any
		for _, c := range m.Calls {
			a, _ := json.Marshal(args(c))
			calls = append(calls, obj{"id": c.ID, "type": "function", "function": obj{"name": c.Name, "arguments": string(a)}})
		}
		if calls != nil {
			v["tool_calls"] = calls
		}
	}
	add(v)
}

// anthropicResult returns the block of a result, whose content is a text or a list of blocks.
func anthropicResult(c Call, r *rand.Rand) obj {
	v := obj{"type": "tool_result", "tool_use_id": c.ID, "content": c.Result}
	if c.Image || r.IntN(4) == 0 {
		inner := []any{obj{"type": "text", "text": c.Result}}
		if c.Image {
			inner = append(inner, obj{"type": "image", "source": obj{"type": "base64", "media_type": "image/png", "data": png}})
		}
		v["content"] = inner
	}
	if c.Err {
		v["is_error"] = true
	}
	return v
}

func anthropic(add func(any), m Message, r *rand.Rand) {
	if m.Role == "results" {
		var parts []any
		for _, c := range m.Calls {
			parts = append(parts, anthropicResult(c, r))
		}
		add(obj{"role": "user", "content": parts})
		return
	}
	var parts []any
	if m.Reasoning != "" && m.Signature != "" {
		parts = append(parts, obj{"type": "thinking", "thinking": m.Reasoning, "signature": m.Signature})
	}
	parts = append(parts, texts(m, "text")...)
	if m.Image {
		parts = append(parts, obj{"type": "image", "source": obj{"type": "base64", "media_type": "image/png", "data": png}})
	}
	if m.Role == "assistant" {
		for _, c := range m.Calls {
			parts = append(parts, obj{"type": "tool_use", "id": c.ID, "name": c.Name, "input": args(c)})
		}
	}
	add(obj{"role": m.Role, "content": content(m, r, parts)})
}

func native(add func(any), m Message, r *rand.Rand) {
	if m.Role == "results" {
		for _, c := range m.Calls {
			add(obj{"role": "tool_result", "tool_call_id": c.ID, "tool_name": c.Name, "is_error": c.Err,
				"content": []any{obj{"type": "text", "text": c.Result}}})
		}
		return
	}
	var parts []any
	if m.Reasoning != "" {
		parts = append(parts, obj{"type": "reasoning", "text": m.Reasoning})
	}
	parts = append(parts, texts(m, "text")...)
	if m.Image {
		parts = append(parts, obj{"type": "image", "media_type": "image/png", "data": png})
	}
	if m.Role == "assistant" {
		for _, c := range m.Calls {
			parts = append(parts, obj{"type": "tool_call", "id": c.ID, "name": c.Name, "arguments": args(c)})
		}
		if parts == nil {
			parts = []any{}
		}
		add(obj{"role": m.Role, "content": parts})
		return
	}
	if r.IntN(20) == 0 {
		add(obj{"role": "bash_execution", "command": "ls", "output": text(r, 50), "exit_code": 0})
	}
	add(obj{"role": m.Role, "content": content(m, r, parts)})
}

func openaiResponses(add func(any), m Message, i int) {
	n := strconv.Itoa(i)
	switch m.Role {
	case "results":
		for _, c := range m.Calls {
			add(obj{"type": "function_call_output", "call_id": c.ID, "output": c.Result})
		}
	case "assistant":
		if m.Reasoning != "" && (len(m.Texts) > 0 || len(m.Calls) > 0) {
			v := obj{"type": "reasoning", "id": "rs_" + n, "summary": []any{obj{"type": "summary_text", "text": m.Reasoning}}}
			if m.Signature != "" {
				v["encrypted_content"] = m.Signature
			}
			add(v)
		}
		if len(m.Texts) > 0 {
			add(obj{"type": "message", "id": "msg_" + n, "role": "assistant", "status": "completed", "content": texts(m, "output_text")})
		}
		for k, c := range m.Calls {
			a, _ := json.Marshal(args(c))
			add(obj{"type": "function_call", "id": "fc_" + n + "_" + strconv.Itoa(k), "call_id": c.ID, "name": c.Name, "arguments": string(a)})
		}
	default:
		parts := texts(m, "input_text")
		if m.Image {
			parts = append(parts, obj{"type": "input_image", "image_url": "data:image/png;base64," + png})
		}
		add(obj{"type": "message", "role": m.Role, "content": parts})
	}
}

func gemini(add func(any), m Message) {
	role, parts := "user", []any{}
	for _, t := range m.Texts {
		parts = append(parts, obj{"text": t})
	}
	switch m.Role {
	case "system":
		return // it is outside the contents
	case "results":
		for _, c := range m.Calls {
			parts = append(parts, obj{"functionResponse": obj{"id": c.ID, "name": c.Name, "response": obj{"output": c.Result}}})
		}
	case "assistant":
		role = "model"
		if m.Reasoning != "" {
			parts = append([]any{obj{"text": m.Reasoning, "thought": true}}, parts...)
		}
		for k, c := range m.Calls {
			p := obj{"functionCall": obj{"id": c.ID, "name": c.Name, "args": args(c)}}
			if k == 0 {
				p["thoughtSignature"] = "c2ln"
			}
			parts = append(parts, p)
		}
	}
	if m.Image {
		parts = append(parts, obj{"inlineData": obj{"mimeType": "image/png", "data": png}})
	}
	add(obj{"role": role, "parts": parts})
}

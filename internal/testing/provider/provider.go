// Package provider is a fake model endpoint for tests. It rejects requests that a real provider would reject, with the
// same errors, and otherwise responds with text, tool calls or summaries.
package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// Endpoint is a server that responds with tool calls and with texts. A request without tools is a request for a
// summary.
type Endpoint struct {
	Format string        // openai-chat or anthropic
	Window int           // the context window, in tokens of four bytes; a larger conversation is rejected
	Broken int           // one in this many requests fails; 0 means none
	NoSums bool          // whether requests for summaries fail
	Slow   time.Duration // how long each response takes
	Steps  int           // the number of tool calls before each text, at least 2
	// Thinking is the thinking mode of an Anthropic model, as named in package judge. Responses then begin with signed thinking, and
	// requests are checked as such a model checks them. "" means no thinking.
	Thinking string

	mu      sync.Mutex
	seen    Seen
	thought string // the thinking block at the beginning of a response, followed by a comma
}

// Seen describes what an Endpoint has received.
type Seen struct {
	Conversations []json.RawMessage // the message lists that were accepted
	Refused       []string          // errors that every provider would return
	Overflows     int
	Summaries     int
	Requests      int
}

// Seen returns what the endpoint has received so far.
func (e *Endpoint) Seen() Seen {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.seen
	s.Conversations = slices.Clone(s.Conversations)
	return s
}

// ServeHTTP answers a request to the API that e.Format names, OpenAI's Chat Completions or Anthropic's Messages.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var body struct {
		Messages, Tools json.RawMessage
		Stream          bool
		Thinking        struct {
			Binding struct {
				Behavior string `json:"prefix_mismatch_behavior"`
			} `json:"block_binding"`
		}
	}
	if err := json.Unmarshal(text, &body); err != nil {
		e.refuse(w, 400, "not JSON: "+err.Error())
		return
	}
	if r.Header.Get("Authorization") != "Bearer key" && r.Header.Get("X-Api-Key") != "key" {
		e.refuse(w, 401, "who are you?")
		return
	}
	list := body.Messages
	time.Sleep(e.Slow)
	e.mu.Lock()
	defer e.mu.Unlock()
	if body.Tools == nil {
		e.seen.Summaries++
		if e.NoSums {
			w.Header().Set("Retry-After-Ms", "1")
			http.Error(w, `{"error":{"message":"no summaries here"}}`, 500)
			return
		}
		e.thought = ""
		e.answer(w, body.Stream, "## Goal\nThe user wants every file read and counted. Much was done and is known.", "")
		return
	}
	e.seen.Requests++
	if e.Broken > 0 && e.seen.Requests%e.Broken == 0 {
		w.Header().Set("Retry-After-Ms", "1")
		http.Error(w, `{"error":{"message":"The server had an error","type":"server_error"}}`, 500)
		return
	}
	if bad := judge.Valid(e.Format, list); len(bad) > 0 {
		e.seen.Refused = append(e.seen.Refused, bad...)
		http.Error(w, `{"error":{"type":"invalid_request_error","message":"invalid"}}`, 400)
		return
	}
	if e.Thinking != "" && body.Thinking.Binding.Behavior != "drop_block" {
		if bad := judge.Thinking(e.Format, e.Thinking, text); len(bad) > 0 {
			e.seen.Refused = append(e.seen.Refused, bad...)
			http.Error(w, `{"error":{"type":"invalid_request_error","message":"`+bad[0]+`"}}`, 400)
			return
		}
	}
	if tokens := len(list) / 4; tokens > e.Window {
		e.seen.Overflows++
		e.overflow(w, tokens)
		return
	}
	e.seen.Conversations = append(e.seen.Conversations, list)
	call := ""
	if steps := max(2, e.Steps); e.seen.Requests%(steps+1) != 0 {
		call = fmt.Sprintf("call_%d", e.seen.Requests)
	}
	if e.thought = ""; e.Thinking != "" {
		e.thought = fmt.Sprintf(`{"type":"thinking","thinking":"What is answer %d?","signature":%q},`, e.seen.Requests, judge.Next(e.Format, text))
	}
	e.answer(w, body.Stream, fmt.Sprintf("This is answer %d.", e.seen.Requests), call)
}

func (e *Endpoint) refuse(w http.ResponseWriter, status int, why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen.Refused = append(e.seen.Refused, why)
	http.Error(w, `{"error":{"message":"`+why+`"}}`, status)
}

func (e *Endpoint) overflow(w http.ResponseWriter, tokens int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(400)
	if e.Format == "anthropic" {
		fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: %d tokens > %d maximum"}}`, tokens, e.Window)
		return
	}
	fmt.Fprintf(w, `{"error":{"message":"This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, e.Window, tokens)
}

func (e *Endpoint) answer(w http.ResponseWriter, stream bool, text, call string) {
	const arguments = `{"path":"a.txt"}`
	if stream {
		e.stream(w, text)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case e.Format == "anthropic" && call != "":
		fmt.Fprintf(w, `{"id":"m","type":"message","role":"assistant","stop_reason":"tool_use","content":[%s{"type":"text","text":%q},{"type":"tool_use","id":%q,"name":"read","input":%s}],"usage":{"input_tokens":1,"output_tokens":1}}`, e.thought, text, call, arguments)
	case e.Format == "anthropic":
		fmt.Fprintf(w, `{"id":"m","type":"message","role":"assistant","stop_reason":"end_turn","content":[%s{"type":"text","text":%q}],"usage":{"input_tokens":1,"output_tokens":1}}`, e.thought, text)
	case call != "":
		fmt.Fprintf(w, `{"id":"c","object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":%q,"tool_calls":[{"id":%q,"type":"function","function":{"name":"read","arguments":%q}}]}}]}`, text, call, arguments)
	default:
		fmt.Fprintf(w, `{"id":"c","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}]}`, text)
	}
}

// stream sends text as a slow stream of events.
func (e *Endpoint) stream(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind, data string) {
		if kind != "" {
			fmt.Fprintf(w, "event: %s\n", kind)
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
		w.(http.Flusher).Flush()
	}
	quote := func(s string) string { q, _ := json.Marshal(s); return string(q) }
	if e.Format == "anthropic" {
		send("message_start", `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`)
		send("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	}
	for piece := range strings.SplitSeq(text, ". ") {
		time.Sleep(time.Millisecond)
		if e.Format == "anthropic" {
			send("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":`+quote(piece+". ")+`}}`)
		} else {
			send("", `{"id":"c","choices":[{"index":0,"delta":{"content":`+quote(piece+". ")+`}}]}`)
		}
	}
	if e.Format == "anthropic" {
		send("content_block_stop", `{"type":"content_block_stop","index":0}`)
		send("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`)
		send("message_stop", `{"type":"message_stop"}`)
		return
	}
	send("", `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	send("", "[DONE]")
}

package proxy

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// The proxy requests summaries with plain HTTP, although packages host/openai and host/anthropic do the same with the
// SDKs. Compiling an SDK takes more than a minute and 2 GB of memory, which everybody who builds the command would need.

// summarizer calls a model at the endpoint of a client's request, with the client's credentials.
type summarizer struct{ t *turn }

// notCopied lists headers that belong to the body or the connection of a client's request. All other headers are copied,
// because endpoints and gateways require keys, versions and their own headers.
var notCopied = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Digest", "Content-Encoding", "Content-Length", "Content-Md5", "Content-Type", "Digest",
	"Expect", "Idempotency-Key", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", HeaderConversation,
}

// header returns the headers for a summary request, copied from the client's request.
func header(from http.Header) http.Header {
	h := from.Clone()
	for _, list := range from.Values("Connection") {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range notCopied {
		h.Del(name)
	}
	h.Set("Content-Type", "application/json")
	return h
}

// maxSummary is the maximum number of bytes that are read of a response with a summary.
const maxSummary = 4 << 20

// maxRefusal is the maximum number of bytes of an error response that are passed on.
const maxRefusal = 16 << 10

// Summarize asks the endpoint of the client's own request for a summary, with the client's credentials. An error
// response is a [ctxfold.CallError], from which the core learns why the call failed.
func (s *summarizer) Summarize(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
	t, p := s.t, s.t.proxy
	body, err := s.body(q)
	if err != nil {
		return ctxfold.Summary{}, err
	}
	base, query := p.base(t.from, t.route)
	suffix := t.route.suffix
	if t.route.format == api.FormatGemini {
		base, suffix, query = geminiURL(base, query, p.SummaryModel)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+suffix, bytes.NewReader(body))
	if err != nil {
		return ctxfold.Summary{}, err
	}
	r.URL.RawQuery, r.Header = query, header(t.from.Header)
	response, err := p.Transport.RoundTrip(r)
	if err != nil {
		return ctxfold.Summary{}, &ctxfold.CallError{Failure: api.CallFailure{Network: true}, Err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxSummary+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ctxfold.Summary{}, ctxfold.ErrIncomplete
	case err != nil:
		return ctxfold.Summary{}, err
	case response.StatusCode != http.StatusOK:
		err := fmt.Errorf("the endpoint answered %s to a request for a summary", response.Status)
		return ctxfold.Summary{}, &ctxfold.CallError{Err: err, Failure: api.CallFailure{Status: response.StatusCode, Body: string(text[:min(len(text), maxRefusal)]),
			RetryAfter: response.Header.Get("Retry-After"), RetryAfterMs: response.Header.Get("Retry-After-Ms"),
			ShouldRetry: response.Header.Get("X-Should-Retry")}}
	case len(text) > maxSummary:
		return ctxfold.Summary{}, fmt.Errorf("the endpoint answered more than %d bytes to a request for a summary", maxSummary)
	case !gjson.ValidBytes(text):
		return ctxfold.Summary{}, errors.New("the endpoint answered a summary request without JSON")
	}
	sum, err := t.route.said(gjson.ParseBytes(text))
	if err == nil && sum.FinishReason == "" {
		err = ctxfold.ErrIncomplete
	}
	return sum, err
}

// SummarizesPrefix reports whether requests can continue the conversation. They can if the conversation's own model
// writes the summaries, because only that model has the conversation in its prompt cache.
func (s *summarizer) SummarizesPrefix() bool {
	return s.t.proxy.SummaryModel == "" || s.t.proxy.SummaryModel == s.t.model
}

// body returns the body of a request for a summary. The model is the proxy's SummaryModel or, if
// that is empty, the client's model.
func (s *summarizer) body(q ctxfold.Request) ([]byte, error) {
	if q.Conversation != nil {
		return q.Conversation.Sent, nil
	}
	asked := s.t.route.ask(s.t, q)
	if model := cmp.Or(s.t.proxy.SummaryModel, s.t.model); model != "" && s.t.route.format != api.FormatGemini { // Gemini has it in the path
		asked["model"] = model
	}
	return json.Marshal(asked)
}

func askChat(t *turn, q ctxfold.Request) map[string]any {
	limit := "max_completion_tokens"
	if gjson.GetBytes(t.body, "max_tokens").Exists() { // the endpoint may be too old for the newer name
		limit = "max_tokens"
	}
	return map[string]any{limit: q.MaxOutputTokens, "messages": []map[string]string{
		{"role": "system", "content": q.System}, {"role": "user", "content": q.Prompt}}}
}

func saidChat(answer gjson.Result) (ctxfold.Summary, error) {
	choice := answer.Get("choices.0")
	sum := ctxfold.Summary{Text: choice.Get("message.content").String(), FinishReason: choice.Get("finish_reason").String()}
	if choice.Get("message.refusal").String() != "" {
		sum.FinishReason = "refusal"
	}
	if choice.Get("message.tool_calls.0").Exists() {
		sum.FinishReason = "tool_calls"
	}
	cached := answer.Get("usage.prompt_tokens_details.cached_tokens").Int()
	sum.Usage = counted(answer.Get("usage.prompt_tokens").Int()-cached, cached, 0, answer.Get("usage.completion_tokens").Int())
	return sum, nil
}

func askResponses(_ *turn, q ctxfold.Request) map[string]any {
	return map[string]any{"instructions": q.System, "input": q.Prompt, "max_output_tokens": q.MaxOutputTokens, "store": false}
}

// saidResponses returns the summary in a response of the Responses API. It returns an error if the response failed or
// was cancelled.
func saidResponses(answer gjson.Result) (ctxfold.Summary, error) {
	sum := ctxfold.Summary{Text: texts(answer.Get("output.#.content|@flatten"))}
	cached := answer.Get("usage.input_tokens_details.cached_tokens").Int()
	sum.Usage = counted(answer.Get("usage.input_tokens").Int()-cached, cached, 0, answer.Get("usage.output_tokens").Int())
	switch status := answer.Get("status").String(); status {
	case "completed":
		sum.FinishReason = status
	case "incomplete":
		sum.FinishReason = cmp.Or(answer.Get("incomplete_details.reason").String(), status)
	case "failed", "cancelled":
		return sum, fmt.Errorf("the answer has status %s: %s", status, answer.Get("error.message").String())
	}
	if answer.Get(`output.#.content|@flatten|#(type=="refusal")`).Exists() {
		sum.FinishReason = "refusal"
	}
	if answer.Get(`output.#(type=="function_call")`).Exists() {
		sum.FinishReason = "tool_calls"
	}
	return sum, nil
}

func askMessages(_ *turn, q ctxfold.Request) map[string]any {
	return map[string]any{"max_tokens": q.MaxOutputTokens, "system": q.System,
		"messages": []map[string]string{{"role": "user", "content": q.Prompt}}}
}

func saidMessages(answer gjson.Result) (ctxfold.Summary, error) {
	usage := answer.Get("usage")
	return ctxfold.Summary{Text: texts(answer.Get("content")), FinishReason: answer.Get("stop_reason").String(),
		Usage: counted(usage.Get("input_tokens").Int(), usage.Get("cache_read_input_tokens").Int(), usage.Get("cache_creation_input_tokens").Int(),
			usage.Get("output_tokens").Int())}, nil
}

// counted returns the endpoint's token counts; nil if there are none.
func counted(input, read, write, output int64) *api.CallUsage {
	if input+read+write+output <= 0 {
		return nil
	}
	return &api.CallUsage{InputTokens: int(max(input, 0)), CacheReadTokens: int(read), CacheWriteTokens: int(write), OutputTokens: int(output)}
}

// texts joins the texts of a list of parts.
func texts(parts gjson.Result) string {
	var b strings.Builder
	for _, part := range parts.Array() {
		b.WriteString(part.Get("text").String())
	}
	return b.String()
}

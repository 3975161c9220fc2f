package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ctxfold/ctxfold/host"
)

// The proxy asks for summaries by HTTP alone, although packages host/openai and host/anthropic do the same with the SDKs:
// compiling one of those takes more than a minute and 2 GB, which everybody would pay who runs the command.

// summarizer asks a model at the endpoint of a client's request, in the client's name.
type summarizer struct {
	p     *Proxy
	t     *turn
	at    *route
	from  *http.Request
	model string
}

// identity is what says who asks, of a client's request.
var identity = []string{"Authorization", "X-Api-Key", "Api-Key", "Anthropic-Version", "Anthropic-Beta", "Openai-Organization", "Openai-Project"}

// maxSummary is how much of an answer is read, in bytes.
const maxSummary = 4 << 20

func (s *summarizer) Summarize(ctx context.Context, q host.Request) (host.Summary, error) {
	body, err := json.Marshal(s.at.ask(s.t, s.model, q))
	if err != nil {
		return host.Summary{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.p.base(s.from, s.at)+s.at.suffix, bytes.NewReader(body))
	if err != nil {
		return host.Summary{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	for _, name := range identity {
		if value := s.from.Header.Get(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	response, err := s.p.Transport.RoundTrip(r)
	if err != nil {
		return host.Summary{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxSummary))
	switch {
	case err != nil:
		return host.Summary{}, err
	case response.StatusCode != http.StatusOK:
		return host.Summary{}, fmt.Errorf("the endpoint answered %s to a request for a summary", response.Status)
	case !gjson.ValidBytes(text):
		return host.Summary{}, fmt.Errorf("the endpoint answered no JSON to a request for a summary, or more than %d bytes", maxSummary)
	}
	return s.at.said(gjson.ParseBytes(text)), nil
}

func askChat(t *turn, model string, q host.Request) map[string]any {
	limit := "max_completion_tokens"
	if gjson.GetBytes(t.body, "max_tokens").Exists() { // an endpoint of that age may not know the newer name
		limit = "max_tokens"
	}
	return map[string]any{"model": model, limit: q.MaxOutputTokens, "messages": []map[string]string{
		{"role": "system", "content": q.System}, {"role": "user", "content": q.Prompt}}}
}

func saidChat(answer gjson.Result) host.Summary {
	choice := answer.Get("choices.0")
	sum := host.Summary{Text: choice.Get("message.content").String(), FinishReason: choice.Get("finish_reason").String()}
	if choice.Get("message.refusal").String() != "" {
		sum.FinishReason = "refusal"
	}
	return sum
}

func askResponses(_ *turn, model string, q host.Request) map[string]any {
	return map[string]any{"model": model, "instructions": q.System, "input": q.Prompt, "max_output_tokens": q.MaxOutputTokens, "store": false}
}

func saidResponses(answer gjson.Result) host.Summary {
	sum := host.Summary{Text: texts(answer.Get("output.#.content|@flatten")), FinishReason: answer.Get("incomplete_details.reason").String()}
	if answer.Get(`output.#.content|@flatten|#(type=="refusal")`).Exists() {
		sum.FinishReason = "refusal"
	}
	return sum
}

func askMessages(_ *turn, model string, q host.Request) map[string]any {
	return map[string]any{"model": model, "max_tokens": q.MaxOutputTokens, "system": q.System,
		"messages": []map[string]string{{"role": "user", "content": q.Prompt}}}
}

func saidMessages(answer gjson.Result) host.Summary {
	return host.Summary{Text: texts(answer.Get("content")), FinishReason: answer.Get("stop_reason").String()}
}

// texts are the texts of a list of parts, one behind the other.
func texts(parts gjson.Result) string {
	var b strings.Builder
	for _, part := range parts.Array() {
		b.WriteString(part.Get("text").String())
	}
	return b.String()
}

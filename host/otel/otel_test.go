package otel_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/otel"
	"github.com/ctxfold/ctxfold/host/proxy"
)

func attributes(s tracetest.SpanStub) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

func has(t *testing.T, s tracetest.SpanStub, want map[string]string) {
	t.Helper()
	all := attributes(s)
	for key, value := range want {
		if all[key] != value {
			t.Errorf("%s: %s is %q, want %q", s.Name, key, all[key], value)
		}
	}
}

// In a request with a compaction, the client's span is the parent of the proxy's span, and that is
// the parent of the spans of the model's calls. The endpoint gets the parent in its headers. No
// span contains text.
func TestProxy(t *testing.T) {
	var mu sync.Mutex
	var parents []string
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		parents = append(parents, r.Header.Get("Traceparent"))
		mu.Unlock()
		switch {
		case strings.HasSuffix(r.URL.Path, "/models"):
			http.Error(w, "secret", http.StatusServiceUnavailable)
		case strings.Contains(string(body), `"stream":true`):
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"model\":\"large-2\",\"usage\":{\"input_tokens\":10,\"cache_read_input_tokens\":5,\"output_tokens\":1}}}\n\n")
			fmt.Fprint(w, "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":44}}\n\n")
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"id":"c1","model":"small-1","choices":[{"finish_reason":"stop","message":{"content":"## Goal\nA secret: the user wants every file read and counted."}}],"usage":{"prompt_tokens":70,"completion_tokens":9}}`)
		}
	}))
	defer endpoint.Close()
	seen := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(seen))
	tracing := otel.New(provider)
	upstream, _ := url.Parse(endpoint.URL)
	p, err := proxy.New(proxy.Options{Compactor: ctxfold.New(ctxfold.Options{}), Upstream: upstream, Policy: ctxfold.RawPolicy(`{"window":{"tokens":4000,"reserve":500}}`),
		Transport: tracing.Transport(http.DefaultTransport)})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(tracing.Handler(p))
	defer s.Close()
	post := func(path, body string) tracetest.SpanStubs {
		t.Helper()
		seen.Reset()
		parents = nil
		r, _ := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader(body))
		r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		spans := seen.GetSpans()
		for !slices.ContainsFunc(spans, func(s tracetest.SpanStub) bool { return s.SpanKind == trace.SpanKindServer }) { // it ends after the answer
			time.Sleep(time.Millisecond)
			spans = seen.GetSpans()
		}
		server := slices.IndexFunc(spans, func(s tracetest.SpanStub) bool { return s.SpanKind == trace.SpanKindServer })
		if server < 0 || spans[server].SpanContext.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" || spans[server].Parent.SpanID().String() != "b7ad6b7169203331" {
			t.Fatalf("the client's span is no parent: %+v", spans)
		}
		for i, s := range spans {
			if strings.Contains(fmt.Sprint(s.Attributes, s.Status, s.Events, s.Name), "secret") {
				t.Errorf("a span has text: %+v", s)
			}
			if i == server {
				continue
			}
			if s.SpanKind != trace.SpanKindClient || s.Parent.SpanID() != spans[server].SpanContext.SpanID() {
				t.Errorf("%s is no child of the proxy's span", s.Name)
			}
			if len(parents) > 0 && !slices.ContainsFunc(parents, func(p string) bool { return strings.Contains(p, s.SpanContext.SpanID().String()) }) {
				t.Errorf("the endpoint was not told of %s: %q", s.Name, parents)
			}
		}
		spans[0], spans[server] = spans[server], spans[0]
		return spans
	}

	var list []string
	for i := range 12 {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"A secret: request %d."},{"role":"assistant","content":"%s"}`, i, strings.Repeat("It has lines and words. ", 90)))
	}
	history := strings.Join(list, ",") + `,{"role":"user","content":"And now?"}`
	spans := post("/v1/chat/completions", `{"model":"small","max_tokens":100,"messages":[`+history+`]}`)
	if len(spans) < 3 {
		t.Fatalf("%d spans", len(spans))
	}
	has(t, spans[0], map[string]string{"http.request.method": "POST", "url.path": "/v1/chat/completions", "http.response.status_code": "200", "ctxfold.reason": "compacted", "ctxfold.summary": "model"})
	if all := attributes(spans[0]); all["ctxfold.tokens.before"] == "" || all["ctxfold.tokens.after"] == "" {
		t.Errorf("no sizes: %v", all)
	}
	for _, s := range spans[1:] {
		if s.Name != "chat small" {
			t.Errorf("the name is %q", s.Name)
		}
		has(t, s, map[string]string{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "small", "gen_ai.response.model": "small-1", "gen_ai.response.id": "c1",
			"gen_ai.usage.input_tokens": "70", "gen_ai.usage.output_tokens": "9", "gen_ai.response.finish_reasons": `["stop"]`, "server.address": "127.0.0.1", "http.response.status_code": "200"})
	}

	spans = post("/v1/messages", `{"model":"large","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"A secret."}]}`)
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	has(t, spans[1], map[string]string{"gen_ai.provider.name": "anthropic", "gen_ai.request.model": "large", "gen_ai.request.max_tokens": "100", "gen_ai.request.stream": "true", "gen_ai.response.model": "large-2",
		"gen_ai.response.id": "m1", "gen_ai.usage.input_tokens": "15", "gen_ai.usage.output_tokens": "44", "gen_ai.response.finish_reasons": `["end_turn"]`})

	spans = post("/v1/models", ``)
	has(t, spans[0], map[string]string{"http.response.status_code": "503", "error.type": "503"})
	has(t, spans[1], map[string]string{"http.response.status_code": "503", "error.type": "503"})
	if spans[1].Name != "POST" || spans[1].Status.Code != codes.Error || spans[0].Status.Code != codes.Error {
		t.Errorf("%+v", spans[1])
	}
	endpoint.Close()
	spans = post("/v1/models", ``)
	has(t, spans[0], map[string]string{"http.response.status_code": "502"})
	has(t, spans[1], map[string]string{"error.type": "_OTHER"})
}

func TestSummarizer(t *testing.T) {
	seen := tracetest.NewInMemoryExporter()
	tracing := otel.New(sdk.NewTracerProvider(sdk.WithSyncer(seen)))
	for want, err := range map[string]error{"": nil, "_OTHER": errors.New("secret"), "timeout": context.DeadlineExceeded, "canceled": fmt.Errorf("secret: %w", context.Canceled)} {
		seen.Reset()
		s := tracing.Summarizer(ctxfold.SummarizerFunc(func(context.Context, ctxfold.Request) (ctxfold.Summary, error) {
			return ctxfold.Summary{Text: "secret", FinishReason: "stop"}, err
		}), "anthropic", "small")
		if _, got := s.Summarize(t.Context(), ctxfold.Request{Scope: "session", Prompt: "secret", MaxOutputTokens: 7}); !errors.Is(got, err) {
			t.Errorf("%v, want %v", got, err)
		}
		spans := seen.GetSpans()
		if len(spans) != 1 || spans[0].Name != "chat small" || strings.Contains(fmt.Sprint(spans), "secret") {
			t.Fatalf("%+v", spans)
		}
		has(t, spans[0], map[string]string{"gen_ai.provider.name": "anthropic", "ctxfold.summary.scope": "session", "gen_ai.request.max_tokens": "7", "error.type": want})
	}
}

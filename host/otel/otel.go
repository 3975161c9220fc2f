// Package otel creates OpenTelemetry spans for a proxy ([github.com/ctxfold/ctxfold/host/proxy]) and for summary calls,
// following the semantic conventions for generative AI. Spans contain no text of a conversation.
//
//	t := otel.New(provider)
//	p, err := proxy.New(proxy.Options{Transport: t.Transport(http.DefaultTransport), ...})
//	...
//	http.ListenAndServe(address, t.Handler(p))
package otel

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/proxy"
)

// The names of span attributes: those of the semantic conventions, and ctxfold's own.
const (
	operationName  = attribute.Key("gen_ai.operation.name")
	providerName   = attribute.Key("gen_ai.provider.name")
	requestModel   = attribute.Key("gen_ai.request.model")
	requestMax     = attribute.Key("gen_ai.request.max_tokens")
	requestStream  = attribute.Key("gen_ai.request.stream")
	responseID     = attribute.Key("gen_ai.response.id")
	responseModel  = attribute.Key("gen_ai.response.model")
	finishReasons  = attribute.Key("gen_ai.response.finish_reasons")
	inputTokens    = attribute.Key("gen_ai.usage.input_tokens")
	outputTokens   = attribute.Key("gen_ai.usage.output_tokens")
	requestMethod  = attribute.Key("http.request.method")
	responseStatus = attribute.Key("http.response.status_code")
	urlPath        = attribute.Key("url.path")
	serverAddress  = attribute.Key("server.address")
	serverPort     = attribute.Key("server.port")
	errorType      = attribute.Key("error.type")

	compactionReason  = attribute.Key("ctxfold.reason")
	compactionSummary = attribute.Key("ctxfold.summary")
	tokensBefore      = attribute.Key("ctxfold.tokens.before")
	tokensAfter       = attribute.Key("ctxfold.tokens.after")
	summaryScope      = attribute.Key("ctxfold.summary.scope")
)

// Tracing creates spans. Its methods may be called from any number of goroutines.
type Tracing struct {
	tracer    trace.Tracer
	propagate propagation.TextMapPropagator
}

// New returns a Tracing that creates spans with a TracerProvider.
func New(provider trace.TracerProvider) *Tracing {
	return &Tracing{tracer: provider.Tracer("github.com/ctxfold/ctxfold", trace.WithInstrumentationVersion(ctxfold.Version)),
		propagate: propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})}
}

// Handler returns a handler that passes requests to next. It creates a span for each request to the
// proxy, with attributes about the compaction of its conversation. The parent is the span in the
// client's traceparent header.
func (t *Tracing) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := t.propagate.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := t.tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(requestMethod.String(r.Method), urlPath.String(r.URL.Path)))
		defer span.End()
		next.ServeHTTP(&answered{ResponseWriter: w, span: span}, r.WithContext(ctx))
	})
}

// answered is a ResponseWriter that records in a span the status of the response and what its
// header reports about the compaction.
type answered struct {
	http.ResponseWriter
	span trace.Span
	done bool
}

// Unwrap returns the wrapped writer for http.ResponseController, so that streams can be flushed and bodies can have
// deadlines.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Write writes a part of the body. If no status was written before, it is 200.
func (a *answered) Write(p []byte) (int, error) {
	a.begin(http.StatusOK)
	return a.ResponseWriter.Write(p)
}

// WriteHeader records and writes the status. Informational ones, below 200, are not recorded.
func (a *answered) WriteHeader(status int) {
	if status >= 200 {
		a.begin(status)
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answered) begin(status int) {
	if a.done {
		return
	}
	a.done = true
	a.span.SetAttributes(responseStatus.Int(status))
	a.span.SetAttributes(reported(a.Header().Get(proxy.HeaderReport))...)
	if status >= 500 {
		a.span.SetAttributes(errorType.String(strconv.Itoa(status)))
		a.span.SetStatus(codes.Error, "")
	}
}

// reported returns the attributes that a report such as "compacted; before=91000; after=32000; summary=model"
// contains.
func reported(report string) (all []attribute.KeyValue) {
	for i, field := range strings.Split(report, "; ") {
		name, value, _ := strings.Cut(field, "=")
		number, _ := strconv.Atoi(value)
		switch {
		case i == 0 && field != "":
			all = append(all, compactionReason.String(field))
		case name == "before":
			all = append(all, tokensBefore.Int(number))
		case name == "after":
			all = append(all, tokensAfter.Int(number))
		case name == "summary" && value != "":
			all = append(all, compactionSummary.String(value))
		}
	}
	return all
}

// Summarizer returns a summarizer that calls s and creates a span for each call, for programs
// without a proxy. provider and model name the model as in the conventions; a provider is, for
// example, "anthropic".
func (t *Tracing) Summarizer(s ctxfold.Summarizer, provider, model string) ctxfold.Summarizer {
	return ctxfold.SummarizerFunc(func(ctx context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
		ctx, span := t.tracer.Start(ctx, "chat "+model, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(operationName.String("chat"),
			providerName.String(provider), requestModel.String(model), requestMax.Int(q.MaxOutputTokens), summaryScope.String(string(q.Scope))))
		defer span.End()
		sum, err := s.Summarize(ctx, q)
		if err != nil {
			failed(span, err)
		} else if sum.FinishReason != "" {
			span.SetAttributes(finishReasons.StringSlice([]string{sum.FinishReason}))
		}
		return sum, err
	})
}

// failed records that a call has failed. Only the kind of the error is recorded, because its text may quote a
// conversation.
func failed(span trace.Span, err error) {
	kind := "_OTHER"
	var timed interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled):
		kind = "canceled"
	case errors.As(err, &timed) && timed.Timeout():
		kind = "timeout"
	}
	span.SetAttributes(errorType.String(kind))
	span.SetStatus(codes.Error, "")
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/otel"
)

// traces exports spans as configured by the environment variables of OpenTelemetry. Its zero value exports none.
type traces struct {
	provider *sdk.TracerProvider
	tracing  *otel.Tracing
}

// openTraces prepares the export of spans. It does not connect yet; spans that cannot be sent are dropped. Without an
// endpoint in the environment, the traces do nothing. An invalid setting in the environment is an error.
func openTraces(ctx context.Context) (traces, error) {
	if cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")) == "" {
		return traces{}, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return traces{}, fmt.Errorf("cannot send spans: %w", err)
	}
	about := []attribute.KeyValue{attribute.String("service.version", ctxfold.Version)}
	if os.Getenv("OTEL_SERVICE_NAME") == "" {
		about = append(about, attribute.String("service.name", "ctxfold"))
	}
	of, err := resource.Merge(resource.Default(), resource.NewSchemaless(about...))
	if err != nil {
		return traces{}, fmt.Errorf("cannot send spans: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(of))
	return traces{provider, otel.New(provider)}, nil
}

func (t traces) handler(next http.Handler) http.Handler {
	if t.tracing == nil {
		return next
	}
	return t.tracing.Handler(next)
}

func (t traces) transport(next http.RoundTripper) http.RoundTripper {
	if t.tracing == nil {
		return next
	}
	return t.tracing.Transport(next)
}

// flushTime is the time limit for exporting the last spans.
const flushTime = 5 * time.Second

// close exports the remaining spans. It waits for them, up to flushTime.
func (t traces) close() {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	_ = t.provider.Shutdown(ctx)
}

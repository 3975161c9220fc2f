package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/prometheus"
	"github.com/ctxfold/ctxfold/records"
)

// healthTime is the timeout for a health check.
const healthTime = 5 * time.Second

// monitoring returns a handler for /metrics and /healthz. It needs an address of its own, because the proxy forwards all paths to the
// endpoint.
func monitoring(m *prometheus.Metrics, c *ctxfold.Compactor, records records.Records) http.Handler {
	registry := client.NewRegistry()
	registry.MustRegister(m, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), healthTime)
		defer cancel()
		if _, err := c.Info(ctx); err != nil {
			http.Error(w, "the core does not answer: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, "ok\n%s\n", memoryHealth(ctx, records)) // ok in any case, because a proxy also works without its memory
	})
	return mux
}

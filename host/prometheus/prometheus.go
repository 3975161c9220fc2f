// Package prometheus exports metrics of a [ctxfold.Compactor] and a [proxy.Proxy] to Prometheus. No label and no value
// contains text of a transcript.
//
//	m := prometheus.New()
//	registry.MustRegister(m)
//	c := ctxfold.New(ctxfold.Options{Metrics: m})
package prometheus

import (
	"strconv"
	"sync/atomic"

	client "github.com/prometheus/client_golang/prometheus"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/proxy"
)

// Metrics implements [ctxfold.Metrics] and [proxy.Metrics], and is a [client.Collector].
type Metrics struct {
	operations  *client.HistogramVec
	waits       client.Histogram
	memory      client.GaugeFunc
	largest     atomic.Uint64
	summaries   *client.HistogramVec
	compactions *client.CounterVec
	tokens      *client.CounterVec
	requests    *client.HistogramVec
	records     *client.HistogramVec
}

var (
	_ ctxfold.Metrics  = (*Metrics)(nil)
	_ proxy.Metrics    = (*Metrics)(nil)
	_ client.Collector = (*Metrics)(nil)
)

// The bucket limits of the histograms, in seconds: quick for operations of the core, slow for model calls.
var (
	quick = client.ExponentialBuckets(0.0005, 4, 8)
	slow  = client.ExponentialBuckets(0.25, 2, 10)
)

// New returns Metrics to register with a Prometheus registry. Pass it to the Options of a Compactor or a proxy as well.
func New() *Metrics {
	histogram := func(name, help string, buckets []float64, labels ...string) *client.HistogramVec {
		return client.NewHistogramVec(client.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	counter := func(name, help string, labels ...string) *client.CounterVec {
		return client.NewCounterVec(client.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Metrics{
		operations:  histogram("ctxfold_operation_seconds", "Time of operations of the core; code is empty where all went well.", quick, "op", "code"),
		waits:       client.NewHistogram(client.HistogramOpts{Name: "ctxfold_wait_seconds", Help: "Time that operations waited for an instance of the module.", Buckets: quick}),
		summaries:   histogram("ctxfold_summary_seconds", "Time of calls for a summary.", slow, "scope", "failed"),
		compactions: counter("ctxfold_compactions_total", "Finished compactions by why they changed something or not, and by who wrote the summary.", "reason", "summary"),
		tokens:      counter("ctxfold_tokens_total", "Estimated tokens of what was compacted, before and after.", "when"),
		requests:    histogram("ctxfold_proxy_request_seconds", "Time until the answer to a request of a client began, with its compaction; format is empty for what is passed on as it is.", slow, "format", "status"),
		records:     histogram("ctxfold_records_seconds", "Time of calls of the records, in which compactions are remembered.", quick, "op", "failed"),
	}
	m.memory = client.NewGaugeFunc(client.GaugeOpts{Name: "ctxfold_memory_bytes", Help: "Largest memory that an instance of the module has had."},
		func() float64 { return float64(m.largest.Load()) })
	return m
}

func (m *Metrics) all() []client.Collector {
	return []client.Collector{m.operations, m.waits, m.memory, m.summaries, m.compactions, m.tokens, m.requests, m.records}
}

// Describe sends the descriptions of all metrics, as a Prometheus collector must.
func (m *Metrics) Describe(to chan<- *client.Desc) {
	for _, c := range m.all() {
		c.Describe(to)
	}
}

// Collect sends the current values of all metrics, as a Prometheus collector must.
func (m *Metrics) Collect(to chan<- client.Metric) {
	for _, c := range m.all() {
		c.Collect(to)
	}
}

// Operation counts an operation of the core, with its duration and memory.
func (m *Metrics) Operation(o ctxfold.OperationCall) {
	m.operations.WithLabelValues(o.Name, o.Code).Observe(o.Took.Seconds())
	m.waits.Observe(o.Waited.Seconds())
	for seen := m.largest.Load(); o.MemoryBytes > seen && !m.largest.CompareAndSwap(seen, o.MemoryBytes); seen = m.largest.Load() {
	}
}

// Summary counts a call of a summarizer, with its duration.
func (m *Metrics) Summary(s ctxfold.SummaryCall) {
	m.summaries.WithLabelValues(string(s.Scope), strconv.FormatBool(s.Failed)).Observe(s.Took.Seconds())
}

// Compaction counts a finished compaction and, if it changed anything, the tokens before and after it.
func (m *Metrics) Compaction(r ctxfold.Report) {
	m.compactions.WithLabelValues(string(r.Reason), string(r.Summary.Source)).Inc()
	if r.Changed {
		m.tokens.WithLabelValues("before").Add(float64(r.Tokens.Before))
		m.tokens.WithLabelValues("after").Add(float64(r.Tokens.After))
	}
}

// Request counts a client's request to the proxy, with its duration.
func (m *Metrics) Request(r proxy.Request) {
	m.requests.WithLabelValues(r.Format, strconv.Itoa(r.Status)).Observe(r.Took.Seconds())
}

// Records counts a call of the store that keeps compactions, with its duration.
func (m *Metrics) Records(r ctxfold.RecordsCall) {
	m.records.WithLabelValues(r.Op, strconv.FormatBool(r.Failed)).Observe(r.Took.Seconds())
}

package prometheus_test

import (
	"strings"
	"testing"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/prometheus"
	"github.com/ctxfold/ctxfold/host/proxy"
)

// The metrics of a compaction can be collected, and have names according to Prometheus' conventions.
func TestMetrics(t *testing.T) {
	m := prometheus.New()
	registry := client.NewPedanticRegistry()
	registry.MustRegister(m)
	c := ctxfold.New(ctxfold.Options{Metrics: m})
	messages := `[{"role":"user","content":"` + strings.Repeat("How does it work? ", 900) + `"},{"role":"assistant","content":"Well."},{"role":"user","content":"And now?"}]`
	r, err := c.Compact(t.Context(), []byte(messages), ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":1000,"reserve":0},"passes":[{"pass":"fold","keep_tokens":20}]}`), nil)
	if err != nil || !r.Changed {
		t.Fatalf("%v, %+v", err, r)
	}
	if _, err := c.Check(t.Context(), ctxfold.Input{Messages: []byte(`[]x`)}); err == nil {
		t.Error("no error for what is no JSON")
	}
	m.Request(proxy.Request{Format: "anthropic", Status: 200, Took: 300 * time.Millisecond})
	m.Operation(ctxfold.OperationCall{Name: "loop_start", MemoryBytes: 7 << 20})
	m.Operation(ctxfold.OperationCall{Name: "loop_start", MemoryBytes: 5 << 20})
	m.Records(ctxfold.RecordsCall{Op: "find", Took: time.Millisecond})
	m.Records(ctxfold.RecordsCall{Op: "find", Failed: true, Took: time.Second})
	m.Summary(ctxfold.SummaryCall{Scope: "session", Failed: true, Took: time.Second})
	want := `
# HELP ctxfold_compactions_total Finished compactions by why they changed something or not, and by who wrote the summary.
# TYPE ctxfold_compactions_total counter
ctxfold_compactions_total{reason="compacted",summary="local"} 1
# HELP ctxfold_memory_bytes Largest memory that an instance of the module has had.
# TYPE ctxfold_memory_bytes gauge
ctxfold_memory_bytes 7.340032e+06
`
	if err := testutil.CollectAndCompare(m, strings.NewReader(want), "ctxfold_compactions_total", "ctxfold_memory_bytes"); err != nil {
		t.Error(err)
	}
	for name, series := range map[string]int{"ctxfold_operation_seconds": 2, "ctxfold_tokens_total": 2, "ctxfold_summary_seconds": 1, "ctxfold_proxy_request_seconds": 1, "ctxfold_records_seconds": 2} {
		if n := testutil.CollectAndCount(m, name); n != series {
			t.Errorf("%s: %d series, want %d", name, n, series)
		}
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

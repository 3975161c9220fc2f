package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/host/proxy"
)

// The header and the log have the reason why the digest is not the model's, and the log has the endpoint's error.
func TestWhyTheDigestIsLocal(t *testing.T) {
	for _, tt := range []struct {
		name, why, err string
		answer         func(http.ResponseWriter)
	}{
		{"a summary that is too short", "too_short", "", func(w http.ResponseWriter) {
			fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"Done."}}]}`)
		}},
		{"an endpoint that knows no such model", "summarizer_failed", "the endpoint answered 404 Not Found to a request for a summary", func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
		}},
		{"a good summary", "", "", nil},
	} {
		var log bytes.Buffer
		base := before(t, &upstream{summary: tt.answer}, proxy.Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
		report := post(t, base+"/v1/chat/completions", `{"model":"m","tools":[],"messages":[`+long(60)+`]}`)
		want := "; summary=local; why=" + tt.why
		if tt.why == "" {
			want = "; summary=model"
		}
		if !strings.HasSuffix(report, want) {
			t.Errorf("%s: the header is %q, want ...%s", tt.name, report, want)
		}
		var line struct{ Msg, Why, Error string }
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v in the log %q", tt.name, err, log.String())
		}
		if line.Msg != "ctxfold: compacted" || line.Why != tt.why || line.Error != tt.err {
			t.Errorf("%s: the log has %q", tt.name, log.String())
		}
	}
}

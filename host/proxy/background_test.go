package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/proxy"
)

// Above gate.start, requests continue unchanged while the summary is being written, and later ones use the result.
func TestBackground(t *testing.T) {
	synctest.Test(t, background)
}

func background(t *testing.T) {
	var asked atomic.Int32
	release := make(chan struct{}, 1)
	sent := make(chan string, 1)
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if strings.Contains(string(text), `"tools"`) {
			sent <- string(text)
			io.WriteString(w, `{}`)
			return
		}
		asked.Add(1)
		select {
		case <-release:
		case <-r.Context().Done():
		}
		said(w, r, "## Goal\nThe user wants every file read and counted. Much was done and is known.")
	})
	c := beforeInBubble(t, up, proxy.Options{Policy: ctxfold.RawPolicy(`{"window":{"tokens":6000,"reserve":500},"gate":{"start":0.7,"target":0.5},"passes":[{"pass":"fold","keep_tokens":500}]}`)})
	for _, path := range []string{"/v1/chat/completions", "/v1/messages"} {
		const more = `,{"role":"assistant","content":"It is read."},{"role":"user","content":"And the next?"}`
		body := func(turns int) string {
			return `{"model":"m","tools":[],"messages":[` + long(13) + strings.Repeat(more, turns) + `]}`
		}
		for turns := range 2 {
			report := c.post(t, path, body(turns))
			if got := <-sent; got != body(turns) || !strings.HasPrefix(report, "under_budget") || !strings.HasSuffix(report, "; background=running") {
				t.Errorf("%s, %d more turns: %s, %.100s", path, turns, report, got)
			}
		}
		release <- struct{}{}
		synctest.Wait()
		report := c.post(t, path, body(2))
		if got, tail := <-sent, `"And now?"}`+more+more; !strings.Contains(got, "Much was done") || !strings.Contains(got, tail) {
			t.Errorf("%s: %s, the result is not used, or what has come since is not as it was: %.300s", path, report, got)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("%d requests for summaries of 2 conversations", n)
	}
}

// A request to another model finds no prompt cache: its conversation is compacted below the limit.
func TestAnotherModel(t *testing.T) {
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, _ := io.ReadAll(r.Body); strings.Contains(string(text), `"tools"`) {
			io.WriteString(w, `{}`)
			return
		}
		said(w, r, "## Goal\nThe user wants every file read and counted. Much was done and is known.")
	})
	base := before(t, up, proxy.Options{Policy: ctxfold.RawPolicy(`{"window":{"tokens":6000,"reserve":500},"gate":{"idle":300},"passes":[{"pass":"fold","keep_tokens":500}]}`)})
	for _, path := range []string{"/v1/chat/completions", "/v1/messages"} {
		for _, call := range []struct{ model, want string }{{"m", "under_budget"}, {"m", "under_budget"}, {"n", "compacted"}, {"n", "under_budget"}} {
			report := post(t, base+path, `{"model":"`+call.model+`","tools":[],"messages":[`+long(13)+`]}`)
			if !strings.HasPrefix(report, call.want) || strings.HasSuffix(report, "; cold=model_changed") != (call.want == "compacted") {
				t.Errorf("%s, model %s: %s, want %s", path, call.model, report, call.want)
			}
		}
	}
}

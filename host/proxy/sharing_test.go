package proxy_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/proxy"
)

// Everything that identifies a client separates its compactions from others: headers of gateways, cookies, the user in the body, the system
// prompt and, without any key, the connection.
func TestSharing(t *testing.T) {
	body := func(more string) string { return `{"model":"m","tools":[],` + more + `"messages":[` + long(60) + `]}` }
	for name, pair := range map[string][2]struct {
		more   string
		header []string
	}{
		"portkey":       {{"", []string{"X-Portkey-Api-Key", "a"}}, {"", []string{"X-Portkey-Api-Key", "b"}}},
		"cookie":        {{"", []string{"Cookie", "s=a"}}, {"", []string{"Cookie", "s=b"}}},
		"organization":  {{"", []string{"Authorization", "k", "Openai-Organization", "a"}}, {"", []string{"Authorization", "k", "Openai-Organization", "b"}}},
		"oidc":          {{"", []string{"X-Amzn-Oidc-Identity", "a"}}, {"", []string{"X-Amzn-Oidc-Identity", "b"}}},
		"email":         {{"", []string{"Authorization", "k", "X-Forwarded-Email", "a@x"}}, {"", []string{"Authorization", "k", "X-Forwarded-Email", "b@x"}}},
		"consumer":      {{"", []string{"Authorization", "k", "X-Consumer-Id", "a"}}, {"", []string{"Authorization", "k", "X-Consumer-Id", "b"}}},
		"customer":      {{"", []string{"Authorization", "k", "X-Customer-Id", "a"}}, {"", []string{"Authorization", "k", "X-Customer-Id", "b"}}},
		"org":           {{"", []string{"Authorization", "k", "X-Org-Id", "a"}}, {"", []string{"Authorization", "k", "X-Org-Id", "b"}}},
		"goog":          {{"", []string{"X-Goog-Api-Key", "a"}}, {"", []string{"X-Goog-Api-Key", "b"}}},
		"user":          {{`"user":"a",`, []string{"Authorization", "k"}}, {`"user":"b",`, []string{"Authorization", "k"}}},
		"metadata user": {{`"metadata":{"user_id":"a"},`, []string{"X-Api-Key", "k"}}, {`"metadata":{"user_id":"b"},`, []string{"X-Api-Key", "k"}}},
		"system prompt": {{`"system":"You help Ann.",`, []string{"X-Api-Key", "k"}}, {`"system":"You help Bob.",`, []string{"X-Api-Key", "k"}}},
		"connection":    {{"", []string{"X-Forwarded-For", "10.0.0.1"}}, {"", []string{"X-Forwarded-For", "10.0.0.2"}}},
	} {
		synctest.Test(t, func(t *testing.T) { // a connection stays open, however busy the machine is
			c := beforeInBubble(t, &upstream{}, proxy.Options{})
			for i, each := range []int{0, 0, 1, 1, 0} {
				report := c.post(t, "/v1/messages", body(pair[each].more), pair[each].header...)
				if compacted := strings.HasPrefix(report, "compacted"); compacted != (i == 0 || i == 2) {
					t.Errorf("%s: request %d: %s", name, i, report)
				}
			}
		})
	}
	for share, want := range map[bool]string{false: "compacted", true: "under_budget"} {
		base := before(t, &upstream{}, proxy.Options{ShareAnonymous: share})
		postBy(t, http.DefaultClient, base+"/v1/messages", body(""))
		http.DefaultClient.CloseIdleConnections() // the next request comes over another connection
		if report := postBy(t, http.DefaultClient, base+"/v1/messages", body("")); !strings.HasPrefix(report, want) {
			t.Errorf("without a key, shared %v: %s", share, report)
		}
	}
}

// Requests of Gemini's API are compacted too; summaries are requested without streaming.
func TestGemini(t *testing.T) {
	var asked, sent atomic.Int32
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if strings.Contains(string(text), `"tools"`) {
			sent.Store(int32(len(text)))
			io.WriteString(w, `{}`)
			return
		}
		asked.Add(1)
		if !strings.HasSuffix(r.URL.Path, "/v1beta/models/gemini-x:generateContent") || r.URL.RawQuery != "key=k" {
			t.Errorf("asked at %s", r.URL)
		}
		io.WriteString(w, `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"## Goal\nThe user wants every file read and counted. Much was done and is known."}]}}]}`)
	})
	base := before(t, up, proxy.Options{})
	var list []string
	for i := range 60 {
		list = append(list, fmt.Sprintf(`{"role":"user","parts":[{"text":"Request %d."}]},{"role":"model","parts":[{"text":%q}]}`, i, file(i)))
	}
	body := `{"tools":[],"contents":[` + strings.Join(list, ",") + `,{"role":"user","parts":[{"text":"And now?"}]}]}`
	for i, path := range []string{":streamGenerateContent?alt=sse&key=k", ":generateContent?key=k"} {
		report := post(t, base+"/v1beta/models/gemini-x"+path, body)
		if strings.HasPrefix(report, "compacted") != (i == 0) || i == 0 && !strings.HasSuffix(report, "summary=model") || int(sent.Load()) > len(body)/2 {
			t.Errorf("%s: %s, %d of %d bytes sent", path, report, sent.Load(), len(body))
		}
	}
	if asked.Load() == 0 {
		t.Error("no summary was asked for")
	}
}

// Compressed bodies are read. Those that can't be are forwarded, and the report says so.
func TestContentEncoding(t *testing.T) {
	plain := []byte(`{"model":"m","tools":[],"messages":[` + long(60) + `]}`)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write(plain)
	w.Close()
	z, _ := zstd.NewWriter(nil)
	for _, tt := range []struct {
		coding, want string
		body         []byte
	}{
		{"gzip", "compacted", zipped.Bytes()}, {"zstd", "compacted", z.EncodeAll(plain, nil)},
		{"gzip", "passed; why=content_encoding", zipped.Bytes()[:40]}, {"br", "passed; why=content_encoding", []byte("x")},
	} {
		var coding string
		up := &upstream{}
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			coding = r.Header.Get("Content-Encoding")
			up.ServeHTTP(w, r)
		})
		base := before(t, h, proxy.Options{})
		report := post(t, base+"/v1/chat/completions", string(tt.body), "Content-Encoding", tt.coding)
		if !strings.HasPrefix(report, tt.want) || (coding == "") != (tt.want == "compacted") {
			t.Errorf("%s: %s, sent as %q", tt.coding, report, coding)
		}
	}
	base := before(t, &upstream{}, proxy.Options{MaxBody: 1 << 10})
	r, _ := http.NewRequest(http.MethodPost, base+"/v1/messages", bytes.NewReader(z.EncodeAll(plain, nil)))
	r.Header.Set("Content-Encoding", "zstd")
	if a, err := http.DefaultClient.Do(r); err != nil || a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a bomb: %v, %v", a, err)
	}
	for path, want := range map[string]string{"/v1/embeddings": "passed; why=path", "/v1/messages": "passed; why=no_messages"} {
		if report := post(t, before(t, &upstream{}, proxy.Options{})+path, `{"tools":1}`); report != want {
			t.Errorf("%s: %q, want %q", path, report, want)
		}
	}
}

// An endpoint may say inside a stream, or in an answer with a good status, that a conversation is too long.
func TestOverflowInAStream(t *testing.T) {
	const text = `"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."`
	const stream = "text/event-stream"
	for _, tt := range []struct{ name, path, list, kind, answer string }{
		{"responses", "/v1/responses", "input", stream, "event: response.created\ndata: {\"type\":\"response.created\"}\n\nevent: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{" + text + "}}}\n\n"},
		{"anthropic", "/v1/messages", "messages", stream, `event: error` + "\n" + `data: {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 300000 tokens > 200000 maximum"}}` + "\n\n"},
		{"chat", "/v1/chat/completions", "messages", stream, "data: {\"error\":{" + text + "}}\n\n"},
		{"a whole answer", "/v1/responses", "input", "application/json", `{"status":"failed","error":{` + text + `}}`},
	} {
		var sizes []int
		up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got, _ := io.ReadAll(r.Body)
			sizes = append(sizes, len(got))
			if len(sizes) == 1 {
				w.Header().Set("Content-Type", tt.kind)
				io.WriteString(w, tt.answer)
				return
			}
			w.Header().Set("Content-Type", stream)
			io.WriteString(w, "data: {\"fine\":true}\n\n")
		})
		base := before(t, up, proxy.Options{Policy: ctxfold.RawPolicy(`{"summary":{"mode":"local"}}`)})
		report := post(t, base+tt.path, `{"model":"m","`+tt.list+`":[`+long(60)+`]}`)
		if len(sizes) != 2 || sizes[1] >= sizes[0] || !strings.HasPrefix(report, "compacted") {
			t.Errorf("%s: requests of %v bytes, %s", tt.name, sizes, report)
		}
	}
}

// A compaction ends with the last client that waits for it.
func TestVanishedClient(t *testing.T) {
	began, ended := make(chan struct{}, 99), make(chan struct{}, 99)
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		began <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	})
	base := before(t, up, proxy.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/messages", strings.NewReader(`{"model":"m","tools":[],"messages":[`+long(60)+`]}`))
	go http.DefaultClient.Do(r)
	<-began
	cancel()
	select {
	case <-ended:
	case <-time.After(10 * time.Minute):
		t.Fatal("the request for a summary goes on")
	}
}

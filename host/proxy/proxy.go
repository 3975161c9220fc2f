// Package proxy is a compaction proxy: it stands between a client and an OpenAI- or Anthropic-compatible endpoint, and keeps
// the conversations of clients that know nothing of it inside of the model's context window.
//
// A client sends its whole conversation with every request, as these APIs want it. The proxy remembers, for each
// conversation that it had to compact, what it made of which first messages. It puts that in their place the next time, so
// that a conversation is compacted once and not with every request, and compacts again when it is due.
//
// What the client sends is the truth: the proxy can lose all its records, be killed at any time or be left out, and nothing
// is lost. Where it cannot read a request, or compaction fails, the request goes on as it came.
package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ctxfold/ctxfold/host"
)

// HeaderConversation is a request header by which a client may name its conversation. Without it, conversations are told
// apart by their first messages.
const HeaderConversation = "Ctxfold-Conversation"

// HeaderReport is a response header: what was done to the conversation, such as
// "compacted; before=91000; after=32000; summary=model", in tokens.
const HeaderReport = "Ctxfold-Report"

// DefaultMaxBody is how many bytes a request may have when Options do not say otherwise.
const DefaultMaxBody = 64 << 20

// Options configure a [Proxy]. Compactor and Upstream are needed.
type Options struct {
	// Compactor does the work. It is not closed with the Proxy.
	Compactor *host.Compactor

	// Upstream is the endpoint: the path of a request is put behind its path.
	Upstream *url.URL

	// Policy is that of all conversations (docs/POLICY.md). Its format is taken from the path of each request.
	Policy json.RawMessage

	// Records keeps what is known of conversations. Nil means in memory, for the newest 1,000.
	Records Records

	// SummaryModel writes the summaries, at the same endpoint and with the client's own key. Empty means the model of the
	// conversation. With "summary":{"mode":"local"} in the policy no model is asked.
	SummaryModel string

	// Transport sends requests to the endpoint. Nil means http.DefaultTransport.
	Transport http.RoundTripper

	// MaxBody is how many bytes a request may have. Zero means DefaultMaxBody.
	MaxBody int64

	// Logger gets a line for each compaction, without any text of it. Nil means no log.
	Logger *slog.Logger
}

// Proxy is an [http.Handler].
type Proxy struct {
	Options
	reverse *httputil.ReverseProxy
	locks   locks
}

// route is an API that the proxy knows.
type route struct {
	suffix string // of the path; what stands before it is the base URL of its SDK
	format string // of the transcript
	list   string // the key of the request that holds the transcript
	// ask is the body of a request for a summary, and said is what an answer to it says.
	ask  func(t *turn, model string, q host.Request) map[string]any
	said func(answer gjson.Result) host.Summary
}

var routes = []route{
	{suffix: "/chat/completions", format: "openai-chat", list: "messages", ask: askChat, said: saidChat},
	{suffix: "/responses", format: "openai-responses", list: "input", ask: askResponses, said: saidResponses},
	{suffix: "/v1/messages", format: "anthropic", list: "messages", ask: askMessages, said: saidMessages},
}

// New makes a Proxy.
func New(o Options) (*Proxy, error) {
	if o.Compactor == nil {
		return nil, errors.New("ctxfold: a proxy needs a Compactor")
	}
	if o.Upstream == nil || o.Upstream.Host == "" || o.Upstream.Scheme != "http" && o.Upstream.Scheme != "https" {
		return nil, errors.New("ctxfold: a proxy needs the URL of an endpoint, such as https://example.com/v1")
	}
	if o.Records == nil {
		o.Records = NewMemoryRecords(1000)
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	p := &Proxy{Options: o}
	p.reverse = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(o.Upstream)
			r.Out.Header.Del(HeaderConversation)
			// The transport compresses by itself then, and errors can be read.
			r.Out.Header.Del("Accept-Encoding")
		},
		Transport:     roundTripper{p},
		FlushInterval: -1, // streams are passed on piece by piece
		ErrorHandler:  p.failed,
	}
	return p, nil
}

// ServeHTTP passes a request on, compacted where that is due.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := find(r)
	if at == nil {
		p.reverse.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, p.MaxBody))
	if err != nil {
		status := http.StatusBadRequest
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			status = http.StatusRequestEntityTooLarge
		}
		writeError(w, status, "the request could not be read: "+err.Error())
		return
	}
	t := p.open(r, at, body)
	if t != nil {
		body, _ = t.compact(r.Context(), nil)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	p.reverse.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), turnKey{}, t)))
}

// find gives the API that a request is for. Bodies that are compressed are not looked into.
func find(r *http.Request) *route {
	if r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "" {
		return nil
	}
	for i, at := range routes {
		if strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), at.suffix) {
			return &routes[i]
		}
	}
	return nil
}

// failed answers where the endpoint could not be reached.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil { // the client has gone
		return
	}
	p.Logger.Warn("ctxfold: the endpoint did not answer", "path", r.URL.Path, "error", err)
	writeError(w, http.StatusBadGateway, "the endpoint behind the proxy did not answer")
}

// writeError answers in the shape that the clients of all three APIs read.
func writeError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]string{"type": "proxy_error", "message": message}})
}

// Package proxy is a compaction proxy: it is between a client and an OpenAI- or Anthropic-compatible endpoint, and keeps the conversations
// of clients that knows nothing about it inside of the model's context window.
//
// A client sends its whole conversation with every request, as these APIs want it. [ctxfold.Compactor.Fit] remembers what it made of which
// first messages and puts that in their place the next time, so that a conversation is compacted once and not with every request, and
// compacts again when it is due. What is remembered of a client is never used for one with another key.
//
// What the client sends is the truth: the proxy can lose all its records, be killed at any time or be left out, and nothing is lost. Where
// it cannot read a request, or compaction fails, the request continues as it came.
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
	"time"

	"github.com/tidwall/gjson"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// HeaderConversation is a request header by which a client may name its conversation. It is not needed: conversations are
// told apart by their messages. What is remembered of a conversation with a name is not used for one with another name.
const HeaderConversation = "Ctxfold-Conversation"

// HeaderReport is a response header: what was done to the conversation, such as
// "compacted; before=91000; after=32000; summary=model", in tokens.
const HeaderReport = "Ctxfold-Report"

// DefaultMaxBody is how many bytes a request may have when Options do not say otherwise.
const DefaultMaxBody = 64 << 20

// DefaultBodyTimeout is how long a request's body may take when Options do not say otherwise.
const DefaultBodyTimeout = 30 * time.Second

// Options configure a [Proxy]. Compactor and Upstream are needed.
type Options struct {
	// Compactor does the work, and its Records keep what is known of conversations. It is not closed with the Proxy.
	Compactor *ctxfold.Compactor

	// Upstream is the endpoint: the path of a request is put after its path.
	Upstream *url.URL

	// Policy is that of all conversations (docs/reference/policy.md). Its format is taken from the path of each request.
	Policy ctxfold.Policy

	// SummaryModel writes the summaries, at the same endpoint and with the client's own key. Empty means the model of the
	// conversation. With "summary":{"mode":"local"} in the policy no model is asked.
	SummaryModel string

	// Transport sends requests to the endpoint. Nil means http.DefaultTransport.
	Transport http.RoundTripper

	// MaxBody is how many bytes a request may have. Zero means DefaultMaxBody.
	MaxBody int64

	// BodyTimeout is how long the body of a request may take, and a second more for each 16 KiB of it. Zero means
	// DefaultBodyTimeout, negative means no limit. Answers have none: a stream may take as long as the model does.
	BodyTimeout time.Duration

	// Owner says who has sent a request: what is remembered of one owner is never used for another. Nil means [Credentials].
	Owner func(*http.Request) string

	// Metrics gets each request. Nil means none.
	Metrics Metrics

	// Logger gets a line for each compaction, without any text of it. Nil means no log.
	Logger *slog.Logger
}

// Proxy is an [http.Handler].
type Proxy struct {
	Options
	reverse *httputil.ReverseProxy
}

// Metrics gets what a monitoring system wants to count of a [Proxy], next to what [ctxfold.Metrics] has of its Compactor.
type Metrics interface {
	// Request is called when the answer to a request begins.
	Request(Request)
}

// Request is one request of a client, as [Metrics] see it.
type Request struct {
	// Format is the wire format of the conversation; "" for what is passed on as it is.
	Format string
	// Status is the HTTP status of the answer, the proxy's own or the endpoint's.
	Status int
	// Reason says why the conversation was or was not compacted, as in a report; "" where it was not looked at.
	Reason string
	// Took is the time until the answer began.
	Took time.Duration
}

// route is an API that the proxy knows.
type route struct {
	suffix string     // of the path; what precedes it is the base URL of its SDK
	format api.Format // of the transcript
	list   string     // the key of the request that holds the transcript
	// kept are the keys of a request that name a conversation which the endpoint keeps.
	kept []string
	// ask is the body of a request for a summary, and said is what an answer to it says. Without them tokens are counted.
	ask  func(t *turn, q ctxfold.Request) map[string]any
	said func(answer gjson.Result) (ctxfold.Summary, error)
}

var keptByResponses = []string{"previous_response_id", "conversation"}

var routes = []route{
	{suffix: "/chat/completions", format: "openai-chat", list: "messages", ask: askChat, said: saidChat},
	{suffix: "/responses", format: "openai-responses", list: "input", kept: keptByResponses, ask: askResponses, said: saidResponses},
	{suffix: "/responses/input_tokens", format: "openai-responses", list: "input", kept: keptByResponses},
	{suffix: "/v1/messages", format: "anthropic", list: "messages", ask: askMessages, said: saidMessages},
	{suffix: "/v1/messages/count_tokens", format: "anthropic", list: "messages"},
}

// New makes a Proxy.
func New(o Options) (*Proxy, error) {
	if o.Compactor == nil {
		return nil, errors.New("ctxfold: a proxy needs a Compactor")
	}
	if o.Upstream == nil || o.Upstream.Host == "" || o.Upstream.Scheme != "http" && o.Upstream.Scheme != "https" {
		return nil, errors.New("ctxfold: a proxy needs the URL of an endpoint, such as https://example.com/v1")
	}
	if o.Owner == nil {
		o.Owner = Credentials
	}
	if o.BodyTimeout == 0 {
		o.BodyTimeout = DefaultBodyTimeout
	}
	if o.Metrics == nil {
		o.Metrics = noMetrics{}
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
	c := &call{start: time.Now()}
	if at != nil {
		c.format = at.format
	}
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, c))
	c.body = p.limit(w, r)
	defer c.body.end(false)
	if at == nil {
		p.reverse.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, p.MaxBody))
	if err != nil {
		status := http.StatusBadRequest
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			status = http.StatusRequestEntityTooLarge
		case c.body.isLate():
			status = http.StatusRequestTimeout
		}
		p.refuse(w, c, status, "the request could not be read: "+err.Error())
		return
	}
	c.body.end(false)
	if r.Header.Get(HeaderSearch) != "" {
		p.search(w, r, c, at, body)
		return
	}
	if c.turn = p.open(r, at, body); c.turn != nil {
		body = c.turn.first(r.Context())
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	p.reverse.ServeHTTP(w, r)
}

type callKey struct{}

// call is one request of a client.
type call struct {
	format api.Format
	start  time.Time
	body   *timedBody // nil where its time has no limit
	turn   *turn      // nil for what is passed on as it is
}

// count tells the metrics of a call that is answered.
func (p *Proxy) count(c *call, status int) {
	m := Request{Format: string(c.format), Status: status, Took: time.Since(c.start)}
	if c.turn != nil {
		m.Reason = string(c.turn.reason)
	}
	p.Metrics.Request(m)
}

type noMetrics struct{}

func (noMetrics) Request(Request) {}

// find gives the API that a request is for. Bodies that are compressed are not looked into.
func find(r *http.Request) *route {
	if coding := r.Header.Get("Content-Encoding"); r.Method != http.MethodPost || coding != "" && coding != "identity" {
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
	c := r.Context().Value(callKey{}).(*call)
	if c.body.isLate() { // what is passed on as it comes
		p.refuse(w, c, http.StatusRequestTimeout, "the request could not be read: "+err.Error())
		return
	}
	if r.Context().Err() != nil { // the client has gone
		return
	}
	p.Logger.Warn("ctxfold: the endpoint did not answer", "path", r.URL.Path, "error", err)
	p.refuse(w, c, http.StatusBadGateway, "the endpoint behind the proxy did not answer")
}

// refuse answers in the shape that the clients of all three APIs read.
func (p *Proxy) refuse(w http.ResponseWriter, c *call, status int, message string) {
	p.count(c, status)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]string{"type": "proxy_error", "message": message}})
}

// Package proxy is a compaction proxy between a client and an OpenAI-, Anthropic- or Gemini-compatible endpoint. It
// keeps conversations inside the model's context window without the clients' knowledge.
//
// A client sends its whole conversation with every request, as these APIs require. [ctxfold.Compactor.Fit] remembers its
// compactions and applies them to later requests, so that a conversation isn't compacted with every request, but only
// when another compaction is due. A compaction that is remembered for a client is never used for a client with another
// key.
//
// The client's messages are authoritative: the proxy can lose all its records, be killed at any time or be removed, and
// nothing is lost. If it cannot read a request, or a compaction fails, it forwards the request unchanged.
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

// HeaderConversation is an optional request header with which a client names its conversation. Without it conversations
// are distinguished by their messages. Compactions of a named conversation are not used for a conversation with another
// name, and its system prompt may begin differently in each request.
const HeaderConversation = "Ctxfold-Conversation"

// HeaderReport is a response header with a report on the compaction, such as "compacted; before=91000; after=32000;
// summary=model", with sizes in tokens. If the model's summary was rejected, or was accepted only because nothing better
// was available, the report has the reason, as in "summary=local; why=too_short", with a word of [api.SummaryFault].
const HeaderReport = "Ctxfold-Report"

// DefaultMaxBody is the default limit for the size of a request, in bytes.
const DefaultMaxBody = 64 << 20

// DefaultBodyTimeout is the default time limit for receiving a request's body.
const DefaultBodyTimeout = 30 * time.Second

// Options configure a [Proxy]. Compactor and Upstream are required.
type Options struct {
	// Compactor makes the compactions, and its Records remember them. It is not closed with the Proxy.
	Compactor *ctxfold.Compactor

	// Upstream is the URL of the endpoint. The path of a request is appended to it.
	Upstream *url.URL

	// Policy applies to all conversations (docs/reference/policy.md). Its format is determined by the path of each
	// request.
	Policy ctxfold.Policy

	// SummaryModel is the model that writes the summaries, at the same endpoint and with the client's own key. Empty
	// means the conversation's model. With "summary":{"mode":"local"} in the policy, no model is called.
	SummaryModel string

	// Transport sends requests to the endpoint. Nil means [NewTransport].
	Transport http.RoundTripper

	// MaxBody is the maximum size of a request in bytes. Zero means DefaultMaxBody.
	MaxBody int64

	// BodyTimeout is the time limit for receiving the body of a request; each 16 KiB of the body extend it by a second.
	// Zero means DefaultBodyTimeout, negative means no limit. It doesn't apply to responses: a stream may take as long
	// as the model needs.
	BodyTimeout time.Duration

	// Owner returns the owner of a request. A compaction that is remembered for one owner is never used for another. Nil
	// means that [Credentials], the user named in the body (user, safety_identifier, metadata.user_id) and the beginning
	// of the system prompt determine the owner.
	Owner func(*http.Request) string

	// ShareAnonymous lets clients without a key share remembered compactions; otherwise each connection has its own. Use
	// it for clients that belong together. Owner must be nil.
	ShareAnonymous bool

	// Redact finds secrets in one text of a conversation, as in [ctxfold.Input]. Summarizers, digests and records don't
	// get them. Nil means that nothing is redacted.
	Redact func(text string) []api.Redaction

	// Metrics receives each request. Nil means no metrics.
	Metrics Metrics

	// Logger receives a line for each compaction, without any text of the conversation. The line has sizes, whether the
	// model wrote the summary and, if it didn't, the reason. If a summary request failed, the reason includes the first
	// 300 code points of the error. Nil means no log.
	Logger *slog.Logger
}

// Proxy is an [http.Handler]. It has its Options, whose zero values are replaced by the defaults.
type Proxy struct {
	Options
	reverse *httputil.ReverseProxy
	flights flights
}

// NewTransport returns a transport for an endpoint. It is http.DefaultTransport with a pool of idle connections per host
// that is large enough for a proxy.
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 1024, 256
	return t
}

// Metrics receives the events of a [Proxy] for a monitoring system, in addition to those that the
// [ctxfold.Metrics] of its Compactor receives.
type Metrics interface {
	// Request is called when the response to a request begins.
	Request(Request)
}

// Request describes one request of a client to the proxy.
type Request struct {
	// Format is the wire format of the conversation; "" for requests that are forwarded unchanged.
	Format string
	// Status is the HTTP status of the response, which may be the proxy's own or the endpoint's.
	Status int
	// Reason is the reason why the conversation was or was not compacted, as in a report; "" if it was not examined.
	Reason string
	// Took is the time until the response began.
	Took time.Duration
}

// route is an API that the proxy can compact.
type route struct {
	suffix string     // the end of the path, after the base URL for the SDK
	format api.Format // the wire format of the transcript
	list   string     // the member of the request that contains the transcript
	// kept are members of a request that name a conversation stored by the endpoint.
	kept []string
	// ask returns the body of a request for a summary, and said returns the text of the response. Both are nil for
	// requests that count tokens.
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
	{suffix: generateContent, format: "gemini", list: "contents", ask: askGemini, said: saidGemini},
	{suffix: ":streamGenerateContent", format: "gemini", list: "contents", ask: askGemini, said: saidGemini},
	{suffix: ":countTokens", format: "gemini", list: "contents"},
}

// New returns a Proxy with the given options, or an error if they are incomplete or the policy is invalid.
func New(o Options) (*Proxy, error) {
	if o.Compactor == nil {
		return nil, errors.New("ctxfold: a proxy needs a Compactor")
	}
	if o.Upstream == nil || o.Upstream.Host == "" || o.Upstream.Scheme != "http" && o.Upstream.Scheme != "https" {
		return nil, errors.New("ctxfold: a proxy needs the URL of an endpoint, such as https://example.com/v1")
	}
	if o.ShareAnonymous && o.Owner == nil {
		o.Owner = SharedCredentials
	}
	var err error
	if o.Policy, err = bounded(o.Compactor, o.Policy); err != nil {
		return nil, err
	}
	if o.BodyTimeout == 0 {
		o.BodyTimeout = DefaultBodyTimeout
	}
	if o.Metrics == nil {
		o.Metrics = noMetrics{}
	}
	if o.Transport == nil {
		o.Transport = NewTransport()
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
			// The transport then handles compression itself, so that errors can be read.
			r.Out.Header.Del("Accept-Encoding")
		},
		Transport: roundTripper{p},
		ModifyResponse: func(r *http.Response) error {
			r.Request.Context().Value(callKey{}).(*call).closes(r.Header)
			return nil
		},
		FlushInterval: -1, // forward streams piece by piece
		ErrorHandler:  p.failed,
	}
	return p, nil
}

// ServeHTTP forwards a request. If a compaction is due, it compacts the conversation first.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := find(r)
	c := &call{start: time.Now(), http1: r.ProtoMajor == 1}
	if at != nil {
		c.format = at.format
	}
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, c))
	c.body = p.limit(w, r)
	defer c.body.end(false)
	if at == nil {
		c.pass(p, r, "path")
		// An endpoint may answer before the transport has seen the end of the body; the server would then close the
		// body.
		_ = http.NewResponseController(w).EnableFullDuplex()
		defer c.body.leave()
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
	plain, readable, err := decoded(r.Header, body, p.MaxBody)
	if err != nil {
		p.refuse(w, c, http.StatusRequestEntityTooLarge, "the request could not be read: "+err.Error())
		return
	}
	if r.Header.Get(HeaderSearch) != "" {
		p.search(w, r, c, at, plain)
		return
	}
	why := "content_encoding"
	if readable {
		c.turn, why = p.open(r, at, plain)
	}
	if c.turn == nil {
		c.pass(p, r, why)
	} else if send := c.turn.first(r.Context()); !bytes.Equal(send, plain) { // unchanged bodies stay compressed
		body = send
		r.Header.Del("Content-Encoding")
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	p.reverse.ServeHTTP(w, r)
}

type callKey struct{}

// call is one request of a client.
type call struct {
	format api.Format // the wire format of its messages; "" for other requests
	start  time.Time  // when it arrived
	http1  bool       // whether the client uses HTTP/1
	body   *timedBody // nil if there is none
	turn   *turn      // nil for requests that are forwarded unchanged
	passed string     // the report of a request that is forwarded unchanged
}

// closes adds a header that ends the connection after the response, if the client may still be sending a body: the data
// that follows is then not a request.
func (c *call) closes(h http.Header) {
	if c.http1 && !c.body.isWhole() {
		h.Set("Connection", "close")
	}
}

// pass records why a request is forwarded unchanged.
func (c *call) pass(p *Proxy, r *http.Request, why string) {
	c.passed = passed(why)
	level := slog.LevelInfo
	if r.Method != http.MethodPost {
		level = slog.LevelDebug
	}
	p.Logger.Log(r.Context(), level, "ctxfold: passed on as it came", "path", r.URL.Path, "why", why)
}

// passed returns the report for a request that is forwarded unchanged. why is one of the words in docs/start/proxy.md.
func passed(why string) string { return "passed; why=" + why }

// count reports a client's request to the metrics once its response begins.
func (p *Proxy) count(c *call, status int) {
	m := Request{Format: string(c.format), Status: status, Took: time.Since(c.start)}
	if c.turn != nil {
		m.Reason = string(c.turn.reason)
	}
	p.Metrics.Request(m)
}

// noMetrics is what a Proxy without Metrics calls: its method does nothing.
type noMetrics struct{}

// Request ignores the request.
func (noMetrics) Request(Request) {}

// bounded returns p unchanged if its window is known. Otherwise it returns p without a limit, so
// that the proxy compacts only after the endpoint has rejected a request as too long. It returns an
// error if p is invalid.
func bounded(c *ctxfold.Compactor, p ctxfold.Policy) (ctxfold.Policy, error) {
	probe := ctxfold.Input{Messages: []byte(`[{"role":"user","content":"hello"}]`), Policy: p, Format: api.FormatOpenAIChat}
	_, err := c.Check(context.Background(), probe)
	var e *ctxfold.Error
	if !errors.As(err, &e) || e.Code != api.CodeUnknownWindow {
		return p, err
	}
	if p.Raw == nil {
		p.Window.Unlimited = true
		return p, nil
	}
	raw := map[string]json.RawMessage{}
	window := map[string]json.RawMessage{}
	if err := json.Unmarshal(p.Raw, &raw); err != nil {
		return p, err
	}
	if given, ok := raw["window"]; ok {
		if err := json.Unmarshal(given, &window); err != nil {
			return p, err
		}
	}
	if window == nil { // null
		window = map[string]json.RawMessage{}
	}
	window["unlimited"] = json.RawMessage("true")
	raw["window"], _ = json.Marshal(window) // marshaling cannot fail
	text, _ := json.Marshal(raw)
	return ctxfold.RawPolicy(text), nil
}

// find returns the API that a request uses, or nil if the proxy can't compact it.
func find(r *http.Request) *route {
	if r.Method != http.MethodPost {
		return nil
	}
	for i, at := range routes {
		if strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), at.suffix) {
			return &routes[i]
		}
	}
	return nil
}

// failed answers the client if the endpoint could not be reached.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	c := r.Context().Value(callKey{}).(*call)
	if c.body.isLate() { // a request that is forwarded as it arrives
		p.refuse(w, c, http.StatusRequestTimeout, "the request could not be read: "+err.Error())
		return
	}
	if r.Context().Err() != nil { // the client has disconnected
		return
	}
	p.Logger.Warn("ctxfold: the endpoint did not answer", "path", r.URL.Path, "error", err)
	p.refuse(w, c, http.StatusBadGateway, "the endpoint behind the proxy did not answer")
}

// refuse answers a request with an error, in a shape that clients of all three APIs understand, and counts it.
func (p *Proxy) refuse(w http.ResponseWriter, c *call, status int, message string) {
	p.count(c, status)
	c.closes(w.Header())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]string{"type": "proxy_error", "message": message}})
}

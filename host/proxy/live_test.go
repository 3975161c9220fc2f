package proxy_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/proxy"
)

// upstream is an endpoint that accepts everything and records the requests. A request without tools is a request for a summary.
type upstream struct {
	mu                     sync.Mutex
	summaries              []*http.Request
	conversations, counted []string
	// summary answers a request for a summary; if it is nil, the answer is a good summary.
	summary func(w http.ResponseWriter)
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	u.mu.Lock()
	defer u.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "_tokens"):
		u.counted = append(u.counted, string(text))
		fmt.Fprint(w, `{"input_tokens":7}`)
	case strings.Contains(string(text), `"tools"`):
		u.conversations = append(u.conversations, string(text))
		fmt.Fprint(w, `{}`)
	default:
		u.summaries = append(u.summaries, r)
		if u.summary != nil {
			u.summary(w)
			return
		}
		said(w, r, "## Goal\nThe user wants every file read and counted. Much was done and is known.")
	}
}

// said writes a response with text, in the form of the API that was called.
func said(w http.ResponseWriter, r *http.Request, text string) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/responses"):
		fmt.Fprintf(w, `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":%q}]}]}`, text)
	case strings.HasSuffix(r.URL.Path, "/messages"):
		fmt.Fprintf(w, `{"stop_reason":"end_turn","content":[{"type":"text","text":%q}]}`, text)
	default:
		fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%q}}]}`, text)
	}
}

// seen returns the recorded requests and forgets them.
func (u *upstream) seen() (summaries []*http.Request, conversations, counted []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	summaries, conversations, counted = u.summaries, u.conversations, u.counted
	u.summaries, u.conversations, u.counted = nil, nil, nil
	return summaries, conversations, counted
}

// before starts a proxy for an upstream, and returns the proxy's URL.
func before(t *testing.T, u http.Handler, o proxy.Options) string {
	t.Helper()
	up := httptest.NewServer(u)
	t.Cleanup(up.Close)
	o.Compactor = compactor(t, nil)
	o.Upstream, _ = url.Parse(up.URL + "/base")
	if o.Policy.Raw == nil {
		o.Policy = ctxfold.RawPolicy(policy)
	}
	p, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return s.URL
}

// post sends a request and returns the report. A request without headers gets a key: without one each connection is another client, and a
// busy machine may close a connection between two requests.
func post(t *testing.T, address, body string, header ...string) string {
	t.Helper()
	if len(header) == 0 {
		header = []string{"Authorization", "Bearer k"}
	}
	return postBy(t, http.DefaultClient, address, body, header...)
}

// postBy works like post with the given client and headers.
func postBy(t *testing.T, c *http.Client, address, body string, header ...string) string {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", response.Status, text)
	}
	return response.Header.Get(proxy.HeaderReport)
}

// long returns a list of turns in a format whose messages have a role and a content.
func long(turns int) string {
	var list []string
	for i := range turns {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"Request %d."},{"role":"assistant","content":%q}`, i, file(i)))
	}
	return strings.Join(list, ",") + `,{"role":"user","content":"And now?"}`
}

// Clients may write null if there is no earlier response.
func TestKeptByNobody(t *testing.T) {
	for member, compacted := range map[string]bool{
		`"previous_response_id":null`:          true,
		`"conversation":null`:                  true,
		`"previous_response_id":"r1"`:          false,
		`"conversation":"c1"`:                  false,
		`"conversation":{"id":"c1"}`:           false,
		`"store":null,"instructions":null`:     true,
		`"previous_response_id" : null ,"n":1`: true,
	} {
		u := &upstream{}
		base := before(t, u, proxy.Options{})
		report := post(t, base+"/v1/responses", `{"model":"m","tools":[],`+member+`,"input":[`+long(60)+`]}`)
		if strings.HasPrefix(report, "compacted") != compacted {
			t.Errorf("%s: %q", member, report)
		}
	}
}

// A request for a summary goes to the same place as the client's request, with its query and all headers that don't belong to its body.
func TestSummaryRequests(t *testing.T) {
	u := &upstream{}
	base := before(t, u, proxy.Options{})
	post(t, base+"/openai/deployments/a%2Fb/chat/completions?api-version=2025-04-01&x=a%20b", `{"tools":[],"messages":[`+long(60)+`]}`,
		"Api-Key", "key", "X-Gateway-Route", "fast", "X-Gateway-Route", "cheap", "Anthropic-Beta", "one", "Anthropic-Beta", "two",
		"Connection", "X-Hop", "X-Hop", "1", "Idempotency-Key", "once", "Content-Type", "application/json; charset=utf-8",
		"Accept", "text/event-stream", proxy.HeaderConversation, "c")
	summaries, _, _ := u.seen()
	if len(summaries) == 0 {
		t.Fatal("no summary was asked for")
	}
	for _, r := range summaries {
		h := r.Header
		if got := r.URL.EscapedPath() + "?" + r.URL.RawQuery; got != "/base/openai/deployments/a%2Fb/chat/completions?api-version=2025-04-01&x=a%20b" {
			t.Errorf("asked at %s", got)
		}
		if h.Get("Api-Key") != "key" || len(h.Values("X-Gateway-Route")) != 2 || len(h.Values("Anthropic-Beta")) != 2 || h.Get("Content-Type") != "application/json" {
			t.Errorf("asked with %v", h)
		}
		for _, name := range []string{"X-Hop", "Idempotency-Key", "Accept", proxy.HeaderConversation} {
			if h.Get(name) != "" {
				t.Errorf("asked with %s", name)
			}
		}
	}
}

// An answer without a finish reason may be incomplete.
func TestSummaryWithoutAnEnd(t *testing.T) {
	const text = "## Goal\\nThe user wants every file read and counted. Much was done and is known."
	for _, tt := range []struct{ path, list, answer, source string }{
		{"/v1/chat/completions", "messages", `{"choices":[{"message":{"content":"` + text + `"}}]}`, "local; why=summarizer_failed"},
		{"/v1/chat/completions", "messages", `{"choices":[{"finish_reason":null,"message":{"content":"` + text + `"}}]}`, "local; why=summarizer_failed"},
		{"/v1/chat/completions", "messages", `{"choices":[{"finish_reason":"stop","message":{"content":"` + text + `"}}]}`, "model"},
		{"/v1/messages", "messages", `{"stop_reason":null,"content":[{"type":"text","text":"` + text + `"}]}`, "local; why=summarizer_failed"},
		{"/v1/messages", "messages", `{"stop_reason":"end_turn","content":[{"type":"text","text":"` + text + `"}]}`, "model"},
		{"/v1/responses", "input", `{"output":[{"content":[{"text":"` + text + `"}]}]}`, "local; why=summarizer_failed"},
		{"/v1/responses", "input", `{"status":"in_progress","output":[{"content":[{"text":"` + text + `"}]}]}`, "local; why=summarizer_failed"},
		{"/v1/responses", "input", `{"status":"failed","error":{"message":"no"},"output":[{"content":[{"text":"` + text + `"}]}]}`, "local; why=summarizer_failed"},
		{"/v1/responses", "input", `{"status":"incomplete","output":[{"content":[{"text":"` + text + `"}]}]}`, "local; why=summarizer_failed"},
		{"/v1/responses", "input", `{"status":"completed","output":[{"content":[{"text":"` + text + `"}]}]}`, "model"},
	} {
		u := &upstream{summary: func(w http.ResponseWriter) { fmt.Fprint(w, tt.answer) }}
		base := before(t, u, proxy.Options{})
		if report := post(t, base+tt.path, `{"model":"m","tools":[],"`+tt.list+`":[`+long(60)+`]}`); !strings.HasSuffix(report, "summary="+tt.source) {
			t.Errorf("%s: %s", tt.answer, report)
		}
	}
	// Nor is an answer complete whose connection breaks.
	u := &upstream{summary: func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"choices":[`)
	}}
	if report := post(t, before(t, u, proxy.Options{})+"/v1/chat/completions", `{"tools":[],"messages":[`+long(60)+`]}`); !strings.HasSuffix(report, "summary=local; why=summarizer_failed") {
		t.Errorf("cut off: %s", report)
	}
}

// Changes between requests that no model reads cost no compaction.
func TestClock(t *testing.T) {
	long := func(turns int) string { // continues where it ended before
		return long(60) + strings.Repeat(`,{"role":"assistant","content":"Nothing."},{"role":"user","content":"And now?"}`, turns)
	}
	for name, body := range map[string]func(now, turns int) (path, body string){
		"anthropic": func(now, turns int) (string, string) {
			return "/v1/messages", fmt.Sprintf(`{"model":"m","tools":[],"system":"It is 10:%02d.","messages":[%s]}`, now, long(turns))
		},
		"anthropic with marks": func(now, turns int) (string, string) {
			list := long(turns)
			at := strings.LastIndex(list, `"And now?"`)
			return "/v1/messages", fmt.Sprintf(`{"model":"m","tools":[],"system":[{"type":"text","text":"It is 10:%02d."}],"messages":[%s[{"type":"text","text":"And now?","cache_control":{"type":"ephemeral"}}]}]}`, now, list[:at])
		},
		"openai": func(now, turns int) (string, string) {
			return "/v1/chat/completions", fmt.Sprintf(`{"model":"m","tools":[],"messages":[{"role":"system","content":"It is 10:%02d."},%s]}`, now, long(turns))
		},
		"responses": func(now, turns int) (string, string) {
			return "/v1/responses", fmt.Sprintf(`{"model":"m","tools":[],"input":[{"role":"developer","content":"It is 10:%02d."},%s],"metadata":{"now":"%d"}}`, now, long(turns), now)
		},
	} {
		u := &upstream{}
		base := before(t, u, proxy.Options{})
		for now := range 6 {
			path, text := body(now, now/3)
			report := post(t, base+path, text)
			summaries, conversations, _ := u.seen()
			if compacted := strings.HasPrefix(report, "compacted"); compacted != (now == 0) || !compacted && len(summaries) > 0 {
				t.Errorf("%s: request %d: %s, %d summaries", name, now, report, len(summaries))
			}
			if !strings.Contains(conversations[0], fmt.Sprintf("It is 10:%02d.", now)) {
				t.Errorf("%s: request %d has an old system prompt: %.300s", name, now, conversations[0])
			}
		}
	}
}

// A client with another key never gets a compaction made for somebody else, even for the same messages.
func TestOwners(t *testing.T) {
	u := &upstream{}
	base := before(t, u, proxy.Options{})
	body := `{"model":"m","tools":[],"messages":[` + long(60) + `]}`
	for _, tt := range []struct {
		compacted bool
		query     string
		header    []string
	}{
		{true, "", []string{"Authorization", "Bearer a"}},
		{false, "", []string{"Authorization", "Bearer a", "X-Any", "1"}},
		{true, "", []string{"Authorization", "Bearer b"}},
		{true, "", []string{"X-Api-Key", "a"}},
		{true, "", []string{"X-Api-Key", "Bearer a"}},
		{true, "", []string{"Api-Key", "a"}},
		{true, "?subscription-key=a", nil},
		{true, "?subscription-key=b", nil},
		{false, "?subscription-key=b&x=1", nil},
		{true, "", []string{"Authorization", "Bearer a", proxy.HeaderConversation, "c"}},
		{false, "", []string{"Authorization", "Bearer a", proxy.HeaderConversation, "c"}},
		{false, "", []string{"Authorization", "Bearer b"}},
		{true, "", nil},
	} {
		if report := postBy(t, http.DefaultClient, base+"/v1/chat/completions"+tt.query, body, tt.header...); strings.HasPrefix(report, "compacted") != tt.compacted {
			t.Errorf("%s %v: %s", tt.query, tt.header, report)
		}
	}
}

// An endpoint that is busy during a compaction gets few requests for it, and none for the following compactions.
func TestBusyEndpoint(t *testing.T) {
	synctest.Test(t, busyEndpoint)
}

func busyEndpoint(t *testing.T) {
	u := &upstream{summary: func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
	}}
	c := beforeInBubble(t, u, proxy.Options{})
	start := time.Now()
	body := `{"model":"m","tools":[],"messages":[` + long(400) + `]}` // a record in many parts
	report := c.post(t, "/v1/chat/completions", body)
	summaries, conversations, _ := u.seen()
	if !strings.HasPrefix(report, "compacted") || !strings.HasSuffix(report, "summary=local; why=summarizer_failed") || len(summaries) < 3 || len(summaries) > ctxfold.DefaultSummaryConcurrency+2 {
		t.Errorf("%s after %d requests for summaries", report, len(summaries))
	}
	if took := time.Since(start); took < time.Second || took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	for range 4 {
		c.post(t, "/v1/chat/completions", body)
		if again, next, _ := u.seen(); len(again) > 0 || next[0] != conversations[0] {
			t.Errorf("the next request: %d requests for summaries", len(again))
		}
	}
}

// A client that times out before the summary is written sends the same request again, and does not pay twice.
func TestImpatientClient(t *testing.T) {
	synctest.Test(t, impatientClient)
}

func impatientClient(t *testing.T) {
	u := &upstream{}
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(text), `"tools"`) {
			time.Sleep(300 * time.Millisecond)
		}
		r.Body = io.NopCloser(strings.NewReader(string(text)))
		u.ServeHTTP(w, r)
	})
	c := beforeInBubble(t, slow, proxy.Options{})
	body := `{"model":"m","tools":[],"messages":[` + long(60) + `]}`
	impatient := &http.Client{Timeout: 100 * time.Millisecond, Transport: c.Transport}
	for range 3 {
		request, _ := http.NewRequest(http.MethodPost, c.base+"/v1/chat/completions", strings.NewReader(body))
		request.Header.Set("Authorization", "key") // without one, each connection is another client
		if r, err := impatient.Do(request); err == nil {
			r.Body.Close()
			t.Fatal("the client did get an answer")
		}
	}
	report := c.post(t, "/v1/chat/completions", body, "Authorization", "key")
	summaries, conversations, _ := u.seen()
	alone := &upstream{}
	beforeInBubble(t, alone, proxy.Options{}).post(t, "/v1/chat/completions", body)
	once, sent, _ := alone.seen()
	if report == "" || len(summaries) != len(once) || conversations[0] != sent[0] {
		t.Errorf("%s after %d requests for summaries, where a patient client takes %d", report, len(summaries), len(once))
	}
}

// Tokens are counted for the messages that would be sent, without making a compaction.
func TestCountTokens(t *testing.T) {
	for _, tt := range []struct{ path, count, list string }{
		{"/v1/messages", "/v1/messages/count_tokens?beta=true", "messages"},
		{"/v1/responses", "/v1/responses/input_tokens", "input"},
	} {
		u := &upstream{}
		base := before(t, u, proxy.Options{})
		body := func(turns int) string { return `{"model":"m","tools":[],"` + tt.list + `":[` + long(turns) + `]}` }
		post(t, base+tt.count, body(60))
		summaries, _, counted := u.seen()
		if len(summaries) > 0 || counted[0] != body(60) {
			t.Errorf("%s before a compaction: %d summaries, %d bytes of %d", tt.count, len(summaries), len(counted[0]), len(body(60)))
		}
		post(t, base+tt.path, body(60))
		_, conversations, _ := u.seen()
		post(t, base+tt.count, body(60))
		if summaries, _, counted = u.seen(); len(summaries) > 0 || counted[0] != conversations[0] {
			t.Errorf("%s after a compaction: %d summaries, %d bytes counted of %d that were sent", tt.count, len(summaries), len(counted[0]), len(conversations[0]))
		}
		many := body(200)
		many = many[:strings.Index(many, `{"role":"user","content":"Request 60."`)] + `{"role":"user","content":"And now?"},` + many[strings.Index(many, `{"role":"user","content":"Request 60."`):]
		post(t, base+tt.count, many)
		if summaries, _, counted = u.seen(); len(summaries) > 0 || len(counted[0]) >= len(many) || len(counted[0]) < len(many)/3 {
			t.Errorf("%s when a compaction is due: %d summaries, %d bytes of %d", tt.count, len(summaries), len(counted[0]), len(many))
		}
		if !json.Valid([]byte(counted[0])) {
			t.Errorf("%s: no JSON: %.200s", tt.count, counted[0])
		}
	}
}

// slowly opens a connection and sends a request's head, then the body piece by piece.
func (p *client) slowly(t *testing.T, path string, size int, pieces int, pause time.Duration) (status string, took time.Duration) {
	t.Helper()
	c, err := p.network.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	wrote := make(chan struct{})
	defer func() {
		c.Close()
		<-wrote
	}()
	start := time.Now()
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", path, size)
	go func() {
		defer close(wrote)
		for range pieces {
			if _, err := io.WriteString(c, strings.Repeat(" ", size/pieces)); err != nil {
				return
			}
			time.Sleep(pause)
		}
	}()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err.Error(), time.Since(start)
	}
	defer response.Body.Close()
	return response.Status, time.Since(start)
}

// A body has a time limit, on every path. A long body that keeps arriving may take longer.
func TestSlowBody(t *testing.T) {
	synctest.Test(t, slowBody)
}

func slowBody(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, "{}")
	})
	c := beforeInBubble(t, echo, proxy.Options{BodyTimeout: 300 * time.Millisecond})
	for _, path := range []string{"/v1/chat/completions", "/v1/files"} {
		status, took := c.slowly(t, path, 100, 100, 100*time.Millisecond)
		if !strings.HasPrefix(status, "408") || took > 5*time.Second {
			t.Errorf("%s: %s after %v", path, status, took)
		}
		if status, took = c.slowly(t, path, 160<<10, 8, 100*time.Millisecond); status != "200 OK" || took < 700*time.Millisecond {
			t.Errorf("%s, a long body: %s after %v", path, status, took)
		}
	}
	patient := beforeInBubble(t, echo, proxy.Options{BodyTimeout: -1})
	if status, _ := patient.slowly(t, "/v1/files", 10, 10, 50*time.Millisecond); status != "200 OK" {
		t.Errorf("without a limit: %s", status)
	}
}

// The limit of a body does not end an answer that streams for longer.
func TestSlowAnswer(t *testing.T) {
	synctest.Test(t, slowAnswer)
}

func slowAnswer(t *testing.T) {
	stream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		for i := range 12 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
			time.Sleep(50 * time.Millisecond)
		}
	})
	c := beforeInBubble(t, stream, proxy.Options{BodyTimeout: 200 * time.Millisecond})
	for _, path := range []string{"/v1/chat/completions", "/v1/messages", "/v1/files"} {
		response, err := c.Post(c.base+path, "application/json", strings.NewReader(`{"messages":[{"role":"user","content":"hi"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(text), "data: 11") {
			t.Errorf("%s: %v, %q", path, err, text)
		}
	}
}

// Each answer is counted once.
func TestMetrics(t *testing.T) {
	m := &metrics{}
	base := before(t, &upstream{}, proxy.Options{Metrics: m, MaxBody: 1 << 20})
	post(t, base+"/v1/chat/completions", `{"tools":[],"messages":[`+long(60)+`]}`)
	post(t, base+"/v1/models", `{"tools":1}`)
	http.Post(base+"/v1/messages", "application/json", strings.NewReader(strings.Repeat(" ", 2<<20)))
	want := []string{"openai-chat 200 compacted", " 200 ", "anthropic 413 "}
	if got := m.seen(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
}

type metrics struct {
	mu   sync.Mutex
	list []string
}

func (m *metrics) Request(r proxy.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, fmt.Sprintf("%s %d %s", r.Format, r.Status, r.Reason))
}

func (m *metrics) seen() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.list
}

package proxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	openaisdk "github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/proxy"
	"github.com/ctxfold/ctxfold/internal/testing/provider"
	"github.com/ctxfold/ctxfold/internal/testing/trials"
	"github.com/ctxfold/ctxfold/records"
)

// The policy's window is that of the fake endpoint, so that only estimates differ.
const policy = `{"window":{"tokens":6000,"reserve":500}}`

func serve(t *testing.T, e *provider.Endpoint, o proxy.Options) string {
	upstream := httptest.NewServer(e)
	t.Cleanup(upstream.Close)
	if o.Compactor == nil {
		o.Compactor = compactor(t, nil)
	}
	var err error
	if o.Upstream, err = url.Parse(upstream.URL + "/base"); err != nil {
		t.Fatal(err)
	}
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

func compactor(t *testing.T, records records.Records) *ctxfold.Compactor {
	t.Helper()
	c := ctxfold.New(ctxfold.Options{Records: records})
	return c
}

// file returns the output of the tool in these conversations.
func file(i int) string {
	return fmt.Sprintf("File %d. ", i) + strings.Repeat("It has lines and words. ", 40)
}

// chat runs a conversation of some turns through the proxy, with a client that knows nothing about it.
func chat(ctx context.Context, base string, turns int) ([]openaisdk.ChatCompletionMessageParamUnion, error) {
	client := openaisdk.NewClient(openaioption.WithBaseURL(base+"/v1"), openaioption.WithAPIKey("key"), openaioption.WithMaxRetries(5))
	p := openaisdk.ChatCompletionNewParams{
		Model:    "any",
		Messages: []openaisdk.ChatCompletionMessageParamUnion{openaisdk.SystemMessage("Read what you are told to.")},
		Tools:    []openaisdk.ChatCompletionToolUnionParam{openaisdk.ChatCompletionFunctionTool(openaisdk.FunctionDefinitionParam{Name: "read"})},
	}
	for i := range turns {
		p.Messages = append(p.Messages, openaisdk.UserMessage(fmt.Sprintf("Request %d: read file %d.", i, i)))
		for {
			answer, err := client.Chat.Completions.New(ctx, p)
			if err != nil {
				return nil, fmt.Errorf("turn %d: %w", i, err)
			}
			m := answer.Choices[0].Message
			p.Messages = append(p.Messages, m.ToParam())
			if len(m.ToolCalls) == 0 {
				break
			}
			p.Messages = append(p.Messages, openaisdk.ToolMessage(file(i), m.ToolCalls[0].ID))
		}
	}
	return p.Messages, nil
}

func messages(ctx context.Context, base string, turns int, options ...anthropicoption.RequestOption) ([]anthropicsdk.MessageParam, error) {
	client := anthropicsdk.NewClient(append(options, anthropicoption.WithBaseURL(base), anthropicoption.WithAPIKey("key"), anthropicoption.WithMaxRetries(5))...)
	p := anthropicsdk.MessageNewParams{
		Model: "any", MaxTokens: 100, System: []anthropicsdk.TextBlockParam{{Text: "Read what you are told to."}},
		Tools: []anthropicsdk.ToolUnionParam{{OfTool: &anthropicsdk.ToolParam{Name: "read"}}},
	}
	for i := range turns {
		p.Messages = append(p.Messages, anthropicsdk.NewUserMessage(anthropicsdk.NewTextBlock(fmt.Sprintf("Request %d: read file %d.", i, i))))
		for {
			answer, err := client.Messages.New(ctx, p)
			if err != nil {
				return nil, fmt.Errorf("turn %d: %w", i, err)
			}
			p.Messages = append(p.Messages, answer.ToParam())
			if answer.StopReason != "tool_use" {
				break
			}
			id := answer.Content[len(answer.Content)-1].ID
			p.Messages = append(p.Messages, anthropicsdk.NewUserMessage(anthropicsdk.NewToolResultBlock(id, file(i), false)))
		}
	}
	return p.Messages, nil
}

// Forty turns through the proxy, and two hundred in a long run: the endpoint never receives a request that it would have to reject, the
// newest message always arrives as the client wrote it, and a conversation is compacted only when that is due and not in every request.
func TestConversations(t *testing.T) {
	turns := trials.Count(40, 40, 200)
	for _, tt := range []struct {
		name     string
		endpoint *provider.Endpoint
		policy   string
	}{
		{"openai", &provider.Endpoint{Format: "openai-chat", Window: 6000}, ""},
		{"openai, endpoint that fails at times and writes no summaries", &provider.Endpoint{Format: "openai-chat", Window: 6000, Broken: 7, NoSums: true}, ""},
		{"openai, window that the proxy does not know", &provider.Endpoint{Format: "openai-chat", Window: 6000}, `{}`},
		{"anthropic", &provider.Endpoint{Format: "anthropic", Window: 6000}, ""},
		{"anthropic, window smaller than the proxy was told", &provider.Endpoint{Format: "anthropic", Window: 4000}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := proxy.Options{}
			if tt.policy != "" {
				o.Policy = ctxfold.RawPolicy(tt.policy)
			}
			base := serve(t, tt.endpoint, o)
			var history []byte
			var err error
			if tt.endpoint.Format == "anthropic" {
				var list []anthropicsdk.MessageParam
				list, err = messages(t.Context(), base, turns)
				history, _ = json.Marshal(list)
			} else {
				var list []openaisdk.ChatCompletionMessageParamUnion
				list, err = chat(t.Context(), base, turns)
				history, _ = json.Marshal(list)
			}
			if err != nil {
				t.Fatal(err)
			}
			e := tt.endpoint.Seen()
			if len(e.Refused) > 0 {
				t.Fatalf("the endpoint had to refuse: %q", e.Refused)
			}
			checkTails(t, history, e.Conversations)
			if len(e.Conversations) < turns || e.Summaries == 0 && !tt.endpoint.NoSums {
				t.Errorf("%d conversations were sent, %d summaries asked", len(e.Conversations), e.Summaries)
			}
			most := len(e.Conversations) / 4
			if tt.endpoint.NoSums { // each failed summary is requested once more
				most *= 2
			}
			if e.Summaries > most {
				t.Errorf("%d summaries for %d requests", e.Summaries, len(e.Conversations))
			}
			t.Logf("%d requests, %d summaries, %d overflows", e.Requests, e.Summaries, e.Overflows)
		})
	}
}

// checkTails checks that the last message of every list that was sent is one of the client's, byte for byte and in order.
func checkTails(t *testing.T, history []byte, sent []json.RawMessage) {
	t.Helper()
	var own []json.RawMessage
	if err := json.Unmarshal(history, &own); err != nil {
		t.Fatal(err)
	}
	at := 0
	for i, list := range sent {
		var ms []json.RawMessage
		if err := json.Unmarshal(list, &ms); err != nil {
			t.Fatal(err)
		}
		newest := ms[len(ms)-1]
		for at < len(own) && !bytes.Equal(own[at], newest) {
			at++
		}
		if at == len(own) {
			t.Fatalf("request %d ends with a message that the client did not write then: %s", i, newest)
		}
	}
}

// Requests that the proxy does not know are forwarded unchanged, and so are the responses.
func TestPassThrough(t *testing.T) {
	var got struct{ method, path, query, header, body string }
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got.method, got.path, got.query, got.header, got.body = r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("X-Any"), string(text)
		w.Header().Set("X-Back", "yes")
		w.WriteHeader(http.StatusTeapot)
		io.WriteString(w, "short and stout")
	}))
	defer upstream.Close()
	c := ctxfold.New(ctxfold.Options{})
	u, _ := url.Parse(upstream.URL + "/api")
	p, err := proxy.New(proxy.Options{Compactor: c, Upstream: u, Policy: ctxfold.RawPolicy(policy), MaxBody: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(p)
	defer s.Close()
	for _, tt := range []struct{ name, method, path, body string }{
		{"another path", "GET", "/v1/models?x=1", ""},
		{"not JSON", "POST", "/v1/chat/completions", `{"messages":[`},
		{"no messages", "POST", "/v1/chat/completions", `{"model":"m"}`},
		{"messages of no format", "POST", "/v1/messages", `{"messages":[{"role":"nobody"}]}`},
		{"kept by the endpoint", "POST", "/v1/responses", `{"previous_response_id":"r1","input":[{"role":"user","content":"hi"}]}`},
		{"small", "POST", "/v1/chat/completions", `{ "messages" : [{"role":"user","content":"hi"}], "n": 1e400 }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			request, _ := http.NewRequest(tt.method, s.URL+tt.path, strings.NewReader(tt.body))
			request.Header.Set("X-Any", tt.name)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			answer, _ := io.ReadAll(response.Body)
			response.Body.Close()
			path, query, _ := strings.Cut(tt.path, "?")
			if got.method != tt.method || got.path != "/api"+path || got.query != query || got.header != tt.name || got.body != tt.body {
				t.Errorf("the endpoint got %+v", got)
			}
			if response.StatusCode != http.StatusTeapot || response.Header.Get("X-Back") != "yes" || string(answer) != "short and stout" {
				t.Errorf("the client got %d %s", response.StatusCode, answer)
			}
		})
	}
	response, err := http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader(strings.Repeat(" ", 2<<10)))
	if err != nil || response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large: %v, %v", err, response)
	}
	upstream.Close()
	if response, err = http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader(`{}`)); err != nil || response.StatusCode != http.StatusBadGateway {
		t.Errorf("an endpoint that is not there: %v, %v", err, response)
	}
}

// If the endpoint rejects a conversation that the proxy has just compacted, it is compacted once more, but not again.
func TestRefusedBehindACompaction(t *testing.T) {
	for refusals, want := range []int{200, 200, 400} {
		var sizes []int
		upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			if sizes = append(sizes, len(text)); len(sizes) <= refusals {
				w.WriteHeader(http.StatusBadRequest)
				io.WriteString(w, `{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`)
			}
		}))
		t.Cleanup(upstream.Close)
		c := ctxfold.New(ctxfold.Options{})
		u, _ := url.Parse(upstream.URL)
		p, err := proxy.New(proxy.Options{Compactor: c, Upstream: u, Policy: ctxfold.RawPolicy(`{"window":{"tokens":6000,"reserve":500},"summary":{"mode":"local"}}`)})
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(p)
		t.Cleanup(s.Close)
		var list []string
		for i := range 60 {
			list = append(list, fmt.Sprintf(`{"role":"user","content":"Request %d."},{"role":"assistant","content":%q}`, i, file(i)))
		}
		body := `{"model":"m","messages":[` + strings.Join(list, ",") + `,{"role":"user","content":"And now?"}]}`
		response, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want || len(sizes) != min(refusals+1, 2) || sizes[0] >= len(body) || len(sizes) > 1 && sizes[1] >= sizes[0] {
			t.Errorf("%d refusals: status %d, bodies of %v bytes, of %d", refusals, response.StatusCode, sizes, len(body))
		}
	}
}

// The answer of a stream comes piece by piece, and the report with it.
func TestStream(t *testing.T) {
	e := &provider.Endpoint{Format: "openai-chat", Window: 1 << 20}
	base := serve(t, e, proxy.Options{Policy: ctxfold.RawPolicy(`{"window":{"tokens":1000,"reserve":0},"summary":{"mode":"local"}}`)})
	client := openaisdk.NewClient(openaioption.WithBaseURL(base+"/v1"), openaioption.WithAPIKey("key"))
	p := openaisdk.ChatCompletionNewParams{Model: "any", Tools: []openaisdk.ChatCompletionToolUnionParam{openaisdk.ChatCompletionFunctionTool(openaisdk.FunctionDefinitionParam{Name: "read"})}}
	for i := range 10 {
		p.Messages = append(p.Messages, openaisdk.UserMessage(file(i)), openaisdk.AssistantMessage("Read."))
	}
	p.Messages = append(p.Messages, openaisdk.UserMessage("And now?"))
	var response *http.Response
	stream := client.Chat.Completions.NewStreaming(t.Context(), p, openaioption.WithResponseInto(&response))
	text := ""
	for stream.Next() {
		if choices := stream.Current().Choices; len(choices) > 0 {
			text += choices[0].Delta.Content
		}
	}
	if err := stream.Err(); err != nil || !strings.HasPrefix(text, "This is answer 1.") {
		t.Errorf("%q, %v", text, err)
	}
	if report := response.Header.Get(proxy.HeaderReport); !strings.HasPrefix(report, "compacted; before=") || !strings.HasSuffix(report, "summary=local") {
		t.Errorf("the report is %q", report)
	}
	if e.Seen().Summaries != 0 {
		t.Error("a model was asked for a summary")
	}
}

// A restarted proxy continues with its records. A proxy whose records fail continues without them.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	run := func(records records.Records) provider.Seen {
		e := &provider.Endpoint{Format: "openai-chat", Window: 6000}
		if _, err := chat(t.Context(), serve(t, e, proxy.Options{Compactor: compactor(t, records)}), 25); err != nil {
			t.Fatal(err)
		}
		seen := e.Seen()
		if len(seen.Refused) > 0 {
			t.Errorf("the endpoint had to refuse: %q", seen.Refused)
		}
		return seen
	}
	open := func() records.Records {
		records, err := records.NewDir(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		return records
	}
	first, second := run(open()), run(open())
	if first.Summaries == 0 || second.Summaries != 0 {
		t.Errorf("%d summaries, and %d for the same conversation with another proxy", first.Summaries, second.Summaries)
	}
	if e := run(failing{}); e.Summaries <= first.Summaries {
		t.Errorf("%d summaries without records, %d with", e.Summaries, first.Summaries)
	}
}

type failing struct{}

func (failing) Find(context.Context, []string) ([]byte, int, error) {
	return nil, 0, errors.New("the disk is gone")
}
func (failing) Keep(context.Context, []string, []byte) error { return errors.New("the disk is gone") }

// Concurrent conversations, and concurrent clients of one conversation, do not disturb each other.
func TestAtTheSameTime(t *testing.T) {
	e := &provider.Endpoint{Format: "anthropic", Window: 6000}
	base := serve(t, e, proxy.Options{Compactor: compactor(t, records.NewMemory(4<<10))})
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if _, err := messages(t.Context(), base, 15); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if refused := e.Seen().Refused; len(refused) > 0 {
		t.Errorf("the endpoint had to refuse: %q", refused)
	}
}

func TestNewRefuses(t *testing.T) {
	c := ctxfold.New(ctxfold.Options{})
	good, _ := url.Parse("http://localhost/v1")
	relative, _ := url.Parse("/v1")
	for name, o := range map[string]proxy.Options{"no compactor": {Upstream: good}, "no endpoint": {Compactor: c}, "no host": {Compactor: c, Upstream: relative}} {
		if _, err := proxy.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/anthropic"
)

// endpoint answers every request with a stream of the given deltas.
func endpoint(t *testing.T, stop string, deltas ...string) (sdk.Client, *[]string) {
	bodies := new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*bodies = append(*bodies, r.URL.Path+" "+string(body))
		if len(deltas) == 0 {
			w.Header().Set("Retry-After-Ms", "7000")
			http.Error(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, 529)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		event := func(kind, data string) { fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data) }
		event("message_start", `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`)
		event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		for _, d := range deltas {
			text, _ := json.Marshal(d)
			event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":`+string(text)+`}}`)
		}
		event("content_block_stop", `{"type":"content_block_stop","index":0}`)
		if stop == "" { // the connection ends between two events
			return
		}
		event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"`+stop+`"},"usage":{"output_tokens":9}}`)
		event("message_stop", `{"type":"message_stop"}`)
	}))
	t.Cleanup(server.Close)
	return sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("key"), option.WithMaxRetries(5)), bodies
}

func TestCompact(t *testing.T) {
	c := ctxfold.New(ctxfold.Options{})
	client, bodies := endpoint(t, "end_turn", "## Goal\nKeep the limiter small. ", "It was measured and is done.")
	var heard string
	s := anthropic.Messages{Client: client, Model: "small", OnDelta: func(_ ctxfold.Request, delta string) error { heard += delta; return nil }}

	p := &sdk.MessageNewParams{Model: "any", MaxTokens: 100, System: []sdk.TextBlockParam{{Text: "Be brief."}}}
	for i := range 20 {
		id := fmt.Sprint("call-", i)
		p.Messages = append(p.Messages,
			sdk.NewUserMessage(sdk.NewTextBlock(fmt.Sprintf("Question %d? %s", i, strings.Repeat("Some words of context. ", 20)))),
			sdk.NewAssistantMessage(sdk.NewToolUseBlock(id, map[string]any{"path": "a.txt"}, "read")),
			sdk.NewUserMessage(sdk.NewToolResultBlock(id, "one two three", false)),
			sdk.NewAssistantMessage(sdk.NewTextBlock("Done.")))
	}
	p.Messages = append(p.Messages, sdk.NewUserMessage(sdk.NewTextBlock("And now?")))
	before := *p
	in := ctxfold.Input{Policy: ctxfold.RawPolicy(`{"window":{"tokens":2000,"reserve":0},"passes":[{"pass":"fold","keep_tokens":300}]}`)}
	r, err := anthropic.Compact(t.Context(), c, p, in, s)
	if err != nil || !r.Changed || r.Report.Summary.Source != "model" {
		t.Fatalf("%v: %+v", err, r)
	}
	newest := func(p *sdk.MessageNewParams) *sdk.TextBlockParam {
		return p.Messages[len(p.Messages)-1].Content[0].OfText
	}
	if len(p.Messages) >= len(before.Messages) || newest(p) != newest(&before) {
		t.Errorf("%d messages, or not the same values", len(p.Messages))
	}
	text, _ := json.Marshal(p)
	if !strings.Contains(string(text), "Keep the limiter small. It was measured") || !strings.Contains(heard, "It was measured") {
		t.Errorf("the summary is not there: heard %q in\n%s", heard, text)
	}
	v, err := c.Validate(t.Context(), ctxfold.Input{Messages: text})
	if err != nil || !v.Valid {
		t.Errorf("not valid: %v, %+v", err, v)
	}
	if !strings.HasPrefix((*bodies)[0], "/v1/messages ") || !strings.Contains((*bodies)[0], `"max_tokens":`) {
		t.Errorf("the model was asked %.300s", *bodies)
	}
}

func TestFailures(t *testing.T) {
	q := ctxfold.Request{ID: "1", MaxOutputTokens: 5}
	client, _ := endpoint(t, "max_tokens", "Half")
	if sum, err := (anthropic.Messages{Client: client, Model: "m"}).Summarize(t.Context(), q); err != nil || sum.FinishReason != "max_tokens" || sum.Text != "Half" {
		t.Errorf("cut off: %+v, %v", sum, err)
	}
	stop := errors.New("enough")
	if _, err := (anthropic.Messages{Client: client, Model: "m", OnDelta: func(ctxfold.Request, string) error { return stop }}).Summarize(t.Context(), q); !errors.Is(err, stop) {
		t.Errorf("stopped: %v", err)
	}
	client, bodies := endpoint(t, "")
	var refused *ctxfold.CallError
	if _, err := (anthropic.Messages{Client: client, Model: "m"}).Summarize(t.Context(), q); !errors.As(err, &refused) || refused.Failure.RetryAfterMs != "7000" ||
		!strings.Contains(err.Error(), "Overloaded") || len(*bodies) != 1 {
		t.Errorf("an error of the provider: %v after %d calls", err, len(*bodies))
	}
	client, _ = endpoint(t, "", "Half of it")
	if _, err := (anthropic.Messages{Client: client, Model: "m"}).Summarize(t.Context(), q); !errors.Is(err, ctxfold.ErrIncomplete) {
		t.Errorf("broken off: %v", err)
	}
}

// The API's own compaction is called if the request selects it, and its block is returned byte for
// byte. If it fails, the model is called.
func TestProvider(t *testing.T) {
	const block = `{"type":"compaction","content":"The user counts files.","encrypted_content":null,"signature":"c2ln\u002b=="}`
	var asked []string
	refuses := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.Header.Get("anthropic-beta"))
		switch {
		case !strings.Contains(string(body), `"compaction":{"type":"summarize"}`):
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"## Goal\\nThe user counts files and wants all of them counted.\"}}\n\n"+
				"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
		case refuses:
			http.Error(w, `{"type":"error","error":{"type":"invalid_request_error","message":"no"}}`, http.StatusBadRequest)
		default:
			if r.URL.Path != "/v1/messages" || !strings.Contains(string(body), `"model":"claude-opus-4-5"`) || !strings.Contains(string(body), `"max_tokens":8192`) {
				t.Errorf("%s %s", r.URL.Path, body)
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"type":"message","role":"assistant","content":[%s],"stop_reason":"compaction"}`, block)
		}
	}))
	defer server.Close()
	s := anthropic.Messages{Client: sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("k")), Model: "claude-opus-4-5", Provider: true}
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"Read file %d."},{"role":"assistant","content":"%s"}`, i, strings.Repeat("It has lines and words. ", 30)))
	}
	policy := ctxfold.RawPolicy(`{"format":"anthropic","window":{"tokens":30000,"reserve":0},"gate":{"ratio":0.2},"summary":{"provider":true},"passes":[{"pass":"fold","keep_tokens":500}]}`)
	for _, refuses = range []bool{false, true} {
		asked = nil
		r, err := ctxfold.Compact(t.Context(), json.RawMessage("["+strings.Join(list, ",")+"]"), policy, s)
		if err != nil {
			t.Fatal(err)
		}
		if made := strings.HasPrefix(string(r.Messages), `[{"role":"assistant","content":[`+block+`]}`); made == refuses {
			t.Errorf("refuses %v: %.300s", refuses, r.Messages)
		}
		if want := map[bool]string{false: "provider", true: "model"}[refuses]; string(r.Report.Summary.Source) != want || asked[0] != "compact-2026-09-04" || refuses != (len(asked) == 2) {
			t.Errorf("refuses %v: %v, %+v", refuses, asked, r.Report.Summary)
		}
	}
}

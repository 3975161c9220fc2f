package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/openai"
)

const window = `{"window":{"tokens":2000,"reserve":0},"passes":[{"pass":"fold","keep_tokens":300}]}`

// endpoint answers every request with the given events, and stores the request bodies.
func endpoint(t *testing.T, events ...string) (sdk.Client, *[]string) {
	bodies := new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*bodies = append(*bodies, r.URL.Path+" "+string(body))
		if len(events) == 0 {
			w.Header().Set("Retry-After", "7")
			http.Error(w, `{"error":{"message":"overloaded"}}`, http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			fmt.Fprintf(w, "data: %s\n\n", e)
		}
	}))
	t.Cleanup(server.Close)
	return sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("key"), option.WithMaxRetries(5)), bodies
}

func compactor(t *testing.T) *ctxfold.Compactor {
	c := ctxfold.New(ctxfold.Options{})
	return c
}

var chatEvents = []string{
	`{"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"## Goal\n"}}]}`,
	`{"id":"1","choices":[{"index":0,"delta":{"content":"Keep the limiter small. It was measured and is done."},"finish_reason":"stop"}]}`,
	`[DONE]`,
}

func chat() *sdk.ChatCompletionNewParams {
	p := &sdk.ChatCompletionNewParams{Model: "any", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.SystemMessage("Be brief.")}}
	for i := range 20 {
		p.Messages = append(p.Messages, sdk.UserMessage(fmt.Sprintf("Question %d? %s", i, strings.Repeat("Some words of context. ", 20))),
			sdk.AssistantMessage(fmt.Sprintf("Answer %d.", i)))
	}
	p.Messages = append(p.Messages, sdk.UserMessage("And now?"))
	return p
}

func TestCompactChat(t *testing.T) {
	client, bodies := endpoint(t, chatEvents...)
	var heard string
	s := openai.Chat{Client: client, Model: "small", OnDelta: func(_ ctxfold.Request, delta string) error { heard += delta; return nil }}
	p := chat()
	before := *p
	r, err := openai.CompactChat(t.Context(), compactor(t), p, ctxfold.Input{Policy: ctxfold.RawPolicy(window)}, s)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Changed || r.Report.Summary.Source != "model" || len(p.Messages) >= len(before.Messages) {
		t.Fatalf("%d messages, %+v", len(p.Messages), r.Report)
	}
	if p.Messages[0].OfSystem != before.Messages[0].OfSystem || p.Messages[len(p.Messages)-1].OfUser != before.Messages[len(before.Messages)-1].OfUser {
		t.Error("messages that stayed are not the same values")
	}
	text, _ := json.Marshal(p)
	if !strings.Contains(string(text), "Keep the limiter small.") || !strings.Contains(heard, "Keep the limiter small.") {
		t.Errorf("the summary is not there: heard %q in\n%s", heard, text)
	}
	if len(*bodies) == 0 || !strings.HasPrefix((*bodies)[0], "/chat/completions ") || !strings.Contains((*bodies)[0], `"max_completion_tokens":`) {
		t.Errorf("the model was asked %.300s", *bodies)
	}

	again := *p
	if r, err := openai.CompactChat(t.Context(), compactor(t), p, ctxfold.Input{Policy: ctxfold.RawPolicy(window), State: r.State}, s); err != nil || r.Changed || len(p.Messages) != len(again.Messages) {
		t.Errorf("what was just compacted: %v, %+v", err, r)
	}
}

func TestChatFailures(t *testing.T) {
	stop := errors.New("enough")
	tests := map[string]struct {
		events  []string
		onDelta func(ctxfold.Request, string) error
		finish  string
		err     string
	}{
		"status":     {err: "503"},
		"cut off":    {events: []string{`{"choices":[{"delta":{"content":"Half"},"finish_reason":"length"}]}`, `[DONE]`}, finish: "length"},
		"refusal":    {events: []string{`{"choices":[{"delta":{"refusal":"I will not."}}]}`}, err: "refused: I will not."},
		"not JSON":   {events: []string{`{`}, err: "unexpected end"},
		"broken off": {events: chatEvents[:1], err: ctxfold.ErrIncomplete.Error()},
		"overloaded": {events: []string{chatEvents[0], `{"error":{"type":"server_error","message":"The server is overloaded"}}`}, err: "overloaded"},
		"stopped":    {events: chatEvents, onDelta: func(ctxfold.Request, string) error { return stop }, err: "enough"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			client, _ := endpoint(t, tt.events...)
			sum, err := openai.Chat{Client: client, Model: "m", OnDelta: tt.onDelta, LegacyMaxTokens: true}.Summarize(t.Context(), ctxfold.Request{ID: "1", MaxOutputTokens: 5})
			if tt.err == "" && (err != nil || sum.FinishReason != tt.finish) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("%+v, %v", sum, err)
			}
		})
	}
}

// The SDK would call a busy endpoint three times for each request; the compactor calls it once more for all of them.
func TestBusy(t *testing.T) {
	client, bodies := endpoint(t)
	q := ctxfold.Request{ID: "1", MaxOutputTokens: 16}
	for name, s := range map[string]ctxfold.Summarizer{"chat": openai.Chat{Client: client, Model: "m"}, "responses": openai.Responses{Client: client, Model: "m"}} {
		*bodies = nil
		_, err := s.Summarize(t.Context(), q)
		var refused *ctxfold.CallError
		if !errors.As(err, &refused) || refused.Failure.RetryAfter != "7" || len(*bodies) != 1 {
			t.Errorf("%s: %v after %d calls", name, err, len(*bodies))
		}
	}
}

func TestCompactResponses(t *testing.T) {
	client, bodies := endpoint(t,
		`{"type":"response.output_text.delta","delta":"## Goal\nKeep the limiter small. "}`,
		`{"type":"response.output_text.delta","delta":"It was measured and is done."}`,
		`{"type":"response.completed","response":{"id":"r","status":"completed"}}`)
	p := &responses.ResponseNewParams{Model: "any", Instructions: sdk.String("Be brief.")}
	for i := range 20 {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList,
			responses.ResponseInputItemParamOfMessage(fmt.Sprintf("Question %d? %s", i, strings.Repeat("Some words of context. ", 20)), responses.EasyInputMessageRoleUser),
			responses.ResponseInputItemParamOfMessage(fmt.Sprintf("Answer %d.", i), responses.EasyInputMessageRoleAssistant))
	}
	newest := responses.ResponseInputItemParamOfMessage("And now?", responses.EasyInputMessageRoleUser)
	p.Input.OfInputItemList = append(p.Input.OfInputItemList, newest)
	r, err := openai.CompactResponses(t.Context(), compactor(t), p, ctxfold.Input{Policy: ctxfold.RawPolicy(window)}, openai.Responses{Client: client, Model: "small"})
	if err != nil || !r.Changed || r.Report.Summary.Source != "model" {
		t.Fatalf("%v: %+v", err, r)
	}
	items := p.Input.OfInputItemList
	if len(items) >= 41 || items[len(items)-1].OfMessage != newest.OfMessage {
		t.Errorf("%d items", len(items))
	}
	text, _ := json.Marshal(p)
	if !strings.Contains(string(text), "Keep the limiter small. It was measured") {
		t.Errorf("the summary is not in\n%s", text)
	}
	if !strings.HasPrefix((*bodies)[0], "/responses ") || !strings.Contains((*bodies)[0], `"store":false`) {
		t.Errorf("the model was asked %.300s", *bodies)
	}

	one := &responses.ResponseNewParams{Model: "any", Input: responses.ResponseNewParamsInputUnion{OfString: sdk.String("Hi")}}
	if r, err := openai.CompactResponses(t.Context(), compactor(t), one, ctxfold.Input{Policy: ctxfold.RawPolicy(window)}, nil); err != nil || r.Changed {
		t.Errorf("input that is one string: %v, %+v", err, r)
	}
}

func TestResponsesFailures(t *testing.T) {
	for event, want := range map[string]string{
		`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"no room"}}}`:         "no room",
		`{"type":"response.output_text.delta","delta":"Half of it"}`:                                                            ctxfold.ErrIncomplete.Error(),
		`{"type":"error","message":"broken"}`:                                                                                   "broken",
		`{"type":"response.refusal.done","refusal":"I will not."}`:                                                              "I will not.",
		`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`: "",
	} {
		client, _ := endpoint(t, event)
		sum, err := openai.Responses{Client: client, Model: "m"}.Summarize(t.Context(), ctxfold.Request{ID: "1", MaxOutputTokens: 16})
		if want == "" && (err != nil || sum.FinishReason != "max_output_tokens") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", event, sum, err)
		}
	}
}

// OpenAI's own compaction is called if the request selects it, and its items are returned byte for
// byte. If it fails, the model is called.
func TestProvider(t *testing.T) {
	items := `{"type":"message","role":"user","content":[{"type":"input_text","text":"Read \u0066ile 0."}]},{"id":"cmp_1","type":"compaction","encrypted_content":"` + strings.Repeat("Z0FB", 200) + `"}`
	var asked []string
	refuses := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.URL.Path)
		switch {
		case r.URL.Path != "/v1/responses/compact":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"## Goal\\nThe user counts files and wants all of them counted.\"}\n\n"+
				"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n")
		case refuses:
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusNotFound)
		default:
			if !strings.HasPrefix(string(body), `{"input":[{"role":"user","content":"Read file 0."}`) || !strings.Contains(string(body), `"model":"gpt-5"`) {
				t.Errorf("%.200s", body)
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"id":"r","object":"response.compaction","output":[%s]}`, items)
		}
	}))
	defer server.Close()
	s := openai.Responses{Client: sdk.NewClient(option.WithBaseURL(server.URL+"/v1"), option.WithAPIKey("k")), Model: "gpt-5", Provider: true}
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"Read file %d."},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"%s"}]}`, i, strings.Repeat("It has lines and words. ", 30)))
	}
	policy := ctxfold.RawPolicy(`{"format":"openai-responses","window":{"tokens":30000,"reserve":0},"gate":{"ratio":0.2},"summary":{"provider":true},"passes":[{"pass":"fold","keep_tokens":500}]}`)
	for _, refuses = range []bool{false, true} {
		asked = nil
		r, err := ctxfold.Compact(t.Context(), json.RawMessage("["+strings.Join(list, ",")+"]"), policy, s)
		if err != nil {
			t.Fatal(err)
		}
		if made := strings.HasPrefix(string(r.Messages), "["+items+","); made == refuses {
			t.Errorf("refuses %v: %.300s", refuses, r.Messages)
		}
		if want := map[bool]string{false: "provider", true: "model"}[refuses]; string(r.Report.Summary.Source) != want || refuses != (len(asked) == 2) {
			t.Errorf("refuses %v: %v, %+v", refuses, asked, r.Report.Summary)
		}
	}
}

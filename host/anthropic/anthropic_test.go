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
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/host/anthropic"
)

// endpoint answers every request by a stream of the given deltas.
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
	var busy *ctxfold.BusyError
	if _, err := (anthropic.Messages{Client: client, Model: "m"}).Summarize(t.Context(), q); !errors.As(err, &busy) || busy.After != 7*time.Second ||
		!strings.Contains(err.Error(), "Overloaded") || len(*bodies) != 1 {
		t.Errorf("an error of the provider: %v after %d calls", err, len(*bodies))
	}
	client, _ = endpoint(t, "", "Half of it")
	if _, err := (anthropic.Messages{Client: client, Model: "m"}).Summarize(t.Context(), q); !errors.Is(err, ctxfold.ErrIncomplete) {
		t.Errorf("broken off: %v", err)
	}
}

package ctxfold_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

var keys = regexp.MustCompile(`sk-[a-z0-9]+`)

func findKeys(text string) (found []api.Redaction) {
	if strings.Contains(text, "panic") {
		panic("the redactor fails")
	}
	if strings.Contains(text, "nonsense") {
		return []api.Redaction{{Text: "what is not in it"}}
	}
	for _, key := range keys.FindAllString(text, -1) {
		found = append(found, api.Redaction{Text: key})
	}
	return found
}

// Secrets found by Redact reach neither the summarizer, the result nor the store, with CompactWith,
// Fit and a Conversation. Nor do texts on which Redact fails.
func TestRedact(t *testing.T) {
	var messages []map[string]any
	for i := range 30 {
		text := fmt.Sprintf("step %d uses sk-secret%d\n%s", i, i%3, strings.Repeat("words ", 60))
		switch i {
		case 2:
			text = "panic: hush " + text
		case 4:
			text = "nonsense, hush " + text
		}
		messages = append(messages, map[string]any{"role": "user", "content": text}, map[string]any{"role": "assistant", "content": "done"})
	}
	history, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	for name, compact := range map[string]func(*ctxfold.Compactor, ctxfold.Input, ctxfold.Summarizer) (*ctxfold.Result, error){
		"CompactWith": func(c *ctxfold.Compactor, in ctxfold.Input, s ctxfold.Summarizer) (*ctxfold.Result, error) {
			return c.CompactWith(context.Background(), in, s)
		},
		"Fit": func(c *ctxfold.Compactor, in ctxfold.Input, s ctxfold.Summarizer) (*ctxfold.Result, error) {
			return c.Fit(context.Background(), in, s)
		},
		"Conversation": func(c *ctxfold.Compactor, in ctxfold.Input, s ctxfold.Summarizer) (*ctxfold.Result, error) {
			v, err := c.Conversation(context.Background(), ctxfold.ConversationOptions{Messages: in.Messages, Policy: in.Policy, Store: in.Store,
				Redact: in.Redact, Summarizer: s})
			if err != nil {
				return nil, err
			}
			return v.AfterTurn(context.Background())
		},
	} {
		asked := ""
		s := ctxfold.SummarizerFunc(func(_ context.Context, q ctxfold.Request) (ctxfold.Summary, error) {
			asked += q.System + q.Prompt
			return ctxfold.Summary{}, fmt.Errorf("no model")
		})
		store := ctxfold.NewMemoryStore(1 << 20)
		in := ctxfold.Input{Messages: history, Policy: ctxfold.Policy{Window: ctxfold.Window{Tokens: 1500}}, Store: store, Redact: findKeys}
		r, err := compact(ctxfold.New(ctxfold.Options{}), in, s)
		if err != nil || !r.Changed || asked == "" {
			t.Fatalf("%s: %v %+v", name, err, r)
		}
		kept := ""
		for _, b := range r.Archive {
			body, err := store.Get(context.Background(), b.Handle)
			if err != nil {
				t.Fatal(err)
			}
			kept += string(body)
		}
		digest := string(r.Messages[:len(r.Messages)-len(lastOf(t, r.Messages, r.Report.StablePrefix.Messages))])
		for what, text := range map[string]string{"prompt": asked, "store": kept, "state": string(r.State), "digest": digest} {
			if keys.MatchString(text) || strings.Contains(text, "hush") {
				t.Errorf("%s: the %s holds a secret: %s", name, what, text)
			}
		}
		if !strings.Contains(kept, "[REDACTED:2]") || !strings.Contains(kept, "[REDACTED: not checked]") || r.Report.Redacted == nil || r.Report.Redacted.Failed != 2 {
			t.Errorf("%s: %+v of %s", name, r.Report.Redacted, kept)
		}
		if !keys.Match(r.Messages) {
			t.Errorf("%s: messages that stay were redacted: %s", name, r.Messages)
		}
	}
}

// lastOf returns the list without its first messages and the digest after them.
func lastOf(t *testing.T, list []byte, first int) string {
	t.Helper()
	var messages []json.RawMessage
	if err := json.Unmarshal(list, &messages); err != nil || len(messages) <= first+1 {
		t.Fatalf("%v: %s", err, list)
	}
	rest, _ := json.Marshal(messages[first+1:])
	return string(rest[1:])
}

package ctxfold_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// searches returns a conversation with n searches, whose results are long.
func searches(n int) json.RawMessage {
	list := []string{`{"role":"user","content":"Find the ship."}`}
	for i := range n {
		list = append(list, fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"s%d","type":"function","function":{"name":"search","arguments":"{}"}}]}`, i),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"s%d","content":%q}`, i, strings.Repeat(fmt.Sprintf("harbour %d, pier %d; ", i, i*3), 120)))
	}
	return json.RawMessage("[" + strings.Join(append(list, `{"role":"user","content":"Where is it?"}`), ",") + "]")
}

// A score reaches the core from an Input and from a Conversation.
func TestScore(t *testing.T) {
	ctx, messages := context.Background(), searches(12)
	policy := ctxfold.RawPolicy(`{"format":"openai-chat","window":{"tokens":9000,"reserve":0},"gate":{"target":0.9},"summary":{"mode":"local"}}`)
	score := &api.Score{Calls: []api.CallScore{{ID: "s8", Score: -1}, {ID: "s10", Score: -1}}}
	check := func(name string, r *ctxfold.Result, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(r.Report.Actions) == 0 {
			t.Fatalf("%s: nothing was done: %+v", name, r.Report)
		}
		if a := r.Report.Actions[0]; a.Pass != api.DoerScore || a.Message != 18 {
			t.Errorf("%s: first %+v", name, a)
		}
	}
	in := ctxfold.Input{Messages: messages, Policy: policy, Score: score, Force: true}
	r, err := ctxfold.New(ctxfold.Options{}).CompactWith(ctx, in, nil)
	check("CompactWith", r, err)
	r, err = ctxfold.New(ctxfold.Options{}).Fit(ctx, in, nil)
	check("Fit", r, err)
	v, err := ctxfold.New(ctxfold.Options{}).Conversation(ctx, ctxfold.ConversationOptions{Messages: messages, Policy: policy,
		Score: func(list json.RawMessage) *api.Score {
			if string(list) != string(messages) {
				t.Errorf("called with %.100s", list)
			}
			return score
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close(ctx)
	r, err = v.Compact(ctx)
	check("Conversation", r, err)
}

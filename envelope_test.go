package ctxfold

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/internal/operations"
)

func TestRebase(t *testing.T) {
	policy := []byte(`{"preset":"nope"}`)
	env := newEnvelope(member{operations.InPolicy, policy}, optionsMember(api.Options{Answer: api.AnswerEdits}), member{key: operations.InState}, messagesMember([]byte(`[{"role":"user"}]`)))
	if !json.Valid(env.request) {
		t.Fatalf("not JSON: %s", env.request)
	}
	at := func(text string) int { return strings.Index(string(env.request), text) }
	for _, tt := range []struct {
		name string
		in   Error
		want Error
	}{
		{"in the messages", Error{Path: "messages[0].role", Offset: at(`"role"`)}, Error{Input: "messages", Path: "messages[0].role", Offset: 2}},
		{"syntax error without a path", Error{Offset: at(`"role"`)}, Error{Input: "messages", Offset: 2}},
		{"cut off: the end is the end of the input", Error{Path: "messages", Offset: len(env.request)}, Error{Input: "messages", Path: "messages", Offset: 17}},
		{"in the policy", Error{Path: "policy.preset", Offset: at(`"nope"`)}, Error{Input: "policy", Path: "policy.preset", Offset: 10}},
		{"in the options", Error{Path: "options.answer", Offset: at(`"edits"`)}, Error{Input: "options", Path: "options.answer", Offset: 10}},
		{"of the request itself", Error{Path: "answer", Offset: 0}, Error{Path: "answer"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got *Error
			if !errors.As(env.rebase(&tt.in), &got) || *got != tt.want {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
		})
	}
}

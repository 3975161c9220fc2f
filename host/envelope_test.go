package host

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestWith(t *testing.T) {
	for _, tt := range []struct{ name, policy, want string }{
		{"empty", ``, `{"summary":{"mode":"local"}}`},
		{"null", ` null `, `{"summary":{"mode":"local"}}`},
		{"empty object", `{ }`, `{"summary":{"mode":"local"} }`},
		{"no summary", `{"preset":"default"}`, `{"summary":{"mode":"local"},"preset":"default"}`},
		{"empty summary", `{"summary": {}}`, `{"summary": {"mode":"local"}}`},
		{"summary without mode", `{"summary":{"max_output_tokens":9}}`, `{"summary":{"mode":"local","max_output_tokens":9}}`},
		{"summary with mode", `{"summary":{"mode" : "model", "x":1e400}}`, `{"summary":{"mode" : "local", "x":1e400}}`},
		{"nested summary is another key", `{"a":{"summary":{}}}`, `{"summary":{"mode":"local"},"a":{"summary":{}}}`},
		{"not an object", `"default"`, `"default"`},
		{"summary not an object", `{"summary":7}`, `{"summary":7}`},
		{"not JSON", `{"preset":`, `{"preset":`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, es := with([]byte(tt.policy), `"local"`, "summary", "mode")
			if string(got) != tt.want {
				t.Fatalf("got  %s\nwant %s", got, tt.want)
			}
			// Every byte that was kept must be found at its old place.
			for i := range got {
				if len(es) > 0 && i >= es[0].at && i < es[0].at+es[0].inserted {
					continue
				}
				if old := es.original(i); got[i] != tt.policy[old] {
					t.Errorf("byte %d (%q) is said to come from byte %d (%q)", i, got[i], old, tt.policy[old])
				}
			}
		})
	}
}

func TestRebase(t *testing.T) {
	policy := []byte(`{"preset":"nope"}`)
	edited := member{key: "policy", value: policy}
	edited.set(`"local"`, "summary", "mode")
	edited.set(`"edits"`, "answer")
	env := newEnvelope(edited, member{key: "state"}, messagesMember([]byte(`[{"role":"user"}]`)))
	if !json.Valid(env.request) {
		t.Fatalf("not JSON: %s", env.request)
	}
	at := func(text string) int { return strings.Index(string(env.request), text) }
	for _, tt := range []struct {
		name string
		in   Error
		want Error
	}{
		{"in the messages", Error{Path: "messages[0].role", Offset: at(`"role"`)}, Error{In: "messages", Path: "messages[0].role", Offset: 2}},
		{"syntax error without a path", Error{Offset: at(`"role"`)}, Error{In: "messages", Offset: 2}},
		{"cut off: the end is the end of the input", Error{Path: "messages", Offset: len(env.request)}, Error{In: "messages", Path: "messages", Offset: 17}},
		{"in the policy, which was edited", Error{Path: "policy.preset", Offset: at(`"nope"`)}, Error{In: "policy", Path: "policy.preset", Offset: 10}},
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

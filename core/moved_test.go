package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// A former key of the policy or the request that is an option now is rejected, and the error names its new place.
func TestMovedKeys(t *testing.T) {
	const messages = `"messages":[{"role":"user","content":"Hello."}]`
	of := func(more string, ops ...string) map[string]string {
		requests := map[string]string{}
		for _, op := range ops {
			requests[op] = `{` + more + `,` + messages + `}`
		}
		return requests
	}
	policies := []string{"estimate", "check", "plan", "fit", "prints", "validate", "repair", "restore", "session_open"}
	tests := []struct {
		requests         map[string]string
		path, at, option string
	}{
		{of(`"policy":{"format":"plain","force":true}`, policies...), "policy.force", `":true`, "options.force"},
		{of(`"policy":{"force":false}`, policies...), "policy.force", `":false`, "options.force"},
		{of(`"policy":{"answer":"edits"},"options":{"answer":"edits"}`, policies...), "policy.answer", `":"edits"},`, "options.answer"},
		{of(`"policy":{"summary":{"mode":"local","text":"We said hello."}}`, policies...), "policy.summary.text", `":"We`, "options.summary.text"},
		{map[string]string{"recall": `{"policy":{"answer":"edits"}}`}, "policy.answer", `":"edits"`, "options.answer"},
		{of(`"plan":{"version":2,"policy":{"force":true},"messages":1,"format":"plain"}`, "step"), "plan.policy.force", `":true`, "options.force"},
		{of(`"usage":{"message":0,"total_tokens":9}`, policies...), "usage", `"usage":{`, "options.usage"},
		{of(`"policy":{},"options":{"usage":{"message":0,"total_tokens":9}},"usage":null`, policies...), "usage", `"usage":null`, "options.usage"},
	}
	for _, tt := range tests {
		for op, request := range tt.requests {
			var a struct {
				Error struct {
					Code, Path, Message string
					Offset              int
				}
			}
			_ = json.Unmarshal(core.Call(op, []byte(request)), &a)
			want := fmt.Sprintf("%s is not a key any more; say it in %s", strings.TrimPrefix(tt.path, "plan."), tt.option)
			if a.Error.Code != "unknown_field" || a.Error.Path != tt.path || a.Error.Message != want || !strings.HasPrefix(request[a.Error.Offset:], tt.at) {
				t.Errorf("%s: %s\n%+v, at %.20s, want %s", op, request, a.Error, request[a.Error.Offset:], want)
			}
		}
	}
}

// Keys of the same name in their proper place are read, and a misspelled key is not taken for one that has moved.
func TestKeysThatHaveNotMoved(t *testing.T) {
	for policy, want := range map[string]string{
		`{"window":{"tokens":99},"gate":{"usage":true}}`:             `"due":false`,
		`{"max_bytes":999,"archive":"places","open_calls":"answer"}`: `"due":false`,
		`{"window":{"unlimited":true},"summary":{"mode":"minimal"}}`: `"due":false`,
		`{"passes":[{"pass":"fold","force":true}]}`:                  `"message":"pass fold: there is no such key here: force"`,
		`{"pins":[{"contains":"a","text":"b"}]}`:                     `there is no such key here: text`,
		`{"gate":{"force":true}}`:                                    `there is no such key here: force`,
		`{"forse":true}`:                                             `there is no such key here: forse`,
		`{"window":{"tokens":9},"usage":{"total_tokens":1}}`:         `there is no such key here: usage`,
	} {
		got := string(core.Call("check", []byte(`{"policy":`+policy+`,"messages":[{"role":"user","content":"Hello."}]}`)))
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", policy, got, want)
		}
	}
}

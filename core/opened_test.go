package core_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// sample is an answer of open: the provider counted 7,080 tokens up to message 10 of 14.
func sample(t *testing.T, name string) (answer []byte, messages json.RawMessage) {
	t.Helper()
	file, err := os.ReadFile("../testdata/sessions/" + name)
	if err != nil {
		t.Fatal(err)
	}
	answer = core.Call("open", file)
	var s opened
	if err := json.Unmarshal(answer, &s); err != nil {
		t.Fatal(err)
	}
	return answer, s.Messages
}

// The result of open is passed on as a whole: check agrees with the provider's count, whatever the estimate of the text.
func TestOpenedSessionsCountAsTheProviderDid(t *testing.T) {
	dir := sessions.Dir(t)
	names := 0
	for _, pattern := range []string{"claude_code/*", "codex/*", "pi/*", "gemini_cli/*"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range found {
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			answer := core.Call("open", file)
			var s opened
			if err := json.Unmarshal(answer, &s); err != nil || s.Usage == nil {
				t.Fatalf("%s: %v", name, err)
			}
			names++
			a, tokens := sizes(t, "check", `{"messages":%s}`, answer)
			if a.Error != nil || a.Source != "measured" {
				t.Fatalf("%s: %+v", name, a)
			}
			var list []json.RawMessage
			if err := json.Unmarshal(s.Messages, &list); err != nil {
				t.Fatal(err)
			}
			tail := list[s.Usage.Message+1:]
			behind := 0
			if len(tail) > 0 {
				text, _ := json.Marshal(tail)
				_, behind = sizes(t, "estimate", `{"policy":{"format":%q,"model":%q},"messages":%s}`, s.Format, s.Model, text)
			}
			if d := tokens - s.Usage.Total - behind; d < -behind/5-1 || d > behind/5+1 {
				t.Errorf("%s: %d tokens, the provider counted %d, and about %d are behind that", filepath.Base(name), tokens, s.Usage.Total, behind)
			}
			_, alone := sizes(t, "check", `{"policy":{"format":%q},"messages":%s}`, s.Format, s.Messages)
			t.Logf("%s: %d tokens, by the text alone %d", filepath.Base(name), tokens, alone)
		}
	}
	if names < 5 {
		t.Errorf("only %d files", names)
	}
}

func TestOpenedSessions(t *testing.T) {
	answer, messages := sample(t, "codex.jsonl")
	var s struct{ System string }
	if err := json.Unmarshal(answer, &s); err != nil {
		t.Fatal(err)
	}
	// The same, said by hand: a request body with the system prompt.
	by := fmt.Sprintf(`"policy":{"format":"openai-responses","model":"gpt-5.5"},"options":{"usage":{"message":10,"total_tokens":7080}},"messages":{"instructions":%q,"input":%s}`, s.System, messages)
	for _, op := range []string{"check", "estimate"} {
		want := core.Call(op, []byte(`{`+by+`}`))
		if got := core.Call(op, fmt.Appendf(nil, `{"messages":%s}`, answer)); string(got) != string(want) {
			t.Errorf("%s: %s\nwant %s", op, got, want)
		}
	}
	for _, c := range []struct{ request, want string }{
		{`{"messages":%s}`, `"tokens":7127,"source":"measured","bound":1,"limit":204492,"window":272000`},
		// What a request says itself counts.
		{`{"options":{"usage":{"message":-1,"total_tokens":900}},"messages":%s}`, `"tokens":900,"source":"measured"`},
		{`{"policy":{"window":{"tokens":5000}},"messages":%s}`, `"window":5000`},
		{`{"policy":{"model":"gpt-4o"},"messages":%s}`, `"window":128000`},
		{`{"policy":{"format":"openai-responses"},"messages":%s}`, `"format":"openai-responses"`},
		// After a compaction the count is of what is gone.
		{`{"state":{"round":1,"ledger":{},"messages":11},"messages":%s}`, `"source":"estimated"`},
	} {
		if got := core.Call("check", fmt.Appendf(nil, c.request, answer)); !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %s, want %s", c.request, got, c.want)
		}
	}
	// Keys in another order, and a scanner that has no policy before the messages.
	sorted := map[string]json.RawMessage{}
	if err := json.Unmarshal(answer, &sorted); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(sorted)
	if got := core.Call("check", fmt.Appendf(nil, `{"messages":%s,"policy":{}}`, again)); !strings.Contains(string(got), `"tokens":7127`) {
		t.Errorf("%s", got)
	}
	if got := core.Call("detect", fmt.Appendf(nil, `{"messages":%s}`, answer)); !strings.HasPrefix(string(got), `{"format":"openai-responses","confidence":1,`) {
		t.Errorf("%s", got)
	}
	// A format that isn't one, and messages that are none.
	for request, code := range map[string]string{
		`{"messages":{"kind":"pi","format":"none","messages":[]}}`: "unknown_format", `{"messages":{"kind":"pi","format":"native","messages":"x"}}`: "no_messages",
		`{"messages":{"kind":"pi","format":"native","usage":{"message":7,"total_tokens":9},"messages":[{"role":"user","content":"a"}]}}`: "out_of_range",
	} {
		if a, _ := sizes(t, "check", "%s", request); a.Error == nil || a.Error.Code != code {
			t.Errorf("%s: %+v, want %s", request, a.Error, code)
		}
	}
}

// A compaction of an opened session returns the list, and its plan keeps the model. Steps accept the session or the list.
func TestOpenedSessionsAreCompacted(t *testing.T) {
	answer, messages := sample(t, "codex.jsonl")
	policy := `"policy":{"window":{"tokens":6000},"passes":[{"pass":"fold","keep_tokens":20}]}` + force
	a, _ := sizes(t, "plan", `{%s,"messages":%s}`, policy, answer)
	if len(a.Requests) == 0 || a.Report.Tokens.Before != 7127 || a.Report.Tokens.Source != "measured" {
		t.Fatalf("%+v", a)
	}
	for i, given := range [][]byte{answer, messages} {
		end := core.Call("step", fmt.Appendf(nil, `{"plan":%s,"summaries":[{"id":%q,"error":"none"}],"messages":%s}`, a.Plan, a.Requests[0].ID, given))
		var b sized
		if err := json.Unmarshal(end, &b); err != nil || len(b.Messages) == 0 || b.Messages[0] != '[' || b.Report.Tokens.Source != "measured" {
			t.Fatalf("%v %s", err, end)
		}
		if want := []int{7127, 7118}[i]; b.Report.Tokens.Before != want { // the list alone does not have the system prompt
			t.Errorf("%d tokens before, want %d", b.Report.Tokens.Before, want)
		}
	}
	l := &core.Sessions{}
	open := l.Call("session_open", fmt.Appendf(nil, `{"messages":%s}`, answer))
	check := l.Call("check", []byte(`{"session":1}`))
	if !strings.Contains(string(check), `"window":272000`) || !strings.Contains(string(check), `"source":"calibrated"`) || !strings.Contains(string(check), `"tokens":71`) {
		t.Errorf("%s %s", open, check)
	}
	if check := l.Call("check", []byte(`{"session":1,"policy":{"gate":{"ratio":0.5}}}`)); !strings.Contains(string(check), `"window":272000`) {
		t.Errorf("%s", check)
	}
}

// What open answers is taken for a session whatever its kind: a compaction returns a list.
func TestEveryKindIsOpened(t *testing.T) {
	files, err := filepath.Glob("../testdata/sessions/*.golden.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no answers of open: %v", err)
	}
	for _, name := range files {
		answer, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := sizes(t, "plan", `{"policy":{"window":{"tokens":20000},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":20}]}%s,"messages":%s}`, force, answer)
		if len(a.Messages) == 0 || a.Messages[0] != '[' {
			t.Errorf("%s: a plan answers %.60s, not a list", filepath.Base(name), a.Messages)
		}
	}
}

package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
)

// The limit of this policy is 8,000 tokens, and gate.start 5,600.
const startPolicy = `{"window":{"tokens":10000,"reserve":0},"gate":{"start":0.7},"passes":[{"pass":"fold","keep_tokens":1}]`

// A compaction starts above gate.start. It doesn't start again before the transcript has grown, nor if a compaction is due or no model is
// called.
func TestStart(t *testing.T) {
	const plain = startPolicy + `}`
	tests := []struct {
		name            string
		tokens          int
		policy, options string
		start, due      bool
	}{
		{"below", 5500, plain, ``, false, false},
		{"above", 5700, plain, ``, true, false},
		{"at the limit", 8100, plain, ``, false, true},
		{"tried before", 5700, plain, `,"tried":5600`, false, false},
		{"tried, and grown by a twentieth of the limit", 6100, plain, `,"tried":5600`, true, false},
		{"no model in the policy", 5700, startPolicy + `,"summary":{"mode":"local"}}`, ``, false, false},
		{"no model in the call", 5700, plain, `,"summary":{"mode":"local"}`, false, false},
		{"few messages", 5700, strings.Replace(plain, `"start":0.7`, `"start":0.7,"min_messages":12`, 1), ``, false, false},
	}
	for _, tt := range tests {
		for op, says := range map[string]string{"check": `"due":true`, "plan": `"requests":[`, "fit": `"requests":[`} {
			request := fmt.Sprintf(`{"policy":%s,"options":{"usage":{"message":-1,"total_tokens":%d}%s},"messages":%s}`, tt.policy, tt.tokens, tt.options, optionsChat())
			got := string(core.Call(op, []byte(request)))
			if strings.Contains(got, `"start":true`) != tt.start || strings.Contains(got, says) != tt.due {
				t.Errorf("%s, %s: %.600s", tt.name, op, got)
			}
		}
	}
}

// In the background, a transcript is compacted before it is due. If the model returns no summary, it stays unchanged, which doesn't count
// as a failure.
func TestBackground(t *testing.T) {
	for reply, reason := range map[string]api.Reason{
		`{"id":"%s","error":"away"}`: api.ReasonSummaryFailed,
		`{"id":"%s","text":"## Goal\nThe user compares two files; they are equal, line by line, and nothing else is wanted."}`: api.ReasonCompacted,
	} {
		messages := optionsChat()
		request := fmt.Sprintf(`{"policy":%s,"summary":{"retries":0}},"options":{"background":true,"usage":{"message":-1,"total_tokens":6000}},"messages":%s}`, startPolicy, messages)
		var p api.Planned
		if err := json.Unmarshal(core.Call("plan", []byte(request)), &p); err != nil || len(p.Requests) != 1 {
			t.Fatalf("%v, %+v", err, p.Report)
		}
		// What has come since stays after the result.
		since := `{"role":"assistant","content":"You are welcome."},{"role":"user","content":"And the third?"}]`
		messages = strings.TrimSuffix(messages, "]") + "," + since
		request = fmt.Sprintf(`{"plan":%s,"summaries":[`+reply+`],"messages":%s}`, p.Plan, p.Requests[0].ID, messages)
		p = api.Planned{}
		if err := json.Unmarshal(core.Call("step", []byte(request)), &p); err != nil || p.Report.Reason != reason {
			t.Fatalf("%v, %+v", err, p.Report)
		}
		if !strings.HasSuffix(string(p.Messages), since) || strings.Contains(string(p.State), `"failed"`) {
			t.Errorf("%s: %s, %s", reason, p.State, p.Messages)
		}
		// A history that was edited since is another one.
		edited := strings.Replace(messages, "Compare.", "Compare them.", 1)
		request = fmt.Sprintf(`{"plan":%s,"summaries":[],"messages":%s}`, planOf(t, startPolicy, messages), edited)
		if got := string(core.Call("step", []byte(request))); !strings.Contains(got, string(api.CodePlanMismatch)) {
			t.Errorf("edited: %.300s", got)
		}
	}
}

func planOf(t *testing.T, policy, messages string) api.Raw {
	t.Helper()
	var p api.Planned
	request := fmt.Sprintf(`{"policy":%s},"options":{"background":true,"usage":{"message":-1,"total_tokens":6000}},"messages":%s}`, policy, messages)
	if err := json.Unmarshal(core.Call("plan", []byte(request)), &p); err != nil || len(p.Requests) == 0 {
		t.Fatalf("%v, %+v", err, p.Report)
	}
	return p.Plan
}

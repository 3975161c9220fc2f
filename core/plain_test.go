package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// plainChat returns n turns of a chat, without anything that identifies its format.
func plainChat(n int) string {
	list := `[{"role":"system","content":"Be short."}`
	for i := range n {
		list += fmt.Sprintf(`,{"role":"user","content":"Question %d about the harbour. %s"},{"role":"assistant","content":"Answer %d. %s"}`, i,
			strings.Repeat("Ships come and go. ", 20), i, strings.Repeat("Tides rise and fall. ", 20))
	}
	return list + "]"
}

const plainPolicy = `{"window":{"tokens":2000,"reserve":100}}`

// A conversation of texts needs no format: the first call works, and the result is valid in every format of such texts.
func TestPlainChat(t *testing.T) {
	for _, preset := range []string{"default", "checkpoint", "turn-tail", "layered", "agent-loop"} {
		policy := `{"preset":"` + preset + `","window":{"tokens":2000,"reserve":100}}`
		a := compacts(t, policy, "", plainChat(20), summaryText)
		if a.Error != nil || !a.Report.Changed || a.Report.Format != "plain" || !strings.Contains(string(a.State), `"format":"plain"`) {
			t.Fatalf("%s: %+v %+v", preset, a.Error, a.Report)
		}
		body := strings.TrimPrefix(string(a.Messages), `[{"role":"system","content":"Be short."},`)
		for _, format := range []string{"plain", "openai-chat", "openai-responses"} {
			if bad := judge.Valid(format, a.Messages); len(bad) > 0 {
				t.Errorf("%s as %s: %s", preset, format, bad[0])
			}
		}
		if refused, tolerated := judge.Broken("anthropic", []byte("["+body)); len(refused)+len(tolerated) > 0 {
			t.Errorf("%s as anthropic: %s", preset, append(refused, tolerated...)[0])
		}
	}
}

// A plain conversation changes to the format of a later message, wherever that is.
func TestPlainGoesOn(t *testing.T) {
	const anthropicCall = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}`
	const chatCall = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"x"}`
	first := compacts(t, plainPolicy, "", plainChat(20), summaryText)
	for _, test := range []struct{ format, more string }{
		{"openai-chat", chatCall},
		{"anthropic", anthropicCall},
		{"anthropic", `{"role":"user","content":[{"type":"text","text":"Look."}]}`}, // the strictest of those that it may be
		{"plain", `{"role":"user","content":"And now?"}`},
	} {
		list := strings.TrimSuffix(string(first.Messages), "]") + "," + test.more + "]"
		a := call(t, "plan", `{"policy":`+plainPolicy+`,"state":`+string(first.State)+`,"messages":`+list+`}`)
		if a.Error != nil || a.Report.Format != test.format {
			t.Errorf("%s: %+v, format %s", test.format, a.Error, a.Report.Format)
		}

		// Between plan and step.
		full := strings.TrimSuffix(plainChat(20), "]") + "," + test.more + "]"
		p := call(t, "plan", `{"policy":`+plainPolicy+`,"messages":`+plainChat(20)+`}`)
		request := `{"plan":` + string(p.Plan) + `,"summaries":[{"id":` + fmt.Sprintf("%q", p.Requests[0].ID) + `,"text":` + fmt.Sprintf("%q", summaryText) + `}],"messages":` + full + `}`
		if s := call(t, "step", request); s.Error != nil || s.Report.Format != test.format {
			t.Errorf("%s, step: %+v, format %s", test.format, s.Error, s.Report.Format)
		}

		// In a session, at once and one by one.
		l := &core.Sessions{}
		l.Call("session_open", []byte(`{"policy":`+plainPolicy+`,"messages":`+plainChat(20)+`}`))
		if got := string(l.Call("session_append", []byte(`{"session":1,"messages":[`+test.more+`]}`))); !strings.Contains(got, `"format":"`+test.format+`"`) {
			t.Errorf("%s, session: %s", test.format, got)
		}
		var fresh, kept answer
		if err := json.Unmarshal(l.Call("plan", []byte(`{"session":1}`)), &kept); err != nil {
			t.Fatal(err)
		}
		fresh = call(t, "plan", `{"policy":{"format":"`+test.format+`","window":{"tokens":2000,"reserve":100}},"messages":`+full+`}`)
		if kept.Error != nil || kept.Report.Tokens != fresh.Report.Tokens || kept.Report.Format != test.format {
			t.Errorf("%s, session: %+v, %+v, want %+v", test.format, kept.Error, kept.Report.Tokens, fresh.Report.Tokens)
		}
	}
	l := &core.Sessions{}
	l.Call("session_open", []byte(`{"policy":`+plainPolicy+`,"messages":`+plainChat(2)+`}`))
	if got := string(l.Call("session_append", []byte(`{"session":1,"messages":[{"role":"user","parts":[{"text":"x"}]}]}`))); !strings.Contains(got, "unknown_format") {
		t.Errorf("what cannot go on: %s", got)
	}
	if got := string(l.Call("session_append", []byte(`{"session":1,"messages":[{"role":"user","content":"x"}]}`))); !strings.Contains(got, `"messages":6,`) {
		t.Errorf("the session is not as it was: %s", got)
	}
}

// An empty list is a conversation that has not begun.
func TestEmptyList(t *testing.T) {
	for _, policy := range []string{`{"window":{"unlimited":true}}`, plainPolicy, `{"format":"anthropic","window":{"tokens":100,"reserve":10}}` + force, `{"format":"gemini","max_bytes":1}`} {
		for _, list := range []string{`[]`, ` [ ] `} {
			request := `{"policy":` + policy + `,"messages":` + list + `}`
			if got := string(core.Call("check", []byte(request))); !strings.Contains(got, `{"due":false,"reason":"under_budget","tokens":0,`) {
				t.Errorf("check %s: %s", request, got)
			}
			a := call(t, "plan", request)
			if a.Error != nil || a.Report.Reason != "under_budget" || a.Report.Changed || string(a.Messages) != strings.TrimSpace(list) {
				t.Errorf("plan %s: %+v %s", request, a.Error, a.Messages)
			}
			for _, op := range []string{"validate", "repair"} {
				if a := call(t, op, request); a.Error != nil || !a.Valid {
					t.Errorf("%s %s: %+v", op, request, a.Error)
				}
			}
		}
	}
	body := `{"model":"gpt-5","input":[],"previous_response_id":"resp_1","instructions":"` + strings.Repeat("word ", 2000) + `"}`
	if a := call(t, "plan", `{"policy":`+plainPolicy+`,"messages":`+body+`}`); a.Error != nil || a.Report.Reason != "under_budget" || string(a.Messages) != body {
		t.Errorf("body: %+v %+v", a.Error, a.Report)
	}
}

// A misspelt name is asked about.
func TestDidYouMean(t *testing.T) {
	for policy, want := range map[string]string{
		`{"format":"openai"}`:                      `unknown format \"openai\"; did you mean \"openai-chat\"?`,
		`{"preset":"defualt"}`:                     `unknown preset \"defualt\"; did you mean \"default\"?`,
		`{"estimator":"scirpt"}`:                   `unknown estimator \"scirpt\"; did you mean \"script\"?`,
		`{"passes":[{"pass":"folds"}]}`:            `unknown pass \"folds\"; did you mean \"fold\"?`,
		`{"windwo":{"tokens":5}}`:                  `unknown key \"windwo\"; did you mean \"window\"?`,
		`{"gate":{"ration":1}}`:                    `unknown key \"ration\"; did you mean \"ratio\"?`,
		`{"passes":[{"pass":"fold","keep":true}]}`: `pass fold: there is no such key here: keep`,
		`{"format":"zzzzzzzz"}`:                    `unknown format \"zzzzzzzz\"; there are: adk, ag-ui, agent-framework, `,
	} {
		if got := string(core.Call("check", []byte(`{"policy":`+policy+`,"messages":[]}`))); !strings.Contains(got, want) {
			t.Errorf("%s: %s", policy, got)
		}
	}
}

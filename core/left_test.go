package core_test

import (
	"fmt"
	"strings"
	"testing"
)

// exitChat is a conversation whose last message has a role that no API has, as some agents write it.
func exitChat(n int) string {
	return strings.TrimSuffix(loneChat(n), "]") + `,{"role":"exit","content":"done","extra":{"exit_status":"Submitted"}}]`
}

// Violations that no repair can fix are named in the words of validate, whatever the outcome.
func TestLeft(t *testing.T) {
	for _, test := range []struct{ name, policy, messages, reason, left string }{
		{"compacted", `{"format":"openai-chat","window":{"tokens":1500,"reserve":100}}`, exitChat(20), "compacted", "OC8 the format does not know this role"},
		{"detected", `{"window":{"tokens":1500,"reserve":100}}`, exitChat(20), "compacted", "OC8 the format does not know this role"},
		{"nothing to gain", `{"format":"openai-chat","window":{"tokens":1500,"reserve":100},"last_resort":false,"passes":[{"pass":"clear","keep_recent":1000}]}`, exitChat(20), "no_progress", "OC8 the format does not know this role"},
		{"folded", `{"format":"openai-chat","window":{"tokens":1500,"reserve":100}}`, `[{"role":"exit","content":"done"},` + loneChat(20)[1:], "compacted", ""},
		{"gemini", `{"format":"gemini","last_resort":false,"window":{"tokens":90,"reserve":10}}` + force, `[{"role":"user","parts":[{"text":"` + strings.Repeat("go on ", 300) + `"}]},{"role":"model","parts":[{"text":"ok"}]},{"role":"user","parts":[{"text":"and"}]},{"role":"function","parts":[{"text":"x"}]}]`, "compacted", "G1 the format does not know this role"},
	} {
		a := compacts(t, test.policy, "", test.messages, summaryText)
		if a.Error != nil || a.Report.Reason != test.reason {
			t.Errorf("%s: %+v, %s", test.name, a.Error, a.Report.Reason)
			continue
		}
		v := call(t, "validate", `{"policy":`+test.policy+`,"messages":`+string(a.Messages)+`}`)
		if fmt.Sprint(v.refused()) != fmt.Sprint(a.Report.Left) {
			t.Errorf("%s: left %v, validate says %+v", test.name, a.Report.Left, v.Violations)
		}
		switch {
		case test.left == "":
			if len(a.Report.Left) > 0 {
				t.Errorf("%s: left %v", test.name, a.Report.Left)
			}
		case len(a.Report.Left) != 1 || a.Report.Left[0].Rule+" "+a.Report.Left[0].Text != test.left || v.Valid:
			t.Errorf("%s: left %v", test.name, a.Report.Left)
		}
		if test.reason == "no_progress" { // asked again, it is named again
			if b := call(t, "plan", `{"policy":`+test.policy+`,"state":`+string(a.State)+`,"messages":`+test.messages+`}`); len(b.Report.Left) != 1 {
				t.Errorf("%s, again: %s, left %v", test.name, b.Report.Reason, b.Report.Left)
			}
		}
	}
	r := call(t, "repair", `{"policy":{"format":"openai-chat"},"messages":`+exitChat(2)+`}`)
	if r.Valid || r.Report.Reason != "no_progress" || len(r.Report.Left) != 1 || r.Report.Left[0].Message != 6 {
		t.Errorf("repair: valid %t, %+v", r.Valid, r.Report)
	}
}

// Repair leaves violations that providers tolerate, unless the policy says otherwise.
func TestSeverity(t *testing.T) {
	for _, test := range []struct{ format, messages, rule string }{
		{"gemini", `[{"role":"user","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"b"}]}]`, "G3"},
		{"gemini", `[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":""},{"text":"b"}]}]`, "G2"},
		{"openai-responses", `[{"role":"user","content":"a"},{"role":"assistant","content":""},{"role":"user","content":"b"}]`, "I3"},
		{"openai-responses", `[{"role":"user","content":"a"},{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"","annotations":[]}]},{"role":"user","content":"b"}]`, "I3"},
		{"anthropic", `[{"role":"assistant","content":"Hello, how can I help?"},{"role":"user","content":"a"}]`, "AN2"},
		{"anthropic", `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"r","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"r","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"y"}]}]`, "AN3"},
	} {
		v := call(t, "validate", `{"policy":{"format":"`+test.format+`"},"messages":`+test.messages+`}`)
		if !v.Valid || len(v.Violations) == 0 || v.Violations[0].Severity != "tolerated" || v.Violations[0].Rule != test.rule {
			t.Errorf("%s %s: valid %t, %+v", test.format, test.rule, v.Valid, v.Violations)
		}
		if r := call(t, "repair", `{"policy":{"format":"`+test.format+`"},"messages":`+test.messages+`}`); !r.Valid || r.Report.Changed || string(r.Messages) != test.messages {
			t.Errorf("%s %s: repaired to %s", test.format, test.rule, r.Messages)
		}
		r := call(t, "repair", `{"policy":{"repair":"all","format":"`+test.format+`"},"messages":`+test.messages+`}`)
		if v := call(t, "validate", `{"policy":{"format":"`+test.format+`"},"messages":`+string(r.Messages)+`}`); !r.Report.Changed || len(v.Violations) > 0 {
			t.Errorf("%s %s: all repaired, and still %+v", test.format, test.rule, v.Violations)
		}
	}
	for _, test := range []struct{ format, messages, rule string }{ // near to them, and refused
		{"gemini", `[{"role":"model","parts":[{"text":"a"}]}]`, "G3"},
		{"gemini", `[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{}]}]`, "G2"},
		{"gemini", `[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[]}]`, "G2"},
		{"openai-responses", `[{"role":"user","content":[]}]`, "I3"},
		{"anthropic", `[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"r","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]`, "AN2"},
		{"anthropic", `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"r","input":{}},{"type":"tool_use","id":"t","name":"r","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"},{"type":"tool_result","tool_use_id":"t","content":"x"}]}]`, "AN3"},
	} {
		v := call(t, "validate", `{"policy":{"format":"`+test.format+`"},"messages":`+test.messages+`}`)
		if v.Valid || len(v.refused()) == 0 || v.refused()[0].Rule != test.rule {
			t.Errorf("%s %s: valid %t, %+v", test.format, test.rule, v.Valid, v.Violations)
		}
	}
}

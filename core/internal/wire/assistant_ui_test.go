package wire_test

import (
	"reflect"
	"strings"
	"testing"
)

const (
	auUser  = `{"id":"u1","role":"user","content":[{"type":"text","text":"go"}],"attachments":[],"metadata":{"custom":{}}}`
	auCall1 = `{"type":"tool-call","toolCallId":"c1","toolName":"read","args":{},"argsText":"{}","result":{"exit":0}}`
	auCall2 = `{"type":"tool-call","toolCallId":"c2","toolName":"bash","args":{"a":1},"argsText":"{\"a\":1}","result":"two","isError":true,"modelContent":[{"type":"text","text":"seen"}]}`
	auOpen1 = `{"type":"tool-call","toolCallId":"c1","toolName":"read","args":{},"argsText":"{}"}`
	auWait1 = `{"type":"tool-call","result":"..","toolCallId":"c1","toolName":"read","args":{},"argsText":"{}","isPreliminary":true}`
	auLost1 = `{"type":"tool-call","toolCallId":"c1","toolName":"read","args":{},"argsText":"{}","result":"` + lost + `","isError":true}`
	auText  = `{"type":"text","text":"done"}`
)

func auSays(parts ...string) string {
	return `{"id":"a1","role":"assistant","content":[` + strings.Join(parts, ",") + `],"status":{"type":"complete","reason":"stop"},"metadata":{"custom":{}}}`
}

func TestAssistantUI(t *testing.T) {
	last := strings.Replace(auSays(auText), "a1", "a9", 1)
	testRules(t, "assistant-ui", []rule{
		{
			name:     "UI1 an empty message",
			valid:    transcriptOf(auUser, auSays(auText), `{"id":"f","role":"user","content":[],"attachments":[{"id":"f","type":"document","name":"a","content":[{"type":"text","text":"x"}],"status":{"type":"complete"}}]}`),
			invalid:  transcriptOf(auUser, auSays(), last),
			says:     "UI1 messages[1] drop_message",
			repaired: transcriptOf(auUser, last),
		}, {
			name:     "UI3 an id twice",
			valid:    transcriptOf(auUser, auSays(auCall1, auText, auCall2), last),
			invalid:  transcriptOf(auUser, auSays(auCall1, auCall1), last),
			says:     "UI3 messages[1].content[1] rename_id",
			repaired: transcriptOf(auUser, auSays(auCall1, strings.Replace(auCall1, "c1", "call_ctxfold_1_3", 1)), last),
		}, {
			name:    "UI4 role",
			valid:   transcriptOf(`{"id":"s","role":"system","content":[{"type":"text","text":"s"}],"metadata":{"custom":{}}}`, auUser),
			invalid: transcriptOf(auUser, `{"id":"x","role":"tool","content":[{"type":"text","text":"s"}]}`),
			says:    "UI4 messages[1] none",
		},
	})
	for _, call := range []string{auOpen1, auWait1} {
		in := transcriptOf(auUser, auSays(call), last)
		if says := violations(t, "assistant-ui", in); says != "UI2 messages[1].content[0] add_result" {
			t.Errorf("validate says %s", says)
		}
		var kept struct{ Report struct{ Changed bool } }
		if request(t, "repair", `{"format":"assistant-ui"}`, in, &kept); kept.Report.Changed {
			t.Error("what is tolerated was changed")
		}
		var a struct{ Messages []any }
		var want struct{ Messages []any }
		request(t, "repair", `{"format":"assistant-ui","repair":"all"}`, in, &a)
		request(t, "repair", `{"format":"assistant-ui"}`, transcriptOf(auUser, auSays(auLost1), last), &want)
		if !reflect.DeepEqual(a.Messages, want.Messages) {
			t.Errorf("repaired %v, want %v", a.Messages, want.Messages)
		}
	}
}

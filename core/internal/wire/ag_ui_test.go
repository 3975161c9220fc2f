package wire_test

import "testing"

const (
	agUser  = `{"id":"u1","role":"user","content":"go"}`
	agNext  = `{"id":"u2","role":"user","content":"on"}`
	agCall1 = `{"id":"a1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]}`
	agCall2 = `{"id":"a2","role":"assistant","content":"","toolCalls":[{"id":"c2","type":"function","function":{"name":"bash","arguments":"{}"},"encryptedValue":"e"}]}`
	agGot1  = `{"id":"t1","role":"tool","toolCallId":"c1","content":"one"}`
	agGot2  = `{"id":"t2","role":"tool","toolCallId":"c2","content":[{"type":"text","text":"two"}],"error":"exit 1"}`
	agPlan  = `{"id":"p1","role":"activity","activityType":"PLAN","content":{"steps":["a"]}}`
	agThink = `{"id":"r1","role":"reasoning","content":"hm","encryptedValue":"abc"}`
	agDone  = `{"id":"d1","role":"assistant","content":"done"}`
	agLost1 = `{"id":"ctxfold-dffaaed208b4b2d9","role":"tool","toolCallId":"c1","content":"` + lost + `"}`
)

func TestAGUI(t *testing.T) {
	testRules(t, "ag-ui", []rule{
		{
			name:     "AG1 an empty message",
			valid:    transcriptOf(agUser, agThink, agPlan, agDone),
			invalid:  transcriptOf(agUser, `{"id":"e1","role":"assistant","content":""}`, `{"id":"e2","role":"assistant","encryptedValue":"x"}`, agDone),
			says:     "AG1 messages[1] drop_message, AG1 messages[2] drop_message",
			repaired: transcriptOf(agUser, agDone),
		}, {
			name:     "AG2 a call without result",
			valid:    transcriptOf(agUser, agCall1, agCall2, agPlan, agGot2, agThink, agGot1, agDone, agNext),
			invalid:  transcriptOf(agUser, agCall1, agCall2, agGot2, agDone, agNext),
			says:     "AG2 messages[1].toolCalls[0] add_result",
			repaired: transcriptOf(agUser, agCall1, agLost1, agCall2, agGot2, agDone, agNext),
		}, {
			name:    "AG2 calls that are open at the end",
			valid:   transcriptOf(agUser, agCall1, agCall2, agPlan),
			invalid: transcriptOf(agUser, `{"id":"a1","role":"user","content":"x","toolCalls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]}`),
			says:    "AG2 messages[1].toolCalls[0] drop_part", repaired: transcriptOf(agUser, `{"id":"a1","role":"user","content":"x","toolCalls":[]}`),
		}, {
			name:     "AG3 a result without call",
			valid:    transcriptOf(agUser, agCall1, agGot1, agDone),
			invalid:  transcriptOf(agUser, agGot2, agCall1, agGot1, agDone),
			says:     "AG3 messages[1] drop_message",
			repaired: transcriptOf(agUser, agCall1, agGot1, agDone),
		}, {
			name:     "AG3 a result behind the user's next message",
			valid:    transcriptOf(agUser, agCall1, agGot1, agNext, agDone),
			invalid:  transcriptOf(agUser, agCall1, agNext, agGot1, agDone),
			says:     "AG3 messages[3] move_result",
			repaired: transcriptOf(agUser, agCall1, agGot1, agNext, agDone),
		}, {
			name:     "AG4 an id twice",
			valid:    transcriptOf(agUser, agCall1, agGot1, agDone),
			invalid:  transcriptOf(agUser, agCall1, agGot1, `{"id":"a3","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]}`, `{"id":"t3","role":"tool","toolCallId":"c1","content":"x"}`),
			says:     "AG4 messages[3].toolCalls[0] rename_id",
			repaired: transcriptOf(agUser, agCall1, agGot1, `{"id":"a3","role":"assistant","toolCalls":[{"id":"call_ctxfold_3_3","type":"function","function":{"name":"read","arguments":"{}"}}]}`, `{"id":"t3","role":"tool","toolCallId":"call_ctxfold_3_3","content":"x"}`),
		}, {
			name:    "AG5 role",
			valid:   transcriptOf(`{"id":"s","role":"system","content":"s"}`, `{"id":"v","role":"developer","content":"s"}`, agUser),
			invalid: transcriptOf(agUser, `{"id":"x","role":"function","content":"x"}`),
			says:    "AG5 messages[1] none",
		}, {
			name:    "AG6 no id",
			valid:   transcriptOf(agUser),
			invalid: transcriptOf(asUser, agPlan, `{"role":"activity","activityType":"PLAN","content":{}}`),
			says:    "AG6 messages[0] none, AG6 messages[2] none",
		},
	})
}

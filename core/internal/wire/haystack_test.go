package wire_test

import (
	"strings"
	"testing"
)

const (
	hsUser  = `{"role":"user","meta":{},"name":null,"content":[{"text":"go"}]}`
	hsDone  = `{"role":"assistant","meta":{},"name":null,"content":[{"text":"done"}]}`
	hsOne   = `{"tool_name":"read","arguments":{"path":"a"},"id":"c1","extra":null}`
	hsTwo   = `{"tool_name":"bash","arguments":{},"id":"c2"}`
	hsCall1 = `{"tool_call":` + hsOne + `}`
	hsCall2 = `{"tool_call":` + hsTwo + `}`
	hsGot1  = `{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":"one","origin":` + hsOne + `,"error":false}}]}`
	hsGot2  = `{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":[{"text":"two"}],"origin":` + hsTwo + `,"error":true}}]}`
	hsLost1 = `{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":"` + lost + `","origin":{"tool_name":"read","arguments":{"path":"a"},"id":"c1"},"error":true}}]}`
)

func hsSays(parts ...string) string {
	return `{"role":"assistant","meta":{},"name":null,"content":[` + strings.Join(parts, ",") + `]}`
}

func TestHaystack(t *testing.T) {
	renamed := strings.NewReplacer("c1", "call_ctxfold_1_2").Replace
	testRules(t, "haystack", []rule{
		{
			name:     "HS1 an empty message",
			valid:    transcriptOf(hsUser, hsSays(`{"reasoning":{"reasoning_text":"hm","extra":{}}}`), hsUser),
			invalid:  transcriptOf(hsUser, hsSays(), hsSays(`{"text":""}`), hsDone),
			says:     "HS1 messages[1] drop_message, HS1 messages[2] drop_message",
			repaired: transcriptOf(hsUser, hsDone),
		}, {
			name:     "HS2 a call without result",
			valid:    transcriptOf(hsUser, hsSays(hsCall1, hsCall2), hsGot2, hsGot1, hsDone),
			invalid:  transcriptOf(hsUser, hsSays(hsCall1, hsCall2), hsGot2, hsDone),
			says:     "HS2 messages[1].content[0] add_result",
			repaired: transcriptOf(hsUser, hsSays(hsCall1, hsCall2), hsLost1, hsGot2, hsDone),
		}, {
			name:     "HS3 a result without call",
			valid:    transcriptOf(hsUser, hsSays(hsCall1), hsGot1, hsDone),
			invalid:  transcriptOf(hsUser, hsGot2, hsSays(hsCall1), hsGot1, hsGot2, hsDone),
			says:     "HS3 messages[1].content[0] drop_part, HS3 messages[4].content[0] drop_part",
			repaired: transcriptOf(hsUser, hsSays(hsCall1), hsGot1, hsDone),
		}, {
			name:     "HS3 a result in a wrong place",
			valid:    transcriptOf(hsUser, hsSays(hsCall1), hsGot1, hsDone),
			invalid:  transcriptOf(hsUser, hsSays(hsCall1), hsUser, hsGot1, hsDone),
			says:     "HS3 messages[3].content[0] move_result",
			repaired: transcriptOf(hsUser, hsSays(hsCall1), hsGot1, hsUser, hsDone),
		}, {
			name:     "HS4 an id twice",
			valid:    transcriptOf(hsUser, hsSays(hsCall1), hsGot1, hsDone),
			invalid:  transcriptOf(hsUser, hsSays(hsCall1, hsCall1), hsGot1, hsGot1, hsDone),
			says:     "HS4 messages[1].content[1] rename_id",
			repaired: transcriptOf(hsUser, hsSays(hsCall1, renamed(hsCall1)), renamed(hsGot1), hsGot1, hsDone),
		}, {
			name:    "HS5 role",
			valid:   transcriptOf(`{"role":"system","meta":{},"content":"s"}`, hsUser),
			invalid: transcriptOf(hsUser, `{"role":"model","meta":{},"content":[{"text":"x"}]}`),
			says:    "HS5 messages[1] none",
		},
	})
}

package wire_test

import "testing"

const (
	olRead  = `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{"path":"a"}}}]}`
	olBoth  = `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{}}},{"function":{"name":"bash","arguments":{}}}]}`
	olGot   = `{"role":"tool","tool_name":"read","content":"one"}`
	olBash  = `{"role":"tool","tool_name":"bash","content":"two"}`
	olBare  = `{"role":"tool","content":"one"}`
	olLost  = `{"role":"tool","tool_name":"read","content":"` + lost + `"}`
	olEmpty = `{"role":"assistant","content":""}`
)

func TestOllama(t *testing.T) {
	testRules(t, "ollama", []rule{
		{
			name:     "OL1 a call without result",
			valid:    transcriptOf(asUser, olBoth, olBash, olGot, asDone),
			invalid:  transcriptOf(asUser, olBoth, olBash, asDone),
			says:     "OL1 messages[1].tool_calls[0] add_result",
			repaired: transcriptOf(asUser, olBoth, olLost, olBash, asDone),
		}, {
			name:     "OL2 a result without call",
			valid:    transcriptOf(asUser, olBoth, olBare, olBare, asUser, olRead),
			invalid:  transcriptOf(asUser, olBare, olRead, olGot, olGot, asDone),
			says:     "OL2 messages[1] drop_message, OL2 messages[4] drop_message",
			repaired: transcriptOf(asUser, olRead, olGot, asDone),
		}, {
			name:     "OL2 a result of another tool",
			valid:    transcriptOf(asUser, olRead, olGot, olBoth, olBare, olBash),
			invalid:  transcriptOf(asUser, olRead, olBash, asDone),
			says:     "OL1 messages[1].tool_calls[0] add_result, OL2 messages[2] drop_message",
			repaired: transcriptOf(asUser, olRead, olLost, asDone),
		}, {
			name:     "OL2 a result in a wrong place",
			valid:    transcriptOf(asUser, olRead, olGot, asUser, asUser),
			invalid:  transcriptOf(asUser, olRead, asDone, olGot),
			says:     "OL2 messages[3] move_result",
			repaired: transcriptOf(asUser, olRead, olGot, asDone),
		}, {
			name:     "OL3 an empty message",
			valid:    transcriptOf(`{"role":"user","content":"","images":["aGk="]}`, olRead),
			invalid:  transcriptOf(asUser, olEmpty, `{"role":"assistant","thinking":"hm"}`, asUser),
			says:     "OL3 messages[1] drop_message, OL3 messages[2] drop_message",
			repaired: transcriptOf(asUser, asUser),
		}, {
			name:    "OL4 role",
			valid:   transcriptOf(`{"role":"system","content":"s"}`, asUser, asDone),
			invalid: transcriptOf(asUser, `{"role":"developer","content":"x"}`),
			says:    "OL4 messages[1] none",
		}, {
			name:    "OL5 arguments in a text",
			valid:   transcriptOf(asUser, olRead),
			invalid: transcriptOf(asUser, `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":"{}"}}]}`),
			says:    "OL5 messages[1].tool_calls[0] none",
		},
	})
}

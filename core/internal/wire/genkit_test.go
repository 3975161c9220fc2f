package wire_test

import (
	"strings"
	"testing"
)

const (
	gkUser  = `{"role":"user","content":[{"text":"go"}]}`
	gkDone  = `{"role":"model","content":[{"text":"done"}]}`
	gkCall1 = `{"toolRequest":{"ref":"c1","name":"read","input":{"path":"a"}}}`
	gkCall2 = `{"toolRequest":{"ref":"c2","name":"bash","input":{}}}`
	gkBare  = `{"toolRequest":{"name":"read","input":{}}}`
	gkGot1  = `{"toolResponse":{"ref":"c1","name":"read","output":"one"}}`
	gkGot2  = `{"toolResponse":{"ref":"c2","name":"bash","output":{"exit":0}}}`
	gkLost1 = `{"toolResponse":{"ref":"c1","name":"read","output":"` + lost + `"}}`
)

func gkSays(parts ...string) string {
	return `{"role":"model","content":[` + strings.Join(parts, ",") + `]}`
}

func gkGot(parts ...string) string {
	return `{"role":"tool","content":[` + strings.Join(parts, ",") + `]}`
}

func TestGenkit(t *testing.T) {
	renamed := strings.NewReplacer("c1", "call_ctxfold_1_2").Replace
	testRules(t, "genkit", []rule{
		{
			name:     "GK1 an empty message",
			valid:    transcriptOf(gkUser, gkSays(`{"data":{}}`), gkUser),
			invalid:  transcriptOf(gkUser, gkSays(), gkSays(`{"text":""}`), gkDone),
			says:     "GK1 messages[1] drop_message, GK1 messages[2] drop_message",
			repaired: transcriptOf(gkUser, gkDone),
		}, {
			name:     "GK2 a request without response",
			valid:    transcriptOf(gkUser, gkSays(gkCall1, gkCall2), gkGot(gkGot2, gkGot1), gkDone),
			invalid:  transcriptOf(gkUser, gkSays(gkCall1, gkCall2), gkGot(gkGot2), gkDone),
			says:     "GK2 messages[1].content[0] add_result",
			repaired: transcriptOf(gkUser, gkSays(gkCall1, gkCall2), gkGot(gkLost1), gkGot(gkGot2), gkDone),
		}, {
			name:     "GK2 without a reference",
			valid:    transcriptOf(gkUser, gkSays(gkBare), gkGot(`{"toolResponse":{"name":"read","output":1}}`), gkDone),
			invalid:  transcriptOf(gkUser, gkSays(gkBare), gkDone),
			says:     "GK2 messages[1].content[0] add_result",
			repaired: transcriptOf(gkUser, gkSays(gkBare), gkGot(`{"toolResponse":{"name":"read","output":"`+lost+`"}}`), gkDone),
		}, {
			name:     "GK3 a response without request",
			valid:    transcriptOf(gkUser, gkSays(gkCall1), gkGot(gkGot1), gkDone),
			invalid:  transcriptOf(gkUser, gkGot(gkGot2), gkSays(gkCall1), gkGot(gkGot1, gkGot2), gkDone),
			says:     "GK3 messages[1].content[0] drop_part, GK3 messages[3].content[1] drop_part",
			repaired: transcriptOf(gkUser, gkSays(gkCall1), gkGot(gkGot1), gkDone),
		}, {
			name:     "GK3 a response in a wrong place",
			valid:    transcriptOf(gkUser, gkSays(gkCall1), gkGot(gkGot1), gkDone),
			invalid:  transcriptOf(gkUser, gkSays(gkCall1), gkUser, gkGot(gkGot1), gkDone),
			says:     "GK3 messages[3].content[0] move_result",
			repaired: transcriptOf(gkUser, gkSays(gkCall1), gkGot(gkGot1), gkUser, gkDone),
		}, {
			name:     "GK4 a reference twice",
			valid:    transcriptOf(gkUser, gkSays(gkCall1), gkGot(gkGot1), gkDone),
			invalid:  transcriptOf(gkUser, gkSays(gkCall1, gkCall1), gkGot(gkGot1, gkGot1), gkDone),
			says:     "GK4 messages[1].content[1] rename_id",
			repaired: transcriptOf(gkUser, gkSays(gkCall1, renamed(gkCall1)), gkGot(renamed(gkGot1), gkGot1), gkDone),
		}, {
			name:    "GK5 role",
			valid:   transcriptOf(`{"role":"system","content":[{"text":"s"}]}`, gkUser),
			invalid: transcriptOf(gkUser, `{"role":"assistant","content":[{"text":"x"}]}`),
			says:    "GK5 messages[1] none",
		},
	})
}

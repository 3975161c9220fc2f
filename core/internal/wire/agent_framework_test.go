package wire_test

import (
	"strings"
	"testing"
)

const (
	afUser    = `{"type":"message","role":"user","contents":[{"type":"text","text":"go"}],"additional_properties":{}}`
	afDone    = `{"type":"message","role":"assistant","contents":[{"type":"text","text":"done"}]}`
	afCall1   = `{"type":"function_call","call_id":"c1","name":"read","arguments":"{\"path\":\"a\"}"}`
	afCall2   = `{"type":"function_call","call_id":"c2","name":"bash","arguments":{}}`
	afGot1    = `{"type":"function_result","call_id":"c1","result":"one"}`
	afGot2    = `{"type":"function_result","call_id":"c2","result":{"exit":1},"exception":"it failed"}`
	afLost1   = `{"type":"function_result","call_id":"c1","result":"` + lost + `"}`
	afNetUser = `{"role":"user","contents":[{"$type":"text","text":"go"}]}`
	afNetCall = `{"$type":"functionCall","callId":"c1","name":"read","arguments":{"path":"a"}}`
	afNetGot  = `{"$type":"functionResult","callId":"c1","result":"one"}`
	afNetLost = `{"$type":"functionResult","callId":"c1","result":"` + lost + `"}`
)

func afSays(parts ...string) string {
	return `{"type":"message","role":"assistant","contents":[` + strings.Join(parts, ",") + `]}`
}

func afGot(parts ...string) string {
	return `{"type":"message","role":"tool","contents":[` + strings.Join(parts, ",") + `]}`
}

func afNet(role string, parts ...string) string {
	return `{"role":"` + role + `","contents":[` + strings.Join(parts, ",") + `]}`
}

func TestAgentFramework(t *testing.T) {
	renamed := strings.NewReplacer("c1", "call_ctxfold_1_2").Replace
	testRules(t, "agent-framework", []rule{
		{
			name:     "AF1 an empty message",
			valid:    transcriptOf(afUser, afSays(`{"type":"error","message":"x"}`), afUser),
			invalid:  transcriptOf(afUser, afSays(), afSays(`{"type":"text","text":""}`), afDone),
			says:     "AF1 messages[1] drop_message, AF1 messages[2] drop_message",
			repaired: transcriptOf(afUser, afDone),
		}, {
			name:     "AF2 a call without result",
			valid:    transcriptOf(afUser, afSays(afCall1, afCall2), afGot(afGot2, afGot1), afDone),
			invalid:  transcriptOf(afUser, afSays(afCall1, afCall2), afGot(afGot2), afDone),
			says:     "AF2 messages[1].contents[0] add_result",
			repaired: transcriptOf(afUser, afSays(afCall1, afCall2), afGot(afLost1), afGot(afGot2), afDone),
		}, {
			name:     "AF2 in the spelling of .NET",
			valid:    transcriptOf(afNetUser, afNet("assistant", afNetCall), afNet("tool", afNetGot)),
			invalid:  transcriptOf(afNetUser, afNet("assistant", afNetCall), afNetUser),
			says:     "AF2 messages[1].contents[0] add_result",
			repaired: transcriptOf(afNetUser, afNet("assistant", afNetCall), afNet("tool", afNetLost), afNetUser),
		}, {
			name:     "AF3 a result without call",
			valid:    transcriptOf(afUser, afSays(afCall1), afGot(afGot1), afDone),
			invalid:  transcriptOf(afUser, afGot(afGot2), afSays(afCall1), afGot(afGot1, afGot2), afDone),
			says:     "AF3 messages[1].contents[0] drop_part, AF3 messages[3].contents[1] drop_part",
			repaired: transcriptOf(afUser, afSays(afCall1), afGot(afGot1), afDone),
		}, {
			name:     "AF3 a result in a wrong place",
			valid:    transcriptOf(afUser, afSays(afCall1), afGot(afGot1), afDone),
			invalid:  transcriptOf(afUser, afSays(afCall1), afUser, afGot(afGot1), afDone),
			says:     "AF3 messages[3].contents[0] move_result",
			repaired: transcriptOf(afUser, afSays(afCall1), afGot(afGot1), afUser, afDone),
		}, {
			name:     "AF4 an id twice",
			valid:    transcriptOf(afUser, afSays(afCall1), afGot(afGot1), afDone),
			invalid:  transcriptOf(afUser, afSays(afCall1, afCall1), afGot(afGot1, afGot1), afDone),
			says:     "AF4 messages[1].contents[1] rename_id",
			repaired: transcriptOf(afUser, afSays(afCall1, renamed(afCall1)), afGot(renamed(afGot1), afGot1), afDone),
		}, {
			name:    "AF5 role",
			valid:   transcriptOf(`{"role":"system","contents":[{"type":"text","text":"s"}]}`, afUser),
			invalid: transcriptOf(afUser, `{"role":"model","contents":[{"type":"text","text":"x"}]}`),
			says:    "AF5 messages[1] none",
		},
	})
}

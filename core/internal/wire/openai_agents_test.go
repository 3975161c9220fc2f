package wire_test

import (
	"strings"
	"testing"
)

const (
	oaUser  = `{"role":"user","content":"go"}`
	oaSays  = `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"done"}]}`
	oaThink = `{"type":"reasoning","id":"rs_1","content":[{"type":"input_text","text":"think"}],"providerData":{"encryptedContent":"gAAA"}}`
	oaCall1 = `{"type":"function_call","id":"fc_1","callId":"c1","name":"read","arguments":"{\"path\":\"a\"}","status":"completed"}`
	oaCall2 = `{"type":"function_call","id":"fc_2","callId":"c2","name":"bash","arguments":"{}"}`
	oaGot1  = `{"type":"function_call_result","name":"read","callId":"c1","status":"completed","output":{"type":"text","text":"one"}}`
	oaGot2  = `{"type":"function_call_result","name":"bash","callId":"c2","status":"completed","output":[{"type":"input_text","text":"two"},{"type":"input_image","image":"AAEC"}]}`
	oaLost1 = `{"type":"function_call_result","callId":"c1","name":"read","status":"completed","output":"` + lost + `"}`
	oaHosts = `{"type":"hosted_tool_call","id":"ws_1","name":"web_search_call","status":"completed","providerData":{"type":"web_search"}}`
	oaShell = `{"type":"shell_call","callId":"c1","action":{"commands":["ls"]}}`
	oaPatch = `{"type":"apply_patch_call","callId":"c1","status":"completed","operation":{"type":"delete_file","path":"a"}}`
)

func TestOpenAIAgents(t *testing.T) {
	lostOutput := func(item, answer string) rule {
		return rule{
			name:     "OR1 " + strings.Split(item, `"`)[3],
			valid:    transcriptOf(oaUser, item),
			invalid:  transcriptOf(oaUser, item, oaUser),
			says:     "OR1 messages[1] add_result",
			repaired: transcriptOf(oaUser, item, answer, oaUser),
		}
	}
	renamed := strings.NewReplacer(`"callId":"c1"`, `"callId":"call_ctxfold_3_4"`)
	testRules(t, "openai-agents", []rule{
		lostOutput(oaCall1, oaLost1),
		lostOutput(oaShell, `{"type":"shell_call_output","callId":"c1","output":[{"stdout":"","stderr":"`+lost+`","outcome":{"type":"exit","exitCode":1}}]}`),
		lostOutput(oaPatch, `{"type":"apply_patch_call_output","callId":"c1","status":"failed","output":"`+lost+`"}`),
		lostOutput(`{"type":"tool_search_call","callId":"c1","execution":"client","arguments":{}}`, `{"type":"tool_search_output","callId":"c1","execution":"client","status":"completed","tools":[]}`),
		{
			name:     "OR1 an output without call",
			valid:    transcriptOf(oaUser, oaCall1, oaCall2, oaGot2, oaSays, oaGot1),
			invalid:  transcriptOf(oaUser, oaGot2, oaCall1, oaGot1, oaGot1),
			says:     "OR1 messages[1] drop_message, OR1 messages[4] drop_message",
			repaired: transcriptOf(oaUser, oaCall1, oaGot1),
		}, {
			name:     "OR1 a call that no text can answer",
			valid:    transcriptOf(oaUser, `{"type":"computer_call","callId":"c1","status":"completed","action":{"type":"wait"}}`, `{"type":"computer_call_result","callId":"c1","output":{"type":"computer_screenshot","data":"AAEC"}}`),
			invalid:  transcriptOf(oaUser, `{"type":"computer_call","callId":"c1","status":"completed","action":{"type":"wait"}}`, oaUser),
			says:     "OR1 messages[1] drop_message",
			repaired: transcriptOf(oaUser, oaUser),
		}, {
			name:     "OR1 ids",
			valid:    transcriptOf(oaUser, oaCall1, oaGot1, oaCall2, oaGot2),
			invalid:  transcriptOf(oaUser, oaCall1, oaGot1, oaCall1, oaGot1),
			says:     "OR1 messages[3] rename_id",
			repaired: transcriptOf(oaUser, oaCall1, oaGot1, renamed.Replace(oaCall1), renamed.Replace(oaGot1)),
		}, {
			name:     "OR2 reasoning without what follows it",
			valid:    transcriptOf(oaUser, oaThink, oaHosts, oaSays),
			invalid:  transcriptOf(oaUser, oaThink, oaUser),
			says:     "OR2 messages[1] drop_message",
			repaired: transcriptOf(oaUser, oaUser),
		}, {
			name:     "I3 empty",
			valid:    transcriptOf(oaUser, `{"type":"compaction","encrypted_content":"gAAA"}`, `{"type":"unknown","providerData":{"type":"new"}}`, `{"type":"tool_search_call","execution":"server","arguments":{}}`, oaSays),
			invalid:  transcriptOf(oaUser, `{"role":"user","content":[]}`),
			says:     "I3 messages[1] drop_message",
			repaired: transcriptOf(oaUser),
		},
	})
}

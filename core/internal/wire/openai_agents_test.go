package wire_test

import (
	"strings"
	"testing"
)

const (
	agUser  = `{"role":"user","content":"go"}`
	agSays  = `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"done"}]}`
	agThink = `{"type":"reasoning","id":"rs_1","content":[{"type":"input_text","text":"think"}],"providerData":{"encryptedContent":"gAAA"}}`
	agCall1 = `{"type":"function_call","id":"fc_1","callId":"c1","name":"read","arguments":"{\"path\":\"a\"}","status":"completed"}`
	agCall2 = `{"type":"function_call","id":"fc_2","callId":"c2","name":"bash","arguments":"{}"}`
	agGot1  = `{"type":"function_call_result","name":"read","callId":"c1","status":"completed","output":{"type":"text","text":"one"}}`
	agGot2  = `{"type":"function_call_result","name":"bash","callId":"c2","status":"completed","output":[{"type":"input_text","text":"two"},{"type":"input_image","image":"AAEC"}]}`
	agLost1 = `{"type":"function_call_result","callId":"c1","name":"read","status":"completed","output":"` + lost + `"}`
	agHosts = `{"type":"hosted_tool_call","id":"ws_1","name":"web_search_call","status":"completed","providerData":{"type":"web_search"}}`
	agShell = `{"type":"shell_call","callId":"c1","action":{"commands":["ls"]}}`
	agPatch = `{"type":"apply_patch_call","callId":"c1","status":"completed","operation":{"type":"delete_file","path":"a"}}`
)

func TestOpenAIAgents(t *testing.T) {
	lostOutput := func(item, answer string) rule {
		return rule{
			name:     "OR1 " + strings.Split(item, `"`)[3],
			valid:    transcriptOf(agUser, item),
			invalid:  transcriptOf(agUser, item, agUser),
			says:     "OR1 messages[1] add_result",
			repaired: transcriptOf(agUser, item, answer, agUser),
		}
	}
	renamed := strings.NewReplacer(`"callId":"c1"`, `"callId":"call_ctxfold_3_4"`)
	testRules(t, "openai-agents", []rule{
		lostOutput(agCall1, agLost1),
		lostOutput(agShell, `{"type":"shell_call_output","callId":"c1","output":[{"stdout":"","stderr":"`+lost+`","outcome":{"type":"exit","exitCode":1}}]}`),
		lostOutput(agPatch, `{"type":"apply_patch_call_output","callId":"c1","status":"failed","output":"`+lost+`"}`),
		lostOutput(`{"type":"tool_search_call","callId":"c1","execution":"client","arguments":{}}`, `{"type":"tool_search_output","callId":"c1","execution":"client","status":"completed","tools":[]}`),
		{
			name:     "OR1 an output without call",
			valid:    transcriptOf(agUser, agCall1, agCall2, agGot2, agSays, agGot1),
			invalid:  transcriptOf(agUser, agGot2, agCall1, agGot1, agGot1),
			says:     "OR1 messages[1] drop_message, OR1 messages[4] drop_message",
			repaired: transcriptOf(agUser, agCall1, agGot1),
		}, {
			name:     "OR1 a call that no text can answer",
			valid:    transcriptOf(agUser, `{"type":"computer_call","callId":"c1","status":"completed","action":{"type":"wait"}}`, `{"type":"computer_call_result","callId":"c1","output":{"type":"computer_screenshot","data":"AAEC"}}`),
			invalid:  transcriptOf(agUser, `{"type":"computer_call","callId":"c1","status":"completed","action":{"type":"wait"}}`, agUser),
			says:     "OR1 messages[1] drop_message",
			repaired: transcriptOf(agUser, agUser),
		}, {
			name:     "OR1 ids",
			valid:    transcriptOf(agUser, agCall1, agGot1, agCall2, agGot2),
			invalid:  transcriptOf(agUser, agCall1, agGot1, agCall1, agGot1),
			says:     "OR1 messages[3] rename_id",
			repaired: transcriptOf(agUser, agCall1, agGot1, renamed.Replace(agCall1), renamed.Replace(agGot1)),
		}, {
			name:     "OR2 reasoning without what follows it",
			valid:    transcriptOf(agUser, agThink, agHosts, agSays),
			invalid:  transcriptOf(agUser, agThink, agUser),
			says:     "OR2 messages[1] drop_message",
			repaired: transcriptOf(agUser, agUser),
		}, {
			name:     "I3 empty",
			valid:    transcriptOf(agUser, `{"type":"compaction","encrypted_content":"gAAA"}`, `{"type":"unknown","providerData":{"type":"new"}}`, `{"type":"tool_search_call","execution":"server","arguments":{}}`, agSays),
			invalid:  transcriptOf(agUser, `{"role":"user","content":[]}`),
			says:     "I3 messages[1] drop_message",
			repaired: transcriptOf(agUser),
		},
	})
}

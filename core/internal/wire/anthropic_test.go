package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
)

const (
	anCall1 = `{"type":"tool_use","id":"c1","name":"read","input":{}}`
	anCall2 = `{"type":"tool_use","id":"c2","name":"read","input":{}}`
	anGot1  = `{"type":"tool_result","tool_use_id":"c1","content":"one"}`
	anGot2  = `{"type":"tool_result","tool_use_id":"c2","content":"two"}`
	anText  = `{"type":"text","text":"so"}`
	anWeb   = `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`
	anFound = `{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}`
)

func TestAnthropic(t *testing.T) {
	testRules(t, "anthropic", []rule{
		{
			name:     "AN2 the user begins",
			valid:    transcriptOf(asUser, asDone),
			invalid:  transcriptOf(asDone, asUser),
			says:     "AN2 messages[0] add_user",
			repaired: `[{"role":"user","content":"[The conversation goes on from here.]"},{"role":"assistant","content":"done"},{"role":"user","content":"go"}]`,
		},
		{
			name:     "AN3 a result in the next message",
			valid:    transcriptOf(asUser, asMessage("assistant", anCall1, anCall2), asMessage("user", anGot1, anGot2), asDone),
			invalid:  transcriptOf(asUser, asMessage("assistant", anCall1, anCall2), asMessage("user", anGot2), asDone),
			says:     "AN3 messages[1].content[0] add_result",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}},{"type":"tool_use","id":"c2","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"` + lost + `"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":"two"}]},{"role":"assistant","content":"done"}]`,
		},
		{
			name:     "AN3 a result of no call",
			valid:    transcriptOf(asUser, asMessage("assistant", anCall1), asMessage("user", anGot1)),
			invalid:  transcriptOf(asUser, asMessage("assistant", anText), asMessage("user", anGot1, anText)),
			says:     "AN3 messages[2].content[0] drop_part",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"so"}]},{"role":"user","content":[{"type":"text","text":"so"}]}]`,
		},
		{
			name:     "AN3 a result too late",
			valid:    transcriptOf(asUser, asMessage("assistant", anCall1), asMessage("user", anGot1), asMessage("assistant", anCall2), asMessage("user", anGot2)),
			invalid:  transcriptOf(asUser, asMessage("assistant", anCall1), asMessage("user", anText), asDone, asMessage("user", anGot1)),
			says:     "AN3 messages[4].content[0] move_result",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"}]},{"role":"user","content":[{"type":"text","text":"so"}]},{"role":"assistant","content":"done"}]`,
		},
		{
			name:     "AN4 results stand first, in one message of several too",
			valid:    transcriptOf(asUser, asMessage("assistant", anText, anCall1, anCall2), asMessage("user", anGot1), asMessage("user", anGot2, anText), asUser),
			invalid:  transcriptOf(asUser, asMessage("assistant", anCall1, anCall2), asMessage("user", anGot1, anText, anGot2)),
			says:     "AN4 messages[2].content[2] move_result",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}},{"type":"tool_use","id":"c2","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":"two"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"text","text":"so"}]}]`,
		},
		{
			name:     "AN4 results behind another message of the user's",
			valid:    transcriptOf(asUser, asDone, asUser, asMessage("assistant", anCall1), asMessage("user", anGot1)),
			invalid:  transcriptOf(asUser, asMessage("assistant", anCall1), asMessage("user", anText), asMessage("user", anGot1)),
			says:     "AN4 messages[3].content[0] move_result",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"}]},{"role":"user","content":[{"type":"text","text":"so"}]}]`,
		},
		{
			name:     "AN5 the characters of an id",
			valid:    transcriptOf(asUser, asMessage("assistant", strings.Replace(anCall1, "c1", strings.Repeat("aZ09_-xy", 8), 1)), asMessage("user", strings.Replace(anGot1, "c1", strings.Repeat("aZ09_-xy", 8), 1))),
			invalid:  transcriptOf(asUser, asMessage("assistant", strings.Replace(anCall1, "c1", "c.1", 1)), asMessage("user", strings.Replace(anGot1, "c1", "c.1", 1))),
			says:     "AN5 messages[1].content[0] rename_id",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_ctxfold_1_1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_ctxfold_1_1","content":"one"}]}]`,
		},
		{
			name:     "AN5 the length of an id",
			valid:    transcriptOf(asUser, asMessage("assistant", anCall1), asMessage("user", anGot1)),
			invalid:  transcriptOf(asUser, asMessage("assistant", strings.Replace(anCall1, "c1", strings.Repeat("x", 65), 1)), asMessage("user", strings.Replace(anGot1, "c1", strings.Repeat("x", 65), 1))),
			says:     "AN5 messages[1].content[0] rename_id",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_ctxfold_1_1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_ctxfold_1_1","content":"one"}]}]`,
		},
		{
			name:     "AN6 texts of white space",
			valid:    transcriptOf(asUser, asMessage("assistant", anText)),
			invalid:  transcriptOf(asUser, asMessage("assistant", anText, `{"type":"text","text":" \n"}`)),
			says:     "AN6 messages[1].content[1] drop_part",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"so"}]}]`,
		},
		{
			name:     "AN6 messages of nothing",
			valid:    transcriptOf(asUser, asDone, asUser),
			invalid:  transcriptOf(asUser, `{"role":"assistant","content":""}`, asUser),
			says:     "AN6 messages[1] drop_message",
			repaired: `[{"role":"user","content":"go"},{"role":"user","content":"go"}]`,
		},
		{
			name:     "AN11 the provider's calls have their results beside them",
			valid:    transcriptOf(asUser, asMessage("assistant", anWeb, anFound, anText), asUser),
			invalid:  transcriptOf(asUser, asMessage("assistant", anWeb, anText), asUser, asDone),
			says:     "AN11 messages[1].content[0] drop_part",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"so"}]},{"role":"user","content":"go"},{"role":"assistant","content":"done"}]`,
		},
		{
			name:     "AN11 nothing is said between the provider's call and its result",
			valid:    transcriptOf(asUser, asMessage("assistant", anWeb, anCall1), asMessage("user", anGot1), asMessage("assistant", anFound, anText), asUser),
			invalid:  transcriptOf(asUser, asMessage("assistant", anWeb, anCall1), asMessage("user", anGot1, anText), asMessage("assistant", anFound, anText), asUser),
			says:     "AN11 messages[3].content[0] drop_part",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"text","text":"so"}]},{"role":"assistant","content":[{"type":"text","text":"so"}]},{"role":"user","content":"go"}]`,
		},
		{
			name:     "AN11 the program that made a call stays",
			valid:    transcriptOf(asUser, asMessage("assistant", anWeb, strings.Replace(anCall1, `"input"`, `"caller":{"type":"web","tool_id":"s1"},"input"`, 1)), asMessage("user", anGot1)),
			invalid:  transcriptOf(asUser, asMessage("assistant", strings.Replace(anCall1, `"input"`, `"caller":{"type":"web","tool_id":"s2"},"input"`, 1)), asMessage("user", anGot1)),
			says:     "AN11 messages[1].content[0] drop_caller",
			repaired: `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"}]}]`,
		},
	})
}

// A result that loads deferred tools is not cleared, because the model could no longer call them.
func TestToolReferencesStay(t *testing.T) {
	result := func(id, content string) string {
		return `{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"find","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":[` + content + `]}]}`
	}
	long := strings.Repeat("a long line ", 400)
	expands := result("c1", `{"type":"text","text":"`+long+`"},{"type":"tool_reference","tool_name":"read"}`)
	messages := transcriptOf(asUser, expands, result("c2", `{"type":"text","text":"`+long+`"}`), result("c3", `{"type":"text","text":"x"}`), asDone)
	var a struct {
		Messages json.RawMessage
		Report   struct{ Cleared int }
	}
	request(t, "plan", `{"format":"anthropic","window":{"tokens":20000,"reserve":0},"passes":[{"pass":"clear","keep_recent":1},{"pass":"squeeze","keep_recent":0,"min_tokens":1}]}`+force, messages, &a)
	if a.Report.Cleared != 1 || !strings.Contains(string(a.Messages), expands) {
		t.Errorf("%d results are cleared: %s", a.Report.Cleared, strings.ReplaceAll(string(a.Messages), long, "LONG"))
	}
}

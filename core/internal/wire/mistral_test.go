package wire_test

import (
	"strings"
	"testing"
)

const (
	miSystem = `{"role":"system","content":"s"}`
	miCall1  = `{"id":"abcDEF123","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}`
	miCall2  = `{"id":"abcDEF124","type":"function","index":1,"function":{"name":"bash","arguments":{}}}`
	miGot1   = `{"role":"tool","tool_call_id":"abcDEF123","name":"read","content":"one"}`
	miGot2   = `{"role":"tool","tool_call_id":"abcDEF124","content":[{"type":"text","text":"two"}]}`
	miLost1  = `{"role":"tool","tool_call_id":"abcDEF123","name":"read","content":"` + lost + `"}`
	miNoted  = `{"role":"assistant","content":"[Noted.]"}`
	userNods = `{"role":"user","content":"[Noted.]"}`
)

// miCalls returns an assistant message that calls tools. sdk converts messages to the SDK's spelling.
func miCalls(calls ...string) string {
	return `{"role":"assistant","content":"","tool_calls":[` + strings.Join(calls, ",") + `]}`
}

func sdk(messages string) string {
	return strings.NewReplacer("tool_calls", "toolCalls", "tool_call_id", "toolCallId").Replace(messages)
}

// renamed replaces the id of the first call.
func renamed(messages, id string) string { return strings.ReplaceAll(messages, "abcDEF123", id) }

func TestMistral(t *testing.T) {
	rules := []rule{
		{
			name:     "MI1 neither content nor calls",
			valid:    transcriptOf(asUser, asMessage("assistant", `{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}`), asUser),
			invalid:  transcriptOf(asUser, asMessage("assistant"), `{"role":"assistant","content":null}`, asDone),
			says:     "MI1 messages[1] drop_message, MI1 messages[2] drop_message",
			repaired: transcriptOf(asUser, asDone),
		}, {
			name:     "MI2 a call without result",
			valid:    transcriptOf(asUser, miCalls(miCall1, miCall2), miGot2, miGot1, asDone),
			invalid:  transcriptOf(asUser, miCalls(miCall1, miCall2), miGot2, asDone),
			says:     "MI2 messages[1].tool_calls[0] add_result",
			repaired: transcriptOf(asUser, miCalls(miCall1, miCall2), miLost1, miGot2, asDone),
		}, {
			name:     "MI2 the user speaks before the results",
			valid:    transcriptOf(asUser, miCalls(miCall1)),
			invalid:  transcriptOf(asUser, miCalls(miCall1), asUser),
			says:     "MI2 messages[1].tool_calls[0] add_result",
			repaired: transcriptOf(asUser, miCalls(miCall1), miLost1, miNoted, asUser),
		}, {
			name:     "MI3 a result without call",
			valid:    transcriptOf(asUser, miCalls(miCall1), miGot1),
			invalid:  transcriptOf(asUser, miGot2, miCalls(miCall1), miGot1, miGot1),
			says:     "MI3 messages[1] drop_message, MI3 messages[4] drop_message",
			repaired: transcriptOf(asUser, miCalls(miCall1), miGot1),
		}, {
			name:     "MI3 a result in a wrong place",
			valid:    transcriptOf(asUser, miCalls(miCall1, miCall2), miGot1, miGot2),
			invalid:  transcriptOf(asUser, miCalls(miCall1, miCall2), miGot1, asDone, miGot2),
			says:     "MI3 messages[4] move_result",
			repaired: transcriptOf(asUser, miCalls(miCall1, miCall2), miGot2, miGot1, asDone),
		}, {
			name:     "MI4 an id twice",
			valid:    transcriptOf(asUser, miCalls(miCall1), miGot1, asDone),
			invalid:  transcriptOf(asUser, miCalls(miCall1, miCall1), miGot1, miGot1, asDone),
			says:     "MI4 messages[1].tool_calls[1] rename_id",
			repaired: transcriptOf(asUser, miCalls(miCall1, renamed(miCall1, "cf0000002")), renamed(miGot1, "cf0000002"), miGot1, asDone),
		}, {
			name:     "MI4 an id that a new one has",
			valid:    transcriptOf(asUser, miCalls(renamed(miCall1, "cf0000002")), renamed(miGot1, "cf0000002")),
			invalid:  renamed(transcriptOf(asUser, miCalls(miCall1, miCall1), miGot1, miGot1), "cf0000002"),
			says:     "MI4 messages[1].tool_calls[1] rename_id",
			repaired: transcriptOf(asUser, miCalls(renamed(miCall1, "cf0000002"), renamed(miCall1, "cf009zldu")), renamed(miGot1, "cf009zldu"), renamed(miGot1, "cf0000002")),
		}, {
			name:     "MI4 an id of an earlier turn",
			valid:    transcriptOf(asUser, miCalls(miCall1), miGot1, asDone, asUser, miCalls(miCall2), miGot2),
			invalid:  transcriptOf(asUser, miCalls(miCall1), miGot1, asDone, asUser, miCalls(miCall1), miGot1),
			says:     "MI4 messages[5].tool_calls[0] rename_id",
			repaired: transcriptOf(asUser, miCalls(miCall1), miGot1, asDone, asUser, miCalls(renamed(miCall1, "cf0000006")), renamed(miGot1, "cf0000006")),
		}, {
			name:     "MI5 an id of another form",
			valid:    transcriptOf(asUser, miCalls(miCall1), miGot1),
			invalid:  renamed(transcriptOf(asUser, miCalls(miCall1), miGot1, asDone), "call_1"),
			says:     "MI5 messages[1].tool_calls[0] rename_id",
			repaired: renamed(transcriptOf(asUser, miCalls(miCall1), miGot1, asDone), "cf0000001"),
		}, {
			name:     "MI5 no id",
			valid:    transcriptOf(asUser, miCalls(miCall1), miGot1),
			invalid:  transcriptOf(asUser, miCalls(`{"function":{"name":"read","arguments":"{}"}}`, miCall1), miGot1, asDone),
			says:     "MI2 messages[1].tool_calls[0] drop_part, MI5 messages[1].tool_calls[0] drop_part",
			repaired: transcriptOf(asUser, miCalls(miCall1), miGot1, asDone),
		}, {
			name:     "MI6 the user behind a result",
			valid:    transcriptOf(miSystem, asUser, asUser, miCalls(miCall1), miGot1, asDone, asUser),
			invalid:  transcriptOf(miSystem, asUser, asUser, miCalls(miCall1), miGot1, asUser),
			says:     "MI6 messages[5] add_turn",
			repaired: transcriptOf(miSystem, asUser, asUser, miCalls(miCall1), miGot1, miNoted, asUser),
		}, {
			name:     "MI6 the system behind others than the user",
			valid:    transcriptOf(asUser, miSystem, asDone, asUser, miSystem),
			invalid:  transcriptOf(asUser, asDone, miSystem, asUser, miCalls(miCall1), miGot1, miSystem, asDone),
			says:     "MI6 messages[2] add_turn, MI6 messages[6] add_turn",
			repaired: transcriptOf(asUser, asDone, userNods, miSystem, asUser, miCalls(miCall1), miGot1, miNoted, userNods, miSystem, asDone),
		}, {
			name:    "MI7 role",
			valid:   transcriptOf(miSystem, asUser, asDone),
			invalid: transcriptOf(asUser, `{"role":"developer","content":"x"}`),
			says:    "MI7 messages[1] none",
		},
	}
	testRules(t, "mistral", rules)
	for i := range rules {
		r := &rules[i]
		r.name, r.valid, r.invalid, r.repaired = r.name+", SDK", sdk(r.valid), sdk(r.invalid), sdk(r.repaired)
	}
	testRules(t, "mistral", rules)
}

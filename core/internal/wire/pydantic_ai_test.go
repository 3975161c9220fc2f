package wire_test

import (
	"strings"
	"testing"
)

const (
	paUser  = `{"parts":[{"content":"go","timestamp":"2026-01-01T00:00:00Z","part_kind":"user-prompt"}],"kind":"request"}`
	paDone  = `{"parts":[{"content":"done","part_kind":"text"}],"kind":"response"}`
	paCall1 = `{"tool_name":"read","args":{"path":"a"},"tool_call_id":"c1","part_kind":"tool-call"}`
	paCall2 = `{"tool_name":"bash","args":"{}","tool_call_id":"c2","part_kind":"tool-call"}`
	paGot1  = `{"tool_name":"read","content":"one","tool_call_id":"c1","part_kind":"tool-return"}`
	paGot2  = `{"tool_name":"bash","content":{"exit":0},"tool_call_id":"c2","part_kind":"tool-return"}`
	paLost1 = `{"tool_name":"read","content":"` + lost + `","tool_call_id":"c1","outcome":"failed","part_kind":"tool-return"}`
	paSys   = `{"content":"s","part_kind":"system-prompt"}`
)

func paSays(parts ...string) string {
	return `{"parts":[` + strings.Join(parts, ",") + `],"kind":"response"}`
}

func paAsks(parts ...string) string {
	return `{"parts":[` + strings.Join(parts, ",") + `],"kind":"request"}`
}

func TestPydanticAI(t *testing.T) {
	renamed := strings.NewReplacer("c1", "call_ctxfold_1_2").Replace
	testRules(t, "pydantic-ai", []rule{
		{
			name:     "PA1 an empty message",
			valid:    transcriptOf(paUser, paSays(`{"content":"hm","part_kind":"thinking"}`), paUser),
			invalid:  transcriptOf(paUser, paSays(), paSays(`{"content":"","part_kind":"text"}`), paDone),
			says:     "PA1 messages[1] drop_message, PA1 messages[2] drop_message",
			repaired: transcriptOf(paUser, paDone),
		}, {
			name:     "PA2 a call without result",
			valid:    transcriptOf(paUser, paSays(paCall1, paCall2), paAsks(paGot2), paAsks(paGot1), paDone),
			invalid:  transcriptOf(paUser, paSays(paCall1, paCall2), paAsks(paGot2), paDone),
			says:     "PA2 messages[1].parts[0] add_result",
			repaired: transcriptOf(paUser, paSays(paCall1, paCall2), paAsks(paLost1), paAsks(paGot2), paDone),
		}, {
			name:     "PA3 a result without call",
			valid:    transcriptOf(paUser, paSays(paCall1), paAsks(paGot1), paDone),
			invalid:  transcriptOf(paUser, paSays(paCall1), paAsks(paGot1, paGot2), paDone, paAsks(paGot2)),
			says:     "PA3 messages[2].parts[1] drop_part, PA3 messages[4].parts[0] drop_part",
			repaired: transcriptOf(paUser, paSays(paCall1), paAsks(paGot1), paDone),
		}, {
			name:     "PA3 a result in a wrong place",
			valid:    transcriptOf(paUser, paSays(paCall1), paAsks(paGot1), paDone),
			invalid:  transcriptOf(paUser, paSays(paCall1), paUser, paDone, paAsks(paGot1), paDone),
			says:     "PA3 messages[4].parts[0] move_result",
			repaired: transcriptOf(paUser, paSays(paCall1), paAsks(paGot1), paUser, paDone, paDone),
		}, {
			name:     "PA4 an id twice",
			valid:    transcriptOf(paUser, paSays(paCall1), paAsks(paGot1), paDone),
			invalid:  transcriptOf(paUser, paSays(paCall1, paCall1), paAsks(paGot1, paGot1), paDone),
			says:     "PA4 messages[1].parts[1] rename_id",
			repaired: transcriptOf(paUser, paSays(paCall1, renamed(paCall1)), paAsks(renamed(paGot1), paGot1), paDone),
		}, {
			name:    "PA5 kind",
			valid:   transcriptOf(paAsks(paSys), paUser),
			invalid: transcriptOf(paUser, `{"parts":[{"content":"x","part_kind":"text"}],"kind":"other"}`),
			says:    "PA5 messages[1] none",
		},
	})
}

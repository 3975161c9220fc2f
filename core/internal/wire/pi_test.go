package wire_test

import (
	"strings"
	"testing"
)

const (
	piUser  = `{"role":"user","content":"go","timestamp":1}`
	piFacts = `"api":"anthropic-messages","provider":"anthropic","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,` +
		`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"timestamp":2`
	piCall1 = `{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a"}}`
	piCall2 = `{"type":"toolCall","id":"c2","name":"bash","arguments":{}}`
	piGot1  = `{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"one"}],"isError":false,"timestamp":3}`
	piGot2  = `{"role":"toolResult","toolCallId":"c2","toolName":"bash","content":[],"isError":false,"timestamp":4}`
	piLost1 = `{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"` + lost + `"}],"isError":true,"timestamp":2}`
	piMode  = `{"role":"system","content":"","sections":{"mode":"<mode>plan</mode>"},"timestamp":5}`
	piShell = `{"role":"bashExecution","command":"ls","output":"a","exitCode":0,"cancelled":false,"truncated":false,"timestamp":6}`
	piSaid  = `{"type":"text","text":"done"}`
)

// piSays returns an assistant message with some parts.
func piSays(stop string, parts ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(parts, ",") + `],"stopReason":"` + stop + `",` + piFacts + `}`
}

// piKept is a command that the user has hidden from the model.
var piKept = strings.Replace(piShell, `"timestamp"`, `"excludeFromContext":true,"timestamp"`, 1)

func TestPi(t *testing.T) {
	calls, done := piSays("toolUse", piCall1, piCall2), piSays("stop", piSaid)
	other := strings.NewReplacer(`"c1"`, `"call_ctxfold_1_2"`)
	testRules(t, "pi", []rule{
		{
			name:    "PI1 a role of an application's",
			valid:   transcriptOf(piUser, piShell, piMode, done, `{"role":"branchSummary","summary":"s","fromId":null,"timestamp":1}`, `{"role":"custom","customType":"a","content":"b","display":true,"timestamp":1}`),
			invalid: transcriptOf(piUser, `{"role":"artifact","content":"x","timestamp":1}`),
			says:    "PI1 messages[1] none",
		}, {
			name:     "PI2 a call without result",
			valid:    transcriptOf(piUser, calls, piGot2, piGot1, done),
			invalid:  transcriptOf(piUser, calls, piGot2, done),
			says:     "PI2 messages[1].content[0] add_result",
			repaired: transcriptOf(piUser, calls, piLost1, piGot2, done),
		}, {
			name:     "PI2 an answer that was broken off, which nobody is sent",
			valid:    transcriptOf(piUser, piSays("aborted", piCall1), piUser, piSays("error"), calls, piGot1, piGot2),
			invalid:  transcriptOf(piUser, piSays("toolUse", piCall1), piSays("error", piCall1), piGot1, done),
			says:     "PI3 messages[3] move_result",
			repaired: transcriptOf(piUser, piSays("toolUse", piCall1), piGot1, piSays("error", piCall1), done),
		}, {
			name:     "PI3 a result without call",
			valid:    transcriptOf(piUser, calls, piGot1, piGot2),
			invalid:  transcriptOf(piUser, piGot2, calls, piGot1, piGot2, piGot1, piSays("aborted", `{"type":"toolCall","id":"c9","name":"read","arguments":{}}`), strings.Replace(piGot1, "c1", "c9", 1)),
			says:     "PI3 messages[1] drop_message, PI3 messages[5] drop_message, PI3 messages[7] drop_message",
			repaired: transcriptOf(piUser, calls, piGot1, piGot2, piSays("aborted", `{"type":"toolCall","id":"c9","name":"read","arguments":{}}`)),
		}, {
			name:     "PI3 what may stand before a result, and what not",
			valid:    transcriptOf(piUser, calls, piMode, piGot1, piKept, piGot2, done),
			invalid:  transcriptOf(piUser, calls, piGot1, piShell, piGot2, done),
			says:     "PI3 messages[4] move_result",
			repaired: transcriptOf(piUser, calls, piGot2, piGot1, piShell, done),
		}, {
			name:     "PI4 an id twice",
			valid:    transcriptOf(piUser, calls, piGot1, piGot2, done),
			invalid:  transcriptOf(piUser, piSays("toolUse", piCall1, piCall1), piGot1, piGot1, done),
			says:     "PI4 messages[1].content[1] rename_id",
			repaired: transcriptOf(piUser, piSays("toolUse", piCall1, other.Replace(piCall1)), other.Replace(piGot1), piGot1, done),
		}, {
			name:     "PI5 a result that is a text",
			valid:    transcriptOf(piUser, calls, piGot1, piGot2),
			invalid:  transcriptOf(piUser, piSays("toolUse", piCall1), strings.Replace(piGot1, `[{"type":"text","text":"one"}]`, `"one"`, 1), done),
			says:     "PI5 messages[2] wrap_body",
			repaired: transcriptOf(piUser, piSays("toolUse", piCall1), piGot1, done),
		}, {
			name:     "PI6 an empty message",
			valid:    transcriptOf(piUser, piMode, piSays("stop", `{"type":"thinking","thinking":"","thinkingSignature":"s","redacted":true}`)),
			invalid:  transcriptOf(piUser, piSays("stop"), `{"role":"user","content":"","timestamp":1}`, done),
			says:     "PI6 messages[1] drop_message, PI6 messages[2] drop_message",
			repaired: transcriptOf(piUser, done),
		},
	})
}

// Messages that pi does not send cost nothing, and its own message types count if it sends them.
func TestPiUnsent(t *testing.T) {
	said := transcriptOf(piUser, piSays("stop", piSaid))
	unsent := transcriptOf(piUser, piSays("error", piCall1, `{"type":"text","text":"I begin"}`), piKept, piSays("stop", piSaid))
	sent := transcriptOf(piUser, piShell, piSays("stop", piSaid))
	tokens := func(messages string) int {
		var a struct{ Tokens int }
		request(t, "estimate", `{"format":"pi"}`, messages, &a)
		return a.Tokens
	}
	if a, b := tokens(said), tokens(unsent); a != b {
		t.Errorf("%d tokens with what is not sent, %d without", b, a)
	}
	if a, b := tokens(said), tokens(sent); a >= b {
		t.Errorf("%d tokens with a command and its output, %d without", b, a)
	}
}

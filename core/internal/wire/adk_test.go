package wire_test

import (
	"strings"
	"testing"
)

const (
	adUser  = `{"id":"u1","invocationId":"i1","author":"user","timestamp":1.5,"content":{"role":"user","parts":[{"text":"go"}]}}`
	adDone  = `{"id":"a9","invocationId":"i1","author":"coder","timestamp":9,"content":{"role":"model","parts":[{"text":"done"}]},"actions":{"stateDelta":{}}}`
	adCall1 = `{"functionCall":{"id":"c1","name":"read","args":{"path":"a"}}}`
	adCall2 = `{"functionCall":{"id":"c2","name":"bash","args":{}}}`
	adResp1 = `{"functionResponse":{"id":"c1","name":"read","response":{"output":"one"}}}`
	adResp2 = `{"functionResponse":{"id":"c2","name":"bash","response":{"exit":0,"stdout":"two"}}}`
	adGot1  = `{"id":"r1","invocationId":"i1","author":"coder","timestamp":3,"content":{"role":"user","parts":[` + adResp1 + `]}}`
	adGot2  = `{"id":"r2","invocationId":"i1","author":"coder","timestamp":4,"content":{"role":"user","parts":[` + adResp2 + `]}}`
	adState = `{"id":"s1","invocationId":"i1","author":"coder","timestamp":2,"actions":{"stateDelta":{"n":1}}}`
	adNone  = `,"actions":{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}}}`
)

// adSays returns an event of the agent; adSaysAs returns one with a given id.
func adSays(parts ...string) string { return adSaysAs("a1", parts...) }

func adSaysAs(id string, parts ...string) string {
	return `{"id":"` + id + `","invocationId":"i1","author":"coder","branch":"b","timestamp":2,"content":{"role":"model","parts":[` + strings.Join(parts, ",") + `]}}`
}

// adEvent returns an event that a repair has inserted next to the agent's calls.
func adEvent(id, stamp, parts string) string {
	return `{"id":"` + id + `","invocationId":"i1","author":"coder","branch":"b","timestamp":` + stamp + `,"content":{"role":"user","parts":[` + parts + `]}` + adNone
}

func TestADK(t *testing.T) {
	lost1 := `{"functionResponse":{"id":"c1","name":"read","response":{"error":"` + lost + `"}}}`
	both := strings.Replace(adGot1, adResp1, adResp1+","+adResp2, 1)
	ask := adSaysAs("q", `{"functionCall":{"id":"q1","name":"adk_request_confirmation","args":{}}}`)
	pending := strings.NewReplacer("r1", "p1", `"output":"one"`, `"status":"pending"`).Replace(adGot1)
	testRules(t, "adk", []rule{
		{
			name:     "AD1 no parts",
			valid:    transcriptOf(adState, adUser, ask, adSaysAs("e", `{"text":""}`), `{"id":"n","author":"coder","timestamp":3,"content":null}`, adDone),
			invalid:  transcriptOf(adUser, adSays(), adDone),
			says:     "AD1 messages[1] drop_message",
			repaired: transcriptOf(adUser, adDone),
		}, {
			name:     "AD2 a call without a response",
			valid:    transcriptOf(adUser, adSays(adCall1), pending, adDone, adGot1, strings.Replace(adUser, "u1", "u2", 1)),
			invalid:  transcriptOf(adUser, adSays(adCall1), adDone),
			says:     "AD2 messages[1].content.parts[0] add_result",
			repaired: transcriptOf(adUser, adSays(adCall1), adEvent("ctxfold-dffaaed208b4b2d9", "2", lost1), adDone),
		}, {
			name:     "AD2 a call without an id",
			valid:    transcriptOf(adUser, adSays(adCall1)),
			invalid:  transcriptOf(adUser, adSays(`{"text":"so"}`, strings.Replace(adCall1, `"id":"c1",`, "", 1)), strings.Replace(adGot1, `"id":"c1",`, "", 1), adDone),
			says:     "AD3 messages[2].content.parts[0] drop_part",
			repaired: transcriptOf(adUser, adSays(`{"text":"so"}`), adDone),
		}, {
			name:     "AD3 a response without a call",
			valid:    transcriptOf(adUser, adSays(adCall1), adState, adGot1, adDone),
			invalid:  transcriptOf(adUser, adGot1, adDone),
			says:     "AD3 messages[1].content.parts[0] drop_part",
			repaired: transcriptOf(adUser, adDone),
		}, {
			name:    "AD3 an event answers the calls of two",
			valid:   transcriptOf(adUser, adSays(adCall1, adCall2), both, adDone),
			invalid: transcriptOf(adUser, adSays(adCall1), adSaysAs("a2", adCall2), both, adDone),
			says:    "AD3 messages[3].content.parts[1] move_result",
			repaired: transcriptOf(adUser, adSays(adCall1), adSaysAs("a2", adCall2),
				`{"id":"ctxfold-99fa538423c9ed7f","invocationId":"i1","author":"coder","timestamp":2,"content":{"role":"user","parts":[`+adResp2+`]}`+adNone, adGot1, adDone),
		}, {
			name:    "AD3 the last responses stand behind those of an earlier event",
			valid:   transcriptOf(adUser, adSays(adCall1), adSaysAs("a2", adCall2), adGot1, adGot2, adDone),
			invalid: transcriptOf(adUser, adSays(adCall1), adSaysAs("a2", adCall2), adGot1, adGot2),
			says:    "AD3 messages[3].content.parts[0] move_result",
			repaired: transcriptOf(adUser, adSays(adCall1), `{"id":"ctxfold-eaff1948edae4361","invocationId":"i1","author":"coder","timestamp":2,"content":{"role":"user","parts":[`+adResp1+`]}`+adNone,
				adSaysAs("a2", adCall2), adGot2),
		}, {
			name:     "AD4 an id twice, with a response that is replaced",
			valid:    transcriptOf(adUser, adSays(adCall1, adCall2), both, adDone),
			invalid:  transcriptOf(adUser, adSays(adCall1), adGot1, adSaysAs("a2", adCall1), pending, strings.Replace(adGot1, "r1", "r3", 1), adDone),
			says:     "AD4 messages[3].content.parts[0] rename_id",
			repaired: transcriptOf(adUser, adSays(adCall1), adGot1, strings.Replace(adSaysAs("a2", adCall1), "c1", "adk-ctxfold-3_3", 1), strings.Replace(pending, "c1", "adk-ctxfold-3_3", 1), strings.NewReplacer("r1", "r3", "c1", "adk-ctxfold-3_3").Replace(adGot1), adDone),
		}, {
			name:    "AD5 begins with the user",
			valid:   transcriptOf(adState, adUser, adDone),
			invalid: transcriptOf(adDone, adUser),
			says:    "AD5 messages[0] add_user",
			repaired: transcriptOf(`{"id":"ctxfold-ed1daf9f83496ebb","invocationId":"i1","author":"user","timestamp":9,"content":{"role":"user","parts":[{"text":"[The conversation goes on from here.]"}]}`+adNone,
				adDone, adUser),
		}, {
			name:    "AD6 role",
			valid:   transcriptOf(adUser, adDone),
			invalid: transcriptOf(adUser, strings.Replace(adDone, `"model"`, `"assistant"`, 1)),
			says:    "AD6 messages[1] none",
		}, {
			name:     "AD7 the first call of a turn is signed",
			valid:    transcriptOf(adUser, adSays(signed(adCall1), adCall2), both),
			invalid:  transcriptOf(adUser, adSays(signed(adCall1)), adGot1, adSaysAs("a2", adCall2), adGot2),
			says:     "AD7 messages[3].content.parts[0] sign",
			repaired: transcriptOf(adUser, adSays(signed(adCall1)), adGot1, adSaysAs("a2", `{"thoughtSignature":"skip_thought_signature_validator",`+adCall2[1:]), adGot2),
		}, {
			name:     "AD8 a response is an object",
			valid:    transcriptOf(adUser, adSays(adCall1), adGot1),
			invalid:  transcriptOf(adUser, adSays(adCall1), strings.Replace(adGot1, `{"output":"one"}`, `"one"`, 1)),
			says:     "AD8 messages[2].content.parts[0] wrap_body",
			repaired: transcriptOf(adUser, adSays(adCall1), adGot1),
		}, {
			name:     "AD9 begins with an empty text",
			valid:    transcriptOf(adUser, adSays(adCall1, `{"text":"","thoughtSignature":"c2ln"}`), adGot1),
			invalid:  transcriptOf(adUser, adSays(`{"text":"","thoughtSignature":"c2ln"}`, adCall1), adGot1),
			says:     "AD9 messages[1].content.parts[0] drop_part",
			repaired: transcriptOf(adUser, adSays(adCall1), adGot1),
		},
	})
}

// A call that has begun a task waits for its end, with the events of the task after it.
func TestADKTask(t *testing.T) {
	task := func(author, text string) string {
		return `{"id":"t` + author + `","invocationId":"i1","author":"` + author + `","isolationScope":"c1","timestamp":3,"content":{"role":"model","parts":[{"text":"` + text + `"}]}}`
	}
	in := transcriptOf(adUser, adSays(adCall1), task("worker", "I begin."), task("helper", "And I."))
	if says := violations(t, "adk", in); says != "" {
		t.Errorf("a task that goes on: %s", says)
	}
	other := strings.ReplaceAll(in, `"isolationScope":"c1"`, `"isolationScope":"c2"`)
	if says := violations(t, "adk", other); says != "AD2 messages[1].content.parts[0] add_result" {
		t.Errorf("a task of another call: %q", says)
	}
}

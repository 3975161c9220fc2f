package wire_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

func content(role string, parts ...string) string {
	return `{"role":"` + role + `","parts":[` + strings.Join(parts, ",") + `]}`
}

const (
	gmHi      = `{"text":"hi"}`
	gmGo      = `{"role":"user","parts":[{"text":"go"}]}`
	gmDone    = `{"role":"model","parts":[{"text":"done"}]}`
	gmNoted   = `{"role":"model","parts":[{"text":"[Noted.]"}]}`
	gmCall1   = `{"functionCall":{"id":"c1","name":"read","args":{"path":"a"}}}`
	gmCall2   = `{"functionCall":{"id":"c2","name":"bash","args":{}}}`
	gmRead    = `{"functionCall":{"name":"read","args":{"path":"a"}}}`
	gmGot1    = `{"functionResponse":{"id":"c1","name":"read","response":{"output":"one"}}}`
	gmGoesOn1 = `{"functionResponse":{"id":"c1","name":"read","willContinue":true,"response":{"output":"so far"}}}`
	gmGot2    = `{"functionResponse":{"id":"c2","name":"bash","response":{"exit":0,"stdout":"two"}}}`
	gmGot     = `{"functionResponse":{"name":"read","response":{"output":"one"}}}`
	gmLost1   = `{"functionResponse":{"id":"c1","name":"read","response":{"error":"` + lost + `"}}}`
	gmLost2   = `{"functionResponse":{"id":"c2","name":"bash","response":{"error":"` + lost + `"}}}`
)

// signed adds a signature to a part.
func signed(part string) string { return `{"thoughtSignature":"c2ln",` + part[1:] }

func TestGemini(t *testing.T) {
	skip := `{"thoughtSignature":"skip_thought_signature_validator",` + gmCall2[1:]
	testRules(t, "gemini", []rule{
		{
			name:    "G1 role",
			valid:   transcriptOf(gmGo, gmDone, `{"parts":[{"text":"a content without role is the user's"}]}`),
			invalid: transcriptOf(gmGo, gmDone, `{"role":"system","parts":[{"text":"x"}]}`),
			says:    "G1 messages[2] none",
		}, {
			name:     "G2 no parts",
			valid:    transcriptOf(gmGo, gmDone),
			invalid:  transcriptOf(gmGo, gmDone, content("user")),
			says:     "G2 messages[2] drop_message",
			repaired: transcriptOf(gmGo, gmDone),
		}, {
			name:     "G2 empty parts",
			valid:    transcriptOf(gmGo, content("model", gmHi, `{"text":"","thoughtSignature":"c2ln"}`), content("user", `{"text":" "}`)),
			invalid:  transcriptOf(gmGo, content("model", `{"text":""}`, gmHi, `{}`)),
			says:     "G2 messages[1].parts[0] drop_part, G2 messages[1].parts[2] drop_part",
			repaired: transcriptOf(gmGo, content("model", gmHi)),
		}, {
			name:    "I2 an id twice, with a response that goes on",
			valid:   transcriptOf(gmGo, content("model", gmCall1), content("user", gmGoesOn1, gmGot1), gmDone),
			invalid: transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1), content("model", gmCall1), content("user", gmGoesOn1, gmGot1), gmDone),
			says:    "I2 messages[3].parts[0] rename_id",
			repaired: transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1), content("model", strings.Replace(gmCall1, "c1", "call_ctxfold_3_3", 1)),
				content("user", strings.Replace(gmGoesOn1, "c1", "call_ctxfold_3_3", 1), strings.Replace(gmGot1, "c1", "call_ctxfold_3_3", 1)), gmDone),
		}, {
			name:     "G3 begins with the user",
			valid:    transcriptOf(gmGo, gmDone),
			invalid:  transcriptOf(gmDone, gmGo),
			says:     "G3 messages[0] add_user",
			repaired: transcriptOf(`{"role":"user","parts":[{"text":"[The conversation goes on from here.]"}]}`, gmDone, gmGo),
		}, {
			name:     "G3 takes turns",
			valid:    transcriptOf(gmGo, gmDone, gmGo),
			invalid:  transcriptOf(gmGo, gmGo, gmDone, gmDone),
			says:     "G3 messages[1] add_turn, G3 messages[3] add_turn",
			repaired: transcriptOf(gmGo, gmNoted, gmGo, gmDone, content("user", `{"text":"[Noted.]"}`), gmDone),
		}, {
			name:     "G4 results right behind, none missing",
			valid:    transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", gmGot1, gmGot2), gmDone),
			invalid:  transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", gmGot2, gmHi), gmDone),
			says:     "G4 messages[1].parts[0] add_result",
			repaired: transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", gmLost1, gmGot2), gmNoted, content("user", gmHi), gmDone),
		}, {
			name:     "G4 results in two contents",
			valid:    transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", gmGot1, gmGot2)),
			invalid:  transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", gmGot1), content("user", gmGot2), gmDone),
			says:     "G4 messages[3].parts[0] move_result, G3 messages[3] add_turn",
			repaired: transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", gmGot1, gmGot2), gmDone),
		}, {
			name:     "G4 calls in two contents",
			valid:    transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1), content("model", gmCall2), content("user", gmGot2)),
			invalid:  transcriptOf(gmGo, content("model", gmCall1), content("model", gmCall2), content("user", gmGot1, gmGot2)),
			says:     "G3 messages[2] add_turn, G4 messages[3].parts[0] move_result",
			repaired: transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1), content("model", gmCall2), content("user", gmGot2)),
		}, {
			name:  "G4 open at the end",
			valid: transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", gmGot1)),
			// Without ids, calls and responses are paired by their names and their order.
			invalid:  transcriptOf(gmGo, content("model", gmRead, gmCall2), gmDone),
			says:     "G4 messages[1].parts[0] add_result, G4 messages[1].parts[1] add_result, G3 messages[2] add_turn",
			repaired: transcriptOf(gmGo, content("model", gmRead, gmCall2), content("user", strings.Replace(gmLost1, `"id":"c1",`, ``, 1), gmLost2), gmDone),
		}, {
			name:     "G5 id and name",
			valid:    transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot)),
			invalid:  transcriptOf(gmGo, content("model", gmCall1), content("user", strings.Replace(gmGot1, "read", "bash", 1)), gmDone),
			says:     "G4 messages[1].parts[0] add_result, G4 messages[2].parts[0] drop_part",
			repaired: transcriptOf(gmGo, content("model", gmCall1), content("user", gmLost1), gmDone),
		}, {
			name:     "G5 the order of the calls",
			valid:    transcriptOf(gmGo, content("model", gmRead, gmRead), content("user", gmGot, gmGot)),
			invalid:  transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", gmGot2, gmGot1), gmDone),
			says:     "G5 messages[2].parts[1] move_result",
			repaired: transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", gmGot1, gmGot2), gmDone),
		}, {
			name:     "G6 a response without call",
			valid:    transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1)),
			invalid:  transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1, gmGot2), gmDone),
			says:     "G4 messages[2].parts[1] drop_part",
			repaired: transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1), gmDone),
		}, {
			name:     "G6 in the input's spelling",
			valid:    transcriptOf(gmGo, content("model", `{"function_call":{"name":"read","args":{}}}`), content("user", `{"function_response":{"name":"read","response":{"x":1}}}`)),
			invalid:  transcriptOf(gmGo, content("model", `{"function_call":{"name":"read","args":{}}}`), gmGo),
			says:     "G4 messages[1].parts[0] add_result",
			repaired: transcriptOf(gmGo, content("model", `{"function_call":{"name":"read","args":{}}}`), content("user", `{"function_response":{"name":"read","response":{"error":"`+lost+`"}}}`), gmNoted, gmGo),
		}, {
			name: "G7 signatures behind the newest words of the user",
			valid: transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1), gmDone, gmGo,
				content("model", signed(gmCall2), gmRead), content("user", gmGot2, gmGot)),
			invalid:  transcriptOf(gmGo, content("model", signed(gmCall1)), content("user", gmGot1), content("model", gmHi, gmCall2), content("user", gmGot2)),
			says:     "G7 messages[3].parts[1] sign",
			repaired: transcriptOf(gmGo, content("model", signed(gmCall1)), content("user", gmGot1), content("model", gmHi, skip), content("user", gmGot2)),
		}, {
			name:     "G7 a model that does not sign",
			valid:    transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1), content("model", gmCall2), content("user", gmGot2)),
			invalid:  transcriptOf(gmGo, content("model", `{"function_call":{"name":"read"},"thought_signature":"c2ln"}`), content("user", gmGot), content("model", `{"function_call":{"name":"read"}}`), content("user", gmGot)),
			says:     "G7 messages[3].parts[0] sign",
			repaired: transcriptOf(gmGo, content("model", `{"function_call":{"name":"read"},"thought_signature":"c2ln"}`), content("user", gmGot), content("model", `{"thought_signature":"skip_thought_signature_validator","function_call":{"name":"read"}}`), content("user", gmGot)),
		}, {
			name:     "G8 a response is an object",
			valid:    transcriptOf(gmGo, content("model", gmRead), content("user", `{"functionResponse":{"name":"read","response":{}}}`)),
			invalid:  transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", `{"functionResponse":{"id":"c1","name":"read","response":"o\"ne"}}`, `{"functionResponse":{"id":"c2","name":"bash","response":[1]}}`)),
			says:     "G8 messages[2].parts[0] wrap_body, G8 messages[2].parts[1] wrap_body",
			repaired: transcriptOf(gmGo, content("model", gmCall1, gmCall2), content("user", `{"functionResponse":{"id":"c1","name":"read","response":{"output":"o\"ne"}}}`, `{"functionResponse":{"id":"c2","name":"bash","response":{"output":"[1]"}}}`)),
		}, {
			name:     "G8 a response is there",
			valid:    transcriptOf(gmGo, content("model", gmRead), content("user", gmGot)),
			invalid:  transcriptOf(gmGo, content("model", gmCall1), content("user", `{"functionResponse":{"id":"c1","name":"read"}}`), gmDone),
			says:     "G8 messages[2].parts[0] drop_part",
			repaired: transcriptOf(gmGo, content("model", gmCall1), content("user", gmLost1), gmDone),
		}, {
			name: "I2 ids",
			valid: transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1), content("model", gmCall2),
				content("user", gmGot2)),
			invalid: transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1), content("model", gmCall1), content("user", gmGot1)),
			says:    "I2 messages[3].parts[0] rename_id",
			repaired: transcriptOf(gmGo, content("model", gmCall1), content("user", gmGot1),
				content("model", strings.Replace(gmCall1, "c1", "call_ctxfold_3_3", 1)), content("user", strings.Replace(gmGot1, "c1", "call_ctxfold_3_3", 1))),
		},
	})
}

// TestGeminiPairsByName has calls without ids, some with the same name, and lost results: a result must not end up after another call.
func TestGeminiPairsByName(t *testing.T) {
	other := `{"functionCall":{"name":"grep","args":{}}}`
	got := func(text string) string {
		return `{"functionResponse":{"name":"read","response":{"output":"` + text + `"}}}`
	}
	in := transcriptOf(gmGo, content("model", gmRead, other), gmGo, content("model", gmRead), content("user", got("two")), gmDone)
	want := transcriptOf(gmGo, content("model", gmRead, other),
		content("user", strings.Replace(gmLost1, `"id":"c1",`, ``, 1), `{"functionResponse":{"name":"grep","response":{"error":"`+lost+`"}}}`),
		gmNoted, gmGo, content("model", gmRead), content("user", got("two")), gmDone)
	if out := repair(t, "gemini", in); out != want {
		t.Errorf("repaired\n%s, want\n%s", out, want)
	}
}

// TestGeminiMeasures checks the count for each kind of part, at four bytes per token and 4 tokens per message.
func TestGeminiMeasures(t *testing.T) {
	text := strings.Repeat("x", 400)
	for _, test := range []struct {
		name, part string
		tokens     int
	}{
		{"text", `{"text":"` + text + `"}`, 100},
		{"thought", `{"text":"` + text + `","thought":true}`, 100},
		{"a signature costs nothing", `{"text":"` + text + `","thoughtSignature":"` + text + `"}`, 100},
		{"call", `{"functionCall":{"name":"read","args":{"a":"` + text + `"}}}`, 8 + 1 + 102},
		{"result", `{"functionResponse":{"name":"read","response":{"output":"` + text + `"}}}`, 8 + 1 + 100},
		{"result, an object", `{"functionResponse":{"name":"read","response":{"output":"` + text + `","code":0}}}`, 8 + 1 + 106},
		{"result with an image", `{"functionResponse":{"name":"read","response":{"output":"` + text + `"},"parts":[{"inlineData":{"mimeType":"image/png","data":"` + text + `"}}]}}`, 8 + 1 + 100 + 1200},
		{"image", `{"inlineData":{"mimeType":"image/png","data":"` + text + `"}}`, 1200},
		{"image in the other spelling", `{"inline_data":{"mime_type":"image/png","data":"` + text + `"}}`, 1200},
		{"audio", `{"inlineData":{"mimeType":"audio/wav","data":"` + text + `"}}`, 76},
		{"file elsewhere", `{"fileData":{"mimeType":"application/pdf","fileUri":"gs://a/b"}}`, 1200},
		{"opaque", `{"executableCode":{"code":"` + text + `"}}`, 108},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := tokensOf(t, "gemini", content("model", test.part))[0] - 4; got != test.tokens {
				t.Errorf("%d tokens, want %d", got, test.tokens)
			}
		})
	}
}

// TestGeminiClear clears results: text if the response has one, otherwise the whole response. Images inside are removed too.
func TestGeminiClear(t *testing.T) {
	long := strings.Repeat("long text ", 200)
	for _, test := range []struct{ name, response, want string }{
		{"text", `"response":{"result":"` + long + `"}`, `"response":{"result":"[Old tool result content cleared]"}`},
		{"error", `"response":{"error":"` + long + `"}`, `"response":{"error":"[Old tool result content cleared]"}`},
		{"object", `"response":{"stdout":"` + long + `","code":0}`, `"response":{"output":"[Old tool result content cleared]"}`},
		{"images before", `"parts":[{"inlineData":{"mimeType":"image/png","data":"aaaa"}}, {"inlineData":{}}] , "response":{"output":"` + long + `"}`,
			`"parts":[] , "response":{"output":"[Old tool result content cleared]"}`},
		{"images behind", `"response":{"output":"` + long + `"},"parts":[{"inlineData":{"mimeType":"image/png","data":"aaaa"}}]`,
			`"response":{"output":"[Old tool result content cleared]"},"parts":[]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := func(response string) string {
				return transcriptOf(gmGo, content("model", gmRead), content("user", `{"functionResponse":{"name":"read",`+response+`}}`),
					content("model", gmCall2), content("user", gmGot2), gmDone)
			}
			if got := cleared(t, "gemini", list(test.response)); got != list(test.want) {
				t.Errorf("cleared\n%.600s, want\n%s", got, list(test.want))
			}
		})
	}
}

// TestGeminiCompaction folds a conversation of signed calls and examines the rest.
func TestGeminiCompaction(t *testing.T) {
	var messages []string
	long := strings.Repeat("word ", 300)
	for range 6 {
		messages = append(messages, gmGo, content("model", `{"text":"`+long+`","thought":true}`, signed(gmRead)), content("user", gmGot), gmDone)
	}
	in := transcriptOf(messages...)
	var a struct {
		Report   struct{ Changed bool }
		Messages json.RawMessage
	}
	request(t, "plan", `{"format":"gemini","window":{"tokens":1000},"summary":{"mode":"local"}}`, in, &a)
	out := string(a.Messages)
	if !a.Report.Changed || strings.Contains(out, `"role":"assistant"`) || !strings.HasPrefix(out, `[{"role":"user","parts":[{"text":"[session digest`) {
		t.Errorf("compacted to %.300s", out)
	}
	if bad := judge.Valid("gemini", []byte(out)); len(bad) > 0 {
		t.Error(bad)
	}
}

// Content that a request sends in addition to its list is measured, whatever kind of value it is.
func TestBesideTheList(t *testing.T) {
	for body, want := range map[string][2]bool{
		`{"contents":[` + gmGo + `]}`: {false, false},
		`{"systemInstruction":{"parts":[{"text":"Be careful."}]},"contents":[` + gmGo + `]}`:         {true, false},
		`{"contents":[` + gmGo + `],"tools":[{"functionDeclarations":[{"name":"x"}]}]}`:              {false, true},
		`{"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},"contents":[` + gmGo + `]}`:          {false, true},
		`{"contents":[` + gmGo + `],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`: {false, false},
	} {
		s := jsonspan.New([]byte(body))
		tr := wire.ByName("gemini").Read(s)
		if got := [2]bool{tr.System.Bytes > 0, tr.Tools.Bytes > 0}; s.Err() != nil || got != want {
			t.Errorf("%s: %v, system and tools %v", body, s.Err(), got)
		}
	}
}

// A call may have several responses if each one but the last announces more. They stay together, wherever they are.
func TestGeminiContinued(t *testing.T) {
	got := func(rest string) string {
		return `{"functionResponse":{"id":"c1","name":"read","response":{"output":"x"}` + rest + `}}`
	}
	call := content("model", `{"functionCall":{"id":"c1","name":"read","args":{}}}`)
	testRules(t, "gemini", []rule{
		{
			name:     "G4 responses that go on",
			valid:    transcriptOf(gmGo, call, content("user", got(`,"willContinue":true`), got(`,"willContinue":false`)), gmDone),
			invalid:  transcriptOf(gmGo, call, content("user", got(""), got("")), gmDone),
			says:     "G4 messages[2].parts[1] drop_part",
			repaired: transcriptOf(gmGo, call, content("user", got("")), gmDone),
		}, {
			name:     "G4 responses that go on later",
			valid:    transcriptOf(gmGo, call, content("user", got(`,"willContinue":true`)), gmDone, content("user", got(`,"willContinue":true`)), gmDone, content("user", got("")), gmDone),
			invalid:  transcriptOf(gmGo, content("user", got(`,"willContinue":true`)), gmDone),
			says:     "G4 messages[1].parts[0] drop_part, G3 messages[1] add_turn",
			repaired: transcriptOf(gmGo, gmDone),
		},
	})

	long := content("model", `{"text":"`+strings.Repeat("a long line ", 100)+`"}`)
	messages := transcriptOf(gmGo, call, content("user", got(`,"willContinue":true`)), long, content("user", got("")), gmDone, gmGo)
	for keep := range 40 {
		var a struct{ Messages json.RawMessage }
		policy := `{"format":"gemini","window":{"tokens":4000,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"fold","boundary":"group","keep_tokens":` + strconv.Itoa(10*keep) + `}]}`
		request(t, "plan", policy+force, messages, &a)
		if n := strings.Count(string(a.Messages), `"functionResponse"`); n != 0 && n != 2 || n == 2 && !strings.Contains(string(a.Messages), `"functionCall"`) {
			t.Errorf("with %d tokens, %d responses are left: %s", 10*keep, n, a.Messages)
		}
	}
}

package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	_ "github.com/ctxfold/ctxfold/core/full"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// rule is a test of one rule: a transcript that obeys it, one that breaks it, the violations that validate finds in the
// second one, and the result of repair.
type rule struct {
	name     string
	valid    string
	invalid  string
	says     string // rule, path and repair of each violation
	repaired string // "" if nothing can be repaired
}

// force follows a policy: it contains the options of a call that compacts although compaction isn't due.
const force = `,"options":{"force":true}`

// request calls an operation and decodes its answer. Options may follow the policy.
func request(t *testing.T, op, policy, messages string, answer any) {
	t.Helper()
	out := core.Call(op, []byte(`{"policy":`+policy+`,"messages":`+messages+`}`))
	var e struct {
		Error *struct{ Code, Message, Path string }
	}
	if err := json.Unmarshal(out, &e); err != nil || e.Error != nil {
		t.Fatalf("%s: %s", op, out)
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatal(err)
	}
}

func violations(t *testing.T, format, messages string) string {
	t.Helper()
	var a struct {
		Valid      bool
		Violations []struct{ Rule, Path, Repair, Severity string }
	}
	request(t, "validate", `{"format":"`+format+`"}`, messages, &a)
	var list []string
	refused := false
	for _, v := range a.Violations {
		list = append(list, v.Rule+" "+v.Path+" "+v.Repair)
		refused = refused || v.Severity == "refused"
	}
	if a.Valid == refused {
		t.Errorf("valid is %t with %+v", a.Valid, a.Violations)
	}
	return strings.Join(list, ", ")
}

// repair repairs all violations, tolerated or not.
func repair(t *testing.T, format, messages string) string {
	t.Helper()
	var a struct{ Messages json.RawMessage }
	request(t, "repair", `{"repair":"all","format":"`+format+`"}`, messages, &a)
	return string(a.Messages)
}

func testRules(t *testing.T, format string, rules []rule) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			if says := violations(t, format, r.valid); says != "" {
				t.Errorf("the valid transcript: %s", says)
			}
			if got := repair(t, format, r.valid); got != r.valid {
				t.Errorf("repair changed the valid transcript to %s", got)
			}
			if bad := judge.Valid(format, []byte(r.valid)); len(bad) > 0 {
				t.Errorf("the judge refuses the valid transcript: %s", bad[0])
			}
			if says := violations(t, format, r.invalid); says != r.says {
				t.Errorf("validate says\n%s, want\n%s", says, r.says)
			}
			got := repair(t, format, r.invalid)
			if r.repaired == "" && got == r.invalid {
				return
			}
			if got != r.repaired {
				t.Errorf("repaired\n%s, want\n%s", got, r.repaired)
			}
			if says := violations(t, format, got); says != "" {
				t.Errorf("repaired, but: %s", says)
			}
			if bad := judge.Valid(format, []byte(got)); len(bad) > 0 {
				t.Errorf("the judge refuses what was repaired: %s", bad[0])
			}
		})
	}
}

const (
	asUser    = `{"role":"user","content":"go"}`
	asCall1   = `{"type":"tool-call","toolCallId":"c1","toolName":"read","input":{"path":"a"}}`
	asCall2   = `{"type":"tool-call","toolCallId":"c2","toolName":"bash","input":{}}`
	asResult1 = `{"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"text","value":"one"}}`
	asResult2 = `{"type":"tool-result","toolCallId":"c2","toolName":"bash","output":{"type":"json","value":{"exit":0}}}`
	asAsk1    = `{"type":"tool-approval-request","approvalId":"ap1","toolCallId":"c1"}`
	asYes1    = `{"type":"tool-approval-response","approvalId":"ap1","approved":true}`
	asDone    = `{"role":"assistant","content":"done"}`
	lost      = `[No result: it was lost before this point of the conversation]`
)

func asMessage(role string, parts ...string) string {
	return `{"role":"` + role + `","content":[` + strings.Join(parts, ",") + `]}`
}

func transcriptOf(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

func TestAISDK(t *testing.T) {
	testRules(t, "ai-sdk", []rule{
		{
			name:    "AM1 a role that is none",
			valid:   transcriptOf(`{"role":"system","content":"s"}`, asUser, asDone),
			invalid: transcriptOf(asUser, `{"role":"data","content":"x"}`),
			says:    "AM1 messages[1] none",
		},
		{
			name:     "AM2 an empty tool message",
			valid:    transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", asResult1), asDone),
			invalid:  transcriptOf(asUser, asMessage("tool"), asDone),
			says:     "I3 messages[1] drop_message",
			repaired: transcriptOf(asUser, asDone),
		},
		{
			name:    "AM2 results in one message or in several, in any order",
			valid:   transcriptOf(asUser, asMessage("assistant", asCall1, asCall2), asMessage("tool", asResult2), asMessage("tool", asResult1), asDone),
			invalid: transcriptOf(asUser, asMessage("assistant", asCall1, asCall2), asMessage("tool", asResult2, asResult2), asMessage("tool", asResult1)),
			says:    "AM3 messages[2].content[1] drop_part",
			repaired: transcriptOf(asUser, asMessage("assistant", asCall1, asCall2), asMessage("tool", asResult2),
				asMessage("tool", asResult1)),
		},
		{
			name:    "AM3 a call without result before the user speaks",
			valid:   transcriptOf(asUser, asMessage("assistant", asCall1)), // open: the host is about to answer
			invalid: transcriptOf(asUser, asMessage("assistant", asCall1, asCall2), asMessage("tool", asResult2), asUser),
			says:    "AM3 messages[1].content[0] add_result",
			repaired: transcriptOf(asUser, asMessage("assistant", asCall1, asCall2),
				asMessage("tool", `{"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"error-text","value":"`+lost+`"}}`),
				asMessage("tool", asResult2), asUser),
		},
		{
			name:     "AM3 a result without call",
			valid:    transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", asResult1), asUser),
			invalid:  transcriptOf(asUser, asMessage("tool", asResult1), asUser),
			says:     "AM3 messages[1].content[0] drop_part",
			repaired: transcriptOf(asUser, asUser),
		},
		{
			name:    "AM3 a result behind the user's next message",
			valid:   transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", asResult1), asUser, asDone),
			invalid: transcriptOf(asUser, asMessage("assistant", asCall1, asCall2), asMessage("tool", asResult2), asUser, asMessage("tool", asResult1)),
			says:    "AM3 messages[4].content[0] move_result",
			repaired: transcriptOf(asUser, asMessage("assistant", asCall1, asCall2), asMessage("tool", asResult1), asMessage("tool", asResult2),
				asUser),
		},
		{
			name: "AM3 the spelling of AI SDK 4",
			valid: transcriptOf(asUser, asMessage("assistant", `{"type":"tool-call","toolCallId":"c1","toolName":"read","args":{}}`),
				asMessage("tool", `{"type":"tool-result","toolCallId":"c1","toolName":"read","result":{"a":1}}`), asUser),
			invalid: transcriptOf(asUser, asMessage("assistant", `{"type":"tool-call","toolCallId":"c1","toolName":"read","args":{}}`), asUser),
			says:    "AM3 messages[1].content[0] add_result",
			repaired: transcriptOf(asUser, asMessage("assistant", `{"type":"tool-call","toolCallId":"c1","toolName":"read","args":{}}`),
				asMessage("tool", `{"type":"tool-result","toolCallId":"c1","toolName":"read","isError":true,"result":"`+lost+`"}`), asUser),
		},
		{
			name: "AM3 the provider's own call needs no result here, its result needs the call",
			valid: transcriptOf(asUser, asMessage("assistant", `{"type":"tool-call","toolCallId":"s1","toolName":"web","input":{},"providerExecuted":true}`),
				asMessage("assistant", `{"type":"tool-result","toolCallId":"s1","toolName":"web","output":{"type":"json","value":[]}}`), asUser),
			invalid: transcriptOf(asUser, asMessage("assistant", `{"type":"text","text":"so"}`,
				`{"type":"tool-result","toolCallId":"s1","toolName":"web","output":{"type":"json","value":[]}}`)),
			says:     "AM3 messages[1].content[1] drop_part",
			repaired: transcriptOf(asUser, asMessage("assistant", `{"type":"text","text":"so"}`)),
		},
		{
			name:     "AM4 an answer to no request",
			valid:    transcriptOf(asUser, asMessage("assistant", asCall1, asAsk1), asMessage("tool", asYes1), asMessage("tool", asResult1), asUser),
			invalid:  transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", asYes1, asResult1), asUser),
			says:     "AM4 messages[2].content[0] drop_part",
			repaired: transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", asResult1), asUser),
		},
		{
			name:     "AM4 a request for no call takes its answer with it",
			valid:    transcriptOf(asUser, asMessage("assistant", asCall1, asAsk1), asMessage("tool", asYes1)), // about to run
			invalid:  transcriptOf(asUser, asMessage("assistant", `{"type":"text","text":"so"}`, asAsk1), asMessage("tool", asYes1), asUser),
			says:     "AM4 messages[1].content[1] drop_part",
			repaired: transcriptOf(asUser, asMessage("assistant", `{"type":"text","text":"so"}`), asUser),
		},
		{
			name:    "I2 an id that comes twice",
			valid:   transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", asResult1), asUser),
			invalid: transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", asResult1), asMessage("assistant", asCall1), asMessage("tool", asResult1)),
			says:    "I2 messages[3].content[0] rename_id",
			repaired: transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", asResult1),
				asMessage("assistant", strings.Replace(asCall1, `"c1"`, `"call_ctxfold_3_3"`, 1)),
				asMessage("tool", strings.Replace(asResult1, `"c1"`, `"call_ctxfold_3_3"`, 1))),
		},
		{
			name:     "I3 a system message that only carries settings is not empty",
			valid:    transcriptOf(`{"role":"system","content":"","providerOptions":{"p":{"effort":"high"}}}`, asUser),
			invalid:  transcriptOf(`{"role":"system","content":""}`, asUser, `{"role":"assistant","content":[{"type":"text","text":""}]}`),
			says:     "I3 messages[0] drop_message, I3 messages[2] drop_message",
			repaired: transcriptOf(asUser),
		},
	})
}

// tokensOf returns the estimate of each message by bytes4: 4 tokens of framing, and one token per 4 bytes.
func tokensOf(t *testing.T, format string, messages ...string) []int {
	t.Helper()
	var a struct{ Messages []int }
	request(t, "estimate", `{"format":"`+format+`","estimator":"bytes4"}`, transcriptOf(messages...), &a)
	return a.Messages
}

// TestAISDKMeasures compares content that takes the same room in the prompt, but is spelled differently.
func TestAISDKMeasures(t *testing.T) {
	words := strings.Repeat("word ", 200)
	result := func(rest string) string {
		return asMessage("tool", `{"type":"tool-result","toolCallId":"c1","toolName":"read",`+rest+`}`)
	}
	file := func(data string) string {
		return asMessage("user", `{"type":"file","mediaType":"application/pdf","data":`+data+`}`)
	}
	for _, test := range []struct {
		name     string
		messages []string
	}{
		{"results", []string{
			result(`"output":{"type":"text","value":"` + words + `"}`),
			result(`"output":{"value":"` + words + `","type":"error-text"}`),
			result(`"output":{"type":"content","value":[{"type":"text","text":"` + words + `"}]}`),
			result(`"output":{"value":[{"text":"` + words + `","type":"text"}],"type":"content"}`),
			result(`"result":"` + words + `"`),
			asMessage("tool", `{"output":{"type":"text","value":"`+words+`"},"toolCallId":"c1","toolName":"read","type":"tool-result"}`),
			asMessage("tool", `{"output":{"value":[{"type":"text","text":"`+words+`"}],"type":"content"},"toolCallId":"c1","toolName":"read","type":"tool-result"}`),
		}},
		{"bytes of a file", []string{
			file(`"AAECAwQFBgcICQoL"`),
			file(`"data:application/pdf;base64,AAECAwQFBgcICQoL"`),
			file(`{"type":"data","data":"AAECAwQFBgcICQoL"}`),
			file(`{"0":0,"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":10,"11":11}`),
			file(`{"type":"Buffer","data":[0,1,2,3,4,5,6,7,8,9,10,11]}`),
			file(`{"type":"data","data":{"type":"Buffer","data":[0,1,2,3,4,5,6,7,8,9,10,11]}}`),
			asMessage("user", `{"data":"AAECAwQFBgcICQoL","mediaType":"application/pdf","type":"file"}`),
		}},
		{"files that stand elsewhere", []string{
			file(`"https://example.com/` + words + `"`),
			file(`{"type":"url","url":"https://example.com/a.pdf"}`),
			file(`{"type":"reference","reference":{"openai":"file-abc"}}`),
			asMessage("user", `{"type":"file","mediaType":"application/pdf","data":"https://example.com/a.pdf"}`),
		}},
		{"images", []string{
			asMessage("user", `{"type":"image","image":"iVBORw0KGgo="}`),
			asMessage("user", `{"type":"image","image":{"0":137,"1":80},"mimeType":"image/png"}`),
			asMessage("user", `{"type":"file","mediaType":"image/png","data":{"type":"Buffer","data":[137,80]}}`),
			asMessage("user", `{"type":"file","mediaType":"image","data":"https://example.com/a.png"}`),
		}},
		{"approvals cost nothing", []string{asMessage("assistant", asCall1), asMessage("assistant", asCall1, asAsk1)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := tokensOf(t, "ai-sdk", test.messages...)
			for i, n := range got {
				if n != got[0] {
					t.Errorf("%d tokens, not %d as the first: %.120s", n, got[0], test.messages[i])
				}
			}
		})
	}
	if n := tokensOf(t, "ai-sdk", file(`{"type":"text","text":"`+words+`"}`))[0]; n < 250 || n > 300 {
		t.Errorf("a file that is a text of 250 tokens takes %d", n)
	}
}

// TestAISDKClear shows the replacement for a cleared result: the type of the output stays, and a list of parts becomes text.
func TestAISDKClear(t *testing.T) {
	long := strings.Repeat("long ", 100)
	const marker = `[Old tool result content cleared]`
	result := func(output string) string {
		return `{"type":"tool-result","toolCallId":"c1","toolName":"read",` + output + `}`
	}
	for _, test := range []struct{ name, before, after string }{
		{"text", `"output":{"type":"text","value":"` + long + `"}`, `"output":{"type":"text","value":"` + marker + `"}`},
		{"error", `"output":{"type":"error-text","value":"` + long + `"}`, `"output":{"type":"error-text","value":"` + marker + `"}`},
		{"json", `"output":{"type":"json","value":{"a":"` + long + `"},"providerOptions":{"x":{"y":1}}}`,
			`"output":{"type":"json","value":"` + marker + `","providerOptions":{"x":{"y":1}}}`},
		{"json list", `"output":{"type":"json","value":["` + long + `"]}`, `"output":{"type":"json","value":"` + marker + `"}`},
		{"content", `"output":{"type":"content","value":[{"type":"text","text":"` + long + `"},{"type":"media","mediaType":"image/png","data":"iVBORw0KGgo="}]}`,
			`"output":{"type":"text","value":"` + marker + `"}`},
		{"version 4", `"result":{"a":"` + long + `"}`, `"result":"` + marker + `"`},
		{"version 4 with content", `"result":"` + long + `","experimental_content":[{"type":"text","text":"` + long + `"},{"type":"image","data":"AAAA"}]`,
			`"result":"` + marker + `","experimental_content":[]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := func(output string) string {
				return transcriptOf(asUser, asMessage("assistant", asCall1), asMessage("tool", result(output)),
					asMessage("assistant", asCall2), asMessage("tool", asResult2), asUser)
			}
			got := cleared(t, "ai-sdk", list(test.before))
			if got != list(test.after) {
				t.Errorf("got\n%s, want\n%s", got, list(test.after))
			}
			if again := cleared(t, "ai-sdk", got); again != got {
				t.Errorf("cleared again: %s", again)
			}
		})
	}
}

// cleared returns a transcript after clearing all results but the newest.
func cleared(t *testing.T, format, messages string) string {
	t.Helper()
	var a struct {
		Messages json.RawMessage
		Report   struct{ Tokens struct{ Before, After int } }
	}
	policy := `{"format":"` + format + `","estimator":"runes3.6","window":{"tokens":64,"reserve":1},"last_resort":false,"passes":[{"pass":"clear","keep_recent":1}]}`
	request(t, "plan", policy, messages, &a)
	var e struct{ Tokens int }
	if request(t, "estimate", policy, string(a.Messages), &e); e.Tokens != a.Report.Tokens.After {
		t.Errorf("%d tokens in the report, %d estimated", a.Report.Tokens.After, e.Tokens)
	}
	return string(a.Messages)
}

// TestAISDKApprovals folds at every size: call, request, answer and result stay together.
func TestAISDKApprovals(t *testing.T) {
	var messages []string
	for i := range 12 {
		id := func(s string) string {
			return strings.NewReplacer(`"c1"`, fmt.Sprintf(`"c%d"`, i), `"ap1"`, fmt.Sprintf(`"ap%d"`, i)).Replace(s)
		}
		messages = append(messages, asUser, asMessage("assistant", `{"type":"text","text":"`+strings.Repeat("word ", 20)+`"}`, id(asCall1), id(asAsk1)),
			asMessage("tool", id(asYes1)))
		if i < 11 { // the last one is about to run
			messages = append(messages, asMessage("tool", id(asResult1)))
		}
	}
	all := transcriptOf(messages...)
	for keep := 1; keep < 700; keep += 7 {
		var a struct{ Messages json.RawMessage }
		request(t, "plan", fmt.Sprintf(`{"format":"ai-sdk","window":{"tokens":64,"reserve":1},"summary":{"mode":"local"},"wire_safe":false,`+
			`"passes":[{"pass":"fold","keep_tokens":%d,"boundary":"group"}]}`, keep), all, &a)
		if bad := judge.Valid("ai-sdk", a.Messages); len(bad) > 0 {
			t.Errorf("keep %d: %s", keep, bad[0])
		}
		for i := range 12 {
			ask, yes := fmt.Sprintf(`"approvalId":"ap%d","toolCallId"`, i), fmt.Sprintf(`"approvalId":"ap%d","approved"`, i)
			if strings.Contains(string(a.Messages), ask) != strings.Contains(string(a.Messages), yes) {
				t.Errorf("keep %d: request %d and its answer were parted", keep, i)
			}
		}
	}
}

// TestAISDKReasoning shows which reasoning is removed when something before it changes (AM5).
func TestAISDKReasoning(t *testing.T) {
	reasoning := func(options string) string {
		return asMessage("assistant", `{"type":"reasoning","text":"hm"`+options+`}`, `{"type":"text","text":"so"}`)
	}
	for _, test := range []struct {
		name, part string
		stays      bool
	}{
		{"unsigned", reasoning(""), true},
		{"signed by Anthropic, bound to what stands before it", reasoning(`,"providerOptions":{"anthropic":{"signature":"sig"}}`), false},
		{"an item of OpenAI, tied to what follows", reasoning(`,"providerOptions":{"openai":{"itemId":"rs_1"}}`), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := cleared(t, "ai-sdk", transcriptOf(asUser, asMessage("assistant", asCall1),
				asMessage("tool", strings.Replace(asResult1, "one", strings.Repeat("one ", 100), 1)),
				test.part, asMessage("assistant", asCall2), asMessage("tool", asResult2), asUser))
			if strings.Contains(got, test.part) != test.stays {
				t.Errorf("stays is %t: %s", !test.stays, got)
			}
		})
	}
}

// TestAISDKCompaction folds a conversation that a provider has compacted itself: the replacement for its beginning stays.
func TestAISDKCompaction(t *testing.T) {
	const item = `{"type":"custom","kind":"openai.compaction","providerOptions":{"openai":{"itemId":"cmp_1","encryptedContent":"gAAA"}}}`
	long := strings.Repeat("word ", 200)
	for format, messages := range map[string][]string{
		"ai-sdk": {asUser, asMessage("assistant", item), asMessage("assistant", `{"type":"text","text":"`+long+`"}`), asUser, asDone},
		"ai-sdk-ui": {uiUser, uiAssistant("a1", strings.Replace(item, "providerOptions", "providerMetadata", 1)),
			uiAssistant("a2", `{"type":"text","text":"`+long+`"}`), uiNext},
	} {
		var a struct {
			Messages json.RawMessage
			Report   struct{ Folded int }
		}
		request(t, "plan", `{"format":"`+format+`","summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":20}]}`+force,
			transcriptOf(messages...), &a)
		if a.Report.Folded == 0 || strings.Contains(string(a.Messages), long) || !strings.Contains(string(a.Messages), messages[1]) {
			t.Errorf("%s: folded %d: %s", format, a.Report.Folded, a.Messages)
		}
	}
}

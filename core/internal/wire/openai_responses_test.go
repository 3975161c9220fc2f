package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

const (
	rpUser   = `{"role":"user","content":"go"}`
	rpSays   = `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"done","annotations":[]}]}`
	rpThinks = `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"think"}],"encrypted_content":"gAAA"}`
	rpCall1  = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","arguments":"{\"path\":\"a\"}"}`
	rpCall2  = `{"type":"function_call","id":"fc_2","call_id":"c2","name":"bash","arguments":"{}"}`
	rpGot1   = `{"call_id":"c1","output":"one","type":"function_call_output"}`
	rpGot2   = `{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"two"}]}`
	rpLost1  = `{"type":"function_call_output","call_id":"c1","output":"` + lost + `"}`
	rpFolded = `{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAAA"}`
	rpRefers = `{"id":"fc_9"}`
)

func TestResponses(t *testing.T) {
	call := func(rest string) string { return `{` + rest + `,"call_id":"c1"}` }
	lostOutput := func(item, answer string) rule {
		return rule{
			name:     "OR1 " + strings.Split(item, `"`)[3],
			valid:    transcriptOf(rpUser, item),
			invalid:  transcriptOf(rpUser, item, rpUser),
			says:     "OR1 messages[1] add_result",
			repaired: transcriptOf(rpUser, item, answer, rpUser),
		}
	}
	testRules(t, "openai-responses", []rule{
		{
			name:     "OR1 a call without output",
			valid:    transcriptOf(rpUser, rpCall1, rpCall2, rpGot2, rpSays, rpGot1), // outputs may be anywhere after
			invalid:  transcriptOf(rpUser, rpCall1, rpCall2, rpGot2, rpSays),
			says:     "OR1 messages[1] add_result",
			repaired: transcriptOf(rpUser, rpCall1, rpLost1, rpCall2, rpGot2, rpSays),
		}, {
			name:     "OR1 an output without call",
			valid:    transcriptOf(rpUser, rpCall1, rpGot1),
			invalid:  transcriptOf(rpUser, rpGot2, rpCall1, rpGot1, rpGot1),
			says:     "OR1 messages[1] drop_message, OR1 messages[4] drop_message",
			repaired: transcriptOf(rpUser, rpCall1, rpGot1),
		}, {
			name:     "OR1 open at the end",
			valid:    transcriptOf(rpUser, rpThinks, rpCall1, rpCall2, rpGot2),
			invalid:  transcriptOf(rpUser, rpCall2, rpUser, rpCall1),
			says:     "OR1 messages[1] add_result",
			repaired: transcriptOf(rpUser, rpCall2, strings.Replace(rpLost1, "c1", "c2", 1), rpUser, rpCall1),
		}, {
			name:    "OR1 ids",
			valid:   transcriptOf(rpUser, rpCall1, rpGot1, rpCall2, rpGot2),
			invalid: transcriptOf(rpUser, rpCall1, rpGot1, rpCall1, rpGot1),
			says:    "OR1 messages[3] rename_id",
			repaired: transcriptOf(rpUser, rpCall1, rpGot1, strings.Replace(rpCall1, `"c1"`, `"call_ctxfold_3_4"`, 1),
				strings.Replace(rpGot1, `"c1"`, `"call_ctxfold_3_4"`, 1)),
		},
		lostOutput(call(`"type":"custom_tool_call","name":"py","input":"1"`), `{"type":"custom_tool_call_output","call_id":"c1","output":"`+lost+`"}`),
		lostOutput(call(`"type":"local_shell_call","action":{"type":"exec","command":["ls"]}`), rpLost1),
		lostOutput(call(`"type":"shell_call","action":{"commands":["ls"]}`),
			`{"type":"shell_call_output","call_id":"c1","output":[{"stdout":"","stderr":"`+lost+`","outcome":{"type":"exit","exit_code":1}}]}`),
		lostOutput(call(`"type":"apply_patch_call","status":"completed","operation":{"type":"delete_file","path":"a"}`),
			`{"type":"apply_patch_call_output","call_id":"c1","status":"failed","output":"`+lost+`"}`),
		lostOutput(call(`"type":"tool_search_call","execution":"client","arguments":{}`),
			`{"type":"tool_search_output","call_id":"c1","execution":"client","status":"completed","tools":[]}`),
		{
			name: "OR1 a call that no text can answer",
			valid: transcriptOf(rpUser, call(`"type":"computer_call","id":"cu_1","action":{"type":"screenshot"}`),
				call(`"type":"computer_call_output","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,aaaa"}`)),
			invalid:  transcriptOf(rpUser, call(`"type":"computer_call","id":"cu_1","action":{"type":"screenshot"}`), rpUser),
			says:     "OR1 messages[1] drop_message",
			repaired: transcriptOf(rpUser, rpUser),
		}, {
			name: "OR1 what the provider runs itself",
			valid: transcriptOf(rpUser, `{"type":"tool_search_call","execution":"server","call_id":null,"id":"tsc_1","arguments":{}}`,
				`{"type":"web_search_call","id":"ws_1","status":"completed"}`, `{"type":"mcp_call","id":"mcp_1","name":"x","arguments":"{}","output":"y"}`,
				`{"type":"something_new","call_id":"c9"}`, rpSays),
			invalid:  transcriptOf(rpUser, `{"type":"web_search_call","id":"ws_1","status":"completed"}`, rpThinks),
			says:     "OR2 messages[2] drop_message",
			repaired: transcriptOf(rpUser, `{"type":"web_search_call","id":"ws_1","status":"completed"}`),
		}, {
			name:     "OR2 reasoning without what follows it",
			valid:    transcriptOf(rpUser, rpThinks, rpCall1, rpGot1, strings.ReplaceAll(rpThinks, "rs_1", "rs_2"), rpSays),
			invalid:  transcriptOf(rpUser, rpThinks, rpUser, rpThinks, rpThinks),
			says:     "OR2 messages[1] drop_message, OR2 messages[3] drop_message, OR2 messages[4] drop_message",
			repaired: transcriptOf(rpUser, rpUser),
		}, {
			name:     "OR5 a trigger is the last item",
			valid:    transcriptOf(rpUser, rpSays, `{"type":"compaction_trigger"}`),
			invalid:  transcriptOf(rpUser, `{"type":"compaction_trigger"}`, rpSays),
			says:     "OR5 messages[1] drop_message",
			repaired: transcriptOf(rpUser, rpSays),
		}, {
			name:     "OR6 references to what the provider keeps",
			valid:    transcriptOf(rpUser, rpRefers, strings.Replace(rpGot1, "c1", "c9", 1), rpUser),
			invalid:  transcriptOf(rpUser, rpRefers, strings.Replace(rpGot1, "c1", "c9", 1), rpCall1, rpUser),
			says:     "OR1 messages[3] add_result",
			repaired: transcriptOf(rpUser, rpRefers, strings.Replace(rpGot1, "c1", "c9", 1), rpCall1, rpLost1, rpUser),
		}, {
			name:     "I3 empty messages",
			valid:    transcriptOf(rpUser, `{"role":"user","content":[{"type":"input_image","image_url":"https://e.x/a.png"}]}`),
			invalid:  transcriptOf(rpUser, rpThinks, `{"type":"message","id":"msg_1","role":"assistant","content":[]}`, `{"role":"user","content":""}`),
			says:     "I3 messages[2] drop_message, I3 messages[3] drop_message",
			repaired: transcriptOf(rpUser),
		},
	})
}

// TestResponsesBody checks the rules that a request body decides, and a body without a list.
func TestResponsesBody(t *testing.T) {
	plain := strings.Replace(rpThinks, `,"encrypted_content":"gAAA"`, ``, 1)
	for _, test := range []struct{ name, body, says string }{
		{"OR3 stored", `{"input":` + transcriptOf(rpUser, plain, rpSays) + `}`, ""},
		{"OR3 not stored", `{"store":false,"input":` + transcriptOf(rpUser, plain, rpSays) + `}`, "OR3 messages.input[1] drop_message"},
		{"OR3 not stored, encrypted", `{"input":` + transcriptOf(rpUser, rpThinks, rpSays) + `,"store":false}`, ""},
		{"OR6 not stored", `{"store":false,"input":` + transcriptOf(rpUser, rpRefers) + `}`, "OR6 messages.input[1] drop_message"},
		{"OR1 the call is in the response before", `{"input":[` + rpGot1 + `],"previous_response_id":"resp_1"}`, ""},
		{"OR1 no response before", `{"input":[` + rpGot1 + `],"previous_response_id":null}`, "OR1 messages.input[0] drop_message"},
		{"OR1 the call is in the conversation", `{"conversation":{"id":"conv_1"},"input":[` + rpGot1 + `]}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if says := violations(t, "openai-responses", test.body); says != test.says {
				t.Errorf("validate says %q, want %q", says, test.says)
			}
		})
	}
	out := string(core.Call("validate", []byte(`{"messages":{"model":"gpt-5","input":"What is new?"}}`)))
	if !strings.Contains(out, `"code":"no_messages"`) || !strings.Contains(out, `\"input\" is not a list`) {
		t.Errorf("a text as input: %s", out)
	}
}

// TestResponsesMeasures checks the count for each kind of item, at four bytes per token and 4 tokens per message.
func TestResponsesMeasures(t *testing.T) {
	text := strings.Repeat("x", 400)
	for _, test := range []struct {
		name, item string
		tokens     int
	}{
		{"easy message", `{"role":"user","content":"` + text + `"}`, 100},
		{"message", `{"type":"message","role":"assistant","id":"` + text + `","content":[{"type":"output_text","text":"` + text + `","annotations":[]}]}`, 100},
		{"image", `{"role":"user","content":[{"type":"input_image","image_url":"` + text + `"}]}`, 1200},
		{"file", `{"role":"user","content":[{"type":"input_file","file_data":"` + text + `"}]}`, 76},
		{"reasoning", `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"` + text + `"},{"type":"summary_text","text":"` + text + `"}]}`, 200},
		{"encrypted reasoning", `{"type":"reasoning","summary":[],"encrypted_content":"` + strings.Repeat("g", 2000) + `"}`, (1500 - 650 + 3) / 4},
		{"short encrypted reasoning", `{"type":"reasoning","summary":[],"encrypted_content":"gAAA"}`, 0},
		{"call", `{"type":"function_call","call_id":"c","name":"read","arguments":"` + text + `"}`, 8 + 1 + 100},
		{"output", `{"type":"function_call_output","call_id":"c","output":"` + text + `"}`, 8 + 100},
		{"output in parts", `{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"` + text + `"},{"type":"input_image"}]}`, 8 + 100 + 1200},
		{"output of a shell", `{"type":"shell_call_output","call_id":"c","output":[{"stdout":"` + text + `","stderr":"` + text + text + `"}]}`, 8 + 200 + 100},
		{"screenshot", `{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"` + text + `"}}`, 8 + 1200},
		{"generated image", `{"type":"image_generation_call","id":"ig_1","status":"completed","result":"` + text + `"}`, 1200},
		{"opaque", `{"type":"something_new","x":"` + text + `"}`, 108},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := tokensOf(t, "openai-responses", test.item)[0] - 4; got != test.tokens {
				t.Errorf("%d tokens, want %d", got, test.tokens)
			}
		})
	}
}

// TestResponsesClear clears outputs. Of a shell's output, it clears the longest text.
func TestResponsesClear(t *testing.T) {
	long := strings.Repeat("long text ", 200)
	const marker = "[Old tool result content cleared]"
	for _, test := range []struct{ name, call, output, want string }{
		{"text", `"type":"function_call","name":"read","arguments":"{}"`, `"type":"function_call_output","output":"` + long + `"`, `"type":"function_call_output","output":"` + marker + `"`},
		{"parts", `"type":"custom_tool_call","name":"py","input":""`, `"type":"custom_tool_call_output","output":[{"type":"input_text","text":"` + long + `"}]`, `"type":"custom_tool_call_output","output":"` + marker + `"`},
		{"shell", `"type":"shell_call","action":{"commands":["ls"]}`, `"type":"shell_call_output","output":[{"stdout":"` + long + `","stderr":"x","outcome":{"type":"exit","exit_code":0}}]`,
			`"type":"shell_call_output","output":[{"stdout":"` + marker + `","stderr":"x","outcome":{"type":"exit","exit_code":0}}]`},
		{"tools found stay", `"type":"tool_search_call","arguments":{}`, `"type":"tool_search_output","tools":["` + long + `"]`, `"type":"tool_search_output","tools":["` + long + `"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := func(output string) string {
				return transcriptOf(rpUser, `{`+test.call+`,"call_id":"c1"}`, `{`+output+`,"call_id":"c1"}`, rpCall2, rpGot2, rpSays)
			}
			if got := cleared(t, "openai-responses", list(test.output)); got != list(test.want) {
				t.Errorf("cleared\n%.600s, want\n%.600s", got, list(test.want))
			}
		})
	}
}

// compactResponses folds as much as possible and returns the rest.
func compactResponses(t *testing.T, passes, list string) string {
	t.Helper()
	var a struct{ Messages json.RawMessage }
	request(t, "plan", `{"format":"openai-responses","window":{"tokens":300,"reserve":0},"last_resort":false,"summary":{"mode":"local"},"passes":[`+passes+`]}`, list, &a)
	if bad := judge.Valid("openai-responses", a.Messages); len(bad) > 0 {
		t.Errorf("%v in %s", bad, a.Messages)
	}
	if err := judge.Opaque("openai-responses", []byte(list), a.Messages); err != nil {
		t.Errorf("%v in %s", err, a.Messages)
	}
	return string(a.Messages)
}

const fold = `{"pass":"fold","keep_tokens":0}`

// TestResponsesOR4 folds around compaction items: the result of the compact endpoint stays as a whole, and a compaction item that the
// provider has inserted into a conversation stays.
func TestResponsesOR4(t *testing.T) {
	user := func(text string) string {
		return `{"role":"user","content":"` + text + strings.Repeat(" word", 200) + `"}`
	}
	says := func(text string) string {
		return `{"role":"assistant","content":"` + text + strings.Repeat(" word", 200) + `"}`
	}
	developer := `{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}`
	t.Run("what the compact endpoint returned", func(t *testing.T) {
		window := []string{user("one"), developer, user("two"), rpFolded}
		out := compactResponses(t, fold, transcriptOf(append(window, says("three"), user("four"), says("five"), user("six"))...))
		if head := strings.TrimSuffix(transcriptOf(window...), "]"); !strings.HasPrefix(out, head) {
			t.Errorf("the window was changed: %s", out)
		}
		if strings.Contains(out, "three word") || !strings.Contains(out, "[session digest") {
			t.Errorf("what came after the window was not folded: %.3000s", out)
		}
	})
	t.Run("a compaction item in a conversation", func(t *testing.T) {
		out := compactResponses(t, fold, transcriptOf(user("one"), says("two"), rpFolded, user("three"), says("four"), user("five")))
		if strings.Contains(out, says("two")) || strings.Contains(out, user("one")) || !strings.Contains(out, rpFolded) {
			t.Errorf("folded to %.3000s", out)
		}
		if strings.Index(out, "[session digest") > strings.Index(out, rpFolded) {
			t.Errorf("the digest of what came before the item stands behind it: %.3000s", out)
		}
	})
}

// TestResponsesUnits folds and strips reasoning, which stays together with what the model wrote after it (OR2).
func TestResponsesUnits(t *testing.T) {
	long := strings.Repeat("word ", 300)
	step := func(n string) []string {
		num := func(item string) string {
			return strings.NewReplacer("rs_1", "rs_"+n, "fc_1", "fc_"+n, "msg_1", "msg_"+n, `"c1"`, `"c`+n+`"`, "think", long).Replace(item)
		}
		return []string{num(rpThinks), num(rpSays), num(rpCall1), num(rpGot1)}
	}
	var items []string
	for _, n := range []string{"1", "2", "3", "4"} {
		items = append(append(items, rpUser), step(n)...)
	}
	items = append(items, rpUser)
	in := transcriptOf(items...)
	t.Run("fold", func(t *testing.T) {
		for _, keep := range []string{"0", "10", "40", "390", "400", "410", "450", "800"} {
			out := compactResponses(t, `{"pass":"fold","boundary":"group","keep_tokens":`+keep+`}`, in)
			for _, n := range []string{"1", "2", "3", "4"} {
				if whole := strings.Join(step(n), ","); strings.Contains(out, `"fc_`+n) && !strings.Contains(out, whole) {
					t.Errorf("keep_tokens %s: a part of the unit with rs_%s is left: %.4000s", keep, n, out)
				}
			}
		}
	})
	t.Run("strip takes the ids that ask for the reasoning", func(t *testing.T) {
		out := compactResponses(t, `{"pass":"reasoning","mode":"latest_turn"}`, in)
		if strings.Contains(out, "rs_") || strings.Contains(out, `"fc_`) || strings.Contains(out, `"msg_`) {
			t.Errorf("stripped to %.3000s", out)
		}
		if want := `{"type":"function_call","call_id":"c1","name":"read","arguments":"{\"path\":\"a\"}"}`; !strings.Contains(out, want) {
			t.Errorf("no %s in %.3000s", want, out)
		}
	})
	t.Run("strip leaves reasoning that an item cannot do without", func(t *testing.T) {
		thinks := strings.Replace(rpThinks, "think", long, 1)
		ran := `{"type":"code_interpreter_call","id":"ci_1","code":"1","container_id":"cntr_1","outputs":null,"status":"completed"}`
		list := transcriptOf(rpUser, thinks, ran, strings.ReplaceAll(thinks, "rs_1", "rs_2"), rpSays, rpUser)
		out := compactResponses(t, `{"pass":"reasoning","mode":"strip"}`, list)
		if !strings.Contains(out, thinks+","+ran) || strings.Contains(out, "rs_2") || strings.Contains(out, "msg_1") {
			t.Errorf("stripped to %s", out)
		}
	})
}

// TestResponsesPins pins the last item of a unit: it stays unchanged, and so does the reasoning that it needs.
func TestResponsesPins(t *testing.T) {
	long := `{"role":"assistant","content":"` + strings.Repeat("word ", 400) + `"}`
	list := transcriptOf(rpUser, long, rpUser, rpThinks, rpCall1, rpGot1, strings.ReplaceAll(rpThinks, "rs_1", "rs_2"), rpSays, rpUser, long, rpUser)
	for _, passes := range []string{fold, `{"pass":"reasoning","mode":"strip"},` + fold} {
		var a struct{ Messages json.RawMessage }
		request(t, "plan", `{"format":"openai-responses","window":{"tokens":300,"reserve":0},"summary":{"mode":"local"},"pins":[{"id":"msg_1"}],"passes":[`+passes+`]}`, list, &a)
		if out := string(a.Messages); !strings.Contains(out, strings.ReplaceAll(rpThinks, "rs_1", "rs_2")+","+rpSays) || strings.Contains(out, "rs_1") {
			t.Errorf("%s: compacted to %.3000s", passes, out)
		}
	}
}

// TestResponsesKeeps folds a conversation with open calls, references, approvals and added tools: everything that the next request needs
// stays.
func TestResponsesKeeps(t *testing.T) {
	long := `{"role":"assistant","content":"` + strings.Repeat("word ", 400) + `"}`
	ask := `{"type":"mcp_approval_request","id":"mcpr_1","name":"x","server_label":"s","arguments":"{}"}`
	yes := `{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}`
	for _, test := range []struct {
		name  string
		items []string
		keep  []string
	}{
		{"open calls", []string{rpUser, long, rpThinks, rpCall1, rpCall2, rpGot2}, []string{rpThinks, rpCall1}},
		{"references and their outputs", []string{rpRefers, rpGot1, long, rpUser, long}, []string{rpRefers, rpGot1}},
		{"added tools", []string{`{"type":"additional_tools","role":"developer","tools":[]}`, long, rpUser, long}, []string{`"additional_tools"`}},
		{"a trigger", []string{rpUser, long, long, `{"type":"compaction_trigger"}`}, []string{`"compaction_trigger"`}},
		{"approvals", []string{long, rpUser, long, ask, yes}, []string{ask + "," + yes}},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := compactResponses(t, fold, transcriptOf(test.items...))
			if !strings.Contains(out, "[session digest") {
				t.Errorf("nothing was folded: %.500s", out)
			}
			for _, keep := range test.keep {
				if !strings.Contains(out, keep) {
					t.Errorf("%s is gone: %.3000s", keep, out)
				}
			}
		})
	}
}

// An item without its id costs as much as after reading it again, because the id, which may be removed, costs nothing.
func TestResponsesSearchWithoutID(t *testing.T) {
	tokens := func(messages string) int {
		var a struct{ Tokens int }
		request(t, "estimate", `{"format":"openai-responses"}`, messages, &a)
		return a.Tokens
	}
	with := transcriptOf(rpUser, `{"type":"web_search_call","id":"ws_0123456789abcdef0123456789abcdef","status":"completed"}`, rpSays)
	without := strings.Replace(with, `"id":"ws_0123456789abcdef0123456789abcdef",`, "", 1)
	if a, b := tokens(with), tokens(without); a != b {
		t.Errorf("%d tokens with the id of the search, %d without", a, b)
	}
}

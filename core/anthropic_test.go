package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// program is a conversation in which a program that the provider runs calls tools: its result comes when it has theirs (AN11). Rounds is
// how often it calls, done whether it has ended.
func program(rounds int, done bool) string {
	list := `[{"role":"user","content":"How large are the files?"},{"role":"assistant","content":"` + strings.Repeat("Old talk. ", 200) + `"},{"role":"user","content":"Go on."},
		{"role":"assistant","content":[{"type":"text","text":"I run a program."},{"type":"server_tool_use","id":"srvtoolu_1","name":"code_execution","input":{"code":"for f in files: await size(f)"}}`
	for i := range rounds {
		if i > 0 {
			list += `,{"role":"assistant","content":[`
		} else {
			list += ","
		}
		list += fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"size","input":{"n":%d},"caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_1"}}]}`, i, i)
		list += fmt.Sprintf(`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":"%s"}]}`, i, strings.Repeat("4096 bytes ", 60))
	}
	if done {
		list += `,{"role":"assistant","content":[{"type":"code_execution_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"code_execution_result","stdout":"40960","stderr":"","return_code":0}},
			{"type":"text","text":"They take 40960 bytes."}]},{"role":"user","content":"And the folders?"}`
	}
	return list + "]"
}

// TestDeferredResults: a program that the provider runs, its calls, their results and the program's result form one group. The group is
// kept or folded as a whole, and nothing in it is repaired.
func TestDeferredResults(t *testing.T) {
	const tokens = `"window":{"tokens":700,"reserve":0},"summary":{"mode":"local"}`
	for _, tt := range []struct {
		name   string
		rounds int
		done   bool
	}{{"one round", 1, true}, {"four rounds", 4, true}, {"ten rounds", 10, true}, {"one round, waiting", 1, false}, {"ten rounds, waiting", 10, false}} {
		list := program(tt.rounds, tt.done)
		if bad := judge.Valid("anthropic", []byte(list)); len(bad) > 0 {
			t.Fatalf("%s: %v", tt.name, bad)
		}
		if v := call(t, "validate", `{"messages":`+list+`}`); !v.Valid {
			t.Errorf("%s: %+v", tt.name, v.Violations)
		}
		if r := call(t, "repair", `{"messages":`+list+`}`); string(r.Messages) != list {
			t.Errorf("%s: repair changed it: %s", tt.name, r.Messages)
		}
		changed := 0
		for _, preset := range policy.Presets() {
			for _, passes := range []string{"", `,"passes":[{"pass":"clear","keep_recent":1}]`, `,"passes":[{"pass":"drop","keep_first":1,"keep_recent":3}]`, `,"passes":[{"pass":"fit"}]`,
				`,"passes":[{"pass":"truncate","max_lines":0}]`, `,"passes":[{"pass":"fold","keep_tokens":120,"boundary":"group"}]`, `,"passes":[{"pass":"collapse","keep_recent":1},{"pass":"dedupe"}]`} {
				p := fmt.Sprintf(`{"preset":%q,"format":"anthropic",%s%s}`, preset.Name, tokens, passes)
				a, broken := promises(t, "anthropic", p, []byte(list), summaryText)
				for _, action := range a.Report.Actions {
					if action.Rule == "AN11" || action.Rule == "AN3" {
						broken = append(broken, "repaired for "+action.Rule)
					}
				}
				if len(broken) > 0 {
					t.Errorf("%s, %s: %v\n%s", tt.name, p, broken, a.Messages)
				}
				if a.Report.Changed {
					changed++
				}
				calls := strings.Count(string(a.Messages), `"caller"`)
				if calls != 0 && calls != tt.rounds || !tt.done && calls == 0 {
					t.Errorf("%s, %s: %d of %d calls are left", tt.name, p, calls, tt.rounds)
				}
				if !tt.done && strings.Count(string(a.Messages), strings.Repeat("4096 bytes ", 60)) != tt.rounds {
					t.Errorf("%s, %s: what the program waits for was changed", tt.name, p)
				}
			}
		}
		if changed == 0 {
			t.Errorf("%s: nothing was compacted", tt.name)
		}
	}
}

// TestInterruptedProgram: a program that was broken off loses its call; the calls that it has made are then the model's own.
func TestInterruptedProgram(t *testing.T) {
	list := strings.TrimSuffix(program(2, false), "]") + `,{"role":"user","content":"Stop."}]`
	v := call(t, "validate", `{"messages":`+list+`}`)
	if v.Valid || v.Violations[0].Rule != "AN11" {
		t.Fatalf("%+v", v.Violations)
	}
	r := call(t, "repair", `{"messages":`+list+`}`)
	if bad := judge.Valid("anthropic", r.Messages); len(bad) > 0 || strings.Contains(string(r.Messages), "caller") || strings.Count(string(r.Messages), `"tool_result"`) != 2 {
		t.Errorf("%v in %s", bad, r.Messages)
	}
}

// TestDeferredInAISDK tests the same in the formats of the AI SDK, where a call and its deferred result are parts of two assistant
// messages, or steps of one.
func TestDeferredInAISDK(t *testing.T) {
	const caller = `{"anthropic":{"caller":{"type":"code_execution_20250825","toolId":"s1"}}}`
	long := strings.Repeat("4096 bytes ", 60)
	for format, list := range map[string]string{
		"ai-sdk": `[{"role":"user","content":"` + strings.Repeat("Old talk. ", 200) + `"},{"role":"assistant","content":"Yes."},{"role":"user","content":"Go on."},
			{"role":"assistant","content":[{"type":"tool-call","toolCallId":"s1","toolName":"code_execution","input":{},"providerExecuted":true},
				{"type":"tool-call","toolCallId":"t1","toolName":"size","input":{},"providerOptions":` + caller + `}]},
			{"role":"tool","content":[{"type":"tool-result","toolCallId":"t1","toolName":"size","output":{"type":"text","value":"` + long + `"}}]},
			{"role":"assistant","content":[{"type":"tool-call","toolCallId":"t2","toolName":"size","input":{},"providerOptions":` + caller + `}]},
			{"role":"tool","content":[{"type":"tool-result","toolCallId":"t2","toolName":"size","output":{"type":"text","value":"` + long + `"}}]}]`,
		"ai-sdk-ui": `[{"id":"1","role":"user","parts":[{"type":"text","text":"` + strings.Repeat("Old talk. ", 200) + `"}]},{"id":"2","role":"assistant","parts":[{"type":"text","text":"Yes."}]},
			{"id":"3","role":"user","parts":[{"type":"text","text":"Go on."}]},{"id":"4","role":"assistant","parts":[{"type":"step-start"},
				{"type":"tool-code_execution","toolCallId":"s1","state":"input-available","input":{},"providerExecuted":true},
				{"type":"tool-size","toolCallId":"t1","state":"output-available","input":{},"output":"` + long + `","callProviderMetadata":` + caller + `},{"type":"step-start"},
				{"type":"tool-size","toolCallId":"t2","state":"output-available","input":{},"output":"` + long + `","callProviderMetadata":` + caller + `}]}]`,
	} {
		for _, passes := range []string{`{"pass":"clear","keep_recent":1}`, `{"pass":"fold","keep_tokens":120,"boundary":"group"}`, `{"pass":"fit"}`} {
			p := fmt.Sprintf(`{"format":%q,"window":{"tokens":450,"reserve":0},"summary":{"mode":"local"},"passes":[%s,{"pass":"fold","keep_tokens":100}]}`, format, passes) + force
			a, broken := promises(t, format, p, []byte(list), summaryText)
			if len(broken) > 0 || !a.Report.Changed {
				t.Errorf("%s, %s: %s %v", format, passes, a.Report.Reason, broken)
			}
			if n := strings.Count(string(a.Messages), long); n != 2 || !strings.Contains(string(a.Messages), `"s1"`) {
				t.Errorf("%s, %s: what the program waits for was changed: %s", format, passes, a.Messages)
			}
		}
	}
}

// TestProviderSummaries: messages before the provider's own summary cost nothing. Neither they nor the summary are moved, folded or
// changed, and no user turn is inserted before it (AN2, AN12).
func TestProviderSummaries(t *testing.T) {
	const block = `{"type":"compaction","content":"<summary>The files were counted: 42.</summary>","encrypted_content":"b3BhcXVl","signature":"c2ln"}`
	talk := func(n int) string {
		return fmt.Sprintf(`,{"role":"user","content":"Question %d"},{"role":"assistant","content":"%s"}`, n, strings.Repeat(fmt.Sprintf("Answer %d. ", n), 80))
	}
	behind := talk(1) + talk(2) + talk(3) + `,{"role":"user","content":"Last question"}]`
	short := `[{"role":"assistant","content":[` + block + `]}` + behind
	old := `{"role":"user","content":"Count the files."},{"role":"assistant","content":"` + strings.Repeat("Before the summary. ", 500) + `"}`
	long := `[` + old + `,{"role":"user","content":"Go on."},{"role":"assistant","content":[{"type":"text","text":"Before it."},` + block + `,{"type":"text","text":"Behind it."}]}` + behind
	for name, list := range map[string]string{"first": short, "in the midst": long} {
		if v := call(t, "validate", `{"messages":`+list+`}`); !v.Valid {
			t.Errorf("%s: %+v", name, v.Violations)
		}
		for _, preset := range policy.Presets() {
			for _, more := range []string{"", `,"passes":[{"pass":"fold","keep_tokens":60}]`, `,"passes":[{"pass":"fit"}]`, `,"passes":[{"pass":"drop","keep_first":0,"keep_recent":2}]`,
				`,"passes":[{"pass":"collapse","keep_recent":1}]`, `,"summary":{"scope":"branch","mode":"local"}`} {
				p := fmt.Sprintf(`{"preset":%q,"format":"anthropic","window":{"tokens":500,"reserve":0},"archive":"places"%s}`, preset.Name, more)
				if strings.Contains(more, "branch") {
					p += force
				}
				a, broken := promises(t, "anthropic", p, []byte(list), summaryText)
				if len(broken) > 0 && !strings.Contains(more, "branch") { // there the newest message goes too
					t.Errorf("%s, %s: %v", name, p, broken)
				}
				if front := list[:strings.Index(list, block)+len(block)]; !strings.HasPrefix(string(a.Messages), front) {
					t.Errorf("%s, %s: %s: the front has changed: %.300s", name, p, a.Report.Reason, a.Messages)
				}
			}
		}
	}
	inShort, inLong := estimateOf(t, `{"format":"anthropic"}`, short), estimateOf(t, `{"format":"anthropic"}`, long)
	if inLong-inShort > 20 {
		t.Errorf("%d tokens, and %d with what was summarised", inShort, inLong)
	}
	// A session counts the same.
	var at int
	if at = strings.Index(long, `,{"role":"user","content":"Go on."}`); at < 0 {
		t.Fatal("no such message")
	}
	s := new(live)
	id := s.open(t, `{"policy":{"format":"anthropic"},"messages":`+long[:at]+`]}`)
	if n := s.append(t, id, `[`+long[at+1:]); n != inLong {
		t.Errorf("a session counts %d tokens, estimate %d", n, inLong)
	}
	// What cannot be summarised by the provider is told on: published systems fold what they find.
	p := `{"preset":"turn-tail","format":"anthropic","wire_safe":false,"window":{"tokens":300,"reserve":0},"summary":{"mode":"model"}}` + force
	a := call(t, "plan", `{"policy":`+p+`,"messages":`+short+`}`)
	if len(a.Requests) == 0 || !strings.Contains(a.Requests[0].Prompt, "The files were counted: 42.") {
		t.Errorf("the summary is not in the record: %+v", a)
	}
}

// TestProviderSummariesInAISDK: there Anthropic's summary is text with a note of its provider's.
func TestProviderSummariesInAISDK(t *testing.T) {
	const note = `{"anthropic":{"type":"compaction","signature":"c2ln"}}`
	long := strings.Repeat("Answer. ", 300)
	for format, list := range map[string]string{
		"ai-sdk": `[{"role":"system","content":"Be short."},{"role":"user","content":"Count."},{"role":"assistant","content":[{"type":"text","text":"` + long + `"}]},{"role":"user","content":"Go on."},
			{"role":"assistant","content":[{"type":"text","text":"Counted: 42.","providerOptions":` + note + `},{"type":"text","text":"Yes."}]},
			{"role":"user","content":"One"},{"role":"assistant","content":"` + long + `"},{"role":"user","content":"Two"}]`,
		"ai-sdk-ui": `[{"id":"1","role":"user","parts":[{"type":"text","text":"Count."}]},{"id":"2","role":"assistant","parts":[{"type":"text","text":"` + long + `"}]},{"id":"3","role":"user","parts":[{"type":"text","text":"Go on."}]},
			{"id":"4","role":"assistant","parts":[{"type":"text","text":"Counted: 42.","providerMetadata":` + note + `},{"type":"text","text":"Yes."}]},
			{"id":"5","role":"user","parts":[{"type":"text","text":"One"}]},{"id":"6","role":"assistant","parts":[{"type":"text","text":"` + long + `"}]},{"id":"7","role":"user","parts":[{"type":"text","text":"Two"}]}]`,
	} {
		p := fmt.Sprintf(`{"format":%q,"window":{"tokens":500,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":60}]}`, format)
		a, broken := promises(t, format, p, []byte(list), summaryText)
		front := list[:strings.Index(list, `"Yes."}]}`)+len(`"Yes."}]}`)]
		if len(broken) > 0 || !a.Report.Changed || !strings.HasPrefix(string(a.Messages), front) {
			t.Errorf("%s: %s %v: %.400s", format, a.Report.Reason, broken, a.Messages)
		}
		if n := a.Report.Tokens.Before; n > 750 {
			t.Errorf("%s: %d tokens, with what was summarised", format, n)
		}
	}
}

// TestSystemMessages: a system message may contain only settings, and content that applies to one turn costs nothing afterwards (AN14).
func TestSystemMessages(t *testing.T) {
	const front = `[{"role":"user","content":"Count."},{"role":"system","content":"%s","clear_at":"next_user_message"}`
	const settings = `,{"role":"system","output_config":{"effort":"low"}},{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","name":"ls"}},{"type":"tool_removal","tool":{"type":"tool_reference","name":"rm"}}]}`
	const tail = `,{"role":"assistant","content":[{"type":"fallback","from":{"model":"a"},"to":{"model":"b"}},{"type":"mcp_tool_listing","server_name":"files","tools":[]},{"type":"text","text":"%s"}]}`
	reminder, long := strings.Repeat("Mind the gap. ", 200), strings.Repeat("Long answer. ", 300)
	once := fmt.Sprintf(front, reminder) + settings + fmt.Sprintf(tail, long) + "]"
	twice := once[:len(once)-1] + `,{"role":"user","content":"Again."}]`
	if v := call(t, "validate", `{"messages":`+once+`}`); !v.Valid {
		t.Fatalf("%+v", v.Violations)
	}
	before, after := estimateOf(t, `{"format":"anthropic"}`, once), estimateOf(t, `{"format":"anthropic"}`, twice)
	if after > before-500 {
		t.Errorf("%d tokens, and %d behind the next message of the user", before, after)
	}
	s := new(live)
	id := s.open(t, `{"policy":{"format":"anthropic"},"messages":`+once+`}`)
	if n := s.append(t, id, `[{"role":"user","content":"Again."}]`); n != after {
		t.Errorf("a session counts %d tokens, estimate %d", n, after)
	}
	for _, list := range []string{once, twice} {
		a, broken := promises(t, "anthropic", `{"window":{"tokens":400,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":10}]}`+force, []byte(list), summaryText)
		if len(broken) > 0 || !strings.Contains(string(a.Messages), settings) || !strings.Contains(string(a.Messages), "clear_at") {
			t.Errorf("%s %v: %s", a.Report.Reason, broken, a.Messages)
		}
	}
	if v := call(t, "validate", `{"policy":{"format":"anthropic"},"messages":[{"role":"user","content":"Hi"},{"role":"system"}]}`); v.Valid {
		t.Error("a message without content and settings is valid")
	}
}

// live calls operations on sessions.
type live struct{ core.Sessions }

func (s *live) open(t *testing.T, request string) int {
	t.Helper()
	var a struct{ Session int }
	if err := json.Unmarshal(s.Call("session_open", []byte(request)), &a); err != nil || a.Session == 0 {
		t.Fatalf("%v %+v", err, a)
	}
	return a.Session
}

func (s *live) append(t *testing.T, id int, messages string) (tokens int) {
	t.Helper()
	var a struct{ Tokens int }
	out := s.Call("session_append", fmt.Appendf(nil, `{"session":%d,"messages":%s}`, id, messages))
	if err := json.Unmarshal(out, &a); err != nil || a.Tokens == 0 {
		t.Fatalf("%v %s", err, out)
	}
	return a.Tokens
}

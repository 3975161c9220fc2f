package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// optionsChat returns a conversation in which a pass has something to do.
func optionsChat() string {
	body := strings.Repeat("line of output ", 60)
	return `[{"role":"user","content":"Compare."},{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"1","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"read","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"1","content":"` + body + `"},{"role":"tool","tool_call_id":"2","content":"` + body + `"},` +
		`{"role":"assistant","content":"They are equal."},{"role":"user","content":"Thanks."}]`
}

// A call's options are next to the policy, at any position in the request.
func TestOptions(t *testing.T) {
	const clear = `"passes":[{"pass":"clear","keep_recent":0}],"last_resort":false`
	list := optionsChat()
	tests := []struct {
		name, op, policy, options string
		wants                     []string // substrings of the answer
		lacks                     string
	}{
		{"nothing is due", "plan", `{"window":{"unlimited":true},` + clear + `}`, `{}`, []string{`"reason":"unlimited"`}, "zzz"},
		{"force", "plan", `{` + clear + `}`, `{"force":true}`, []string{`"reason":"compacted"`, `"messages":[`}, "zzz"},
		{"answer edits", "plan", `{` + clear + `}`, `{"force":true,"answer":"edits"}`, []string{`"edits":[`}, `"messages":[{`},
		{"answer report", "plan", `{` + clear + `}`, `{"force":true,"answer":"report"}`, []string{`"cleared":1`}, `"messages":[`},
		{"archive", "plan", `{` + clear + `}`, `{"force":true,"archive":"places"}`, []string{`"archive":[`}, "zzz"},
		{"archive in the policy", "plan", `{` + clear + `,"archive":"places"}`, `{"force":true}`, []string{`"archive":[`}, "zzz"},
		{"archive of the policy, but not now", "plan", `{` + clear + `,"archive":"places"}`, `{"force":true,"archive":""}`, []string{`"cleared":1`}, `"archive":[`},
		{"a window where the policy knows none", "check", `{}`, `{"window":500}`, []string{`"due":true`, `"window":500`}, "zzz"},
		{"a smaller window", "check", `{"window":{"tokens":100000}}`, `{"window":500}`, []string{`"window":500`}, "zzz"},
		{"a larger window does not count", "check", `{"window":{"tokens":400}}`, `{"window":500}`, []string{`"window":400`}, "zzz"},
		{"the reserve of a model is for its whole window", "check", `{"model":"gpt-5"}`, `{"window":100000}`, []string{`"window":100000`, `"limit":70000`}, "zzz"},
		{"no reserve", "check", `{"window":{"tokens":1000}}`, `{"no_reserve":true}`, []string{`"limit":800`}, "zzz"},
		{"a smaller window without the policy's reserve", "check", `{"window":{"tokens":100000,"reserve":2000}}`, `{"window":1000,"no_reserve":true}`, []string{`"limit":800`}, "zzz"},
		{"model", "check", `{}`, `{"model":"gpt-4o"}`, []string{`"window":128000`}, "zzz"},
		{"the policy's model", "check", `{"model":"gpt-4o"}`, `{"model":"gpt-5"}`, []string{`"window":128000`}, "zzz"},
		{"the policy's format", "check", `{"format":"openai-chat","window":{"unlimited":true}}`, `{"format":"native"}`, []string{`"format":"openai-chat"`}, "zzz"},
		{"usage", "check", `{"window":{"unlimited":true}}`, `{"usage":{"message":5,"total_tokens":7777}}`, []string{`"tokens":7777`, `"source":"measured"`, `"calibration":`}, "zzz"},
		{"usage of an estimate", "estimate", `{}`, `{"usage":{"message":-1,"total_tokens":7777}}`, []string{`"tokens":7777`}, "zzz"},
		{"mode", "plan", `{"passes":[{"pass":"fold","keep_tokens":1}]}`, `{"force":true,"summary":{"mode":"local"}}`, []string{`"source":"local"`}, `"requests"`},
		{"text", "plan", `{"passes":[{"pass":"fold","keep_tokens":1}]}`, `{"force":true,"summary":{"text":"## Goal\nThe user compares two files; they are equal, line by line."}}`, []string{`"source":"host"`}, `"requests"`},
		{"open calls", "validate", `{"open_calls":"answer"}`, `{"open_calls":"keep"}`, []string{`"valid":true`}, "zzz"},
		{"fit", "fit", `{` + clear + `}`, `{"force":true,"answer":"edits"}`, []string{`"edits":[`, `"memory":{`}, `"messages":[{`},
		{"repair", "repair", `{}`, `{"answer":"edits"}`, []string{`"edits":[`}, `"messages":[{`},
		{"restore", "restore", `{}`, `{"answer":"report"}`, []string{`"markers":[`}, `"messages":[{`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			messages := list
			if tt.op == "validate" { // the calls have no results yet
				messages = list[:strings.Index(list, `,{"role":"tool"`)] + `]`
			}
			members := []string{`"policy":` + tt.policy, `"options":` + tt.options, `"messages":` + messages}
			first := ""
			for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}} {
				request := `{` + members[order[0]] + `,` + members[order[1]] + `,` + members[order[2]] + `}`
				got := string(core.Call(tt.op, []byte(request)))
				for _, want := range tt.wants {
					if !strings.Contains(got, want) {
						t.Fatalf("members %v: no %s in %.900s", order, want, got)
					}
				}
				if strings.Contains(got, tt.lacks) {
					t.Fatalf("members %v: %s in %.900s", order, tt.lacks, got)
				}
				if first == "" {
					first = got
				}
				if got != first && tt.op != "validate" && !strings.Contains(got, `"offset"`) {
					t.Errorf("members %v: another answer: %.600s", order, got)
				}
			}
		})
	}
}

// If options follow the messages and a state, the messages are still read in the state's format.
func TestOptionsBehindAState(t *testing.T) {
	const said = `[{"role":"user","content":"Hello."},{"role":"assistant","content":"Good morning."}]`
	for _, request := range []string{
		`{"policy":{"window":{"unlimited":true}},"state":{"round":0,"ledger":{}},"messages":` + said + `,"options":{"format":"native"}}`,
		`{"policy":{"window":{"unlimited":true}},"options":{"format":"native"},"state":{"round":0,"ledger":{}},"messages":` + said + `}`,
	} {
		if got := string(core.Call("check", []byte(request))); !strings.Contains(got, `"format":"native"`) {
			t.Errorf("%s\n%s", request, got)
		}
	}
}

// An error names the option and its position.
func TestOptionErrors(t *testing.T) {
	list := optionsChat()
	tests := []struct{ options, code, path, at string }{ // at "": after the key or the value, as the reader of typed JSON counts
		{`{"forse":true}`, "unknown_field", "options.forse", ""},
		{`{"answer":"all"}`, "out_of_range", "options.answer", `"all"`},
		{`{"archive":"here"}`, "out_of_range", "options.archive", `"here"`},
		{`{"open_calls":"drop"}`, "out_of_range", "options.open_calls", `"drop"`},
		{`{"summary":{"mode":"none"}}`, "out_of_range", "options.summary.mode", `"none"`},
		{`{"summary":{"style":"x"}}`, "unknown_field", "options.summary.style", ""},
		{`{"window":-1}`, "out_of_range", "options.window", `-1`},
		{`{"window":400}`, "out_of_range", "options.window", `400`}, // the policy's reserve
		{`{"format":"morse"}`, "unknown_format", "options.format", `"morse"`},
		{`{"force":1}`, "wrong_type", "options.force", ""},
		{`{"force":true,"force":true}`, "duplicate_key", "options.force", `"force":true}`},
		{`{"usage":{"message":9,"total_tokens":1}}`, "out_of_range", "options.usage.message", `9`},
		{`{"usage":{"message":0,"total_tokens":-1}}`, "out_of_range", "options.usage", `{"message":0,"total_tokens":-1}`},
	}
	for _, tt := range tests {
		for _, op := range []string{"check", "plan", "fit", "session_open"} {
			request := `{"policy":{"window":{"reserve":500}},"messages":` + list + `,"options":` + tt.options + `}`
			var a struct {
				Error struct {
					Code, Path, Message string
					Offset              int
				}
			}
			_ = json.Unmarshal(core.Call(op, []byte(request)), &a)
			if a.Error.Code != tt.code || a.Error.Path != tt.path || !strings.HasPrefix(request[a.Error.Offset:], tt.at) {
				t.Errorf("%s: %s: %+v, at %.20s", op, tt.options, a.Error, request[a.Error.Offset:])
			}
		}
	}
}

// A plan carries the options that it was made with, but for the usage, of which it has the correction.
func TestPlanCarriesOptions(t *testing.T) {
	a := call(t, "plan", `{"policy":{"passes":[{"pass":"fold","keep_tokens":1}]},"options":{"force":true,"answer":"edits","archive":"","format":"openai-chat",`+
		`"usage":{"message":5,"total_tokens":900}},"messages":`+optionsChat()+`}`)
	if want := `"options":{"force":true,"answer":"edits","archive":"","format":"openai-chat"}`; !strings.Contains(string(a.Plan), want) {
		t.Fatalf("no %s in %s", want, a.Plan)
	}
	b := string(core.Call("step", fmt.Appendf(nil, `{"plan":%s,"summaries":[{"id":"fold-1","error":"no"}],"messages":%s}`, a.Plan, optionsChat())))
	if strings.Contains(b, `"requests"`) || !strings.Contains(b, `"edits":[`) {
		t.Errorf("%.600s", b)
	}
}

// A session has its own options, which the options of a call override.
func TestOptionsOfSessions(t *testing.T) {
	var s core.Sessions
	do := func(op, request string) string { return string(s.Call(op, []byte(request))) }
	opened := do("session_open", `{"policy":{"window":{"unlimited":true},"passes":[{"pass":"clear","keep_recent":0}],"last_resort":false},"options":{"answer":"edits","archive":"bodies",`+
		`"usage":{"message":5,"total_tokens":900}},"messages":`+optionsChat()+`}`)
	if !strings.HasPrefix(opened, `{"session":1,`) {
		t.Fatal(opened)
	}
	if got := do("plan", `{"session":1}`); !strings.Contains(got, `"reason":"unlimited"`) || !strings.Contains(got, `"edits":[`) {
		t.Errorf("its own options: %s", got)
	}
	if got := do("check", `{"session":1}`); strings.Contains(got, `"state"`) {
		t.Errorf("the usage was of the opening: %s", got)
	}
	if got := do("check", `{"session":1,"options":{"window":500}}`); !strings.Contains(got, `"due":true`) {
		t.Errorf("a window: %s", got)
	}
	if got := do("plan", `{"session":1,"options":{"force":true,"answer":"report"}}`); !strings.Contains(got, `"cleared":1`) || strings.Contains(got, `"edits":[`) ||
		!strings.Contains(got, `"archive":[`) {
		t.Errorf("over its own: %.900s", got)
	}
	if got := do("plan", `{"session":1,"policy":{"window":{"tokens":100000}},"options":{"archive":""}}`); !strings.Contains(got, `"edits":[`) {
		t.Errorf("beside another policy: %.900s", got)
	}
	if got := do("check", `{"session":1,"options":{"answer":"all"}}`); !strings.Contains(got, `"path":"options.answer"`) {
		t.Error(got)
	}
}

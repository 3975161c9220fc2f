package core_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// turns is a conversation of turns in each of which a file is written.
func turns(from, to int) string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"Request %d: write file %d."}`, i, i),
			fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"write","arguments":"{\"path\":\"src/f%d.go\"}"}}]}`, i, i),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`, i, strings.Repeat("written ", 60)),
			fmt.Sprintf(`{"role":"assistant","content":"File %d is written. %s"}`, i, strings.Repeat("It compiles. ", 60)))
	}
	return strings.Join(list, ",")
}

// Whatever a host answers to requests, in whatever order, the step ends with an error that has a code and changes nothing, or with a valid
// transcript in which every message is kept or can be restored and the user's requests are in the digest.
func TestReplies(t *testing.T) {
	t.Parallel()
	const policy = `{"format":"openai-chat","window":{"tokens":4000,"reserve":0},"archive":"places","passes":[{"pass":"fold","keep_tokens":500}],` +
		`"summary":{"max_input_tokens":2000,"split":%q,"max_output_tokens":400}}`
	messages := "[" + turns(0, 20) + "]"
	text := func(ids []string, text string) (out []string) {
		for _, id := range ids {
			out = append(out, fmt.Sprintf(`{"id":%q,"text":%s}`, id, text))
		}
		return out
	}
	quoted := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}
	good := quoted(summaryText)
	for _, c := range []struct {
		name   string
		answer func(ids []string) []string
		source string // of the digest, or the code of an error
		why    string
	}{
		{"in order", func(ids []string) []string { return text(ids, good) }, "model", ""},
		{"the last one first", func(ids []string) []string { out := text(ids, good); slices.Reverse(out); return out }, "model", ""},
		{"each one twice, the second time with an error", func(ids []string) []string {
			out := text(ids, good)
			for _, id := range ids {
				out = append(out, fmt.Sprintf(`{"id":%q,"error":"503"}`, id))
			}
			return out
		}, "model", ""},
		{"with others that nobody asked for", func(ids []string) []string {
			return append(text([]string{"fold-99", "", "fold-1-part-1000"}, good), text(ids, good)...)
		}, "model", ""},
		{"none", func([]string) []string { return nil }, "local", "summarizer_failed"},
		{"all but the first", func(ids []string) []string { return text(ids[1:], good) }, "", ""},
		{"empty", func(ids []string) []string { return text(ids, `""`) }, "local", ""},
		{"white space", func(ids []string) []string { return text(ids, `" \n\t\u00a0\u2003"`) }, "local", ""},
		{"null", func(ids []string) []string { return text(ids, `null`) }, "local", ""},
		{"errors", func(ids []string) []string {
			out := []string{}
			for _, id := range ids {
				out = append(out, fmt.Sprintf(`{"id":%q,"error":"503"}`, id))
			}
			return out
		}, "local", "summarizer_failed"},
		{"garbage", func(ids []string) []string { return text(ids, `"\u0000\ufffd\u202e</scrollback>\u001b[2J"`) }, "", ""},
		{"1 MB", func(ids []string) []string { return text(ids, quoted(strings.Repeat("much too long ", 1<<20/14))) }, "local", ""},
		{"a tool call", func(ids []string) []string { return text(ids, quoted(`{"name":"read","arguments":{"path":"a"}}`)) }, "local", ""},
		{"a refusal", func(ids []string) []string { return text(ids, quoted("I'm sorry, but I can't help with that.")) }, "local", ""},
		{"an answer to the conversation", func(ids []string) []string { return text(ids, quoted("Sure! I have written the file.")) }, "local", ""},
		{"the prompt itself", func(ids []string) []string {
			return text(ids, quoted("<scrollback>\n» you: Request 0\n</scrollback>\n"+strings.Repeat("Write the digest. ", 400)))
		}, "local", ""},
		{"a number for a text", func(ids []string) []string { return text(ids, `7`) }, "wrong_type", ""},
		{"a list for a text", func(ids []string) []string { return text(ids, `["a"]`) }, "wrong_type", ""},
		{"a text for a summary", func([]string) []string { return []string{`"summary"`} }, "wrong_type", ""},
		{"half a surrogate pair", func(ids []string) []string { return text(ids, `"\ud800"`) }, "", ""},
	} {
		for _, split := range []string{"map", "chain"} {
			policy := fmt.Sprintf(policy, split)
			a := call(t, "plan", `{"policy":`+policy+`,"messages":`+messages+`}`)
			if len(a.Requests) < 1 || split == "map" && len(a.Requests) < 2 {
				t.Fatalf("%s: %d requests", split, len(a.Requests))
			}
			for round := 0; a.Error == nil && len(a.Requests) > 0; round++ {
				if round > 50 {
					t.Fatalf("%s, %s: no end of requests", c.name, split)
				}
				var ids []string
				for _, r := range a.Requests {
					ids = append(ids, r.ID)
				}
				a = call(t, "step", `{"plan":`+string(a.Plan)+`,"summaries":[`+strings.Join(c.answer(ids), ",")+`],"messages":`+messages+`}`)
			}
			if a.Error != nil {
				if a.Error.Code != c.source || a.Messages != nil || a.State != nil || a.Error.Path == "" {
					t.Errorf("%s, %s: %+v", c.name, split, a.Error)
				}
				continue
			}
			if s := a.Report.Summary; s.Source != c.source && c.source != "" || s.Why != c.why && c.why != "" || !a.Report.Changed {
				t.Errorf("%s, %s: %+v", c.name, split, a.Report)
			}
			if bad := judge.Valid("openai-chat", a.Messages); len(bad) > 0 {
				t.Errorf("%s, %s: %s", c.name, split, bad[0])
			}
			for _, b := range restores(t, "openai-chat", []byte(messages), a) {
				t.Errorf("%s, %s: %s", c.name, split, b)
			}
			for _, want := range []string{"Request 0: write file 0.", "Request 17: write file 17.", "src/f17.go"} {
				if !strings.Contains(string(a.Messages), want) {
					t.Errorf("%s, %s: %q is gone", c.name, split, want)
				}
			}
			if strings.Contains(string(a.Messages), `\u202e`) || strings.Count(string(a.Messages), "</scrollback>") > 0 {
				t.Errorf("%s, %s: hidden signs or a fence came through", c.name, split)
			}
		}
	}
}

// A host that has lost its state, or passes that of another conversation, loses nothing that is in the digest.
func TestLostState(t *testing.T) {
	const policy = `{"format":"openai-chat","window":{"tokens":4000,"reserve":0},"summary":{"mode":"local"},"passes":[{"pass":"fold","keep_tokens":500}]}`
	other := compacts(t, policy, "", "["+strings.ReplaceAll(turns(100, 120), "src/", "other/")+"]", "")
	for name, state := range map[string]string{"none": "null", "an empty one": "{}", "another one": string(other.State)} {
		a := compacts(t, policy, "", "["+turns(0, 20)+"]", "")
		for round := range 3 {
			list := strings.TrimSuffix(string(a.Messages), "]")
			a = compacts(t, policy, state, list+","+turns(20+20*round, 40+20*round)+"]", "")
			if !a.Report.Changed {
				t.Fatalf("%s: %+v", name, a.Report)
			}
		}
		out := string(a.Messages)
		for _, want := range []string{"Request 0: write file 0.", "Request 72: write file 72.", "src/f72.go", "src/f62.go"} {
			if !strings.Contains(out, want) && !(name == "another one" && strings.HasPrefix(want, "Request 0")) {
				t.Errorf("%s: %q is gone", name, want)
			}
		}
	}
}

package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
)

// sealed is content that only OpenAI can read.
var sealed = strings.Repeat("Z0FBQUFBQm8", 60)

// providers lists the formats whose providers have their own compaction: a body of about 5,000 tokens, the members that the API requires
// besides the messages, and its response.
var providers = map[string]struct {
	list, begin, user, assistant, wants, path, beta string
	made, made2, none                               string
}{
	"anthropic": {list: "messages", begin: `{"model":"claude-opus-4-5","max_tokens":1000,"system":"Be brief.","tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":[`,
		user: `{"role":"user","content":"%s"}`, assistant: `{"role":"assistant","content":[{"type":"text","text":"%s"}]}`,
		wants: `"compaction":{"type":"summarize"},"system":"Be brief.","tools":[{"name":"read","input_schema":{"type":"object"}}]}`,
		path:  "/v1/messages", beta: "compact-2026-09-04",
		made:  `{"role":"assistant","content":[{"type":"compaction","content":"The user counts files.","encrypted_content":null,"signature":"c2ln\u002b+","tool_changes":[]}]}`,
		made2: `{"role":"assistant","content":[{"type":"compaction","content":"The user has counted files.","signature":"MnNpZw=="}]}`,
		none:  `{"role":"assistant","content":[{"type":"compaction","content":null,"encrypted_content":null}]}`},
	"openai-responses": {list: "input", begin: `{"model":"gpt-5","instructions":"Be brief.","input":[`,
		user: `{"role":"user","content":"%s"}`, assistant: `{"type":"message","role":"assistant","status":"completed","id":"msg_%d","content":[{"type":"output_text","text":"%s","annotations":[]}]}`,
		wants: `"instructions":"Be brief."}`, path: "/v1/responses/compact",
		made:  `{"role":"user","content":"Count the files."},{"type":"compaction","id":"cmp_1","encrypted_content":"` + sealed + `A"}`,
		made2: `{"role":"user","content":"Count the files."},{"type":"compaction","id":"cmp_2","encrypted_content":"` + sealed + `B"}`,
		none:  `{"role":"user","content":"Count the files."}`},
}

// fileTurns returns the messages of some turns in a provider's format.
func fileTurns(format string, from, to int) string {
	p := providers[format]
	var list []string
	for i := from; i < to; i++ {
		said := strings.Repeat(fmt.Sprintf("File %d has %d lines. ", i, i*i), 16)
		list = append(list, fmt.Sprintf(p.user, fmt.Sprintf("Go on with file src/part%d.go.", i)), strings.NewReplacer("%s", said, "%d", fmt.Sprint(i)).Replace(p.assistant))
	}
	return strings.Join(list, ",")
}

const providerPolicy = `{"window":{"tokens":24000,"reserve":0},"gate":{"ratio":0.2},"summary":{"provider":true,"retries":1},"passes":[{"pass":"fold","keep_tokens":600}]}`

// plan and step of a conversation, whose requests the function answers.
func provided(t *testing.T, format, policy, state, messages, options string, reply func(api.SummaryRequest) string) api.Planned {
	t.Helper()
	request := fmt.Sprintf(`{"policy":%s,"options":%s,"state":%s,"messages":%s}`, policy, options, state, messages)
	for op := "plan"; ; op = "step" {
		var p api.Planned
		if err := json.Unmarshal(core.Call(op, []byte(request)), &p); err != nil || p.Report.Format != api.Format(format) {
			t.Fatalf("%v: %.600s", err, core.Call(op, []byte(request)))
		}
		if len(p.Requests) == 0 {
			return p
		}
		var replies []string
		for _, r := range p.Requests {
			replies = append(replies, fmt.Sprintf(`{"id":"%s",%s}`, r.ID, reply(r)))
		}
		request = fmt.Sprintf(`{"plan":%s,"summaries":[%s],"messages":%s}`, p.Plan, strings.Join(replies, ","), messages)
	}
}

// The result of a provider's compaction becomes part of the result byte for byte, and is never folded. The next compaction by the provider
// includes it, and one by the model leaves it in place.
func TestProvider(t *testing.T) {
	for format, x := range providers {
		for _, answer := range []string{"messages", "edits"} {
			body := x.begin + fileTurns(format, 0, 40) + `]}`
			asked := 0
			made := x.made
			reply := func(r api.SummaryRequest) string {
				asked++
				if r.Provider == nil || r.Prompt == "" || string(r.Provider.Format) != format || r.Provider.Path != x.path || r.Provider.Beta != x.beta {
					t.Fatalf("%s: %s, %+v", format, r.ID, r.Provider)
				}
				sent := string(r.Provider.Body)
				if !json.Valid(r.Provider.Body) || !strings.HasPrefix(sent, `{"`+x.list+`":[`) || !strings.HasSuffix(sent, x.wants) {
					t.Errorf("%s: the request is %.100s…%s", format, sent, sent[len(sent)-200:])
				}
				if !strings.Contains(sent, "src/part3.go") || strings.Contains(sent, "src/part39.go") {
					t.Errorf("%s: the request has %s", format, sent)
				}
				return `"messages":[` + made + `]`
			}
			options := `{"answer":"` + answer + `"}`
			p := provided(t, format, providerPolicy, "{}", body, options, reply)
			if asked != 1 || !p.Report.Changed || p.Report.Summary.Source != api.SourceProvider || !p.Report.Fits {
				t.Fatalf("%s: %d asked, %+v", format, asked, p.Report)
			}
			if answer == "edits" {
				for _, each := range strings.SplitAfter(made, "},{\"type\"") {
					if each = strings.TrimSuffix(each, ",{\"type\""); !strings.Contains(string(p.Edits), `"insert":`) || !strings.Contains(string(p.Edits), each[:len(each)-1]) {
						t.Errorf("%s: %s", format, p.Edits)
					}
				}
				continue
			}
			got := string(p.Messages)
			if !strings.HasPrefix(got, x.begin+x.made) || !strings.Contains(got, "record was kept with it") || !strings.Contains(string(p.State), "src/part3.go") {
				t.Errorf("%s: %.900s\n%s", format, got, p.State)
			}
			if bad := judge.Valid(format, []byte(got[strings.Index(got, "\""+x.list+"\":")+len(x.list)+3:len(got)-1])); len(bad) > 0 {
				t.Errorf("%s: %v in %.900s", format, bad, got)
			}

			// Many turns later the provider is given what it has made.
			more := strings.TrimSuffix(got, "]}") + "," + fileTurns(format, 40, 80) + "]}"
			made = x.made2
			first := strings.Split(x.made, `,{"type"`)
			again := provided(t, format, strings.Replace(providerPolicy, "24000", "24100", 1), string(p.State), more, options, func(r api.SummaryRequest) string {
				if r.Provider == nil || !strings.HasPrefix(string(r.Provider.Body), `{"`+x.list+`":[`+first[0]) {
					t.Errorf("%s: the next request is %+v", format, r)
				}
				return `"messages":[` + made + `]`
			})
			if got := string(again.Messages); !strings.HasPrefix(got, x.begin+x.made2) || strings.Contains(got, "c2ln") || strings.Contains(got, "cmp_1") {
				t.Errorf("%s: %.900s", format, got)
			}
			// The model is asked by a policy that does not want the provider.
			byModel := provided(t, format, strings.Replace(providerPolicy, `"provider":true,`, "", 1), string(p.State), more, options, func(r api.SummaryRequest) string {
				if r.Provider != nil {
					t.Errorf("%s: the provider is asked", format)
				}
				return `"text":"## Goal\nThe user counts files, one after the other, and wants all of them read and counted."`
			})
			if got := string(byModel.Messages); !strings.HasPrefix(got, x.begin+x.made) || byModel.Report.Summary.Source != api.SourceModel {
				t.Errorf("%s: %.900s", format, got)
			}
		}
	}
}

// If the provider fails, the model's summary is used; if that fails too, the local digest.
func TestProviderFails(t *testing.T) {
	const text = `"text":"## Goal\nThe user counts files, one after the other, and wants all of them read and counted."`
	for format, x := range providers {
		body := x.begin + fileTurns(format, 0, 40) + `]}`
		for name, tt := range map[string]struct {
			first, second string
			source        api.SummarySource
		}{
			"the model's text":      {text, "", api.SourceModel},
			"nothing":               {`"messages":[]`, text, api.SourceModel},
			"null":                  {`"messages":[` + x.none + `]`, text, api.SourceModel},
			"no messages":           {`"messages":[{"role":"wizard"}]`, text, api.SourceModel},
			"another message":       {`"messages":[` + fmt.Sprintf(x.user, "Hello") + `]`, text, api.SourceModel},
			"too large":             {`"messages":[` + strings.TrimSuffix(strings.Repeat(fmt.Sprintf(x.user, strings.Repeat("word ", 900))+",", 9), ",") + "," + x.made + `]`, text, api.SourceModel},
			"an error":              {`"error":"away"`, text, api.SourceModel},
			"all fail":              {`"error":"away"`, `"error":"away"`, api.SourceLocal},
			"null, and the model's": {`"messages":[` + x.none + `]`, `"error":"away"`, api.SourceLocal},
		} {
			asked := 0
			p := provided(t, format, providerPolicy, "{}", body, "{}", func(r api.SummaryRequest) string {
				if asked++; asked == 1 {
					return tt.first
				}
				if r.Provider != nil {
					t.Errorf("%s, %s: the provider is asked again: %s", format, name, r.ID)
				}
				return tt.second
			})
			if !p.Report.Changed || p.Report.Summary.Source != tt.source || asked > 1 != (tt.second != "") {
				t.Errorf("%s, %s: %d asked, %+v", format, name, asked, p.Report)
			}
		}
	}
}

// The provider is not called if it has no such API, if no model may be called, or if its result would include a pinned message.
func TestNoProvider(t *testing.T) {
	body := func(format string) string { return providers[format].begin + fileTurns(format, 0, 40) + `]}` }
	for name, tt := range map[string]struct{ format, policy, body string }{
		"another format": {"openai-chat", providerPolicy, strings.Replace(body("anthropic"), `"system":"Be brief.","tools":[{"name":"read","input_schema":{"type":"object"}}],`, "", 1)},
		"a pin":          {"anthropic", strings.Replace(providerPolicy, `{"window"`, `{"pins":[{"index":4}],"window"`, 1), body("anthropic")},
	} {
		policy := strings.Replace(tt.policy, `{"`, `{"format":"`+tt.format+`","`, 1)
		provided(t, tt.format, policy, "{}", tt.body, "{}", func(r api.SummaryRequest) string {
			if r.Provider != nil {
				t.Errorf("%s: the provider is asked", name)
			}
			return `"error":"away"`
		})
	}
}

// The archive restores the messages that the provider has replaced, to the last byte.
func TestProviderRestored(t *testing.T) {
	for format, x := range providers {
		body := x.begin + fileTurns(format, 0, 40) + `]}`
		p := provided(t, format, providerPolicy, "{}", body, `{"archive":"bodies"}`, func(api.SummaryRequest) string { return `"messages":[` + x.made + `]` })
		var bodies []string
		for _, b := range p.Archive {
			text, _ := json.Marshal(b.Inline)
			bodies = append(bodies, fmt.Sprintf(`{"handle":"%s","body":%s}`, b.Handle, text))
		}
		request := fmt.Sprintf(`{"policy":%s,"state":%s,"bodies":[%s],"messages":%s}`, providerPolicy, p.State, strings.Join(bodies, ","), p.Messages)
		var r api.Restored
		if err := json.Unmarshal(core.Call("restore", []byte(request)), &r); err != nil || string(r.Messages) != body {
			t.Errorf("%s: %v, %.900s", format, err, core.Call("restore", []byte(request)))
		}
	}
}

package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// asked is the part of an answer that requests summaries.
type asked struct {
	Plan     json.RawMessage
	Requests []struct {
		ID, System, Prompt string
		InputTokens        int `json:"input_tokens"`
		Conversation       *struct {
			Edits []struct {
				Keep    []int
				Set     *int
				Insert  json.RawMessage
				Message json.RawMessage
			}
			Body map[string]json.RawMessage
		}
	}
	Messages json.RawMessage
	Report   struct {
		Reason  string
		Summary struct {
			Source, Why, Request string
			Usage                *struct {
				Read int `json:"cache_read_tokens"`
			}
			Saved *float64
		}
	}
	Error *struct{ Message string }
}

func ask(t *testing.T, op, request string) (a asked) {
	t.Helper()
	out := core.Call(op, []byte(request))
	if err := json.Unmarshal(out, &a); err != nil || a.Error != nil {
		t.Fatalf("%s: %v in %.400s", op, err, out)
	}
	return a
}

const cachedPrices = `"prices":{"input":3,"output":15,"cache_read":0.3,"cache_write":3.75}`

// bodies are request bodies of a long conversation whose last call has been answered.
func bodies(format string) string {
	long := strings.Repeat("The bucket is refilled by the second, and the limiter reads it. ", 40)
	var m []string
	add := func(f string, args ...any) { m = append(m, fmt.Sprintf(f, args...)) }
	switch format {
	case "anthropic":
		for i := range 20 {
			add(`{"role":"user","content":"Question %d: %s"}`, i, long)
			add(`{"role":"assistant","content":[{"type":"tool_use","id":"c%d","name":"read","input":{"path":"a%d.go"}}]}`, i, i)
			add(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":"%s"}]}`, i, long)
			add(`{"role":"assistant","content":[{"type":"text","text":"Answer %d."}]}`, i)
		}
		add(`{"role":"user","content":[{"type":"text","text":"And now?","cache_control":{"type":"ephemeral"}}]}`)
		return `{"model":"m","max_tokens":4096,"stream":true,"tool_choice":{"type":"auto"},"thinking":{"type":"enabled","budget_tokens":2000},"tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":[` + strings.Join(m, ",") + `]}`
	case "openai-chat":
		add(`{"role":"system","content":"Be brief."}`)
		for i := range 20 {
			add(`{"role":"user","content":"Question %d: %s"}`, i, long)
			add(`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{}"}}]}`, i)
			add(`{"role":"tool","tool_call_id":"c%d","content":"%s"}`, i, long)
			add(`{"role":"assistant","content":"Answer %d."}`, i)
		}
		add(`{"role":"user","content":"And now?"}`)
		return `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"read"}}],"messages":[` + strings.Join(m, ",") + `]}`
	case "openai-responses":
		for i := range 20 {
			add(`{"type":"message","role":"user","content":"Question %d: %s"}`, i, long)
			add(`{"type":"function_call","call_id":"c%d","name":"read","arguments":"{}"}`, i)
			add(`{"type":"function_call_output","call_id":"c%d","output":"%s"}`, i, long)
			add(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Answer %d."}]}`, i)
		}
		add(`{"type":"message","role":"user","content":"And now?"}`)
		return `{"model":"m","instructions":"Be brief.","tools":[{"type":"function","name":"read"}],"input":[` + strings.Join(m, ",") + `]}`
	case "gemini":
		for i := range 20 {
			add(`{"role":"user","parts":[{"text":"Question %d: %s"}]}`, i, long)
			add(`{"role":"model","parts":[{"functionCall":{"name":"read","args":{}}}]}`)
			add(`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"%s"}}}]}`, long)
			add(`{"role":"model","parts":[{"functionCall":{"name":"read","args":{}}}]}`)
			add(`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"Done %d."}}}]}`, i)
			add(`{"role":"model","parts":[{"text":"Answer %d."}]}`, i)
		}
		add(`{"role":"user","parts":[{"text":"And now?"}]}`)
		return `{"tools":[{"functionDeclarations":[{"name":"read"}]}],"contents":[` + strings.Join(m, ",") + `]}`
	case "bedrock-converse":
		for i := range 20 {
			add(`{"role":"user","content":[{"text":"Question %d: %s"}]}`, i, long)
			add(`{"role":"assistant","content":[{"toolUse":{"toolUseId":"c%d","name":"read","input":{}}}]}`, i)
			add(`{"role":"user","content":[{"toolResult":{"toolUseId":"c%d","content":[{"text":"%s"}]}}]}`, i, long)
			if i < 19 {
				add(`{"role":"assistant","content":[{"text":"Answer %d."}]}`, i)
			}
		}
		add(`{"role":"assistant","content":[{"toolUse":{"toolUseId":"c99","name":"read","input":{}}}]}`)
		add(`{"role":"user","content":[{"toolResult":{"toolUseId":"c99","content":[{"text":"Done."}]}},{"cachePoint":{"type":"default"}}]}`)
		return `{"toolConfig":{"tools":[{"toolSpec":{"name":"read"}}]},"messages":[` + strings.Join(m, ",") + `]}`
	case "ai-sdk":
		add(`{"role":"system","content":"Be brief."}`)
		for i := range 20 {
			add(`{"role":"user","content":"Question %d: %s"}`, i, long)
			add(`{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c%d","toolName":"read","input":{}}]}`, i)
			add(`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c%d","toolName":"read","output":{"type":"text","value":"%s"}}]}`, i, long)
			add(`{"role":"assistant","content":[{"type":"text","text":"Answer %d."}]}`, i)
		}
		add(`{"role":"user","content":"And now?"}`)
		return `{"tools":[{"type":"function","name":"read"}],"messages":[` + strings.Join(m, ",") + `]}`
	}
	panic(format)
}

// TestPrefixRequests requests summaries by extending the conversation, in each format whose providers have a prompt cache.
func TestPrefixRequests(t *testing.T) {
	for format, body := range map[string]string{
		"anthropic":        `{"max_tokens":6096,"stream":null}`,
		"openai-chat":      `{"max_completion_tokens":4096,"tool_choice":"none","stream":null}`,
		"openai-responses": `{"max_output_tokens":4096,"tool_choice":"none","store":false}`,
		"gemini":           `{"generationConfig":{"maxOutputTokens":4096},"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`,
		"bedrock-converse": `{"inferenceConfig":{"maxTokens":4096}}`,
		"ai-sdk":           `{"maxOutputTokens":4096,"toolChoice":"none"}`,
	} {
		t.Run(format, func(t *testing.T) {
			in := bodies(format)
			policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":40000,"reserve":4096},"gate":{"ratio":0.4},%s}`, format, cachedPrices)
			head := `{"policy":` + policy + `,"options":{"summary":{"prefix":true}},"messages":` + in + `}`
			a := ask(t, "plan", head)
			if len(a.Requests) != 1 || a.Requests[0].Conversation == nil {
				t.Fatalf("%d requests, and none behind the conversation: %+v", len(a.Requests), a.Report)
			}
			q := a.Requests[0]
			if q.System != "" || !strings.Contains(q.Prompt, "# Objective") {
				t.Errorf("the instruction is %q, %.200q", q.System, q.Prompt)
			}
			got, _ := json.Marshal(q.Conversation.Body)
			var want map[string]json.RawMessage
			_ = json.Unmarshal([]byte(body), &want)
			if limit := q.Conversation.Body["max_tokens"]; format != "anthropic" && len(want) != len(q.Conversation.Body) || format == "anthropic" && string(limit) == "" {
				t.Errorf("the body gets %s, want %s", got, body)
			}
			for name, value := range want {
				if have := string(q.Conversation.Body[name]); have != string(value) && !strings.Contains(name, "ax") && !strings.Contains(name, "Config") {
					t.Errorf("%s is %s, want %s", name, have, value)
				}
			}
			if size := len(a.Plan) + len(got); size > 2000 {
				t.Errorf("plan and body have %d bytes", size)
			}
			edits := q.Conversation.Edits
			if keep := edits[0].Keep; len(keep) != 2 || keep[0] != 0 {
				t.Fatalf("the request begins with %+v", edits[0])
			}
			last := edits[len(edits)-1]
			text := string(last.Insert) + string(last.Message)
			if !strings.Contains(text, "# Objective") {
				t.Errorf("the last message is no instruction: %.200s", text)
			}
			marks := 0
			for _, e := range edits {
				if m := append(e.Insert, e.Message...); len(m) > 0 {
					marks += len(cacheMarks(t, m))
				}
			}
			if want := map[string]int{"anthropic": 1, "bedrock-converse": 1}[format]; marks != want {
				t.Errorf("%d marks of the cache are new in the request, want %d", marks, want)
			}

			reply := func(more string) string {
				return `{"plan":` + string(a.Plan) + `,"summaries":[{"id":"` + q.ID + `",` + more + `}],"messages":` + in + `}`
			}
			done := ask(t, "step", reply(fmt.Sprintf(`"text":%q,"usage":{"input_tokens":1000,"cache_read_tokens":20000,"cache_write_tokens":0,"output_tokens":100}`, summaryText)))
			if s := done.Report.Summary; s.Source != "model" || s.Request != "prefix" || s.Usage == nil || s.Usage.Read != 20000 || s.Saved == nil || *s.Saved != 0.054 {
				t.Errorf("the summary is %+v", s)
			}
			for name, bad := range map[string]string{
				"a tool call":       `"text":"# Objective\nI read on.","finish_reason":"tool_use"`,
				"the task goes on":  `"text":"The bucket is refilled in line 12 of bucket.go, and the limiter reads it from there as you have asked me to find out."`,
				"a list of its own": `"text":"- first I read bucket.go\n- then I change the limiter\n- then I run the tests"`,
				"an error":          `"error":"400 prompt is too long"`,
			} {
				again := ask(t, "step", reply(bad))
				if len(again.Requests) == 0 || again.Requests[0].Conversation != nil || !strings.Contains(again.Requests[0].Prompt, "<scrollback>") {
					t.Errorf("%s: no record is asked for then: %+v", name, again.Report)
				}
			}
		})
	}
}

// TestPrefixRequestsOnlyWhereTheyPay lists when a record is sent instead.
func TestPrefixRequestsOnlyWhereTheyPay(t *testing.T) {
	const options = `{"summary":{"prefix":true}}`
	chat, claude := bodies("openai-chat"), bodies("anthropic")
	bare := chat[strings.Index(chat, `"messages":`)+len(`"messages":`) : len(chat)-1]
	for name, c := range map[string]struct {
		more, options, in string
		prefix            bool
	}{
		"as it is":                      {cachedPrices, options, chat, true},
		"the host cannot":               {cachedPrices, `{}`, chat, false},
		"no prices":                     {`"log":true`, options, chat, false},
		"no prices, but wanted":         {`"summary":{"request":"prefix"}`, options, chat, true},
		"not wanted":                    {`"summary":{"request":"flat"},` + cachedPrices, options, chat, false},
		"the cache is not cheaper":      {`"prices":{"input":3,"output":15}`, options, chat, false},
		"a list, and not its tools":     {cachedPrices, options, bare, false},
		"a list, but wanted":            {`"summary":{"request":"prefix"}`, options, bare, true},
		"no room in a request":          {`"summary":{"max_input_tokens":9000},` + cachedPrices, options, chat, false},
		"the style of another system":   {`"summary":{"style":"turn-tail"},` + cachedPrices, options, chat, false},
		"the answer is to be JSON":      {cachedPrices, options, strings.Replace(chat, `"model":"m"`, `"model":"m","response_format":{"type":"json_object"}`, 1), false},
		"the app marks nothing":         {cachedPrices, options, strings.ReplaceAll(claude, `,"cache_control":{"type":"ephemeral"}`, ""), false},
		"a forced call is not forced":   {cachedPrices, options, strings.Replace(claude, `{"type":"auto"}`, `{"type":"any"}`, 1), true},
		"a conversation without a call": {cachedPrices, options, `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("Hello there. ", 9000) + `"},{"role":"user","content":"And?"}]}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			policy := `{"window":{"tokens":40000,"reserve":4096},"gate":{"ratio":0.4},` + c.more + `}`
			a := ask(t, "plan", `{"policy":`+policy+`,"options":`+c.options+`,"messages":`+c.in+`}`)
			if got := len(a.Requests) == 1 && a.Requests[0].Conversation != nil; got != c.prefix || len(a.Requests) == 0 && c.prefix {
				t.Errorf("behind the conversation: %v; %+v", got, a.Report)
			}
			if strings.Contains(c.in, `"any"`) && string(a.Requests[0].Conversation.Body["tool_choice"]) != `{"type":"none"}` {
				t.Errorf("the call stays forced: %v", a.Requests[0].Conversation.Body)
			}
		})
	}
}

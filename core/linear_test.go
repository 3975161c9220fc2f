package core_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/steps"
)

// many returns n values of a JSON list, in which <i> is the index of the value and <r> the index from the end.
func many(n int, value string) string {
	values := make([]string, n)
	for i := range values {
		values[i] = strings.ReplaceAll(strings.ReplaceAll(value, "<i>", strconv.Itoa(i)), "<r>", strconv.Itoa(n-1-i))
	}
	return strings.Join(values, ",")
}

// crowds are conversations in which one thing occurs n times: in one message, in one result, or in messages of one kind.
var crowds = []struct {
	name, format string
	before       string
	each, then   string // n times the one, then n times the other
	between      string
	after        string
}{
	{"calls of one message", "openai-chat",
		`{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[`, `{"id":"c<i>","type":"function","function":{"name":"bash","arguments":"{\"command\":\"cat a<i>\"}"}}`,
		`{"role":"tool","tool_call_id":"c<r>","content":"Error: some words of a result\nexit code 1"}`, `]},`, `,{"role":"user","content":"x"}`},
	{"texts of one message", "openai-chat",
		`{"role":"user","content":[`, `{"type":"text","text":"word <i>"}`, "", `]},{"role":"assistant","content":"ok"}`, `,{"role":"user","content":"x"}`},
	{"images of one message", "openai-chat",
		`{"role":"user","content":[`, `{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`, "", `]},{"role":"assistant","content":"ok"}`, `,{"role":"user","content":"x"}`},
	{"lines of one message", "openai-chat", `{"role":"user","content":"`, `<i>,b,1\n`, "", `"},{"role":"assistant","content":"ok"}`, `,{"role":"user","content":"x"}`},
	{"messages of the user", "openai-chat", ``, `{"role":"user","content":"words of <i>"}`, "", ``, ``},
	{"messages of the system", "openai-chat", ``, `{"role":"system","content":"words of <i>"}`, "", ``, `,{"role":"user","content":"x"}`},
	{"messages of the assistant", "openai-chat", `{"role":"user","content":"x"},`, `{"role":"assistant","content":"words of <i>"}`, "", ``, ``},
	{"empty messages", "openai-chat", ``, `{"role":"assistant","content":""}`, "", ``, `,{"role":"user","content":"x"}`},
	{"calls without results", "openai-chat", `{"role":"user","content":"x"},`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c<i>","type":"function","function":{"name":"edit","arguments":"{\"path\":\"a\",\"old_string\":\"b\",\"new_string\":\"c\"}"}}]}`, "", ``, `,{"role":"user","content":"x"}`},
	{"calls and results of one message", "anthropic",
		`{"role":"user","content":"go"},{"role":"assistant","content":[`, `{"type":"tool_use","id":"c<i>","name":"Read","input":{"file_path":"f<i>"}}`,
		`{"type":"tool_result","tool_use_id":"c<r>","content":[{"type":"text","text":"words of a result"}]}`, `]},{"role":"user","content":[`, `]},{"role":"assistant","content":"ok"},{"role":"user","content":"x"}`},
	{"texts of one result", "anthropic",
		`{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"Read","input":{"file_path":"f"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[`,
		`{"type":"text","text":"one\ntwo\nthree\nfour\nfive\nsix words of a result"}`, "", ``, `]}]},{"role":"assistant","content":"ok"},{"role":"user","content":"x"}`},
	{"images of one result", "anthropic",
		`{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"Read","input":{"file_path":"f"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[`,
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}`, "", ``, `]}]},{"role":"assistant","content":"ok"},{"role":"user","content":"x"}`},
	{"reasoning of one message", "anthropic",
		`{"role":"user","content":"go"},{"role":"assistant","content":[`, `{"type":"thinking","thinking":"hm hm hm","signature":"abc<i>"}`, "", ``, `,{"type":"text","text":"done"}]},{"role":"user","content":"x"}`},
	{"reasoning of many messages", "anthropic",
		``, `{"role":"user","content":"go <i>"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm hm hm","signature":"abc<i>"},{"type":"text","text":"done"}]}`, "", ``, `,{"role":"user","content":"x"}`},
	{"empty texts of one message", "anthropic",
		`{"role":"user","content":[`, `{"type":"text","text":""}`, "", ``, `]},{"role":"assistant","content":"ok"},{"role":"user","content":"x"}`},
	{"items", "openai-responses", `{"role":"user","content":"go"},`,
		`{"type":"reasoning","id":"rs<i>","summary":[],"encrypted_content":"abc"},{"type":"function_call","call_id":"c<i>","name":"read","arguments":"{}"}`,
		`{"type":"function_call_output","call_id":"c<r>","output":"words of a result"}`, `,`, `,{"role":"user","content":"x"}`},
	{"reasoning without anything", "openai-responses", `{"role":"user","content":"go"},`,
		`{"type":"reasoning","id":"rs<i>","summary":[{"type":"summary_text","text":"a"}]}`, "", ``, `,{"role":"user","content":"x"}`},
	{"references", "openai-responses", `{"role":"user","content":"go"},`, `{"type":"item_reference","id":"rs<i>"}`, "", ``, `,{"role":"user","content":"x"}`},
	{"calls of one tool", "gemini", `{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[`, `{"functionCall":{"name":"read","args":{"path":"a<i>"}},"thoughtSignature":"x"}`,
		`{"functionResponse":{"name":"read","response":{"output":"words"}}}`, `]},{"role":"user","parts":[`, `]},{"role":"model","parts":[{"text":"ok"}]},{"role":"user","parts":[{"text":"x"}]}`},
	{"calls of many tools", "gemini", `{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[`, `{"functionCall":{"name":"read<i>","args":{"path":"a<i>"}}}`,
		`{"functionResponse":{"name":"read<r>","response":{"output":"words"}}}`, `]},{"role":"user","parts":[`, `]},{"role":"model","parts":[{"text":"ok"}]},{"role":"user","parts":[{"text":"x"}]}`},
	{"calls of one message", "ai-sdk", `{"role":"user","content":"go"},{"role":"assistant","content":[`, `{"type":"tool-call","toolCallId":"c<i>","toolName":"read","input":{"path":"a"}}`,
		`{"type":"tool-result","toolCallId":"c<r>","toolName":"read","output":{"type":"text","value":"words"}}`, `]},{"role":"tool","content":[`, `]},{"role":"assistant","content":"ok"},{"role":"user","content":"x"}`},
	{"steps of one message", "ai-sdk-ui", `{"id":"1","role":"user","parts":[{"type":"text","text":"go"}]},{"id":"2","role":"assistant","parts":[`,
		`{"type":"step-start"},{"type":"tool-read","toolCallId":"c<i>","state":"output-available","input":{"path":"a"},"output":"words"}`, "", ``, `]},{"id":"3","role":"user","parts":[{"type":"text","text":"x"}]}`},
	{"calls told of twice", "langchain", `{"type":"human","content":"go"},{"type":"ai","content":"","tool_calls":[`, `{"name":"read","args":{"path":"a"},"id":"c<i>"}`,
		`{"id":"c<r>","type":"function","function":{"name":"read","arguments":"{}"}}`, `],"additional_kwargs":{"tool_calls":[`, `]}},{"type":"human","content":"x"}`},
	{"calls of one id told of twice", "langchain", `{"type":"human","content":"go"},{"type":"ai","content":"","tool_calls":[`, `{"name":"read","args":{"path":"a"},"id":"c"}`,
		`{"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}`, `],"additional_kwargs":{"tool_calls":[`, `]}},{"type":"human","content":"x"}`},
	{"calls of one message", "mcp-sampling", `{"role":"user","content":{"type":"text","text":"go"}},{"role":"assistant","content":[`, `{"type":"tool_use","id":"c<i>","name":"read","input":{}}`,
		`{"type":"tool_result","toolUseId":"c<r>","content":[{"type":"text","text":"words"}]}`, `]},{"role":"user","content":[`, `]},{"role":"user","content":{"type":"text","text":"x"}}`},
	{"calls of one message", "native", `{"role":"user","content":"go"},{"role":"assistant","content":[`, `{"type":"tool_call","id":"c<i>","name":"read","arguments":"{}"}`,
		`{"type":"tool_result","id":"c<r>","content":"words"}`, `]},{"role":"tool","content":[`, `]},{"role":"assistant","content":"ok"},{"role":"user","content":"x"}`},
}

// TestLinear shows that whatever a conversation has n of, every pass, preset, rule and repair takes steps in proportion to n. Some operations
// are tried for each crowd, all of them with CTXFOLD_LONG, as in make test-hostile.
func TestLinear(t *testing.T) {
	t.Parallel()
	long := os.Getenv("CTXFOLD_LONG") != ""
	if testing.Short() {
		t.Skip("it builds core with counters")
	}
	counter := steps.Start(t)
	// Operations, with members of the policy and options.
	works := [][3]string{{"validate", ""}, {"repair", ""}, {"estimate", ""}, {"detect", ""}, {"digests", ""}}
	for _, to := range []string{"anthropic", "ai-sdk-ui", "bedrock-converse", "openai-responses", "plain"} {
		works = append(works, [3]string{"convert", to})
	}
	for _, preset := range []string{"default", "layered", "window-budget", "turn-tail", "checkpoint", "agent-loop"} {
		works = append(works, [3]string{"plan", `"preset":"` + preset + `",`}, [3]string{"plan", `"preset":"` + preset + `","wire_safe":false,`})
	}
	for _, pass := range []string{
		`{"pass":"archive"}`, `{"pass":"clear","keep_recent":1,"min_reclaim":0}`, `{"pass":"collapse","keep_recent":1}`, `{"pass":"dedupe","min_tokens":0}`,
		`{"pass":"drop","keep_recent":1}`, `{"pass":"fit"}`, `{"pass":"fold","keep_tokens":50,"boundary":"group"}`, `{"pass":"fold","keep_tokens":50,"boundary":"turn"}`,
		`{"pass":"fold","keep_tokens":50,"boundary":"forward"}`, `{"pass":"fold","keep_tokens":50,"boundary":"backward"}`, `{"pass":"reasoning","mode":"strip"}`,
		`{"pass":"reasoning"}`, `{"pass":"fold","keep_tokens":50},{"pass":"rehydrate"}`, `{"pass":"squeeze","keep_recent":0,"min_tokens":0}`, `{"pass":"tool_digest","keep_recent":1}`, `{"pass":"truncate","max_lines":1}`,
	} {
		works = append(works, [3]string{"plan", `"passes":[` + pass + `],`}, [3]string{"plan", `"archive":"bodies","passes":[` + pass + `],`, `,"answer":"edits"`})
	}
	for at, crowd := range crowds {
		t.Run(crowd.format+" "+crowd.name, func(t *testing.T) {
			made := map[int]string{} // by n
			messages := func(n int) string {
				if text := made[n]; text != "" {
					return text
				}
				text := crowd.before + many(n, crowd.each) + crowd.between
				if crowd.then != "" {
					text += many(n, crowd.then)
				}
				made[n] = `"messages":[` + text + crowd.after + `]}`
				return made[n]
			}
			n := 1000
			if long {
				n = 20000
			}
			for i, work := range works {
				if !long && (i+at)%18 != 0 {
					continue
				}
				policy := `{"policy":{"format":"` + crowd.format + `",` + work[1] + `"window":{"tokens":3000,"reserve":0},"summary":{"mode":"local"}},"options":{"force":true` + work[2] + `},`
				if work[0] != "plan" {
					policy = `{"policy":{"format":"` + crowd.format + `"},`
				}
				if work[0] == "convert" {
					policy += `"to":"` + work[1] + `",`
				}
				answer := counter.Linear(t, work[0], n, func(n int) []byte { return []byte(policy + messages(n)) })
				if bytes.HasPrefix(answer, []byte(`{"error"`)) {
					t.Fatalf("%s %s: %.300s", work[0], work[1], answer)
				}
				if t.Failed() {
					t.Logf("%s %s", work[0], work[1])
				}
			}
		})
	}
}

// TestExcerptsAreLinear shows that the excerpts of many cleared results take steps in proportion to their number, if there is room for a
// part of each result.
func TestExcerptsAreLinear(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds core with counters")
	}
	const before = `{"policy":{"format":"native","passes":[{"pass":"clear","keep_recent":1,"min_reclaim":0,"excerpt":60}],"window":{"tokens":100000000}},"options":{"force":true},"messages":[`
	prose := strings.Repeat(`The cheese of shelf <i> is turned by the dairy_<i> each day.\n\nNobody sells it before the market_<i> has opened in week <i>.\n\n`, 6)
	each := `{"role":"assistant","content":[{"type":"tool_call","id":"c<i>","name":"read","arguments":{"path":"a<i>"}}]},` +
		`{"role":"tool_result","tool_call_id":"c<i>","content":"` + prose + `"},{"role":"assistant","content":[{"type":"text","text":"dairy_<i> and market_<i>"}]}`
	steps.Start(t).Linear(t, "plan", 500, func(n int) []byte {
		return []byte(before + `{"role":"user","content":"go"},` + many(n, each) + `]}`)
	})
}

// TestATableCostsWhatProseCosts compacts conversations in which the user pastes a table, a log or other lines of data, and one in which the
// user pastes prose of the same size. A line of a table took as long as ten of prose.
func TestATableCostsWhatProseCosts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds core with counters")
	}
	counter := steps.Start(t)
	pasted := func(line string) uint64 {
		text := ""
		for n := 0; len(text) < 140_000; n++ {
			text += strings.NewReplacer("<n>", strconv.Itoa(n*7919%10007), "<m>", strconv.Itoa(n*31%97)).Replace(line)
		}
		request := `{"policy":{"format":"openai-chat","window":{"tokens":3000,"reserve":0},"summary":{"mode":"local"}},"options":{"force":true},"messages":[{"role":"user","content":"` +
			text + `"},{"role":"assistant","content":"ok"},{"role":"user","content":"And now?"}]}`
		counter.Call(t, "plan", []byte(request)) // warm up what is only done once
		cost, _ := counter.Call(t, "plan", []byte(request))
		return cost.Steps
	}
	prose := pasted(`Most of our users open page <n> of the settings before they change value <m>. `)
	for _, line := range []string{
		`<n>,ann,7.<m>,<m>,y\n`,
		`<n>;ann;7,<m>;<m>;y\n`,
		`<n>,ann,berlin,open,y\n`,
		`<n>\tann\t7.<m>\t<m>\ty\n`,
		`| <n> | ann | 7.<m> | <m> | y |\n`,
		`{\"id\":<n>,\"name\":\"ann\",\"rate\":7.<m>,\"open\":true}\n`,
		`2026-11-28T01:<m>:00Z INFO worker-<m> has handled request <n>\n`,
	} {
		if table := pasted(line); table > 2*prose { // a table has more numbers, which are facts, and more escapes
			t.Errorf("%s takes %d steps, and prose of the same size takes %d", line, table, prose)
		}
	}
}

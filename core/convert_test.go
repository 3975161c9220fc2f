package core_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/judge"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// targetsOf are the formats that a conversation can be written in.
func targetsOf() (names []string) {
	for _, f := range wire.AllFormats() {
		if f.Convert != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

type conversion struct {
	Error *struct {
		Code, Message, Path string
		Offset              int
	}
	From, To         string
	Valid            bool
	Lost             []loss
	Report           report
	System, Messages json.RawMessage
}

type loss struct {
	Message                             int
	Path, Kind, Reason, Instead, Detail string
	Count                               int
}

// converted runs convert and checks properties that hold for every answer.
func converted(t *testing.T, from, to string, list []byte) (a conversion) {
	t.Helper()
	out := core.Call("convert", fmt.Appendf(nil, `{"policy":{"format":%q},"to":%q,"messages":%s}`, from, to, list))
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%s to %s: %v in %s", from, to, err, out)
	}
	if a.Error != nil {
		t.Fatalf("%s to %s: %s at %s\n%s", from, to, a.Error.Message, a.Error.Path, list)
	}
	if from == to && !bytes.Equal(a.Messages, list) {
		t.Fatalf("%s: the same format has other bytes", from)
	}
	return a
}

// has reports whether something was lost of a kind, or for a reason.
func (a *conversion) has(words ...string) bool {
	return slices.ContainsFunc(a.Lost, func(l loss) bool { return slices.Contains(words, l.Kind) || slices.Contains(words, l.Reason) })
}

// judgedIn returns the judge's violations in a list, or nothing if the format has no judge.
func judgedIn(format string, list []byte) []string {
	if !judge.Known(format) {
		return nil
	}
	refused, tolerated := judge.Broken(format, list)
	return append(refused, tolerated...)
}

// ours reports whether text was written by a repair or replaces media, and doesn't belong to the conversation.
func ours(text string) bool {
	for _, begin := range []string{"[image", "[audio", "[file", "[Noted.]", "[The conversation goes on", "[Understood", "[No result", "[No output]"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// mediaNote matches the notes that replace media without text.
var mediaNote = regexp.MustCompile(`\[(image|audio|file)(: [^\]]*)?(, \d+ bytes)?\]`)

func spoken(texts []string) string {
	all := strings.Join(slices.DeleteFunc(slices.Clone(texts), ours), " ")
	return strings.Join(strings.Fields(mediaNote.ReplaceAllString(all, " ")), " ")
}

// differ describes the first difference between two texts.
func differ(what, got, want string) error {
	if got == want {
		return nil
	}
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	from := max(0, i-60)
	return fmt.Errorf("%s: %.200q, not %.200q", what, got[from:], want[from:])
}

// sameSaid compares the content of two lists, except for losses that are reported.
func sameSaid(a *conversion, from, to []byte) error {
	x, err := judge.SaidIn(from)
	if err != nil {
		return err
	}
	y, err := judge.SaidIn(to)
	if err != nil {
		return err
	}
	if toolless(a.To) && (len(x.Calls) > 0 || len(x.Results) > 0) {
		return nil // calls and results are texts there
	}
	if a.System == nil && !a.has("system_place") {
		err = errors.Join(err, differ("the system says", spoken(y.System), spoken(x.System)))
	}
	if !a.has("system_place") {
		err = errors.Join(err, differ("the user says", spoken(y.User), spoken(x.User)))
	}
	if !a.has("arguments", "name_form", "server_tool") {
		err = errors.Join(err, differ("calls", fmt.Sprint(y.Calls), fmt.Sprint(x.Calls)))
	}
	return errors.Join(err, differ("the assistant says", spoken(y.Assistant), spoken(x.Assistant)), differ("results", results(y.Results), results(x.Results)))
}

func results(s []string) string {
	var said []string
	for _, text := range s {
		if text = strings.Join(strings.Fields(mediaNote.ReplaceAllString(text, " ")), " "); text != "" && !ours(text) {
			said = append(said, text)
		}
	}
	slices.Sort(said) // they are in the order of their calls
	return strings.Join(said, " | ")
}

// conversations returns the number of conversations for each pair of formats: in make test-long there are 2,000 for each source format.
func conversations() int { return budget(4, 4, 2000/len(targetsOf())) }

// TestConvertIsValid: the output is valid according to the target's judge, and has the same content as the source.
func TestConvertIsValid(t *testing.T) {
	t.Parallel()
	for _, from := range gen.Formats() {
		for _, to := range targetsOf() {
			t.Run(from+"/"+to, func(t *testing.T) {
				for seed := range conversations() {
					r := rand.New(rand.NewPCG(uint64(seed), 77))
					broken := seed%2 == 1
					c := gen.New(r, gen.Options{Messages: 2 + r.IntN(24), Broken: broken})
					list, _ := json.Marshal(c.Render(from, r))
					if string(list) == "null" {
						continue
					}
					a := converted(t, from, to, list)
					if from == to || string(a.Messages) == "[]" {
						continue
					}
					if bad := judgedIn(to, a.Messages); len(bad) > 0 || !a.Valid {
						t.Fatalf("seed %d: %v %s\nfrom %s\nto   %s", seed, a.Valid, bad, list, a.Messages)
					}
					if broken {
						continue
					}
					if err := sameSaid(&a, list, a.Messages); err != nil {
						t.Fatalf("seed %d: %v\nfrom %s\nto   %s\nlost %v", seed, err, list, a.Messages, a.Lost)
					}
				}
			})
		}
	}
}

// TestConvertThereAndBack: texts, calls, arguments and results stay the same after converting to a format and back.
func TestConvertThereAndBack(t *testing.T) {
	t.Parallel()
	for _, from := range gen.Formats() {
		for _, to := range targetsOf() {
			if from == to || toolless(to) {
				continue
			}
			t.Run(from+"/"+to, func(t *testing.T) {
				for seed := range conversations() {
					r := rand.New(rand.NewPCG(uint64(seed), 78))
					c := gen.New(r, gen.Options{Messages: 2 + r.IntN(24)})
					for i := range c {
						c[i].Image = false
						for k := range c[i].Calls {
							c[i].Calls[k].Image = false
						}
					}
					list, _ := json.Marshal(c.Render(from, r))
					if string(list) == "null" {
						continue
					}
					there := converted(t, from, to, list)
					back := converted(t, to, from, there.Messages)
					x, err := judge.SaidIn(list)
					if err != nil {
						t.Fatal(err)
					}
					y, err := judge.SaidIn(back.Messages)
					if err != nil {
						t.Fatal(err)
					}
					if there.has("arguments") { // calls that could not be read
						x.Calls, y.Calls = nil, nil
					}
					if there.System != nil || back.System != nil || there.has("system_place") {
						x.System, y.System = nil, nil
						if there.has("system_place") {
							x.User, y.User = nil, nil
						}
					}
					err = errors.Join(differ("the system says", spoken(y.System), spoken(x.System)), differ("the user says", spoken(y.User), spoken(x.User)),
						differ("the assistant says", spoken(y.Assistant), spoken(x.Assistant)),
						differ("calls", fmt.Sprint(y.Calls), fmt.Sprint(x.Calls)), differ("results", results(y.Results), results(x.Results)))
					if err != nil {
						t.Fatalf("seed %d: %v\nfrom %s\nvia %s\nto %s", seed, err, list, there.Messages, back.Messages)
					}
				}
			})
		}
	}
}

// TestRealSessionsConvert converts real sessions to all formats; in make test each session to every ninth one.
func TestRealSessionsConvert(t *testing.T) {
	t.Parallel()
	all := sessions.Load(t, formats...)
	if testing.Short() {
		all = slices.DeleteFunc(all, func(s sessions.Session) bool { return len(s.Name)%9 > 0 })
	}
	for n, s := range all {
		list := s.JSON()
		for i, to := range targetsOf() {
			if (n+i)%budget(1, 9, 1) > 0 {
				continue
			}
			a := converted(t, s.Format, to, list)
			if s.Format == to || string(a.Messages) == "[]" { // all of it is its provider's own
				continue
			}
			if bad := judgedIn(to, a.Messages); len(bad) > 0 || !a.Valid {
				t.Errorf("%s from %s to %s: %v %.500s %v", s.Name, s.Format, to, a.Valid, bad, a.Report.Left)
			}
		}
	}
}

// TestConvertReports has a row for each kind of loss: the input, the target, the remaining content, and the reported losses.
func TestConvertReports(t *testing.T) {
	user := func(part string) string {
		return `[{"role":"user","content":[{"type":"text","text":"a"},` + part + `]}]`
	}
	image := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoA"}}`
	call := func(id, name, input string) string {
		return `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":` + input +
			`}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","is_error":true,"content":[{"type":"text","text":"no"},` + image + `]}]}]`
	}
	for _, test := range []struct{ name, from, to, messages, holds, lost string }{
		{"signed thinking", "anthropic", "openai-chat", `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"b"}]}]`,
			`{"role":"assistant","content":"b"}`, `messages[1].content[0] reasoning signed nothing `},
		{"a document of LangChain's that is a text", "langchain", "anthropic", `[{"type":"human","content":[{"type":"text-plain","mimeType":"text/plain","title":"t","text":"b"}]}]`,
			`{"role":"user","content":"b"}`, `messages[0].content[0] opaque opaque text text-plain`},
		{"calls before the content", "openai-chat", "openai-responses", `[{"role":"user","content":"a"},{"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}],"content":"b","reasoning_content":"hm","role":"assistant"},{"role":"tool","tool_call_id":"c1","content":"r"}]`,
			`"content":"b"},{"type":"function_call","call_id":"c1"`, `messages[1] reasoning no_place nothing `},
		{"reasoning behind the content", "openai-chat", "pi", `[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":"hm"}]`,
			`[{"type":"thinking","thinking":"hm"},{"type":"text","text":"b"}]`, ``},
		{"signed thinking where there is a place", "anthropic", "ollama", `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"b"}]}]`,
			`{"role":"assistant","content":"b","thinking":"hm"}`, `messages[1].content[0] reasoning signed unsigned `},
		{"encrypted reasoning", "openai-responses", "gemini", `[{"role":"user","content":"a"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},{"type":"message","role":"assistant","content":"b"}]`,
			`{"role":"model","parts":[{"text":"b"}]}`, `messages[1] reasoning signed nothing `},
		{"a server tool", "anthropic", "mistral", `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[]},{"type":"text","text":"b"}]}]`,
			`{"role":"assistant","content":"b"}`, `messages[1].content[0] tool_call server_tool nothing web_search,messages[1].content[1] tool_result server_tool nothing `},
		{"a cache mark", "anthropic", "openai-chat", user(`{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}`), `{"type":"text","text":"b"}`, `messages[0].content[1] member cache_mark nothing cache_control`},
		{"a cache mark that is a part", "bedrock-converse", "openai-chat", `[{"role":"user","content":[{"text":"a"},{"cachePoint":{"type":"default"}}]}]`, `"a"`, `messages[0].content[1] opaque cache_mark nothing `},
		{"citations", "anthropic", "gemini", `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"b","citations":[{"type":"page_location"}]}]}]`, `{"text":"b"}`,
			`messages[1].content[0] member citations nothing citations`},
		{"a name", "openai-chat", "anthropic", `[{"role":"user","name":"Ann","content":"a"}]`, `"a"`, `messages[0] member name nothing name`},
		{"developer", "openai-chat", "mistral", `[{"role":"developer","content":"short"},{"role":"user","content":"a"}]`, `{"role":"system","content":"short"}`, `messages[0] message role system developer`},
		{"a refusal", "openai-chat", "anthropic", `[{"role":"user","content":"a"},{"role":"assistant","content":null,"refusal":"No."}]`, `{"role":"assistant","content":"No."}`, `messages[1] opaque opaque text refusal`},
		{"an unknown part", "anthropic", "gemini", user(`{"type":"hologram","data":1}`), `{"role":"user","parts":[{"text":"a"}]}`, `messages[0].content[1] opaque opaque nothing hologram`},
		{"ids for Mistral, an image in an error", "anthropic", "mistral", call("toolu_1", "read", `{"p":1}`),
			`{"role":"tool","tool_call_id":"cf0000001","name":"read","content":[{"type":"text","text":"no"},{"type":"image_url","image_url":"data:image/png;base64,iVBORw0KGgoA"}]}`,
			`messages[1].content[0] tool_call id_form changed cf0000001,messages[2].content[0] tool_result error_flag nothing `},
		{"an image that a result has no place for", "anthropic", "openai-chat", call("toolu_1", "read", `{"p":1}`),
			`{"role":"tool","tool_call_id":"toolu_1","content":"no"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgoA"}}]}`,
			`messages[2].content[0] tool_result error_flag nothing ,messages[2].content[1] image no_place moved image/png`},
		{"no ids", "anthropic", "ollama", call("toolu_1", "read", `{"p":1}`), `{"role":"tool","tool_name":"read","content":"no","images":["iVBORw0KGgoA"]}`, `messages[2].content[0] tool_result error_flag nothing `},
		{"a name of a tool", "anthropic", "openai-chat", call("toolu_1", "fs.read", `{}`), `"name":"fs_read"`, `messages[1].content[0] tool_call name_form changed fs_read,*`},
		{"arguments that are no object", "openai-chat", "anthropic", `[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{oops"}}]},{"role":"tool","tool_call_id":"c1","content":"r"}]`,
			`"input":{"input":"{oops"}`, `messages[1].tool_calls[0] tool_call arguments wrapped `},
		{"an image by URL for bytes", "openai-chat", "bedrock-converse", user(`{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}`), `{"text":"[image: https://x.test/a.png]"}`, `messages[0].content[1] image url text `},
		{"audio without a place", "openai-chat", "anthropic", user(`{"type":"input_audio","input_audio":{"data":"UklGRgAA","format":"wav"}}`), `{"type":"text","text":"[audio: audio/wav, 6 bytes]"}`, `messages[0].content[1] audio no_place text audio/wav`},
		{"a file in the provider's store", "openai-responses", "gemini", `[{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_file","file_id":"file_1"}]}]`, `{"text":"[file: file_1]"}`, `messages[0].content[1] file provider_only text `},
		{"the system too late", "openai-chat", "anthropic", `[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"system","content":"c"},{"role":"user","content":"d"}]`, `{"role":"user","content":"c"}`, `messages[2] message system_place user `},
		{"a result without a call", "openai-responses", "ai-sdk", `[{"role":"user","content":"a"},{"type":"function_call_output","call_id":"c1","output":"r"}]`, `"a"`, `messages[1] tool_result orphan nothing c1`},
		{"a source for the user's interface", "ai-sdk-ui", "openai-chat", `[{"id":"1","role":"user","parts":[{"type":"text","text":"a"},{"type":"data-x","data":1}]}]`, `"a"`, `messages[0] member metadata nothing id,messages[0].parts[1] opaque not_sent nothing data-x`},
		{"calls as texts", "anthropic", "plain", call("toolu_1", "read", `{"p":1}`), `{"role":"assistant","content":"[Tool call: read {\"p\":1}]"},{"role":"user","content":"[Tool result: read]\nno\n[image: image/png, 9 bytes]"}`,
			`messages[1].content[0] tool_call no_place text ,messages[2].content[0] tool_result no_place text ,messages[2].content[1] image no_place text image/png`},
		{"media that a list has no place for", "ai-sdk", "anthropic", `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"f","output":{"type":"content","value":[{"type":"image-data","data":"iVBORw0KGgoA","mediaType":"image/png"},{"type":"file-data","data":"AAAA","mediaType":"audio/wav"}]}}]}]`,
			`"content":[{"type":"text","text":"[audio: audio/wav, 3 bytes]"},{"type":"image",`, `messages[2].content[1] audio no_place text audio/wav`},
		{"a result of the provider's own tool among others", "ai-sdk", "anthropic", `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{},"providerExecuted":true}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"f","output":{"type":"text","value":"r"}}]},{"role":"user","content":"b"}]`,
			`"a"`, `messages[1].content[0] tool_call server_tool nothing f,messages[2].content[0] tool_result *`},
		{"an approval first", "ai-sdk", "anthropic", `[{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"1","approved":true}]},{"role":"user","content":"a"}]`, `"a"`, `messages[0].content[0] opaque not_sent nothing tool-approval-response`},
		{"a summary that can be read", "anthropic", "openai-chat", `[{"role":"user","content":"old"},{"role":"assistant","content":[{"type":"compaction","content":"All of it."}]},{"role":"user","content":"new"}]`,
			`[{"role":"assistant","content":"All of it."},{"role":"user","content":"new"}]`, `messages[0] message not_sent nothing ,messages[1].content[0] text provider_only text `},
		{"a summary that nobody else can read", "anthropic", "openai-chat", `[{"role":"user","content":"old"},{"role":"assistant","content":[{"type":"compaction","content":null,"encrypted_content":"gAAA"}]},{"role":"user","content":"new"}]`,
			`[{"role":"user","content":"old"},{"role":"user","content":"new"}]`, `messages[1].content[0] opaque opaque nothing compaction`},
		{"a document without a text", "anthropic", "bedrock-converse", `[{"role":"user","content":[{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjQ="}}]}]`,
			`{"document":{"format":"pdf","name":"document-1","source":{"bytes":"JVBERi0xLjQ="}}},{"text":"[file: a.pdf, 8 bytes]"}`, `messages[0].content[0] file name nothing a.pdf`},
		{"an item's own id", "openai-responses", "anthropic", `[{"role":"user","content":"a"},{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"r"}]`,
			`"id":"c1"`, `messages[1] member metadata nothing id`},
		{"white space", "openai-chat", "anthropic", `[{"role":"user","content":" "},{"role":"user","content":"a"}]`, `"a"`, `messages[0] text empty nothing `},
		{"a command of the user's", "native", "openai-chat", `[{"role":"bash_execution","command":"ls","output":"a","exit_code":0}]`, `{"type":"text","text":"Ran: ls\nExit code: 0"},{"type":"text","text":"a"}`, `messages[0] message role user bash_execution`},
		{"a request body", "openai-chat", "anthropic", `{"model":"gpt","tools":[{"type":"function","function":{"name":"read","description":"Reads","parameters":{"type":"object"}}},{"type":"web_search"}],"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}]}`,
			`{"system":"s","tools":[{"name":"read","description":"Reads","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"a"}]}`,
			`messages member beside nothing model,messages tools server_tool nothing web_search`},
		{"tools of Gemini", "gemini", "bedrock-converse", `{"tools":[{"functionDeclarations":[{"name":"read","parameters":{"type":"OBJECT","properties":{"type":{"type":"STRING","enum":["STRING"]}}}}]},{"googleSearch":{}}],"contents":[{"role":"user","parts":[{"text":"a"}]}]}`,
			`{"toolConfig":{"tools":[{"toolSpec":{"name":"read","description":"","inputSchema":{"json":{"type":"object","properties":{"type":{"type":"string","enum":["STRING"]}}}}}}]},"messages":[{"role":"user","content":[{"text":"a"}]}]}`,
			`contents tools server_tool nothing googleSearch`},
		{"tools of Bedrock", "bedrock-converse", "gemini", `{"toolConfig":{"tools":[{"toolSpec":{"name":"read","inputSchema":{"json":{"type":"object"}}}},{"cachePoint":{"type":"default"}}],"toolChoice":{"auto":{}}},"messages":[{"role":"user","content":[{"text":"a"}]}]}`,
			`{"tools":[{"functionDeclarations":[{"name":"read","description":"","parametersJsonSchema":{"type":"object"}}]}],"contents":[{"role":"user","parts":[{"text":"a"}]}]}`,
			`messages member beside nothing toolChoice,messages tools cache_mark nothing cachePoint`},
		{"tools where there is no place for them", "anthropic", "ai-sdk", `{"tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"a"}]}`, `{"messages":[{"role":"user","content":"a"}]}`, `messages tools tools nothing tools`},
		{"an answer with calls in pi", "anthropic", "pi", call("toolu_1", "read", `{"p":1}`), `"stopReason":"toolUse","timestamp":0},{"role":"toolResult","toolCallId":"toolu_1","toolName":"read","content":[{"type":"text","text":"no"},{"type":"image","data":"iVBORw0KGgoA","mimeType":"image/png"}],"isError":true,"timestamp":0}`, ``},
		{"metadata of pi", "pi", "openai-chat", `[{"role":"user","content":"a","timestamp":1},{"role":"assistant","content":[{"type":"text","text":"b"}],"api":"x","provider":"y","model":"z","usage":{"input":1},"stopReason":"stop","timestamp":2},{"role":"user","content":"c","timestamp":3},{"role":"assistant","content":[{"type":"text","text":"d"}],"api":"x","provider":"y","model":"z","usage":{"input":1},"stopReason":"stop","timestamp":4}]`,
			`{"role":"assistant","content":"d"}`, `messages[0] member metadata nothing timestamp of 4,messages[1] member metadata nothing api of 2,messages[1] member metadata nothing model of 2,` +
				`messages[1] member metadata nothing provider of 2,messages[1] member metadata nothing stopReason of 2,messages[1] member metadata nothing usage of 2`},
		{"an answer that pi broke off", "pi", "openai-chat", `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"f","arguments":{}}],"stopReason":"aborted"},{"role":"bashExecution","command":"ls","output":"b","exitCode":0}]`,
			`[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"Ran: ls\nExit code: 0"},{"type":"text","text":"b"}]}]`, `messages[1] message not_sent nothing ,messages[2] message role user bashExecution`},
		{"items of the Agents SDK", "anthropic", "openai-agents", call("toolu_1", "read", `{"p":1}`), `{"type":"function_call","callId":"toolu_1","name":"read","arguments":"{\"p\":1}","status":"completed"},{"type":"function_call_result","callId":"toolu_1","name":"read","status":"completed","output":[{"type":"input_text","text":"no"},{"type":"input_image","image":"data:image/png;base64,iVBORw0KGgoA"}]}`,
			`messages[2].content[0] tool_result error_flag nothing `},
		{"an image in a store of OpenAI's", "openai-agents", "anthropic", `[{"role":"user","content":[{"type":"input_image","image":{"id":"file_1"}}]},{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"b"}],"providerData":{"a":1}}]`,
			`{"role":"user","content":"[image: file_1]"}`, `messages[0].content[0] image provider_only text ,messages[1] member provider_only nothing providerData`},
		{"flat messages of LangChain", "anthropic", "langchain", call("toolu_1", "read", `{"p":1}`), `{"type":"ai","content":"","tool_calls":[{"type":"tool_call","id":"toolu_1","name":"read","args":{"p":1}}]},{"type":"tool","tool_call_id":"toolu_1","name":"read","content":[{"type":"text","text":"no"},`, ``},
		{"a call that LangChain tells of three times", "langchain", "openai-chat", `[{"type":"human","data":{"content":"a"}},{"type":"ai","data":{"content":[{"type":"tool_use","id":"c1","name":"f","input":{}}],"tool_calls":[{"id":"c1","name":"f","args":{}}],"additional_kwargs":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}],"k":1},"response_metadata":{"m":1}}},{"type":"tool","data":{"content":"r","tool_call_id":"c1","status":"error"}}]`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"r"}`,
			`messages[1] member metadata nothing k,messages[1] member metadata nothing response_metadata,messages[2] tool_result error_flag nothing `},
		{"blocks of MCP", "anthropic", "mcp-sampling", call("toolu_1", "read", `{"p":1}`), `[{"role":"user","content":{"type":"text","text":"go"}},{"role":"assistant","content":{"type":"tool_use","id":"toolu_1","name":"read","input":{"p":1}}},{"role":"user","content":[{"type":"tool_result","toolUseId":"toolu_1","content":[{"type":"text","text":"no"},{"type":"image","data":"iVBORw0KGgoA","mimeType":"image/png"}],"isError":true}]}]`, ``},
		{"what a block of MCP has beside", "mcp-sampling", "anthropic", `[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"tool_use","id":"c1","name":"f","input":{}}},{"role":"user","content":{"type":"tool_result","toolUseId":"c1","content":[{"type":"text","text":"r","_meta":{"b":1}}],"structuredContent":{"a":1}}}]`,
			`{"type":"tool_result","tool_use_id":"c1","content":"r"}`, `messages[2] member metadata nothing structuredContent,messages[2].content[0] member metadata nothing _meta`},
		{"messages of AG-UI", "mistral", "ag-ui", `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}],"tool_calls":[{"id":"abcdefghi","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"abcdefghi","content":"r"}]`,
			`{"id":"ctxfold-2","role":"reasoning","content":"hm"},{"id":"ctxfold-3","role":"assistant","content":"","toolCalls":[{"id":"abcdefghi","type":"function","function":{"name":"f","arguments":"{}"}}]},{"id":"ctxfold-4","role":"tool","toolCallId":"abcdefghi","content":"r"}`, ``},
		{"a turn in messages of AG-UI", "ag-ui", "mistral", `[{"id":"1","role":"user","content":[{"type":"document","source":{"type":"data","value":"JVBERi0xLjQ=","mimeType":"application/pdf"}}]},{"id":"2","role":"reasoning","content":"hm"},{"id":"3","role":"assistant","content":"b"}]`,
			`[{"role":"user","content":[{"type":"document_url","document_url":"data:application/pdf;base64,JVBERi0xLjQ="}]},{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"b"}]}]`,
			`messages[0] member metadata nothing id of 3`},
		{"calls at once in TanStack", "openai-chat", "tanstack", `[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c2","content":"r2"},{"role":"tool","tool_call_id":"c1","content":"r1"}]`,
			`"parts":[{"type":"tool-call","id":"c1","name":"f","arguments":"{}","state":"input-complete"},{"type":"tool-call","id":"c2","name":"g","arguments":"{}","state":"input-complete"},{"type":"tool-result","toolCallId":"c1","content":"r1","state":"complete"},{"type":"tool-result","toolCallId":"c2","content":"r2","state":"complete"}]`, ``},
		{"a result beside its call in TanStack", "tanstack", "anthropic", `[{"id":"1","role":"user","parts":[{"type":"text","content":"a"}]},{"id":"2","role":"assistant","parts":[{"type":"tool-call","id":"c1","name":"f","arguments":"{}","output":{"x":1},"state":"complete"},{"type":"tool-result","toolCallId":"c1","content":"r","state":"error"},{"type":"structured-output","status":"complete","raw":"{}","data":{}}]}]`,
			`{"type":"tool_result","tool_use_id":"c1","content":"r","is_error":true}`, `messages[0] member metadata nothing id of 2,*`},
		{"a request body with the system beside", "anthropic", "openai-chat", `{"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":"a"}]}`, `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}]}`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := converted(t, test.from, test.to, []byte(test.messages))
			var lost []string
			for _, l := range a.Lost {
				lost = append(lost, strings.Join([]string{strings.NewReplacer("messages.messages", "messages", "messages.contents", "contents").Replace(l.Path), l.Kind, l.Reason, l.Instead, l.Detail}, " "))
				if l.Count > 0 {
					lost[len(lost)-1] += fmt.Sprint(" of ", l.Count)
				}
			}
			slices.Sort(lost)
			if got := strings.Join(lost, ","); got != test.lost && !(strings.HasSuffix(test.lost, "*") && strings.HasPrefix(got, strings.TrimSuffix(test.lost, "*"))) {
				t.Errorf("lost %q, not %q", got, test.lost)
			}
			if !strings.Contains(string(a.Messages), test.holds) || !a.Valid {
				t.Errorf("%s is not in %s", test.holds, a.Messages)
			}
		})
	}
}

// TestConvertSystem: next to a list of messages the system prompt comes in the shape that the target has it in.
func TestConvertSystem(t *testing.T) {
	list := []byte(`[{"role":"system","content":"Be short."},{"role":"system","content":"Be kind."},{"role":"user","content":"a"}]`)
	for to, system := range map[string]string{
		"anthropic": `"Be short.\n\nBe kind."`, "gemini": `{"parts":[{"text":"Be short.\n\nBe kind."}]}`, "bedrock-converse": `[{"text":"Be short.\n\nBe kind."}]`,
		"gemini-interactions": `"Be short.\n\nBe kind."`, "adk": `"Be short.\n\nBe kind."`, "mistral": "",
	} {
		a := converted(t, "openai-chat", to, list)
		if string(a.System) != system || strings.Contains(string(a.Messages), "kind") == (system != "") {
			t.Errorf("%s: %s beside %s", to, a.System, a.Messages)
		}
	}
	// Mastra reads what the system says from next to the parts alone.
	if a := converted(t, "openai-chat", "mastra", list); !strings.Contains(string(a.Messages), `"parts":[{"type":"text","text":"Be kind."}],"content":"Be kind."}`) {
		t.Errorf("mastra: %s", a.Messages)
	}
}

// TestConvertWritesWhatStoresNeed: messages of assistant-ui are marked as complete, and those of Mastra have ascending dates, by which its
// stores sort.
func TestConvertWritesWhatStoresNeed(t *testing.T) {
	list := []byte(`[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]`)
	var messages []struct {
		Role, CreatedAt string
		Status          *struct{ Type, Reason string }
		Attachments     *[]any
		Metadata        *struct{ Custom *struct{} }
	}
	if err := json.Unmarshal(converted(t, "openai-chat", "assistant-ui", list).Messages, &messages); err != nil || len(messages) != 4 {
		t.Fatal(messages, err)
	}
	for i, m := range messages {
		if user := m.Role == "user"; m.Metadata == nil || m.Metadata.Custom == nil || user != (m.Attachments != nil) || user != (m.Status == nil) ||
			!user && (m.Status.Type != "complete" || m.Status.Reason == "") {
			t.Errorf("assistant-ui: message %d is %+v", i, m)
		}
	}
	if err := json.Unmarshal(converted(t, "openai-chat", "mastra", list).Messages, &messages); err != nil || len(messages) != 4 {
		t.Fatal(messages, err)
	}
	var last time.Time
	for i, m := range messages {
		at, err := time.Parse(time.RFC3339Nano, m.CreatedAt)
		if err != nil || !at.After(last) {
			t.Errorf("mastra: message %d is of %q, after %v: %v", i, m.CreatedAt, last, err)
		}
		last = at
	}
}

// TestConvertRefuses: the error for an unknown target names it and the nearest one.
func TestConvertRefuses(t *testing.T) {
	for request, says := range map[string]string{
		`{"to":"antropic","messages":[{"role":"user","content":"a"}]}`: `did you mean \"anthropic\"?`,
		`{"to":7,"messages":[{"role":"user","content":"a"}]}`:          `"code":"wrong_type"`,
		`{"messages":[{"role":"user","content":"a"}]}`:                 `has no \"to\"`,
		`{"to":"plain"}`: `has no \"messages\"`,
		`{"to":"plain","policy":{"format":"openai-chat"},"messages":[{"role":"user","content":[{"type":"text"` + `]}]}`: `"path":"messages`,
	} {
		if out := string(core.Call("convert", []byte(request))); !strings.Contains(out, says) || !strings.HasPrefix(out, `{"error"`) {
			t.Errorf("%s: %s", request, out)
		}
	}
}

// TestConvertDeep: arguments and results with the maximum nesting of a request can be converted to every format.
func TestConvertDeep(t *testing.T) {
	for _, depth := range []int{100, 490, 500, 505, 507, 508} {
		deep := strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth)
		text, _ := json.Marshal(deep)
		for _, list := range []string{
			`[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":` + string(text) + `}}]},{"role":"tool","tool_call_id":"c1","content":"r"}]`,
		} {
			for _, to := range targetsOf() {
				converted(t, "openai-chat", to, []byte(list))
			}
		}
		list := `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"f","input":` + deep +
			`}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"f","output":{"type":"json","value":` + deep + `}}]}]`
		for _, to := range targetsOf() {
			out := string(core.Call("convert", []byte(`{"policy":{"format":"ai-sdk"},"to":"`+to+`","messages":`+list+`}`)))
			if strings.HasPrefix(out, `{"error"`) && depth < 500 {
				t.Errorf("%d deep to %s: %s", depth, to, out)
			}
		}
	}
}

// toolless reports whether messages of a format have no tool calls.
func toolless(format string) bool { return format == "plain" || format == "prompt-api" }

package core_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// found is an answer of search.
type found struct {
	Results []struct {
		Body, Index, Score, Offset  int
		Handle, Role, Date, Snippet string
	}
	Searched struct {
		Bodies, Messages, Bytes int
		Missing                 []string
	}
	Error *struct {
		Code, Path, Message string
		Offset              int
	}
}

func searchFor(t testing.TB, request string) (a found) {
	t.Helper()
	answer := core.Call("search", []byte(request))
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatalf("%v: %.300s", err, answer)
	}
	return a
}

// in is a request that searches texts of bodies.
func in(query string, bodies ...string) string {
	var list []string
	for i, b := range bodies {
		list = append(list, fmt.Sprintf(`{"handle":"%016x","body":%s}`, i+1, quote(b)))
	}
	return fmt.Sprintf(`{"query":%s,"bodies":[%s]}`, quote(query), strings.Join(list, ","))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// TestSearchOfFormats finds the same text in a message of each wire format, with its role and position.
func TestSearchOfFormats(t *testing.T) {
	const said = "The harbour office opens at nine."
	call := `The harbour office answers on 555-0134.`
	for _, c := range []struct{ name, body, role string }{
		{"openai-chat", `[{"role":"user","content":"Hello"},{"role":"assistant","content":"%s"}]`, "assistant"},
		{"openai-chat tool", `[{"role":"user","content":"Hello"},{"role":"tool","tool_call_id":"harbour","content":"%s"}]`, "tool"},
		{"openai-chat call", `[{"role":"user","content":"Hello"},{"role":"assistant","content":null,"tool_calls":[{"id":"harbour","type":"function","function":{"name":"note","arguments":"{\"text\":\"%s\"}"}}]}]`, "assistant"},
		{"openai-responses", `[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"%s"}]}]`, "assistant"},
		{"openai-responses output", `[{"type":"function_call","call_id":"1","name":"open","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":"%s"}]`, "tool"},
		{"anthropic", `[{"role":"user","content":[{"type":"text","text":"Hello"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"harbour"},{"type":"text","text":"%s"}]}]`, "assistant"},
		{"anthropic result", `[{"role":"user","content":"Hello"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"%s"}]}]}]`, "tool"},
		{"gemini", `[{"role":"user","parts":[{"text":"Hello"}]},{"role":"model","parts":[{"text":"%s"}]}]`, "assistant"},
		{"gemini result", `[{"role":"user","parts":[{"text":"Hello"}]},{"role":"user","parts":[{"functionResponse":{"name":"open","response":{"output":"%s"}}}]}]`, "tool"},
		{"ai-sdk", `[{"role":"user","content":"Hello"},{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","toolName":"open","output":{"type":"text","value":"%s"}}]}]`, "tool"},
		{"ai-sdk-ui", `[{"id":"1","role":"user","parts":[{"type":"text","text":"Hello"}]},{"id":"2","role":"assistant","parts":[{"type":"text","text":"%s"}]}]`, "assistant"},
		{"langchain", `[{"type":"human","content":"Hello"},{"type":"ai","content":"%s"}]`, "assistant"},
		{"native", `[{"role":"user","content":[{"type":"text","text":"Hello"}]},{"role":"toolResult","content":[{"type":"text","text":"%s"}]}]`, "tool"},
		{"a fold with what was left standing", `[{"role":"user","content":"Hello"},{"role":"user","content":"%s"},2,"` + strings.Repeat("ab", 32) + `"]`, "user"},
		{"changes", `["changes 1",{"role":"user","content":"%s"},"keep 0 3"]`, "user"},
		{"a text", `"%s"`, "tool"},
		{"parts", `[{"type":"text","text":"%s"}]`, "tool"},
		{"a message", `{"role":"user","content":"%s"}`, "user"},
		{"an object", `{"rows":[1,{"a":"%s"}],"type":"x"}`, "tool"},
		{"no JSON", "%s\n\xc3", "tool"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_ = call
			body := strings.ReplaceAll(c.body, "%s", said)
			request := in("When does the harbour office open?", body)
			if c.name == "no JSON" {
				request = in("When does the harbour office open?", said+"\n{")
			}
			a := searchFor(t, request)
			index := 0
			if strings.HasPrefix(body, `[{"role"`) || strings.HasPrefix(body, `[{"type":"m`) || strings.HasPrefix(body, `[{"type":"f`) || strings.HasPrefix(body, `[{"id"`) ||
				strings.HasPrefix(body, `[{"type":"h`) || strings.HasPrefix(body, `["changes`) {
				index = 1
			}
			if a.Error != nil || len(a.Results) == 0 {
				t.Fatalf("%+v", a)
			}
			if r := a.Results[0]; r.Index != index || r.Role != c.role || !strings.Contains(r.Snippet, said) || r.Handle != "0000000000000001" {
				t.Errorf("found %+v, want index %d of %s", r, index, c.role)
			}
		})
	}
}

func TestSearchErrors(t *testing.T) {
	for _, c := range []struct{ name, request, code, path string }{
		{"no query", `{"bodies":[]}`, "missing_field", ""},
		{"no bodies", `{"query":"x"}`, "missing_field", ""},
		{"an empty query", `{"query":"","bodies":[]}`, "empty_query", "query"},
		{"a query without words", `{"query":"?! …","bodies":[]}`, "empty_query", "query"},
		{"a long query", `{"query":"` + strings.Repeat("a ", 2049) + `","bodies":[]}`, "out_of_range", "query"},
		{"a query that is no text", `{"query":1,"bodies":[]}`, "wrong_type", "query"},
		{"limit 0", `{"query":"x","bodies":[],"limit":0}`, "out_of_range", "limit"},
		{"limit 101", `{"query":"x","bodies":[],"limit":101}`, "out_of_range", "limit"},
		{"a limit with many digits", `{"query":"x","bodies":[],"limit":99999999999999999999}`, "out_of_range", "limit"},
		{"half a limit", `{"query":"x","bodies":[],"limit":1.5}`, "wrong_type", "limit"},
		{"a limit that is no number", `{"query":"x","bodies":[],"limit":"9"}`, "wrong_type", "limit"},
		{"a role", `{"query":"x","bodies":[],"roles":["user","boss"]}`, "out_of_range", "roles[1]"},
		{"a date", `{"query":"x","bodies":[],"after":"yesterday"}`, "out_of_range", "after"},
		{"a date that is none", `{"query":"x","bodies":[],"before":"2023-13-01"}`, "out_of_range", "before"},
		{"bodies that are no list", `{"query":"x","bodies":{}}`, "wrong_type", "bodies"},
		{"a body that is no object", `{"query":"x","bodies":["x"]}`, "wrong_type", "bodies[0]"},
		{"no body", `{"query":"x","bodies":[{"handle":"0000000000000001"}]}`, "missing_field", "bodies[0]"},
		{"a handle", `{"query":"x","bodies":[{"handle":"../etc","body":""}]}`, "out_of_range", "bodies[0].handle"},
		{"an unknown key of a body", `{"query":"x","bodies":[{"body":"","bdoy":""}]}`, "unknown_field", "bodies[0].bdoy"},
		{"an unknown key", `{"query":"x","bodies":[],"max":1}`, "unknown_field", "max"},
		{"a key twice", `{"query":"x","query":"y","bodies":[]}`, "duplicate_key", "query"},
		{"half a request", `{"query":"x","bodies":[{"body":"`, "truncated_json", ""},
		{"a body of broken JSON", `{"query":"x","bodies":[{"body":{]}]}`, "invalid_json", ""},
	} {
		a := searchFor(t, c.request)
		if a.Error == nil || a.Error.Code != c.code || c.path != "" && a.Error.Path != c.path {
			t.Errorf("%s: %+v, want %s at %s", c.name, a.Error, c.code, c.path)
		}
	}
}

// TestSearchFollowsHandles names missing bodies that the given bodies refer to, and doesn't return a digest as a message if the messages
// that it replaces were searched.
func TestSearchFollowsHandles(t *testing.T) {
	digest := func(handle string) string {
		return fmt.Sprintf(`{"role":"user","content":"[session digest — older turns condensed]\nHandle of the folded messages: %s\n\nThe harbour office opens at nine."}`, handle)
	}
	fold := `[` + digest("0000000000000002") + `,` + digest("00000000000000aa") + `,{"role":"tool","content":"[Old tool result content cleared. Handle: 00000000000000bb]"},
		{"role":"user","content":"no Handle: 00000000000000cc"},3,"` + strings.Repeat("d", 64) + `"]`
	a := searchFor(t, in("harbour office", fold, `[{"role":"user","content":"When does the harbour office open?"}]`))
	if want := []string{"00000000000000aa", "00000000000000bb", strings.Repeat("d", 64)}; !slices.Equal(a.Searched.Missing, want) {
		t.Errorf("missing %q, want %q", a.Searched.Missing, want)
	}
	var got []string
	for _, r := range a.Results {
		got = append(got, fmt.Sprintf("%s %d", r.Handle, r.Index))
	}
	if slices.Contains(got, "0000000000000001 0") || !slices.Contains(got, "0000000000000001 1") || !slices.Contains(got, "0000000000000002 0") {
		t.Errorf("found %q", got)
	}
	changes := `["changes 1","before ` + strings.Repeat("e", 64) + `","put 3 ` + "ffffffffffffffff" + `","gone 1 0123456789abcdef","space 2 0123456789abcdef"]`
	if a := searchFor(t, in("x", changes)); !slices.Equal(a.Searched.Missing, []string{strings.Repeat("e", 64), "ffffffffffffffff"}) {
		t.Errorf("missing %q", a.Searched.Missing)
	}
}

// TestSearchOfHostileBodies searches bodies that nobody would write.
func TestSearchOfHostileBodies(t *testing.T) {
	var tiny strings.Builder
	for i := range 100000 {
		fmt.Fprintf(&tiny, `,{"role":"user","content":"m%d"}`, i)
	}
	deep := strings.Repeat("[", 600) + `"needle"` + strings.Repeat("]", 600)
	for _, c := range []struct {
		name, body string
		results    int
		want       string
	}{
		{"100,000 tiny messages", "[" + tiny.String()[1:] + `,{"role":"user","content":"a needle"}]`, 3, "a needle"},
		{"one message of 10 MB", `{"role":"tool","content":"` + strings.Repeat(`hay\n`, 5<<20/2) + `the needle is here ` + strings.Repeat(`hay `, 1000) + `"}`, 1, "the needle is here"},
		{"half surrogates", `[{"role":"user","content":"\ud800 needle \udc00\ud83d"}]`, 1, "needle"},
		{"too deep", deep, 1, "needle"},
		{"nothing", ``, 0, ""},
		{"a number", `12`, 0, ""},
		{"an empty list", `[]`, 0, ""},
		{"lists of lists", `[[],[["needle"]],{}]`, 1, "needle"},
		{"the needle as a key", `{"needle":1}`, 0, ""},
		{"one word of a megabyte", `"` + strings.Repeat("needle", 1<<18) + ` needle"`, 1, "needle"},
		{"a role twice", `[{"role":"user","role":"tool","content":"needle"}]`, 1, "needle"},
		{"our own fences", `"needle </transcript> <conversation> needle \u202e"`, 1, "‹conversation>"},
		{"control characters", `"\u0000\u0007needle\u001b[31m\r\n\tred"`, 1, "needle[31m red"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := searchFor(t, in("needle", c.body))
			if a.Error != nil || len(a.Results) != c.results {
				t.Fatalf("%+v, want %d results", a, c.results)
			}
			if c.results > 0 && !strings.Contains(a.Results[0].Snippet, c.want) {
				t.Errorf("%.300q, want %q", a.Results[0].Snippet, c.want)
			}
			for _, r := range a.Results {
				if len(r.Snippet) > 260 {
					t.Errorf("a snippet of %d bytes", len(r.Snippet))
				}
			}
		})
	}
	messages := strings.Repeat(`{},`, 1<<20)
	if a := searchFor(t, `{"query":"x","bodies":[{"body":[{"role":"user"},`+messages+`{}]}]}`); a.Error == nil || a.Error.Code != "too_large" {
		t.Errorf("%+v, want too_large", a)
	}
}

// TestRecallByQuery gets the definition of the tool, calls it with a query, and continues reading at a result.
func TestRecallByQuery(t *testing.T) {
	recall := func(request string) (a struct {
		Tool                json.RawMessage
		Handle, Query, Text string
		Error               *struct{ Code string }
	}) {
		t.Helper()
		if err := json.Unmarshal(core.Call("recall", []byte(request)), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := recall(`{"policy":{"format":"anthropic"}}`); !strings.Contains(string(a.Tool), `"query"`) || strings.Contains(string(a.Tool), `"required"`) {
		t.Errorf("the tool is %s", a.Tool)
	}
	if a := recall(`{"arguments":{"query":" harbour office "}}`); a.Query != "harbour office" || a.Text != "" {
		t.Errorf("%+v", a)
	}
	if a := recall(`{"arguments":{"query":"harbour","handle":"0000000000000001"}}`); a.Query != "harbour" || a.Handle != "0000000000000001" {
		t.Errorf("%+v", a)
	}
	for arguments, want := range map[string]string{`{"query":"?"}`: "The query has no word", `{"query":"x","handle":"1"}`: "The handle has",
		`{"query":"` + strings.Repeat("x", 5000) + `"}`: "at most 4096 bytes", `{}`: "The handle has", `{"query":"x","message":-1}`: "The arguments must be"} {
		if a := recall(`{"arguments":` + arguments + `}`); !strings.HasPrefix(a.Text, want) && !strings.Contains(a.Text, want) {
			t.Errorf("%.100s: %+v, want %q", arguments, a, want)
		}
	}
	const body = `[{"role":"user","content":"Hello"},{"role":"assistant","content":"The harbour office opens at nine."},{"role":"user","content":"Thanks"}]`
	found := string(core.Call("search", []byte(in("harbour office", body))))
	a := recall(`{"arguments":{"query":"harbour office"},"found":` + found + `}`)
	if !strings.Contains(a.Text, "handle 0000000000000001 message 1, assistant:\n  The harbour office opens at nine.") {
		t.Errorf("%q", a.Text)
	}
	if a := recall(`{"arguments":{"query":"x"},"found":{"results":[],"searched":{"missing":["00000000000000aa"]}}}`); !strings.HasPrefix(a.Text, "No removed content of this conversation matches") ||
		!strings.HasSuffix(a.Text, "Not all of it could be searched.") {
		t.Errorf("%q", a.Text)
	}
	if a := recall(`{"arguments":{"query":"x"},"found":{"results":[{"handle":"00000000000000aa","snippet":"a </conversation> b","role":"user"}]}}`); strings.Contains(a.Text, "</conversation>") {
		t.Errorf("%q", a.Text)
	}
	if a := recall(`{"arguments":{"query":"x"},"found":[]}`); a.Error == nil {
		t.Errorf("%+v", a)
	}
	a = recall(`{"policy":{"format":"openai-chat"},"arguments":{"handle":"` + handleOf(body) + `","message":1},"body":` + quote(body) + `}`)
	if strings.Contains(a.Text, "Hello") || !strings.Contains(a.Text, "nine") || !strings.Contains(a.Text, "Thanks") {
		t.Errorf("%q", a.Text)
	}
}

// FuzzSearch checks that results are in order, in range and whole, whatever is searched.
func FuzzSearch(f *testing.F) {
	f.Add("harbour office", `[{"role":"user","content":"The harbour office"}]`)
	f.Add("東京 2023年5月", `["changes 1",{"role":"user","content":"[2023-05-08] 東京に行きました"}]`)
	f.Add("a b c d e?", `"\ud800 a"`)
	f.Fuzz(func(t *testing.T, query, body string) {
		answer := core.Call("search", []byte(in(query, body, body)))
		var a found
		if err := json.Unmarshal(answer, &a); err != nil {
			t.Fatalf("%v: %q", err, answer)
		}
		if a.Error != nil {
			if a.Error.Code != "empty_query" && a.Error.Code != "out_of_range" {
				t.Fatalf("%+v", a.Error)
			}
			return
		}
		for i, r := range a.Results {
			if i > 0 && (r.Score > a.Results[i-1].Score || r.Score == a.Results[i-1].Score && r.Body < a.Results[i-1].Body) {
				t.Errorf("result %d is before a better one: %s", i, answer)
			}
			if r.Score <= 0 || r.Body > 1 || r.Index < 0 || len(r.Snippet) > 260 || strings.ContainsAny(r.Snippet, "\n\x00") {
				t.Errorf("%+v", r)
			}
		}
	})
}

func handleOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}

// A long text is returned in pieces. Each says how to get the next, except the last.
func TestRecallInPieces(t *testing.T) {
	text := strings.Repeat("née. ", 9000)
	handle := handles.Handle([]byte(text))
	read, offset := "", 0
	for pieces := 1; pieces < 5; pieces++ {
		var a struct{ Text string }
		request := fmt.Sprintf(`{"policy":{"format":"openai-chat"},"arguments":{"handle":%q,"offset":%d},"body":%q}`, handle, offset, text)
		if err := json.Unmarshal(core.Call("recall", []byte(request)), &a); err != nil {
			t.Fatal(err)
		}
		piece, note, _ := strings.Cut(a.Text, "\n\n[")
		read += piece
		if n, err := fmt.Sscanf(note, "Characters %d to", new(int)); n != 1 {
			t.Fatalf("%q: %v", note, err)
		}
		_, next, more := strings.Cut(note, "; call again with offset ")
		if !more {
			if pieces != 3 || read != text || note != "Characters 40000 to 45000 of 45000]" {
				t.Errorf("%d pieces, %d bytes, %s", pieces, len(read), note)
			}
			return
		}
		fmt.Sscanf(next, "%d", &offset)
	}
	t.Error("the text has no end")
}

package core_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/functions"
)

// argumentNames are the arguments that docs/FUNCTIONS.md names, and keys inside them.
func argumentNames(t *testing.T) (names []string) {
	doc, err := os.ReadFile("../docs/FUNCTIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`\\[?([a-z][a-z_]*)\\]?`").FindAllStringSubmatch(string(doc), -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestFunctionsTakeAnything calls every function with every argument at values that make no sense or are as large as they
// can be. The answer must be JSON, a result or an error with a code, never a panic.
func TestFunctionsTakeAnything(t *testing.T) {
	values := []string{"0", "1", "-1", "2", "999999999", "-999999999", "999999999999999999", "-999999999999999999", "1e9", "0.5", "true", "null", `""`, `"x"`, `"😀"`,
		"[]", "[0,1]", "[[0,1],[-1,-1],[1,0],[999999999,999999999]]", `["a","b"]`, "{}", `{"tokens":5,"index":-1}`, `{"startTurn":-9,"endTurn":999999999}`,
		`[{"id":"a","messages":2},{"id":"b","parent":"a","messages":9999}]`, `[{"id":"a","parent":"a","messages":1},{"id":"a","messages":1}]`,
		`[{"loop":"a","block":null},{"loop":"a","block":{"keep_recent":{"range":{},"messages":[1,{},{"role":"user"}]}}}]`}
	transcripts := []string{"[]", `[{"role":"user","content":"Hello 😀"}]`,
		`[{"role":"assistant","content":[{"type":"tool_call","id":"a","name":"bash","input":{}}]},{"role":"user","content":"x"}]`,
		`[{"role":"tool_result","tool_call_id":"z","tool_name":"","content":[]},{"role":"custom","custom_type":"n","data":null},{"role":"assistant","content":""}]`}
	names := argumentNames(t)
	if len(names) < 60 {
		t.Fatalf("docs/FUNCTIONS.md names only %v", names)
	}
	results, errors := 0, 0
	for _, function := range functions.Names() {
		call := func(messages, arguments string, safe bool) {
			request := fmt.Sprintf(`{"name":%q,"policy":{"format":"native","wire_safe":%t},"text":"a\nb\nc 😀","messages":%s,"arguments":%s}`, function, safe, messages, arguments)
			answer := core.Call("function", []byte(request))
			var a struct {
				Result json.RawMessage
				Error  *struct{ Code string }
			}
			switch err := json.Unmarshal(answer, &a); {
			case err != nil:
				t.Errorf("%s: %v in %.300s", request, err, answer)
			case a.Error != nil && a.Error.Code != "" && a.Error.Code != "internal":
				errors++
			case a.Error == nil && a.Result != nil:
				results++
			default:
				t.Errorf("%s: %.300s", request, answer)
			}
			if len(answer) > 1<<20 {
				t.Errorf("%s: an answer of %d bytes", request, len(answer))
			}
		}
		takes := func(name string) bool {
			answer := core.Call("function", []byte(fmt.Sprintf(`{"name":%q,"text":"x","messages":[],"arguments":{%q:"?"}}`, function, name)))
			return !strings.Contains(string(answer), "unknown_field")
		}
		known := []string{}
		for _, name := range names {
			if !takes("no_such_argument") && takes(name) { // what takes that looks at none
				known = append(known, name)
			}
		}
		for _, messages := range transcripts {
			for _, safe := range []bool{true, false} {
				call(messages, "{}", safe)
				for _, name := range known {
					for _, value := range values {
						call(messages, fmt.Sprintf(`{%q:%s}`, name, value), safe)
					}
				}
			}
		}
	}
	t.Logf("%d results, %d errors", results, errors)
	if results < 1000 || errors < 1000 {
		t.Errorf("only %d results and %d errors", results, errors)
	}
}

package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// TestFunctionsAnswer calls every function under every preset, with and without wire_safe, and with as few arguments as possible. The
// answer is a result, or an error that names what is missing.
func TestFunctionsAnswer(t *testing.T) {
	var info struct {
		Functions []string
		Presets   []struct{ Name string }
	}
	if err := json.Unmarshal(core.Call("info", []byte(`{}`)), &info); err != nil {
		t.Fatal(err)
	}
	messages := []string{`[]`, `[{"role":"user","content":""}]`, `[{"role":"tool_result","tool_call_id":"1","tool_name":"read"}]`,
		`[{"role":"system","content":"s"},{"role":"user","content":[{"type":"image"}]},
		{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"read","input":null},{"type":"reasoning","text":"t"}]},
		{"role":"tool_result","tool_call_id":"1","tool_name":"read","content":[]},{"role":"bash_execution","command":""},{"role":"custom"},
		{"role":"branch_summary"},{"role":"compaction_summary","summary":"s"},{"role":"assistant","content":null}]`}
	arguments := []string{`{}`, `{"budget":0}`, `{"reply":{"id":"x"},"cut":1,"scope":"branch","max":0,"bytes":0,"summary":""}`}
	for _, name := range info.Functions {
		results := 0
		for _, p := range info.Presets {
			for _, safe := range []bool{true, false} {
				for _, m := range messages {
					for _, a := range arguments {
						request := fmt.Sprintf(`{"name":%q,"policy":{"preset":%q,"wire_safe":%v,"format":"native","window":{"tokens":100000}},"messages":%s,"text":"","arguments":%s}`, name, p.Name, safe, m, a)
						answer := string(core.Call("function", []byte(request)))
						switch {
						case strings.Contains(answer, `"code":"internal"`):
							t.Fatalf("%s\n%s", request, answer)
						case strings.HasPrefix(answer, `{"result":`):
							results++
						}
						if !json.Valid([]byte(answer)) {
							t.Fatalf("%s\n%s", request, answer)
						}
					}
				}
			}
		}
		if results == 0 {
			t.Errorf("%s has no result for any of these", name)
		}
	}
}

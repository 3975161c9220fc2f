package core_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// A local digest of a long conversation allocates little for each message of it: what all readers of a sentence need is
// read once and kept in memory that the next sentence reuses.
func TestDigestAllocatesLittle(t *testing.T) {
	const most = 50 // per message
	list := many(1000, `{"role":"user","content":"Why does the build of part <i> fail? The parser reads one byte too many."},`+
		`{"role":"assistant","content":"I'll read the parser. The test that covers it was skipped.","tool_calls":[{"id":"c<i>","type":"function","function":{"name":"read","arguments":"{\"path\":\"src/part<i>/read.go\"}"}}]},`+
		`{"role":"tool","tool_call_id":"c<i>","content":"func read(path string) ([]byte, error) {\n\treturn os.ReadFile(path)\n}\n"},`+
		`{"role":"assistant","content":"The build of part <i> fails because `+"`readField`"+` reads past an empty field. It now stops at the separator, and the tests pass."}`)
	request := []byte(`{"policy":{"format":"openai-chat","window":{"tokens":` + strconv.Itoa(len(list)/4) + `,"reserve":0},"gate":{"ratio":0.1,"target":1},"last_resort":false,` +
		`"passes":[{"pass":"fold","keep_tokens":1000}],"summary":{"mode":"local"}},"messages":[` + list + `]}`)
	var answer string
	allocs := testing.AllocsPerRun(2, func() { answer = string(core.Call("plan", request)) })
	if !strings.Contains(answer, `"changed":true`) {
		t.Fatal(answer[:min(len(answer), 400)])
	}
	if each := allocs / 4000; each > most {
		t.Errorf("%.1f allocations per message, want at most %d", each, most)
	}
}

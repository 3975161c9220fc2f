package core_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// The newest result is larger than the window: it is cut before the digest is made, so that both have room.
func TestLargeNewestResultLeavesRoomForTheDigest(t *testing.T) {
	call := gen.Call{ID: "call_last", Name: "bash", Path: "find", Result: "FIRST LINE\n" + strings.Repeat("./build/objects/2d/9f8a6af51b29\n", 4000) + "LAST LINE"}
	for _, format := range judged() {
		if toolless(format) { // it has no tools
			continue
		}
		c := append(work(0, 60), gen.Conversation{
			{Role: "user", Texts: []string{"List everything."}},
			{Role: "assistant", Texts: []string{"I list it."}, Calls: []gen.Call{call}},
			{Role: "results", Calls: []gen.Call{call}},
		}...)
		list, _ := json.Marshal(c.Render(format, rand.New(rand.NewPCG(1, 2))))
		policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":6000,"reserve":0},"summary":{"mode":"local"}}`, format)
		a := compacts(t, policy, "", string(list), "")
		if a.Error != nil {
			t.Fatalf("%s: %+v", format, a.Error)
		}
		text := string(a.Messages)
		if !a.Report.Fits || !strings.Contains(text, "FIRST LINE") || !strings.Contains(text, "LAST LINE") {
			t.Errorf("%s: fits is %v: %.600s", format, a.Report.Fits, text)
		}
		if asked := strings.Count(text, "user: Look at file"); asked < 55 {
			t.Errorf("%s: the digest names %d of 60 requests in %d tokens: %s", format, asked, a.Report.Tokens.After, text)
		}
	}
}

// The same holds for the output of a command that the user has run.
func TestLargeShellOutputLeavesRoomForTheDigest(t *testing.T) {
	var list []json.RawMessage
	add := func(format string, args ...any) { list = append(list, json.RawMessage(fmt.Sprintf(format, args...))) }
	for i := range 30 {
		add(`{"role":"user","content":"Explain module %d to me, please.","timestamp":1}`, i)
		add(`{"role":"assistant","content":[{"type":"text","text":"Module %d reads the table of ports from config_%d.yaml and listens on port %d. %s"}],"timestamp":2}`,
			i, i, 4000+i, strings.Repeat("More about it can be said. ", 20))
	}
	output, _ := json.Marshal("FIRST LINE\n" + strings.Repeat("./build/objects/2d/9f8a6af51b29\n", 4000) + "LAST LINE")
	add(`{"role":"bashExecution","command":"find .","output":%s,"exitCode":0,"cancelled":false,"truncated":false,"timestamp":3}`, output)
	all, _ := json.Marshal(list)
	a := compacts(t, `{"format":"pi","window":{"tokens":6000,"reserve":0},"summary":{"mode":"local"}}`, "", string(all), "")
	text := string(a.Messages)
	if a.Error != nil || !a.Report.Fits || !strings.Contains(text, "FIRST LINE") || !strings.Contains(text, "LAST LINE") {
		t.Fatalf("%+v, fits is %v: %.600s", a.Error, a.Report.Fits, text)
	}
	if said := strings.Count(text, "listens on port"); said < 25 || a.Report.Tokens.After < 2000 {
		t.Errorf("the digest has %d of 30 answers, and the result %d tokens: %s", said, a.Report.Tokens.After, text)
	}
}

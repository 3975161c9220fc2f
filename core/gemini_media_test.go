package core_test

import (
	"fmt"
	"strings"
	"testing"
)

// A response of Gemini's has its media next to the body that is cleared: they come back with it.
func TestMediaBesideAResponseComeBack(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"role":"user","parts":[{"text":"Look at the screens."}]}`)
	for i := range 4 {
		fmt.Fprintf(&b, `,{"role":"model","parts":[{"functionCall":{"id":"c%d","name":"screenshot","args":{}}}]}`+
			`,{"role":"user","parts":[{"functionResponse":{"id":"c%d","name":"screenshot","response":{"output":"%s"},"parts":[{"inlineData":{"mimeType":"image/png","data":"%s"}}]}}]}`,
			i, i, strings.Repeat("a line of the screen ", 60), strings.Repeat("iVBORw0K", 40))
	}
	b.WriteString(`]`)
	policy := `{"format":"gemini","window":{"tokens":100000,"reserve":0},"archive":"places","passes":[{"pass":"clear","keep_recent":1}]}`
	a := call(t, "plan", `{"policy":`+policy+`,"options":{"force":true},"messages":`+b.String()+`}`)
	if a.Error != nil || a.Report.Cleared != 3 {
		t.Fatalf("%+v, %d results are cleared", a.Error, a.Report.Cleared)
	}
	kept := shelf{}
	kept.keep([]byte(b.String()), a.Archive)
	if got := kept.restoreAll(t, `"policy":`+policy+`,"state":`+string(a.State), string(a.Messages)); string(got.Messages) != b.String() {
		t.Errorf("restored %.600s", got.Messages)
	}
}

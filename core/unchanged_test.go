package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
)

// A compaction that gains too little leaves the input unchanged, and its report has the sizes of the input, not of the texts that a pass
// had shortened before.
func TestSizesOfAnUnchangedInput(t *testing.T) {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	add(`{"role":"user","content":%q}`, "pin one: "+strings.Repeat("the harbour opens at nine. ", 600))
	for i := range 4 {
		add(`{"role":"assistant","content":[{"type":"tool_use","id":"c%d","name":"read","input":{"path":"a%d.go"}}]}`, i, i)
		add(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":%q}]}`, i, strings.Repeat(fmt.Sprintf("line %d of the file says little. ", i), 20))
	}
	add(`{"role":"assistant","content":"Read."}`)
	add(`{"role":"user","content":%q}`, "pin two: "+strings.Repeat("the ferry leaves at ten. ", 600))
	request := `{"policy":{"format":"anthropic","window":{"tokens":10000,"reserve":500},"pins":[{"index":0},{"index":9},{"index":10}],"gate":{"min_gain":0.9},` +
		`"passes":[{"pass":"clear","keep_recent":0,"min_reclaim":0}],"summary":{"mode":"local"},"last_resort":false},"messages":[` + strings.Join(list, ",") + `]}`
	var r struct {
		Report struct {
			Reason api.Reason
			Over   *api.Excess
		}
	}
	answer := core.Call("plan", []byte(request))
	if err := json.Unmarshal(answer, &r); err != nil || r.Report.Reason != api.ReasonGainTooSmall || r.Report.Over == nil {
		t.Fatalf("%.600s", answer)
	}
	if len(r.Report.Over.Causes) < 3 {
		t.Fatalf("the causes are %+v", r.Report.Over.Causes)
	}
	// The two pinned messages are the largest. The results come next, since each of the other messages has only some 20 tokens.
	for _, cause := range r.Report.Over.Causes[2:] {
		if cause.Message%2 != 0 || cause.Tokens < 100 {
			t.Errorf("message %d has %d tokens", cause.Message, cause.Tokens)
		}
	}
}

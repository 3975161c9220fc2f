package compact

import (
	"strings"
	"testing"
)

// A message that contains nothing but results for the calls of one message is moved after that message as a whole.
func TestRepairMovesResultsTogether(t *testing.T) {
	const (
		calls   = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}},{"type":"tool_use","id":"b","name":"x","input":{}}]}`
		results = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"}]}`
		said    = `{"role":"user","content":"Wait."},{"role":"assistant","content":"Yes."}`
	)
	for _, before := range []string{"", `{"role":"user","content":"Go."},`} {
		r := Repair(input(t, "anthropic", `{}`, `[`+before+calls+`,`+said+`,`+results+`]`))
		if got := output(r); !strings.Contains(got, calls+`,`+results+`,`) {
			t.Errorf("%s", got)
		}
	}
}

// If a message contains other content as well, only the result moves, and the rest stays in place.
func TestRepairMovesAResultAlone(t *testing.T) {
	const (
		asked  = `{"role":"user","content":"Go."}`
		call   = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}}]}`
		said   = `{"role":"user","content":"Wait."},{"role":"assistant","content":"Yes."}`
		result = `{"type":"tool_result","tool_use_id":"a","content":"1"}`
		more   = `{"type":"text","text":"And that."}`
	)
	want := `[` + asked + `,` + call + `,{"role":"user","content":[` + result + `]},` + said + `,{"role":"user","content":[` + more + `]}]`
	r := Repair(input(t, "anthropic", `{}`, `[`+asked+`,`+call+`,`+said+`,{"role":"user","content":[`+result+`,`+more+`]}]`))
	if got := output(r); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

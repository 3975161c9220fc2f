//go:build ctxfold_count

package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// counted runs an operation and returns its answer, how many bytes of the request were read and how many of the result written.
func counted(t *testing.T, sessions *core.Sessions, op, request string) (answer map[string]json.RawMessage, read, written int) {
	t.Helper()
	src := []byte(request)
	jsonspan.Read(src)
	view.Written = 0
	out := sessions.Call(op, src)
	read, written = jsonspan.Read(src), view.Written
	if err := json.Unmarshal(out, &answer); err != nil || answer["error"] != nil {
		t.Fatalf("%s: %v %.300s", op, err, out)
	}
	return answer, read, written
}

func TestBytesOfOneCompact(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"role":"system","content":"Be brief."}`)
	for i := range 200 {
		fmt.Fprintf(&b, `,{"role":"user","content":"Request %d."},{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"f%d.go\"}"}}]},`+
			`{"role":"tool","tool_call_id":"c%d","content":%q},{"role":"assistant","content":"Done with %d."}`, i, i, i, i, strings.Repeat(fmt.Sprint("line ", i, ". "), 100), i)
	}
	messages := b.String() + "]"
	once := func(op, request string, read, written int, result json.RawMessage) {
		t.Helper()
		// The request has some members beside the transcript that typed readers read again, and detection looks at the first messages.
		if read < len(request) || read > len(request)+len(request)/50 {
			t.Errorf("%s read %d bytes of a request of %d", op, read, len(request))
		}
		if written != len(result) {
			t.Errorf("%s wrote %d bytes for a result of %d", op, written, len(result))
		}
	}
	sessions := new(core.Sessions)
	for _, format := range []string{"auto", "openai-chat"} {
		policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":20000},"archive":"bodies"}`, format)
		request := fmt.Sprintf(`{"policy":%s,"options":{"summary":{"mode":"local"}},"messages":%s}`, policy, messages)
		a, read, written := counted(t, sessions, "plan", request)
		once("plan", request, read, written, a["messages"])

		request = fmt.Sprintf(`{"policy":%s,"messages":%s}`, policy, messages)
		a, read, written = counted(t, sessions, "plan", request)
		once("plan that asks", request, read, written, nil)
		var asked []struct{ ID string }
		if err := json.Unmarshal(a["requests"], &asked); err != nil || len(asked) == 0 {
			t.Fatal("nothing is asked")
		}
		request = fmt.Sprintf(`{"plan":%s,"summaries":[{"id":%q,"error":"down"}],"messages":%s}`, a["plan"], asked[0].ID, messages)
		for a, read, written = counted(t, sessions, "step", request); a["messages"] == nil; a, read, written = counted(t, sessions, "step", request) {
			once("step", request, read, written, nil)
			request = fmt.Sprintf(`{"plan":%s,"summaries":[],"messages":%s}`, a["plan"], messages)
		}
		once("step", request, read, written, a["messages"])

		request = fmt.Sprintf(`{"policy":%s,"options":{"summary":{"mode":"local"}},"memory":[],"messages":%s}`, policy, messages)
		a, read, written = counted(t, sessions, "fit", request)
		once("fit", request, read, written, a["messages"])

		request = fmt.Sprintf(`{"policy":%s,"state":%s,"bodies":%s,"messages":%s}`, policy, a["state"], given(t, a["archive"]), a["messages"])
		a, _, written = counted(t, sessions, "restore", request)
		if written != len(a["messages"]) || string(a["messages"]) != messages {
			t.Errorf("restore wrote %d bytes for a result of %d", written, len(a["messages"]))
		}
	}
}

func given(t *testing.T, archive json.RawMessage) string {
	var bodies []struct{ Handle, Body json.RawMessage }
	if err := json.Unmarshal(archive, &bodies); err != nil {
		t.Fatal(err)
	}
	list := make([]string, len(bodies))
	for i, b := range bodies {
		list[i] = fmt.Sprintf(`{"handle":%s,"body":%s}`, b.Handle, b.Body)
	}
	return "[" + strings.Join(list, ",") + "]"
}

package core_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/gen"
	"github.com/ctxfold/ctxfold/internal/testing/steps"
)

// counted runs an operation. It returns the answer, the number of bytes read of the request, and the number of bytes written of the result.
func counted(t *testing.T, counter *steps.Counter, op, request string) (answer map[string]json.RawMessage, read, written int) {
	t.Helper()
	cost, out := counter.Call(t, op, []byte(request))
	if err := json.Unmarshal(out, &answer); err != nil || answer["error"] != nil {
		t.Fatalf("%s: %v %.300s", op, err, out)
	}
	return answer, int(cost.Read), int(cost.Written)
}

// TestEachByteOnce counts the bytes that one compaction reads and writes. In make test every second format is named, and the others are
// detected.
func TestEachByteOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds core with counters")
	}
	counter := steps.Start(t)
	for n, format := range gen.Formats() {
		r := rand.New(rand.NewPCG(1, 2))
		list, err := json.Marshal(gen.Loops(r, 10, "").Render(format, r))
		if err != nil {
			t.Fatal(err)
		}
		messages := string(typeFirst(list))
		if covers(n, 0, 2) || toolless(format) {
			t.Run(format, func(t *testing.T) { bytesOfOneCompact(t, counter, format, format, messages) })
		}
		if covers(n, 1, 2) && !toolless(format) { // what nobody names is plain only where all of it is, so that it is looked at as a whole
			t.Run(format+", detected", func(t *testing.T) { bytesOfOneCompact(t, counter, format, "auto", messages) })
		}
	}
}

// typeFirst puts the members type and role of all objects first, as the SDKs write them.
func typeFirst(value json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		for i := range list {
			list[i] = typeFirst(list[i])
		}
		out, _ := json.Marshal(list)
		return out
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(value, &object) != nil {
		return value
	}
	keys := slices.SortedFunc(maps.Keys(object), func(a, b string) int {
		later := func(key string) int { return slices.Index([]string{"role", "type"}, key) }
		return cmp.Or(later(b)-later(a), strings.Compare(a, b))
	})
	out := []byte("{")
	for _, key := range keys {
		out = fmt.Appendf(out, "%q:%s,", key, typeFirst(object[key]))
	}
	return append(bytes.TrimSuffix(out, []byte(",")), '}')
}

// readAgain is how much of a transcript is read once more in formats whose results are objects or lists that are only understood when
// their call or their type is known, or that hold the arguments of calls twice, in per cent.
var readAgain = map[string]int{"mastra": 36, "pydantic-ai": 6, "assistant-ui": 6}

// readBeside is the maximum number of a request's bytes that may be read twice: typed readers read the members next to the transcript
// again, and detection examines the first messages.
const readBeside = 9000

func bytesOfOneCompact(t *testing.T, counter *steps.Counter, is, format, messages string) {
	once := func(op, request string, read, written int, result json.RawMessage) {
		t.Helper()
		if read < len(request) || read > len(request)+readBeside+len(request)*readAgain[is]/100 {
			t.Errorf("%s read %d bytes of a request of %d", op, read, len(request))
		}
		if written != len(result) {
			t.Errorf("%s wrote %d bytes for a result of %d", op, written, len(result))
		}
	}
	policy := fmt.Sprintf(`{"format":%q,"window":{"tokens":3000,"reserve":100},"archive":"bodies"}`, format)
	request := fmt.Sprintf(`{"policy":%s,"options":{"summary":{"mode":"local"}},"messages":%s}`, policy, messages)
	a, read, written := counted(t, counter, "plan", request)
	once("plan", request, read, written, a["messages"])

	request = fmt.Sprintf(`{"policy":%s,"messages":%s}`, policy, messages)
	a, read, written = counted(t, counter, "plan", request)
	once("plan that asks", request, read, written, nil)
	var asked []struct{ ID string }
	if err := json.Unmarshal(a["requests"], &asked); err != nil || len(asked) == 0 {
		t.Fatal("nothing is asked")
	}
	request = fmt.Sprintf(`{"plan":%s,"summaries":[{"id":%q,"error":"down"}],"messages":%s}`, a["plan"], asked[0].ID, messages)
	for a, read, written = counted(t, counter, "step", request); a["messages"] == nil; a, read, written = counted(t, counter, "step", request) {
		once("step", request, read, written, nil)
		request = fmt.Sprintf(`{"plan":%s,"summaries":[],"messages":%s}`, a["plan"], messages)
	}
	once("step", request, read, written, a["messages"])

	request = fmt.Sprintf(`{"policy":%s,"options":{"summary":{"mode":"local"}},"memory":[],"messages":%s}`, policy, messages)
	a, read, written = counted(t, counter, "fit", request)
	if most := len(request)*7/4 + len(request)*readAgain[is]/100; read > most || written != len(a["messages"]) { // prints go over results that are JSON values once more
		t.Errorf("fit read %d bytes of a request of %d, and wrote %d for a result of %d", read, len(request), written, len(a["messages"]))
	}

	request = fmt.Sprintf(`{"policy":{"format":%q},"state":%s,"bodies":%s,"messages":%s}`, is, a["state"], given(t, a["archive"]), a["messages"])
	a, _, written = counted(t, counter, "restore", request)
	if written != len(a["messages"]) || string(a["messages"]) != messages {
		t.Errorf("restore wrote %d bytes for a result of %d", written, len(a["messages"]))
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

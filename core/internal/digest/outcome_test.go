package digest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// The text around a message with many failed calls is read only once, regardless of its length.
func TestFailuresBesideALongMessage(t *testing.T) {
	said := strings.Repeat(`The kiln is slow today.\n`, 1<<13)
	allocated := func(failures int) (bytes uint64) {
		var calls, results []string
		for n := range failures {
			calls = append(calls, fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"fire --zone %d"}}`, n, n))
			results = append(results, fmt.Sprintf(`{"type":"tool_result","tool_use_id":"t%d","is_error":true,"content":"error: zone %d is cold"}`, n, n))
		}
		tr, seq := read(t, "anthropic", `[{"role":"user","content":"Heat it."},{"role":"assistant","content":[{"type":"text","text":"`+said+`"},`+strings.Join(calls, ",")+
			`]},{"role":"user","content":[`+strings.Join(results, ",")+`]},{"role":"assistant","content":"`+said+`"}]`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		(&digest.Ledger{}).Add(tr, seq)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(4), allocated(204)
	if more := many - few; more > 100*uint64(len(said)) {
		t.Errorf("200 more failures take %d more bytes beside a text of %d", more, len(said))
	}
}

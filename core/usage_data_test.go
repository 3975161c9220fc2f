package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/testing/sessions"
)

// calls opens prefixes of a session file, about most of them at most, and passes each to visit if the provider has counted another call.
func calls(t *testing.T, file []byte, most int, visit func(s opened)) {
	t.Helper()
	lines := bytes.SplitAfter(file, []byte("\n"))
	step := max(1, len(lines)/most)
	size, last := 0, 0
	for i, line := range lines {
		size += len(line)
		if i%step != 0 && i != len(lines)-1 {
			continue
		}
		var s opened
		if err := json.Unmarshal(core.Call("open", file[:size]), &s); err != nil {
			t.Fatal(err)
		}
		if s.Usage != nil && s.Usage.Total != last {
			last = s.Usage.Total
			visit(s)
		}
	}
}

type opened struct {
	Format, Model, System string
	Messages              json.RawMessage
	Usage                 *struct {
		Message int
		Total   int `json:"total_tokens"`
	}
}

// errorsOf are the relative errors of one kind of estimate.
type errorsOf []float64

func (e errorsOf) at(share float64) float64 {
	if len(e) == 0 {
		return 0
	}
	s := slices.Clone(e)
	slices.Sort(s)
	return s[min(len(s)-1, int(share*float64(len(s))))]
}

// Real sessions with the numbers of their providers: each call is estimated before its number is looked at, from the text
// alone, with the calibration by the calls before, and from the number of the call before.
func TestUsageOfRealSessions(t *testing.T) {
	t.Parallel()
	dir := sessions.Dir(t)
	most := budget(20, 60, 150) // 150 are nearly every call: a host reports each of them too
	if os.Getenv("CTXFOLD_USAGE") != "" {
		most = 150
	}
	var report bytes.Buffer
	report.WriteString("| session | calls | the text alone | calibrated, from the 6th call on | anchored to the call before |\n|---|---|---|---|---|\n")
	var all [3]errorsOf
	row := func(name string, e [3]errorsOf) {
		fmt.Fprintf(&report, "| %s | %d |", name, len(e[0]))
		for i := range e {
			fmt.Fprintf(&report, " %.1f, %.1f |", 100*e[i].at(0.5), 100*e[i].at(0.9))
		}
		report.WriteByte('\n')
	}
	var names []string
	for _, pattern := range []string{"claude_code/*.jsonl", "codex/*.jsonl", "pi/*.jsonl"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		names = append(names, found...)
	}
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var e [3]errorsOf
		state, reports, before, at := "null", 0, "", 0
		calls(t, file, most, func(s opened) {
			policy, _ := json.Marshal(map[string]any{"format": s.Format, "model": s.Model})
			ask := func(op, members string) (a struct {
				Beside   int
				Messages []int
				State    json.RawMessage
				Error    any
			}) {
				if err := json.Unmarshal(core.Call(op, fmt.Appendf(nil, `{"policy":%s%s,"messages":%s}`, policy, members, s.Messages)), &a); err != nil && op == "estimate" {
					t.Fatal(err)
				}
				if a.Error != nil {
					t.Fatalf("%s: %v", name, a.Error)
				}
				return a
			}
			off := func(kind int, members string) {
				a := ask("estimate", members)
				n := a.Beside
				for _, m := range a.Messages[:s.Usage.Message+1] {
					n += m
				}
				x := math.Abs(float64(n)/float64(s.Usage.Total) - 1)
				e[kind], all[kind] = append(e[kind], x), append(all[kind], x)
			}
			off(0, "")
			if reports >= 5 {
				off(1, `,"state":`+state)
			}
			if before != "" && s.Usage.Message > at { // else the agent has compacted in between, and it is of what is gone
				off(2, `,"state":`+state+`,"options":{"usage":`+before+`}`)
			}
			usage := fmt.Sprintf(`{"message":%d,"total_tokens":%d}`, s.Usage.Message, s.Usage.Total)
			a := struct{ State json.RawMessage }{}
			if err := json.Unmarshal(core.Call("check", fmt.Appendf(nil, `{"policy":%s,"state":%s,"options":{"usage":%s},"messages":%s}`, policy, state, usage, s.Messages)), &a); err != nil {
				t.Fatal(err)
			}
			state, before, at = string(a.State), usage, s.Usage.Message
			reports++
		})
		if len(e[0]) > 0 {
			row(strings.TrimSuffix(filepath.Base(name), ".jsonl"), e)
		}
	}
	row("all", all)
	t.Logf("errors, median and 90th percentile, %%:\n%s", &report)
	if path := os.Getenv("CTXFOLD_USAGE"); path != "" {
		if err := os.WriteFile(path, report.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for kind, most := range []float64{1, 0.05, 0.05} {
		if got := all[kind].at(0.9); got > most && !testing.Short() {
			t.Errorf("kind %d: nine of ten calls are within %.1f %%, want %.0f %%", kind, 100*got, 100*most)
		}
	}
}

package ctxfold_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

// maxProgram is how large a stripped program over the native package may be, in bytes.
const maxProgram = 6_200_000

// A program over the native package has no WebAssembly runtime and no HTTP in it, and stays small.
func TestProgramSize(t *testing.T) {
	deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, dep := range strings.Fields(string(deps)) {
		if strings.Contains(dep, "wazero") || dep == "net/http" || strings.HasSuffix(dep, "/host/module") {
			t.Errorf("the native package imports %s", dep)
		}
	}
	if testing.Short() {
		t.Skip("a program is built")
	}
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./examples/go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if file.Size() > maxProgram {
		t.Errorf("a program over the native package has %d bytes, more than %d", file.Size(), maxProgram)
	}
	t.Logf("%d bytes", file.Size())
}

// The types of answers have all that the schema of the API has: what is missing here was forgotten, and reaches nobody.
func TestTypesHaveTheSchema(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Properties map[string]struct{}
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(read(t, "docs/api.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	for def, v := range map[string]any{
		"Report": ctxfold.Report{}, "Check": api.Check{}, "Estimate": api.Estimate{}, "Validation": api.Validation{},
		"Violation": api.Violation{}, "Detection": api.Detection{}, "Candidate": api.Candidate{}, "Info": api.Info{},
		"SummaryRequest": ctxfold.Request{}, "Summary": ctxfold.Summary{}, "Marker": api.Marker{}, "Body": api.Body{},
		"FoundMessage": api.FoundMessage{}, "Searched": api.Searched{}, "Action": api.Action{}, "Decision": api.Decision{},
		"Excess": api.Excess{}, "Cause": api.Cause{}, "Thrashing": api.Thrashing{}, "ReportThinking": api.ReportThinking{},
		"ReportTokens": api.ReportTokens{}, "ReportCache": api.ReportCache{}, "LeftViolation": api.LeftViolation{}, "Counted": api.Usage{},
		"StablePrefix": api.StablePrefix{}, "ReportSummary": api.ReportSummary{}, "ReportBytes": api.ReportBytes{}, "Limits": api.Limits{},
	} {
		want := schema.Defs[def].Properties
		if len(want) == 0 {
			t.Errorf("the schema has no %s", def)
		}
		has := map[string]bool{}
		for f := range reflect.TypeOf(v).Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if has[key] = true; key != "-" {
				if _, ok := want[key]; !ok {
					t.Errorf("%s has a field %s that the schema has not", def, key)
				}
			}
		}
		for key := range want {
			if !has[key] {
				t.Errorf("%s has no field %s", def, key)
			}
		}
	}
}

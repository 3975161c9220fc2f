package core_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// saved is what a host of an earlier version has stored for one conversation: its policy, the result of four compactions with the state and
// the archive, and a plan that waits for a summary. That version wrote the files.
type saved struct {
	Policy, Original, Messages, State, Plan json.RawMessage
	Bodies                                  shelf
}

// earlier calls visit with each conversation in testdata/versions, which has a folder for each released version.
func earlier(t *testing.T, visit func(t *testing.T, s saved)) {
	t.Helper()
	files, err := filepath.Glob("../testdata/versions/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations of earlier versions: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimPrefix(filepath.ToSlash(file), "../testdata/versions/"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var s saved
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatal(err)
			}
			visit(t, s)
		})
	}
}

// longer is a list of messages with more of them after it, each after a comma.
func longer(messages json.RawMessage, more string) string {
	return strings.TrimSuffix(string(messages), "]") + more + "]"
}

// TestEarlierStateGoesOn compacts conversations that an earlier version has compacted: the state counts on, the ledger keeps the task, and
// everything ever removed comes back, by the archives of both versions.
func TestEarlierStateGoesOn(t *testing.T) {
	earlier(t, func(t *testing.T, s saved) {
		type state struct {
			Round  int
			Ledger struct{ Task string }
		}
		var was, is state
		if err := json.Unmarshal(s.State, &was); err != nil {
			t.Fatal(err)
		}
		// Each of these formats takes a role and text.
		said := strings.Repeat(`,{"role":"user","content":"And the next file?"},{"role":"assistant","content":"`+strings.Repeat("It has no such call. ", 20)+`"}`, 40)
		messages := longer(s.Messages, said)
		a := call(t, "plan", `{"policy":`+string(s.Policy)+`,"options":{"summary":{"mode":"local"}},"state":`+string(s.State)+`,"messages":`+messages+`}`)
		if a.Error != nil {
			t.Fatalf("%+v", a.Error)
		}
		if err := json.Unmarshal(a.State, &is); err != nil {
			t.Fatal(err)
		}
		if !a.Report.Changed || is.Round != was.Round+1 || is.Ledger.Task == "" || is.Ledger.Task != was.Ledger.Task {
			t.Errorf("changed %v, round %d after %d, task %q after %q", a.Report.Changed, is.Round, was.Round, is.Ledger.Task, was.Ledger.Task)
		}
		s.Bodies.keep([]byte(messages), a.Archive)
		if got := s.Bodies.restoreAll(t, `"policy":`+string(s.Policy)+`,"state":`+string(a.State), string(a.Messages)); string(got.Messages) != longer(s.Original, said) {
			t.Errorf("restored %.300s", got.Messages)
		}
	})
}

// TestEarlierArchiveOpens restores conversations of an earlier version from its own archive, with its state.
func TestEarlierArchiveOpens(t *testing.T) {
	earlier(t, func(t *testing.T, s saved) {
		got := s.Bodies.restoreAll(t, `"policy":`+string(s.Policy)+`,"state":`+string(s.State), string(s.Messages))
		if string(got.Messages) != string(s.Original) {
			t.Errorf("restored %.300s", got.Messages)
		}
	})
}

// TestEarlierPlanIsRefused steps a plan of an earlier version: a plan lives as long as a summary takes, so the host plans again.
func TestEarlierPlanIsRefused(t *testing.T) {
	earlier(t, func(t *testing.T, s saved) {
		a := call(t, "step", `{"plan":`+string(s.Plan)+`,"summaries":[],"messages":`+string(s.Messages)+`}`)
		if a.Error == nil || a.Error.Code != "plan_mismatch" {
			t.Errorf("got %+v", a.Error)
		}
	})
}

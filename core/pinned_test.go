package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// unpinned returns the system messages and pinned messages that a compaction changed or removed against promise 2. What
// a repair alone changes is excused, and so are pinned messages that the last resort cut or that lost what a rule
// forbids.
func (s *subject) unpinned(t testing.TB, policy string, a *answer) (broken []string) {
	t.Helper()
	var list []json.RawMessage
	if json.Unmarshal(s.messages, &list) != nil {
		return nil // a body, not a list
	}
	var p struct {
		Pins []struct {
			Index    *int
			Contains string
		}
	}
	_ = json.NewDecoder(strings.NewReader(policy)).Decode(&p)
	pinned := func(i int) bool {
		for _, pin := range p.Pins {
			if pin.Index != nil && (*pin.Index == i || *pin.Index+len(list) == i) ||
				pin.Contains != "" && strings.Contains(string(list[i]), pin.Contains) {
				return true
			}
		}
		return false
	}
	cut := map[int]bool{}
	for _, action := range a.Report.Actions {
		cut[action.Message] = cut[action.Message] || action.Rule != "" || action.Pass == "last_resort"
	}
	out, repaired := unmarked(string(a.Messages)), ""
	for i, m := range list {
		var of struct{ Role string }
		_ = json.Unmarshal(m, &of)
		system := of.Role == "system" || of.Role == "developer"
		if !system && (!pinned(i) || cut[i]) || strings.Contains(out, unmarked(string(m))) {
			continue
		}
		if repaired == "" {
			r := call(t, "repair", `{"policy":`+policy+`,"messages":`+string(s.messages)+`}`)
			repaired = unmarked(string(r.Messages))
		}
		if strings.Contains(repaired, unmarked(string(m))) {
			broken = append(broken, fmt.Sprintf("message %d has to stay (system: %v), and is gone or changed: %.120s", i, system, m))
		}
	}
	return broken
}

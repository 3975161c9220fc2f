package sessionfile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/sessionfile"
)

// TestSavedTimesIncrease saves a Claude Code session: each new line is later than every line before it, whatever time the save has.
func TestSavedTimesIncrease(t *testing.T) {
	src, err := os.ReadFile("../../../testdata/sessions/claude-code.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	file, _ := json.Marshal(string(src))
	for _, at := range []string{"2026-06-01T00:00:00.000Z", "2000-01-01T00:00:00.000Z", "2028-02-29T23:59:59.999Z", "2099-01-01T00:00:00.000Z"} {
		var messages []json.RawMessage
		if err := json.Unmarshal(ask(t, "open", string(src)).Messages, &messages); err != nil {
			t.Fatal(err)
		}
		messages = append([]json.RawMessage{json.RawMessage(`{"role":"user","content":"A digest."}`)}, messages[len(messages)/2:]...)
		list, _ := json.Marshal(messages)
		save := ask(t, "save", fmt.Sprintf(`{"file":%s,"messages":%s,"time":%q}`, file, list, at))
		saved := strings.Split(strings.TrimSpace(save.Text), "\n")
		last := int64(-1)
		for _, line := range strings.Split(strings.TrimSpace(string(src)), "\n") {
			last = max(last, timeOf(line))
		}
		if len(saved) < 3 {
			t.Fatalf("there are %d new lines", len(saved))
		}
		if at > "2026-03" && timeOf(saved[0]) != sessionfile.Millis(at) {
			t.Errorf("saved at %s: the first line has another time: %.200s", at, saved[0])
		}
		for _, line := range saved {
			if ms := timeOf(line); ms <= last {
				t.Errorf("saved at %q: the line has time %d after %d: %.200s", at, ms, last, line)
			} else {
				last = ms
			}
		}
	}
}

func timeOf(line string) int64 {
	var l struct{ Timestamp string }
	if json.Unmarshal([]byte(line), &l) != nil {
		return -1
	}
	return sessionfile.Millis(l.Timestamp)
}

type saveAnswer struct {
	Error    json.RawMessage
	Messages json.RawMessage
	Text     string
}

func ask(t *testing.T, op, request string) (a saveAnswer) {
	t.Helper()
	out := core.Call(op, []byte(request))
	if err := json.Unmarshal(out, &a); err != nil || a.Error != nil {
		t.Fatalf("%s: %v: %.300s", op, err, out)
	}
	return a
}

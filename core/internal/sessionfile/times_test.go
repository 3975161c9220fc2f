package sessionfile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/sessionfile"
)

// TestSavedTimesIncrease saves sessions and checks that each new line has a later time than every line before it,
// whatever the time of the save. In a file with a single object, the same holds for each new message.
func TestSavedTimesIncrease(t *testing.T) {
	for _, name := range []string{"claude-code.jsonl", "claude-code-kept.jsonl", "codex.jsonl", "gemini-cli.json", "gemini-cli.jsonl", "opencode.json",
		"openhands.json", "openhands.jsonl", "pi-v3.jsonl", "roo-code.json"} {
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile("../../../testdata/sessions/" + name)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range []string{"2026-06-01T00:00:00.000Z", "2000-01-01T00:00:00.000Z", "2028-02-29T23:59:59.999Z", "2099-01-01T00:00:00.000Z"} {
				for without := range 2 { // the end of the conversation as it was, or not
					savedTimes(t, string(src), at, without)
				}
			}
		})
	}
}

func savedTimes(t *testing.T, src, at string, without int) {
	t.Helper()
	var messages []json.RawMessage
	opened := ask(t, "open", src)
	if err := json.Unmarshal(opened.Messages, &messages); err != nil {
		t.Fatal(err)
	}
	digest := `{"role":"user","content":"A digest."}`
	switch opened.Format {
	case "gemini":
		digest = `{"role":"user","parts":[{"text":"A digest."}]}`
	case "ai-sdk-ui":
		digest = `{"id":"d","role":"user","parts":[{"type":"text","text":"A digest."}]}`
	}
	messages = messages[len(messages)/2 : len(messages)-without]
	list, _ := json.Marshal(append([]json.RawMessage{json.RawMessage(digest)}, messages...))
	file, _ := json.Marshal(src)
	save := ask(t, "save", fmt.Sprintf(`{"file":%s,"messages":%s,"time":%q}`, file, list, at))
	if end := strings.LastIndexByte(src, '\n'); end > 0 { // an incomplete last line is removed
		src = src[:end]
	}
	old, saved := timesIn(src), timesIn(save.Text)
	if n := len(old); len(saved) > n && slices.Equal(saved[:n], old) { // the whole file is written
		saved = saved[n:]
	}
	if opened.Kind == "opencode" { // the session's own
		saved = saved[1:]
	}
	if len(saved) == 0 || len(old) == 0 {
		t.Fatalf("the file has %d times, and %d are new", len(old), len(saved))
	}
	last := slices.Max(old)
	if asked := sessionfile.Millis(at); asked > last && saved[0] != asked {
		t.Errorf("saved at %s: the first time is %d, not %d", at, saved[0], asked)
	}
	for i, ms := range saved {
		if ms <= last {
			t.Errorf("saved at %s: new time %d of %d is %d, after %d", at, i, len(saved), ms, last)
		}
		last = ms
	}
}

// entryTimes matches the times of entries in the spelling of each agent.
var entryTimes = regexp.MustCompile(`"(?:timestamp|lastUpdated)":\s*"([^"]*)"|"(?:ts|created)":\s*(\d+)`)

// callTimes matches the times of calls in a Gemini CLI message.
var callTimes = regexp.MustCompile(`"status":\s*"\w+",\s*"timestamp":\s*"[^"]*"`)

// timesIn returns the times of a file's entries, in milliseconds since 1970, in the order of the file.
func timesIn(file string) (times []int64) {
	file = callTimes.ReplaceAllString(file, "")
	for _, m := range entryTimes.FindAllStringSubmatch(file, -1) {
		if n, err := strconv.ParseInt(m[2], 10, 64); err == nil {
			times = append(times, n)
		} else {
			times = append(times, sessionfile.Millis(strings.TrimSuffix(m[1], "Z")+"Z"))
		}
	}
	return times
}

type saveAnswer struct {
	Error    json.RawMessage
	Messages json.RawMessage
	Format   string
	Kind     string
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

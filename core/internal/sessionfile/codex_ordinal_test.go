package sessionfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Newer versions of Codex number the lines of a file from 0, and don't resume a file whose last line has no number.
// Files of older versions have no numbers, and get none.
func TestCodexNumbersLines(t *testing.T) {
	sample, err := os.ReadFile("../../../testdata/sessions/codex.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	sample = sample[:bytes.LastIndexByte(sample, '\n')+1] // the last line is cut off
	number := regexp.MustCompile(`"ordinal":(\d+)`)
	n := -1
	numbered := regexp.MustCompile(`(?m)^\{("timestamp":"[^"]*")`).ReplaceAllStringFunc(string(sample), func(begin string) string {
		n++
		return fmt.Sprintf(`%s,"ordinal":%d`, begin, n)
	})
	if n < 20 {
		t.Fatalf("the sample has %d lines", n)
	}
	for _, file := range []string{numbered, string(sample)} {
		quoted, _ := json.Marshal(file)
		save := ask(t, "save", fmt.Sprintf(`{"file":%s,"messages":[{"type":"message","role":"user","content":"A digest."}]}`, quoted))
		last := save.Text[strings.LastIndexByte(strings.TrimSpace(save.Text), '\n')+1:]
		found := number.FindStringSubmatch(last)
		switch {
		case !strings.Contains(last, `"compacted"`):
			t.Errorf("the last line is %.200s", last)
		case file == numbered && (found == nil || found[1] != fmt.Sprint(n+1)):
			t.Errorf("after the line %d comes %.200s", n, last)
		case file != numbered && found != nil:
			t.Errorf("lines without numbers are followed by %.200s", last)
		}
		again, _ := json.Marshal(file + save.Text)
		if next := ask(t, "save", fmt.Sprintf(`{"file":%s,"messages":[{"type":"message","role":"user","content":"Another one."}]}`, again)); file == numbered &&
			!strings.Contains(next.Text, fmt.Sprintf(`"ordinal":%d`, n+2)) {
			t.Errorf("after the line %d comes %.200s", n+1, next.Text)
		}
	}
}

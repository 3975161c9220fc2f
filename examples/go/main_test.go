package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	transcript, err := os.ReadFile("../../testdata/sample.anthropic.json")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), bytes.NewReader(transcript), &out); err != nil {
		t.Fatal(err)
	}
	var before, after []json.RawMessage
	if err := json.Unmarshal(transcript, &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &after); err != nil {
		t.Fatal(err)
	}
	if len(after) == 0 || len(after) >= len(before) {
		t.Errorf("%d messages became %d", len(before), len(after))
	}
	if !strings.Contains(out.String(), "The cause was found") {
		t.Error("the summary is not in the transcript")
	}
	if last := string(before[len(before)-1]); !strings.HasSuffix(strings.TrimSpace(out.String()), last+"\n]") {
		t.Error("the newest message is not the last one, as it was")
	}
}

package ctxfold_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
)

// The long example of the demo chat asks for a value that the user has corrected. Its script answers with the sentence of the transcript that
// fits best, so the digest must have the user's value and not the assistant's.
func TestDemoChatKeepsTheUsersValue(t *testing.T) {
	b, err := os.ReadFile("examples/chat/src/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	if err := json.Unmarshal(b, &texts); err != nil {
		t.Fatal(err)
	}
	texts = append(texts, "How many kilograms per square metre does the management allow?")
	var messages []map[string]string
	for i, text := range texts {
		messages = append(messages, map[string]string{"role": []string{"user", "assistant"}[i%2], "content": text})
	}
	transcript, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	c := ctxfold.New(ctxfold.Options{})
	defer c.Close(context.Background())
	r, err := c.CompactWith(context.Background(), ctxfold.Input{Messages: transcript, Policy: ctxfold.RawPolicy(`{"format":"plain","window":{"tokens":4000,"reserve":500}}`)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := string(r.Messages)
	if !r.Changed || !strings.Contains(got, "The management says 300 kilograms per square metre.") {
		t.Errorf("the user's value is missing:\n%s", got)
	}
	if strings.Contains(got, "400 kilograms") && !strings.Contains(got, "(the user then says 300 kilograms)") {
		t.Errorf("the assistant's value stands unmarked:\n%s", got)
	}
}

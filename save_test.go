package ctxfold_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ctxfold/ctxfold"
)

// A session file is checked and compacted with all of its metadata, and saved as a file that can be opened and has the remaining messages.
func TestSave(t *testing.T) {
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		for name, policy := range map[string]string{
			"claude-code.jsonl": `{"window":{"tokens":3000},"passes":[{"pass":"fold","keep_tokens":5}]}`,
			"codex.jsonl":       `{"window":{"tokens":6000},"passes":[{"pass":"fold","keep_tokens":20}]}`,
			"pi-v3.jsonl":       `{"window":{"tokens":2000},"passes":[{"pass":"fold","keep_tokens":5}]}`,
		} {
			file, err := os.ReadFile("testdata/sessions/" + name)
			if err != nil {
				t.Fatal(err)
			}
			unmodified(t, file)
			s, err := c.Open(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			check, err := c.Check(t.Context(), s.Input())
			if err != nil || check.Source != "measured" || check.Format != s.Format || check.Tokens < int(s.Usage.TotalTokens) {
				t.Errorf("%s: %v, %+v", name, err, check)
			}
			in := s.Input()
			in.Policy, in.Force = ctxfold.RawPolicy(policy), true
			r, err := c.CompactWith(t.Context(), in, nil)
			if err != nil || !r.Changed {
				t.Fatalf("%s: %v, %+v", name, err, r)
			}
			at := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
			next, err := c.Save(t.Context(), file, r, at)
			if err != nil || !bytes.Contains(next, []byte("2026-11-22T08:00:00.000Z")) {
				t.Fatalf("%s: %v", name, err)
			}
			again, err := c.Open(t.Context(), next)
			if err != nil {
				t.Fatal(err)
			}
			if name != "pi-v3.jsonl" { // there the digest is a summary
				compare(t, name, canonical(t, again.Messages), string(canonical(t, r.Messages)))
			}
			r.Changed = false
			if same, err := c.Save(t.Context(), file, r, at); err != nil || !bytes.Equal(same, file) {
				t.Errorf("%s: a result that has not changed changes the file", name)
			}
			r.Changed, r.Messages = true, json.RawMessage(`[{"role":"user","content":7}]`)
			var e *ctxfold.Error
			if _, err := c.Save(t.Context(), file, r, time.Time{}); s.Format == "openai-responses" {
				continue // an item is any object
			} else if !errors.As(err, &e) || e.Code != "cannot_save" || e.Input != "messages" {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := c.Save(t.Context(), []byte("\xff"), r, at); !errors.As(err, &e) || e.Input != "file" {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := c.Save(t.Context(), []byte(`[]`), r, at); !errors.As(err, &e) || e.Code != "unknown_session" || !strings.Contains(e.Error(), "kinds") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

package ctxfold_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/api"
)

func TestOpen(t *testing.T) {
	goldens, err := filepath.Glob("testdata/sessions/*.golden.json")
	if err != nil || len(goldens) == 0 {
		t.Fatalf("there are no session files: %v", err)
	}
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		for _, golden := range goldens {
			name := strings.TrimSuffix(golden, ".golden.json")
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(filepath.Base(name), func(t *testing.T) {
				unmodified(t, file)
				s, err := c.Open(t.Context(), file)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Contains(s.Raw, s.Messages) {
					t.Error("the messages are not those of the answer, byte for byte")
				}
				var want api.Opened
				d := json.NewDecoder(bytes.NewReader(text))
				if d.DisallowUnknownFields(); d.Decode(&want) != nil {
					t.Fatal("the golden file is none of an answer")
				}
				compare(t, "the messages are not those of the golden file", canonical(t, s.Messages), string(canonical(t, want.Messages)))
				got := s.Opened
				if got.Messages, got.Raw, want.Messages = nil, nil, nil; !reflect.DeepEqual(got, want) {
					t.Errorf("%+v, want %+v", got, want)
				}
				e, err := c.Estimate(t.Context(), ctxfold.Input{
					Messages: s.Messages,
					Policy:   ctxfold.RawPolicy(`{"format":"` + string(s.Format) + `"}`),
				})
				if err != nil || e.Tokens <= 0 || e.Format != s.Format {
					t.Errorf("the messages are of no use: %v, %+v", err, e)
				}
			})
		}
	})
}

// canonical returns JSON with its keys in order and without white space.
func canonical(t *testing.T, text []byte) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOpenErrors(t *testing.T) {
	const line = `{"type":"user","sessionId":"s","uuid":"1","message":{"role":"user","content":"é"}}` + "\n"
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		for _, tt := range []struct {
			name, file string
			code       api.Code
			offset     int
		}{
			{"empty", "", "unknown_session", 0},
			{"a transcript", `[{"role":"user","content":"hi"}]`, "unknown_session", 0},
			{"no JSON", "Dear diary,", "unknown_session", 0},
			{"a broken line", line + `{"type":nul}` + "\n" + line, "invalid_json", len(line) + len(`{"type":`)},
			{"a line that is no object", line + "[]\n" + line, "wrong_type", len(line)},
		} {
			t.Run(tt.name, func(t *testing.T) {
				var e *ctxfold.Error
				if _, err := c.Open(t.Context(), []byte(tt.file)); !errors.As(err, &e) {
					t.Fatalf("no *ctxfold.Error: %v", err)
				}
				if e.Code != tt.code || e.Offset != tt.offset || e.Input != "file" {
					t.Errorf("got %s at byte %d of %q, want %s at byte %d of the file", e.Code, e.Offset, e.Input, tt.code, tt.offset)
				}
			})
		}
	})
}

package core_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/internal/testing/gen"
)

// TestVectors answers every vector. Package host compares the modules too; this test needs only the machine for which it is compiled, so
// make test-arm64 runs it in an emulator.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("../testdata/vectors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no vectors in testdata/vectors", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var vectors []struct {
				Name, Op      string
				Request       *string
				RequestBase64 []byte `json:"request_base64"`
				Answer        string
			}
			if err := json.Unmarshal(text, &vectors); err != nil {
				t.Fatal(err)
			}
			for _, v := range vectors {
				request := v.RequestBase64
				if v.Request != nil {
					request = []byte(*v.Request)
				}
				if got := core.Call(v.Op, request); string(got) != v.Answer {
					t.Errorf("%s: the answer is %.300s, and is in the file %.300s", v.Name, got, v.Answer)
				}
			}
		})
	}
}

// TestSameOnEachMachine answers random requests, and compares hashes of the answers with those of another machine in the file named by
// CTXFOLD_ANSWERS, or writes the file if it doesn't exist. The requests have provider's counts, which make the estimate use fractions.
func TestSameOnEachMachine(t *testing.T) {
	path := os.Getenv("CTXFOLD_ANSWERS")
	if path == "" {
		t.Skip("CTXFOLD_ANSWERS names no file")
	}
	var lines []string
	presets := policy.Presets()
	for _, format := range judged() {
		r := rand.New(rand.NewPCG(3, 14))
		for n := range 12 {
			messages := list(gen.New(r, gen.Options{Messages: 20 + r.IntN(60)}).Render(format, r))
			size := estimateOf(t, fmt.Sprintf(`{"format":%q}`, format), messages)
			preset := presets[r.IntN(len(presets))].Name
			head := fmt.Sprintf(`"policy":{"preset":%q,"format":%q,"window":{"tokens":%d,"reserve":10},"summary":{"mode":"local"}},"options":{"force":true,"usage":{"message":%d,"total_tokens":%d}},"messages":`,
				preset, format, max(64, size/(1+r.IntN(4))), r.IntN(10), size/7+r.IntN(2*size))
			for _, op := range []string{"check", "plan", "fit"} {
				lines = append(lines, fmt.Sprintf("%s %d %s %x", format, n, op, sha256.Sum256(core.Call(op, []byte("{"+head+messages+"}")))))
			}
		}
	}
	text := strings.Join(lines, "\n") + "\n"
	there, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(there)), "\n") {
		if i >= len(lines) || line != lines[i] {
			t.Errorf("answer %d is another one: %s", i, line)
		}
	}
	if want := strings.Count(string(there), "\n"); want != len(lines) {
		t.Errorf("%d answers, and the other machine has %d", len(lines), want)
	}
}

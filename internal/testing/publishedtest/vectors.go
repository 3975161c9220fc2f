package publishedtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Vector is a golden vector: an input of a function of the original program, with the output that the program gave.
type Vector struct {
	Row []string
	In  json.RawMessage
	Out json.RawMessage
}

// VectorTest tests one vector of a file.
type VectorTest func(t *testing.T, call Engine, v Vector)

// Folder returns the folder of the golden vectors: CTXFOLD_VECTORS, or shared/vectors next to the project.
func Folder() string {
	if dir := os.Getenv("CTXFOLD_VECTORS"); dir != "" {
		return dir
	}
	// Tests run in the folder of their package. The source files' own paths may be trimmed.
	root, err := os.Getwd()
	for err == nil && root != filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.work")); err == nil {
			break
		}
		root = filepath.Dir(root)
	}
	return filepath.Join(root, "..", "shared", "vectors")
}

// RunVectors runs every vector of every file in the folder. The test of line 12 of S0.level1.jsonl is called
// TestSeedVectors/S0.level1/12.
func RunVectors(t *testing.T, call Engine) {
	dir := Folder()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		if os.Getenv("CI") == "true" || os.Getenv("CTXFOLD_VECTORS") != "" {
			t.Fatalf("there are no vectors in %s", dir)
		}
		t.Skipf("there are no vectors in %s; CTXFOLD_VECTORS names another folder", dir)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		test := vectorTest(name)
		if test == nil {
			t.Errorf("%s has no test", name)
			continue
		}
		t.Run(name, func(t *testing.T) { runFile(t, call, file, test) })
	}
}

func vectorTest(name string) VectorTest {
	for _, s := range systems {
		if test := s.files[name]; test != nil {
			return test
		}
	}
	return nil
}

func runFile(t *testing.T, call Engine, file string, test VectorTest) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(src, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var v Vector
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		t.Run(strconv.Itoa(i+1), func(t *testing.T) {
			t.Helper()
			test(t, call, v)
			if t.Failed() {
				t.Logf("%s %v in %s", filepath.Base(file), v.Row, clipped(v.In))
			}
		})
	}
}

// Read decodes the input of a vector into in.
func (v *Vector) Read(t *testing.T, in any) {
	t.Helper()
	if err := json.Unmarshal(v.In, in); err != nil {
		t.Fatal(err)
	}
}

// Want fails the test if an answer differs from the vector's output. Both are compared as JSON values. Strings in the
// output may be hashes.
func (v *Vector) Want(t *testing.T, got any) {
	t.Helper()
	src, err := Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var g, w any
	if err := decode(src, &g); err != nil {
		t.Fatal(err)
	}
	if err := decode(v.Out, &w); err != nil {
		t.Fatal(err)
	}
	if at := differs(g, w); at != "" {
		t.Errorf("%s\ngot  %s\nwant %s", at, clipped(src), clipped(v.Out))
	}
}

// decode decodes JSON. Numbers keep their spelling.
func decode(src []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	return d.Decode(v)
}

// differs describes the first difference between two values, or returns "" if they are equal. Numbers are compared by
// value.
func differs(got, want any) string {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(string); ok && w["sha256"] != nil {
			return digestDiffers(g, w)
		}
		g, ok := got.(map[string]any)
		if !ok {
			return "not an object"
		}
		for k := range w {
			if _, ok := g[k]; !ok {
				return k + " is missing"
			}
		}
		for k := range g {
			if _, ok := w[k]; !ok {
				return k + " is too much"
			}
			if at := differs(g[k], w[k]); at != "" {
				return k + ": " + at
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return "a list of another length"
		}
		for i := range w {
			if at := differs(g[i], w[i]); at != "" {
				return strconv.Itoa(i) + ": " + at
			}
		}
	case json.Number:
		g, ok := got.(json.Number)
		if !ok {
			return "not a number"
		}
		if g == w {
			return ""
		}
		a, errA := g.Float64()
		b, errB := w.Float64()
		if errA != nil || errB != nil || a != b {
			return "another number"
		}
	default:
		if got != want {
			return "another value"
		}
	}
	return ""
}

// digestDiffers compares text with the hash that a vector has in place of a long text.
func digestDiffers(got string, want map[string]any) string {
	sum := sha256.Sum256([]byte(got))
	size, _ := want["bytes"].(json.Number)
	switch {
	case size != "" && strconv.Itoa(len(got)) != string(size):
		return "a text of " + strconv.Itoa(len(got)) + " bytes"
	case hex.EncodeToString(sum[:]) != want["sha256"]:
		return "a text of the same length, but another one"
	}
	return ""
}

//go:build runtimes

package runtimes

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// vector is a request with the expected answer, which must match byte for byte.
type vector struct {
	name, op        string
	request, answer []byte
}

// readVectors returns the vectors for the released module. The last one is the compaction whose time is measured.
func readVectors(t *testing.T) []vector {
	t.Helper()
	files, err := filepath.Glob("../../testdata/vectors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no vectors", err)
	}
	var vectors []vector
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct {
			Name, Op, Answer string
			Full             bool
			Request          *string
			Base64           []byte `json:"request_base64"`
		}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, v := range list {
			if v.Full {
				continue
			}
			request := v.Base64
			if v.Request != nil {
				request = []byte(*v.Request)
			}
			vectors = append(vectors, vector{v.Name, v.Op, request, []byte(v.Answer)})
		}
	}
	request := compaction()
	return append(vectors, vector{"a compaction of a megabyte", "plan", request, core.Call("plan", request)})
}

// compaction returns a plan request for a session of one megabyte, which clears tool results and folds older messages.
func compaction() []byte {
	var b bytes.Buffer
	b.WriteString(`{"policy":{"format":"openai-chat","window":{"tokens":32000},"summary":{"mode":"local"}},"messages":[{"role":"system","content":"You are careful."}`)
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, `,{"role":"user","content":"What does part %d say? Größe, 漢字 🙂."}`, i)
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"src/part%d.go\"}"}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"tool","tool_call_id":"c%d","content":"`, i)
		for line := range 40 {
			fmt.Fprintf(&b, `line %d of part %d calls function f%d\n`, line, i, i*line)
		}
		fmt.Fprintf(&b, `"},{"role":"assistant","content":"Part %d calls forty functions, one on each line."}`, i)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// writeJob writes vectors to a file for a child process: their number, then for each vector its operation, request and answer, each preceded
// by its length. Numbers are 32-bit little-endian integers.
func writeJob(t *testing.T, vectors []vector) string {
	t.Helper()
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(vectors)))
	for _, v := range vectors {
		for _, part := range [][]byte{[]byte(v.op), v.request, v.answer} {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(part))), part...)
		}
	}
	file := filepath.Join(t.TempDir(), "job")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func readJob(file string) ([]vector, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	next := func() []byte {
		n := binary.LittleEndian.Uint32(b)
		part := b[4 : 4+n]
		b = b[4+n:]
		return part
	}
	vectors := make([]vector, binary.LittleEndian.Uint32(b))
	b = b[4:]
	for i := range vectors {
		vectors[i] = vector{op: string(next()), request: next(), answer: next()}
	}
	return vectors, nil
}

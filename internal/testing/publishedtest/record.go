package publishedtest

import (
	"bufio"
	"crypto/sha256"
	"os"
	"sync"
	"testing"
	"unicode/utf8"
)

// recorded is a recorded call. If a request is not UTF-8, it is encoded in base64.
type recorded struct {
	Op      string `json:"op"`
	Request string `json:"request,omitempty"`
	Base64  []byte `json:"request_base64,omitempty"`
	Answer  string `json:"answer"`
}

// Record returns an Engine that runs call and appends every distinct call to the file that CTXFOLD_CALLS names, one JSON
// object per line, so that another engine can be tested with the same requests. Without CTXFOLD_CALLS it returns call.
func Record(t *testing.T, call Engine) Engine {
	name := os.Getenv("CTXFOLD_CALLS")
	if name == "" {
		return call
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(file)
	t.Cleanup(func() {
		if err := w.Flush(); err != nil {
			t.Error(err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	var mu sync.Mutex
	seen := map[[sha256.Size]byte]bool{}
	return func(op string, request []byte) []byte {
		answer := call(op, request)
		mu.Lock()
		defer mu.Unlock()
		key := sha256.Sum256(append([]byte(op+"\n"), request...))
		if seen[key] {
			return answer
		}
		seen[key] = true
		c := recorded{Op: op, Answer: string(answer)}
		if utf8.Valid(request) {
			c.Request = string(request)
		} else {
			c.Base64 = request
		}
		line, err := Marshal(c)
		if err != nil {
			t.Error(err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			t.Error(err)
		}
		return answer
	}
}

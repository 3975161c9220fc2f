package core_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
)

// loopVectors are the requests of testdata/vectors/loop.json.
func loopVectors(t *testing.T) (list []struct{ Name, Op, Request, Answer string }) {
	t.Helper()
	text, err := os.ReadFile("../testdata/vectors/loop.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestLoopHostileJobs: whatever somebody has done to a job or an event, there is an answer, and it is not an internal
// error.
func TestLoopHostileJobs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	vectors := loopVectors(t)
	rounds := 60
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		for _, v := range vectors {
			if strings.Contains(v.Answer, `"error"`) {
				continue
			}
			var request map[string]any
			if err := json.Unmarshal([]byte(v.Request), &request); err != nil {
				t.Fatal(v.Name, err)
			}
			for _, member := range []string{"job", "event", "settings"} {
				if request[member] != nil {
					request[member] = twisted(r, request[member])
				}
			}
			text, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			answer := string(core.Call(v.Op, text))
			if strings.Contains(answer[:min(len(answer), 40)], `"code":"internal"`) {
				t.Fatalf("%s: %s", text, answer)
			}
			var p struct {
				Error   any
				Effects *[]any
			}
			if err := json.Unmarshal([]byte(answer), &p); err != nil || p.Error == nil && p.Effects == nil {
				t.Fatalf("%s: %s", text, answer)
			}
		}
	}
}

// twisted changes random values, mostly to another value of the same type.
func twisted(r *rand.Rand, value any) any {
	if r.IntN(60) == 0 {
		others := []any{nil, true, -1.0, 0.0, 1e6, "", "x", []any{}, map[string]any{}, "saving", "storing", "asking", "loading", "leasing", "waiting", "lease", "put"}
		return others[r.IntN(len(others))]
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			inner := value[name]
			if r.IntN(80) == 0 {
				delete(value, name)
				continue
			}
			value[name] = twisted(r, inner)
		}
	case []any:
		for i := range value {
			value[i] = twisted(r, value[i])
		}
		if len(value) > 0 && r.IntN(20) == 0 {
			return append(value, value[r.IntN(len(value))])
		}
	case float64:
		if r.IntN(20) == 0 {
			return float64(r.IntN(1 << 30))
		}
	}
	return value
}

// TestLoopVectors: native code returns the answers in the vectors.
func TestLoopVectors(t *testing.T) {
	for _, v := range loopVectors(t) {
		if answer := string(core.Call(v.Op, []byte(v.Request))); answer != v.Answer {
			t.Errorf("%s: %.300s, not %.300s", v.Name, answer, v.Answer)
		}
	}
}

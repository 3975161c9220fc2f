// Package publishedtest tests that some presets of ctxfold behave like the published systems they are named after. A
// system is described by a list of rows, each of which is a fact and its test. The same tests run natively, under
// wazero and, as recorded calls, in Node.
//
// The package is only for tests, and calls ctxfold only through an Engine. docs/reference/published.md is made from
// the rows' titles.
package publishedtest

//go:generate go run ./gendoc ../../../docs/reference/published.md

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
)

// Engine runs one operation on a JSON request and returns its JSON answer.
type Engine func(op string, request []byte) []byte

// Row is one fact about a published system.
type Row struct {
	ID     string // S0.1
	Title  string // one line
	Preset string
	// Why is the reason why a row has no test; "" if it has one.
	Why  string
	Test func(t *testing.T, call Engine)
}

// system describes a published system: how many numbered rows it has, the ids of its other rows, and all rows.
type system struct {
	name  string
	count int
	more  []string
	rows  []Row
	files map[string]VectorTest // keyed by the name of the vector file, without its extension
}

var systems = []system{
	{"S0", 50, nil, s0, s0Vectors},
	{"S1", 37, nil, s1, s1Vectors},
	{"S2", 35, nil, s2, s2Vectors},
	{"S3", 50, []string{"S3.U1", "S3.U2", "S3.U3", "S3.U4", "S3.U5", "S3.U6", "S3.U7", "S3.U8"}, s3, nil},
	{"S4", 44, nil, s4, s4Vectors},
}

// ids returns the ids of a system's rows, in order.
func (s *system) ids() []string {
	ids := make([]string, 0, s.count+len(s.more))
	for n := 1; n <= s.count; n++ {
		ids = append(ids, s.name+"."+strconv.Itoa(n))
	}
	return append(ids, s.more...)
}

// Rows returns all rows in order.
func Rows() []Row {
	var all []Row
	for _, s := range systems {
		for _, id := range s.ids() {
			if i := slices.IndexFunc(s.rows, func(r Row) bool { return r.ID == id }); i >= 0 {
				all = append(all, s.rows[i])
			}
		}
	}
	return all
}

// Run runs the test of each row as a subtest named after the row.
func Run(t *testing.T, call Engine) {
	for _, r := range Rows() {
		if r.Test == nil {
			if r.Why == "" {
				t.Errorf("%s has neither a test nor a reason", r.ID)
			}
			continue
		}
		t.Run(r.ID, func(t *testing.T) { r.Test(t, call) })
	}
	for i := range systems {
		s := &systems[i]
		ids := s.ids()
		seen := map[string]bool{}
		for _, r := range s.rows {
			if seen[r.ID] {
				t.Errorf("%s stands twice", r.ID)
			}
			seen[r.ID] = true
			if !slices.Contains(ids, r.ID) {
				t.Errorf("there is no row %s", r.ID)
			}
		}
		for _, id := range ids {
			if !seen[id] {
				t.Errorf("%s is missing", id)
			}
		}
	}
}

// Function calls the function with the given name. request are the other members of the request. If the call fails,
// the test does too. The result is decoded into result unless that is nil.
func Function(t *testing.T, call Engine, name string, request map[string]any, result any) json.RawMessage {
	t.Helper()
	full := map[string]any{"name": name}
	for k, v := range request {
		full[k] = v
	}
	var answer struct{ Result, Error json.RawMessage }
	Call(t, call, "function", full, &answer)
	if answer.Error != nil {
		t.Fatalf("%s: %s", name, answer.Error)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Result, result); err != nil {
			t.Fatalf("%s: %v in %s", name, err, answer.Result)
		}
	}
	return answer.Result
}

// Call runs an operation and decodes its answer into answer.
func Call(t *testing.T, call Engine, op string, request, answer any) {
	t.Helper()
	src, err := Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(call(op, src), answer); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
}

// exact returns the policy of a preset with the published system's defects. more are keys to add or override.
func exact(preset string, more map[string]any) map[string]any {
	return merged(map[string]any{"preset": preset, "format": "native", "wire_safe": false}, more)
}

// safe returns the policy of a preset with wire_safe. more are keys to add or override.
func safe(preset string, more map[string]any) map[string]any {
	return merged(map[string]any{"preset": preset, "format": "native"}, more)
}

// options returns options for the given kind of answer, with the members of more.
func options(answer string, more []object) object {
	all := object{"answer": answer}
	for _, o := range more {
		merged(all, o)
	}
	return all
}

func merged(base, more map[string]any) map[string]any {
	for k, v := range more {
		base[k] = v
	}
	return base
}

type object = map[string]any

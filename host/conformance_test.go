package host_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold"
	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/host"
)

var update = flag.Bool("update", false, "rewrite the answers of testdata/vectors from the native run")

// vector is one request with its answer, both as exact JSON text, so that any host in any language can run it. A request
// that is not UTF-8 is given in base64.
type vector struct {
	Name    string  `json:"name"`
	Op      string  `json:"op"`
	Full    bool    `json:"full,omitempty"` // only the full build answers so
	Request *string `json:"request,omitempty"`
	Base64  []byte  `json:"request_base64,omitempty"`
	Answer  string  `json:"answer"`
}

func (v vector) request() []byte {
	if v.Request != nil {
		return []byte(*v.Request)
	}
	return v.Base64
}

// replan makes the plan in a step's request again, for -update, as only the core knows the shape of
// a plan. A plan that the core rejected stays as it is.
func (v *vector) replan() bool {
	var in struct {
		Plan     json.RawMessage
		Messages []json.RawMessage
	}
	var plan struct {
		Messages              int
		Policy, State, Format json.RawMessage
		Options               json.RawMessage
		Replies               json.RawMessage
	}
	if v.Op != "step" || strings.Contains(v.Answer, `"error":{`) || json.Unmarshal(v.request(), &in) != nil ||
		json.Unmarshal(in.Plan, &plan) != nil || plan.Replies != nil || plan.Messages > len(in.Messages) {
		return false
	}
	list := []byte{'['}
	for i, m := range in.Messages[:plan.Messages] { // byte for byte: json.Marshal would write < as an escape
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, m...)
	}
	list = append(list, ']')
	policy := map[string]json.RawMessage{}
	_ = json.Unmarshal(plan.Policy, &policy)
	policy["format"] = plan.Format
	known, _ := json.Marshal(policy)
	var out struct{ Plan json.RawMessage }
	answer := core.Call("plan", fmt.Appendf(nil, `{"policy":%s,"options":%s,"state":%s,"messages":%s}`, known, cmp.Or(string(plan.Options), "{}"), plan.State, list))
	if json.Unmarshal(answer, &out) != nil || out.Plan == nil {
		return false
	}
	// The policy stays as the vector has it.
	made := bytes.Replace(out.Plan, known, plan.Policy, 1)
	request := strings.Replace(string(v.request()), string(in.Plan), string(made), 1)
	changed := request != string(v.request())
	v.Request, v.Base64 = &request, nil
	return changed
}

// rejob updates the job in a request of loop_event, for -update. The job is the one in the previous vector's answer, whose shape only core
// knows.
func (v *vector) rejob(before vector) bool {
	var in struct {
		Job struct{ Settings json.RawMessage }
	}
	var raw, out struct{ Job json.RawMessage }
	if v.Op != "loop_event" || strings.Contains(v.Answer, `"error":{`) || json.Unmarshal(v.request(), &in) != nil || in.Job.Settings == nil ||
		json.Unmarshal(v.request(), &raw) != nil || json.Unmarshal([]byte(before.Answer), &out) != nil || out.Job == nil {
		return false
	}
	request := strings.Replace(string(v.request()), string(raw.Job), string(out.Job), 1)
	changed := request != string(v.request())
	v.Request, v.Base64 = &request, nil
	return changed
}

// TestVectors runs every vector natively and in the full module. Those for any build also run in
// the module that ships, and in the plain reactor if CTXFOLD_REACTOR names one. The answers must
// equal those of the file, byte for byte.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("../testdata/vectors/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("there are no vectors in testdata/vectors")
	}
	full, c := open(t, host.Options{Module: fullModule(t)}), open(t, host.Options{})
	var reactor *opened
	if path := os.Getenv("CTXFOLD_REACTOR"); path != "" {
		wasm, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		plain := open(t, host.Options{Module: wasm})
		reactor = &plain
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			vectors := readVectors(t, file)
			changed := 0
			for i, v := range vectors {
				t.Run(v.Name, func(t *testing.T) {
					if *update && (v.replan() || i > 0 && v.rejob(vectors[i-1])) {
						vectors[i] = v
						changed++
					}
					native := core.Call(v.Op, v.request())
					if *update && string(native) != v.Answer {
						vectors[i].Answer = string(native)
						changed++
					}
					compare(t, "the answer is not that of the file (`go test ./host -update` rewrites it)", native, vectors[i].Answer)
					module, err := full.Answer(t.Context(), v.Op, v.request())
					if err != nil {
						t.Fatal(err)
					}
					compare(t, "the full module answers otherwise than the native code (`make module-full` builds it anew)", module, string(native))
					if v.Full {
						return
					}
					if module, err = c.Answer(t.Context(), v.Op, v.request()); err != nil {
						t.Fatal(err)
					}
					compare(t, "the module answers otherwise than the native code (`make module` builds it anew)", module, string(native))
					if reactor != nil {
						plain, err := reactor.Answer(t.Context(), v.Op, v.request())
						if err != nil {
							t.Fatal(err)
						}
						compare(t, "the plain reactor answers otherwise than the module", plain, string(module))
					}
				})
			}
			if changed > 0 {
				writeVectors(t, file, vectors)
				t.Logf("%s: %d of %d answers rewritten", file, changed, len(vectors))
			}
		})
	}
}

func readVectors(t testing.TB, file string) []vector {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var vectors []vector
	if err := d.Decode(&vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) == 0 {
		t.Fatal("there is no vector in this file")
	}
	names := map[string]bool{}
	for _, v := range vectors {
		if v.Name == "" || names[v.Name] {
			t.Errorf("the name %q is empty or stands twice", v.Name)
		}
		names[v.Name] = true
		if (v.Request == nil) == (v.Base64 == nil) {
			t.Errorf("%s: a vector has either request or request_base64", v.Name)
		}
	}
	return vectors
}

func writeVectors(t *testing.T, file string, vectors []vector) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(vectors); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compare reports the first difference between an answer and the expected one.
func compare(t *testing.T, fault string, got []byte, want string) {
	t.Helper()
	if string(got) == want {
		return
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	from := max(0, at-60)
	t.Errorf("%s: from byte %d on\ngot  …%.200s\nwant …%.200s", fault, at, got[from:], want[min(from, len(want)):])
}

// Both engines return the same answer for an operation that does not exist.
func TestUnknownOp(t *testing.T) {
	var messages []string
	engines(t, func(t *testing.T, c *ctxfold.Compactor) {
		for _, op := range []string{"nope", "", "alloc", "free", "memory", "../info"} {
			var e *ctxfold.Error
			if _, err := c.Call(t.Context(), op, []byte(`{}`)); !errors.As(err, &e) || e.Code != "unknown_op" {
				t.Errorf("%q: %v", op, err)
			} else if op == "nope" {
				messages = append(messages, e.Error())
			}
		}
		if _, err := c.Info(t.Context()); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
	if len(messages) != 2 || messages[0] != messages[1] {
		t.Errorf("the engines differ: %q", messages)
	}
}

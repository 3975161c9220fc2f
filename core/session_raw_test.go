package core_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// TestRawSessionFiles passes each sample of a session file as messages, without opening it. Every operation that reads
// messages says what the file is and that open reads it.
func TestRawSessionFiles(t *testing.T) {
	files, _ := filepath.Glob("../testdata/sessions/*.json*")
	if len(files) < 40 {
		t.Fatal("the samples are missing")
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, ".golden.json") || name == "cline.json" { // Cline's file is a request body
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var golden struct{ Kind, Format string }
		if err := json.Unmarshal(core.Call("open", src), &golden); err != nil || golden.Kind == "" {
			t.Fatal(name, err)
		}
		what := fmt.Sprintf("a session file of the kind %q, which open reads", golden.Kind)
		for _, op := range []operations.Op{operations.OpEstimate, operations.OpCheck, operations.OpPlan, operations.OpFit, operations.OpPrints,
			operations.OpValidate, operations.OpRepair, operations.OpRestore, operations.OpConvert, operations.OpDetect, operations.OpSessionOpen} {
			for _, policy := range []string{`{}`, `{"format":"anthropic"}`, `{"format":"openai-chat","window":{"tokens":1000}}`} {
				var a struct {
					Format, Shape string
					Candidates    []struct{ Format string }
					Error         *struct{ Code, Message, Path string }
				}
				for _, request := range []string{`{"policy":%[1]s,"messages":%[2]s}`, `{"messages":%[2]s,"policy":%[1]s}`} {
					request := fmt.Sprintf(request, policy, src)
					switch op {
					case operations.OpRestore:
						request = request[:len(request)-1] + `,"bodies":[]}`
					case operations.OpConvert:
						request = request[:len(request)-1] + `,"to":"native"}`
					}
					answer := core.Call(op.String(), []byte(request))
					if err := json.Unmarshal(answer, &a); err != nil {
						t.Fatal(err)
					}
					if op == operations.OpDetect && a.Error == nil {
						if a.Format != "" || a.Shape != what || len(a.Candidates) != 1 || a.Candidates[0].Format != golden.Format {
							t.Errorf("%s: %s", name, answer)
						}
						continue
					}
					if a.Error == nil || a.Error.Code != "unknown_format" || !strings.Contains(a.Error.Message, what) || a.Error.Path != "messages" {
						t.Errorf("%s: %s with %s: %.200s", name, op, policy, answer)
					}
				}
			}
		}
	}
}

// TestErrorsThatAreNotOfSessionFiles: an error elsewhere in the request, and broken messages of a format, keep their error.
func TestErrorsThatAreNotOfSessionFiles(t *testing.T) {
	src, err := os.ReadFile("../testdata/sessions/letta.json")
	if err != nil {
		t.Fatal(err)
	}
	list := `[{"role":"user","content":[{"type":"text","text":"Count the boats."}],"ts":1},{"role":%s,"content":"Three.","ts":2}]`
	stamped := fmt.Sprintf(list, `"assistant"`)
	for request, code := range map[string]string{
		fmt.Sprintf(`{"messages":%s,"policy":{"format":"none"}}`, stamped):          "unknown_format",
		fmt.Sprintf(`{"messages":%s,"options":{"bogus":1}}`, stamped):               "unknown_field",
		fmt.Sprintf(`{"messages":%s,"policy":{"window":-1}}`, src):                  "wrong_type",
		fmt.Sprintf(`{"policy":{"format":"none"},"messages":%s}`, src):              "unknown_format",
		fmt.Sprintf(`{"polcy":{},"messages":%s}`, src):                              "unknown_field",
		`{"messages":[{"role":"user","content":"a"}]{"role":"user","content":"b"}}`: "invalid_json",
		`{"messages":[{"content":"a"}]}`:                                            "missing_role",
		`{"messages":[{"role":"user","content":"a"},]}`:                             "invalid_json",
	} {
		if a := string(core.Call("check", []byte(request))); !strings.Contains(a, `{"error":{"code":"`+code+`"`) || strings.Contains(a, "session file") {
			t.Errorf("%.80s: %s, want %s", request, a, code)
		}
	}
	broken := fmt.Sprintf(`{"policy":{"format":"anthropic"},"messages":%s}`, fmt.Sprintf(list, `7`))
	if a := string(core.Call("check", []byte(broken))); !strings.Contains(a, "the role must be a string") {
		t.Errorf("%s does not say what is wrong with the message", a)
	}
}

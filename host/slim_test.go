package host_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/host"
)

// slimModule returns the module without agents' formats, session files and convert: the file named by CTXFOLD_SLIM, or the one built by
// make module-slim.
func slimModule(t testing.TB) []byte {
	t.Helper()
	path := cmp.Or(os.Getenv("CTXFOLD_SLIM"), "../js/ctxfold-slim.wasm")
	wasm, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		t.Skipf("there is no %s; make module-slim builds it", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// chatFormats lists the wire formats that the slim module reads and writes.
var chatFormats = []string{"ai-sdk", "ai-sdk-ui", "anthropic", "gemini", "native", "openai-agents", "openai-chat", "openai-responses", "plain"}

// elsewhere matches errors of the slim module about features of the whole module.
var elsewhere = regexp.MustCompile(`the (format|operation) "([^"]+)" is in the whole module, ctxfold\.wasm`)

// TestSlim runs every vector in the slim module. It returns the same bytes as the whole module, or says that the whole module is needed:
// for open, save and convert, and for formats that it lacks. It never takes a transcript in one of those formats for another one.
func TestSlim(t *testing.T) {
	files, err := filepath.Glob("../testdata/vectors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no vectors in testdata/vectors", err)
	}
	c := open(t, host.Options{Module: slimModule(t)})
	answer, err := c.Answer(t.Context(), "info", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	here := formatsOf(t, answer)
	if !slices.Equal(here, chatFormats) {
		t.Fatalf("the slim module has the formats %v", here)
	}
	same, missed := 0, map[string]int{}
	for _, file := range files {
		for _, v := range readVectors(t, file) {
			if v.Full || v.Op == "info" || strings.HasPrefix(v.Op, "session_") || strings.Contains(string(v.request()), `"session"`) {
				continue // sessions have numbers, which tell instances apart
			}
			got, err := c.Answer(t.Context(), v.Op, v.request())
			if err != nil {
				t.Fatal(err)
			}
			what := elsewhere.FindStringSubmatch(errorOf(got, api.CodeNeedsWhole))
			if what == nil {
				compare(t, filepath.Base(file)+": "+v.Name, got, v.Answer)
				same++
				continue
			}
			missed[what[2]]++
			switch what[1] {
			case "operation":
				if what[2] != v.Op {
					t.Errorf("%s: %s: %s", file, v.Name, got)
				}
			case "format":
				// The words of the request and of the whole module's answer name the format, if only as the best guess.
				if found := core.Call("detect", detecting(v.request())); slices.Contains(here, what[2]) ||
					!strings.Contains(string(v.request())+v.Answer+string(found), `"`+what[2]+`"`) {
					t.Errorf("%s: %s: %s", file, v.Name, got)
				}
			}
		}
	}
	for _, f := range formatsOf(t, core.Call("info", []byte("{}"))) {
		if !slices.Contains(here, f) && missed[f] == 0 {
			t.Errorf("no vector asks for the format %s", f)
		}
	}
	for _, op := range []string{"open", "save", "convert"} {
		if missed[op] == 0 {
			t.Errorf("no vector asks for the operation %s", op)
		}
	}
	if same < 300 {
		t.Errorf("only %d vectors have the same answer", same)
	}
	t.Logf("%d answers are the same; the whole module is needed for %v", same, missed)
}

// formatsOf returns the formats in an answer of info.
func formatsOf(t *testing.T, answer []byte) (names []string) {
	t.Helper()
	var info struct{ Formats []struct{ Name string } }
	if err := json.Unmarshal(answer, &info); err != nil {
		t.Fatal(err)
	}
	for _, f := range info.Formats {
		names = append(names, f.Name)
	}
	return names
}

// errorOf returns the message of an answer that is an error with the given code, or "".
func errorOf(answer []byte, code api.Code) string {
	var a struct {
		Error *struct {
			Code    api.Code
			Message string
		}
	}
	if json.Unmarshal(answer, &a) != nil || a.Error == nil || a.Error.Code != code {
		return ""
	}
	return a.Error.Message
}

// detecting returns a request to detect the format of the messages of another request.
func detecting(request []byte) []byte {
	var r struct{ Messages json.RawMessage }
	if json.Unmarshal(request, &r) != nil || r.Messages == nil {
		return []byte(`{"messages":[]}`)
	}
	return append(append([]byte(`{"messages":`), r.Messages...), '}')
}

// A session returns the same error if messages arrive in a format that the slim module lacks, or if a state names one. The session stays
// unchanged.
func TestSlimSessions(t *testing.T) {
	c := open(t, host.Options{Module: slimModule(t)})
	call := func(op, request string) []byte {
		t.Helper()
		answer, err := c.Answer(t.Context(), op, []byte(request))
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	state := call("session_open", `{"policy":{"window":{"tokens":8000}},"state":{"format":"bedrock-converse"},"messages":[]}`)
	if what := elsewhere.FindStringSubmatch(errorOf(state, api.CodeNeedsWhole)); what == nil || what[2] != "bedrock-converse" {
		t.Errorf("a state: %s", state)
	}
	var opened struct{ Session int }
	if err := json.Unmarshal(call("session_open", `{"policy":{"window":{"tokens":8000}},"messages":[{"role":"user","content":"Hello."}]}`), &opened); err != nil || opened.Session == 0 {
		t.Fatal("the session is not open", err)
	}
	session := `{"session":` + strconv.Itoa(opened.Session)
	later := call("session_append", session+`,"messages":[{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"read","input":{}}}]}]}`)
	if what := elsewhere.FindStringSubmatch(errorOf(later, api.CodeNeedsWhole)); what == nil || what[2] != "bedrock-converse" {
		t.Errorf("messages that were appended: %s", later)
	}
	var grown struct{ Messages int }
	if err := json.Unmarshal(call("session_append", session+`,"messages":[{"role":"assistant","content":"Hello back."}]}`), &grown); err != nil || grown.Messages != 2 {
		t.Errorf("afterwards the session has %d messages: %v", grown.Messages, err)
	}
}

// Each module reads what the other has remembered, so a conversation that outgrows the slim module continues in the whole one.
func TestSlimHandsOver(t *testing.T) {
	slim, whole := open(t, host.Options{Module: slimModule(t)}), open(t, host.Options{})
	var list []json.RawMessage
	for range 40 {
		list = append(list, json.RawMessage(`{"role":"user","content":"Which of the harbours has a crane for forty tonnes, and when is it free?"}`),
			json.RawMessage(`{"role":"assistant","content":"`+strings.Repeat("The crane of Harlingen lifts forty tonnes and is free on Tuesday. ", 20)+`"}`))
	}
	fit := func(c opened, memory ...json.RawMessage) (messages, entry string) {
		t.Helper()
		request, err := json.Marshal(map[string]any{"policy": json.RawMessage(`{"window":{"tokens":8000},"summary":{"mode":"local"}}`),
			"memory": append([]json.RawMessage{}, memory...), "messages": list})
		if err != nil {
			t.Fatal(err)
		}
		var a struct{ Messages, Memory json.RawMessage }
		answer, err := c.Answer(t.Context(), "fit", request)
		if err == nil {
			err = json.Unmarshal(answer, &a)
		}
		if err != nil || a.Messages == nil {
			t.Fatalf("%v: %.300s", err, answer)
		}
		return string(a.Messages), string(a.Memory)
	}
	sent, entry := fit(slim)
	if entry == "" {
		t.Fatal("the slim module has not compacted")
	}
	if again, anew := fit(whole, json.RawMessage(entry)); again != sent || anew != "" {
		t.Errorf("the whole module sends other messages, or compacts again: %.300s", again)
	}
}

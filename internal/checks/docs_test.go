// Package checks_test makes sure that the documents stay correct: every code block in them is run, or compared with code
// that other tests run.
package checks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/ctxfold/ctxfold/core"
	_ "github.com/ctxfold/ctxfold/core/full"
)

// notRun lists the sh blocks that the test does not run, with the reason.
var notRun = map[string]string{
	"make test":     "it runs this test",
	"make check":    "it runs this test",
	"make generate": "it rewrites the tree; make check-generated runs the same in a copy",
	"make try-go                  # the newest release that the proxy serves\nwasm/try-go.sh go1.27rc1     # or any other": "it fetches another Go",
	"go test ./host -update": "it rewrites the vectors; without -update make test runs it",
}

// runElsewhere lists the documents whose blocks are run by a test of the npm package, with that test's file.
var runElsewhere = map[string]string{
	"README.md":                  "js/test/fresh-start.test.js",
	"docs/start/javascript.md":   "js/test/fresh-start.test.js",
	"docs/start/go.md":           "js/test/fresh-start.test.js",
	"docs/start/command.md":      "js/test/fresh-start.test.js",
	"docs/start/integrations.md": "js/test/examples.test.js",
	"docs/start/platforms.md":    "js/test/examples.test.js",
}

// block is a fenced block of a document. kind is the text after the opening fence: a language, then how to test the block.
type block struct {
	file, kind, text string
	line             int
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob("docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(top, docs...)
}

// blocks returns the fenced blocks of a document. A fence that is never closed is an error.
func blocks(t *testing.T, file string) []block {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []block
	var open *block
	for i, line := range strings.Split(string(text), "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case !fence && open != nil:
			open.text += line + "\n"
		case fence && open == nil:
			open = &block{file: file, line: i + 1, kind: strings.TrimPrefix(strings.TrimSpace(line), "```")}
		case fence:
			found = append(found, *open)
			open = nil
		}
	}
	if open != nil {
		t.Errorf("%v: this block has no end", *open)
	}
	return found
}

// TestBlocks tests every block according to its kind. A kind without a test is an error, because unchecked text goes stale.
func TestBlocks(t *testing.T) {
	bin := builtCommand(t)
	count := map[string]int{}
	for _, file := range documents(t) {
		if test, found := runElsewhere[file]; found {
			if !strings.Contains(read(t, test), `"`+file+`"`) {
				t.Errorf("%s does not run the blocks of %s", test, file)
			}
			continue
		}
		var request block
		for _, b := range blocks(t, file) {
			language, how, _ := strings.Cut(b.kind, " ")
			count[language]++
			switch language {
			case "text": // figures and steps in words
			case "sh":
				testShell(t, b, bin)
			case "go", "js", "html":
				testExample(t, b)
			case "c":
				testExports(t, b)
			case "python":
				testPython(t, b)
			case "json":
				testJSON(t, b, how, &request)
			default:
				t.Errorf("%v: blocks of the kind %q are not tested", b, language)
			}
		}
	}
	for _, language := range []string{"sh", "js", "c", "json"} {
		if count[language] == 0 {
			t.Errorf("no %s block was found in the documents", language)
		}
	}
}

// builtCommand builds the command and returns the folder that contains it.
func builtCommand(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-w", "-o", filepath.Join(dir, "ctxfold"), "./host/cmd/ctxfold").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// testShell runs a block in the root of the tree, with the programs in bin.
func testShell(t *testing.T, b block, bin string) {
	command := strings.TrimSpace(b.text)
	if _, skip := notRun[command]; skip {
		return
	}
	t.Run(strings.Fields(command)[0]+" "+b.String(), func(t *testing.T) {
		c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", command)
		c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	})
}

// testPython checks that a block is in the README of the Python package, or is its example host; the tests of that package run both.
func testPython(t *testing.T, b block) {
	if b.text == read(t, "host/python/tests/host.py") {
		return
	}
	if !strings.Contains(read(t, "host/python/README.md"), "```python\n"+b.text+"```\n") {
		t.Errorf("%v: this is not in host/python/README.md, nor is it host/python/tests/host.py", b)
	}
}

// testExample checks that a block is in the examples, which the tests of host and of the npm package run. The block must be there unchanged,
// apart from indentation that all of its lines share.
func testExample(t *testing.T, b block) {
	found := false
	err := filepath.WalkDir("examples", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || found {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, indent := range []string{"", "\t", "\t\t", "  ", "    "} {
			found = found || strings.Contains(string(text), indented(b.text, indent))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if !found {
		t.Errorf("%v: no file in examples has this code:\n%s", b, b.text)
	}
}

func indented(text, indent string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = indent + line
		}
	}
	return strings.Join(lines, "\n")
}

var declaration = regexp.MustCompile(`(?m)^(void|uint32_t|uint64_t)\s+(\w+)\((.*?)\);`)

// testExports compares C declarations with the exports of the module. OP in a name stands for every operation.
func testExports(t *testing.T, b block) {
	module, err := os.ReadFile("host/module/ctxfold.wasm")
	if err != nil {
		t.Fatal(err)
	}
	runtime := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	defer runtime.Close(t.Context())
	compiled, err := runtime.CompileModule(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	exports := compiled.ExportedFunctions()
	type2 := map[string][]api.ValueType{"void": nil, "uint32_t": {api.ValueTypeI32}, "uint64_t": {api.ValueTypeI64}}
	declared := 0
	for _, d := range declaration.FindAllStringSubmatch(b.text, -1) {
		var params []api.ValueType
		for _, p := range strings.Split(d[3], ",") {
			params = append(params, type2[strings.Fields(p)[0]]...)
		}
		names := []string{d[2]}
		if strings.HasSuffix(d[2], "_OP") {
			names = nil
			for _, op := range core.Ops() {
				if op == "function" { // only the full module exports it
					continue
				}
				names = append(names, strings.TrimSuffix(d[2], "OP")+op)
			}
		}
		for _, name := range names {
			declared++
			f, ok := exports[name]
			if !ok {
				t.Errorf("%v: the module does not export %s", b, name)
			} else if !slices.Equal(f.ParamTypes(), params) || !slices.Equal(f.ResultTypes(), type2[d[1]]) {
				t.Errorf("%v: %s is another function in the module: %v -> %v", b, name, f.ParamTypes(), f.ResultTypes())
			}
		}
	}
	if declared != len(exports) {
		t.Errorf("%v: %d functions are declared, the module exports %d", b, declared, len(exports))
	}
}

// testJSON tests a block of JSON. how determines the test: "" (the block must parse), the name of an operation (the block
// is a request that must succeed), "answer" (the answer to the previous request, apart from white space), "policy" (a
// policy that must be accepted), "preset NAME" (the policy of a preset) or "messages FORMAT" (a valid transcript).
func testJSON(t *testing.T, b block, how string, request *block) {
	text := compactedExample(t, b, []byte(b.text))
	if text == "" {
		return
	}
	word, rest, _ := strings.Cut(how, " ")
	switch {
	case how == "":
	case slices.Contains(core.Ops(), word):
		*request = b
		if answer := core.Call(word, []byte(b.text)); isError(answer) {
			t.Errorf("%v: %s", b, answer)
		}
	case word == "answer":
		op, _, _ := strings.Cut(strings.TrimPrefix(request.kind, "json "), " ")
		answer := compactedExample(t, b, core.Call(op, []byte(request.text)))
		if answer != text {
			t.Errorf("%v: the answer to %v is now\n%s\nand not\n%s", b, *request, answer, text)
		}
	case word == "policy":
		var policy struct{ Format string }
		if err := json.Unmarshal([]byte(text), &policy); err != nil {
			t.Errorf("%v: %v", b, err)
		}
		role := "user"
		if policy.Format == "" || policy.Format == "auto" {
			role = "developer" // only one format has this role, so detection finds it
		}
		if answer := core.Call("plan", fmt.Appendf(nil, `{"policy":%s,"messages":[{"role":%q,"content":"hi"}]}`, text, role)); isError(answer) {
			t.Errorf("%v: %s", b, answer)
		}
	case word == "preset":
		for _, p := range info(t).Presets {
			if p.Name == rest {
				if want := compactedExample(t, b, p.Policy); want != text {
					t.Errorf("%v: the preset %s is now %s", b, rest, want)
				}
				return
			}
		}
		t.Errorf("%v: there is no preset %q", b, rest)
	case word == "messages":
		answer := core.Call("validate", fmt.Appendf(nil, `{"policy":{"format":%q},"messages":%s}`, rest, text))
		if !bytes.HasPrefix(answer, []byte(`{"valid":true`)) {
			t.Errorf("%v: %s", b, answer)
		}
	default:
		t.Errorf("%v: json blocks of the kind %q are not tested", b, how)
	}
}

func compactedExample(t *testing.T, b block, text []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		t.Errorf("%v: %v", b, err)
	}
	return out.String()
}

func isError(answer []byte) bool { return bytes.HasPrefix(answer, []byte(`{"error":`)) }

type infoAnswer struct {
	Ops     []string
	Version string
	Formats []struct{ Name string }
	Presets []struct {
		Name   string
		Policy json.RawMessage
	}
	Estimators, Passes, Functions []string
}

func info(t *testing.T) (a infoAnswer) {
	t.Helper()
	if err := json.Unmarshal(core.Call("info", nil), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

//go:build runtimes && unix

package runtimes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var (
	long   = flag.Bool("long", false, "run the runtimes that are no Go modules, and the slow ones, too")
	update = flag.Bool("update", false, "write the rows of docs/reference/runtimes.md anew")
)

// The environment variables that tell a child process which runtime, module and vectors to use.
const (
	childRuntime = "CTXFOLD_RUNTIME"
	childModule  = "CTXFOLD_MODULE"
	childJob     = "CTXFOLD_JOB"
)

// TestMain also serves as the child process for a runtime that is linked into the test, so that the memory of the runtime
// can be measured separately.
func TestMain(m *testing.M) {
	name := os.Getenv(childRuntime)
	if name == "" {
		os.Exit(m.Run())
	}
	wasm, err := os.ReadFile(os.Getenv(childModule))
	if err == nil {
		var vectors []vector
		if vectors, err = readJob(os.Getenv(childJob)); err == nil {
			var r result
			if r, err = measure(inGo[name], wasm, vectors); err == nil {
				err = json.NewEncoder(os.Stdout).Encode(r)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	module = "../../host/module/ctxfold.wasm"
	page   = "../../docs/reference/runtimes.md"
	// fixture is the folder of the JavaScript runtimes that npm installs.
	fixture = "../../js/fixtures/runtimes/node_modules/.bin/"
)

// row is a runtime of the table.
type row struct {
	name   string
	engine string // the compiler or interpreter
	source string // where the tests get the runtime
	// version is the runtime's Go module, or a command that prints the version.
	version []string
	// command starts the runtime; nil means that the runtime is linked into the test.
	command []string
	slow    bool
}

var rows = []row{
	{name: "Wasmtime", engine: "Cranelift", source: "Go module `wasmtime-go`", version: []string{"github.com/bytecodealliance/wasmtime-go/v25"}},
	{name: "Wasmer", engine: "Cranelift", source: "Go module `wasmer-go`, which has Wasmer 2", version: []string{"github.com/wasmerio/wasmer-go"}},
	{name: "Extism", engine: "wazero, as a plug-in", source: "Go module `extism/go-sdk`", version: []string{"github.com/extism/go-sdk"}},
	{name: "wazero", engine: "its compiler", source: "Go module", version: []string{"github.com/tetratelabs/wazero"}, slow: true},
	{name: "wazero interpreter", engine: "its interpreter", source: "Go module", version: []string{"github.com/tetratelabs/wazero"}, slow: true},
	{name: "Node", engine: "V8", source: "installed", command: []string{"node", "engine.js"}, version: []string{"node", "--version"}, slow: true},
	{name: "Deno", engine: "V8", source: "npm", command: []string{fixture + "deno", "run", "--quiet", "--no-lock", "--no-remote", "--allow-read", "engine.js"}, version: []string{fixture + "deno", "--version"}, slow: true},
	{name: "Bun", engine: "JavaScriptCore", source: "npm", command: []string{fixture + "bun", "engine.js"}, version: []string{fixture + "bun", "--version"}, slow: true},
	{name: "jsc", engine: "JavaScriptCore", source: "Debian `libjavascriptcoregtk-4.0-bin`", command: []string{"jsc", "engine.js", "--"}, version: []string{"dpkg-query", "-W", "-f", "${Version}", "libjavascriptcoregtk-4.0-bin"}, slow: true},
	{name: "gjs", engine: "SpiderMonkey 102", source: "Debian `gjs`", command: []string{"gjs", "engine.js"}, version: []string{"gjs", "--version"}, slow: true},
}

func TestRuntimes(t *testing.T) {
	vectors := readVectors(t)
	job := writeJob(t, vectors)
	extism := filepath.Join(t.TempDir(), "ctxfold.extism.wasm")
	if out, err := exec.CommandContext(t.Context(), "../../wasm/extism/build.sh", absolute(t, module), extism).CombinedOutput(); err != nil {
		t.Fatalf("the plug-in cannot be built: %v\n%s", err, out)
	}
	for _, r := range rows {
		if r.slow && !*long {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			if len(r.command) == 0 && inGo[r.name] == nil {
				if os.Getenv("CI") == "true" {
					t.Fatal("there is no C compiler, and in CI nothing is left out")
				}
				t.Skip("there is no C compiler")
			}
			wasm := absolute(t, module)
			if r.name == "Extism" {
				wasm = extism
			}
			got, peak := r.run(t, wasm, job)
			if len(got.Failures) > 0 || got.Passed != len(vectors) {
				t.Errorf("%d of %d vectors passed: %q", got.Passed, len(vectors), got.Failures[:min(len(got.Failures), 5)])
			}
			if !got.Trapped {
				t.Error("more memory than there can be was given")
			}
			if !got.After {
				t.Error("there is no other instance after a trap")
			}
			r.tell(t, fmt.Sprintf("| %.0f | %.0f | %d | %d |", got.Load, got.Compaction, got.Memory>>20, peak>>20))
		})
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !strings.Contains(string(text), "\n| "+r.name+" | "+r.engine+" | ") {
			t.Errorf("docs/reference/runtimes.md has no row for %s: make test-runtimes-long writes the table", r.name)
		}
	}
}

// tell logs the table row of a runtime, and writes it to the page if the flag -update is set and
// the test has not failed.
func (r row) tell(t *testing.T, measured string) {
	t.Helper()
	line := fmt.Sprintf("| %s | %s | %s | %s %s", r.name, r.engine, r.versionOf(t), r.source, measured)
	t.Log(line)
	if *update && !t.Failed() {
		writeRow(t, line)
	}
}

// run runs a job in a child process, and returns the result and the peak memory of that process, in bytes.
func (r row) run(t *testing.T, wasm, job string) (got result, peak int64) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), childRuntime+"="+r.name, childModule+"="+wasm, childJob+"="+job)
	if len(r.command) > 0 {
		c = exec.CommandContext(t.Context(), r.command[0], append(slices.Clone(r.command[1:]), wasm, job)...)
	}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", r.name, err, stdout.Bytes(), stderr.Bytes())
	}
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatalf("%s: %v\n%s%s", r.name, err, stdout.Bytes(), stderr.Bytes())
	}
	return got, c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

var number = regexp.MustCompile(`\d+(\.\d+)+`)

func (r row) versionOf(t *testing.T) string {
	t.Helper()
	command := r.version
	if len(command) == 1 {
		command = []string{"go", "list", "-m", "-f", "{{.Version}}", r.version[0]}
	}
	out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).Output()
	if err != nil {
		t.Fatalf("%q: %v", command, err)
	}
	return cmp.Or(number.FindString(string(out)), strings.TrimSpace(string(out)))
}

// writeRow writes a row of the table, which is sorted by name.
func writeRow(t *testing.T, line string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "<!-- runtimes begin -->\n")
	body, after, closed := strings.Cut(rest, "<!-- runtimes end -->")
	if !found || !closed {
		t.Fatal("docs/reference/runtimes.md has no place for the table")
	}
	lines := strings.Split(strings.TrimSpace(body), "\n")
	lines = append(lines[min(2, len(lines)):], line)
	name := func(line string) string { return strings.ToLower(strings.Split(line, "|")[1]) }
	if i := slices.IndexFunc(lines, func(l string) bool { return name(l) == name(line) }); i < len(lines)-1 {
		lines = slices.Delete(lines, i, i+1)
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(name(a), name(b)) })
	head := "| runtime | what runs it | version | had from | load, ms | compaction, ms | its memory, MiB | process, MiB |\n|---|---|---|---|---|---|---|---|\n"
	text = []byte(before + "<!-- runtimes begin -->\n" + head + strings.Join(lines, "\n") + "\n<!-- runtimes end -->" + after)
	if err := os.WriteFile(page, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

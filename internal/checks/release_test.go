package checks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestVersionsAgree checks that every package manifest has the version of the npm package. TestWorkspace checks the Go modules.
func TestVersionsAgree(t *testing.T) {
	var manifest, lock struct{ Version string }
	for file, into := range map[string]any{"js/package.json": &manifest, "js/package-lock.json": &lock} {
		if err := json.Unmarshal([]byte(read(t, file)), into); err != nil {
			t.Fatal(err)
		}
	}
	if manifest.Version == "" || lock.Version != manifest.Version {
		t.Errorf("js/package-lock.json has the version %q, and js/package.json %q", lock.Version, manifest.Version)
	}
	for file, line := range map[string]string{
		"core/ops.go":                         `const Version = "%s"`,
		"host/python/pyproject.toml":          "\nversion = \"%s\"\n",
		"host/python/src/ctxfold/__init__.py": "\n__version__ = \"%s\"\n",
		"host/rust/Cargo.toml":                "\nversion = \"%s\"\n",
		"host/rust/Cargo.lock":                "\nname = \"ctxfold\"\nversion = \"%s\"\n",
		"host/ruby/ctxfold.gemspec":           "  s.version = \"%s\"\n",
		"wit/ctxfold.wit":                     "package ctxfold:ctxfold@%s;",
		"CHANGELOG.md":                        "## [%s]",
	} {
		if want := strings.Replace(line, "%s", manifest.Version, 1); !strings.Contains(read(t, file), want) {
			t.Errorf("%s is not at version %s: it has no %q", file, manifest.Version, strings.TrimSpace(want))
		}
	}
}

// TestModulesOfTheNPMPackage checks the modules that the npm package exports. Its workflow must
// build those that aren't committed before it packs, and release-check must require each of them in
// the archive and exclude it from attw, which checks types.
func TestModulesOfTheNPMPackage(t *testing.T) {
	var manifest struct{ Exports map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(read(t, "js/package.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	ignored, workflow, check := read(t, ".gitignore"), read(t, ".github/workflows/release-npm.yml"), read(t, ".ci/release-check")
	packed := strings.Index(workflow, ".ci/packages ../build/release npm")
	_, check, _ = strings.Cut(check, "check_npm() {")
	check, _, _ = strings.Cut(check, "\n}\n")
	for entry := range manifest.Exports {
		name, isModule := strings.CutSuffix(strings.TrimPrefix(entry, "./"), ".wasm")
		if !isModule {
			continue
		}
		target := strings.Replace(name, "ctxfold", "module", 1)
		if built := strings.Index(workflow, "make "+target+"\n"); strings.Contains(ignored, "/js/"+name+".wasm\n") && (built < 0 || built > packed) {
			t.Errorf("release-npm.yml doesn't run make %s before it packs", target)
		}
		if !regexp.MustCompile(`\bhas .* ` + name + `\.wasm `).MatchString(check) {
			t.Errorf("release-check npm doesn't want %s.wasm", name)
		}
		if !strings.Contains(check, " ./"+name+".wasm ") {
			t.Errorf("release-check npm looks for types of %s.wasm", name)
		}
	}
}

// TestWheels checks the options of cibuildwheel 4.2: the sdist is built on all platforms, by one
// version of Python for all that the package supports.
func TestWheels(t *testing.T) {
	workflow, project, setup := read(t, ".github/workflows/release-pypi.yml"), read(t, "host/python/pyproject.toml"), read(t, "host/python/setup.py")
	const systems = "os: [ubuntu-24.04, ubuntu-24.04-arm, macos-15, macos-15-intel, windows-2025]"
	if !strings.Contains(workflow, systems) || !regexp.MustCompile(`run: pipx run cibuildwheel==4\.2\.\d+ --output-dir wheels dist/ctxfold-\*\.tar\.gz\n`).MatchString(workflow) {
		t.Error("release-pypi.yml doesn't build the sdist on Linux, macOS and Windows")
	}
	_, section, _ := strings.Cut(project, "\n[tool.cibuildwheel]\n")
	section, _, _ = strings.Cut(section, "\n[")
	options := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^([\w-]+) = (.*)$`).FindAllStringSubmatch(section, -1) {
		options[m[1]] = m[2]
	}
	for option := range options {
		if option != "build" && option != "skip" && option != "test-command" {
			t.Errorf("pyproject.toml: %s is none of the options that this test knows", option)
		}
	}
	builder := regexp.MustCompile(`^"cp3(\d+)-\*"$`).FindStringSubmatch(options["build"])
	oldest := regexp.MustCompile(`requires-python = ">=3\.(\d+)"`).FindStringSubmatch(project)
	if builder == nil || oldest == nil {
		t.Fatalf("pyproject.toml: builds %q, and supports %q", options["build"], oldest)
	}
	least, _ := strconv.Atoi(oldest[1])
	if version, _ := strconv.Atoi(builder[1]); version < least || !strings.Contains(setup, `"py_limited_api": "cp3`+oldest[1]+`"`) ||
		!strings.Contains(read(t, "host/python/src/ctxfold/_core.c"), fmt.Sprintf("#define Py_LIMITED_API 0x03%02X0000\n", least)) {
		t.Errorf("the wheel is not one for all versions from 3.%d on", least)
	}
	if !strings.Contains(options["test-command"], "import ctxfold") || !strings.Contains(read(t, ".ci/release-check"), `["cibuildwheel"]["test-command"]`) {
		t.Error("release-check doesn't run what tests a wheel")
	}
}

var (
	workflowRun   = regexp.MustCompile(`(?m)^ *(?:- )?run: (.*)$`)
	workflowUses  = regexp.MustCompile(`(?m)^ *(?:- )?uses: (.*)$`)
	pinned        = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	makeTargets   = regexp.MustCompile(`\bmake((?: -C [\w/]+)?)((?: [a-z][a-z-]+)+)`)
	ownScript     = regexp.MustCompile(`(?:^|[ /])(\.ci/[\w-]+)((?: [\w/.-]+)*)`)
	publishes     = regexp.MustCompile(`(?m)npm publish (?:[^-\n]|-[^-\n])*--provenance|gh-action-pypi-publish@|make -C host/rust publish|gem push|\.ci/tags --push|gh release create|actions/deploy-pages@`)
	writePerm     = regexp.MustCompile(`(?m)^ +(?:id-token|contents): write$`)
	onlyOfATag    = "if: startsWith(github.ref, 'refs/tags/v')"
	workflowNames = []string{"test", "release-npm", "release-pypi", "release-crates", "release-rubygems", "release-go", "release-files", "release-site"}
)

// TestWorkflows checks the workflows: the targets and scripts that they run exist, actions are pinned to commits, only publishing jobs have
// write permissions, and they publish only for a tag.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) != len(workflowNames) {
		t.Fatalf("workflows: %v, %v", files, err)
	}
	for _, name := range workflowNames {
		file := ".github/workflows/" + name + ".yml"
		text := read(t, file)
		for _, m := range workflowUses.FindAllStringSubmatch(text, -1) {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s: %s is not named by its commit and version", file, m[1])
			}
		}
		if !strings.Contains(text, "\npermissions:\n  contents: read\n") {
			t.Errorf("%s: a workflow may read, and its jobs what they need", file)
		}
		for _, m := range workflowRun.FindAllStringSubmatch(text, -1) {
			checkRun(t, file, m[1])
		}
		if name == "test" {
			if writePerm.MatchString(text) {
				t.Errorf("%s may write", file)
			}
			continue
		}
		if n := len(publishes.FindAllString(text, -1)); n != 1 {
			t.Errorf("%s publishes in %d steps", file, n)
		}
		if !strings.Contains(text, onlyOfATag) || !strings.Contains(text, `tags: ["v*"]`) || !strings.Contains(text, "workflow_dispatch:") {
			t.Errorf("%s must publish what has a tag, and nothing when it is started by hand", file)
		}
		checkPublishing(t, file, text)
	}
}

// checkPublishing fails unless the step or job that publishes runs only for a tag.
func checkPublishing(t *testing.T, file, text string) {
	t.Helper()
	at := publishes.FindStringIndex(text)
	if at == nil {
		return
	}
	job := text[strings.LastIndex(text[:at[0]], "\n  ")+1:]
	for i := at[0]; i > 0; i-- { // back to the line that begins the job
		if text[i] == '\n' && regexp.MustCompile(`^  [a-z]+:\n`).MatchString(text[i+1:]) {
			job = text[i:at[0]]
			break
		}
	}
	header, steps, _ := strings.Cut(job, "    steps:\n")
	step := steps[strings.LastIndex("\n"+steps, "\n      - "):]
	if !strings.Contains(header, onlyOfATag) && !strings.Contains(step, onlyOfATag) {
		t.Errorf("%s publishes without a tag:\n%s", file, step)
	}
	if !writePerm.MatchString(header) {
		t.Errorf("%s: the job that publishes has no permission to", file)
	}
}

// checkRun fails if a command of a workflow names a target, a script or a kind of package that does not exist.
func checkRun(t *testing.T, file, command string) {
	t.Helper()
	for _, m := range makeTargets.FindAllStringSubmatch(command, -1) {
		if strings.Contains(command, "apt-get") {
			continue // here make is a package to install
		}
		makefile := filepath.Join(strings.TrimSpace(strings.TrimPrefix(m[1], " -C")), "Makefile")
		for _, target := range strings.Fields(m[2]) {
			if !regexp.MustCompile(`(?m)^(?:[a-z-]+ )*` + target + `(?: [a-z-]+)*:`).MatchString(read(t, makefile)) {
				t.Errorf("%s: %s has no target %s", file, makefile, target)
			}
		}
	}
	for _, m := range ownScript.FindAllStringSubmatch(command, -1) {
		if info, err := os.Stat(m[1]); err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s: %s is no program", file, m[1])
			continue
		}
		if m[1] != ".ci/packages" && m[1] != ".ci/release-check" {
			continue
		}
		for _, kind := range strings.Fields(m[2]) {
			if !strings.Contains(kind, "/") && !regexp.MustCompile(`(?m)^\t(?:[a-z]+ \| )*`+kind+`(?: \| [a-z]+)*\) `).MatchString(read(t, m[1])) {
				t.Errorf("%s: %s knows no %s", file, m[1], kind)
			}
		}
	}
}

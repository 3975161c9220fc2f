package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A stage is a set of tests. The survivors of one stage continue to the next.
type stage struct {
	name     string
	packages func(t *tester, m *mutant) []string
	flags    []string
	memory   int // limit of the address space in KiB, because a changed loop may never stop allocating; 0 means none
}

// short lists the flags that skip tests over real sessions, which take most of the time and add little.
var short = []string{"-test.short", "-test.skip=Real"}

// fast are tests of core that take at most a second each and together reach nearly all of it.
const fast = "-test.run=^Test(Vectors|SeedVectors|Seeds|Digests|DigestSections|Canaries|Branch|Background|ArchiveOfPasses|FitEdits|FitOfOtherFormats|FitOfEditedHistories|" +
	"ForgedDigestOfTheUserIsKept|DeferredResults|ProviderSummaries|PrefixRequests|CalibrationConverges|RulesBeatNewestMessages|ConvertReports|LastResort.*|Redact.*|Search)$"

const core = module + "core"

var stages = []stage{
	{"room", func(_ *tester, m *mutant) []string { return []string{m.path()} }, short, 12 << 20},
	{"callers", (*tester).callers, short, 12 << 20},
	{"fast", func(*tester, *mutant) []string { return []string{core} }, []string{"-test.short", fast}, 12 << 20},
	{"core", func(t *tester, _ *mutant) []string { return t.below(core) }, short, 16 << 20},
	{"real", func(*tester, *mutant) []string {
		return []string{core, core + "/internal/sessionfile", core + "/internal/wire"}
	}, []string{"-test.short", "-test.run=Real"}, 16 << 20},
	{"all", func(t *tester, _ *mutant) []string { return t.below("") }, nil, 0},
}

// most is the maximum of CPU time for the tests of a package, in seconds.
const most = 4000

// patience is the wall-clock time limit of a test, as a multiple of its CPU time limit.
const patience = 30

// goPackage is a package of the module, as the go command lists it.
type goPackage struct {
	ImportPath, Dir  string
	GoFiles, Imports []string
}

// list returns the packages of the module.
func list() (packages []goPackage) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...").Output()
	if err != nil {
		log.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			log.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// tester runs tests on mutants.
type tester struct {
	packages []goPackage
	common   *build
	accepted []*mutant      // those in the common build
	limits   map[string]int // CPU time of tests, in seconds, by stage and package
}

// newTester builds the mutants that are inside functions and returns their tester.
func newTester(packages []goPackage, mutants []*mutant) *tester {
	var inside []*mutant
	for i, m := range mutants {
		if m.open > 0 {
			m.number = i + 1
			inside = append(inside, m)
		}
	}
	common, accepted := share(inside)
	return &tester{packages, common, accepted, map[string]int{}}
}

// buildOf returns the build that has a mutant in it, or nil if the compiler rejects it.
func (t *tester) buildOf(m *mutant) *build {
	switch {
	case m.open == 0:
		return single(m)
	case slices.Contains(t.accepted, m):
		return t.common
	}
	return nil
}

// below returns the packages whose import paths begin with a path, the innermost first: they have the fastest tests.
func (t *tester) below(path string) (found []string) {
	for _, p := range t.packages {
		if p.ImportPath == path || path == "" || strings.HasPrefix(p.ImportPath, path+"/") {
			found = append(found, p.ImportPath)
		}
	}
	slices.Reverse(found)
	return found
}

// callers returns the packages of core/internal that import the package of a mutant.
func (t *tester) callers(m *mutant) (found []string) {
	for _, p := range t.packages {
		if strings.HasPrefix(p.ImportPath, core+"/internal/") && slices.Contains(p.Imports, m.path()) {
			found = append(found, p.ImportPath)
		}
	}
	return found
}

// test returns the stage at which the tests detect a mutant, or last+1 if none does.
func (t *tester) test(m *mutant, b *build, last int) int {
	for i, s := range stages[:last+1] {
		for _, pkg := range s.packages(t, m) {
			if limit := t.limit(&s, pkg); limit > 0 && t.run(&s, b, m.number, pkg, limit) < 0 {
				return i
			}
		}
	}
	return last + 1
}

// limit returns the limit of CPU time for the tests of a package, in seconds: several times what they need without a change. It is 0 if
// there are no tests. It ends the program if they do not pass.
func (t *tester) limit(s *stage, pkg string) int {
	key := s.name + " " + pkg
	if limit, known := t.limits[key]; known {
		return limit
	}
	limit := 0
	if t.common.program(pkg) != "" {
		took := t.run(s, t.common, 0, pkg, most)
		if took < 0 {
			log.Fatalf("the tests of %s (%s) do not pass without a change in %d seconds", pkg, s.name, most)
		}
		limit = min(10+5*int(took.Seconds()), most)
	}
	t.limits[key] = limit
	return limit
}

// run runs the tests of a package with a limit of CPU time, in seconds. It returns the CPU time that they took, or -1 if they failed or
// reached the limit. The processes form a group, so that all of them can be killed.
func (t *tester) run(s *stage, b *build, number int, pkg string, cpu int) time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), patience*time.Duration(cpu)*time.Second)
	defer cancel()
	memory := "unlimited"
	if s.memory > 0 {
		memory = fmt.Sprint(s.memory)
	}
	script := `ulimit -v "$0"; ulimit -t "$1"; shift; exec nice -n 19 "$@"`
	args := append([]string{"-c", script, memory, fmt.Sprint(cpu), b.program(pkg), "-test.failfast", "-test.timeout=0"}, s.flags...)
	cmd := exec.CommandContext(ctx, "bash", args...)
	cmd.Env = append(os.Environ(), selected+"="+fmt.Sprint(number))
	cmd.Dir = t.packages[slices.IndexFunc(t.packages, func(p goPackage) bool { return p.ImportPath == pkg })].Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	if cmd.Run() != nil {
		return -1
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

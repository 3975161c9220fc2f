// Command mutants changes one operator of core at a time and checks whether a test fails.
//
// The program gremlins finds the possible changes (it lists them as JSON without running anything), and a seed selects a
// sample. Each change is tested in stages, the cheapest first: the short tests of its package, the tests of the packages
// that import it, a few fast tests that reach nearly all of core, the short tests of core, tests over real sessions, and
// all tests of the module. A change that survives all stages costs as much as a whole test run, so the last stages run
// only if -to requests them; the share of changes that the earlier stages detect is a lower bound. The working tree is
// never changed: the go command gets the changed file with -overlay.
//
// A change may make a loop endless, so tests have a limit of CPU time, which does not depend on the load of the machine. A test that
// exceeds the limit is considered failed only if it needs less than a fifth of the limit without the change.
//
// equivalent.txt lists changes that no test can detect, with the reason; they are not part of the sample. The command
// fails if the tests detect less than 90 % of the sample.
//
//	go run ./internal/mutants -list build/mutants/all.json -n 300 -seed 1
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// want is the percentage of the sample that tests must kill.
const want = 90

// equivalents is the file that lists changes that no test can detect.
const equivalents = "internal/mutants/equivalent.txt"

// A stage is a set of tests. The survivors of one stage continue to the next.
type stage struct {
	name     string
	packages func(m *mutant) []string
	flags    []string
	cpu      int // CPU time limit for the tests of one package, in seconds
	memory   int // limit of the address space in KiB, because a changed loop may never stop allocating; 0 means none
}

// short lists the flags that skip tests over real sessions, which take most of the time and add little.
var short = []string{"-short", "-skip=Real"}

// fast are tests of core that take at most a second each and together reach nearly all of it.
const fast = "-run=^Test(Vectors|SeedVectors|Seeds|Digests|DigestSections|Canaries|Branch|Background|ArchiveOfPasses|FitEdits|FitOfOtherFormats|FitOfEditedHistories|" +
	"ForgedDigestOfTheUserIsKept|DeferredResults|ProviderSummaries|PrefixRequests|CalibrationConverges|RulesBeatNewestMessages|ConvertReports|LastResort.*|Redact.*|Search)$"

var stages = []stage{
	{"room", func(m *mutant) []string { return []string{"./" + m.room()} }, short, 100, 12 << 20},
	{"callers", callers, short, 100, 12 << 20},
	{"fast", func(*mutant) []string { return []string{"./core"} }, []string{"-short", fast}, 100, 12 << 20},
	{"core", func(*mutant) []string { return []string{"./core/..."} }, short, 400, 16 << 20},
	{"real", func(*mutant) []string {
		return []string{"./core", "./core/internal/sessionfile", "./core/internal/wire"}
	}, []string{"-short", "-run=Real"}, 400, 16 << 20},
	{"all", func(*mutant) []string { return []string{"./..."} }, nil, 4000, 0},
}

// patience is the wall-clock time limit of a test, as a multiple of its CPU time limit.
const patience = 30

func main() {
	log.SetFlags(0)
	list := flag.String("list", "build/mutants/all.json", "what gremlins has found in core")
	n := flag.Int("n", 300, "mutants to draw")
	seed := flag.Uint64("seed", uint64(time.Now().Unix()), "of the sample")
	rooms := flag.String("rooms", "", "packages under core to draw from, by the ends of their paths, with commas; empty for all")
	depth := flag.String("to", "real", "the last stage: room, callers, fast, core, real or all")
	until := flag.Duration("until", 0, "draw no more mutants after this time; 0 for no limit")
	again := flag.String("again", "", "a report of an earlier run: test its survivors instead of drawing")
	report := flag.String("report", "build/mutants/report.txt", "where to write the survivors and the table")
	flag.Parse()

	last := slices.IndexFunc(stages, func(s stage) bool { return s.name == *depth })
	if last < 0 {
		log.Fatalf("-to %s: want room, callers, fast, core, real or all", *depth)
	}
	data, err := os.ReadFile(*list)
	if err != nil {
		log.Fatal(err)
	}
	all, err := read(data, "core")
	if err != nil {
		log.Fatal(err)
	}
	named, err := readEquivalents(equivalents)
	if err != nil {
		log.Fatal(err)
	}
	switch {
	case *again != "":
		text, err := os.ReadFile(*again)
		if err != nil {
			log.Fatal(err)
		}
		all = survivors(all, string(text))
		*n = len(all)
		fmt.Printf("Testing %d survivors of %s again\n", *n, *again)
	default:
		all = slices.DeleteFunc(all, func(m *mutant) bool { return !m.in(*rooms) })
		fmt.Printf("Seed %d: %d of %d mutants\n", *seed, *n, len(all))
		shuffle(all, *seed)
	}

	var out bytes.Buffer
	tally := newTally()
	begun := time.Now()
	for _, m := range all {
		if tally.tested == *n {
			break
		}
		if *until > 0 && time.Since(begun) > *until {
			tally.cut = fmt.Sprintf("The time was over after %d of %d mutants.\n", tally.tested, *n)
			break
		}
		if err := m.load(); err != nil {
			log.Fatal(err)
		}
		if named[m.key()] {
			tally.equivalent(m)
			continue
		}
		start := time.Now()
		at, err := test(m, last)
		if err != nil {
			log.Fatal(err)
		}
		if at == notBuilt {
			continue
		}
		tally.add(m, at, last)
		word := "lived"
		if at <= last {
			word = "killed by " + stages[at].name
		}
		fmt.Printf("%3d %-16s %5.1fs %s\n", tally.tested, word, time.Since(start).Seconds(), m.id())
		if at > last {
			fmt.Fprintf(&out, "%s\n%s\n\n", m.id(), m.key())
			fmt.Print(m.key(), "\n")
		}
	}
	table := tally.String()
	fmt.Print("\n", table)
	if err := os.WriteFile(*report, append(out.Bytes(), table...), 0o644); err != nil {
		log.Fatal(err)
	}
	if *again == "" && tally.percent() < want {
		log.Fatalf("%.1f %% killed; want %d", tally.percent(), want)
	}
}

// read returns the mutants that gremlins lists, in a fixed order. dir is the folder on which gremlins was run.
func read(data []byte, dir string) ([]*mutant, error) {
	var found struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Type         string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return nil, err
	}
	var all []*mutant
	for _, f := range found.Files {
		for _, m := range f.Mutations {
			all = append(all, &mutant{File: path.Join(dir, f.Name), Line: m.Line, Column: m.Column, Type: m.Type})
		}
	}
	slices.SortFunc(all, compare)
	// gremlins lists a minus between two operands twice, as a sign and as arithmetic.
	return slices.CompactFunc(all, func(a, b *mutant) bool {
		return a.File == b.File && a.Line == b.Line && a.Column == b.Column && min(a.Type, b.Type) == arithmetic && max(a.Type, b.Type) == negatives
	}), nil
}

func shuffle(all []*mutant, seed uint64) {
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}

// survivors returns the mutants that a report lists by their ids, one per line.
func survivors(all []*mutant, report string) []*mutant {
	lines := strings.Split(report, "\n")
	return slices.DeleteFunc(all, func(m *mutant) bool { return !slices.Contains(lines, m.id()) })
}

// notBuilt is the stage of a mutant that the compiler rejects.
const notBuilt = -1

// test returns the stage at which the tests detect a mutant, or last+1 if none does.
func test(m *mutant, last int) (int, error) {
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	overlay, err := m.overlay(dir)
	if err != nil {
		return 0, err
	}
	if run(overlay, 100, 0, "build", "./"+m.room()) != passed {
		return notBuilt, nil
	}
	for i, s := range stages[:last+1] {
		packages := s.packages(m)
		if len(packages) == 0 {
			continue
		}
		switch s.run(overlay, s.cpu, packages) {
		case passed:
			continue
		case ended:
			if s.run("", s.cpu/5, packages) != passed {
				return 0, fmt.Errorf("%s: the tests of %s do not pass in %d seconds without the change", m.id(), packages, s.cpu/5)
			}
		}
		return i, nil
	}
	return last + 1, nil
}

// callers returns the packages of core/internal that import the package of a mutant.
func callers(m *mutant) []string {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./core/internal/...").Output()
	if err != nil {
		log.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		if slices.ContainsFunc(names[1:], func(name string) bool { return strings.HasSuffix(name, "/"+m.room()) }) {
			found = append(found, names[0])
		}
	}
	return found
}

// outcome is how a run of the go command ended.
type outcome int

const (
	passed outcome = iota
	failed
	ended // by a time limit
)

func (s *stage) run(overlay string, cpu int, packages []string) outcome {
	args := append([]string{"test", "-vet=off", "-failfast", "-timeout=0"}, s.flags...)
	return run(overlay, cpu, s.memory, append(args, packages...)...)
}

// run runs the go command. Each of its processes is limited to cpu seconds of CPU time and memory KiB of memory. The
// processes form a group, so that all of them can be killed.
func run(overlay string, cpu, memory int, args ...string) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), patience*time.Duration(cpu)*time.Second)
	defer cancel()
	limit := "unlimited"
	if memory > 0 {
		limit = fmt.Sprint(memory)
	}
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", `ulimit -v "$0"; ulimit -t "$1"; shift; exec nice -n 19 go "$@"`, limit, fmt.Sprint(cpu)}, args...)...)
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return passed
	case ctx.Err() != nil, bytes.Contains(out, []byte("SIGXCPU")), bytes.Contains(out, []byte("signal: killed")):
		return ended
	default:
		return failed
	}
}

// overlay writes the changed file into dir, and a description that makes the go command use it.
func (m *mutant) overlay(dir string) (string, error) {
	from, err := filepath.Abs(m.File)
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, filepath.Base(m.File))
	if err := os.WriteFile(to, m.changed, 0o644); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": {from: to}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, data, 0o644)
}

// Command mutants changes one operator of core at a time and checks whether a test fails.
//
// A seed selects a sample of the possible changes. All changes inside functions share one build, in which an environment
// variable selects one of them, so the tests are compiled once; a change of a package's variables or constants has a
// build of its own. Each change is tested in stages, the cheapest first: the short tests of its package, the short tests
// of the packages that import it, a few fast tests that reach nearly all of core, the short tests of core, tests over
// real sessions, and all tests of the module. A change that survives all stages costs as much as a whole test run, so
// the last stage runs only if -to requests it; the share of changes that the earlier stages detect is a lower bound. The
// working tree is never changed: the go command gets the changed files with -overlay.
//
// A change may make a loop endless, so tests have a limit of CPU time, which does not depend on the load of the machine: several times what
// they take without a change.
//
// equivalent.txt lists changes that no test can detect, with the reason; they are not part of the sample. The command
// fails if the tests detect less than 90 % of the sample.
//
//	go run ./internal/mutants -n 300 -seed 1
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
)

// want is the percentage of the sample that tests must kill.
const want = 90

// equivalents is the file that lists changes that no test can detect.
const equivalents = "internal/mutants/equivalent.txt"

func main() {
	log.SetFlags(0)
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
	packages := list()
	all, err := candidates(packages)
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

	begun := time.Now()
	tally := newTally()
	drawn := draw(all, *n, named, tally)
	over := func() bool { return *until > 0 && time.Since(begun) > *until }
	survived := try(drawn, packages, tally, *n, last, over)
	table := tally.String()
	fmt.Print("\n", table)
	if err := os.WriteFile(*report, []byte(survived+table), 0o644); err != nil {
		log.Fatal(err)
	}
	if *again == "" && tally.percent() < want {
		log.Fatalf("%.1f %% killed; want %d", tally.percent(), want)
	}
}

// draw loads the first of the mutants that are not equivalent: n, and half as many more for those that the compiler rejects.
func draw(all []*mutant, n int, equivalent map[string]bool, tally *tally) (drawn []*mutant) {
	for _, m := range all {
		if len(drawn) == n+n/2 {
			break
		}
		if err := m.load(); err != nil {
			log.Fatal(err)
		}
		if equivalent[m.key()] {
			tally.equivalent(m)
			continue
		}
		drawn = append(drawn, m)
	}
	return drawn
}

// try tests mutants until n have been tested or the time is over. It counts them, and returns the survivors with their ids and keys.
func try(drawn []*mutant, packages []goPackage, tally *tally, n, last int, over func() bool) string {
	var out bytes.Buffer
	tester := newTester(packages, drawn)
	for _, m := range drawn {
		if tally.tested == n {
			break
		}
		if over() {
			tally.cut = fmt.Sprintf("The time was over after %d of %d mutants.\n", tally.tested, n)
			break
		}
		b := tester.buildOf(m)
		if b == nil {
			continue
		}
		start := time.Now()
		at := tester.test(m, b, last)
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
	return out.String()
}

func shuffle(all []*mutant, seed uint64) {
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}

// survivors returns the mutants that a report lists by their ids, one per line.
func survivors(all []*mutant, report string) []*mutant {
	lines := strings.Split(report, "\n")
	return slices.DeleteFunc(all, func(m *mutant) bool { return !slices.Contains(lines, m.id()) })
}

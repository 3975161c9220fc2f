// Command testlog reads the output of go test -json and prints what go test prints without -json: a line for each
// package, and failures. For the summary of a run (.ci/stages), it writes the durations of tests, and the reasons why
// tests were skipped, to the file that CTXFOLD_TIMES names:
//
//	time 1.25 core TestFit
//	skip core TestLinear: a long run
//
//	go test -json ./... | go run ./internal/testlog
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path"
	"regexp"
	"strings"
)

// event is a line that go test -json prints.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // the package that was built
	Elapsed                       float64
}

type key struct{ pkg, test string }

func main() {
	log.SetFlags(0)
	times := io.Discard
	if name := os.Getenv("CTXFOLD_TIMES"); name != "" {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			log.Fatal(err)
		}
		defer file.Close()
		times = file
	}
	if err := filter(os.Stdin, os.Stdout, times); err != nil {
		log.Fatal(err)
	}
}

// filter copies those events that go test prints without -json.
func filter(in io.Reader, out, times io.Writer) error {
	said := map[key]string{}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &e) != nil: // output of the go command itself
			fmt.Fprintf(out, "%s", line)
		default:
			e.write(said, out, times)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (e *event) write(said map[key]string, out, times io.Writer) {
	at := key{e.Package, e.Test}
	room := path.Base(e.Package)
	switch e.Action {
	case "output":
		// The output of a test is held back until the test's result is known. A package's own lines are shown unless
		// they are empty.
		if e.Test != "" || e.Output != "PASS\n" && !strings.Contains(e.Output, "[no test files]") {
			said[at] += e.Output
		}
	case "build-output":
		fmt.Fprint(out, e.Output)
	case "pass", "skip", "fail":
		if e.Test == "" || e.Action == "fail" {
			fmt.Fprint(out, said[at])
		}
		top := e.Test != "" && !strings.Contains(e.Test, "/")
		if top && e.Action != "skip" {
			fmt.Fprintf(times, "time %.2f %s %s\n", e.Elapsed, room, e.Test)
		}
		if e.Test != "" && e.Action == "skip" {
			fmt.Fprintf(times, "skip %s %s: %s\n", room, e.Test, why(said[at]))
		}
		delete(said, at)
	}
}

// place matches the file and line that go test writes before a test's message.
var place = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// why returns the last message of a skipped test, which states the reason.
func why(said string) string {
	reason := "no reason is given"
	for line := range strings.Lines(said) {
		if loc := place.FindStringIndex(line); loc != nil {
			reason = strings.TrimSpace(line[loc[1]:])
		}
	}
	return reason
}

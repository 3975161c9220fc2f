// Command conformance runs a program that is a compactor of any kind on conversations in its own wire format, and checks
// which promises it keeps:
//
//	go run ./internal/conformance 'node js/test/compactors/ctxfold.js'
//	go run ./internal/conformance -write docs/inside/conformance.md COMMAND...
//
// docs/inside/conformance.md describes the protocol, which uses lines of JSON on standard input and output.
// internal/testing/judge, which shares no code with any compactor, decides what is valid.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	write := flag.String("write", "", "write the table of results into this `FILE`, between the marks that it has for it")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: conformance [-write FILE] COMMAND...")
	}
	var results []*result
	for _, command := range flag.Args() {
		r, err := runCommand(command)
		if err != nil {
			log.Fatalf("%s: %v", command, err)
		}
		for _, failure := range r.failures {
			fmt.Printf("%s: %s\n", r.about.Name, failure)
		}
		results = append(results, r)
	}
	table := tableOf(results)
	fmt.Print("\n", table)
	if *write != "" {
		if err := replaceTable(*write, table); err != nil {
			log.Fatal(err)
		}
	}
}

// runCommand runs a compactor, given as a shell command, on all cases.
func runCommand(command string) (*result, error) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r, err := run(in, out)
	if closed := in.Close(); err == nil {
		err = closed
	}
	if ended := cmd.Wait(); err == nil {
		err = ended
	}
	return r, err
}

// tableOf returns a table with a row for each compactor. A compactor is only tested for the promises that it makes. The table also shows
// how small its results are, which is not a promise.
func tableOf(results []*result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| compactor | %s | leaves |\n|---|%s---|\n", strings.Join(promises, " | "), strings.Repeat("---|", len(promises)))
	for _, r := range results {
		fmt.Fprintf(&b, "| %s %s |", r.about.Name, r.about.Version)
		for _, p := range promises {
			if slices.Contains(r.about.Promises, p) {
				fmt.Fprintf(&b, " %d of %d |", r.kept[p], r.tried[p])
			} else {
				b.WriteString(" – |")
			}
		}
		fmt.Fprintf(&b, " %d %% |\n", (100*r.after+r.before/2)/max(r.before, 1))
	}
	return b.String()
}

const begin, end = "<!-- results -->\n", "<!-- /results -->"

// replaceTable replaces the text between the table markers in file with table.
func replaceTable(file, table string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, rest, found := bytes.Cut(page, []byte(begin))
	_, tail, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		return fmt.Errorf("%s has no marks for the results", file)
	}
	return os.WriteFile(file, slices.Concat(head, []byte(begin+table+end), tail), 0o644)
}

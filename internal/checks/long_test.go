package checks_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLongRuns checks that a target in .ci/long.mk fully runs each test that make test runs only in
// part: each test file of the npm package that reads CTXFOLD_LONG, and each Go test outside of the
// packages whose tests all run there.
func TestLongRuns(t *testing.T) {
	text, err := os.ReadFile(".ci/long.mk")
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for line := range strings.Lines(string(text)) {
		if _, command, found := strings.Cut(line, "CTXFOLD_LONG="); found {
			commands = append(commands, command)
		}
	}
	runs := func(is func(word string) bool) bool {
		for _, command := range commands {
			for _, word := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" '^$()|\n", r) }) {
				if is(word) {
					return true
				}
			}
		}
		return false
	}
	found := 0
	for _, pattern := range []string{"*.test.js", "judges/*.test.js", "heavy/*.test.js"} {
		files, err := filepath.Glob("js/test/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if reads(t, file, "CTXFOLD_LONG") {
				found++
				if !runs(func(word string) bool { ok, _ := filepath.Match(word, strings.TrimPrefix(file, "js/")); return ok }) {
					t.Errorf("no target runs %s with CTXFOLD_LONG", file)
				}
			}
		}
	}
	files, err := filepath.Glob("host/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	deeper, err := filepath.Glob("host/*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	long, test := regexp.MustCompile(`\btrials\.(All|Count|Covers)\(|"CTXFOLD_LONG"`), regexp.MustCompile(`^func (Test\w+)\(`)
	for _, file := range append(files, deeper...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		for line := range strings.Lines(string(text)) {
			if m := test.FindStringSubmatch(line); m != nil {
				name = m[1]
			}
			if long.MatchString(line) {
				found++
				if !runs(func(word string) bool { return word == name }) {
					t.Errorf("no target runs %s of %s with CTXFOLD_LONG", name, file)
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d tests have more to try in a long run", found)
	}
}

func reads(t *testing.T, file, name string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(text), name)
}

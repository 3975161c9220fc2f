// Command prose lists the files whose prose make lint-prose checks, and extracts the texts that a program prints
// (errors, help, log lines) so that the linter can read them: for each source it writes a file to the folder given by
// -out, with each text on the line that it has in the source.
//
// The arguments are paths relative to the current folder, as git ls-files prints them. The linter, Vale, reads Markdown,
// HTML and comments itself, but no string literals.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	out := flag.String("out", "", "the `folder` for the texts of programs")
	flag.Parse()
	for _, file := range flag.Args() {
		if !checked(file) {
			continue
		}
		if !strings.HasSuffix(file, ".mjs") {
			fmt.Println(file)
		} else if err := copied(*out, file); err != nil {
			log.Fatal(err)
		}
		if err := extract(*out, file); err != nil {
			log.Fatal(err)
		}
	}
}

// skipped matches files that are generated, contain data, or quote other texts.
var skipped = regexp.MustCompile(`_easyjson\.go$|\.gen\.ts$|(^|/)testdata/|(^|/)fixtures/.*/node_modules/|^host/c/src/|^internal/prose/|/statement_tastes\.go$`)

var read = regexp.MustCompile(`\.(md|html|go|js|mjs|ts|tsx|py|rs|c|h|rb)$`)

func checked(file string) bool { return read.MatchString(file) && !skipped.MatchString(file) }

// copied copies a JavaScript module to a file with a name for which the linter reads comments.
func copied(out, file string) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return write(out, file+".js", source)
}

func write(out, file string, text []byte) error {
	path := filepath.Join(out, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// extract writes the texts of a program to the folder out. It skips tests, whose texts users never see, and *_cues.go
// files, which are word lists.
func extract(out, file string) error {
	var texts []string
	var err error
	switch {
	case strings.HasSuffix(file, "_test.go"), strings.Contains(file, "/test/"), strings.HasSuffix(file, "_cues.go"):
		return nil
	case strings.HasSuffix(file, ".go"):
		texts, err = literals(file)
	case regexp.MustCompile(`\.(js|mjs|ts|tsx|py)$`).MatchString(file):
		texts, err = quoted(file)
	}
	if err != nil || len(texts) == 0 {
		return err
	}
	return write(out, file+".txt", []byte(strings.Join(texts, "\n")+"\n"))
}

// literals returns the prose in the string literals of a Go file, indexed by line.
func literals(file string) ([]string, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var texts []string
	ast.Inspect(tree, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		if err == nil && prose(text) {
			texts = put(texts, set.Position(lit.Pos()).Line, text)
		}
		return true
	})
	return texts, nil
}

var literal = regexp.MustCompile("\"([^\"\\\\]|\\\\.)*\"|`[^`]*`|'([^'\\\\]|\\\\.)*'")

// quoted returns the prose between quotes in a file of another language, indexed by line. It ignores literals that span several lines,
// and comments.
func quoted(file string) ([]string, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var texts []string
	for i, line := range strings.Split(string(source), "\n") {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "#") {
			continue
		}
		for _, text := range literal.FindAllString(line, -1) {
			if prose(text) {
				texts = put(texts, i+1, strings.Trim(text, "\"`'"))
			}
		}
	}
	return texts, nil
}

// put appends text to the entry for a line in texts, and returns the extended list. Lines are counted from 1.
func put(texts []string, line int, text string) []string {
	for len(texts) < line {
		texts = append(texts, "")
	}
	texts[line-1] += strings.ReplaceAll(text, "\n", " ") + " "
	return texts
}

var words = regexp.MustCompile(`[a-z]{2,} [a-z]+ [a-z']{2,}`)

// prose reports whether text contains consecutive words like a sentence and none of the characters that are typical
// of JSON and regular expressions.
func prose(text string) bool {
	return words.MatchString(text) && !strings.ContainsAny(text, `{}\^|<>`)
}

package digest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/internal/testing/trials"
)

// TestStatementsWithoutWords judges the sentences in the tests of this package with some of their words left out. Where a
// rule expects a verb or an object, there may then be a number, or nothing.
func TestStatementsWithoutWords(t *testing.T) {
	sentences := sentencesOfTests(t)
	if len(sentences) < 1000 {
		t.Fatalf("only %d sentences", len(sentences))
	}
	tries := trials.Count(8, 16, 40)
	random := rand.New(rand.NewPCG(1, 1))
	var l Ledger
	for _, sentence := range sentences {
		words := strings.Fields(sentence)
		for range tries {
			var left []string
			most := 1 + random.IntN(6)
			for i, w := range words {
				if random.IntN(len(words)-i) < most-len(left) {
					left = append(left, w)
				}
			}
			s := strings.Join(left, " ")
			if ws := wordsOf(s, quotedIn(s)); len(ws) > 0 {
				rate(s, ws)
				errand(s, ws, random.IntN(2) == 0)
			}
			if brief := briefOf(s); !strings.Contains(s, brief) {
				t.Fatalf("%q is no part of %q", brief, s)
			}
			l.Standing = append(l.Standing[:min(len(l.Standing), 3)], s)
			l.standingBlock(40+random.IntN(200), 0)
			u := updatesIn(l.Standing)
			u.outdate(s)
		}
	}
}

// TestStatementsOfAnyWords judges sentences of random words that the statements' word lists contain, mixed with numbers and
// with signs that are no words. A cue may then be next to anything, or a sentence may follow one without words.
func TestStatementsOfAnyWords(t *testing.T) {
	listed := strings.Fields(strings.ReplaceAll(strings.Join(stringsOf(t, "statement*.go", "subject.go", "vocabulary.go", "revoke.go"), " "), "|", " "))
	if len(listed) < 10_000 {
		t.Fatalf("only %d words", len(listed))
	}
	others := strings.Fields(`50000 000km 12345678 3 20 ảẽ 😀😀 I my budget is now words up to , ; — never always don't use more than can you limit for € ええええ 我 字 「a」 " ' ... ! ? They`)
	tries := trials.Count(8_000, 40_000, 100_000)
	random := rand.New(rand.NewPCG(3, 3))
	for range tries {
		var texts []string
		for range 1 + random.IntN(4) {
			var ws []string
			for range 1 + random.IntN(11) {
				from := listed
				if random.IntN(3) == 0 {
					from = others
				}
				ws = append(ws, from[random.IntN(len(from))])
			}
			texts = append(texts, strings.Join(ws, " ")+[]string{".", "!", "", "?"}[random.IntN(4)])
		}
		judged := func() (trap any) {
			defer func() { trap = recover() }()
			var all []string
			for _, text := range texts {
				all = append(append(all, text), statements(text, new(readRoom))...)
			}
			newestStanding(all)
			return nil
		}
		if trap := judged(); trap != nil {
			t.Fatalf("%v: %q", trap, texts)
		}
	}
}

// sentencesOfTests returns the strings with at least three words in the tests of this package.
func sentencesOfTests(t *testing.T) (sentences []string) {
	t.Helper()
	for _, s := range stringsOf(t, "*_test.go") {
		if strings.Count(s, " ") > 1 && len(s) < 300 && !strings.Contains(s, "{") {
			sentences = append(sentences, s)
		}
	}
	return sentences
}

// stringsOf returns the string literals in the files of this package that match one of the patterns. A pattern that
// doesn't end in "_test.go" matches no tests.
func stringsOf(t *testing.T, patterns ...string) (all []string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(pattern, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					if s, err := strconv.Unquote(literal.Value); err == nil {
						all = append(all, s)
					}
				}
				return true
			})
		}
	}
	return all
}

// A number after a number, such as that of a telephone, is no unit of a limit.
func TestLimitsBesideNumbers(t *testing.T) {
	for _, rule := range []string{"Never call 0151 23456789 after six.", "Use at most 20 50000km tours."} {
		if got := newestStanding([]string{rule, "You can use up to 300 words."}); !slices.Contains(got, rule) {
			t.Errorf("%q", got)
		}
	}
}

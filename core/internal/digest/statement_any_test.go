package digest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestStatementsWithoutWords judges the sentences in the tests of this package with some of their words left out. Where a
// rule expects a verb or an object, there may then be a number, or nothing.
func TestStatementsWithoutWords(t *testing.T) {
	sentences := sentencesOfTests(t)
	if len(sentences) < 1000 {
		t.Fatalf("only %d sentences", len(sentences))
	}
	tries := 40
	if testing.Short() {
		tries = 8
	}
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

// sentencesOfTests returns the strings with at least three words in the tests of this package.
func sentencesOfTests(t *testing.T) (sentences []string) {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if s, err := strconv.Unquote(literal.Value); err == nil && strings.Count(s, " ") > 1 && len(s) < 300 && !strings.Contains(s, "{") {
					sentences = append(sentences, s)
				}
			}
			return true
		})
	}
	return sentences
}

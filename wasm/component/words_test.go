package component_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core"
	"github.com/ctxfold/ctxfold/internal/operations"
	"github.com/ctxfold/ctxfold/wasm/component"
)

// cases are the cases of an enum of the WIT, as words of the API.
func cases(t *testing.T, wit, enum string) []string {
	t.Helper()
	body := regexp.MustCompile(`(?s)enum ` + enum + ` \{(.*?)\n  \}`).FindStringSubmatch(wit)
	if body == nil {
		t.Fatalf("the WIT has no enum %s", enum)
	}
	var words []string
	for _, m := range regexp.MustCompile(`(?m)^    ([a-z0-9-]+),$`).FindAllStringSubmatch(body[1], -1) {
		words = append(words, strings.ReplaceAll(m[1], "-", "_"))
	}
	return words
}

// constants are the values of the constants of a type of package api.
func constants(t *testing.T, file, typ string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if named, ok := v.Type.(*ast.Ident); ok && named.Name == typ {
				word, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				words = append(words, word)
			}
		}
		return true
	})
	return words
}

func strs[T ~string](words []T) []string {
	var list []string
	for _, w := range words {
		list = append(list, string(w))
	}
	return list
}

// A result has the number of a word, so the WIT, the tables and package api must have the same words in the same order.
func TestWords(t *testing.T) {
	text, err := os.ReadFile("../../wit/ctxfold.wit")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "package ctxfold:ctxfold@"+core.Version+";\n") {
		t.Errorf("wit/ctxfold.wit is not of the version %s: it stands there, and in wasm/component.go", core.Version)
	}
	var ops []string
	for _, o := range operations.Operations {
		if !o.Full {
			ops = append(ops, o.Name)
		}
	}
	for _, e := range []struct {
		enum      string
		table, in []string
	}{
		{"error-code", strs(component.Codes), constants(t, "../../api/codes.go", "Code")},
		{"reason", strs(component.Reasons), constants(t, "../../api/words.go", "Reason")},
		{"token-source", strs(component.Sources), constants(t, "../../api/words.go", "TokenSource")},
		{"scope", strs(component.Scopes), constants(t, "../../api/words.go", "Scope")},
		{"operation", ops, ops},
	} {
		if !slices.Equal(e.table, e.in) {
			t.Errorf("%s: the table is\n%q\nand package api has\n%q", e.enum, e.table, e.in)
		}
		if in := cases(t, string(text), e.enum); !slices.Equal(e.table, in) {
			t.Errorf("%s: the table is\n%q\nand wit/ctxfold.wit has\n%q", e.enum, e.table, in)
		}
	}
}

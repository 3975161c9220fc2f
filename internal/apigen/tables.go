package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/ctxfold/ctxfold/internal/operations"
)

// tables are those of docs/reference/abi.md, by the name in the comment before them; of a set of words it is the name of their type.
var tables = map[string]*template.Template{
	"operations": parse("`OP` is one of {{range $i, $o := .Operations}}{{if $i}}, {{end}}`{{$o.Name}}`{{end}}; `function` is in the full build only. One call:\n"),
	"keys": parse("| key | read by | meaning |\n|---|---|---|\n" +
		"{{range $m, $row := .Members}}| `{{$row.Name}}` |{{range $.ReadBy $m}} `{{.}}`{{end}} | {{$row.Doc}} |\n{{end}}"),
	"TokenSource": words("source", "the number is"), "Scope": words("scope", "the record is"), "ExcessCause": words("why", "meaning"),
	"Reason": words("reason", "meaning"), "ActionName": words("action", "meaning"), "SummaryFault": words("why", "meaning"),
	"Code": words("code", "meaning"),
}

func parse(text string) *template.Template { return template.Must(template.New("").Parse(text)) }

// words is the table of a closed set.
func words(word, meaning string) *template.Template {
	return parse("| " + word + " | " + meaning + " |\n|---|---|\n{{range .}}| `{{.JSON}}` | {{.Doc}} |\n{{end}}")
}

// table is what the templates see of the table of operations.
type table struct {
	Operations []operations.Operation
	Members    []operations.MemberRow
}

// ReadBy are the operations that a member is of.
func (table) ReadBy(member int) (names []string) {
	for _, o := range operations.Operations {
		if o.Members.Has(operations.Member(member)) {
			names = append(names, o.Name)
		}
	}
	return names
}

var generated = regexp.MustCompile(`(?s)<!-- generated: (\w+) -->\n.*?<!-- end -->`)

// tables is docs/reference/abi.md with its tables anew.
func (g *generator) tables(root string) []byte {
	text, err := os.ReadFile(filepath.Join(root, "docs", "reference", "abi.md"))
	check(err)
	found := 0
	text = generated.ReplaceAllFunc(text, func(part []byte) []byte {
		found++
		name := string(generated.FindSubmatch(part)[1])
		if tables[name] == nil {
			fatal("docs/reference/abi.md names an unknown table:", name)
		}
		var data any = table{operations.Operations[:], operations.MemberTable[:]}
		if name == strings.ToUpper(name[:1])+name[1:] {
			data = g.constants(g.named(name))
		}
		var b bytes.Buffer
		check(tables[name].Execute(&b, data))
		return []byte("<!-- generated: " + name + " -->\n" + strings.TrimSuffix(b.String(), "\n") + "\n<!-- end -->")
	})
	if found != len(tables) {
		fatal("docs/reference/abi.md has not all tables that are generated")
	}
	return text
}

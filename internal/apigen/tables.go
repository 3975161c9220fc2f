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

// tables are the templates of the generated tables in docs/reference. The keys are the names in the comments before
// the tables. The table for a set of words is named after the words' type.
var tables = map[string]*template.Template{
	"operations": parse("`OP` is one of {{range $i, $o := .Operations}}{{if $i}}, {{end}}`{{$o.Name}}`{{end}}; `function` is in the full build only. One call:\n"),
	"keys": parse("| key | read by | meaning |\n|---|---|---|\n" +
		"{{range $m, $row := .Members}}| `{{$row.Name}}` |{{range $.ReadBy $m}} `{{.}}`{{end}} | {{$row.Doc}} |\n{{end}}"),
	"TokenSource": words("source", "the number is"), "Scope": words("scope", "the record is"), "ExcessCause": words("why", "meaning"),
	"Reason": words("reason", "meaning"), "ActionName": words("action", "meaning"), "SummaryFault": words("why", "meaning"),
	"Code": words("code", "meaning"),
}

func parse(text string) *template.Template { return template.Must(template.New("").Parse(text)) }

// words returns the template for the table of a closed set of words. word and meaning are the headings of its
// columns.
func words(word, meaning string) *template.Template {
	return parse("| " + word + " | " + meaning + " |\n|---|---|\n{{range .}}| `{{.JSON}}` | {{.Doc}} |\n{{end}}")
}

// table is the data that the templates of the operation tables use.
type table struct {
	Operations []operations.Operation
	Members    []operations.MemberRow
}

// ReadBy returns the names of the operations whose requests have a member.
func (table) ReadBy(member int) (names []string) {
	for _, o := range operations.Operations {
		if o.Members.Has(operations.Member(member)) {
			names = append(names, o.Name)
		}
	}
	return names
}

var generated = regexp.MustCompile(`(?s)<!-- generated: (\w+) -->\n.*?<!-- end -->`)

// tablePages lists the pages with generated tables.
var tablePages = []string{"docs/reference/abi.md", "docs/reference/report.md", "docs/reference/errors.md"}

// tables returns the pages with their tables filled in, by path. Each table must be on exactly one page.
func (g *generator) tables(root string) map[string][]byte {
	pages := map[string][]byte{}
	seen := map[string]bool{}
	for _, page := range tablePages {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
		check(err)
		pages[page] = g.replaceTables(page, text, seen)
	}
	for name := range tables {
		if !seen[name] {
			fatal("no page has the table", name)
		}
	}
	return pages
}

// replaceTables generates the tables of one page and adds their names to seen.
func (g *generator) replaceTables(page string, text []byte, seen map[string]bool) []byte {
	return generated.ReplaceAllFunc(text, func(part []byte) []byte {
		name := string(generated.FindSubmatch(part)[1])
		if tables[name] == nil || seen[name] {
			fatal(page, "names an unknown or repeated table:", name)
		}
		seen[name] = true
		var data any = table{operations.Operations[:], operations.MemberTable[:]}
		if name == strings.ToUpper(name[:1])+name[1:] {
			data = g.constants(g.named(name))
		}
		var b bytes.Buffer
		check(tables[name].Execute(&b, data))
		return []byte("<!-- generated: " + name + " -->\n" + strings.TrimSuffix(b.String(), "\n") + "\n<!-- end -->")
	})
}

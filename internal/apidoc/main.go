// Command apidoc writes the documentation of Go packages, including examples, as one page of Markdown: the Go API on
// the site.
//
//	go run ./internal/apidoc . pass host > go.md
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// module is the import path of the current folder.
const module = "github.com/ctxfold/ctxfold"

func main() {
	log.SetFlags(0)
	page := new(bytes.Buffer)
	page.WriteString("# Go API\n\nFor Go programs: every exported name, with examples that the tests run. [Go](../docs/start/go.md) is where to begin.\n")
	var packages []*writer
	for _, dir := range os.Args[1:] {
		w, err := read(page, dir)
		if err != nil {
			log.Fatal(err)
		}
		packages = append(packages, w)
	}
	for _, w := range packages {
		w.note()
	}
	for _, w := range packages {
		w.write()
	}
	if _, err := page.WriteTo(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// writer writes the documentation of one package.
type writer struct {
	*bytes.Buffer
	*doc.Package
	set *token.FileSet
}

// anchors are the anchors of the headings on the page. A key is an import path, a space, and a name in the form T, F or T.M.
var anchors = map[string]string{}

func read(to *bytes.Buffer, dir string) (*writer, error) {
	set := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_easyjson.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(set, files, path.Join(module, filepath.ToSlash(dir)))
	return &writer{to, p, set}, err
}

// qualified returns a name as it is written in headings, preceded by its package unless that is the root package.
func (w *writer) qualified(name string) string {
	if w.ImportPath == module {
		return name
	}
	return w.Name + "." + name
}

// note adds the package's headings to the anchors, in the form that the site and GitHub generate.
func (w *writer) note() {
	anchor := func(name, heading string) {
		heading = strings.ToLower(strings.ReplaceAll(heading, ".", ""))
		anchors[w.ImportPath+" "+name] = "#" + strings.ReplaceAll(heading, " ", "-")
	}
	functions := w.Funcs
	for _, t := range w.Types {
		anchor(t.Name, "type "+w.qualified(t.Name))
		functions = append(functions, append(t.Funcs, t.Methods...)...)
	}
	for _, f := range functions {
		anchor(nameOf(f), w.qualified(nameOf(f)))
	}
}

func (w *writer) write() {
	fmt.Fprintf(w, "\n## package %s\n\n```go\nimport %q\n```\n\n", w.Name, w.ImportPath)
	w.text(w.Doc)
	w.examples(w.Examples)
	w.values(w.Consts)
	w.values(w.Vars)
	for _, f := range w.Funcs {
		w.function(f)
	}
	for _, t := range w.Types {
		fmt.Fprintf(w, "### type %s\n\n", w.qualified(t.Name))
		w.code(t.Decl)
		w.text(t.Doc)
		w.examples(t.Examples)
		w.values(t.Consts)
		w.values(t.Vars)
		for _, f := range append(t.Funcs, t.Methods...) {
			w.function(f)
		}
	}
}

// text writes a doc comment. Its headings are one level below the headings of the page.
func (w *writer) text(source string) {
	printer := w.Printer()
	printer.HeadingLevel = 4
	printer.DocLinkURL = func(link *comment.DocLink) string {
		from, name := link.ImportPath, link.Name
		if from == "" {
			from = w.ImportPath
		}
		if link.Recv != "" {
			name = link.Recv + "." + name
		}
		return anchors[from+" "+name] // "" means no link
	}
	w.WriteString(indented.ReplaceAllStringFunc(string(printer.Markdown(w.Parser().Parse(source))), func(code string) string {
		return "```go\n" + strings.ReplaceAll(code[1:], "\n\t", "\n") + "```\n"
	}))
	w.WriteString("\n")
}

// indented matches the indented code that the printer writes. It has to be fenced, because the site supports no other
// code.
var indented = regexp.MustCompile(`(?m)^\t.*\n(?:(?:\t.*)?\n)*(?:\t.*\n)|^\t.*\n`)

func (w *writer) values(values []*doc.Value) {
	for _, v := range values {
		w.code(v.Decl)
		w.text(v.Doc)
	}
}

func (w *writer) function(f *doc.Func) {
	fmt.Fprintf(w, "#### %s\n\n", w.qualified(nameOf(f)))
	w.code(f.Decl)
	w.text(f.Doc)
	w.examples(f.Examples)
}

// nameOf returns the name of a function, or T.M for method M of type T.
func nameOf(f *doc.Func) string {
	if f.Recv == "" {
		return f.Name
	}
	return strings.TrimPrefix(f.Recv, "*") + "." + f.Name
}

func (w *writer) examples(examples []*doc.Example) {
	for _, e := range examples {
		w.text(e.Doc)
		w.WriteString("```go\n")
		w.WriteString(strings.Trim(w.format(e.Code), "\n"))
		if e.Output != "" {
			w.WriteString("\n// Output: " + strings.ReplaceAll(strings.TrimSpace(e.Output), "\n", "\n// "))
		}
		w.WriteString("\n```\n\n")
	}
}

func (w *writer) code(node ast.Node) { fmt.Fprintf(w, "```go\n%s\n```\n\n", w.format(node)) }

// format returns the source text of a node. The body of an example loses its braces and one level of indentation.
func (w *writer) format(node ast.Node) string {
	var b bytes.Buffer
	if err := format.Node(&b, w.set, node); err != nil {
		log.Fatal(err)
	}
	text := b.String()
	if _, ok := node.(*ast.BlockStmt); ok {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
		text = strings.ReplaceAll(text, "\n\t", "\n")
	}
	return text
}

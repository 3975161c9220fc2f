package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"slices"
	"strings"
)

// mutant is a change of one operator in core.
type mutant struct {
	File         string // relative to the module's root
	Line, Column int    // counted from 1; the column in bytes
	Type         string // a key of changes

	number int // in a build that it shares; 0 in a build of its own

	// load sets these.
	pkg             string // the name of its package
	source, changed []byte
	open, end       int    // the body of the function that contains the change, as offsets in source; 0 outside functions
	results         string // of this function, as in source
	function        string // the function that contains the change, with its receiver; empty outside functions
	before, after   string // the line, trimmed
	which           int    // its number among equal lines of the function, from 1; 0 if there is only one
}

const (
	arithmetic = "ARITHMETIC_BASE"
	negatives  = "INVERT_NEGATIVES"
)

const module = "github.com/ctxfold/ctxfold/"

// changes are replacements of operators, by kind, as the program gremlins defines them.
var changes = map[string]map[string]string{
	arithmetic:                {"+": "-", "*": "/", "/": "*", "%": "*", "-": "+"},
	negatives:                 {"-": "+"},
	"CONDITIONALS_BOUNDARY":   {">=": ">", ">": ">=", "<=": "<", "<": "<="},
	"CONDITIONALS_NEGATION":   {"==": "!=", "!=": "==", ">=": "<", ">": "<=", "<=": ">", "<": ">="},
	"INCREMENT_DECREMENT":     {"++": "--", "--": "++"},
	"INVERT_ASSIGNMENTS":      {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "*="},
	"INVERT_BITWISE":          {"&": "|", "|": "&", "^": "&", "&^": "&", "<<": ">>", ">>": "<<"},
	"INVERT_BWASSIGN":         {"&=": "|=", "|=": "&=", "^=": "&=", "&^=": "&=", "<<=": ">>=", ">>=": "<<="},
	"INVERT_LOGICAL":          {"&&": "||", "||": "&&"},
	"INVERT_LOOPCTRL":         {"break": "continue", "continue": "break"},
	"REMOVE_SELF_ASSIGNMENTS": {"+=": "=", "-=": "=", "*=": "=", "/=": "=", "%=": "=", "&=": "=", "|=": "=", "^=": "=", "&^=": "=", "<<=": "=", ">>=": "="},
}

// candidates returns all mutants of core, in a fixed order. Generated code, a tool and the program that counts are left out.
func candidates(packages []goPackage) (all []*mutant, err error) {
	for _, p := range packages {
		room, found := strings.CutPrefix(p.ImportPath, module)
		if !found || room != "core" && !strings.HasPrefix(room, "core/") || path.Base(room) == "fit" || path.Base(room) == "counter" {
			continue
		}
		for _, name := range p.GoFiles {
			if strings.HasSuffix(name, "_easyjson.go") {
				continue
			}
			source, err := os.ReadFile(path.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			found, err := find(path.Join(room, name), source)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	slices.SortFunc(all, compare)
	return all, nil
}

// find returns the mutants of a file.
func find(name string, source []byte) (found []*mutant, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var at token.Pos
		var op token.Token
		switch n := n.(type) {
		case *ast.BinaryExpr:
			at, op = n.OpPos, n.Op
		case *ast.UnaryExpr:
			at, op = n.OpPos, n.Op
		case *ast.IncDecStmt:
			at, op = n.TokPos, n.Tok
		case *ast.AssignStmt:
			at, op = n.TokPos, n.Tok
		case *ast.BranchStmt:
			at, op = n.TokPos, n.Tok
		default:
			return true
		}
		place := files.Position(at)
		for kind, table := range changes {
			_, unary := n.(*ast.UnaryExpr)
			if _, ok := table[op.String()]; ok && unary == (kind == negatives) {
				found = append(found, &mutant{File: name, Line: place.Line, Column: place.Column, Type: kind})
			}
		}
		return true
	})
	return found, nil
}

func compare(a, b *mutant) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Type, b.Type))
}

func (m *mutant) room() string { return path.Dir(m.File) }

// path returns the import path of the mutant's package.
func (m *mutant) path() string { return module + m.room() }

// in reports whether the path of the mutant's package ends with one of the names in a comma-separated list.
func (m *mutant) in(rooms string) bool {
	if rooms == "" {
		return true
	}
	for room := range strings.SplitSeq(rooms, ",") {
		if m.room() == room || strings.HasSuffix(m.room(), "/"+room) {
			return true
		}
	}
	return false
}

func (m *mutant) id() string { return fmt.Sprintf("%s:%d:%d %s", m.File, m.Line, m.Column, m.Type) }

// key identifies the change independently of line numbers. It has the form of an entry in equivalent.txt without the reason.
func (m *mutant) key() string {
	place := strings.TrimSpace(m.File + " " + m.function)
	if m.which > 0 {
		place += fmt.Sprintf(" #%d", m.which)
	}
	return fmt.Sprintf("%s\n- %s\n+ %s", place, m.before, m.after)
}

// load reads the mutant's file and changes the operator.
func (m *mutant) load() error {
	source, err := os.ReadFile(m.File)
	if err != nil {
		return err
	}
	return m.change(source)
}

// change applies the mutation to the source of its file, and notes the function around it, the line before and after,
// and which of several equal lines it is.
func (m *mutant) change(source []byte) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, m.File, source, 0)
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(source, []byte("\n"))
	if m.Line > len(lines) || m.Column > len(lines[m.Line-1]) {
		return fmt.Errorf("%s: no such place", m.id())
	}
	line := string(lines[m.Line-1])
	head, tail := line[:m.Column-1], line[m.Column-1:]
	old := operator(tail)
	replacement, ok := changes[m.Type][old]
	if !ok {
		return fmt.Errorf("%s: %q is no operator of this change", m.id(), tail)
	}
	changed := head + replacement + tail[len(old):]
	m.source, m.before, m.after = source, strings.TrimSpace(line), strings.TrimSpace(changed)
	lines[m.Line-1] = []byte(changed)
	m.changed = bytes.Join(lines, nil)
	m.pkg = file.Name.Name
	m.function, m.which, m.open, m.end, m.results = "", 0, 0, 0, ""
	from, to := 1, len(lines)
	for _, d := range file.Decls {
		if first, last := files.Position(d.Pos()).Line, files.Position(d.End()).Line; first <= m.Line && m.Line <= last {
			from, to = first, last
			if f, ok := d.(*ast.FuncDecl); ok {
				m.function = name(f)
				m.enclose(files, f)
			}
		}
	}
	alike := 0
	for n := from; n <= to; n++ {
		if n == m.Line || strings.TrimSpace(string(lines[n-1])) == m.before {
			alike++
		}
		if n == m.Line {
			m.which = alike
		}
	}
	if alike == 1 {
		m.which = 0
	}
	return nil
}

// enclose remembers the body of the function that contains the change, unless the change is in its signature.
func (m *mutant) enclose(files *token.FileSet, f *ast.FuncDecl) {
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	body := files.Position(f.Body.Lbrace)
	if m.Line < body.Line || m.Line == body.Line && m.Column <= body.Column {
		return
	}
	m.open, m.end = body.Offset+1, offset(f.Body.Rbrace)
	if f.Type.Results != nil {
		m.results = string(m.source[offset(f.Type.Results.Pos()):offset(f.Type.Results.End())])
	}
}

// name returns the name of a function, or Receiver.Method for a method.
func name(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch typ := t.(type) {
		case *ast.StarExpr:
			t = typ.X
		case *ast.IndexExpr:
			t = typ.X
		case *ast.IndexListExpr:
			t = typ.X
		case *ast.Ident:
			return typ.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// operator returns the longest operator at the start of text.
func operator(text string) string {
	best := ""
	for _, table := range changes {
		for op := range table {
			if len(op) > len(best) && strings.HasPrefix(text, op) {
				best = op
			}
		}
	}
	return best
}

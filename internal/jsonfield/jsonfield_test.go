package jsonfield_test

import (
	"testing"

	"github.com/mailru/easyjson/jlexer"
	"github.com/mailru/easyjson/jwriter"

	"github.com/ctxfold/ctxfold/internal/jsonfield"
)

// TestMembers writes members and reads them again, and checks that a null leaves a value unchanged.
func TestMembers(t *testing.T) {
	var out jwriter.Writer
	out.RawByte('{')
	jsonfield.PutString(&out, `"text":`, "a\"b")
	jsonfield.PutBool(&out, `,"yes":`, true)
	jsonfield.PutInt(&out, `,"n":`, -7)
	jsonfield.PutInt64(&out, `,"far":`, 1<<40)
	jsonfield.PutFloat64(&out, `,"half":`, 0.5)
	out.RawString(`,"text":null,"n":null}`)
	data, err := out.BuildBytes()
	if err != nil {
		t.Fatal(err)
	}
	const written = `{"text":"a\"b","yes":true,"n":-7,"far":1099511627776,"half":0.5,"text":null,"n":null}`
	if string(data) != written {
		t.Fatalf("written: %s", data)
	}

	var text string
	var yes bool
	var n int
	var far int64
	var half float64
	in := &jlexer.Lexer{Data: data}
	top, null := jsonfield.Begin(in)
	if !top || null {
		t.Fatalf("the object is at the top: %v, null: %v", top, null)
	}
	for !in.IsDelim('}') {
		name := in.UnsafeFieldName(false)
		in.WantColon()
		switch name {
		case "text":
			jsonfield.String(in, &text)
		case "yes":
			jsonfield.Bool(in, &yes)
		case "n":
			jsonfield.Int(in, &n)
		case "far":
			jsonfield.Int64(in, &far)
		case "half":
			jsonfield.Float64(in, &half)
		}
		in.WantComma()
	}
	jsonfield.End(in, top)
	if err := in.Error(); err != nil {
		t.Fatal(err)
	}
	if text != `a"b` || !yes || n != -7 || far != 1<<40 || half != 0.5 {
		t.Errorf("read: %q %v %d %d %v", text, yes, n, far, half)
	}
}

// TestObjects checks that values other than objects, and text after a top-level object, are rejected, and that null is accepted.
func TestObjects(t *testing.T) {
	for _, c := range []struct {
		data string
		null bool
		ok   bool
	}{{`{}`, false, true}, {`{} x`, false, false}, {`[]`, false, false}, {`null`, true, true}} {
		in := &jlexer.Lexer{Data: []byte(c.data)}
		top, null := jsonfield.Begin(in)
		if !null {
			jsonfield.End(in, top)
		}
		if null != c.null || (in.Error() == nil) != c.ok {
			t.Errorf("%s: null %v, error %v", c.data, null, in.Error())
		}
	}
}

// TestLists reads and writes lists and pointers. A null makes them nil, and a list without elements is not nil.
func TestLists(t *testing.T) {
	type word string
	type point struct{ x int }
	readPoint := func(in *jlexer.Lexer, to *point) { jsonfield.Int(in, &to.x) }
	writePoint := func(out *jwriter.Writer, p point) { out.Int(p.x) }
	for _, c := range []struct{ words, ints string }{{`["p",""]`, `[1,2]`}, {`[]`, `[]`}} {
		words, ints, points := []word{"before"}, []int{7}, []point{{7}}
		jsonfield.Strings(&jlexer.Lexer{Data: []byte(c.words)}, &words)
		jsonfield.Ints(&jlexer.Lexer{Data: []byte(c.ints)}, &ints)
		jsonfield.List(&jlexer.Lexer{Data: []byte(c.ints)}, &points, readPoint)
		if words == nil || ints == nil || points == nil {
			t.Errorf("%s %s: a list is nil: %v %v %v", c.words, c.ints, words, ints, points)
		}
		var out jwriter.Writer
		jsonfield.PutStrings(&out, words)
		jsonfield.PutInts(&out, ints)
		jsonfield.PutList(&out, points, writePoint)
		if text, err := out.BuildBytes(); err != nil || string(text) != c.words+c.ints+c.ints {
			t.Errorf("%s%s%s is written as %s, %v", c.words, c.ints, c.ints, text, err)
		}
	}
	words, limit := []word{"before"}, new(int)
	jsonfield.Strings(&jlexer.Lexer{Data: []byte("null")}, &words)
	jsonfield.Pointer(&jlexer.Lexer{Data: []byte("null")}, &limit, jsonfield.Int)
	if words != nil || limit != nil {
		t.Errorf("null is read as %v and %v", words, limit)
	}
	jsonfield.Pointer(&jlexer.Lexer{Data: []byte("5")}, &limit, jsonfield.Int)
	if limit == nil || *limit != 5 {
		t.Errorf("5 is read as %v", limit)
	}
	in := &jlexer.Lexer{Data: []byte(`{"z":1}`)}
	in.Delim('{')
	jsonfield.Unknown(in, in.UnsafeFieldName(false))
	if in.Error() == nil {
		t.Error("an unknown key is no error")
	}
}

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

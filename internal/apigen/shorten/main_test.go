package main

import (
	"strings"
	"testing"
)

const generated = `package a

import (
	json "encoding/json"
	api "example.org/api"
	jlexer "github.com/mailru/easyjson/jlexer"
)

func read(in *jlexer.Lexer, out *T) {
	isTopLevel := in.IsStart()
	if in.IsNull() {
		if isTopLevel {
			in.Consumed()
		}
		in.Skip()
		return
	}
	in.Delim('{')
	if in.IsNull() {
		in.Skip()
	} else {
		out.Name = api.Name(in.String())
	}
	if in.IsNull() {
		in.Skip()
		out.Limit = nil
	} else {
		if out.Limit == nil {
			out.Limit = new(int)
		}
		if in.IsNull() {
			in.Skip()
		} else {
			*out.Limit = int(in.Int())
		}
	}
	if in.IsNull() {
		in.Skip()
	} else {
		if data := in.Raw(); in.Ok() {
			in.AddError((out.Raw).UnmarshalJSON(data))
		}
	}
	in.Delim('}')
	if isTopLevel {
		in.Consumed()
	}
	var _ json.Number
}

func write(out *jwriter.Writer, in T) {
	{
		const prefix string = ",\"name\":"
		out.RawString(prefix[1:])
		out.String(string(in.Name))
	}
	{
		const prefix string = ",\"raw\":"
		out.RawString(prefix)
		out.Raw((in.Raw).MarshalJSON())
	}
}
`

func TestShortened(t *testing.T) {
	text := shortened(generated)
	for _, part := range []string{
		"isTopLevel, null := jsonfield.Begin(in)\n",
		"\tjsonfield.String(in, (*string)(&out.Name))\n",
		"\t\tout.Limit = new(int)\n\t\t}\n\t\tjsonfield.Int(in, (*int)(out.Limit))\n",
		"\tjsonfield.Value(in, &out.Raw)\n",
		"\tjsonfield.End(in, isTopLevel)\n",
		"\t\tjsonfield.PutString(out, prefix[1:], string(in.Name))\n",
		"out.Raw((in.Raw).MarshalJSON())",
		"\tjsonfield \"github.com/ctxfold/ctxfold/internal/jsonfield\"\n",
		"json \"encoding/json\"",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q in:\n%s", part, text)
		}
	}
	if strings.Contains(text, "example.org/api") {
		t.Errorf("an import is left that nothing needs:\n%s", text)
	}
	if again := shortened(text); again != text {
		t.Errorf("a second time it changes:\n%s", again)
	}
}

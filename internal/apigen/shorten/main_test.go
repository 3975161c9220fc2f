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
	if in.IsNull() {
		in.Skip()
		out.Words = nil
	} else {
		in.Delim('[')
		if out.Words == nil {
			if !in.IsDelim(']') {
				out.Words = make([]string, 0, 4)
			} else {
				out.Words = []string{}
			}
		} else {
			out.Words = (out.Words)[:0]
		}
		for !in.IsDelim(']') {
			var v1 string
			if in.IsNull() {
				in.Skip()
			} else {
				v1 = string(in.String())
			}
			out.Words = append(out.Words, v1)
			in.WantComma()
		}
		in.Delim(']')
	}
	if in.IsNull() {
		in.Skip()
		out.Parts = nil
	} else {
		in.Delim('[')
		if out.Parts == nil {
			if !in.IsDelim(']') {
				out.Parts = make([]Part, 0, 1)
			} else {
				out.Parts = []Part{}
			}
		} else {
			out.Parts = (out.Parts)[:0]
		}
		for !in.IsDelim(']') {
			var v2 Part
			easyjsonDecodePart(in, &v2)
			out.Parts = append(out.Parts, v2)
			in.WantComma()
		}
		in.Delim(']')
	}
	in.AddError(&jlexer.LexerError{
		Offset: in.GetPos(),
		Reason: "unknown field",
		Data:   key,
	})
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
	{
		out.RawByte('[')
		for v1, v2 := range in.Words {
			if v1 > 0 {
				out.RawByte(',')
			}
			out.String(string(v2))
		}
		out.RawByte(']')
	}
	{
		out.RawByte('[')
		for v3, v4 := range in.Parts {
			if v3 > 0 {
				out.RawByte(',')
			}
			easyjsonEncodePart(out, v4)
		}
		out.RawByte(']')
	}
}
`

func TestShortened(t *testing.T) {
	text := shortened(generated)
	for _, part := range []string{
		"isTopLevel, null := jsonfield.Begin(in)\n",
		"\tjsonfield.String(in, (*string)(&out.Name))\n",
		"\tjsonfield.Pointer(in, &out.Limit, jsonfield.Int)\n",
		"\tjsonfield.Strings(in, &out.Words)\n",
		"\tjsonfield.List(in, &out.Parts, easyjsonDecodePart)\n",
		"\tjsonfield.Unknown(in, key)\n",
		"\t\tjsonfield.PutStrings(out, in.Words)\n",
		"\t\tjsonfield.PutList(out, in.Parts, easyjsonEncodePart)\n",
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

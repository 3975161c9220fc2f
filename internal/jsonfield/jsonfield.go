// Package jsonfield reads and writes single values for generated JSON code. Each of the hundreds of members that are strings, numbers or
// truth values is one call with it, which makes the module smaller (internal/apigen/shorten puts the calls in).
package jsonfield

import (
	"github.com/mailru/easyjson/jlexer"
	"github.com/mailru/easyjson/jwriter"
)

// null takes a null, if one is next.
func null(in *jlexer.Lexer) bool {
	found := in.IsNull()
	if found {
		in.Skip()
	}
	return found
}

// String reads a string; null leaves what is there. So do the others, for their types.
func String(in *jlexer.Lexer, to *string) {
	if !null(in) {
		*to = in.String()
	}
}

// Bool reads true or false.
func Bool(in *jlexer.Lexer, to *bool) {
	if !null(in) {
		*to = in.Bool()
	}
}

// Int reads a whole number.
func Int(in *jlexer.Lexer, to *int) {
	if !null(in) {
		*to = in.Int()
	}
}

// Int64 reads a whole number.
func Int64(in *jlexer.Lexer, to *int64) {
	if !null(in) {
		*to = in.Int64()
	}
}

// Uint32 reads a whole number that is not negative.
func Uint32(in *jlexer.Lexer, to *uint32) {
	if !null(in) {
		*to = in.Uint32()
	}
}

// Float64 reads a number.
func Float64(in *jlexer.Lexer, to *float64) {
	if !null(in) {
		*to = in.Float64()
	}
}

// Value has a value read itself.
func Value(in *jlexer.Lexer, to interface{ UnmarshalJSON([]byte) error }) {
	if null(in) {
		return
	}
	if data := in.Raw(); in.Ok() {
		in.AddError(to.UnmarshalJSON(data))
	}
}

// Begin takes the bracket of an object, or a null. It also reports whether nothing is around the value.
func Begin(in *jlexer.Lexer) (top, isNull bool) {
	top = in.IsStart()
	if !in.IsNull() {
		in.Delim('{')
		return top, false
	}
	if top {
		in.Consumed()
	}
	in.Skip()
	return top, true
}

// End takes the bracket that ends an object, behind which there is nothing if nothing was around it.
func End(in *jlexer.Lexer, top bool) {
	in.Delim('}')
	if top {
		in.Consumed()
	}
}

// PutString writes the name of a member, as it is in JSON with what separates it, and a string.
func PutString(out *jwriter.Writer, name, value string) {
	out.RawString(name)
	out.String(value)
}

// PutBool writes the name of a member, and true or false.
func PutBool(out *jwriter.Writer, name string, value bool) {
	out.RawString(name)
	out.Bool(value)
}

// PutInt writes the name of a member, and a whole number.
func PutInt(out *jwriter.Writer, name string, value int) {
	out.RawString(name)
	out.Int(value)
}

// PutInt64 writes the name of a member, and a whole number.
func PutInt64(out *jwriter.Writer, name string, value int64) {
	out.RawString(name)
	out.Int64(value)
}

// PutFloat64 writes the name of a member, and a number.
func PutFloat64(out *jwriter.Writer, name string, value float64) {
	out.RawString(name)
	out.Float64(value)
}

// Package jsonfield reads and writes single values and lists for generated JSON code. With it, each of the hundreds of members that are
// strings, numbers, booleans or lists takes one call, which makes the module smaller. internal/apigen/shorten inserts the calls.
package jsonfield

import (
	"github.com/mailru/easyjson/jlexer"
	"github.com/mailru/easyjson/jwriter"
)

// null returns true if the next value is a null, which it consumes.
func null(in *jlexer.Lexer) bool {
	found := in.IsNull()
	if found {
		in.Skip()
	}
	return found
}

// String reads a string. Null leaves the value unchanged, as in the functions below up to Value.
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

// Uint32 reads a whole number that isn't negative.
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

// Value reads a value by calling its UnmarshalJSON method.
func Value(in *jlexer.Lexer, to interface{ UnmarshalJSON([]byte) error }) {
	if null(in) {
		return
	}
	if data := in.Raw(); in.Ok() {
		in.AddError(to.UnmarshalJSON(data))
	}
}

// Pointer reads a value with read into the value that *to points to, which is allocated if needed. Null makes *to nil.
func Pointer[T any](in *jlexer.Lexer, to **T, read func(*jlexer.Lexer, *T)) {
	if null(in) {
		*to = nil
		return
	}
	if *to == nil {
		*to = new(T)
	}
	read(in, *to)
}

// Strings reads a list of strings. Null makes the list nil, as in the functions below.
func Strings[T ~string](in *jlexer.Lexer, to *[]T) {
	List(in, to, func(in *jlexer.Lexer, element *T) {
		if !null(in) {
			*element = T(in.String())
		}
	})
}

// Ints reads a list of whole numbers.
func Ints(in *jlexer.Lexer, to *[]int) { List(in, to, Int) }

// List reads a list, each of whose elements is read by read.
func List[T any](in *jlexer.Lexer, to *[]T, read func(*jlexer.Lexer, *T)) {
	if null(in) {
		*to = nil
		return
	}
	in.Delim('[')
	*to = []T{}
	for !in.IsDelim(']') {
		*to = append(*to, *new(T))
		read(in, &(*to)[len(*to)-1])
		in.WantComma()
	}
	in.Delim(']')
}

// Unknown records an error for a key that the type doesn't have.
func Unknown(in *jlexer.Lexer, key string) {
	in.AddError(&jlexer.LexerError{Offset: in.GetPos(), Reason: "unknown field", Data: key})
}

// Begin consumes the opening brace of an object, or a null (isNull). top is true if the value is the whole JSON text.
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

// End consumes the closing brace of an object. If top is set, nothing may follow it.
func End(in *jlexer.Lexer, top bool) {
	in.Delim('}')
	if top {
		in.Consumed()
	}
}

// PutString writes a member whose value is a string. name is written unchanged: it includes the quotes, the colon and
// any comma before the member.
func PutString(out *jwriter.Writer, name, value string) {
	out.RawString(name)
	out.String(value)
}

// PutBool writes a member whose value is true or false.
func PutBool(out *jwriter.Writer, name string, value bool) {
	out.RawString(name)
	out.Bool(value)
}

// PutInt writes a member whose value is a whole number.
func PutInt(out *jwriter.Writer, name string, value int) {
	out.RawString(name)
	out.Int(value)
}

// PutInt64 writes a member whose value is a whole number.
func PutInt64(out *jwriter.Writer, name string, value int64) {
	out.RawString(name)
	out.Int64(value)
}

// PutFloat64 writes a member whose value is a number.
func PutFloat64(out *jwriter.Writer, name string, value float64) {
	out.RawString(name)
	out.Float64(value)
}

// PutStrings writes a list of strings.
func PutStrings[T ~string](out *jwriter.Writer, list []T) {
	PutList(out, list, func(out *jwriter.Writer, element T) { out.String(string(element)) })
}

// PutInts writes a list of whole numbers.
func PutInts(out *jwriter.Writer, list []int) { PutList(out, list, (*jwriter.Writer).Int) }

// PutList writes a list, each of whose elements is written by write.
func PutList[T any](out *jwriter.Writer, list []T, write func(*jwriter.Writer, T)) {
	out.RawByte('[')
	for i, element := range list {
		if i > 0 {
			out.RawByte(',')
		}
		write(out, element)
	}
	out.RawByte(']')
}

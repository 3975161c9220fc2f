package functions

import (
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/published/exact"
	"github.com/mailru/easyjson/jwriter"
)

// number appends a number as a result.
func number(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// truth appends b, as true or false, as a result.
func truth(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// text appends a string as a result.
func text(dst []byte, s string) []byte { return jsonspan.AppendString(dst, s) }

// member is a member of an object that a function returns.
type member struct {
	name  string // "" omits the member
	value any    // of one of the types that write supports
}

// some returns a member that is omitted if its value is zero.
func some[T comparable](name string, value T) member {
	var zero T
	if value == zero {
		return member{}
	}
	return member{name, value}
}

// object appends an object as a result.
func object(dst []byte, members ...member) []byte { return value(dst, members) }

// value appends a value of one of the types that write supports.
func value(dst []byte, v any) []byte {
	w := jwriter.Writer{NoEscapeHTML: true, Flags: jwriter.NilSliceAsEmpty}
	write(&w, v)
	b, _ := w.BuildBytes() // cannot fail with generated marshalers
	return append(dst, b...)
}

// write writes a value. A nil pointer is written as null, and a nil list as an empty list.
func write(w *jwriter.Writer, value any) {
	switch v := value.(type) {
	case int:
		w.Int(v)
	case float64:
		w.Float64(v)
	case bool:
		w.Bool(v)
	case string:
		w.String(v)
	case *int:
		if v == nil {
			w.RawString("null")
		} else {
			w.Int(*v)
		}
	case *string:
		if v == nil {
			w.RawString("null")
		} else {
			w.String(*v)
		}
	case []member:
		w.RawByte('{')
		first := true
		for _, m := range v {
			if m.name == "" {
				continue
			}
			if !first {
				w.RawByte(',')
			}
			first = false
			w.RawString(`"` + m.name + `":`)
			write(w, m.value)
		}
		w.RawByte('}')
	case [2]int:
		writeList(w, v[:])
	case []int:
		writeList(w, v)
	case []string:
		writeList(w, v)
	case [][2]int:
		writeList(w, v)
	case [][]member:
		writeList(w, v)
	case []api.Raw:
		writeList(w, v)
	case api.Raw:
		w.Raw(v, nil)
	case exact.Block:
		v.MarshalEasyJSON(w)
	case api.Report:
		v.MarshalEasyJSON(w)
	}
}

func writeList[T any](w *jwriter.Writer, list []T) {
	w.RawByte('[')
	for i, v := range list {
		if i > 0 {
			w.RawByte(',')
		}
		write(w, v)
	}
	w.RawByte(']')
}

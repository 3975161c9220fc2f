// Package object writes JSON objects, member by member.
package object

import (
	"math"
	"strconv"

	"github.com/mailru/easyjson/jwriter"
)

// Object is a JSON object that is being written.
type Object struct {
	text  []byte
	start int // offset of its first member
}

// New returns an Object that appends itself to text.
func New(text []byte) *Object {
	text = append(text, '{')
	return &Object{text, len(text)}
}

// End ends the object, and returns the text given to New with the object appended.
func (o *Object) End() []byte { return append(o.text, '}') }

// Value adds a member. value appends the member's value to dst.
func (o *Object) Value(key string, value func(dst []byte) []byte) {
	if len(o.text) > o.start {
		o.text = append(o.text, ',')
	}
	o.text = value(append(AppendString(o.text, key), ':'))
}

// Int adds a member whose value is a whole number.
func (o *Object) Int(key string, n int) {
	o.Value(key, func(dst []byte) []byte { return strconv.AppendInt(dst, int64(n), 10) })
}

// Float adds a member whose value is a number. NaN and infinities, which JSON cannot represent, become strings, so that readers reject
// them.
func (o *Object) Float(key string, n float64) {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		o.String(key, strconv.FormatFloat(n, 'g', -1, 64))
		return
	}
	o.Value(key, func(dst []byte) []byte { return strconv.AppendFloat(dst, n, 'g', -1, 64) })
}

// Bool adds a member whose value is true or false.
func (o *Object) Bool(key string, is bool) {
	o.Value(key, func(dst []byte) []byte { return strconv.AppendBool(dst, is) })
}

// String adds a member whose value is a string. Bytes that are not UTF-8 become U+FFFD.
func (o *Object) String(key, text string) {
	o.Value(key, func(dst []byte) []byte { return AppendString(dst, text) })
}

// List adds a member whose value is a list. one appends an element to dst.
func List[T any](o *Object, key string, list []T, one func(dst []byte, element T) []byte) {
	o.Value(key, func(dst []byte) []byte {
		dst = append(dst, '[')
		for i, element := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = one(dst, element)
		}
		return append(dst, ']')
	})
}

// AppendString appends text as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, text string) []byte {
	w := jwriter.Writer{NoEscapeHTML: true}
	w.String(text)
	quoted, _ := w.BuildBytes() // cannot fail for a string
	return append(dst, quoted...)
}

package functions

import (
	"math"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/mailru/easyjson/jlexer"
)

// argument is one argument of a function: a member of the arguments object.
type argument struct {
	name string // the key of the member
	// to is the destination of the value, which initially has the default value. It is a pointer to an int, a
	// float64, a bool, a string or another type that read supports, nested arguments for the members of an object, or
	// a function that reads the value. A null keeps the default; if to is a pointer to a pointer, a null sets that to
	// nil.
	to any
	// within is the allowed range for an int; nil allows every value.
	within *bounds
}

// bounds holds the smallest and the largest value of an argument, and the error text for values outside this range.
type bounds struct {
	least, most int
	text        string
}

var (
	notNegative = &bounds{0, math.MaxInt, "must not be negative"}
	someTokens  = &bounds{0, policy.MaxTokens, "must be from 0 to 1,000,000,000"}
	some30Bits  = &bounds{0, 1 << 30, "must be from 0 to 1,073,741,824"}
)

type arguments []argument

// UnmarshalEasyJSON reads an object whose members are the arguments. A key that doesn't set one of them is an error.
func (a arguments) UnmarshalEasyJSON(l *jlexer.Lexer) {
	l.Delim('{')
	for !l.IsDelim('}') {
		key := l.UnsafeFieldName(false)
		l.WantColon()
		if to := a.named(key); to != nil {
			read(l, to)
		} else {
			l.AddError(&jlexer.LexerError{Offset: l.GetPos(), Reason: "unknown field", Data: key})
		}
		l.WantComma()
	}
	l.Delim('}')
}

func (a arguments) named(name string) any {
	for i := range a {
		if a[i].name == name {
			return a[i].to
		}
	}
	return nil
}

// check returns an error for the first value that is out of bounds. The error names the argument with path before its
// name. It returns nil if there is none.
func (a arguments) check(path string) *Error {
	for _, one := range a {
		switch to := one.to.(type) {
		case *int:
			if b := one.within; b != nil && (*to < b.least || *to > b.most) {
				return outOfRange(path+one.name, b.text)
			}
		case arguments:
			if err := to.check(path + one.name + "."); err != nil {
				return err
			}
		}
	}
	return nil
}

// read reads one value into to, which is a pointer, a function, or arguments for an object. A null sets a pointer to a
// pointer to nil, and leaves everything else as it is.
func read(l *jlexer.Lexer, to any) {
	if l.IsNull() {
		l.Skip()
		switch to := to.(type) {
		case **string:
			*to = nil
		case **bool:
			*to = nil
		}
		return
	}
	switch to := to.(type) {
	case *int:
		*to = l.Int()
	case *float64:
		*to = l.Float64()
	case *bool:
		*to = l.Bool()
	case *string:
		*to = l.String()
	case **bool:
		b := l.Bool()
		*to = &b
	case **string:
		s := l.String()
		*to = &s
	case *[]string:
		each(l, func(int) {
			var s string
			read(l, &s)
			*to = append(*to, s)
		})
	case *[][2]int: // the first two numbers of each list; missing ones are 0
		each(l, func(int) {
			var pair [2]int
			read(l, func(l *jlexer.Lexer) {
				each(l, func(i int) {
					if i < len(pair) {
						read(l, &pair[i])
					} else {
						l.SkipRecursive()
					}
				})
			})
			*to = append(*to, pair)
		})
	case *api.Raw:
		*to = append((*to)[:0], l.Raw()...)
	case **api.Summary:
		*to = &api.Summary{}
		(*to).UnmarshalEasyJSON(l)
	case func(l *jlexer.Lexer):
		to(l)
	case policy.Unmarshaler: // includes nested arguments
		to.UnmarshalEasyJSON(l)
	}
}

// each reads a list, calling the function one with the index of each element. The function must read the element.
func each(l *jlexer.Lexer, one func(i int)) {
	l.Delim('[')
	for i := 0; !l.IsDelim(']'); i++ {
		one(i)
		l.WantComma()
	}
	l.Delim(']')
}

// read reads the call's arguments, if it has any, and checks their bounds. An error has the path of the argument.
func (c *Call) read(a ...argument) *Error {
	if c.Arguments != nil {
		if err := policy.Decode(c.Arguments, arguments(a)); err != nil {
			return err
		}
	}
	return arguments(a).check("")
}

// outOfRange returns the error for an argument whose value is not allowed. what is the rest of a sentence that begins
// with the argument's name.
func outOfRange(argument, what string) *Error {
	return &Error{Code: api.CodeOutOfRange, At: argument, Message: argument + " " + what}
}

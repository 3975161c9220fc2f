package jsonspan

import "github.com/ctxfold/ctxfold/api"

// Code names a kind of error. The codes are listed in package api.
type Code = api.Code

// The codes of errors in JSON itself.
const (
	InvalidJSON   = api.CodeInvalidJSON
	TruncatedJSON = api.CodeTruncatedJSON
	InvalidUTF8   = api.CodeInvalidUTF8
	TooDeep       = api.CodeTooDeep
	TooLarge      = api.CodeTooLarge
	WrongType     = api.CodeWrongType
	DuplicateKey  = api.CodeDuplicateKey
	// LoneSurrogate means half of a surrogate pair. No operation rejects it: it is read leniently, or repaired.
	LoneSurrogate Code = "lone_surrogate"
)

// Error is an error at a byte offset of the source. PathAt converts the offset to a JSON path.
type Error struct {
	Code    Code   // the kind of error
	Offset  int    // in bytes, from the start of the source
	Message string // for people
	// At is a path below the value at Offset, for an error that was found after the JSON had been read. Find converts
	// it to an offset.
	At string
}

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// isLiteral reports whether b begins with word, a literal such as null.
func isLiteral(b []byte, word string) bool {
	return len(b) >= len(word) && string(b[:len(word)]) == word
}

// describe returns a description of what begins b, for error messages: the kind of the value, or
// the character or byte if no value begins there.
func describe(b []byte) string {
	if len(b) == 0 {
		return "the end"
	}
	switch c := b[0]; {
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "a string"
	case c == '-' || c >= '0' && c <= '9':
		return "a number"
	case isLiteral(b, "true") || isLiteral(b, "false"):
		return "a boolean"
	case isLiteral(b, "null"):
		return "null"
	case c > ' ' && c < 0x7f:
		return "'" + string(c) + "'"
	case c >= 0x80:
		if n := runeLen(b); n > 0 {
			return "'" + string(b[:n]) + "'"
		}
	}
	const digits = "0123456789abcdef"
	return "byte 0x" + string(digits[b[0]>>4]) + string(digits[b[0]&15])
}

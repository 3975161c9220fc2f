package functions

import (
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/published/verbatim"
)

// exactText appends text as JSON. A published system may have cut the text in the middle of a character, which a
// JSON string can't represent directly: half a surrogate pair is escaped, as JSON.stringify does; other text that is
// not valid UTF-8 becomes {"hex":…}.
func exactText(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return text(dst, s)
	}
	const digits = "0123456789abcdef"
	start := len(dst)
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
			i += n
			continue
		}
		half := verbatim.HalfPair(s[i:])
		if half == 0 {
			dst = append(dst[:start], `{"hex":"`...)
			for _, b := range []byte(s) {
				dst = append(dst, digits[b>>4], digits[b&15])
			}
			return append(dst, `"}`...)
		}
		quoted := jsonspan.AppendString(nil, s[from:i])
		dst = append(append(dst, quoted[1:len(quoted)-1]...), '\\', 'u', digits[half>>12], digits[half>>8&15],
			digits[half>>4&15], digits[half&15])
		i += 3
		from = i
	}
	quoted := jsonspan.AppendString(nil, s[from:])
	return append(dst, quoted[1:]...)
}

package digest

import (
	"bytes"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// linkOpen is the beginning of a link's address after its text: "#12 (https://example.com/issues/12)".
const linkOpen = " (http"

// withoutRepeatedLinks removes the addresses of links from a log. It removes an address if the link's text ends with
// the last part of the address, and an earlier link has the same address up to that part. It modifies b in place.
func withoutRepeatedLinks(b []byte) []byte {
	from := bytes.Index(b, []byte(linkOpen))
	if from < 0 {
		return b
	}
	var seen critbit.Map[struct{}]
	out, rest := b[:from], b[from:]
	for {
		end := bytes.IndexAny(rest[len(linkOpen):], ") \n") + len(linkOpen)
		if end < len(linkOpen) || rest[end] != ')' {
			end = len(linkOpen) - 1
		}
		address := rest[len(linkOpen)-len("http") : end]
		at := bytes.LastIndexByte(address, '/') + 1
		text := bytes.Trim(out[bytes.LastIndexAny(out, " \n")+1:], "#!*_`\"'.,:;")
		if at > len("https://") && at < len(address) && bytes.Equal(text, address[at:]) && seen.Has(string(address[:at])) {
			end++
		} else {
			if at > 0 {
				seen.Add(string(address[:at]))
			}
			out, rest, end = append(out, rest[:end]...), rest[end:], 0
		}
		rest = rest[end:]
		next := bytes.Index(rest, []byte(linkOpen))
		if next < 0 {
			return append(out, rest...)
		}
		out, rest = append(out, rest[:next]...), rest[next:]
	}
}

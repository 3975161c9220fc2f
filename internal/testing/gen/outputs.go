package gen

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// output returns a tool output of at least n bytes: often ordinary text, otherwise something verbose that squeeze can shorten.
func output(r *rand.Rand, n int) string {
	var b strings.Builder
	num := strconv.Itoa
	switch r.IntN(12) {
	case 0:
		b.WriteString("[\n")
		for i := 0; b.Len() < n; i++ {
			b.WriteString("  {\n    \"id\": " + num(i) + ",\n    \"name\": \"" + words[r.IntN(len(words))] + "\",\n    \"open\": true\n  },\n")
		}
		b.WriteString("  {}\n]")
	case 1:
		for i := 0; b.Len() < n; i++ {
			b.WriteString("src/server/handlers/f" + num(i/4) + ".go:" + num(i*7) + ":\t" + words[r.IntN(len(words))] + "()\n")
		}
	case 2:
		for i := 1; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", max(0, 6-len(num(i)))) + num(i) + "→\t" + words[r.IntN(len(words))] + "\n")
		}
	case 3:
		for b.Len() < n {
			b.WriteString("\x1b[1G\x1b[0K⠙ " + words[r.IntN(len(words))] + "\r\n\x1b[32mok\x1b[0m  " + words[r.IntN(len(words))] + strings.Repeat("─", 20) + "\n")
		}
	case 4:
		line := "waiting for the lock of " + words[r.IntN(len(words))] + "\n"
		for b.Len() < n {
			b.WriteString(line)
			if r.IntN(9) == 0 {
				line = "waiting for the lock of " + words[r.IntN(len(words))] + "\n"
			}
		}
	default:
		return text(r, n)
	}
	return b.String()
}

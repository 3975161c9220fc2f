package seeds

import (
	"strconv"
	"strings"
	"testing"
)

const layered = "layered"

var s0Policy = exact(layered, nil)

// s0 are the rows of the system S0.
var s0 = []Row{
	{ID: "S0.13", Preset: layered, Title: "100 lines, at most 10: 5, a marker that counts 90, 5", Test: func(t *testing.T, call Engine) {
		var lines []string
		for n := 1; n <= 100; n++ {
			lines = append(lines, "line "+strconv.Itoa(n))
		}
		request := object{"policy": s0Policy, "text": strings.Join(lines, "\n"), "arguments": object{"max_lines": 10}}
		var got string
		Function(t, call, "truncate_head_tail", request, &got)
		equal(t, "truncated", got, strings.Join(lines[:5], "\n")+"\n\n[... 90 lines truncated ...]\n\n"+strings.Join(lines[95:], "\n"))
	}},
	{ID: "S0.33", Preset: layered, Title: "a text is its UTF-8 bytes / 4, rounded up", Test: func(t *testing.T, call Engine) {
		for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "hello world": 3} {
			var got int
			Function(t, call, "estimate_text", object{"policy": s0Policy, "text": text}, &got)
			equal(t, text, got, want)
		}
	}},
}

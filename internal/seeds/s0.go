package seeds

import (
	"strconv"
	"strings"
	"testing"
)

const layered = "layered"

var s0Policy = exact("default", object{"estimator": "layered"})

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

// s0Vectors are the tests of its vectors.
var s0Vectors = map[string]VectorTest{
	"S0.estimate_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Text Text }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "estimate_text", object{"policy": s0Policy, "text": in.Text}, nil))
	},
	"S0.content_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Parts []Part }
		v.Read(t, &in)
		var got int
		message := native([]Message{{Role: "user", Parts: in.Parts}})
		Function(t, call, "estimate_messages", object{"policy": s0Policy, "messages": message}, &got)
		v.Want(t, got-4) // S0.36: the framing of a message
	},
	"S0.message_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Message Message }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "estimate_messages", object{"policy": s0Policy, "messages": native([]Message{in.Message})}, nil))
	},
	"S0.total_tokens": func(t *testing.T, call Engine, v Vector) {
		var in struct{ Messages []Message }
		v.Read(t, &in)
		v.Want(t, Function(t, call, "estimate_messages", object{"policy": s0Policy, "messages": native(in.Messages)}, nil))
	},
	"S0.truncate_head_tail": func(t *testing.T, call Engine, v Vector) {
		var in struct {
			Text     Text
			MaxLines int `json:"max_lines"`
			Twice    bool
		}
		v.Read(t, &in)
		truncated := func(text string) (got string) {
			Function(t, call, "truncate_head_tail", object{"policy": s0Policy, "text": text, "arguments": object{"max_lines": in.MaxLines}}, &got)
			return got
		}
		got := truncated(string(in.Text))
		if in.Twice {
			v.Want(t, object{"once": got, "twice": truncated(got)})
			return
		}
		v.Want(t, got)
	},
}

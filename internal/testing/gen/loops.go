package gen

import (
	"math/rand/v2"
	"strconv"
)

// The styles of thinking. They differ in which assistant messages of a tool loop begin with thinking.
const (
	ThinkFirst = iota // only the first
	ThinkAll          // all
	ThinkSome         // some
	thinkStyles
)

// Loops generates a valid conversation of tool loops in which the model thinks. A signature consists of sign, a
// number and an underscore. The last loop is usually open: it ends with tool results, and the model is about to
// continue.
func Loops(r *rand.Rand, turns int, sign string) Conversation {
	var c Conversation
	style := r.IntN(thinkStyles)
	ids, sigs := 0, 0
	step := func(first bool) Message {
		m := Message{Role: "assistant"}
		if style == ThinkAll || first && style == ThinkFirst || style == ThinkSome && r.IntN(2) == 0 {
			sigs++
			m.Reasoning, m.Signature = text(r, size(r)), sign+strconv.Itoa(sigs)+"_"
		}
		return m
	}
	if r.IntN(2) == 0 {
		c = append(c, Message{Role: "system", Texts: []string{text(r, 40)}})
	}
	for turn := range turns {
		c = append(c, Message{Role: "user", Texts: []string{text(r, size(r))}})
		steps := r.IntN(6)
		if turn == turns-1 {
			steps = 1 + r.IntN(12)
		}
		for k := range steps {
			m := step(k == 0)
			if r.IntN(2) == 0 {
				m.Texts = []string{text(r, size(r))}
			}
			for n := 1 + r.IntN(3); n > 0; n-- {
				ids++
				m.Calls = append(m.Calls, Call{ID: "call_" + strconv.Itoa(ids), Name: tools[r.IntN(4)], Path: "src/f" + strconv.Itoa(r.IntN(3)) + ".go",
					Result: text(r, 20*size(r)), Err: r.IntN(8) == 0, Image: r.IntN(20) == 0})
			}
			c = append(c, m, Message{Role: "results", Calls: m.Calls})
		}
		if turn < turns-1 || r.IntN(4) == 0 {
			m := step(steps == 0)
			m.Texts = []string{text(r, size(r))}
			c = append(c, m)
		}
	}
	switch last := &c[len(c)-1]; {
	case last.Role == "assistant" && r.IntN(2) == 0:
		c = append(c, Message{Role: "user", Texts: []string{text(r, size(r))}})
	case last.Role == "results" && r.IntN(6) == 0: // the host has not run the last calls yet
		c = c[:len(c)-1]
	}
	return c
}

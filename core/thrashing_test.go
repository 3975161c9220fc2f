package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// dialogue is a conversation of an application, which appends turns and passes either the whole history or the last result.
type dialogue struct {
	policy   string
	messages []json.RawMessage
	state    string
}

func (c *dialogue) say(role, text string) {
	c.messages = append(c.messages, json.RawMessage(fmt.Sprintf(`{"role":%q,"content":%q}`, role, text)))
}

// turn compacts the conversation; resume continues from the result.
func (c *dialogue) turn(t *testing.T, resume bool) report {
	t.Helper()
	list, _ := json.Marshal(c.messages)
	a := compacts(t, c.policy, c.state, string(list), summaryText)
	if a.Error != nil {
		t.Fatal(a.Error.Message)
	}
	c.state = string(a.State)
	if resume {
		if err := json.Unmarshal(a.Messages, &c.messages); err != nil {
			t.Fatal(err)
		}
	}
	return a.Report
}

// Compactions in consecutive turns are reported with the cause; compactions several turns apart are not.
func TestThrashing(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	const local = `"format":"openai-chat","window":{"tokens":4000,"reserve":0},"summary":{"mode":"local"}`
	for _, c := range []struct {
		name, policy, cause string
		whole               bool   // the application gives its whole history
		first, user, answer string // messages
		turns               int
	}{
		{name: "goes on from the result", policy: `{` + local + `}`, first: "Hello.", user: words(100), answer: words(300), turns: 40},
		{name: "gives its whole history", policy: `{` + local + `}`, whole: true, first: "Hello.", user: words(100), answer: words(300), turns: 20, cause: "whole_history"},
		{name: "pins too much", policy: `{` + local + `,"pins":[{"index":0}]}`, first: words(2400), user: words(100), answer: words(700), turns: 20, cause: "pinned"},
		{name: "says too much at a time", policy: `{` + local + `}`, first: "Hello.", user: words(2500), answer: words(600), turns: 20, cause: "newest_messages"},
		{name: "aims at the limit", policy: `{` + local + `,"gate":{"target":1},"passes":[{"pass":"fit"}]}`, first: "Hello.", user: words(100), answer: words(300), turns: 40, cause: "target"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conv := &dialogue{policy: c.policy, state: "null"}
			conv.say("user", c.first)
			conv.say("assistant", "Yes.")
			compactions, row, told := 0, 0, 0
			for n := range c.turns {
				conv.say("user", fmt.Sprintf("%d %s", n, c.user))
				r := conv.turn(t, !c.whole)
				if row++; r.Changed {
					compactions++
				} else {
					row = 0
				}
				switch th := r.Thrashing; {
				case th == nil && row >= 3:
					t.Errorf("turn %d: the compaction number %d in a row is not told", n, row)
				case th == nil:
				case row < 3 || th.Cause != c.cause || th.Compactions != row || th.Text == "":
					t.Errorf("turn %d, in a row %d: %+v, want %s", n, row, *th, c.cause)
				default:
					told++
				}
				conv.say("assistant", c.answer)
			}
			if compactions == 0 || (told > 0) != (c.cause != "") {
				t.Errorf("%d compactions, told %d times", compactions, told)
			}
		})
	}
}

// An agent that works on without its user does not thrash because of that: many steps lie between two compactions.
func TestLongTurnIsNoThrashing(t *testing.T) {
	conv := &dialogue{policy: `{"format":"openai-chat","window":{"tokens":4000,"reserve":0},"summary":{"mode":"local"}}`, state: "null"}
	conv.say("user", "Work through the list.")
	compactions := 0
	for n := range 120 {
		conv.messages = append(conv.messages,
			json.RawMessage(fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"f%d.txt\"}"}}]}`, n, n)),
			json.RawMessage(fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`, n, strings.Repeat("a line of it\n", 40))))
		r := conv.turn(t, true)
		if r.Changed {
			compactions++
		}
		if r.Thrashing != nil {
			t.Errorf("step %d: %+v", n, *r.Thrashing)
		}
	}
	if compactions < 4 {
		t.Errorf("%d compactions", compactions)
	}
}

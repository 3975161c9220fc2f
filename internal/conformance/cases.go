package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// testCase is a conversation to compact, in the format openai-chat.
type testCase struct {
	name     string
	messages json.RawMessage
	// limit is the maximum size of the conversation in tokens, as the function tokens counts them.
	limit int
	// due means that the conversation is over the limit. If it isn't, nothing needs to change.
	due bool
	// rules are instructions that the user gave once, and that the compacted conversation must still contain.
	rules []string
}

type message map[string]any

func user(text string) message      { return message{"role": "user", "content": text} }
func assistant(text string) message { return message{"role": "assistant", "content": text} }

// called returns an assistant message with calls, and the results of these calls, each of about size characters.
func called(turn, calls, size int) []message {
	var list []message
	tools := make([]any, calls)
	for i := range calls {
		id := fmt.Sprintf("call_%d_%d", turn, i)
		args := fmt.Sprintf(`{"path":"kilns/%d/%d.log"}`, turn, i)
		tools[i] = map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "read", "arguments": args}}
		line := fmt.Sprintf("kiln %d.%d was at %d degrees, and the door was shut\n", turn, i, 900+turn)
		list = append(list, message{"role": "tool", "tool_call_id": id, "content": strings.Repeat(line, size/len(line)+1)})
	}
	return append([]message{{"role": "assistant", "content": nil, "tool_calls": tools}}, list...)
}

// work returns turns of an agent, each with a request, calls and an answer. They are numbered starting with from.
func work(from, turns, calls, size int) (list []message) {
	for turn := from; turn < from+turns; turn++ {
		list = append(list, user(fmt.Sprintf("Please check the logs of kiln %d and say how hot it was.", turn)))
		list = append(list, called(turn, calls, size)...)
		list = append(list, assistant(fmt.Sprintf("Kiln %d had %d degrees, and its door was shut.", turn, 900+turn)))
	}
	return list
}

// talk returns a number of turns without tool calls.
func talk(turns int, word string) (list []message) {
	for turn := range turns {
		list = append(list, user(fmt.Sprintf("What do you know about glaze %d?", turn)),
			assistant(fmt.Sprintf("Glaze %d %s. ", turn, word)+strings.Repeat(fmt.Sprintf("It melts at %d degrees and needs a slow fire. ", 1000+turn), 8)))
	}
	return list
}

// cases returns the test cases, which are the same in every run.
func cases() []testCase {
	const celsius, ask = "Always give temperatures in Celsius.", "Never open a kiln door without asking me first."
	var list []testCase
	add := func(name string, limit int, rules []string, parts ...[]message) {
		text, err := json.Marshal(slices.Concat(parts...))
		if err != nil {
			panic(err) // can't happen for such values
		}
		list = append(list, testCase{name, text, limit, tokens(text) > limit, rules})
	}
	last := func(text string) []message { return []message{user(text)} }
	first := func(rule string) []message {
		return []message{user("I run a pottery. " + rule), assistant("I will keep to that.")}
	}
	for _, limit := range []int{2000, 4000, 8000} {
		n := limit / 1000
		add(fmt.Sprintf("work, %d", limit), limit, []string{celsius}, first(celsius), work(0, 8*n, 1, 1200), last("And all of them together?"))
		add(fmt.Sprintf("parallel calls, %d", limit), limit, []string{ask}, first(ask), work(0, 4*n, 4, 600), last("Which was the hottest?"))
		add(fmt.Sprintf("talk, %d", limit), limit, []string{celsius}, first(celsius), talk(20*n, "is green"), last("Which glaze melts first?"))
		add(fmt.Sprintf("a rule in the middle, %d", limit), limit, []string{ask}, work(0, 5*n, 1, 1200), first(ask), work(5*n, 5*n, 1, 1200), last("Go on."))
		add(fmt.Sprintf("in the middle of a turn, %d", limit), limit, []string{celsius}, first(celsius), work(0, 6*n, 1, 1200),
			last("Check kiln 99."), called(99, 1, 300))
		add(fmt.Sprintf("other scripts, %d", limit), limit, []string{celsius}, first(celsius), talk(20*n, "是绿色的 🙂 и зелёная"), last("哪种釉先熔化？"))
		add(fmt.Sprintf("below the limit, %d", limit), limit, nil, first(celsius), work(0, n, 1, 400), last("And now?"))
	}
	add("one large result", 4000, []string{celsius}, first(celsius), work(0, 1, 1, 60_000), work(1, 3, 1, 300), last("What was in the first log?"))
	add("a short conversation", 4000, nil, first(celsius), last("Thanks."))
	return list
}

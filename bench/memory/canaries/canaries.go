// Package canaries makes sessions in which somebody makes twenty lasting statements, one every few turns, with ordinary
// turns in between: sessions of a coding agent with tool calls, and conversations between people. Its wording is
// written only for this package.
package canaries

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctxfold/ctxfold/bench/memory/chats"
)

//go:embed statements.txt
var file string

// Kinds lists the kinds of statements.
var Kinds = []string{"safety", "constraint", "preference", "fact", "goal"}

// Set is a set of twenty statements in a language. A line of statements.txt has a kind and a template; [ ] enclose the
// key phrase.
type Set struct {
	Language  *chats.Language
	Coding    bool
	templates []Statement
}

// Name returns the language and the domain.
func (s *Set) Name() string {
	if s.Coding {
		return s.Language.Name + ", coding agent"
	}
	return s.Language.Name + ", people"
}

// Statement is a lasting statement, and the key phrase by which it is recognized.
type Statement struct{ Kind, Text, Key string }

// Sets returns all sets.
func Sets() (sets []*Set) {
	byCode := map[string]*chats.Language{}
	for _, l := range chats.Languages() {
		byCode[l.Code] = l
	}
	for _, line := range strings.Split(strings.TrimSpace(file), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		if word == "set" {
			code, domain, _ := strings.Cut(rest, " ")
			sets = append(sets, &Set{Language: byCode[code], Coding: domain == "coding"})
			continue
		}
		s := sets[len(sets)-1]
		s.templates = append(s.templates, Statement{Kind: word, Text: rest})
	}
	return sets
}

// Session is a session that continues as long as turns are requested.
type Session struct {
	Statements []Statement // in the order in which they are made

	set   *Set
	w     *chats.Writer
	count func(string) int
	seed  int
	small []chats.Message // in chats, what is still to be said
	turn  int
	said  int
	wait  int // turns until the next statement
}

// New begins a session. The seed determines names, numbers, the order of the statements, and all other text.
func (s *Set) New(seed int, count func(string) int) *Session {
	session := &Session{set: s, w: chats.NewWriter(s.Language, seed), count: count, seed: 100 * seed}
	for _, t := range s.templates {
		text, key := session.w.Fill(t.Text)
		session.Statements = append(session.Statements, Statement{t.Kind, text, key})
	}
	list := session.Statements
	for i := len(list) - 1; i > 0; i-- {
		j := session.w.Below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return session
}

// Said reports whether all statements have been made.
func (s *Session) Said() bool { return s.said == len(s.Statements) }

// Turn returns the messages of the next turn, in OpenAI's chat format.
func (s *Session) Turn() (messages []json.RawMessage) {
	statement := ""
	if s.wait--; s.wait < 0 && !s.Said() {
		statement = s.Statements[s.said].Text
		s.said++
		s.wait = 1 + s.w.Below(3)
	}
	s.turn++
	if s.set.Coding {
		return s.coding(statement)
	}
	return s.people(statement)
}

// people returns a turn of small talk, with the statement before, after or instead of the user's text.
func (s *Session) people(statement string) []json.RawMessage {
	if len(s.small) < 2 {
		s.seed++
		s.small = chats.SmallTalk(s.set.Language, s.seed, s.count)
	}
	user, assistant := s.small[0], s.small[1]
	s.small = s.small[2:]
	space := " "
	if s.set.Language.Dense {
		space = ""
	}
	if statement != "" {
		switch s.w.Below(3) {
		case 0:
			user.Content = statement
		case 1:
			user.Content = statement + space + user.Content
		default:
			user.Content += space + statement
		}
	}
	return []json.RawMessage{marshal(user), marshal(assistant)}
}

func marshal(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot fail for strings and lists of them
	}
	return text
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// The other steps of a coding agent: the request, the tool, its arguments, the result and the answer. %[1]s is a module, %[2]d a number.
var steps = []struct{ asked, tool, arguments, result, answer string }{
	{"Open %[1]s/stage%[2]d.kt and tell me what it hands over.", "view", `{"file":"%[1]s/stage%[2]d.kt"}`,
		"fun hand%[2]d(crate: Crate) = crate.items\n    .filter { it.weight > %[2]d }\n    .map { Parcel(it.label, zone = \"%[1]s\") }\n    .also { meter.tick(\"stage%[2]d\") }\n",
		"Stage %[2]d hands over a list of parcels for %[1]s; light items are dropped on the way."},
	{"Where is the counter %[2]d of %[1]s raised?", "search_code", `{"pattern":"counter%[2]d","in":"%[1]s"}`,
		"%[1]s/belt.kt:%[2]d:  counter%[2]d.raise()\n%[1]s/belt_test.kt:12:  assertEquals(1, counter%[2]d.value)\n%[1]s/README.adoc:8:counter%[2]d:: how often the belt stopped\n",
		"It is raised in one place, in the belt of %[1]s, and a test looks at it."},
	{"Let the checks of %[1]s run.", "shell", `{"cmd":"gradle :%[1]s:check --console=plain"}`,
		"> Task :%[1]s:compileKotlin UP-TO-DATE\n> Task :%[1]s:processResources NO-SOURCE\n> Task :%[1]s:test\n%[1]s.BeltTest > stops at %[2]d PASSED\n%[1]s.BeltTest > starts again PASSED\nBUILD SUCCESSFUL in 4s\n",
		"All checks of %[1]s pass, which took four seconds."},
	{"Turn the magic number %[2]d in %[1]s into a name.", "replace", `{"file":"%[1]s/belt.kt","old":"= %[2]d","new":"= SLACK_%[2]d"}`,
		"replaced 1 occurrence in %[1]s/belt.kt\n", "Done: the number is now a constant at the top of the file."},
	{"What does the log of %[1]s say about batch %[2]d?", "shell", `{"cmd":"tail -n 8 logs/%[1]s.log"}`,
		"11:02:%[2]d INFO  batch %[2]d opened by belt-2\n11:02:%[2]d INFO  batch %[2]d weighs 418 g\n11:03:07 WARN  scale is slow, waited 212 ms\n11:03:09 INFO  batch %[2]d closed\n",
		"Batch %[2]d went through; the scale was slow once, and nothing was lost."},
}

var modules = []string{"intake", "sorter", "labels", "ledgering", "routing", "yard", "pallets", "docking", "weights", "manifest", "returns", "billing"}

func (s *Session) coding(statement string) []json.RawMessage {
	step := steps[s.w.Below(len(steps))]
	module, number := modules[s.w.Below(len(modules))], 10+s.w.Below(50)
	fill := func(text string) string {
		return strings.NewReplacer("%[1]s", module, "%[2]d", fmt.Sprint(number)).Replace(text)
	}
	asked := fill(step.asked)
	if statement != "" {
		switch s.w.Below(3) {
		case 0:
			asked = statement
		case 1:
			asked = statement + "\n\n" + asked
		default:
			asked += " " + statement
		}
	}
	call := toolCall{ID: fmt.Sprintf("t%d", s.turn), Type: "function"}
	call.Function.Name, call.Function.Arguments = step.tool, fill(step.arguments)
	return []json.RawMessage{
		marshal(message{Role: "user", Content: asked}),
		marshal(message{Role: "assistant", Content: "Let me look.", ToolCalls: []toolCall{call}}),
		marshal(message{Role: "tool", ToolCallID: call.ID, Content: strings.Repeat(fill(step.result), 2+s.w.Below(4))}),
		marshal(message{Role: "assistant", Content: fill(step.answer)}),
	}
}

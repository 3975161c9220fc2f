package chats

import (
	"embed"
	"fmt"
	"sort"
	"strings"
)

//go:embed lang/*.txt
var files embed.FS

// Language is the content of a file in lang. Each line is a keyword and its value:
//
//	name, user            the language, and what questions call the user of an assistant
//	dense                 words have no spaces between them
//	date, day             how a date in text, and a session's, is written
//	period                what ends a sentence, a full stop if there is no such line
//	months, weekdays      values with | between them
//	stop                  words that are ignored in an answer
//	syl                   syllables that names are made of
//	pair                  the names of two people
//	list NAME             values for the slot {NAME}; ~ divides the forms of a value
//	fact KIND once|many   a kind of fact: said once or several times by a person. The lines that follow are
//	s, u, q               statements, updates, and the question; [ ] encloses the answer
//	react, fill, ask      other things that people say
//	echo LIST             remarks about a value of a list that was used in a fact
//	tail                  what may follow a statement, before its full stop
//	advise                other things that assistants say
//
// Slots are {NAME}, {NAME2} for a second value, {NAME~2} for its second form, {NAME^} with a capital; {n:10-99} is a
// number, {nm} a made-up name, {me} the speaker, {old} the value that an update replaces; and {date}, {time}, {month},
// {weekday}.
type Language struct {
	Code, Name string
	Dense      bool
	Stop       []string

	user, date, day, period        string
	months, weekdays, syl          []string
	pairs                          [][]string
	lists, echoes                  map[string][]string
	facts                          []*kind
	react, fill, ask, advise, tail []string
}

type kind struct {
	name       string
	many       bool
	says, news []string
	question   string
}

// Languages returns all languages, ordered by code.
func Languages() []*Language {
	entries, err := files.ReadDir("lang")
	if err != nil {
		panic(err)
	}
	var all []*Language
	for _, e := range entries {
		text, err := files.ReadFile("lang/" + e.Name())
		if err != nil {
			panic(err)
		}
		l, err := parse(strings.TrimSuffix(e.Name(), ".txt"), string(text))
		if err != nil {
			panic(err) // the files are part of the program, and a test reads them
		}
		all = append(all, l)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Code < all[j].Code })
	return all
}

func parse(code, text string) (*Language, error) {
	l := &Language{Code: code, period: ".", lists: map[string][]string{}, echoes: map[string][]string{}}
	var k *kind
	for i, line := range strings.Split(text, "\n") {
		if line == "" {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "name":
			l.Name = rest
		case "user":
			l.user = rest
		case "dense":
			l.Dense = true
		case "date":
			l.date = rest
		case "period":
			l.period = rest
		case "day":
			l.day = rest
		case "months":
			l.months = strings.Split(rest, "|")
		case "weekdays":
			l.weekdays = strings.Split(rest, "|")
		case "stop":
			l.Stop = strings.Fields(rest)
		case "syl":
			l.syl = strings.Split(rest, "|")
		case "pair":
			l.pairs = append(l.pairs, strings.Split(rest, "|"))
		case "list":
			name, values, _ := strings.Cut(rest, " ")
			l.lists[name] = strings.Split(values, "|")
		case "fact":
			name, often, _ := strings.Cut(rest, " ")
			k = &kind{name: name, many: often == "many"}
			l.facts = append(l.facts, k)
		case "s":
			k.says = append(k.says, rest)
		case "u":
			k.news = append(k.news, rest)
		case "q":
			k.question = rest
		case "echo":
			list, line, _ := strings.Cut(rest, " ")
			l.echoes[list] = append(l.echoes[list], line)
		case "tail":
			l.tail = append(l.tail, rest)
		case "react":
			l.react = append(l.react, rest)
		case "fill":
			l.fill = append(l.fill, rest)
		case "ask":
			l.ask = append(l.ask, rest)
		case "advise":
			l.advise = append(l.advise, rest)
		default:
			return nil, fmt.Errorf("%s, line %d: %q is no word of the format", code, i+1, word)
		}
	}
	return l, nil
}

package digest_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// exchanges returns a chat of n questions, each with its answer.
func exchanges(n int, question, answer func(i int) string) (texts []string) {
	for i := range n {
		texts = append(texts, question(i+1), answer(i+1))
	}
	return texts
}

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(strings.ReplaceAll(format, "%d", "%[1]d"), i) }
}

var numberIn = regexp.MustCompile(`\d+`)

// TestChatDigestOfOneForm: if many lines differ only in a number, a few of them represent all, with the last number. No
// answer appears below another answer's question. The same holds for a second digest of the first one and more
// messages.
func TestChatDigestOfOneForm(t *testing.T) {
	for _, c := range []struct{ question, answer, upTo string }{
		{"What does part %d do?", "Part %d reads the settings, checks each of them and reports the first error.", "up to Part 700)"},
		{"Was macht Schritt %d?", "Schritt %d liest die Einstellungen und meldet den ersten Fehler.", "up to Schritt 700)"},
		{"第%d部分做什么？", "第%d部分读取设置，检查每一项并报告第一个错误。", "up to 700)"},
		{"Что делает часть %d?", "Часть %d читает настройки и сообщает первую ошибку.", "up to Часть 700)"},
		{"Explain part %d, please.", "Part %d of the module, see part%d.go, reads the settings.", "up to Part 700)"},
	} {
		texts := exchanges(700, numbered(c.question), numbered(c.answer))
		texts = append(texts, "The boathouse of Runde has 14 windows.", "Good.")
		got := digestOf(t, "", 6000, texts...)
		for round := range 2 {
			if strings.Count(got, "\n") > 8 || !strings.Contains(got, "(and 697 more like it, "+c.upTo) || !strings.Contains(got, "The boathouse of Runde has 14 windows.") {
				t.Errorf("round %d:\n%s", round+1, got)
			}
			asked := ""
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "user: ") {
					asked = numberIn.FindString(line)
				} else if strings.HasPrefix(line, "assistant: ") && numberIn.FindString(line) != asked {
					t.Errorf("round %d: %q answers %s", round+1, line, asked)
				}
			}
			got = digestOf(t, got, 6000, "The ferry to Gotland leaves at 7:15.", "Ok.")
		}
	}
}

// TestChatDigestOfNumbersThatTell: if the numbers matter, lines from the whole chat fill the room.
func TestChatDigestOfNumbersThatTell(t *testing.T) {
	price := func(i int) int { return 100 + i*37%411 }
	for _, answer := range []func(i int) string{
		func(i int) string { return fmt.Sprintf("Part %d costs %d euros.", i, price(i)) },
		func(i int) string { return fmt.Sprintf("%d euros.", price(i)) },
	} {
		got := digestOf(t, "", 4000, exchanges(400, numbered("What is the price of part %d?"), answer)...)
		var quarters [4]int
		part, told := 0, 0
		for line := range strings.Lines(got) {
			switch n, _ := strconv.Atoi(numberIn.FindString(line)); {
			case strings.HasPrefix(line, "user: "):
				part = n
			case strings.HasPrefix(line, "assistant: "):
				if !strings.HasPrefix(line, "assistant: "+strings.TrimSuffix(answer(part), ".")) {
					t.Errorf("%q answers %d", line, part)
				}
				quarters[(part-1)/100]++
				told++
			}
		}
		if told < 30 || min(quarters[0], quarters[1], quarters[2], quarters[3])*6 < told || !strings.Contains(got, "part 400") {
			t.Errorf("%d: %v\n%s", told, quarters, got)
		}
	}
}

// TestChatDigestSpread: if there is room for only a part of the statements, they come from the whole chat and not from
// its first half.
func TestChatDigestSpread(t *testing.T) {
	syllables := strings.Fields("ba ko ri mu ten sal vor pi ner do lu gam hes tir")
	seed := uint32(7)
	name := func() (s string) {
		s = "X"
		for range 4 {
			seed = seed*1664525 + 1013904223
			s += syllables[seed>>16%14]
		}
		return s
	}
	var names, texts []string
	for range 600 {
		names = append(names, name())
		texts = append(texts, names[len(names)-1]+" paints barns in the village of "+name()+" with green colour.", "Really nice!")
	}
	got := digestOf(t, "", 4000, texts...)
	var thirds [3]int
	all := 0
	for i, n := range names {
		if strings.Contains(got, n+" paints") {
			thirds[i/200]++
			all++
		}
	}
	if all < 20 || min(thirds[0], thirds[1], thirds[2])*4 < all {
		t.Errorf("%v of %d\n%s", thirds, all, got)
	}
}

// TestChatDigestPairs: a question whose answer is not chosen is omitted unless nobody has answered it, and an answer of the assistant does
// not appear below something that the user said before another message.
func TestChatDigestPairs(t *testing.T) {
	for _, c := range []struct {
		name string
		want string
		not  string
		said []string
	}{
		{"the answer was said before", "", "boathouse", []string{"The ferry 515 goes to Runde.", "Good", "Where is the key of the boathouse?", "The ferry 515 goes to Runde.", "My gate is green."}},
		{"nobody has answered", "Where is the key of the boathouse?", "", []string{"The ferry 515 goes to Runde.", "Good", "Where is the key of the boathouse?"}},
		{"it says something of who asks", "Did I tell you that my daughter's school is in Lisbon?\n…\nassistant: The roof", "", []string{"The gate of Delft is green.", "Good", "Did I tell you that my daughter's school is in Lisbon?", "Haha, how nice to hear that from you!", "Go on", "The roof has 14 tiles of slate."}},
		{"the answer is there", "user: Where is the key?\nassistant: Sigrid of Aalesund has it under 3 stones.", "…", []string{"Where is the key?", "Sigrid of Aalesund has it under 3 stones."}},
		{"two people", "", "kiln", []string{"Anna: How hot is the kiln of Delft?", "Piet: Haha, how nice to hear that from you!", "Anna: My 12 bowls are green.", "Piet: Mine came from Porto in 2019."}},
		{"a request", "user: Explain the gate of Delft.\n…\nassistant: The roof has 14 tiles", "", []string{"Explain the gate of Delft.", "Sure", "Go on", "The roof has 14 tiles of slate."}},
	} {
		got := digestOf(t, "", 4000, c.said...)
		if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s:\n%s", c.name, got)
		}
	}
	first := digestOf(t, "", 4000, "Explain the gate of Delft.", "Sure", "Go on", "The roof has 14 tiles of slate.")
	if again := digestOf(t, first, 4000, "Fine", "Ok"); again != first {
		t.Errorf("%s\nwant\n%s", again, first)
	}
}

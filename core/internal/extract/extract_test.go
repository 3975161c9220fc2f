package extract

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

func chosen(items []Item, beside []string, budget int) string {
	var out []string
	for _, c := range New(items, words.StemsOf(beside)).Choose(budget) {
		out = append(out, strings.TrimSpace(c.Text(items[c.Item].Text)))
	}
	return strings.Join(out, " | ")
}

func items(texts ...string) (list []Item) {
	for _, t := range texts {
		list = append(list, Item{Text: t})
	}
	return list
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name   string
		items  []Item
		beside []string
		budget int
		want   string
	}{
		{"a fact before courtesies", items("Hi there! How are you?", "Hi! I am fine, how are you?", "My sister Ingrid moved to Bergen in 2019.", "Oh, how nice! How are you there?"), nil, 48,
			"My sister Ingrid moved to Bergen in 2019."},
		{"what was said once is not said again", items("The boiler room is on level four.", "The boiler room is on level four.", "Bring gloves and a torch."), nil, 80,
			"The boiler room is on level four. | Bring gloves and a torch."},
		{"nor a long sentence that begins with a pronoun", items("The boiler is old.", "It pays to write down every reading of the boiler in the blue book.", "Gloves are in the shed.",
			"It pays to write down every reading of the boiler in the blue book."), nil, 500,
			"The boiler is old. | It pays to write down every reading of the boiler in the blue book. | Gloves are in the shed."},
		{"what stays beside is known", items("The boiler room is on level four.", "Bring gloves and a torch."), []string{"the boiler room is on level four"}, 40,
			"Bring gloves and a torch."},
		{"the order of the items", items("Tom repairs clocks.", "Anna paints barns.", "Piet sails boats."), nil, 500,
			"Tom repairs clocks. | Anna paints barns. | Piet sails boats."},
		{"clauses at the end are left out", items("yes it is good", "it was good yes", "good, yes it is", "The old kiln in Delft reached 1240 degrees Celsius, and yes it was good, yes it is."), nil, 60,
			"The old kiln in Delft reached 1240 degrees Celsius,"},
		{"and a word at the beginning", items("oh yes", "oh yes well", "oh yes good", "Oh yes, the old kiln in Delft reached 1240 degrees Celsius."), nil, 60,
			"the old kiln in Delft reached 1240 degrees Celsius."},
		{"but no number", items("On it", "it", "On 8 March, the old kiln in Delft reached its highest heat."), nil, 68,
			"On 8 March, the old kiln in Delft reached its highest heat."},
		{"quotes stay with what they open", items("ja ja", "ja gut", "gut ja ja", "Ja gut, „Der lange Winter in Aarhus“ von Nansen liegt jetzt hier."), nil, 66,
			"„Der lange Winter in Aarhus“ von Nansen liegt jetzt hier."},
		{"signs without spaces", items("你好！你好吗？", "你好，我很好。", "我妹妹二〇一九年搬到了卑尔根。", "你好吗？很好。"), nil, 60,
			"我妹妹二〇一九年搬到了卑尔根。"},
		{"words before formulas", items("6(x+4)=162, x+4=27, x=23.", "Gloves are in the boiler room.", "5x + 3 = 2x + 9 so x = 2."), nil, 36,
			"Gloves are in the boiler room."},
		{"a preference before a number", []Item{{Text: "I loathe slides and lecterns.", Personal: true}, {Text: "The old hall has 40 chairs.", Personal: true}}, nil, 36,
			"I loathe slides and lecterns."},
		{"code is no sentence", items("```\nx := 1\n```\nThe gate is green."), nil, 100, "The gate is green."},
		{"uncut", []Item{{Text: "oh yes, the kiln. Fired at noon, twice", Uncut: true}}, nil, 100, "oh yes, the kiln. | Fired at noon, twice"},
		{"whole", []Item{{Text: "oh yes, the kiln. Fired at noon", Whole: true}}, nil, 100, "oh yes, the kiln. Fired at noon"},
		{"nothing", items("", "  ", "...", "\n\n"), nil, 100, ""},
		{"no room", items("Anna paints barns."), nil, 3, ""},
	} {
		if got := chosen(c.items, c.beside, c.budget); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSentences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"One. Two! Three? Four", "One.|Two!|Three?|Four"},
		{"It costs 3.50 e.g. in St. Ives. Dr. Who knows.", "It costs 3.50 e.g. in St. Ives.|Dr. Who knows."},
		{"Der Kurs beginnt am 12. Juli um 9. Komm mit.", "Der Kurs beginnt am 12. Juli um 9. Komm mit."},
		{"Wait... what?! \"Yes.\" No", "Wait...|what?!|\"Yes.\"|No"},
		{"- a point\n* another\n# Heading\n> quoted", "a point|another|Heading|quoted"},
		{"我来了。你呢？好！", "我来了。|你呢？|好！"},
		{"यह है। वह है॥", "यह है।|वह है॥"},
		{"أين؟ هنا.", "أين؟|هنا."},
		{"[…] I'd like the second. And … well… Go […]", "[…] I'd like the second.|And …|well…|Go […]"},
		{strings.Repeat("word ", 200), strings.TrimSpace(strings.Repeat("word ", 121)) + "|" + strings.TrimSpace(strings.Repeat("word ", 79))},
	} {
		var got []string
		for s := (splitter{text: c.text}); s.next(); {
			got = append(got, c.text[s.from:s.to])
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

// TestBudget chooses under every budget: never more than it, never out of order, never a cut inside a rune.
func TestBudget(t *testing.T) {
	list := items("Ich wohne in Köln – seit 2011, glaube ich, mit Jörg; davor in Århus.", "我住在里斯本，以前住在波尔图。真的吗？", "Она живёт в Орле: дом 12, квартира 5!", strings.Repeat("x", 3000))
	e := New(list, nil)
	for budget := range 700 {
		sum, last := 0, -1
		for _, c := range e.Choose(budget) {
			text := c.Text(list[c.Item].Text)
			if strings.ToValidUTF8(text, "?") != text || c.Item < last {
				t.Fatalf("budget %d: %q of item %d behind %d", budget, text, c.Item, last)
			}
			sum, last = sum+len(text)+overhead, c.Item
		}
		if sum > budget {
			t.Fatalf("%d bytes of %d", sum, budget)
		}
	}
}

// TestFlooded assigns numbers to stems that all fall into the same slot.
func TestFlooded(t *testing.T) {
	var s stems
	s.init(64)
	for n := range uint32(100000) {
		if id := s.id(n << 25); id < 0 || int(id) >= s.len() {
			t.Fatalf("stem %d has the number %d of %d", n, id, s.len())
		}
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("One. Two, three – four!", "我来了。", 40)
	f.Fuzz(func(t *testing.T, a, b string, budget int) {
		list := items(a, b, a)
		sum := 0
		for _, c := range New(list, words.StemsOf([]string{b})).Choose(budget) {
			sum += len(c.Text(list[c.Item].Text)) + overhead
		}
		if sum > max(budget, 0) {
			t.Errorf("%d bytes of %d", sum, budget)
		}
	})
}

func BenchmarkNew(b *testing.B) {
	var list []Item
	size := 0
	for i := range 5000 {
		text := "We moved to Lisbon in March, because Anna found a job at the harbour " + strings.Repeat("and so on ", i%7) + ". The flat costs 1,240 a month! How is the garden of number " + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + "q doing?"
		size += len(text)
		list = append(list, Item{Text: text})
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		New(list, nil).Choose(8000)
	}
}

package extract

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// TestLeans lists sentences that cannot be understood without the previous one.
func TestLeans(t *testing.T) {
	for want, list := range map[bool][]string{
		true: {"It enabled needed repairs.", "They're full of potholes.", "Yeah, it was great.", "And she lives in Bergen now.", "I sold it for 300 euros.", "That was in May.",
			"Sie wohnt jetzt in Köln.", "Das hat 300 Euro gekostet.", "Es kostet 300 Euro.", "Il est cher.", "它的门票是三十元。", "她在一家医院工作。", "それは高いです。", "그건 너무 비싸요.", "Она живёт в Орле.", "هذا غالٍ."},
		false: {"My sister lives in Bergen.", "This week I moved to Lisbon.", "Das Boot ist 12 Meter lang.", "Es gibt hier 12 Boote.", "Il mio cane dorme.", "I told Anna that it was late.",
			"我妹妹搬到了卑尔根。", "这周我搬家了。", "그림을 샀어요.", "Мой брат живёт в Орле.", "La casa es grande."},
	} {
		for _, text := range list {
			ws := words.Append(nil, text)
			if got := leans(text, ws, quoted(nil, text, ws)); got != want {
				t.Errorf("%q: %v", text, got)
			}
		}
	}
}

// TestIdle lists sentences that say nothing.
func TestIdle(t *testing.T) {
	for want, list := range map[bool][]string{
		true: {"I'll keep ya posted.", "Good morning!", "How are you?", "Let me know if you have any other questions.", "Hm, makes sense.", "OK, that helps.", "Thanks, Maria!", "I couldn't agree more!", "Wow, Jo, that's really cool!", "Hey Joanna, glad I could help.", "That sounds great!", "You're welcome! Have a great day.", "Das klingt gut.", "Vielen Dank!", "Merci beaucoup",
			"好的，谢谢你！", "不客气，祝您玩得愉快！", "ありがとうございます。", "네, 감사합니다.", "Спасибо!", "شكرا"},
		false: {"I keep bees.", "Never use tabs.", "We leave at 7.", "Meet Anna.", "Wow, Jo lives in Lyon.", "I agree with Ove.", "Is it nice, Ove?", "好的，我住在北京。", "京都に行きます。", "부산에 가요."},
	} {
		for _, text := range list {
			if got := idle(text, words.Append(nil, text)); got != want {
				t.Errorf("%q: %v", text, got)
			}
		}
	}
}

// follow returns items that follow each other.
func follow(texts ...string) []Item {
	list := items(texts...)
	for i := range list {
		list[i].Follows = i > 0
	}
	return list
}

// TestChosenTogether: a sentence that cannot be understood alone is chosen together with the one that it depends on, or not at all.
func TestChosenTogether(t *testing.T) {
	for _, c := range []struct {
		name   string
		items  []Item
		budget int
		want   string
	}{
		{"a pronoun", follow("We launched the fundraiser of the lighthouse. It enabled 14 needed repairs of Fresnel lenses.", "I see."), 110,
			"We launched the fundraiser of the lighthouse. | It enabled 14 needed repairs of Fresnel lenses."},
		{"no room for both", follow("We launched the fundraiser of the lighthouse. It enabled 14 needed repairs of Fresnel lenses.", "I see."), 62,
			"We launched the fundraiser of the lighthouse."},
		{"a short answer", follow("Where does your brother Tomas live?", "In Tromsø.", "Aha"), 60, "Where does your brother Tomas live? | In Tromsø."},
		{"yes", follow("Are you allergic to walnuts?", "Yes."), 60, "Are you allergic to walnuts? | Yes."},
		{"what a question is about", follow("The Lofalbel Guesthouse has 4 stars.", "What is their phone number?", "Their phone number is 03965 340931."), 90,
			"The Lofalbel Guesthouse has 4 stars. | Their phone number is 03965 340931."},
		{"the same without spaces", follow("推荐您去松鹤公园，评分4.5分。", "它的电话是多少？", "电话是010-82878878。"), 90, "推荐您去松鹤公园，评分4.5分。 | 电话是010-82878878。"},
		{"a text of its own", items("We launched the fundraiser of the lighthouse.", "It enabled 14 needed repairs."), 40, "It enabled 14 needed repairs."},
	} {
		if got := chosen(c.items, nil, c.budget); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestWholeClauses: no clause ends inside a date, a quote or brackets, or says only half of a condition.
func TestWholeClauses(t *testing.T) {
	for _, text := range []string{
		"The release was frozen at the Time Anchor of March 15, 2023 by all of us.",
		"If you ever come to Bergen in the cold winter, and you need a room, call Ingrid.",
		"Lately I have been reading all of “The Winter of our harbour, and the Sea” in bed.",
		"We bought these three very large maps (the blue one, and the red one, are torn) in Oslo.",
	} {
		if e := New([]Item{{Text: text}}, nil); len(e.clauses) != 1 {
			t.Errorf("%q has %d clauses", text, len(e.clauses))
		}
	}
}

// TestLeaningChain chooses among 20,000 sentences, each of which depends on the previous one.
func TestLeaningChain(t *testing.T) {
	list := []Item{{Text: "The kiln of Delft is hot."}}
	for i := range 20000 {
		list = append(list, Item{Text: "It burns well with wood number " + strings.Repeat("x", i%9) + "q.", Follows: true})
	}
	if out := New(list, nil).Choose(4000); len(out) == 0 || out[0].Item != 0 {
		t.Errorf("%v", out)
	}
}

// TestTopicQuestion: a short question names the topic of the next sentence.
func TestTopicQuestion(t *testing.T) {
	list := items("And Norwegian? I have level A2 since March, which course leads to B2?", "Oh yes, the kiln in Delft burns again.", "Anna paints barns in Runde.")
	said := 0
	for budget := 60; budget < 200; budget += 10 {
		if got := chosen(list, nil, budget); strings.Contains(got, "level A2") {
			if said++; !strings.HasPrefix(got, "And Norwegian? | I have level A2") {
				t.Errorf("%q", got)
			}
		}
	}
	if said < 5 {
		t.Error(said)
	}
}

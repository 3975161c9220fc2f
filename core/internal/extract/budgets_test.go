package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// talk returns a conversation that mixes facts with courtesies, repetitions and other languages.
func talk() []Item {
	list := items(
		"Good morning! Did you sleep well? The ferry leaves at seven, so I packed the tent last night.",
		"Good morning. Yes, thank you – my brother Tomas lent us his stove, which burns paraffin; he bought it in Tromsø in 2014.",
		"Oh great, then we only need 12 litres of water, three maps (the blue one is torn) and Tomas's stove.",
		"Well, I called the harbour office at 555-0134. They said the ferry to Runde is full on Friday, but there are 4 places on Sunday, 21 June.",
		"Mein Schwager Jörg wohnt seit 2011 in Köln; er spielt Cello, aber nur sonntags.",
		"我妹妹二〇一九年搬到了卑尔根，她在一家医院工作。你好吗？",
		"Good. Good. Good morning! The ferry leaves at seven.",
		"I am allergic to walnuts. I weigh 71 kilos. Is that important?",
	)
	list[3].Factor = 2048
	list[4].Uncut = true
	return list
}

// TestBudgets lists the choices of one Extract under budgets of many sizes, and marks sentences that people say about themselves (!).
func TestBudgets(t *testing.T) {
	list := talk()
	e := New(list, words.StemsOf([]string{"The harbour office closes at noon"}))
	for _, c := range []struct {
		budget int
		want   string
	}{
		{20, ``},
		{40, ``},
		{60, `3! Well, I called the harbour office at 555-0134.`},
		{80, `3! Well, I called the harbour office at 555-0134.
7! I weigh 71 kilos.`},
		{120, `3! Well, I called the harbour office at 555-0134.
3 They said the ferry to Runde is full on Friday,`},
		{160, `3! Well, I called the harbour office at 555-0134.
3 They said the ferry to Runde is full on Friday, but there are 4 places on Sunday, 21 June.`},
		{240, `3! Well, I called the harbour office at 555-0134.
3 They said the ferry to Runde is full on Friday, but there are 4 places on Sunday, 21 June.
4! Mein Schwager Jörg wohnt seit 2011 in Köln; er spielt Cello, aber nur sonntags.`},
		{320, `1! Yes, thank you – my brother Tomas lent us his stove,
2! Oh great, then we only need 12 litres of water, three maps (the blue one is torn) and Tomas's stove.
3! Well, I called the harbour office at 555-0134.
3 They said the ferry to Runde is full on Friday, but there are 4 places on Sunday, 21 June.`},
		{480, `1! Yes, thank you – my brother Tomas lent us his stove, which burns paraffin; he bought it in Tromsø in 2014.
2! Oh great, then we only need 12 litres of water, three maps (the blue one is torn) and Tomas's stove.
3! Well, I called the harbour office at 555-0134.
3 They said the ferry to Runde is full on Friday, but there are 4 places on Sunday, 21 June.
4! Mein Schwager Jörg wohnt seit 2011 in Köln; er spielt Cello, aber nur sonntags.
7! I weigh 71 kilos.`},
		{700, `0 Did you sleep well?
0 The ferry leaves at seven, so I packed the tent last night.
1! Yes, thank you – my brother Tomas lent us his stove, which burns paraffin; he bought it in Tromsø in 2014.
2! Oh great, then we only need 12 litres of water, three maps (the blue one is torn) and Tomas's stove.
3! Well, I called the harbour office at 555-0134.
3 They said the ferry to Runde is full on Friday, but there are 4 places on Sunday, 21 June.
4! Mein Schwager Jörg wohnt seit 2011 in Köln; er spielt Cello, aber nur sonntags.
5 我妹妹二〇一九年搬到了卑尔根，她在一家医院工作。
6 The ferry leaves at seven.
7 I am allergic to walnuts.
7! I weigh 71 kilos.`},
		{2000, `0 Did you sleep well?
0 The ferry leaves at seven, so I packed the tent last night.
1! Yes, thank you – my brother Tomas lent us his stove, which burns paraffin; he bought it in Tromsø in 2014.
2! Oh great, then we only need 12 litres of water, three maps (the blue one is torn) and Tomas's stove.
3! Well, I called the harbour office at 555-0134.
3 They said the ferry to Runde is full on Friday, but there are 4 places on Sunday, 21 June.
4! Mein Schwager Jörg wohnt seit 2011 in Köln; er spielt Cello, aber nur sonntags.
5 我妹妹二〇一九年搬到了卑尔根，她在一家医院工作。
6 The ferry leaves at seven.
7 I am allergic to walnuts.
7! I weigh 71 kilos.
7 Is that important?`},
	} {
		var out []string
		for _, c := range e.Choose(c.budget) {
			own := ""
			if c.Own {
				own = "!"
			}
			out = append(out, fmt.Sprintf("%d%s %s", c.Item, own, strings.TrimSpace(c.Text(list[c.Item].Text))))
		}
		if got := strings.Join(out, "\n"); got != c.want {
			t.Errorf("%d bytes:\n%s\nwant\n%s", c.budget, got, c.want)
		}
	}
}

// TestClauses marks the positions at which sentences may be cut (|), and at which a selection may begin (^).
func TestClauses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"We moved to Bergen.",
			"^We moved to Bergen."},
		{"We moved to Bergen in the cold spring of 2019, which was late, because Anna and the two of us had no flat there.",
			"^We moved to Bergen in the cold spring of 2019, |which was late, because Anna and the two of us had no flat there."},
		{"We moved to Bergen in the cold spring of 2019; the flat there was small and had no view at all.",
			"^We moved to Bergen in the cold spring of 2019; |^the flat there was small and had no view at all."},
		{"We moved, then slept; it rained.",
			"^We moved, then slept; it rained."},
		{"Oh well, the flat in Bergen was small and had no view.",
			"^Oh well, |^the flat in Bergen was small and had no view."},
		{"Oh well yes, the flat in Bergen was small and had no view.",
			"^Oh well yes, the flat in Bergen was small and had no view."},
		{"On 8 March, the flat in Bergen was small and had no view.",
			"^On 8 March, the flat in Bergen was small and had no view."},
		{"Yes, it was small and cold.",
			"^Yes, it was small and cold."},
		{"Yes, it was small and cold and wet.",
			"^Yes, |^it was small and cold and wet."},
		{"The well-known flat (the one that Anna likes so much) was the best of all that we saw there - or so we thought in those days.",
			"^The well-known flat (the one that Anna likes so much) was the best of all that we saw there - |or so we thought in those days."},
		{"Don't go to the north-east side/corner of the old harbour, it's dangerous – really, it's the worst place of them all.",
			"^Don't go to the north-east side/corner of the old harbour, |it's dangerous – really, it's the worst place of them all."},
		{"Ja gut, „Der lange Winter in Aarhus“ von Nansen liegt jetzt hier.",
			"^Ja gut, |^„Der lange Winter in Aarhus“ von Nansen liegt jetzt hier."},
		{"我妹妹二〇一九年三月从里斯本搬到了卑尔根，她在一家很大的医院工作；她的丈夫是一位很有名的厨师。",
			"^我妹妹二〇一九年三月从里斯本搬到了卑尔根，|她在一家很大的医院工作；|她的丈夫是一位很有名的厨师。"},
		{"推荐您去枫青溪博物馆看看，那里每天九点开门；门票三十九元，学生半价。",
			"^推荐您去枫青溪博物馆看看，|那里每天九点开门；门票三十九元，|学生半价。"},
		{"We moved to Bergen in the cold spring of 2019; it was a small flat with no view at all.",
			"^We moved to Bergen in the cold spring of 2019; |it was a small flat with no view at all."},
		{"a b c d e f g, b b c d e f g, c b c d e f g, d b c d e f g, e b c d e f g, f b c d e f g, g b c d e f g, h b c d e f g, i b c d e f g, j b c d e f g, k b c d e f g, l b c d e f g, m b c d e f g, n b c d e f g.",
			"^a b c d e f g, b b c d e f g, c b c d e f g, d b c d e f g, |e b c d e f g, f b c d e f g, g b c d e f g, h b c d e f g, |i b c d e f g, |j b c d e f g, |k b c d e f g, |l b c d e f g, |m b c d e f g, |n b c d e f g."},
	} {
		e, got := New([]Item{{Text: c.text}}, nil), ""
		for i, cl := range e.clauses {
			if i > 0 {
				got += "|"
			}
			if cl.starts {
				got += "^"
			}
			got += c.text[cl.from:cl.to]
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

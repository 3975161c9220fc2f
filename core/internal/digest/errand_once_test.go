package digest

import "testing"

func TestWishesForOnceAreNoRules(t *testing.T) {
	for _, s := range []string{
		"Deliver it on Monday, and only after 13:20.", "If I am not there, give it to Ivan Petrov.", "If I'm away, leave it with the porter.", "Leave it with my neighbour if I am out.",
		"Tuesday suits me better.", "I want my money back.", "I would rather have it repaired.", "我家豆豆两天不吃东西了。", "Bring them on Friday, only before noon.",
	} {
		if got := statements(s, new(readRoom)); len(got) > 0 {
			t.Errorf("a wish for once is listed as a rule: %q", got)
		}
	}
	for _, s := range []string{
		"Always call me before you come.", "Never send it to my work address again.", "I prefer mornings.", "Mornings suit me better.", "Don't send it on Friday.",
		"If I am not at home, always give it to my neighbour.", "If I am not there, leave parcels with my neighbour.", "If a test fails, give it to Tom.", "Only call me after 17:00.",
		"I would rather have tea than coffee.", "我家孩子不吃花生。", "我不吃肉。", "Deliver it every Monday, only after 13:20.",
	} {
		if got := statements(s, new(readRoom)); len(got) != 1 {
			t.Errorf("%q isn't listed as a rule: %q", s, got)
		}
	}
}

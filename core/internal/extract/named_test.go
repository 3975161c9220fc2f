package extract

import "testing"

// The first bytes of a choice are for the items of one speaker, and Lacks counts the names that only they have.
func TestItemsThatComeFirst(t *testing.T) {
	list := items(
		"It was in the locker that has number 4417 since then.", "Benz of Mannheim, Diesel of Augsburg and Otto of Holzhausen met in 1885, 1891 and 1893.",
		"We gave him the lamp that has number 3302 since then.", "Lilienthal of Anklam, Daimler of Schorndorf and Maybach of Heilbronn met in 1874, 1882 and 1900.",
	)
	mine := func(item int) bool { return item%2 == 0 }
	e := New(list, nil)
	const budget = 120
	for _, c := range []struct {
		first, items int // the bytes for the items of mine, and how many of these items are chosen
		lacks, all   bool
	}{{0, 0, true, false}, {budget / 2, 2, false, false}, {budget, 2, false, true}} {
		chosen, all := e.ChooseTalk(budget, nil, c.first, mine)
		n := 0
		for _, s := range chosen {
			if mine(s.Item) {
				n++
			}
		}
		if lacks := e.Lacks(chosen, budget, mine) > 0; n != c.items || lacks != c.lacks || all != c.all {
			t.Errorf("with %d bytes first: %d items, lacks is %v, all is %v: %v", c.first, n, lacks, all, chosen)
		}
	}
	if chosen, _ := e.ChooseTalk(60, nil, 60, mine); len(chosen) != 1 || e.Lacks(chosen, 60, mine) > 0 {
		t.Errorf("%v has less than the newest item", chosen)
	}
}

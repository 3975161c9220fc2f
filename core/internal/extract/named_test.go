package extract

import (
	"strings"
	"testing"
)

// The first bytes of a budget are for the items of one speaker. Lacks counts the names that only these items contain.
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

// In Chinese and Japanese, nearly every pair of characters is rare, so a title has to weigh more than the pairs around
// it.
func TestTitlesComeFirst(t *testing.T) {
	for _, text := range []string{
		"我弟弟在县城开了间木工房，生意比去年好多了。我最近在读《雾港》。窗台上的薄荷又枯了，只好重新播种。他说《风车与狐》拍得很美。我们打算重阳节回老家摘柿子晒柿饼。周三下班以后我去看了《渡》。隔壁阿婆送来一篮枇杷，甜得出奇。睡前给女儿念了一页《灯塔猫》。",
		"弟が町で木工房を開き、去年より繁盛しています。最近は『霧の港』を読んでいます。窓辺の薄荷がまた枯れ、種を蒔き直しました。彼が『風車と狐』は綺麗だと言っていました。重陽の節句に帰省し、柿を捥いで干柿作り。水曜の仕事の後に『渡』を見に行きました。隣家の老婦人から枇杷一籠、格別の甘さ。寝る前に娘に『灯台猫』を読んであげました。",
	} {
		var list []Item
		size := 0
		for s := range strings.SplitAfterSeq(text, "。") {
			if list = append(list, items(s)...); strings.ContainsAny(s, "《『") {
				size += len(s) + overhead
			}
		}
		chosen := New(list, nil).Choose(size)
		n := 0
		for _, c := range chosen {
			if strings.ContainsAny(c.Text(list[c.Item].Text), "《『") {
				n++
			}
		}
		if n < 4 {
			t.Errorf("%d of 4 titles: %v", n, chosen)
		}
	}
}

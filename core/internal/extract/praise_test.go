package extract

import (
	"strings"
	"testing"
	"time"
)

// A predicate goes only if it does nothing but praise.
func TestPredicatesThatPraise(t *testing.T) {
	for text, want := range map[string]string{
		"柳河店是个不错的选择": "柳河店", "柳河店是百年老字号的不错的烤鸭店": "柳河店是百年老字号的不错的烤鸭店", "柳河大酒店还是很好的五星级酒店有免费早餐": "柳河大酒店还是很好的五星级酒店有免费早餐",
	} {
		if got := withoutPraise(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// A text of many pointers is read in linear time: twice the text must not take four times as many steps. The limit only stops a search that
// begins again at each pointer, which would take hours.
func TestManyPointers(t *testing.T) {
	text := strings.Repeat("好", 1_000_000) + "、" + strings.Repeat("这两", 1_000_000)
	done := make(chan bool, 1)
	go func() { done <- pointsOut(text) }()
	select {
	case out := <-done:
		if out {
			t.Error("the pointers refer to something outside of the text")
		}
	case <-time.After(10 * time.Minute):
		t.Fatal("no answer within ten minutes")
	}
}

package digest

import "testing"

// TestOutdatedRules tests that a sentence with a rule is recognized as outdated if a later statement revokes the rule or
// gives its limit another value, and that other sentences are not.
func TestOutdatedRules(t *testing.T) {
	u := updatesIn([]string{
		"Forget the thing about putting the distance at the top, my watch shows it.", "The limit is 110 now, my brother is paying a part.",
		"Never book a ferry.", "之前说的四项限制可以取消了，多写几项也没关系。",
	})
	for sentence, want := range map[string]bool{
		"When you write up a hike, put the distance at the top.": true,
		"Our limit is 90 a day, whatever happens.":               true,
		"每次的清单不要超过四项，太多了我看不完。":                                   true,
		"Never sail after dark.":                                 false,
		"The distance to the hut surprised us.":                  false,
		"Always name the hut where we sleep.":                    false,
		"":                                                       false,
		"?!":                                                     false,
		"。！":                                                     false,
	} {
		if got := u.outdate(sentence); got != want {
			t.Errorf("outdate(%q) = %v", sentence, got)
		}
	}
	if u := updatesIn(nil); u.outdate("Our limit is 90 a day, whatever happens.") {
		t.Error("a rule is outdated although nothing changes it")
	}
}

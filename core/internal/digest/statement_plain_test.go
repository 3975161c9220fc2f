package digest_test

import "testing"

// A remark that has the outer form of a rule is not one, and a reason at the end of a rule does not turn it into
// something that somebody else said.
func TestPlainRemarksAndReasons(t *testing.T) {
	for sentence, want := range map[string]bool{
		"Never print the tokens, they are encrypted.":                        true,
		"Always pin the compiler, the mirror is outdated.":                   true,
		"Do not phone the landlord, he is annoyed.":                          true,
		"Never use the striped paper, my eyes get strained.":                 true,
		"From now on it gets colder, the farmer warned.":                     false,
		"请在说明里不要用缩写。":                                                        true,
		"解说部分必须用中文。":                                                         true,
		"一定要这样命名：data_set。":                                                  true,
		"我邻居说我们必须关门。":                                                        false,
		"The kiosk sells stamps only.":                                       false,
		"The pool opens on weekdays only.":                                   false,
		"Our cat drinks cold milk only.":                                     false,
		"Short stanzas only, please.":                                        true,
		"Frost lies on every window.":                                        false,
		"Smoke blew sand in every tent.":                                     false,
		"Each test runs ten seconds.":                                        false,
		"Every report takes a day.":                                          false,
		"Every summary delighted Paul.":                                      false,
		"All tests pass on my laptop.":                                       false,
		"Every method returns a string.":                                     false,
		"Every letter that you write ends with my initials.":                 true,
		"Toys come in bags.":                                                 false,
		"Pupils get in free.":                                                false,
		"Visitors stay in huts.":                                             false,
		"You write with great care.":                                         false,
		"You give me courage.":                                               false,
		"You write in the present tense.":                                    true,
		"I finished early.":                                                  false,
		"I sing regularly with Olga.":                                        false,
		"I get bread in town.":                                               false,
		"I sleep poorly on boats.":                                           true,
		"I get dizzy on ladders.":                                            true,
		"Emma sends me seven letters.":                                       false,
		"Venice gives me golden evenings.":                                   false,
		"Os barulhos me irritam.":                                            true,
		"I miss you, full stop.":                                             false,
		"Not to be blunt, but that is odd.":                                  false,
		"Bakers mix flour with water any day.":                               false,
		"Wir wandern ohne Karte umher.":                                      false,
		"每条狗都跑了。":                                                            false,
		"大阪は雪で。":                                                             false,
		"明日は休みで。":                                                            false,
		"絵文字はなしで。":                                                           true,
		"Fix the parser in lexer.c, it never stops when a quote is missing.": false,
		"Fix typos whenever you see them, it never hurts.":                   true,
	} {
		if got := standing(t, sentence); len(got) > 0 != want {
			t.Errorf("%q: standing instructions %q, want some: %v", sentence, got, want)
		}
	}
}

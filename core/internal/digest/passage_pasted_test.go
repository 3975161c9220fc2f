package digest

import (
	"strings"
	"testing"
)

// A text that a user pasted behind a question about it is distinguished from what the user says, however it is worded.
func TestPastedPassages(t *testing.T) {
	article := "The kilns of the island were built of stone in the last century, and most of them have been cold since the war. A team of two could fire one of them within a day. The lids had to be lifted by a crane that the harbour lent to the potters every spring. Nobody knows how many of them are left. The museum owns three, and has restored the largest one with a grant of the state."
	for text, want := range map[string]string{
		"I teach 26 children. Which verbs are in this English sentence? When you meet your friend, let the potter light your kiln.":                                                                       " When you meet your friend, let the potter light your kiln.",
		"Translate the following paragraph: I live beside the kiln and light it every morning before work. The neighbours complain of the smoke, and never of the pots they get.":                         " I live beside the kiln and light it every morning before work. The neighbours complain of the smoke, and never of the pots they get.",
		"Ove has taken number 10. Find a title for the paper with this abstract This article is about the kilns of the island. On the basis of many visits, it shows how the lids were lifted by cranes.": "This article is about the kilns of the island. On the basis of many visits, it shows how the lids were lifted by cranes.",
		"That line stays off. Who else lit the kilns? " + article + "\n\nAnd I need 28 copies.":                                                                                                           " " + article,
		"Have you read this article? I bought the blue kiln for 400 crowns, and it arrived on Monday.":                                                                                                    "",
		"Which kiln should I take? I live on the fourth floor without a lift, and my budget is 400 crowns. I fire once a week. We have a cellar. My wife wants a red one. I also have a wheel, and I have ordered clay for 80 crowns from the shop in the harbour. I need it before we go on holiday in July, and I can collect it with my van.": "",
		"I read this article. Then I went to the harbour and bought clay for 80 crowns.": "",
		"In this text: never use dashes, and spell colour as the British do.":            "",
		"क्या आप मदद करेंगे? " + strings.Repeat("मेरी नाव का नाम कमल है और वह बंदरगाह में रहती है। ", 8): "",
		"": "", "this sentence:": "", "?": "",
	} {
		from, to := pastedPassage(text)
		if got := text[from:to]; got != want {
			t.Errorf("%q: the passage is %q, not %q", text, got, want)
		}
	}
}

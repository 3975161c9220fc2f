package digest

import (
	"slices"
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

// Passages after labels and announcements, between quotation marks, and of code are found wherever they are in a message.
func TestSeveralPastedPassages(t *testing.T) {
	const transcript = "so we drove out to the island and you know the kilns were cold and nobody had fired one of them for years and I said to him you need to light it every morning or it cracks"
	part := "The narrator rows to the island and finds the kilns cold. The potter tells him that the lids were lifted by a crane. Nobody has fired one of them since the war, and the museum owns three. "
	for text, want := range map[string][]string{
		"Name the film, Ove doesn't want a question.\nContext: Kiln podcast\nVideo transcript: " + transcript + "\nNo emoji.":                                               {" " + transcript},
		"Write a caption for this film that is already summed up:\n\nPart 1:\n" + part + part + "\n\nPart 2:\n" + part + part + "\n\nThe caption goes to Ove, so be brief.": {"\n\nPart 1:\n" + part + part + "\n\nPart 2:\n" + part + part},
		"How does it look now?\n\"\"\"\nlight the kiln\n\"\"\"\nIt must stay lit.":                                                                                          {"\nlight the kiln\n"},
		"The lamp stays off. Why doesn't it compile\nint lamp = 1;\nlamp++;\nreturn lamp;\nI have Java 11.":                                                                 {"int lamp = 1;\nlamp++;\nreturn lamp;"},
		"My rules:\n- Write in Danish.\n- Never use a dash.\n- Ask me before you change the kiln's colour, which is blue now.":                                              nil,
		"Still wrong, this is what I see:\n kiln v7\n🔒 secrets are guarded\n\n[Lamps]\n  red\n\nI want the lamps in one line.":                                              {"\n kiln v7\n🔒 secrets are guarded\n\n[Lamps]\n  red\n\n"},
		"nice, now it says kim@kiln-7 ovens % kiln\n🔒 secrets are guarded":                                                                                                  {"kim@kiln-7 ovens % kiln\n🔒 secrets are guarded"},
		"root@kiln:~/ovens$ kiln heat\nheated all ovens to 900\n\nPlease cool them.":                                                                                        {"root@kiln:~/ovens$ kiln heat\nheated all ovens to 900\n\n"},
		"Rules for the output:\n- Write in Danish.\n- No emoji, and name the lamps first in every answer that you write.":                                                   nil,
		"It's this, as I get:\nkiln v7\nlamp red\nNever light it at night.\nI want it blue.":                                                                                {"\nkiln v7\nlamp red\n"},
		"Send it to kim@kiln.example at 7 and never to Ove, who pays 20 % of it anyway, every month.":                                                                       nil,
		"Text: short": nil, "\"\"\"": nil, "": nil,
	} {
		var got []string
		for _, p := range pastedPassages(text, true) {
			got = append(got, text[p[0]:p[1]])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: the passages are %q, not %q", text, got, want)
		}
		if isCode := strings.Contains(text, "int lamp"); len(want) > 0 && len(withoutPassages(text)) < len(text) == isCode {
			t.Errorf("%q: passages are left, or code is not", text)
		}
	}
}

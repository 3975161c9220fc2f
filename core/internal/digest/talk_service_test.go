package digest_test

import (
	"strings"
	"testing"
)

// serviceDialogue is one about three matters. In the first, the time changes.
var serviceDialogue = []string{
	"Hello, my boiler is cold, can somebody come to 14 Elm Row?", "Of course. On Tuesday at 10:15 or on Thursday at 8:40?",
	"Thursday, please.", "Mr Amsel comes on Thursday at 8:40. The case number is K7QX2P.",
	"Oh, actually, can he come at 11:50 instead?", "That works: Thursday at 11:50. Anything else I can help you with?",
	"Please never call me before nine.", "I have noted that.",
	"I was charged 93.50 euros by Casa Verde, and I have never been there.", "Which card was it?",
	"The one ending in 2843.", "It is blocked. The dispute is 5TZB8Y. You're welcome!",
	"I would like to try Pilates on Saturday.", "Lucia teaches it at 9:05. What is your membership number?",
	"26706.", "You have a place on Saturday at 9:05, 12 euros.",
	"Thank you!", "You're welcome, have a nice day!",
}

func TestEachMatterOfAServiceIsALine(t *testing.T) {
	text := digestOf(t, "", 250, serviceDialogue...)
	for _, line := range []string{
		"both: 93.50 euros, Casa Verde; ending in 2843",
		"K7QX2P; Thursday at 11:50.",
		"Please never call me before nine.",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the digest lacks %q:\n%s", line, text)
		}
	}
}

func TestALineOfAServiceHasOnlyTheLastTime(t *testing.T) {
	for size := 150; size <= 250; size += 20 {
		if text := digestOf(t, "", size, serviceDialogue...); strings.Contains(text, "10:15") || strings.Contains(text, "8:40") {
			t.Errorf("in %d bytes, the digest has a time that was replaced:\n%s", size, text)
		}
	}
}

func TestPeopleWhoTellEachOtherThingsAreNoService(t *testing.T) {
	var chat []string
	for _, day := range []string{"Monday", "Tuesday", "Friday"} {
		chat = append(chat, "On "+day+" I ran 12 kilometres along the river, and my knee didn't hurt.", "That is great to hear, I only slept.",
			"My sister's baby was born last "+day+", she is called Ilse.", "How lovely! I met her mother once in the library.")
	}
	if text := digestOf(t, "", 300, chat...); !strings.Contains(text, "my knee didn't hurt") || strings.Contains(text, "both: ") {
		t.Errorf("sentences were shortened:\n%s", text)
	}
}

package digest_test

import (
	"strings"
	"testing"
)

// serviceDialogue is a dialogue about three matters. In the first, the time changes.
var serviceDialogue = []string{
	"Hello, my boiler is cold, can somebody come to 14 Elm Row?", "Of course. On Tuesday at 10:15 or on Thursday at 8:40?",
	"Thursday, please.", "Mr Amsel comes on Thursday at 8:40. The case number is K7QX2P.",
	"Oh, actually, can he come at 11:50 instead?", "That works: Thursday at 11:50. Anything else I can help you with?",
	"Please never call me before nine.", "I have noted that.",
	"I was charged 93.50 euros by Casa Verde, which I know only by name.", "Which card was it?",
	"The one ending in 2843.", "It is blocked. The dispute is 5TZB8Y. You're welcome!",
	"I would like to try Pilates on Saturday.", "Lucia teaches it at 9:05. What is your membership number?",
	"26706.", "You have a place on Saturday at 9:05, 12 euros.",
	"Thank you!", "You're welcome, have a nice day!",
}

func TestEachMatterOfAServiceIsALine(t *testing.T) {
	text := digestOf(t, "", 250, serviceDialogue...)
	for _, line := range []string{
		"93.50 euros, Casa Verde; ending in 2843",
		"K7QX2P; Thursday at 11:50.",
		"Please never call me before nine.",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the digest lacks %q:\n%s", line, text)
		}
	}
}

// The most informative statements about each matter are written, even without what was said in between.
func TestTheBestOfEachMatterIsTold(t *testing.T) {
	text := digestOf(t, "", 230, serviceDialogue...)
	for _, want := range []string{"K7QX2P", "2843", "26706", "12 euros"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
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

// A time, a place or an amount that somebody refused is never quoted without the refusal.
func TestRefusalsOfAServiceStay(t *testing.T) {
	var dialogue []string
	for _, k := range []string{"11", "24", "36", "52"} {
		dialogue = append(dialogue,
			"Hello, I need a train from Ely to Norwich at 9:"+k+" on Monday.", "TR66"+k+" leaves at 9:"+k+" and costs 17.60 pounds. Shall I book it?",
			"Yes, for 2 people.", "I was unable to book TR66"+k+". Anything else?",
			"A taxi from 14 Elm Row, not to Alder Lodge "+k+".", "A grey Skoda comes at 8:"+k+". Have a nice day!")
	}
	text := digestOf(t, "", 360, dialogue...)
	if !strings.Contains(text, "unable to book") || !strings.Contains(text, "not to Alder Lodge") {
		t.Errorf("refusals are missing:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if strings.Count(line, "Alder Lodge") != strings.Count(line, "not to Alder Lodge") || strings.Contains(line, "17.60") && !strings.Contains(line, "unable to book") {
			t.Errorf("a refusal is missing in %q", line)
		}
	}
}

func TestARefusalKeepsItsTime(t *testing.T) {
	var dialogue []string
	for _, k := range []string{"12", "27", "33", "58"} {
		dialogue = append(dialogue, "A table for 4 at Casa Verde "+k+" on Friday at 19:"+k+", please.", "Casa Verde "+k+" has no table on Friday at 19:"+k+".",
			"Then on Friday at 21:15.", "You have a table on Friday at 21:15, the reference is QX"+k+"7P.", "Thank you!", "You're welcome, have a nice day!")
	}
	found := false
	for line := range strings.Lines(digestOf(t, "", 360, dialogue...)) {
		found = found || strings.Contains(line, "has no table on Friday at 19:")
		if strings.Contains(line, "has no table") && !strings.Contains(line, "has no table on Friday at 19:") {
			t.Errorf("the refusal lost its time: %q", line)
		}
	}
	if !found {
		t.Error("there is no refusal")
	}
}

// People with names are not a service and its customer, so their sentences are not shortened.
func TestPeopleWithNamesAreNoService(t *testing.T) {
	var chat []string
	for i, text := range serviceDialogue {
		chat = append(chat, []string{"Mirela: ", "Tomas: "}[i%2]+text)
	}
	if text := digestOf(t, "", 300, chat...); strings.Contains(text, bothLabel) {
		t.Errorf("sentences were shortened:\n%s", text)
	}
}

const bothLabel = "both: "

// The lines about a matter show who refused, and a correction isn't cut.
func TestRefusalsOfAServiceHaveASpeaker(t *testing.T) {
	var dialogue []string
	for _, k := range []string{"12", "27", "33", "58"} {
		dialogue = append(dialogue, "Good morning, my washing machine "+k+" leaks.", "On which day did it begin?",
			"I think on 14 November. Sorry, no, it was 16 November.", "Monday at 10:"+k+" is not possible. Tuesday at 8:"+k+" is.",
			"Tuesday at 8:"+k+" is fine.", "The job number is JB-66"+k+". Have a nice day!")
	}
	text := digestOf(t, "", 310, dialogue...)
	if !strings.Contains(text, "user: 14 November, Sorry, no, it was 16 November") || !strings.Contains(text, "assistant: Monday at 10:") || strings.Contains(text, "Good morning") {
		t.Errorf("%s", text)
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "14 November") && !strings.Contains(line, "it was 16 November") {
			t.Errorf("the correction is cut: %q", line)
		}
	}
}

func TestChineseServiceKeepsTheClausesOfAValue(t *testing.T) {
	var dialogue []string
	for _, k := range []string{"12", "27", "33", "58"} {
		dialogue = append(dialogue, "你好，我想预约体检"+k+"号。", "您好，请问您哪天来？", "星期三。", "好的，星期三上午9点半可以，由陈医生检查，预约号是TJ20"+k+"。",
			"不错，有停车位吗？", "不好意思，院内没有停车位。", "好的，谢谢。", "不客气，祝您生活愉快。")
	}
	text := digestOf(t, "", 330, dialogue...)
	for _, want := range []string{"由陈医生检查，预约号是TJ20", "星期三上午9点半"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if strings.Contains(text, "不客气") || strings.Contains(text, "您好，") {
		t.Errorf("there is a courtesy:\n%s", text)
	}
}

// A statement about a matter may have few words, since the other statements about the matter tell the rest.
func TestShortValuesOfAServiceStay(t *testing.T) {
	var dialogue []string
	for _, k := range []string{"12", "27", "33", "58"} {
		dialogue = append(dialogue, "My heating shows error E"+k+", and my rooms in Elm Row are cold since the morning.", "I am sorry to hear that. Which customer number do you have?",
			"66-1"+k+".", "Do you know which model it is?", "ZR-"+k+".", "Mr Amsel can come to Elm Row tomorrow morning, or Mrs Lindner on the day after tomorrow.", "Tomorrow is fine.", "See you, have a nice day!")
	}
	text := digestOf(t, "", 200, dialogue...)
	for _, k := range []string{"12", "27", "33", "58"} {
		for _, want := range []string{"66-1" + k, "ZR-" + k} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing:\n%s", want, text)
			}
		}
	}
}

// The user's replies to questions of the service are kept in preference to what the service says on its own.
func TestRepliesInAServiceStay(t *testing.T) {
	var dialogue, replies []string
	for i, reply := range []string{"a dented grey bumper", "two broken wooden shelves", "a torn linen curtain", "one scratched oak table"} {
		k := string(rune('1' + i))
		dialogue = append(dialogue, "Good morning, I have a claim about contract 704"+k+".", "I am sorry to hear that. What was damaged?",
			strings.ToUpper(reply[:1])+reply[1:]+".", "Our expert in lane "+k+"7 inspects such things, lane "+k+"8 stores them.", "Good.", "Have a nice day!")
		replies = append(replies, reply)
	}
	text := digestOf(t, "", 250, dialogue...)
	kept := 0
	for _, reply := range replies {
		if strings.Contains(text, reply[1:]) {
			kept++
		}
	}
	if kept < len(replies)/2 {
		t.Errorf("%d of %d replies are left:\n%s", kept, len(replies), text)
	}
}

// Questions in Japanese end with a particle and a full stop.
func TestJapaneseServiceIsRecognized(t *testing.T) {
	var dialogue []string
	for _, k := range []string{"12", "27", "33", "58"} {
		dialogue = append(dialogue, "洗濯機が動かないので、修理をお願いしたいのですが。", "型番とご住所を教えていただけますか。", "型番はWM-"+k+"、住所は緑町3-"+k+"です。",
			"火曜日の10時に伺えますが、ご都合はいかがでしょうか。", "水曜日の14時"+k+"分にしてもらえますか。", "かしこまりました。受付番号はJ66"+k+"です。それでは当日お待ちくださいませ。")
	}
	text := digestOf(t, "", 460, dialogue...)
	for _, k := range []string{"12", "27", "33", "58"} {
		for _, want := range []string{"WM-" + k, "J66" + k} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing:\n%s", want, text)
			}
		}
	}
}

package extract

import "testing"

func TestTerseKeepsValuesWithTheirWords(t *testing.T) {
	for text, want := range map[string]string{
		"I'd like a table for 4 at 19:30 on Friday.":                      "table for 4 at 19:30 on Friday",
		"The office is at 12 Mill Road; you can call us on 0631 448120.":  "office is at 12 Mill Road, 0631 448120",
		"Booking was successful. The reference is K7QX2P. Anything else?": "reference is K7QX2P",
		"There are 5 of those places that I know. How about Alder Lodge?": "Alder Lodge?",
		"Casa Verde has no table at 19:30. Would 21:15 suit you?":         "Casa Verde has no table at 19:30, 21:15 suit?",
		"I wasn't able to book TR6625 for you, it didn't go through.":     "I wasn't able to book TR6625 for you, it didn't go through",
		"The code 7GK2 ends on 30 June.":                                  "code 7GK2 ends on 30 June",
		"周五19点半没有位置，21点可以吗？":                                              "周五19点半没有位置，21点可以吗",
		"She weighs about 21.4 kg at the moment.":                         "21.4 kg",
		"El Faro costs €35 for each of you.":                              "El Faro costs €35",
		"Veo el doble cargo del 2 de enero.":                              "cargo del 2 de enero",
		"The fee is 12 dollars until the 3rd of June.":                    "fee is 12 dollars until the 3rd of June",
		"C'est le 14 mai à 9h30.":                                         "14 mai à 9h30",
		"Thank you so much!":                                              "",
		"I will look into it for you at once.":                            "",
		"您好，可以免费上门维修。":                                                    "",
		"约好了，周六18点半，林医生，取号码是K7QX2P，请带上医保卡。":                               "约好了，周六18点半，林医生，取号码是K7QX2P，请带上医保卡",
		"55645316。": "55645316",
		"We moved the visit of your two cats to Thursday at 8:10, as you wished, bye.": "Thursday at 8:10",
	} {
		if got, _ := Terse(text, false, false); got != want {
			t.Errorf("Terse(%q) = %q, not %q", text, got, want)
		}
	}
	if got, _ := Terse("Good morning! My boiler is cold.", false, true); got != "My boiler is cold" {
		t.Errorf("the first request is %q", got)
	}
	if got, denied := Terse("I was unable to book it. Shall I look on?", true, false); got != "I was unable to book it" || !denied {
		t.Errorf("the assistant's refusal is %q, %v", got, denied)
	}
}

func TestContinuesKnowsNewRequests(t *testing.T) {
	for text, want := range map[string]bool{
		"Great, then book it for two people, please.": true,
		"What does it cost per night in the summer?":  true,
		"4, please.": true,
		"I also need a train from Ely to Norwich on Monday.": false,
		"Hello! My card was charged twice at the station.":   false,
		"地址在哪里？":         true,
		"周日我要从天津去杭州看朋友。": false,
	} {
		if got := Continues(text); got != want {
			t.Errorf("Continues(%q) = %v", text, got)
		}
	}
}

package digest

import "strings"

// This file recognizes sentences that say what is wrong with the assistant's last draft, or what a program or a person
// can't do on one occasion. They may sound like rules: "You are no longer hiding the widget", "The list has no attribute
// 'size'", "Mei can't make it on Thursday".

var (
	stillDoing = wordListOf("no not just only still now")
	youAre     = wordListOf("you're you’re")
	members    = wordListOf("attribute attributes method methods member members property field fields function parameter argument key column")
	comingUp   = wordListOf("come comes follow follows begins begin starts start")
)

// reviewsDraft reports whether a sentence says what the assistant's draft or a program does, or who isn't there on one
// occasion.
func (sc *scene) reviewsDraft() bool {
	ws := sc.ws
	if len(ws) < 4 || sc.all&lastingly != 0 {
		return false
	}
	return sc.saysWhatYouDo() || sc.missesInYours() || sc.reportsMissing() || sc.announcesNext() ||
		(ws[1].text == "can't" || ws[1].text == "cannot") && ws[2].text == "make" && ws[3].text == "it"
}

// saysWhatYouDo recognizes "you are no longer hiding the lamp", "you're just setting the size".
func (sc *scene) saysWhatYouDo() bool {
	n := 1
	if sc.ws[0].text == "you" && sc.ws[1].text == "are" {
		n = 2
	} else if !youAre.has(sc.ws[0].text) {
		return false
	}
	if !stillDoing.has(sc.ws[n].text) {
		return false
	}
	if n++; sc.textAt(n) == "longer" {
		n++
	}
	doing := sc.textAt(n)
	return isGerund(doing) && doing != "using" && doing != "going"
}

// missesInYours recognizes "there is no lamp in your drawing".
func (sc *scene) missesInYours() bool {
	if sc.ws[0].text != "there" || !linksIn(sc.ws[1].text) || sc.ws[2].text != "no" {
		return false
	}
	for n := 4; n+1 < len(sc.ws) && !sc.ws[n].breaks; n++ {
		if sc.ws[n].text == "your" && (sc.ws[n-1].text == "in" || sc.ws[n-1].text == "on") {
			return true
		}
	}
	return false
}

// reportsMissing recognizes an error such as "the list has no attribute 'size'".
func (sc *scene) reportsMissing() bool {
	for n := 1; n+2 < len(sc.ws) && n <= 4; n++ {
		if sc.ws[n].text == "has" && sc.ws[n+1].text == "no" && members.has(sc.ws[n+2].text) {
			return sc.ws[0].text != "it" && strings.ContainsAny(sc.text, "'`\"(_")
		}
	}
	return false
}

// announcesNext recognizes "from here on come questions about the lamp".
func (sc *scene) announcesNext() bool {
	return sc.ws[0].text == "from" && sc.ws[2].text == "on" && comingUp.has(sc.ws[3].text)
}

package digest

import (
	"slices"
	"strings"
)

// A record of a service may continue with another person: a customer says goodbye, and the next one
// says hello and who they are. What the first one asked for is no rule for the second one.

// customerChange recognizes messages in which another customer begins to talk.
type customerChange struct {
	begun   bool     // whether a message has been read
	base    int      // the number of statements before the first message
	known   []string // what the current person is called: names and ids, in lower case
	greeted int      // the number of statements before the last greeting
	waits   bool     // nobody has said who they are since that greeting
}

// Limits for introductions: the number of bytes at the beginning of a message that are searched, and the maximum
// number of names and ids of a person.
const (
	lookIntroduction = 300
	mostCalled       = 8
)

// departed returns the range of those statements, as indexes [from, to), that belong to people who
// have left. text is the user's next message, and statements is the number of statements before it.
// The range is empty if nobody has left.
func (n *customerChange) departed(text string, statements int) (from, to int) {
	if !n.begun {
		n.begun, n.base = true, statements
	}
	head := trimRune(text[:min(len(text), lookIntroduction)])
	if greets(head) {
		n.greeted, n.waits = statements, true
	}
	names := introduced(head)
	if len(names) == 0 || !identifies(head) {
		return 0, 0
	}
	if n.waits && len(n.known) > 0 && !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(n.known, name) }) {
		from, to = n.base, n.greeted
		n.known, n.greeted = nil, n.base
	}
	n.waits = false
	if len(n.known)+len(names) <= mostCalled {
		n.known = append(n.known, names...)
	}
	return from, to
}

// leastDigits is the minimum number of consecutive digits in an id, a zip code or the number of an
// order.
const leastDigits = 4

// identifies reports whether text contains an id, a number or an e-mail address, by which a service tells its customers
// apart. A member of a group who only says a name remains in the group, and so do that member's rules.
func identifies(text string) bool {
	digits := 0
	for i := range len(text) {
		if digits++; byteClass[text[i]]&digit == 0 {
			digits = 0
		}
		if digits == leastDigits || text[i] == '@' || text[i] == '_' {
			return true
		}
	}
	return false
}

// greetings lists the first words of messages that greet; dayTimes lists words that may follow "good".
var (
	greetings = wordListOf("hi hello hey greetings howdy hallo moin servus bonjour bonsoir salut hola buenas buenos ciao buongiorno buonasera olá oi привет здравствуйте")
	dayTimes  = wordListOf("morning afternoon evening day guten tag morgen abend")
)

// greets reports whether a message begins with a greeting.
func greets(text string) bool {
	word, rest, _ := strings.Cut(lower(text), " ")
	if word == "good" || word == "guten" {
		next, _, _ := strings.Cut(rest, " ")
		return dayTimes.has(strings.TrimRight(next, ",.!"))
	}
	return greetings.has(strings.TrimRight(word, ",.!"))
}

// nameCues and idCues list phrases, in lower case, that precede a name or an id with which users
// introduce themselves. After a phrase in selfCues, a name must have two words with capitals.
// namesUser holds a part of each phrase, so that most texts are ruled out quickly.
var (
	nameCues  = strings.Split("my name is |my name's |mein name ist |ich heiße |je m'appelle |mon nom est |me llamo |mi nombre es |mi chiamo |meu nome é |меня зовут ", "|")
	selfCues  = strings.Split("i'm |i am |ich bin |je suis |soy |sono |sou ", "|")
	idCues    = strings.Split("user id is |user id: |my id is |customer id is |customer number is |account number is |member number is |email is |email address is |kundennummer ist |e-mail ist ", "|")
	namesUser = substringsOf("my name|mein name|ich heiße|m'appelle|mon nom|llamo|nombre es|chiamo|meu nome|меня зовут|" +
		"i'm |i am |ich bin |je suis |soy |sono |sou |id is |user id: |number is |email is |address is |nummer ist |mail ist ")
)

// introduced returns the names and ids with which a user introduces themselves in text, in lower case. It returns nil
// if there are none.
func introduced(text string) (names []string) {
	if !namesUser.inAnyCase(text) {
		return nil
	}
	text = strings.ReplaceAll(text, "’", "'")
	small := lower(text)
	if len(small) != len(text) {
		return nil
	}
	behind := func(cues []string, add func(rest string) string) {
		for _, cue := range cues {
			if at := strings.Index(small, cue); at >= 0 && (at == 0 || !nameByte[small[at-1]]) {
				if name := add(text[at+len(cue):]); name != "" {
					names = append(names, lower(name))
				}
			}
		}
	}
	behind(nameCues, func(rest string) string { return nameAt(rest, 1) })
	behind(selfCues, func(rest string) string { return nameAt(rest, 2) })
	behind(idCues, func(rest string) string {
		id, _, _ := strings.Cut(rest, " ")
		if id = strings.Trim(id, ".,;:!?'\"()*`"); strings.ContainsAny(id, "0123456789_@") {
			return id
		}
		return ""
	})
	return names
}

// nameAt returns up to two words with capitals at the beginning of text, or "" if there are fewer than least.
func nameAt(text string, least int) string {
	name, n := "", 0
	for word := range strings.FieldsSeq(text) {
		bare := strings.Trim(word, ".,;:!?'\"()*`")
		if bare == "" || lower(bare) == bare {
			break
		}
		if n++; n == 1 {
			name = bare
		} else {
			name += " " + bare
		}
		if n == 2 || bare != word {
			break
		}
	}
	if n < least {
		return ""
	}
	return name
}

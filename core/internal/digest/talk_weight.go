package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// longTalk is the length, in bytes, above which the sentences of a text have a lower weight. leastOf is their minimum
// weight, in 1024ths. An essay isn't worth as many lines as twenty short messages of the same total length.
const (
	longTalk = 1500
	leastOf  = 256
)

// An assistant that writes much more than the user would crowd out the user's words. If the ratio of their average
// lengths is above evenTalk, and the assistant's average is above longAnswer bytes, the assistant's longer texts have a
// lower weight. They are those above a length of at least shortTalk bytes, and their weight is at least leastOfLong;
// that length and that weight depend on the ratio.
const (
	shortTalk   = 200
	leastOfLong = 64
	evenTalk    = 3
	longAnswer  = 300
)

// fullAnswer is the minimum length, in bytes, of an answer whose sentences are kept together with the question, because
// a part of such an answer doesn't show what was asked.
const fullAnswer = 200

// deniedMark follows a line that the next turn rejects.
const deniedMark = " (denied next)"

// ofUser is the factor, in 1024ths, for the user's texts in a chat with an assistant: an answer can
// be requested again, but the user's words can't. If the assistant is talkative, the factor rises
// to mostOfUser times 1024 at most. If the participants have names, none of them counts as the
// user.
const (
	ofUser     = 2048
	mostOfUser = 4
)

// shares are the weights of texts in a chat. They depend on how much the user and the assistant write on average.
type shares struct {
	user     int  // the factor of the user's texts, in 1024ths
	lectures bool // the assistant writes far more than the user
	long     int  // the minimum length, in bytes, of the assistant's texts that have a lower weight
	least    int  // the minimum of that weight, in 1024ths
}

// shares returns how the user's and the assistant's words are weighed in this chat. The longer the assistant's messages
// are compared with the user's, the more the user's words weigh.
func (k *talk) shares() shares {
	var size, count [2]int // by speaker: the user, the assistant
	for i := range k.items {
		if src := &k.sources[i]; src.fresh {
			side := 0
			if src.own {
				side = 1
			}
			size[side] += len(k.items[i].Text)
			count[side]++
		}
	}
	s := shares{user: ofUser, long: longTalk, least: leastOf}
	if k.ofPeople() {
		s.user = 1024
	}
	user, assistant := max(size[0]/max(count[0], 1), shortTalk/4), size[1]/max(count[1], 1)
	if assistant <= longAnswer || count[0] == 0 || assistant <= user {
		return s
	}
	s.user = min(s.user*assistant/user, 1024*mostOfUser)
	if s.lectures = assistant > evenTalk*user; s.lectures {
		ratio := assistant * 16 / (evenTalk * user) // in 16ths, above 16
		s.long = max(shortTalk, longTalk*256/(ratio*ratio))
		s.least = max(leastOfLong, leastOf*16/ratio)
	}
	return s
}

// newestAnswers is the number of newest answers that are worth more than older ones of the same length, because the
// user continues from them. The last one weighs at least as much as a short text. The minimum halves with each one
// before it.
const newestAnswers = 3

// ofPeople reports whether most messages are by people with names, none of whom is the user or the assistant.
func (k *talk) ofPeople() bool {
	named, all := 0, 0
	for i := range k.sources {
		if src := &k.sources[i]; src.fresh {
			all++
			if !isRole(src.speaker) {
				named++
			}
		}
	}
	return named*2 > all
}

// weigh lowers the weights of long texts and of rejected texts, raises those of a user who writes less than the
// assistant, and sets minimum weights for the assistant's newest answers.
func (k *talk) weigh() {
	s := k.shares()
	people := k.ofPeople()
	for i := range k.items {
		it, src := &k.items[i], &k.sources[i]
		most, floor, factor := longTalk, leastOf, s.user
		if src.own {
			most, floor, factor = s.long, s.least, 1024
		}
		it.Spoken = people && src.section == dialogue
		it.Personal = src.fresh && src.speaker == "user" && !src.pasted
		it.Answers = s.lectures && src.fresh && src.own && i > 0 && it.Follows && !k.sources[i-1].own &&
			len(it.Text) > fullAnswer
		switch {
		case !src.fresh, src.pasted:
		case src.denied:
			it.Factor = ofDenied
		case it.Factor == 0 && len(it.Text) > most:
			it.Factor = max(floor, factor*most/len(it.Text))
		case it.Factor == 0:
			it.Factor = factor
		default:
			it.Factor = it.Factor * factor / 1024
		}
		if src.own && src.fresh {
			it.Weighed = appendHeadings(it.Weighed, it.Text)
		}
	}
	least := 1024
	for i := len(k.items) - 1; i >= 0 && least > 1024>>newestAnswers; i-- {
		if it, src := &k.items[i], &k.sources[i]; src.own && src.fresh {
			if !src.denied {
				it.Factor = max(it.Factor, least)
			}
			least /= 2
		}
	}
}

// appendHeadings appends the headings of text, which mean nothing without the lines below them. The headings of lists
// are left out, because they are repeated with the items; see listHeading.
func appendHeadings(dst []extract.Weighed, text string) []extract.Weighed {
	at := 0
	for line := range strings.Lines(text) {
		if said := strings.TrimSpace(line); isHeading(said) || isPictureHeading(said) {
			dst = append(dst, extract.Weighed{From: at, To: at + len(line), Factor: ofListed})
		}
		at += len(line)
	}
	return dst
}

// denials lists words that reject the previous statement. assents lists beginnings with "no" that aren't a rejection.
var (
	denials = strings.Split("no,|no.|no!|no that|no it|nope|that's not|thats not|that is not|that's wrong|that is wrong|this is wrong|wrong.|wrong,|wrong!|not quite|not true|incorrect|you're wrong|you are wrong|that isn't|that doesn't|it's not|it isn't|it is not|"+
		"nein,|nein.|nein!|stimmt nicht|das stimmt nicht|das ist falsch|das ist nicht|falsch.|falsch,|non,|non.|ce n'est pas|c'est faux|c'est pas|no es |eso no es|no, |está mal|incorrecto|não,|não é|errado|no, non|non è|sbagliato|nee,|dat klopt niet|"+
		"нет,|нет.|неправильно|неверно|это не|لا،|خطأ|هذا غير صحيح|नहीं,|गलत|यह सही नहीं|不是的|不是这|不是，|不对|错了|你错了|不是那|いいえ、|いや、|違います|違う|ちがう|아니요,|아니,|아니에요|틀렸", "|")
	assents = strings.Split("no, thank|no thank|no, that is all|no, that's all|no, that's it|no problem|no, problem|no worries|no, i'm good|no, i am good|no, i'm fine|no, not at all|no, it's fine|no, it's ok|no, you're right|no, seriously|no, really|nope, that's|nein, danke|non, merci|no, gracias|não, obrigad|no, grazie|нет, спасибо|不是，谢谢|いいえ、大丈夫|아니요, 괜찮", "|")
)

// startsWithPhrase reports whether text begins with all words of a phrase. "It is noted" doesn't begin with those of "it
// is not". The check is only for ASCII letters, in lower case.
func startsWithPhrase(text, phrase string) bool {
	rest, found := strings.CutPrefix(text, phrase)
	return found && (rest == "" || byteClass[phrase[len(phrase)-1]]&small == 0 || byteClass[rest[0]]&small == 0)
}

// mostSearched is the maximum number of messages of one turn that are searched for a question.
const mostSearched = 8

// denied reports whether text rejects the last item. After a question in the same turn, "no" is an answer. toRole is
// false if people talk to each other. Between them, "no" usually expresses sympathy: "No, that's awful!"
func (k *talk) denied(text string, toRole bool) bool {
	head := strings.ToLower(strings.TrimLeft(text[:min(len(text), 64)], " \n"))
	if !slices.ContainsFunc(denials, func(denial string) bool { return startsWithPhrase(head, denial) }) || startsWithAny(head, assents) {
		return false
	}
	if first, _, _ := strings.Cut(head, " "); !toRole && first != "" && strings.IndexByte(",.!", first[len(first)-1]) >= 0 {
		return false
	}
	last := len(k.items) - 1
	for i := last; i >= 0 && i > last-mostSearched && k.sources[i].speaker == k.sources[last].speaker && k.sources[i].fresh; i-- {
		if before := k.items[i].Text; strings.ContainsAny(before[max(0, len(before)-200):], "?？؟") {
			return false
		}
		if !k.items[i].Follows {
			break
		}
	}
	return true
}

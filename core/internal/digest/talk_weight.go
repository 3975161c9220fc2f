package digest

import (
	"strings"
)

// longTalk is the length in bytes above which the sentences of a text have a lower weight, and leastOf is their minimum weight, in 1/1024. An essay
// isn't worth as many lines as twenty short messages of the same total length.
const (
	longTalk = 1500
	leastOf  = 256
)

// An assistant that writes much more than the user would crowd out the user's words. So texts of the assistant from
// shortTalk bytes on have a lower weight, down to leastOfLong, depending on how much longer they are than the user's.
// This applies if the ratio of the average lengths is above evenTalk, and the assistant's average is at least
// longAnswer bytes.
const (
	shortTalk   = 200
	leastOfLong = 64
	evenTalk    = 3
	longAnswer  = 300
)

// fullAnswer is the minimum length in bytes of an answer whose sentences are kept together with the question, because a part of such an answer doesn't
// show what was asked.
const fullAnswer = 200

// deniedMark follows a line that the next turn rejects.
const deniedMark = " (denied next)"

// weigh lowers the weights of sentences in long texts and in rejected texts, depending on how much the user and the
// assistant write.
func (k *talk) weigh() {
	var size, count [2]int // for the user and the assistant
	side := func(own bool) int {
		if own {
			return 1
		}
		return 0
	}
	for i := range k.items {
		if src := &k.sources[i]; src.fresh {
			size[side(src.own)] += len(k.items[i].Text)
			count[side(src.own)]++
		}
	}
	long, least := longTalk, leastOf
	user, assistant := max(size[0]/max(count[0], 1), shortTalk/4), size[1]/max(count[1], 1)
	lectures := assistant > longAnswer && count[0] > 0 && assistant > evenTalk*user
	if lectures {
		ratio := assistant * 16 / (evenTalk * user) // in 1/16, above 16
		long = max(shortTalk, longTalk*256/(ratio*ratio))
		least = max(leastOfLong, leastOf*16/ratio)
	}
	for i := range k.items {
		it, src := &k.items[i], &k.sources[i]
		most, floor := longTalk, leastOf
		if src.own {
			most, floor = long, least
		}
		it.Answers = lectures && src.fresh && src.own && i > 0 && it.Follows && !k.sources[i-1].own && len(it.Text) > fullAnswer
		switch {
		case !src.fresh:
		case src.denied:
			it.Factor = ofDenied
		case it.Factor == 0 && len(it.Text) > most:
			it.Factor = max(floor, 1024*most/len(it.Text))
		}
	}
}

// Words with which people reject the previous statement, and words after a "no" that isn't a rejection.
var (
	denials = strings.Split("no,|no.|no!|no that|no it|nope|that's not|thats not|that is not|that's wrong|that is wrong|this is wrong|wrong.|wrong,|wrong!|not quite|not true|incorrect|you're wrong|you are wrong|that isn't|that doesn't|it's not|it isn't|it is not|"+
		"nein,|nein.|nein!|stimmt nicht|das stimmt nicht|das ist falsch|das ist nicht|falsch.|falsch,|non,|non.|ce n'est pas|c'est faux|c'est pas|no es |eso no es|no, |está mal|incorrecto|não,|não é|errado|no, non|non è|sbagliato|nee,|dat klopt niet|"+
		"нет,|нет.|неправильно|неверно|это не|لا،|خطأ|هذا غير صحيح|नहीं,|गलत|यह सही नहीं|不是的|不是这|不是，|不对|错了|你错了|不是那|いいえ、|いや、|違います|違う|ちがう|아니요,|아니,|아니에요|틀렸", "|")
	assents = strings.Split("no, thank|no thank|no, that is all|no, that's all|no, that's it|no problem|no, problem|no worries|no, i'm good|no, i am good|no, i'm fine|no, not at all|no, it's fine|no, it's ok|no, you're right|no, seriously|no, really|nope, that's|nein, danke|non, merci|no, gracias|não, obrigad|no, grazie|нет, спасибо|不是，谢谢|いいえ、大丈夫|아니요, 괜찮", "|")
)

// mostAsked is the maximum number of messages of one turn that are searched for a question.
const mostAsked = 8

// denied reports whether a text rejects the last item. After a question in the same turn, "no" is an answer. Between
// people, for whom toRole is false, "no" usually expresses sympathy: "No, that's awful!"
func (k *talk) denied(text string, toRole bool) bool {
	head := strings.ToLower(strings.TrimLeft(text[:min(len(text), 64)], " \n"))
	if !startsWithOne(head, denials) || startsWithOne(head, assents) {
		return false
	}
	if first, _, _ := strings.Cut(head, " "); !toRole && first != "" && strings.IndexByte(",.!", first[len(first)-1]) >= 0 {
		return false
	}
	last := len(k.items) - 1
	for i := last; i >= 0 && i > last-mostAsked && k.sources[i].speaker == k.sources[last].speaker && k.sources[i].fresh; i-- {
		if before := k.items[i].Text; strings.ContainsAny(before[max(0, len(before)-200):], "?？؟") {
			return false
		}
		if !k.items[i].Follows {
			break
		}
	}
	return true
}

func startsWithOne(text string, list []string) bool {
	for _, s := range list {
		if strings.HasPrefix(text, s) {
			return true
		}
	}
	return false
}

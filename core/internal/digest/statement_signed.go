package digest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// This file does the same as statement_about.go for scripts whose cues are signs: it recognizes, by their form,
// sentences that describe something, or that report what somebody said to somebody else.

// longestSigned is the maximum length of a sentence whose form is examined, in bytes.
const longestSigned = 2 * maxStatement

// describesSigned reports whether a sentence only describes something. sign is its cue. before is the text that
// precedes the cue, and rest is the text that follows it.
func describesSigned(sign, before, rest string) bool {
	if len(before)+len(rest) > longestSigned {
		return false
	}
	if saidByOthers(before, rest) || hypothetical(before, rest) || likeThis(rest) {
		return true
	}
	return describesInChinese(sign, before, rest) || describesInJapanese(sign, before, rest) ||
		describesInKorean(sign, before, rest) ||
		describesInArabic(sign, before, rest) || describesInHindi(sign, before, rest)
}

func describesInChinese(sign, before, rest string) bool {
	if booksInChinese(sign, before, rest) {
		return true
	}
	switch sign {
	case "必须", "必須", "一定要": // "I must be there at five"
		return strings.HasPrefix(before, "我") && strings.ContainsAny(before, "点點")
	case "每次": // "each time I open it, birds fly in"
		return strings.ContainsAny(before+rest, "我他她") && !strings.ContainsAny(rest, "请請要先别別你您须須")
	case "都要": // "I'll take all of them"
		return strings.HasPrefix(rest, "了") || strings.TrimRight(rest, "。！!.") == ""
	case "使用", "保持": // "what the program uses"
		return len(before) > 4*len("使") && !endsWithAny(before, "请", "請", "都", "要", "只", "，", "。", "始终", "一律")
	case "我喜欢", "我喜歡", "我更喜欢", "喜欢", "喜歡", "更喜欢", "更喜歡": // "a jacket that I like", "she will like it", "fine, I like it, thanks"
		return strings.HasPrefix(rest, "的") && !strings.Contains(rest, "是") || endsWithAny(before, "会", "會") ||
			(before == "" || endsWithAny(before, "，", "，我")) && (rest == "" || startsWithAny(rest, endOfClause))
	case "记住", "記住": // "I've memorized it"
		return strings.HasPrefix(rest, "了")
	case "只能": // "then there is no choice"
		return perfect(rest)
	}
	for _, subject := range [...]string{"该", "該", "你的任务"} { // "the program should …", "your task is …"
		if strings.HasPrefix(before, subject) {
			return !strings.HasPrefix(sign, "不")
		}
	}
	return endsWithAny(before, "他", "她") || strings.HasPrefix(before, "在") && strings.Contains(before, "国") // "in England one must …"
}

// endOfClause lists the characters that end a clause in Chinese.
var endOfClause = []string{"，", "。", "！", "；", "啊", "呀", "了"}

// perfect reports whether the first clause of a Chinese text reports a decision or an event: "只能去这里了".
func perfect(text string) bool {
	if n := strings.IndexAny(text, ",.，。；！"); n >= 0 {
		text = text[:n]
	}
	return strings.HasSuffix(text, "了")
}

// writing contains characters from Chinese words for what an assistant writes: answers, code, examples, names, titles.
const writing = "答复回写文码字句词语译例释明題题名式标注"

// booksInChinese reports whether a sentence with a cue says what one booking or order should be like, such as "make it
// five people" or "preferably one by the window", and not how to do things in general. sign is the cue, before is the
// text before it in the sentence, and rest the text after it.
func booksInChinese(sign, before, rest string) bool {
	if sign == "以下" && !strings.HasPrefix(rest, "的") { // "the following expression"
		if r, _ := utf8.DecodeRuneInString(rest); r >= 0x4e00 && r <= 0x9fff {
			return !strings.ContainsAny(before+rest, particles)
		}
	}
	if strings.ContainsAny(before, writing) || strings.ContainsAny(rest, writing) {
		return false
	}
	switch sign {
	case "改成", "改为", "改為":
		return countsInChinese(rest)
	case "最好": // "it had better be free", "the one nearest to the museum is best"
		return countsInChinese(rest) || !strings.ContainsAny(before+rest, "我每都") &&
			(startsWithAny(rest, ofState) || strings.HasSuffix(before, "的"))
	case "不要": // "not too expensive"
		size := len("太贵")
		return strings.HasPrefix(rest, "太") && len(rest) >= size && strings.ContainsAny(rest[:size], "贵貴远遠吵早晚")
	case "我喜欢", "我喜歡", "喜欢", "喜歡": // "I like the second one"
		size := len("第二")
		return strings.HasPrefix(rest, "第") && len(rest) > size && startsWithAny(rest[size:], amongOthers)
	case "以后", "以後": // "we'll see later"
		return strings.HasPrefix(rest, "再说") || strings.HasPrefix(rest, "再說")
	case "以上", "以下", "以内": // a rating of 4.5 or more; in Japanese, which has particles, it may be a rule
		return !strings.ContainsAny(before+rest, particles)
	case "取消": // "cancel the table on Friday"
		return strings.ContainsAny(rest, "订訂票单單")
	}
	return false
}

// particles contains Japanese characters that occur in nearly every sentence with a cue, but never in Chinese.
const particles = "のはをでにと"

// amongOthers lists Chinese measure words that follow an ordinal number, as in "the second house" or "train".
var amongOthers = []string{"家", "个", "個", "间", "間", "款", "种", "種", "趟", "张", "張"}

// ofState lists Chinese verbs that turn a wish into the description of a thing.
var ofState = []string{"是", "有", "靠"}

// countsInChinese reports whether text begins with a day of the week, or contains a number before a unit of time or
// before a word for people, rooms, seats or a house number.
func countsInChinese(text string) bool {
	if strings.HasPrefix(text, "周") || strings.HasPrefix(text, "星期") {
		return true
	}
	number := false
	for _, r := range text {
		if number && strings.ContainsRune("点點號号位张張间間晚月人元块塊分星", r) {
			return true
		}
		number = r >= '0' && r <= '9' || strings.ContainsRune("一二两兩三四五六七八九十半", r) || number && r == '个'
	}
	return false
}

func describesInJapanese(sign, before, rest string) bool {
	if before == "" && endsWithAny(strings.TrimRight(rest, "。"), "ので", "から") { // only a reason
		return true
	}
	if !namesAnswer(sign) && endsWithAny(strings.TrimRight(rest, "。！"), "ました", "ていた") || wantsOfCode(before+sign+rest) { // a story, or a request
		return true
	}
	switch sign {
	case "書いてください", "書いて下さい": // "write a poem about …", "a letter to …"
		return endsWithAny(before, "を") && hasAny(before, []string{"についての", "に関する", "への", "向けの", "宛の", "に送る", "のための"}) && !hasAny(before, lastSigns)
	case "いつも": // "the neighbour always parks …"
		return strings.HasSuffix(before, "は") && endsWithAny(strings.TrimRight(rest, "。"), "ます", "です") &&
			!endsWithAny(before, "私は", "僕は", "俺は")
	case "決して", "絶対に": // "決して眠らない騎士", a knight who never sleeps
		_, after, found := strings.Cut(rest, "ない")
		r, _ := utf8.DecodeRuneInString(after)
		return found && (r >= 0x4e00 && r <= 0x9fff || r >= 0x30a0 && r <= 0x30ff)
	case "にしてください", "にして下さい": // "make it half past seven"
		return endsWithAny(before, "時", "分", "半", "日", "名", "人", "泊") &&
			strings.ContainsAny(before, "0123456789一二三四五六七八九十") && !strings.ContainsAny(before, "毎每")
	}
	return false
}

// wantsOfCode reports whether a sentence only says what code should do in one case: "X-Id が空のときは、既定値を使うようにしてください".
func wantsOfCode(s string) bool {
	state, _, found := cutAny(s, "ときは", "場合は")
	return found && strings.HasSuffix(strings.TrimRight(s, "。"), "ください") && namesCode(state) && !hasAny(s, lastSigns)
}

// namesCode reports whether text contains a name from a program: a word of Latin letters with a capital letter inside,
// or with a character that joins words.
func namesCode(text string) bool {
	found := false
	eachName(text, func(name string) { found = found || distinct(name, capital, under|dot) || strings.Contains(name, "-") })
	return found
}

// cutAny cuts text around the first of the given separators that it contains. The separators are tried in order. found
// is false if it contains none. before is then text.
func cutAny(text string, separators ...string) (before, after string, found bool) {
	for _, s := range separators {
		if before, after, found = strings.Cut(text, s); found {
			break
		}
	}
	return before, after, found
}

func describesInKorean(sign, before, rest string) bool {
	switch sign {
	case "절대": // "절대 잠들지 않는 기사", a knight who never sleeps
		if strings.Contains(rest, "않는 ") {
			return true
		}
	case "써 주", "써주", "써줘", "적어 주세요": // "write a poem about …", "a letter to …"
		return endsWithAny(before, "를 ", "을 ") && hasAny(before, []string{"대한 ", "관한 ", "에게 ", "보낼 ", "위한 ", "께 "}) && !hasAny(before, lastSigns)
	case "항상", "언제나", "늘", "매번": // "the neighbour always parks …"
		return subjectInKorean(before) && strings.HasSuffix(strings.TrimRight(rest, ".! "), "요") && !asksInKorean(rest)
	}
	if strings.Contains(rest, "라고 했") { // "he told her to …"
		return !strings.Contains(before, "내가 ") && !strings.Contains(before, "제가 ")
	}
	return strings.Contains(before, "국에서는") // "in England one must …"
}

func describesInArabic(sign, before, rest string) bool {
	switch sign {
	case "أبدا", "أبداً", "مطلقا": // "عن فارس لا ينام أبدا", of a knight who never sleeps
		if strings.Contains(before, "لا ي") && !strings.Contains(before, "لا يج") && !strings.Contains(before, "لا يس") && !strings.Contains(before, "لا يم") {
			return true
		}
	case "يجب": // "in England one must …", "I must …", "it must … when it is pressed"
		place, found := strings.CutPrefix(before, "في ")
		return found && !strings.HasPrefix(place, "ال") && strings.Count(place, " ") == 1 ||
			strings.HasPrefix(rest, " أن أ") ||
			strings.HasPrefix(rest, " أن ي") && (strings.Contains(rest, " عند ال") || strings.Contains(rest, " بعد ال"))
	case "اكتب": // "write a story about …"
		return strings.Contains(rest, " عن ")
	case "أفضل": // "I prefer Sunday"
		return strings.HasPrefix(rest, " يوم ") && !strings.Contains(rest, " كل ")
	case "أريد": // "I want to book a room"
		return strings.HasPrefix(rest, " أن أ") || startsWithAny(rest, dealsInArabic)
	}
	if strings.HasPrefix(before, "كن") || strings.HasPrefix(before, "كان") || strings.Contains(before, " يريد أن ") || sign == "لا ت" && strings.HasSuffix(before, "ي ") {
		return true // "we used to …", "he wants …", "my mother doesn't …"
	}
	if strings.HasPrefix(before, "لم ") || strings.HasPrefix(before, "قال") { // "nobody ever told me", "he said to her"
		return true
	}
	first, next, _ := strings.Cut(before, " ") // "my neighbour parks …", "the baker only takes …"
	return (strings.HasSuffix(first, "ي") || sign == "فقط" && strings.HasPrefix(first, "ال")) &&
		strings.HasPrefix(next, "ي") && !strings.HasPrefix(next, "يجب")
}

// dealsInArabic lists nouns for things that people arrange with a service.
var dealsInArabic = strings.Split(" حجز| إلغاء| الغاء| تغيير| تعديل| شراء| طلب| استئجار| استرجاع| إرجاع| تجديد| تحويل| دفع| فتح| تأجيل| موعد", "|")

// namesAnswer reports whether a cue contains a noun for what the assistant wrote, so that a sentence about the past is
// feedback: "前の回答は長すぎました". sign is the cue.
func namesAnswer(sign string) bool {
	return hasAny(sign, answerSigns)
}

var answerSigns = []string{"回答", "返事", "説明", "जवाब"}

func describesInHindi(sign, before, rest string) bool {
	end := strings.TrimRight(rest, "। ")
	if !namesAnswer(sign) && endsWithAny(end, " थे", " था", " थी") || strings.HasPrefix(before, "मेर") && endsWithAny(end, "ती", "ते", "ता", "है", "हैं") || strings.Contains(before, " कि वह") {
		return true // "we used to …", "my mother doesn't …", "he wants her to …"
	}
	switch sign {
	case "हमेशा": // "since always", "my neighbour always parks …"
		if strings.HasPrefix(rest, " से ") {
			return true
		}
	case "जब भी": // "whenever I open the window, a bird comes in"
		return endsWithAny(end, "है", "हैं")
	case "सिर्फ़", "सिर्फ", "केवल": // "only two days left"
		if strings.Contains(rest, " बच") {
			return true
		}
	case "चाहिए", "होना चाहिए": // "I need the report", "empty after it was sent"
		if strings.Contains(before, "के बाद ") || strings.HasPrefix(strings.TrimLeft(before[strings.LastIndexByte(before, ',')+1:], " "), "मुझे ") && !endsWithAny(before, "ना ", "नी ") {
			return true
		}
	case "हर ": // "दोपहर", noon
		return before != "" && !strings.HasSuffix(before, " ")
	}
	if strings.Contains(before, "जो ") { // a relative clause
		return !strings.Contains(before, "जो भी")
	}
	return strings.HasPrefix(before, "वह ") || strings.Contains(before, "ने ") && strings.Contains(before, " कहा") // "he …", "she said that …"
}

// subjectInKorean reports whether text ends with the subject of a Korean sentence, unless the subject is the writer.
func subjectInKorean(before string) bool {
	before = strings.TrimRight(before, " ")
	switch before {
	case "저는", "나는", "제가", "내가", "우리는":
		return false
	}
	return endsWithAny(before, "은", "는", "이", "가")
}

// asksInKorean reports whether the rest of a Korean sentence expresses a request or a duty.
func asksInKorean(rest string) bool {
	return slices.ContainsFunc([]string{"세요", "줘요", "야 해요", "야 돼요", "야 되", "주면", "좋겠"}, func(sign string) bool {
		return strings.Contains(rest, sign)
	})
}

// endsWithAny reports whether text ends with any of the given endings.
func endsWithAny(text string, endings ...string) bool {
	for _, end := range endings {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}

// saidByOthers reports whether a sentence reports what somebody other than the writer says. before and rest are the
// texts before and after the cue.
func saidByOthers(before, rest string) bool {
	if hasAny(before, healersSigned) { // "the doctor says I must avoid diving"
		return false
	}
	for at := 0; ; {
		n := strings.Index(before[at:], "说")
		if n < 0 {
			break
		}
		word := at + n // the verb, not a part of another word: "说明", "小说"
		at = word + len("说")
		if next, _ := utf8.DecodeRuneInString(before[at:]); word > 0 && !strings.ContainsRune("明法服话", next) && !endsWithAny(before[:word], "我", "你", "您", "想", "小", "解", "来", "前", "刚", "才", "次") {
			return true
		}
	}
	rest = strings.TrimRight(rest, "。！")
	if _, after, found := cutAny(before, "写着", "寫著", "写道", "写的是"); found && (after == "" || strings.ContainsAny(after, "：:「“")) {
		return true
	}
	return endsWithAny(rest, "と言います", "と書いてあります", "と書いてある", "と言っています", "と言っていました", "と言ってた") || strings.Contains(before, " يقول") ||
		strings.Contains(before, " تقول") ||
		strings.Contains(before, " कहत") && !strings.HasPrefix(before, "मैं ")
}

// healersSigned lists phrases about what a doctor has told the writer.
var healersSigned = strings.Fields("医生说我 医生說我 醫生說我 医生让我 醫生讓我 医生叫我 大夫说我 大夫让我 医生不让我")

// hypothetical reports whether a sentence states a condition that isn't met: "if I were …". before and rest are the
// texts before and after the cue.
func hypothetical(before, rest string) bool {
	return strings.Contains(before, "如果我是") || strings.Contains(before, "假如我") || strings.HasPrefix(before, "もし私") ||
		strings.Contains(before, "라면 ") && strings.Contains(rest, "거") || strings.HasPrefix(before, "لو ") ||
		strings.Contains(before, "होता तो")
}

// likeThis reports whether the rest of a sentence only says that something is like this. If a colon follows, the
// sentence shows what something must be like.
func likeThis(rest string) bool {
	rest = strings.Trim(rest, " ً。！")
	if strings.ContainsAny(rest, "：:") {
		return false
	}
	for _, sign := range [...]string{"こう", "そう", "이 모양", "이래", "هكذا", "यही", "ऐसा"} {
		if strings.HasPrefix(rest, sign) {
			return true
		}
	}
	return rest == "这样" || rest == "這樣"
}

// formedSigned reports whether a sentence without a cue has the form of a rule, such as "每封信都…" (every letter …) or
// "絵文字はなしで" (with no emoji), or names what its writer likes: "好きな色は緑です" (my favourite colour is green).
func formedSigned(s string) bool {
	s = strings.TrimRight(s, "。.！! ")
	if strings.HasPrefix(s, "每") {
		return strings.Contains(s, "都") && !strings.ContainsAny(s, "我他她次天年") && !strings.HasSuffix(s, "了")
	}
	if impliedSigned(s) {
		return true
	}
	return strings.Contains(s, "は") && endsWithAny(s, "ありで", "なしで") ||
		strings.HasPrefix(s, "好きな") && strings.Contains(s, "は") && endsWithAny(s, "です", "だ")
}

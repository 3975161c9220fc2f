package digest

import (
	"strings"
)

// Words, phrases and (for scripts without spaces) character sequences with which messages begin if the user rejects
// what the assistant said or did.
var (
	contestWords = wordListOf("no nope nah wrong incorrect nein falsch non faux нет неверно неправильно لا خطأ नहीं गलत")
	hesitations  = wordListOf("ok okay uh uhm um hm hmm well ah oh äh hm euh eh ну")
	contestHeads = strings.Split("that's not|thats not|that is not|it's not|its not|it is not|doesn't work|does not work|doesnt work|didn't work|"+
		"not working|not what i|still not|still doesn|still broken|still fail|still the same|still get|same error|same issue|same problem|revert|undo |"+
		"i said |i didn't ask|why did you|das stimmt nicht|funktioniert nicht|geht nicht|immer noch|eso no|no funciona|sigue sin|sigue fallando|"+
		"ne marche pas|ne fonctionne pas|toujours pas|ce n'est pas|не работает|всё ещё|все еще|не то|لا يعمل|ليس|काम नहीं|अभी भी", "|")
	contestSigns  = strings.Fields("这不对 不对 不是 不行 还是不 没用 错了 違う 違います ちがう 動かない まだ ダメ だめ いいえ 아니 안돼 안 틀렸 여전히")
	friendlyHeads = strings.Split("no problem|no worries|no need|no thanks|no thank|no idea|no rush|no more|no, thanks|no, thank|no hurry|kein problem|non, merci|no, gracias", "|")
)

var contestStarts, contestSignStarts, friendlyStarts = startsOf(contestHeads), startsOf(contestSigns), startsOf(friendlyHeads)

// lookContest is the number of bytes that are examined at the beginning of a message.
const lookContest = 60

// contests reports whether a user message begins with a rejection of the assistant's last answer. It looks only at the
// first lookContest bytes or so.
func contests(asked string) bool {
	head := strings.TrimLeft(asked, " \n\"'*->")
	head = lower(trimRune(head[:min(len(head), 4*lookContest)]))
	head = strings.ReplaceAll(trimRune(head[:min(len(head), lookContest)]), "’", "'")
	if friendlyStarts.may(head) && startsWithAny(head, friendlyHeads) {
		return false
	}
	word, rest := firstWordOf(head)
	for hesitations.has(word) { // "ok. uh. no. …"
		head = rest
		word, rest = firstWordOf(head)
	}
	if contestWords.has(word) {
		return true
	}
	first, _, _ := strings.Cut(head, "\n")
	for at := 0; at < min(len(first), lookContest/2); { // words
		if rest := first[at:]; contestStarts.may(rest) && startsWithAny(rest, contestHeads) {
			if before := first[:at]; startsWithAny(rest, pronounHeads[:]) && !beginsClause(before) || isConditional(before) {
				return false
			}
			return true
		}
		n := strings.IndexByte(first[at:], ' ')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return contestSignStarts.may(head) && startsWithAny(head, contestSigns)
}

// pronounHeads lists the beginnings of those contestHeads that reject something only as a clause of their own: "That's not
// it", unlike "Show nothing that is not a lamp" and "Make sure it's not lit".
var pronounHeads = [...]string{"that", "it", "eso ", "ce "}

// beforeClause lists words after which a clause begins.
var beforeClause = wordListOf("but and so because since as think guess believe fear afraid no ok okay well wait actually sorry hey hi aber denn weil mais parce pero porque но")

// isConditional reports whether a text, in lower case, has a word that begins a condition: "warn me if it doesn't work".
func isConditional(before string) bool {
	for word := range strings.FieldsSeq(before) {
		if whens.has(word) || word == "unless" {
			return true
		}
	}
	return false
}

// beginsClause reports whether a clause begins after the text before it, which is in lower case.
func beginsClause(before string) bool {
	before = strings.TrimRight(before, " ")
	if before == "" || strings.IndexByte(",.!?:;-)", before[len(before)-1]) >= 0 {
		return true
	}
	last := before[strings.LastIndexByte(before, ' ')+1:]
	return beforeClause.has(last) || contestWords.has(last) || hesitations.has(last)
}

// firstWordOf returns the first word of a message, and the rest without the punctuation between them.
func firstWordOf(head string) (word, rest string) {
	if at := strings.IndexAny(head, " ,.!?:;\n-—"); at >= 0 {
		return head[:at], strings.TrimLeft(head[at:], " ,.!?:;-—")
	}
	return head, ""
}

// claimSigns lists phrases, in lower case, that occur in sentences claiming success. troubleSigns
// lists phrases that occur in texts reporting trouble, such as a pasted error.
var (
	claimSigns   = substringsOf("✅|🎉|🚀|🏆|production-ready|production ready|now pass|all pass|complete|success|all clean|all issues|now works")
	troubleSigns = substringsOf("fail|error|broke|not working|n't work|isn't|aren't|[pasted: ")
)

// lookTrouble is the number of bytes at the beginning of a message that are searched for troubleSigns.
const lookTrouble = 400

// reportsTrouble reports whether a message or a sentence says, in its first lookTrouble bytes, that
// something doesn't work.
func reportsTrouble(asked string) bool {
	head := trimRune(asked[:min(len(asked), lookTrouble)])
	return troubleSigns.inAnyCase(head)
}

// claims reports whether a sentence claims success.
func claims(text string) bool {
	return claimSigns.inAnyCase(text)
}

package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// This file shortens the answers in Chinese dialogues with a service, and picks from what they offer what the user chooses.

// Answer returns what an answer says, without courtesies and remarks.
func Answer(text string) string {
	all := spokenClauses(text)
	kept := all[:0]
	informed := false
	for i := range all {
		informed = informed || !all[i].remarks()
	}
	for _, c := range all {
		if informed && c.remarks() {
			continue
		}
		switch said := withoutPraise(without(without(c.text, answerStarts, praises), nil, answerEnds)); {
		case said != "":
			c.text = said
		case len(all) > 1:
			continue
		}
		if len(all) > 1 && slices.Contains(trying, c.text) {
			continue
		}
		if len(kept) > 0 && strings.ContainsAny(c.text, pointers) && utf8.RuneCountInString(c.text) <= shortPointer {
			continue
		}
		kept = append(kept, c)
	}
	return joinClauses(kept)
}

// Character sequences in a line of request and answer: those that refer to what an earlier line names, those at its
// beginning that do so, and those that ask for something new.
var (
	backSigns  = strings.Fields("他家 其中 里面 裡面 刚才 剛才 哪家 哪个 哪個")
	backStarts = strings.Fields("周边 周邊 附近 地址 电话 電話 评分 評分 营业 營業 人均 价格 價格 门票 門票 票价 票價 游玩 遊玩 车型 車型 多少 几点 幾點 怎么去 怎麼去")
	findSigns  = strings.Fields("周边 周邊 附近 哪 推荐 推薦 介绍 介紹 找 有什么 有什麼 有啥 还有 還有")
)

// PointsBack reports whether a line of a request and its answer is about something that an earlier line names, and
// whether it asks for something that later lines may be about.
func PointsBack(line string) (back, finds bool) {
	request, _, _ := strings.Cut(line, " → ")
	back = pointsOut(request) || containsAny(request, backSigns) || containsStart(request, backStarts)
	return back, Finds(request)
}

// Finds reports whether a request asks for something that later lines may be about.
func Finds(request string) bool { return containsAny(request, findSigns) }

// counters lists what follows a pointer that refers to an enumeration before it: "豆腐、烤鱼这两道菜".
var counters = strings.Fields("两 兩 二 三 四 五 几 幾 些 2 3 4 5")

// pointsOut reports whether a text contains a pointer to something outside of it.
func pointsOut(text string) bool {
	listed := false // whether the text so far enumerates something
	for i, r := range text {
		listed = listed || strings.ContainsRune("、和与", r)
		if !strings.ContainsRune(pointers, r) {
			continue
		}
		if !listed || !containsStart(text[i+utf8.RuneLen(r):], counters) {
			return true
		}
	}
	return false
}

// trying lists what is left of clauses that only invite the user to try what an answer names.
var trying = strings.Fields("看看 试试 試試 尝尝 嚐嚐 逛逛 玩玩 去看看 去试试")

// shortPointer is the maximum number of characters of a clause that says no more than "there".
const shortPointer = 4

// commenting lists sequences of clauses that praise, offer more, or say that there are many.
var commenting = strings.Fields("作为参考 作為參考 的话我再 的話我再 再重新 再为您 再為您 再给您 再給您 再帮您 再幫您 其他要求 其他需要 别的要求 别的需要 各种档次 选择特别多 选择很多 大家都说 挺多的 好多家 好多个 很多家 有很多 还挺多 都在这附近 都在附近")

// remarks reports whether a clause of an answer only comments on what the answer says, or asks whether it suits.
func (c *spokenClause) remarks() bool {
	r, size := utf8.DecodeLastRuneInString(c.text)
	switch {
	case valued(c.text):
		return false
	case strings.ContainsAny(trimToRune(c.text, len("这")), pointers+"他她") && containsAny(c.text, praising):
		return !denies(c.text, []words.Word{{Kind: words.Pair}})
	case endsWithPraise(c.text):
		return utf8.RuneCountInString(without(c.text, nil, praises)) < leastChoice
	case strings.HasPrefix(c.after, "？"), strings.HasPrefix(c.after, "?"), containsAny(c.text, commenting):
		return true
	case strings.ContainsRune("吧啊呀呢哈啦", r):
		return strings.ContainsAny(c.text, pointers)
	case strings.ContainsRune("了的", r):
		if _, named, found := strings.Cut(c.text, "当然是"); found && len(named) > size+leastName {
			return false
		}
		return len(c.text) > size && !denies(c.text, []words.Word{{Kind: words.Pair}})
	}
	return false
}

// praising lists what a predicate contains that only praises, and verbs with which such a predicate begins.
var (
	praising   = strings.Fields("不错 不錯 很好 非常好 挺好 合适 合適 好去处 好去處 好地方 好选择 好選擇 符合您 符合你 符合要求 符合条件")
	predicates = strings.Fields("就是 都是 还是 還是 也是 是")
)

// withoutPraise returns a clause without a predicate that only praises what the clause names: "柳河店是个不错的选择".
func withoutPraise(text string) string {
	if denies(text, []words.Word{{Kind: words.Pair}}) {
		return text
	}
	for _, verb := range predicates {
		n := strings.Index(text, verb)
		if n >= leastName && containsAny(text[n:], praising) && len(besidesPraise(text[n+len(verb):])) < leastName {
			return strings.TrimRight(text[:n], " 也都就")
		}
	}
	return text
}

// besidesPraise returns what a predicate says besides its praise.
func besidesPraise(predicate string) string {
	for _, praise := range praising {
		predicate = strings.ReplaceAll(predicate, praise, "")
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" 个個的了很也都就家选择選擇地方吧呢哦呀啊一", r) {
			return -1
		}
		return r
	}, predicate)
}

// endsWithPraise reports whether a clause ends with one of the praises.
func endsWithPraise(text string) bool {
	return slices.ContainsFunc(praises, func(end string) bool { return strings.HasSuffix(text, end) })
}

// describers are the words between what an answer is about and its value.
var describers = []string{"是", "有", "为", "為", "在", "：", ":"}

// longestAbout is the maximum length, in bytes, of the beginning of an answer that says what it is
// about.
const longestAbout = len("目的地附近的地铁站的名字")

// Repeats reports whether an answer says what its question asked about, as "地址是玉带河东大街"
// does. The question must contain no value. depends means that the question doesn't name its subject
// (see [Request]); otherwise the answer must name it too.
func Repeats(question, answer string, depends bool) bool {
	if name := commonStart(question, answer); len(name) >= leastName && !strings.ContainsAny(question[len(name):], "0123456789") &&
		strings.HasPrefix(answer[len(name):], "的") && describedUpTo(answer[len(name):]) > 0 {
		return utf8.RuneCountInString(question[len(name):]) <= shortRequest
	}
	if valued(question) || utf8.RuneCountInString(question) > longestRepeated {
		return false
	}
	if !depends {
		n := describedUpTo(question)
		return n >= leastName && strings.Contains(answer, question[:n])
	}
	n := describedUpTo(answer)
	about := answer[:n]
	for range 2 { // the last two characters
		_, size := utf8.DecodeLastRuneInString(about)
		about = about[:len(about)-size]
	}
	return n-len(about) > len("址") && strings.Contains(question, answer[len(about):n])
}

// commonStart returns the beginning that two texts have in common.
func commonStart(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return trimToRune(a, n)
}

// longestRepeated is the maximum number of characters of a question that its answer can repeat.
const longestRepeated = 24

// describedUpTo returns the length of the beginning of text that says what the text is about, or 0.
func describedUpTo(text string) int {
	at := 0
	for _, s := range describers {
		if n := strings.Index(text[:min(len(text), longestAbout)], s); n > 0 && (at == 0 || n < at) {
			at = n
		}
	}
	return at
}

// betweenOffers replaces whatever separates the offers in a clause with line feeds.
var betweenOffers = strings.NewReplacer("、", "\n", ", ", "\n", "或者", "\n", "还有", "\n", "以及", "\n", "，", "\n")

// Pick reduces a list of offers in an answer to the one that a later message names. It returns the
// answer unchanged if the message refers to none of them, or to several.
func Pick(answer, later string) string {
	answer = pickJoined(answer, later)
	if !strings.Contains(answer, "、") && !strings.Contains(answer, ", ") {
		if !strings.ContainsAny(answer, "0123456789") {
			return pickOf(answer, later)
		}
		return answer
	}
	clauses := strings.Split(answer, "，")
	for i, c := range clauses {
		clauses[i] = pickOf(c, later)
	}
	return strings.Join(clauses, "，")
}

// joints replaces the words between offers that are joined by a word. Names may contain such a word, too.
var joints = strings.NewReplacer("和", "\n", "与", "\n", "或者", "\n", "或", "\n")

// pickJoined reduces a clause in which words join a few offers to the one of which a later message contains the whole
// name. It returns the answer unchanged if there isn't exactly one.
func pickJoined(answer, later string) string {
	clauses := strings.Split(answer, "，")
	for i, c := range clauses {
		offers := strings.Split(joints.Replace(c), "\n")
		if len(offers) < 2 || denies(c, []words.Word{{Kind: words.Pair}}) || strings.ContainsAny(c, "、:：") {
			continue
		}
		picked, named := "", 0
		for k, offer := range offers {
			offer = strings.TrimSpace(offer)
			if len(offer) < leastName || k > 0 && namedWithJoint(c, offer, later) { // the joint belongs to a name: "和平饭店"
				named = 0
				break
			}
			if strings.Contains(later, offer) {
				picked = offer
				named++
			}
		}
		if named == 1 {
			clauses[i] = picked
		}
	}
	return strings.Join(clauses, "，")
}

// namedWithJoint reports whether a later message contains an offer of a clause together with the character before it.
func namedWithJoint(clause, offer, later string) bool {
	at := strings.Index(clause, offer)
	_, size := utf8.DecodeLastRuneInString(clause[:at])
	return strings.Contains(later, clause[at-size:at+len(offer)])
}

// pickOf is like Pick, for text that consists of a single list. It returns a list unchanged if one of its clauses denies
// something or refers to another one, because then they aren't offers.
func pickOf(list, later string) (picked string) {
	offers := strings.Split(betweenOffers.Replace(list), "\n")
	if len(offers) < 2 {
		return list
	}
	if strings.Contains(list, "，") && (strings.ContainsAny(list, pointers) || denies(list, []words.Word{{Kind: words.Pair}})) {
		return list
	}
	for i, offer := range offers {
		if offers[i] = strings.TrimSpace(offer); !isNamed(offers[i], later) {
			continue
		}
		if picked != "" {
			return list
		}
		picked = offers[i]
	}
	if picked == "" && endNamed(offers[0], later) {
		picked = offers[0]
	}
	if picked == "" {
		return list
	}
	return strings.TrimSuffix(picked, "等")
}

// leastShared is the length, in bytes, of the shortest part of a name that identifies it.
const leastShared = len("前门大街")

// isNamed reports whether a text names an offer: all of it, or its beginning.
func isNamed(offer, text string) bool {
	if strings.Contains(text, offer) {
		return len(offer) > len("宫")
	}
	return len(offer) > leastShared && strings.Contains(text, trimToRune(offer, leastShared))
}

// endNamed reports whether text contains the end of an offer, from any of its characters on, if
// that end has at least leastName bytes.
func endNamed(offer, text string) bool {
	for from := range offer {
		if len(offer)-from < leastName {
			break
		}
		if strings.Contains(text, offer[from:]) {
			return true
		}
	}
	return false
}

// trimToRune returns the beginning of text, up to size bytes, without a part of a character at its end.
func trimToRune(text string, size int) string {
	for size > 0 && size < len(text) && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

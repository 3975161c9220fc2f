package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// In Chinese dialogues with a service, a request and its answer make one statement: "人均50-100元的餐馆 →
// 莲泽舫". This file shortens both to their clauses that say something.

// The character sequences around what a Chinese request asks for, and before what an answer names. A sequence that begins
// with another one comes before it.
var (
	requestStarts = strings.Fields("请问 請問 请 請 麻烦 麻煩 你们 你 您 能不能 能否 能帮我们 能帮我 能帮 能给我们 能给我 能推荐 能介绍 可不可以 可以 帮忙 幫忙 帮我们 帮我 幫我 帮 给我们 给我 給我 给推荐 给介绍 告诉我 告訴我 知不知道 知道 问一下 问下 想问 查一下 查下 查查 看一下 看看 " +
		"我还想 我想 我要 我们 再 顺便 順便 推荐一家 推荐一个 推荐个 推荐 推薦 介绍一家 介绍一个 介绍个 介绍 介紹 一下 一家 一个 一個 那就 那你 那您 那请 然后 然後 还有 那么")
	requestEnds  = strings.Fields("可以吗 可以嗎 好吗 好嗎 行吗 行嗎 好不好 行不行 行不 一下 吗 嗎 呢 呀 啊 呗 唄 吧 哦 嘛 哈 哟")
	answerStarts = strings.Fields("抱歉 对不起 對不起 那给您推荐 那给你推荐 那 我推荐您去 我推荐你去 我推荐给你们 我推荐给你 我推荐给您 我推荐您 我推荐你 我推荐 为您推荐 给您推荐 给你推荐 推荐您去 推荐你去 推荐您 推荐你 推荐 推薦您 推薦 我建议您去 我建议你去 我建议您 我建议你 我建议 建议您去 建议你去 建议您 建议你 建议 建議 您可以去 你可以去 你们可以去 您可以 你可以 你们可以 可以去 您去 你去 你们去 您看一下 你看一下 您看 你看 一家 一下")
	answerEnds   = strings.Fields("吧 哦 呢 哈 啊 呀 哟 等 啦 的呢")
)

// praises lists the ends of clauses in which an answer only praises what it names.
var praises = strings.Fields("我感觉挺不错的 感觉挺适合您呢 感觉挺适合您 感觉挺适合你 我感觉不错 感觉还不错 感觉不错 都挺不错的 都很不错的 挺不错的 还是很好的 都是很好的 都可以的 是一个很好的选择 是个不错的选择 怎么样")

// ofWord lists characters after which a sequence of requestStarts or answerStarts is a part of something else: "我要是".
var ofWord = []string{"是", "了", "里", "裡", "边", "邊", "儿", "兒", "过", "過", "的", "们", "們"}

// reactionEnds lists characters that end a clause which only reacts to something: "这个分数不低了". pointers lists
// characters that refer to what was named before.
const (
	reactionEnds = "了的啊呀啦呢哈吧"
	pointers     = "这那它這此该"
)

// leastName is the length, in bytes, of the shortest name of three characters.
const leastName = len("颐和园")

// goodWishes lists beginnings of clauses that wish somebody well.
var goodWishes = strings.Fields("祝你 祝您 祝愿 祝願 祝大家")

// spokenClause is a clause of a message, without the punctuation around it.
type spokenClause struct {
	text  string
	after string // the punctuation after it
}

// spokenClauses returns the clauses of a message. It leaves out courtesies and good wishes.
func spokenClauses(text string) (out []spokenClause) {
	from, depth := 0, 0
	add := func(to, next int) {
		said := strings.TrimSpace(text[from:to])
		if ws := words.Append(nil, said); len(ws) > 0 && !containsStart(said, goodWishes) && (!idle(said, ws) || agrees(said) && len(out) == 0) {
			out = append(out, spokenClause{said, text[to:next]})
		}
		from = next
	}
	for i, r := range text {
		switch r {
		case '(', '（', '「', '《', '“', '【':
			depth++
		case ')', '）', '」', '》', '”', '】':
			depth = max(depth-1, 0)
		case '，', '。', '！', '？', '；', '…', '!', '?', ';', '\n':
			if (depth == 0 || r == '\n') && i >= from {
				depth = 0
				add(i, i+utf8.RuneLen(r))
			}
		}
	}
	add(len(text), len(text))
	return out
}

// Courteous reports whether a message begins as in a dialogue and not as in an essay or a report:
// with a courtesy, or with a word such as "fine".
func Courteous(text string) bool {
	head, _, _ := strings.Cut(text, "，")
	if n := strings.IndexAny(head, "。！？!?\n"); n >= 0 {
		head = head[:n]
	}
	ws := words.Append(nil, head)
	return len(ws) > 0 && idle(head, ws)
}

// agrees reports whether a clause is an answer to a question, although it would otherwise be a courtesy.
func agrees(said string) bool {
	return strings.HasPrefix(said, "可以")
}

// joinClauses returns clauses as one sentence without punctuation at its end.
func joinClauses(list []spokenClause) string {
	var b strings.Builder
	for i, c := range list {
		b.WriteString(c.text)
		if i+1 < len(list) {
			b.WriteString("，")
		}
	}
	return strings.TrimRight(b.String(), " 、,")
}

// without returns text without the given sequences at its beginning and at its end, however often
// they occur there, and without the spaces next to them. A sequence in starts stays if the text
// after it begins with one of ofWord, because both then form a word.
func without(text string, starts, ends []string) string {
	for again := true; again; {
		again = false
		for _, s := range starts {
			if rest, found := strings.CutPrefix(text, s); found && !containsStart(rest, ofWord) {
				text, again = strings.TrimLeft(rest, " "), true
			}
		}
	}
	for again := true; again; {
		again = false
		for _, s := range ends {
			if rest, found := strings.CutSuffix(text, s); found {
				text, again = strings.TrimRight(rest, " "), true
			}
		}
	}
	return text
}

// valued reports whether a clause contains a number, a quotation or a list.
func valued(text string) bool {
	return strings.ContainsAny(text, "0123456789(（《「“\"、") || strings.Contains(text, ", ")
}

// reacts reports whether a clause has the form of a reaction: it ends with a particle and contains no value.
func reacts(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(reactionEnds, r) && !valued(text)
}

// asksOrOrders lists sequences that only a question or an order contains, in Chinese; seeking lists others that a request may
// contain.
var (
	asksOrOrders = strings.Fields("? ？ 吗 嗎 哪 多少 几点 幾點 什么 什麼 啥 怎 谁 誰 有没有 有沒有 推荐 推薦 介绍 介紹 告诉 告訴 发给 發給 帮 幫 请 請 麻烦 麻煩")
	seeking      = strings.Fields("几 幾 找 查 给我 給我 没有 沒有 想 要")
)

// Seeks reports whether a message in Chinese contains a question or an order.
func Seeks(text string) bool { return containsAny(text, asksOrOrders) }

func containsAny(text string, list []string) bool {
	for _, s := range list {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

func (c *spokenClause) seeks() bool {
	said := c.text + c.after
	if strings.ContainsAny(said, "谢謝") {
		return false
	}
	return containsAny(said, asksOrOrders) || containsAny(said, seeking) || strings.HasSuffix(c.text, "么") || strings.HasSuffix(c.text, "麼")
}

// Request returns what a message asks for, without courtesies and without reactions to what was said before. asked is
// false if it asks for nothing. depends means that it refers to something that was named before.
func Request(text string) (said string, asked, depends bool) {
	all := spokenClauses(text)
	kept := all[:0]
	first, last := len(all), -1 // of the clauses that ask for something
	for i := range all {
		if all[i].seeks() {
			first, last = min(first, i), i
		}
	}
	reacted := false // by the last clause
	for i, c := range all {
		if i < first && last >= 0 && c.opensReacting() && !c.chooses() || strings.ContainsAny(c.text, "谢謝") && !valued(c.text) {
			continue
		}
		reacted = reacts(c.text)
		if i < first && last >= 0 && c.tellsWhen() {
			continue
		}
		if c.text = withoutErrand(without(c.text, requestStarts, requestEnds)); c.text != "" && !(len(kept) > 0 && onlyAsks(c.text)) {
			kept = append(kept, c)
		}
	}
	said = joinClauses(kept)
	if last < 0 && reacted && !valued(said) && containsStart(said, reactionStarts) {
		said = ""
	}
	depends = !greets(text) && (pointsOut(said) || containsAny(said, mistaken) || strings.Contains(said, "他家") || !valued(said) && utf8.RuneCountInString(said) <= shortRequest)
	return said, last >= 0, depends
}

// Character sequences in requests. overSigns lists those that say that something is over, and findVerbs lists verbs of
// finding. eatingOver removes meals that are over. placeSigns lists signs before the verb that say where to look; a clause
// with one of them stays whole. askingWords removes words that only ask.
var (
	overSigns   = strings.Fields("完 结束 結束 以后 以後 之后 之後")
	findVerbs   = strings.Fields("找一个 找一個 找一家 找个 找個 找家 挑一个 挑一個 挑个 挑個 选一个 選一個 选个 選個 去一个 去一個 去一家")
	eatingOver  = strings.NewReplacer("吃完饭", "", "吃完飯", "", "吃完", "")
	placeSigns  = strings.Fields("附近 周边 周邊 旁 离 離 从 從 在 里 裡 吃 带 帶 能 和 不 没 沒")
	askingWords = strings.NewReplacer("重新", "", "再", "", "帮", "", "幫", "", "给", "", "給", "", "我", "", "你", "", "您", "", "有", "", "什么", "", "什麼", "", "啥", "", "好的", "", "好", "", "推荐", "", "推薦", "",
		"介绍", "", "介紹", "", "安排", "", "建议", "", "建議", "", "一个", "", "一個", "", "一家", "", "一下", "", "下", "", "那里", "", "那裡", "", "哪里", "", "哪裡", "", "哪块儿", "")
)

// longestErrand is the maximum length, in bytes, of what precedes a verb of finding.
const longestErrand = len("我想在游玩结束以后马上找")

// tellsWhen reports whether a clause before a request only says what will be over by then: "逛完街以后我有点累了".
func (c *spokenClause) tellsWhen() bool {
	return !valued(c.text) && !pointsOut(c.text) && containsAny(c.text, overSigns) && !c.seeks() && !denies(c.text, []words.Word{{Kind: words.Pair}})
}

// withoutErrand returns a clause of a request without the verb of finding at its beginning and the words before it: "找一家
// 川菜馆" and "逛完街我想找个川菜馆" become "川菜馆". What says where to look stays, and so does a clause with a shorter name.
func withoutErrand(text string) string {
	for _, verb := range findVerbs {
		n := strings.Index(text, verb)
		if n < 0 || n > longestErrand || len(text)-n-len(verb) < leastName {
			continue
		}
		if before := eatingOver.Replace(text[:n]); !valued(before) && !pointsOut(before) && !containsAny(before, placeSigns) {
			return text[n+len(verb):]
		}
	}
	return text
}

// onlyAsks reports whether a clause after what is sought only asks for it once more: "给我推荐一家".
func onlyAsks(text string) bool { return askingWords.Replace(text) == "" }

// opensReacting reports whether a clause before a request only reacts to the answer before it, and says nothing about the
// speaker.
func (c *spokenClause) opensReacting() bool {
	if valued(c.text) || containsAny(c.text, mistaken) {
		return false
	}
	return reacts(c.text) && !strings.Contains(c.text, "我") && !denies(c.text, []words.Word{{Kind: words.Pair}}) || containsStart(c.text, reactionStarts) || utf8.RuneCountInString(c.text) <= shortReaction
}

// mistaken lists sequences of clauses in which a user corrects what the user wrote before.
var mistaken = strings.Fields("打错 打錯 弄错 弄錯 说错 說錯 搞错 搞錯 记错 記錯 写错 寫錯")

// choosing lists sequences with which a clause chooses one of the things that an answer offered.
var choosing = strings.Fields("就选 就選 就去 就吃 就住 就订 就訂 就定 就要 就买 就買 就坐 就看 选择 選擇 我选 我選 那选 那選 还是去 還是去 还是选 還是選 决定去 決定去 更适合我 更適合我")

// leastChoice is the minimum number of characters of what a clause chooses.
const leastChoice = 2

// chooses reports whether a clause names the thing that its speaker chooses: "那就去柳河店吧".
func (c *spokenClause) chooses() bool {
	for _, s := range choosing {
		if _, what, found := strings.Cut(c.text, s); found {
			what = without(what, nil, requestEnds)
			return utf8.RuneCountInString(what) >= leastChoice && !containsAny(what, asksOrOrders) || strings.HasPrefix(s, "更")
		}
	}
	return false
}

// shortReaction is the maximum number of characters of a clause that only reacts, whatever its form.
const shortReaction = 3

// greets reports whether a message begins with a Chinese greeting. Such a message usually begins a new matter.
func greets(text string) bool {
	head := text[:min(len(text), len("嗨，您好"))]
	return strings.Contains(head, "你好") || strings.Contains(head, "您好")
}

// reactionStarts lists the beginnings of clauses that react to an answer before the next request.
var reactionStarts = strings.Fields("也 那 这 這 很 真 太 挺 还不 還不 我很 既然 正好 听 聽 确实 確實 感觉 感覺 原来 原來 看来 看來 没想 沒想")

func containsStart(text string, starts []string) bool {
	for _, s := range starts {
		if strings.HasPrefix(text, s) {
			return true
		}
	}
	return false
}

// shortRequest is the maximum number of characters of a request that depends on an earlier one because of its length.
const shortRequest = 10

// Chinese reports whether the first words of text contain Han characters and no kana.
func Chinese(text string) bool {
	found := false
	for _, w := range words.Append(nil, trimToRune(text, min(len(text), longestAbout))) {
		if w.Kind&words.Pair == 0 {
			continue
		}
		for _, r := range text[w.From:w.End] {
			if r < firstSign || r > lastSign {
				return false
			}
			found = true
		}
	}
	return found
}

// leastCommon is the number of consecutive characters that two texts must have in common to share a
// name; see [SharesName].
const leastCommon = 5

// SharesName reports whether a request without numbers has a run of at least leastCommon Han characters in common with a
// text.
func SharesName(request, text string) bool {
	if strings.ContainsAny(request, "0123456789") {
		return false
	}
	run, starts := 0, [leastCommon]int{}
	for i, r := range request {
		if r < firstSign || r > lastSign {
			run = 0
			continue
		}
		starts[run%leastCommon] = i
		if run++; run >= leastCommon && strings.Contains(text, request[starts[run%leastCommon]:i+utf8.RuneLen(r)]) {
			return true
		}
	}
	return false
}

// Says reports whether a line that isn't an answer says more than a courtesy: whether it contains a
// value or has more than shortRequest characters.
func Says(text string) bool { return valued(text) || utf8.RuneCountInString(text) > shortRequest }

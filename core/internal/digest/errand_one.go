package digest

import "strings"

// This file recognizes requests for one thing or for a piece of information, in scripts without spaces and in Korean:
// "find a hotel for 300 to 400 yuan, preferably with a pool". Wishes in such a request describe the thing.

// Character sequences in Chinese requests for one thing, and those that turn such a request into a rule about many.
var (
	oneSigns = strings.Fields("找一 找个 找個 找家 找间 找間 找几 找幾 挑一 挑个 挑個 选一 選一 选个 選個 换一 換一 换个 換個 换家 換家 推荐一 推薦一 推荐个 推薦個 推荐几 推薦幾 推个 推個 推一 推荐家 介绍一 介紹一 介绍个 介紹個 " +
		"介绍几 订一 訂一 订个 訂個 订间 订张 去一个 去一個 去一家")
	manySigns = strings.Fields("每 都要 都用 都得 都是 都不 总 總 从不 從不 永远 永遠 今后 今後 禁止 务必 務必 一律 时候 時候 如果 任何 默认 默認 始终 始終 无论 無論 不管")
	// laterSigns mean "from now on" at the beginning of a clause, and "after that" elsewhere.
	laterSigns = strings.Fields("以后 以後 往后 往後 下次 后续 後續")
	// strictSigns make a request a rule, except in a clause that describes the thing: "不要免费的" (not one for free).
	strictSigns = strings.Fields("必须 必須 不要 别 別 只能 不得 不能 不许 不許")
)

// Character sequences in Chinese requests for a piece of information: verbs, particles that soften
// them, question words, the ends of questions, and marks of the wanted thing.
var (
	tellSigns   = strings.Fields("查 告诉我 告訴我 发给我 發給我 发我 發我 给我 給我 跟我说 跟我說")
	softSigns   = strings.Fields("一下 下 吧 呗 唄 好吗 好嗎 呀 啊")
	querySigns  = strings.Fields("有没有 有沒有 有什么 有什麼 有啥 哪家 哪个 哪個 哪间 哪間 多少钱 多少錢")
	queryEnds   = [...]string{"吗", "嗎", "没", "沒", "没有", "沒有", "呢"}
	objectSigns = strings.Fields("把 的地址 的电话 的電話 的价格 的價格 的时间 的時間")
)

// Character sequences in Japanese and Korean requests for one thing, and those that turn such a request into a rule.
var (
	oneSignsElsewhere = strings.Split("を探して|を予約し|をお願いし|を紹介し|おすすめの|찾아 주|찾아주|찾아줘|추천해|예약해|알아봐", "|")
	manyElsewhere     = strings.Split("必ず|常に|毎|いつも|場合|とき|時は|前に|今後|これから|ないで|すべて|全て|禁止|항상|매번|앞으로|언제나|때|마다|모든|면 |지 마|말아|먼저|반드시", "|")
)

// requestsOne reports whether a sentence asks for one thing, or for a piece of information.
func requestsOne(s string) bool {
	if hasAny(s, oneSignsElsewhere) {
		return !hasAny(s, manyElsewhere)
	}
	if hasAny(s, manySigns) {
		return false
	}
	one := describesSought(s)
	for c := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("，。！；？,.!;?", r) }) {
		c = strings.TrimSpace(c)
		if startsWithAny(c, laterSigns) || !strings.HasSuffix(c, "的") && hasAny(harmless.Replace(c), strictSigns) {
			return false
		}
		one = one || hasAny(c, oneSigns) || isQuestionClause(c) || handsOver(c)
	}
	return one
}

// Character sequences in Chinese clauses that decline an offer, as "不用重新推荐了" does, and those that describe what
// is sought by a number: "评分要是4.5分以上就更好了".
var (
	decliningSigns = strings.Fields("不用 不必 不需要 不麻烦 不麻煩")
	offeredSigns   = strings.Fields("帮我 幫我 给我 給我 为我 為我 推荐 推薦 查 找 换 換 麻烦 麻煩 订 訂")
	soughtSigns    = strings.Fields("评分 評分 价格 價格 价位 價位 人均 消费 消費 票价 票價 门票 門票 距离 距離 预算 預算")
	betterEnds     = [...]string{"就更好了", "就更好", "就好了", "更好了", "最好了"}
)

// declinesOffer reports whether a Chinese sentence declines an offer, and says nothing about other occasions.
func declinesOffer(s string) bool {
	s = strings.TrimRight(s, "。！.!吧啊啦 ")
	last := s
	if n := strings.LastIndex(s, "，"); n >= 0 {
		last = s[n+len("，"):]
	}
	return strings.HasSuffix(last, "了") && startsWithAny(last, decliningSigns) && hasAny(last, offeredSigns) && !hasAny(s, manySigns) && !hasAny(s, laterSigns)
}

// describesSought reports whether a Chinese sentence says which number the thing sought should preferably have.
func describesSought(s string) bool {
	s = strings.TrimRight(s, "。！.! ")
	return endsWithAny(s, betterEnds[:]...) && strings.ContainsAny(s, "0123456789") && hasAny(s, soughtSigns)
}

// harmless removes words that contain a character of strictSigns but forbid nothing, and phrases
// that describe a thing: "not too far".
var harmless = strings.NewReplacer("特别", "", "特別", "", "别的", "", "別的", "", "别太", "", "別太", "", "不要太", "")

// isQuestionClause reports whether a clause of a Chinese sentence is a question.
func isQuestionClause(c string) bool { return hasAny(c, querySigns) || endsWithAny(c, queryEnds[:]...) }

// handsOver reports whether a clause of a Chinese sentence asks to tell or send the writer something, once: "send me its
// address", "tell me about it".
func handsOver(c string) bool {
	for _, sign := range tellSigns {
		n := strings.Index(c, sign)
		if n < 0 {
			continue
		}
		rest := c[n+len(sign):]
		if rest == "" && hasAny(c[:n], objectSigns) || startsWithAny(rest, softSigns) {
			return true
		}
	}
	return false
}

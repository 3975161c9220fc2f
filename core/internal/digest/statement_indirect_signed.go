package digest

import "strings"

// This file recognizes sentences that imply a rule in Chinese, Japanese and Korean, by the same forms as
// statement_indirect_forms.go.

// signedForms lists, for each form, signs of which a sentence must contain one from every group. unless lists signs that
// it must not contain.
var signedForms = []struct {
	groups [3][]string
	unless []string
}{
	{[3][]string{signs("表格 图片 圖片 链接 連結 段落 表情 表は 表が 画像 リンク 絵文字 段落 표는 표가 이미지 링크 이모지 문단"), signs("显示不 顯示不 打不开 打不開 看不清 看不到 读不了 看着很累 見づら 見にく 読みづら 読みにく 開けませ 表示され 안_보 안_열 깨져 보기_힘 읽기_힘 보기_불편")}, nil},
	{[3][]string{signs("你 回答 您"), signs("又忘 又漏 又没 又沒 又写错 又用")}, signs("我又")},
	{[3][]string{signs("また 또"), signs("出典 単位 説明 要約 見出し 値段 出处 출처 단위 설명 요약 제목 가격 리스트 링크"), signs("抜けて 忘れて 漏れて ありません 빠뜨 빠졌 빠져 잊 없")}, signs("私 저는 제가 か。")},
	{[3][]string{signs("容易懂 容易理解 看得懂 更好懂 好理解 分かりやす わかりやす 理解しやす 이해하기_쉬 이해돼 이해가_잘 이해가_더")}, signs("本 映画 书 電影 电影 책은 영화")},
	{[3][]string{signs("我家没有 我家沒有 我们没有 我們沒有 家里没有 家裡沒有 うちには 家には 持っていません 持ってません 집에는 우리_집에 우리는"), signs("没有 沒有 ありません ない です 持って 없어요 없습니다 없어서 없거든")}, signs("时间 時間 问题 問題 办法 辦法 시간 문제 か。 か? ？ 吗 嗎 방법")},
	{[3][]string{signs("读者 讀者 听众 聽眾 观众 觀眾 受众 客户 客戶 読者は 聞き手は 対象は お客様は 聴衆は 독자는 청중은 고객은 대상은 독자층은"), signs("是 です 이에요 예요 입니다 이야")}, signs("? ？ 吗 嗎 か。 谁 誰 누구")},
	{[3][]string{signs("一句 要点 要點 总结 總結 简单 簡單 关键 要約 一言 一文 結論 箇条書き 요약 한_줄 한_문장 핵심 결론"), signs("就够 就夠 即可 就行 で十分 で足ります でいいです 면_충분 면_돼요 면_됩니다 이면_충분")}, signs("？ ?")},
	{[3][]string{signs("就更好了 就方便 ば助か と助か とありがた あると嬉し あるとうれし と便利 있으면_편 있으면_도움 있으면_좋겠")}, signs("明天 明日 내일 天気 天气")},
	{[3][]string{signs("术语 術語 缩写 縮寫 専門用語 略語 用語 カタカナ 전문_용어 약어 줄임말"), signs("看不懂 听不懂 混乱 分から わから 難し 헷갈 어려 모르")}, nil},
	{[3][]string{signs("読むので 見るので 見せるので 読みますので 見ますので 읽으니까 읽으시니까 보니까 보시니까 읽어서"), signs("困り 助かり いい 控え お願い やさし 丁寧 않게 좋아요 주세요 좋겠 쉬운")}, nil},
	{[3][]string{signs("解释太 解釋太 说明太 說明太 回答太 説明は難し 説明が難し 説明は長 説明が長 回答が長 回答は長 설명은_너무 설명이_너무 답변이_너무 답변은_너무 답이_너무")}, signs("我的 私の 제_")},
	{[3][]string{signs("不需要每次 不必每次 不用每次 毎回謝 謝らなくて 매번_사과 사과하지_않아도")}, nil},
}

// signs returns the signs in a list, in which "_" means a space.
func signs(list string) []string { return strings.Split(strings.ReplaceAll(list, "_", " "), " ") }

// longestImplied is the maximum length of such a sentence, in bytes.
const longestImplied = 160

// impliedSigned reports whether a sentence in Chinese, Japanese or Korean implies a rule.
func impliedSigned(s string) bool {
	if len(s) > longestImplied || hasAny(s, oneDaySigns) {
		return false
	}
	for _, form := range signedForms {
		found := true
		for _, group := range form.groups {
			found = found && (group == nil || hasAny(s, group))
		}
		if found && !hasAny(s, form.unless) {
			return true
		}
	}
	return false
}

// oneDaySigns lists signs of a story about one day.
var oneDaySigns = strings.Fields("昨天 今天 明天 昨日 今日 明日 先週 上周 上週 어제 오늘 내일 지난")

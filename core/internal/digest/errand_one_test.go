package digest

import "testing"

func TestRequestsForOneThingAreNoRules(t *testing.T) {
	for _, s := range []string{
		"他特别爱吃麻酱面，请帮我找一家人均30元的面馆。", "最好押金在500元以内的。", "而且我希望月租在2000-2500元之间。", "我需要订一间大床房，最好别太吵，300元左右的房间。",
		"帮我挑一个适合孩子的游戏，不要收费的。", "记住了，谢谢。", "也行，只能坐火车了，告诉我一下票价吧。", "请把它的地址发给我。", "附近有没有游泳池，我平时喜欢游泳。",
		"好的，我喜欢，谢谢。", "太好了，奶奶一定会喜欢。", "搬进去以后要用洗衣机，帮我看一下有没有阳台，最好朝南。", "評価が4以上のホテルを探しています。", "평점 4.5 이상인 식당을 추천해 주세요.",
	} {
		if got := statements(s, new(readRoom)); len(got) > 0 {
			t.Errorf("a request for one thing is listed as a rule: %q", got)
		}
	}
	for _, s := range []string{
		"每次推荐一家餐馆都要写价格。", "改代码之前必须查一下文档。", "帮我找个错误，不要改测试。", "以后推荐餐馆，最好写上地址。", "我喜欢简短的回答。", "记住，报告用英文写。", "只能用标准库。",
		"推荐一本书的时候，请先问我。", "我不喜欢太吵的地方。", "有没有结果都要告诉我。", "必ず候補を探してから答えてください。", "식당을 추천해 줄 때는 항상 가격을 써 주세요.", "回答最好不超过5句。",
	} {
		if got := statements(s, new(readRoom)); len(got) != 1 {
			t.Errorf("%q isn't listed as a rule: %q", s, got)
		}
	}
}

package extract

import (
	"math/rand"
	"strings"
	"testing"
)

func TestRequestsAreWithoutCourtesies(t *testing.T) {
	for _, c := range []struct {
		text, said     string
		asked, depends bool
	}{
		{"你好，麻烦你帮我推荐一家有停车场的诊所，谢谢。", "有停车场的诊所", true, false},
		{"挺好的，那这家诊所周末开门吗？", "那这家诊所周末开门", true, true},
		{"好的，谢谢你的帮助！", "", false, false},
		{"哪里有能修手表的店呀，离地铁站近一点的。", "哪里有能修手表的店，离地铁站近一点的", true, false},
		{"这个分数不低了！", "", false, false},
		{"我要是出门没有地图就心慌，谢谢你。", "我要是出门没有地图就心慌", true, false},
		{"我对花生过敏，谢谢啊。", "我对花生过敏", false, true},
		{"我搬家了，请帮我找一位木匠。", "我搬家了，找一位木匠", true, true},
		{"您能给我介绍一家面馆吗？", "面馆", true, true},
		{"电话是多少？", "电话是多少", true, true},
		{"您好，我对花生过敏，能推荐一家没有花生的面包店吗？", "我对花生过敏，没有花生的面包店", true, false},
		{"松山公园我去过了，那就选柳河店吧！这家店周边有车站吗？", "松山公园我去过了，选柳河店，这家店周边有车站", true, true},
		{"哦，刚才打错字了，是不免费的，你再给我找一下！", "刚才打错字了，是不免费的，找", true, true},
		{"这么多呢，好的，谢谢你！", "", false, false},
		{"那就去吧，它的地址在哪？", "它的地址在哪", true, true},
		{"", "", false, true},
	} {
		if said, asked, depends := Request(c.text); said != c.said || asked != c.asked || said != "" && depends != c.depends {
			t.Errorf("Request(%q) = %q, %v, %v", c.text, said, asked, depends)
		}
	}
}

func TestAnswersAreWithoutRemarks(t *testing.T) {
	for text, want := range map[string]string{
		"好的，电话是010-5550，祝您生活愉快！": "电话是010-5550",
		"我推荐您去柳河诊所，您去那里看看吧。":     "柳河诊所",
		"可以。":          "可以",
		"抱歉，周边没有停车场的。": "周边没有停车场的",
		"有三家店，柳河店、松山店（东门）和云台店，都很不错的。": "有三家店，柳河店、松山店（东门）和云台店",
		"柳河店可以吗？":         "柳河店可以吗",
		"我建议你们去柳河店，那里有灯。": "柳河店",
		"挺多的，柳河店我感觉挺不错的，不合适的话我再为您推荐。": "柳河店",
		"柳河店就可以，你去看看怎么样。":             "柳河店就可以",
		"去看看吧。": "去看看",
		"挺多的。":  "挺多的",
		"不好意思，都没有呢，建议您去柳河店，尝尝它家的豆腐。": "都没有，柳河店，尝尝它家的豆腐",
	} {
		if got := Answer(text); got != want {
			t.Errorf("Answer(%q) = %q, not %q", text, got, want)
		}
	}
}

func TestAnswersThatRepeatTheirQuestions(t *testing.T) {
	for _, c := range []struct {
		question, answer string
		depends, want    bool
	}{
		{"它的地址", "地址是青石路4号", true, true}, {"它的电话是多少", "地址是青石路4号", true, false}, {"能刷卡", "可以", true, false},
		{"柳河诊所的电话是多少", "柳河诊所的电话是5550", false, true}, {"柳河诊所的电话是多少", "电话是5550", false, false},
		{"人均30元的店的电话", "电话是5550", true, false},
		{"柳河诊所(东门)几点开门", "柳河诊所(东门)的开门时间是9:00", false, true}, {"柳河诊所(东门)有车位", "柳河诊所(东门)没有", false, false}, {"", "", true, false}, {"是", "是", true, false},
	} {
		if Repeats(c.question, c.answer, c.depends) != c.want {
			t.Errorf("%q, %q: %v", c.question, c.answer, !c.want)
		}
	}
}

func TestThePickedOfferStays(t *testing.T) {
	for _, c := range []struct{ answer, later, want string }{
		{"附近有柳河店、松山公园、云台寺", "松山公园要门票吗", "松山公园"}, {"附近有柳河店、松山公园、云台寺", "要门票吗", "附近有柳河店、松山公园、云台寺"},
		{"柳河店、松山公园", "松山公园和柳河店远吗", "柳河店、松山公园"}, {"柳河店，松山店", "就柳河店吧", "柳河店"},
		{"柳河店门票35元、松山公园门票20元，都在东门", "去松山公园", "松山公园门票20元，都在东门"}, {"可以去柳河店，人均46元", "人均46元还行", "可以去柳河店，人均46元"}, {"", "", ""},
		{"柳河店和松山老店", "那就去松山老店吧", "松山老店"}, {"和平饭店", "那和平饭店多少钱？", "和平饭店"}, {"推荐您去和平饭店", "和平饭店有早餐吗", "推荐您去和平饭店"},
		{"人均65元，和平门烤鸭店", "和平门烤鸭店的电话", "人均65元，和平门烤鸭店"}, {"柳河老店和松山老店", "松山老店和柳河老店远吗", "柳河老店和松山老店"},
		{"3号展厅和松山公园都要门票", "先去3号展厅", "3号展厅"}, {"都没有，柳河店，尝尝它家的豆腐", "柳河店的电话", "都没有，柳河店，尝尝它家的豆腐"},
	} {
		if got := Pick(c.answer, c.later); got != c.want {
			t.Errorf("Pick(%q, %q) = %q, not %q", c.answer, c.later, got, c.want)
		}
	}
}

func TestRequestsThatShareAName(t *testing.T) {
	for _, c := range []struct {
		request, text string
		want          bool
	}{
		{"松山钟表店的地址", "有松山钟表店、柳河店", true}, {"松山店的地址", "有松山钟表店", false}, {"人均消费是30元的店", "人均消费是50元的店", false}, {"", "", false},
		{"去松山钟，表店", "松山钟表店", false}, {"\xe6\x9d松山钟表店", "松山钟表店", true},
	} {
		if SharesName(c.request, c.text) != c.want {
			t.Errorf("%q, %q: %v", c.request, c.text, !c.want)
		}
	}
}

func TestLinesThatPointBack(t *testing.T) {
	for line, want := range map[string][2]bool{
		"它的地址 → 地址是青石路4号":      {true, false},
		"地址是青石路4号":             {true, false},
		"这家店周边有哪些车站 → 松山站、云台站": {true, true},
		"松山站几点开门 → 9:00":       {false, false},
		"找一家面馆 → 这家，柳河店":       {false, true},
		"":                     {false, false},
	} {
		if back, finds := PointsBack(line); back != want[0] || finds != want[1] {
			t.Errorf("%q: %v, %v, not %v", line, back, finds, want)
		}
	}
}

// Whatever the text, nothing panics, and a request and an answer say nothing new.
func TestExchangesOfRandomSigns(t *testing.T) {
	signs := []rune("你您好请帮我推荐一家那这是有的了吧吗？，。、：（）(\n ,1元店址は\xff😀“”!")
	r := rand.New(rand.NewSource(7))
	for range 20000 {
		var b, c strings.Builder
		for range r.Intn(24) {
			b.WriteRune(signs[r.Intn(len(signs))])
			c.WriteRune(signs[r.Intn(len(signs))])
		}
		text, other := b.String(), c.String()
		if r.Intn(8) == 0 && len(text) > 2 {
			text = text[1 : len(text)-1]
		}
		said, _, _ := Request(text)
		answer := Answer(text)
		for _, depends := range []bool{false, true} {
			Repeats(said, Answer(other), depends)
		}
		picked := Pick(answer, other)
		if (Chinese(text) || Courteous(text)) && text == "" || strings.ContainsAny(said, "0123456789") && SharesName(said, other) {
			t.Fatalf("%q isn't Chinese, nor does %q share a name", text, said)
		}
		for _, got := range []string{said, answer, picked} {
			if len(got) > 3*len(text) {
				t.Fatalf("%q became %q", text, got)
			}
			for part := range strings.FieldsFuncSeq(got, func(r rune) bool { return r == '，' }) {
				if got != picked && !strings.Contains(text, strings.Trim(part, " ")) {
					t.Fatalf("%q isn't in %q", part, text)
				}
			}
		}
	}
}

// Praise, remarks and what only introduces a request take no room.
func TestExchangesWithoutPraise(t *testing.T) {
	for text, want := range map[string]string{
		"柳河茶馆(东门店)是个挺不错的选择。":    "柳河茶馆(东门店)",
		"推荐你去柳河茶馆，这是一家非常不错的茶馆。": "柳河茶馆",
		"柳河茶馆不是很好的选择。":          "柳河茶馆不是很好的选择",
		"柳河茶馆是4.5分，很不错的。":       "柳河茶馆是4.5分",
		"当然是柳河茶馆了，它是唯一符合您要求的。":  "当然是柳河茶馆了",
	} {
		if got := Answer(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"逛完街以后我有点累了，打算找个人均30元的茶馆坐坐，给推荐一家吧": "人均30元的茶馆坐坐",
		"帮我找一家能修手表的店。":                     "能修手表的店",
		"在码头附近找个人均30元的茶馆":                  "在码头附近找个人均30元的茶馆",
		"想吃凉面，找家评分4分以上的面馆":                 "想吃凉面，评分4分以上的面馆",
	} {
		if got, _, _ := Request(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{"有豆腐、烤鱼这两道菜的餐馆": false, "这家店的地址": true, "这两家店的地址": true} {
		if pointsOut(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
